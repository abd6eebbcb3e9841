"""A hall put together and started: on a broker and a database of its own, or on some that run already."""
