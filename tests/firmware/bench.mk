# Long measurements of the LED board, included by the Makefile above: real firmware on a simulated board.
.PHONY: bench-firmware fuzz-link

bench-firmware: .venv/ready
	$(BIN)/python -m tests.firmware.bench

fuzz-link: .venv/ready
	$(BIN)/python -m tests.firmware.fuzz 1000000
