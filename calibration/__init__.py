"""From a picture to cells: where the board lies, and the file a board owner keeps about it."""
