"""Programs that make pictures and measurements; no tests."""
