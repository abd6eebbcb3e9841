"""Rendered recordings of games, for the tests: one scene, drawn cheaply (cheap.py) or with Blender (blender.py)."""
