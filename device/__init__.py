"""Lights, text and buttons: drawings of the match for hardware that people own."""
