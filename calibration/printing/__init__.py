"""Boards, counters, markers and templates on paper, true to the millimetre."""
