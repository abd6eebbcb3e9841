"""Camblam: its pieces, what is lawful, how it is written, and why a move is none."""
