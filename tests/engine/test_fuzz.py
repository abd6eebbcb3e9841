"""A slice of the fuzzing; `python -m tests.engine.fuzz` does all of it."""

from tests.engine.fuzz import run


def test_only_documented_errors() -> None:
    run(strings=1500, files=200, seed=7)
