"""What spectators are given: nothing that helps players, nothing before the delay, as files that only grow."""
