"""Whether a board is well: what waits for the disk, what is told to who looks after it."""
