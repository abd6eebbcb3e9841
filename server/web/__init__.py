"""The web server: connections, answers that stay open, what is refused before anything is read."""
