"""How a command ends: its exit code."""

DONE, ANSWER_IS_NO, UNUSABLE = 0, 1, 2
