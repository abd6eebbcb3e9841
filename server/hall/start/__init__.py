"""A hall put together and started: out of a folder of its own, or on a broker and a database that run already."""
