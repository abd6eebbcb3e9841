"""What spectators are given, never before the delay: what boards told the hall, and events, as files."""
