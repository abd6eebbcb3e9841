"""Why a move is none, what would be one, and how it is said and shown: values and words, no input or output."""
