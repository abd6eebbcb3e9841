"""How good is it on this table? Guided minutes whose every move is known beforehand, and what came of them."""
