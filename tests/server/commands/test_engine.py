"""`referee engine`: the program as an engine, and how far it looks in a time."""

from __future__ import annotations

import re

from click.testing import CliRunner

from engine import games
from server.cli import referee


def run(*words: str, typed: str = "") -> str:
    answer = CliRunner().invoke(referee, ["engine", *words], typed, standalone_mode=False)
    assert answer.exception is None, answer.exception
    return answer.output


def test_it_answers_what_is_asked_on_its_standard_input() -> None:
    assert run(typed="ugi\nquit\n").splitlines()[-1] == "ugiok"
    assert run("--player", "random", "--level", "1", typed="isready\nquit\n").splitlines()[-1] == "readyok"


def test_the_bench_says_of_each_game_how_deep_it_looked() -> None:
    said = re.findall(
        r"(?m)^(\S+) \S+: depth \d+, \d+ nodes/s \((?:compiled|Python)\)$", run("bench", "--seconds", "0.1")
    )
    assert said == list(games.names())
    assert run("bench", "--seconds", "0.1", "camette").startswith("camette ")
