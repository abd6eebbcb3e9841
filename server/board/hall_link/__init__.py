"""The board's end of a hall: the record is the outbox, published until the broker has it."""
