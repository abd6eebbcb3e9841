"""What moves are worth: the best few, what one gave away, what it threatens, and where a game was decided"""
