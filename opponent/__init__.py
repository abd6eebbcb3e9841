"""Playing against the computer: engines that speak UGI, ours among them, and games between them."""
