"""The compiled core: listing and search in C, from tables that the games of the Camelot family give; optional."""
