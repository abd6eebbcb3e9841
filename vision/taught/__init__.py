"""What a picture says by itself: cells are compared with each other, and with their own past."""
