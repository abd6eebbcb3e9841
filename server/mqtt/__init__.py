"""The wire between boards and halls: topics, payloads, the broker that carries them, how a hall is found."""
