# Two commands matter: `make demo` and `make test`. Both make the environment they need in .venv.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
SESSION := tests/data/sessions/camelot_a
# What the tests need besides Python: a browser, what encodes films, what reads the service's unit, and the tools that build and simulate the display's firmware.
SYSTEM_PACKAGES = chromium chromium-driver curl ffmpeg gcc make systemd $(shell cat tests/firmware/apt-packages.txt)

.PHONY: demo test system lint types unit bench bench-engine bench-vision bench-clean bench-frames bench-lifted bench-spectators bench-pages fuzz transcripts soak lock lowest clean

.venv/base: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) -e .
	touch $@

.venv/ready: .venv/base
	$(PIP) -e '.[dev]'
	touch $@

demo: .venv/base
	@mkdir -p var
	$(BIN)/referee serve --profile $(SESSION)/profile.toml --camera $(SESSION) --realtime --new --open --record var/demo.sqlite3

test: system .venv/ready lint types unit

# Installs what is missing when it may, and names it when it may not.
system:
	@missing=""; for p in $(SYSTEM_PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ]; then \
	    apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing >/dev/null; \
	  else echo "The tests need these packages: sudo apt-get install$$missing" >&2; exit 1; fi; fi

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/bandit --quiet -c pyproject.toml -r engine calibration vision device server

types: .venv/ready
	$(BIN)/mypy

unit: .venv/ready
	$(BIN)/pytest

bench: bench-engine bench-vision bench-firmware

bench-engine: .venv/ready
	$(BIN)/python -m tests.engine.bench

# Short games under each disturbance, in three strengths, on all boards, and false starts: docs/benchmarks.md. About an hour
# on two cores; what was broken off goes on with BENCH=--resume.
bench-vision: .venv/ready
	$(BIN)/python -m tests.tools.bench_vision $(BENCH)

# A long set of games by a good camera, onto the same page.
bench-clean: .venv/ready
	$(BIN)/python -m tests.tools.bench_vision --clean 170 $(BENCH)

# 500 spectators and 5,000 connections that do not read, during a live game on this machine. Four minutes.
bench-spectators: .venv/ready
	$(BIN)/python -m tests.tools.bench_spectators

# How soon each page can be used, and what it weighs.
bench-pages: .venv/ready
	$(BIN)/python -m tests.tools.bench_pages

# What a frame costs, time from the start of Python to the first move, memory over 100,000 frames. Ten minutes.
bench-frames: .venv/ready
	$(BIN)/python -m tests.tools.bench_frames

bench-lifted: .venv/ready
	$(BIN)/python -m tests.tools.bench_lifted

bench-find: .venv/ready
	$(BIN)/python -m tests.tools.bench_find

bench-photos: .venv/ready
	$(BIN)/python -m tests.tools.photos $(PHOTOS)

fuzz: .venv/ready
	$(BIN)/python -m tests.engine.fuzz

# What the referee answers in the transcripts, written anew; read the difference before it is committed.
transcripts: .venv/ready
	$(BIN)/python -m tests.tools.transcripts

# Record and live state, compared after each input of 10,000 random games; 500 writers and 500 services killed. An hour.
soak: .venv/ready
	SOAK=10000 $(BIN)/pytest -q tests/server/test_fold.py
	KILLS=500 $(BIN)/pytest -q tests/server/test_record.py
	SERVE_KILLS=500 $(BIN)/pytest -q -s tests/server/test_serve_killed.py

include tests/firmware/bench.mk

lock: .venv/ready
	(head -n 1 constraints.txt; $(BIN)/pip freeze --exclude-editable) > constraints.new && mv constraints.new constraints.txt

# The lower bounds of pyproject.toml, really installed and tested.
lowest:
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -e '.[dev]'
	.venv-lowest/bin/pytest tests/engine tests/calibration tests/vision tests/server/test_watch.py

clean:
	rm -rf .venv .venv-lowest build dist var .pytest_cache .mypy_cache .ruff_cache .hypothesis
