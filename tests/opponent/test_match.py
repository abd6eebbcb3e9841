"""`referee match`: games that `referee check` accepts, results with their error bars, and faults that are said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from opponent.contest.statistics import decide_test, elo_difference, estimate_share, expected_share
from server.cli import main

TINY = f"{sys.executable} {Path(__file__).parent / 'tiny_engine.py'}"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    return ended.value.code, out, err


def test_a_match_gives_a_record_that_is_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = str(tmp_path / "games.pgn")
    limits = ("--nodes", "100", "--record", kept)
    code, out, _ = run(capsys, "match", "3", "random", "--game", "camette", "--games", "4", *limits)
    assert code == 0 and "0 lost" in out and "95 %" in out
    code, out, _ = run(capsys, "check", kept)
    assert code == 0 and out.startswith(f"{kept}: ok, 4 games")
    again = ("--openings", kept, "--plies", "2")
    code, out, _ = run(capsys, "match", "3", "random", "--game", "camette", "--games", "2", "--nodes", "50", *again)
    assert code == 0


def test_three_engines_play_and_their_record_is_sound(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = str(tmp_path / "games.pgn")
    who = ("match", "2", "greedy", "random", "--game", "tri-camelot", "--games", "3")
    code, out, _ = run(capsys, *who, "--nodes", "50", "--record", kept)
    assert code == 0 and "level 2 against greedy, random" in out
    assert run(capsys, "check", kept)[0] == 0


def test_a_fault_of_an_engine_is_said_and_loses_its_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = str(tmp_path / "games.pgn")
    who = ("match", f"{TINY} lie", "random", "--game", "camette", "--games", "2", "--record", kept)
    code, out, _ = run(capsys, *who, "--movetime", "100")
    assert code == 0 and "2 lost" in out and "unlawful 2" in out and "C2-C7" in out
    assert run(capsys, "check", kept)[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("7",),
        ("7", "8", "9"),
        ("11", "random", "--nodes", "1"),
        ("7", "random"),
        ("7", "random", "--nodes", "1", "--sprt", "9", "3"),
        ("7", "'", "--nodes", "1"),
        ("7", "random", "--nodes", "1", "--openings", "/no/such/file"),
    ],
)
def test_what_cannot_be_played_is_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    code, _, err = run(capsys, "match", *arguments)
    assert code == 2 and err.count("\n") == 1, err


def test_results_prove_no_more_than_their_number_allows() -> None:
    found = estimate_share([1.0] * 95 + [0.0] * 5)
    assert found.mean == 0.95 and 0.88 < found.low < 0.9 and 0.97 < found.high < 0.99
    assert expected_share(elo_difference(0.75)) == pytest.approx(0.75)
    assert decide_test([1.0, 1.0], 0, 50) == ""
    assert decide_test([1.0] * 60 + [0.0] * 20, 0, 100) == "better"
    assert decide_test([1.0, 0.0] * 200, 0, 100) == "not better"
