"""What a camera, its table and its room make of the pictures of a recording."""
