"""The hall's pages: every board as it stands, those with troubles first, and one board in full."""
