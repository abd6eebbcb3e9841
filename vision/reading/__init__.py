"""What stands on each cell of a still, registered picture: a score for every look; knows no rules."""
