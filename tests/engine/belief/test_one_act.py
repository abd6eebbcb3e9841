"""Plies of both sides that leave what one piece leaves that was moved against the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.belief.decision import update_belief
from engine.belief.hypotheses import PLY_S
from engine.belief.lines_of_play import FollowedLines, LineOfPlay
from engine.belief.memory import Memory
from engine.belief.sight import InMotion
from engine.belief.verdicts import Doubtful, Played
from engine.games import load
from tests.engine.sights import line, seen

CAMELOT = load("camelot", "wcf")

JUMPED_THERE = "C6-E8 G11-E9"
"""White's man on E8 may step to D9 and be jumped there by the knight from D10; or that knight plays twice in a row."""


@pytest.mark.parametrize("begun", [False, True])
def test_two_plies_that_look_like_one_against_the_rules_are_asked_about_unless_the_first_was_seen(begun: bool) -> None:
    positions, moves = line(CAMELOT, f"{JUMPED_THERE} E8-D9 D10xD8")
    before = positions[:3], moves[:2]
    sight = replace(seen(CAMELOT, positions[-1].placement), rested=True, clear=True, stirred=True, moving_s=5 * PLY_S)
    lines = FollowedLines(after=(LineOfPlay(), LineOfPlay(moves[2:3]))) if begun else FollowedLines()
    opinion, _ = update_belief(CAMELOT, *before, sight, Memory(lines=lines), InMotion())
    assert opinion.verdict == Played(moves[2:]) if begun else opinion.reason.rule == "one-act"
    if not begun:
        assert isinstance(opinion.verdict, Doubtful)
        assert opinion.verdict.options[0] == "E8-D9 D10xD8"


def test_a_side_that_played_twice_after_plies_that_were_seen_is_no_line_of_the_other() -> None:
    positions, moves = line(CAMELOT, f"{JUMPED_THERE} E8-D9 D10xD8")
    sight = replace(seen(CAMELOT, positions[-1].placement), rested=True, clear=True, stirred=True, moving_s=9 * PLY_S)
    lines = FollowedLines(after=(LineOfPlay(), LineOfPlay(moves[:1]), LineOfPlay(moves[:2])))
    opinion, _ = update_belief(CAMELOT, positions[:1], (), sight, Memory(lines=lines), InMotion())
    played = opinion.verdict.moves if isinstance(opinion.verdict, Played) else ()
    assert played in ((), moves[:1], moves[:2])


def test_quiet_plies_of_both_sides_need_nobody_to_have_seen_the_first() -> None:
    positions, moves = line(CAMELOT, f"{JUMPED_THERE} F7-F8 H11-H9")
    sight = replace(seen(CAMELOT, positions[-1].placement), rested=True, clear=True, stirred=True, moving_s=5 * PLY_S)
    opinion, _ = update_belief(CAMELOT, positions[:3], moves[:2], sight, Memory(), InMotion())
    assert opinion.verdict == Played(moves[2:])
