"""From camera frames to scores for each cell; knows no rules."""
