"""Strips in the network: who is there, and who answers."""
