"""A display of one's own: its firmware built and written to a board, or to a simulated one."""
