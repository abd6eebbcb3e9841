"""How the hall's tables came to be, a step at a time, for Alembic."""
