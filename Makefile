# Two commands matter: `make demo` and `make test`. Both make the environment they need in .venv.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# What the tests need besides Python: a browser, a clock that can be set, what encodes films, what reads the service's unit, a broker, a database and a proxy, and the tools that build and simulate the display's firmware.
SYSTEM_PACKAGES = chromium chromium-driver curl faketime ffmpeg gcc make mosquitto nginx postgresql systemd $(shell cat tests/firmware/apt-packages.txt)

# Tests run side by side, two processes for each core: what seeing costs is a core's work, what comes before it waits for
# brokers, databases, browsers and ports most of the time. Each keeps pictures in a gigabyte or two: where memory is short,
# JOBS=1 starts two. The ten slowest are named.
JOBS ?= $(shell nproc)
SIDE_BY_SIDE := -n $(shell echo $$((2 * $(JOBS)))) --dist worksteal --durations 10 --durations-min 0.5
# The parts of `make test` that take seconds each: make test-engine, make test-scenes, ...
PARTS := $(filter-out __pycache__ data bench,$(notdir $(patsubst %/,%,$(wildcard tests/*/))))
# Rules, judging and the promises of the documents: what most changes can break.
QUICK := tests/engine tests/test_docs.py tests/test_layers.py

# Traces with truth: the large corpus where it was made, else the few in the repository.
CORPUS = $(firstword $(wildcard build/corpus) tests/data/corpus)

.PHONY: evening firmware corpus replay-corpus fit reliability sensitivity bench-judging demo test quick $(PARTS:%=test-%) system lint types unit bench bench-engine bench-core fuzz-core bench-strength bench-vision bench-light bench-clean bench-starts bench-moments bench-blind bench-chains bench-quick bench-same-board bench-frames bench-lifted bench-spectators bench-watch bench-pages bench-real installed release image-steps fuzz transcripts soak attack lock lowest clean

.venv/base: pyproject.toml constraints.txt setup.py $(wildcard opponent/core/*.[ch])
	$(PYTHON) -m venv .venv
	$(PIP) -e .
	touch $@

.venv/ready: .venv/base
	$(PIP) -e '.[dev]'
	touch $@

demo: .venv/base
	$(BIN)/referee demo

# What reads the sources goes side by side: types alone take as long as all the rest.
test: system .venv/ready
	@$(MAKE) --no-print-directory --output-sync --jobs=2 types lint firmware
	@$(MAKE) --no-print-directory unit

# Installs what is missing when it may, and names it when it may not.
system:
	@missing=""; for p in $(SYSTEM_PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ]; then \
	    apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing >/dev/null; \
	  else echo "The tests need these packages: sudo apt-get install$$missing" >&2; exit 1; fi; fi

# Ready firmware for the displays of docs/hardware.md, into dist/firmware: `referee lights flash --hex FILE` writes it.
HEX = atmega328p-160 atmega328p-144 atmega328p-84 atmega328p-73 atmega2560-221
firmware: $(HEX:%=dist/firmware/display-%.hex)

dist/firmware/display-%.hex: $(wildcard device/firmware/*.[ch]) device/firmware/Makefile
	@mkdir -p $(@D)
	@$(MAKE) -s -C device/firmware MCU=$(firstword $(subst -, ,$*)) LEDS=$(lastword $(subst -, ,$*)) BUILD=../../build/hex/$*
	@cp build/hex/$*/display.hex $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.bench.complexity
	$(BIN)/bandit --quiet -c pyproject.toml -r engine opponent calibration vision device server

types: .venv/ready
	$(BIN)/mypy

unit: .venv/ready
	$(BIN)/pytest $(SIDE_BY_SIDE)

# Under a minute: before each commit.
quick: lint types
	$(BIN)/pytest $(SIDE_BY_SIDE) -m "not exhaustive" $(QUICK)

$(PARTS:%=test-%): test-%: .venv/ready
	$(BIN)/pytest $(SIDE_BY_SIDE) tests/$*

bench: bench-engine bench-vision bench-firmware

bench-engine: .venv/ready
	$(BIN)/python -m tests.engine.bench

# The compiled core against the rules in Python: 10,000 positions a game and rule set, with switches at random. Two hours.
bench-core: .venv/ready
	CORE_POSITIONS=10000 $(BIN)/pytest -q -s tests/opponent/test_core.py
	$(BIN)/python -m tests.opponent.bench

# The same with the sanitizers for addresses and undefined behaviour in it, on dense boards too, 100,000 positions. Half an hour.
fuzz-core: .venv/ready
	$(BIN)/python -m tests.opponent.fuzz_core --positions 100000

# How strong the levels of the computer are: games between them for some minutes, onto docs/engines.md. Goes on where it
# stopped; all that is wanted takes some two hours of a core.
bench-strength: .venv/ready
	$(BIN)/python -m tests.opponent.strength --minutes $(or $(MINUTES),9)

# Short games under each disturbance, in three strengths, on all boards, and false starts: docs/developing/benchmarks.md. About an hour
# on two cores; what was broken off goes on with BENCH=--resume.
bench-vision: .venv/ready
	$(BIN)/python -m tests.bench.bench_vision $(BENCH)

# One evening with everything in it, by the real program, firmware and browser: what was promised and what came. Three
# minutes an evening, more where promises are broken; RUNS=10 for ten. docs/situations.md has what came.
evening: .venv/ready
	$(BIN)/python -m tests.bench.evening --runs $(or $(RUNS),1)

# Rooms whose lights change while a game is played, path traced: two minutes a sequence, 60 of them with
# BENCH="--sequences 60". `python -m tests.bench.bench_light --renderer cheap` draws the pictures and needs no Blender, whose
# wheels still want numpy 1.
build/bpy/ready: constraints.txt
	python3 -m venv build/bpy
	build/bpy/bin/python -m pip install --quiet --disable-pip-version-check -e '.[render]'
	build/bpy/bin/python -m pip install --quiet --disable-pip-version-check 'numpy<2' 'opencv-python-headless<4.12'
	touch $@

bench-light: build/bpy/ready
	build/bpy/bin/python -m tests.bench.bench_light $(BENCH)

# A long set of games by a good camera, onto the same page.
bench-clean: .venv/ready
	$(BIN)/python -m tests.bench.bench_vision --clean 170 $(BENCH)

# Starts that stand as they should and starts that do not, by the hundred; pictures of misses go into build/bench-starts.
bench-starts: .venv/ready
	$(BIN)/python -m tests.bench.bench_starts $(BENCH)

# A ply, and in the same frame a bump, a lamp or a sleeve: 201 of them, what came of each. A quarter of an hour.
bench-moments: .venv/ready
	$(BIN)/python -m tests.bench.bench_moments --jobs $(or $(JOBS),2)

# Plies played while nothing could be seen, and chains and captures in parts: what came of each. Ten minutes each.
bench-blind: .venv/ready
	$(BIN)/python -m tests.bench.bench_blind --jobs $(or $(JOBS),2) $(BENCH)
bench-chains: .venv/ready
	$(BIN)/python -m tests.bench.bench_chains --jobs $(or $(JOBS),2) $(BENCH)
# Games in which nobody pauses, hands over hands: are plies said in time? Ten minutes; 24 games with BENCH="--scenes 24".
bench-quick: .venv/ready
	$(BIN)/python -m tests.bench.bench_quick --jobs $(or $(JOBS),2) $(BENCH)

# Plies that the board tells from no other, answered at once: what came of each. Ten minutes.
bench-same-board: .venv/ready
	$(BIN)/python -m tests.bench.bench_same_board --jobs $(or $(JOBS),2) $(BENCH)

# Traces with truth of some hundred films, into build/corpus; what is there is not made again. About an hour on two cores.
corpus: .venv/ready
	$(BIN)/python -m tests.bench.corpus build/corpus --jobs $(or $(JOBS),2)

# All of them judged anew from the traces alone, in about a minute; without build/corpus the few in the repository.
replay-corpus: .venv/ready
	$(BIN)/python -m tests.bench.replay_corpus $(CORPUS) --jobs $(or $(JOBS),2)

# The numbers of engine/belief/priors.toml that a corpus can tell, and how often readings were wrong. Two minutes.
fit: .venv/ready
	$(BIN)/python -m tests.bench.fit $(CORPUS) --leave-out set_up

# How often opinions are true, by how surely they are held, into docs/pictures/reliability.png. Two minutes.
reliability: .venv/ready
	$(BIN)/python -m tests.bench.reliability $(CORPUS) --picture docs/pictures/reliability.png --jobs $(or $(JOBS),2)

# What each number of the belief changes when it is moved, and each disturbance judged without having been fitted on. An hour.
sensitivity: .venv/ready
	$(BIN)/python -m tests.bench.sensitivity $(CORPUS) --leave-one-out --jobs $(or $(JOBS),2)
	$(BIN)/python -m tests.bench.sensitivity $(CORPUS) --jobs $(or $(JOBS),2)

# Looks at their dearest: every cell reads as something, and three plies went by unseen. A minute.
bench-judging: .venv/ready
	$(BIN)/python -m tests.bench.bench_judging

# 500 spectators and 5,000 connections that do not read, during a live game on this machine. Four minutes.
bench-spectators: .venv/ready
	$(BIN)/python -m tests.bench.bench_spectators

# The wheel, built, installed into an empty environment and run from there. Two minutes.
installed: .venv/ready
	$(BIN)/python -m tests.bench.installed

# What is given to people, into dist/: wheels for this machine's Python and for any other (without the compiled core), the
# source, checksums and a list of what is inside (CycloneDX); then each wheel is installed and run in an empty environment.
release: .venv/ready
	$(BIN)/python -m tests.bench.release dist

# The container image's steps, run in a folder: its context, its build, its start, its health check. Two minutes.
image-steps: .venv/ready
	$(BIN)/python -m tests.bench.image_steps

# 10,000 spectators at the delayed files of a hall, through nginx: how long they wait, and that nothing is early.
bench-watch: .venv/ready
	$(BIN)/python -m tests.bench.bench_hall_spectators

# How soon each page can be used, and what it weighs.
bench-pages: .venv/ready
	$(BIN)/python -m tests.bench.bench_pages

# What a frame costs, time from the start of Python to the first move, memory over 100,000 frames. Ten minutes.
bench-frames: .venv/ready
	$(BIN)/python -m tests.bench.bench_frames

bench-lifted: .venv/ready
	$(BIN)/python -m tests.bench.bench_lifted

bench-find: .venv/ready
	$(BIN)/python -m tests.bench.bench_find

bench-photos: .venv/ready
	$(BIN)/python -m tests.bench.photos $(PHOTOS)

# Real footage (docs/developing/real-footage.md). DATA has more of it than is stored here, PICTURES the fetched photographs.
bench-real: .venv/ready
	$(BIN)/python -m tests.real.bench $(DATA) $(if $(PICTURES),--pictures "$(PICTURES)")

fuzz: .venv/ready
	$(BIN)/python -m tests.engine.fuzz
	EXAMPLES_TIMES=100 $(BIN)/pytest $(SIDE_BY_SIDE) --timeout 86400 --hypothesis-profile=default tests/engine

# What the referee answers in the transcripts, written anew; read the difference before it is committed.
transcripts: .venv/ready
	$(BIN)/python -m tests.bench.transcripts

# Every check on every row of its table, of which `make test` takes some by turns: boards, lines, pages.
# Record and live state, compared after each input of 10,000 random games; 500 writers and 500 services killed; a hall
# of 200 boards, and 50 blows of each kind to all parts of one; an hour of network cameras behind the gate. Four hours.
soak: .venv/ready
	ALL_ROWS=1 $(BIN)/pytest $(SIDE_BY_SIDE) tests/calibration tests/vision tests/real \
	  tests/server/commands/test_print.py \
	  tests/server/board/pages/test_stale.py tests/server/board/pages/test_situations.py tests/server/board/pages/test_page_phone.py \
	  tests/server/hall/test_boards_page.py tests/server/hall/test_stale.py
	SOAK=10000 $(BIN)/pytest -q tests/server/record/test_fold.py
	KILLS=500 $(BIN)/pytest -q tests/server/record/test_store.py
	TRIES=200 $(BIN)/pytest -q --timeout 86400 tests/server/test_exits.py
	SERVE_KILLS=500 $(BIN)/pytest -q -s tests/server/record/test_serve_killed.py
	POWER_CUTS=50 $(BIN)/pytest -q tests/server/record/test_power_cut.py
	$(BIN)/python -m tests.opponent.fuzz_core --positions 100000
	FAULTY_GAMES=300 $(BIN)/pytest -q -s tests/opponent/test_faults.py
	RACES=10000 $(BIN)/pytest -q tests/server/hall/desk/test_matters.py
	RACES=200 $(BIN)/pytest -q tests/server/board/live/test_wishes.py
	RESTARTS=20 $(BIN)/pytest -q tests/server/board/hall_link/test_publishing.py
	EVENT_KILLS=10 $(BIN)/pytest -q -s tests/server/hall/tournament/test_killed.py
	FAR_GAMES=100 FAR_CUT_S=60 $(BIN)/pytest -q -s tests/server/board/hall_link/test_far.py
	for database in "" --postgresql; do $(BIN)/python -m tests.bench.hall_event var/event$$database $$database || exit 1; done
	$(BIN)/python -m tests.bench.guarded_streams 3600 5
	$(BIN)/python -m tests.bench.hall_load --boards 200 --rate 20 --seconds 600
	$(BIN)/python -m tests.bench.hall_load --boards 200 --rate 500 --seconds 120
	for database in "" --postgresql; do $(BIN)/python -m tests.bench.hall_load --boards 20 --rate 20 --seconds 7200 \
	  --blows broker,hall,database,boards,mischief,cut,minute --times 50 $$database || exit 1; done

# What others may send: odd requests by each role, changed bits in a record, spoilt pictures, imports and profiles, by the
# thousand, and 100,000 files of each format; 200 kills in a game with pictures; all floods at once against a live game.
# Some hours.
attack: .venv/ready
	EXAMPLES=18 REQUESTS=3000 $(BIN)/pytest -q -s tests/server/test_hostile_requests.py tests/server/board/pages/test_openapi.py
	BROADCAST_CHECKS=10000 $(BIN)/pytest -q tests/server/spectators/test_public_feed.py
	FLIPS=1400 MUTATIONS=3000 BAD_PICTURES=500 $(BIN)/pytest -q -s tests/server/record/test_honest_record.py \
	  tests/server/test_hostile_text.py \
	  tests/server/record/test_hostile_files.py tests/server/test_hostile_pictures.py tests/server/web/access/test_secrets.py
	FUZZ=100000 $(BIN)/pytest -q -s --timeout 86400 tests/server/test_hostile_formats.py
	LOGINS=200 $(BIN)/pytest -q tests/server/web/access/test_reserves.py
	SERVE_KILLS=200 $(BIN)/pytest -q -s --timeout 7200 tests/server/record/test_serve_killed.py
	$(BIN)/python -m tests.bench.attack_floods 60
	$(BIN)/python -m tests.bench.hall_hostile 60

include tests/firmware/bench.mk

lock: .venv/ready
	(head -n 1 constraints.txt; $(BIN)/pip freeze --exclude-editable) > constraints.new && mv constraints.new constraints.txt

# The lower bounds of pyproject.toml, really installed and tested: what needs no browser and no compiler.
LOWEST := tests/engine tests/calibration tests/vision tests/scenes tests/server/commands/test_engine_commands.py \
  tests/server/commands/test_print.py tests/server/commands/test_watch.py
lowest:
	$(PYTHON) -m venv --clear .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -e '.[dev]'
	.venv-lowest/bin/pytest $(SIDE_BY_SIDE) $(LOWEST)

clean:
	rm -rf .venv .venv-lowest build dist var .pytest_cache .mypy_cache .ruff_cache .hypothesis
