"""How moves, calls and the start are judged against what was played, on events made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import games
from engine.match.events import Event, Illegal, Moved, SetUp, Takeback, Unclear
from tests.bench.report import Report, judge_calls, judge_moves
from tests.bench.takes import Take, first_plies

TAKE = Take(
    name="by hand",
    game=games.load("camelot"),
    kinds=("quiet", "moving", "quiet", "moving", "quiet", "quiet"),
    plies=(0, 0, 1, 1, 1, 2),
    clear=(True, False, True, False, False, True),
    moves=(("A1", "A2", ()), ("B5", "B7", ("B6",))),
    notations=("A1-A2", "B5xB7"),
    illegal=((4, "not-a-move"),),
    corners_px=(((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)),),
    markers=False,
    size_wh=(640, 480),
)
SPANS = {number: (float(number), number + 1.0) for number in range(6)}


def moved(t: float, ply: int, origin: str, target: str, *taken: str, corrected: bool = False) -> Moved:
    return Moved(t, ply, "white", f"{origin}-{target}", origin, target, taken, 0.9, corrected)


FIRST, SECOND = moved(2.25, 1, "A1", "A2"), moved(5.5, 2, "B5", "B7", "B6")


@pytest.mark.parametrize(
    ("told", "right", "wrong", "early"),
    [
        ((FIRST, SECOND), 2, 0, 0),
        ((), 0, 0, 0),
        ((moved(2.25, 1, "A1", "B2"),), 0, 1, 0),
        ((moved(2.25, 1, "A1", "B2"), replace(FIRST, corrected=True)), 1, 0, 1),
        ((FIRST, moved(5.5, 2, "B5", "B7")), 1, 1, 0),  # what was captured counts
        ((FIRST, SECOND, moved(6.0, 3, "C1", "C2")), 2, 1, 0),  # nobody played it
        ((FIRST, replace(FIRST, t=3.0)), 1, 0, 0),  # said twice, counted once
        ((FIRST, moved(3.0, 1, "A1", "B2", corrected=True)), 0, 1, 0),  # right at first
    ],
)
def test_moves_that_are_told_are_counted_as_right_wrong_or_early(
    told: tuple[Event, ...], right: int, wrong: int, early: int
) -> None:
    report = Report("by hand", plies=2)
    judge_moves(report, TAKE, SPANS, told)
    assert (report.right, report.wrong, report.early) == (right, wrong, early)


def test_delays_count_from_the_first_clear_picture_with_the_ply() -> None:
    """From the first clear picture with the ply: the unlawful placement between does not count."""
    report = Report("by hand", plies=2)
    judge_moves(report, TAKE, SPANS, (FIRST, SECOND))
    assert report.delays_s == [0.25, 0.5]


def unlawful(t: float, code: str = "not-a-move") -> Illegal:
    return Illegal(t, ("C1",), code, "", ())


@pytest.mark.parametrize(
    ("told", "found", "false", "asked"),
    [
        ((unlawful(4.5),), 1, 0, 0),
        ((unlawful(4.5, "not-yours"),), 0, 0, 0),  # called, for another rule
        ((unlawful(2.5),), 0, 1, 0),
        ((unlawful(2.5), unlawful(4.5)), 1, 1, 0),
        ((Unclear(2.5, ("A1-A2",)), Takeback(3.0, 1), SetUp(1.0, ("A1",))), 0, 2, 1),
    ],
)
def test_unlawful_placements_that_are_called_are_counted(
    told: tuple[Event, ...], found: int, false: int, asked: int
) -> None:
    report = Report("by hand", plies=2, illegal=1)
    judge_calls(report, TAKE, SPANS, told)
    assert (report.found, report.false, report.asked) == (found, false, asked)
    assert not report.flawless


def test_the_first_plies_of_a_recording() -> None:
    shots = iter([(kind, None) for kind in TAKE.kinds])
    shorter, kept = first_plies(TAKE, shots, 1)  # type: ignore[arg-type]  # no pictures are needed
    assert (shorter.kinds, shorter.moves, shorter.illegal) == (TAKE.kinds[:3], TAKE.moves[:1], ())
    assert len(kept) == 3
