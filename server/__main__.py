"""`python -m server` is the same program as `referee`."""

from server.cli import main

main()
