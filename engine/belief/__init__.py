"""What probably stands on the board and was played: a posterior over explanations, and what to do about it."""
