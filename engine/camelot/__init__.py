"""The Camelot family: one mechanism of men and knights, on many boards and under many rule sets."""
