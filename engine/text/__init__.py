"""Games as text and JSON: moves, positions and records, read and written."""
