"""A game while it is played: camera, main loop, and what is handed to everybody who listens."""
