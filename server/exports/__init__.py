"""Games as files for others: each module turns the replay of a game into one format."""
