"""From camera frames to scores for each cell; knows no rules."""

MOST_PIXELS = 40_000_000
"""Of a picture from outside: a phone's 50-megapixel still says nothing more about a board. More of them cost 3 bytes
each while they are decoded, whatever few bytes they came in; with fewer the stills of some phones are refused."""
