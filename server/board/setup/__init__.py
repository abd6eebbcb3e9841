"""Before a game: cameras, check-up, and finding the board."""
