"""From frames to still, registered pictures of the board: pixels and time, no pieces and no rules."""
