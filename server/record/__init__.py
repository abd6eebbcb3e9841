"""The record of games: written first, checked, copied, taken out and put in."""
