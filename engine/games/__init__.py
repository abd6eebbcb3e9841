"""Games, one file of data each, found by name."""
