"""A slice of the fuzzing; `python -m tests.engine.fuzz` does all of it."""

from tests.engine.fuzz import run


def test_whatever_is_read_only_documented_errors_come_of_it() -> None:
    run(strings=1500, files=200, seed=7)
