"""Pages for people and answers for programs."""
