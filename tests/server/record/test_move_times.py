"""How long each move took, in the text of a game and on its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.match.acts import Undo
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from server.record.archive import as_jsonl, as_pgn, as_replay
from server.record.imports import parse_text
from server.record.journal import build_begin_event
from tests.server.ruled import Played


def list_spans(played: Played) -> list[object]:
    positions = as_replay("camelot-0001", played.events)["positions"]
    assert isinstance(positions, list)
    return [step["spent"] for step in positions[1:]]


@pytest.mark.parametrize(
    ("clock", "stood"), [("", 10.0), ("20m", 0.0), ("20m+5s", 0.0), ("20m bronstein 5s", 10.0), ("2/20m,5m+3s", 0.0)]
)
def test_what_a_ply_took_after_takebacks_is_the_time_of_its_own_turn(clock: str, stood: float) -> None:
    """All that had been played and taken back in between was counted for it, beside a clock that had counted seconds.

    `stood`: as long as nobody has seen the board stand again, as here after a takeback, the clock counts nothing; where
    a delay may hide what it counted, it does not tell.
    """
    course = ("D6-D5", "D11-D10", "E6-E5", "E11-E10")
    played = Played(clock=clock).ask(*course, Undo(3), *course[1:2], Undo(1), "D11-D12", course[2])
    played.t += 100.0
    played.ask("E11-E12")
    assert list_spans(played) == [stood, stood, 10.0, 110.0]
    text = as_pgn("camelot-0001", played.events)
    assert re.findall(r"%emt (\S+)\]", text) == [f"{stood}", f"{stood}", "10.0", "110.0"]


def test_a_move_for_which_the_clock_waited_has_no_time() -> None:
    played = Played(clock="20m")
    played.match = with_clock(played.match, parse_control("20m"), held=True)
    played.events[0] = build_begin_event(played.match)
    played.ask("D6-D5", "D11-D10")
    assert list_spans(played) == [None, 10.0]


@pytest.mark.parametrize("clock", ["", '[TimeControl "2m+3s"]\n'])
def test_the_times_that_a_text_says_are_those_of_its_moves(clock: str) -> None:
    """Differences of its clocks, which are whole seconds, stood for them, and 0 for a move that had none."""
    moves = (
        "1. F6-F8 {[%clk 0:02:06]} 1... I10-H9 {[%emt 1.8] [%clk 0:02:05]} 2. C6-E8-G8xI10xG12 "
        "{[%emt 0.0] [%clk 0:02:08]} 2... D10-F12xH12 {[%emt 128.2] [%clk 0:02:05]} 3. H7-I8 *"
    )
    ((_, events),) = parse_text(f'[Variant "camelot"]\n{clock}\n{moves}\n', Path("a.pgn")).games
    exported = as_pgn("camelot-0001", events)
    assert " ".join(exported.split("\n\n")[1].split()) == moves
    positions = as_replay("camelot-0001", events)["positions"]
    assert isinstance(positions, list)
    assert [step["spent"] for step in positions[1:]] == [None, 1.8, 0.0, 128.2, None]
    ((_, again),) = parse_text(as_jsonl(events), Path("a.jsonl")).games
    assert as_pgn("camelot-0001", again) == exported
