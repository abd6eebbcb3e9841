"""The board's end: the record is the outbox, and what stands in it is published until the broker has it."""
