"""A tournament in the hall: who plays whom at which board, what came of it, how they stand, and what the world sees."""
