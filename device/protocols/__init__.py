"""One LED protocol a file, found by its name: `encode` makes the bytes, `feed` reads the answers."""
