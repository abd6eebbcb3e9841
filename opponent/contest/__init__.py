"""Games between engines: openings, both colours, and what the results prove."""
