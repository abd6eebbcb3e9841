"""A match: what is told to the referee, what it answers, and the state in between. Values in, values out."""
