# Two commands matter: `make demo` and `make test`. Both make the environment they need in .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint types unit system clean

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch .venv/ready

demo: .venv/ready
	$(BIN)/referee demo

test: system .venv/ready lint types unit

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

unit: .venv/ready
	$(BIN)/pytest

lock: .venv/ready
	(head -n 1 constraints.txt; $(BIN)/pip freeze --exclude-editable) > constraints.new && mv constraints.new constraints.txt

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
