"""Engines as programs: ours, which speaks UGI, and the client that runs any other beside the game."""
