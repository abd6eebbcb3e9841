"""Connections: the web server itself, answers that stay open, and what is refused before anything is read."""
