"""Boards and the hall they play in: what goes over the wire between them, and the broker that carries it."""
