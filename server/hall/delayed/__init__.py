"""What spectators are given: what boards told the hall, never before the delay, in files for any web server."""
