"""Real films and photographs of real games: how the referee does on them, and how a plain reader does."""
