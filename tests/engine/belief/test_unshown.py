"""Plies of which the board shows nothing: what explains it as well may be against the rules, and is asked about."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.belief.decision import update_belief
from engine.belief.hypotheses import PLY_S
from engine.belief.lines_of_play import FollowedLines, LineOfPlay
from engine.belief.memory import Memory
from engine.belief.sight import InMotion
from engine.belief.verdicts import Doubtful, Played
from engine.game import Game, Position
from engine.games import load
from tests.engine.sights import line, seen
from tests.examples import examples

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
    assert opinion.verdict == Played(moves[2:]) if begun else opinion.reason.rule == "unshown"
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


@pytest.mark.parametrize(("emptied", "begun"), [(False, False), (False, True), (True, False)])
def test_a_man_taken_off_in_the_place_of_the_victim_beside_it_is_no_ply_of_the_other_side(
    emptied: bool, begun: bool
) -> None:
    """The knight jumps C6, which stays, and D7 is taken off: as if C6 had gone, and D7 had stepped there. A look at a
    hand over C6 may think that it is done; that C6 was empty is only known from one that saw it so."""
    positions, moves = line(CAMELOT, "D6-D8 C11-E9xC7xC5 D7-C6")
    sight = replace(seen(CAMELOT, positions[-1].placement), rested=True, clear=True, stirred=True, moving_s=5 * PLY_S)
    lines = FollowedLines(after=(LineOfPlay(), LineOfPlay(moves[1:2]))) if begun else FollowedLines()
    stood = ((frozenset({CAMELOT.board.index["C6"]}), frozenset[int]()),) if emptied else ()
    memory = Memory(lines=lines, stood=stood)
    opinion, _ = update_belief(CAMELOT, positions[:2], moves[:1], sight, memory, InMotion())
    assert opinion.verdict == Played(moves[1:]) if emptied else opinion.reason.rule == "unshown"


def test_quiet_plies_of_both_sides_need_nobody_to_have_seen_the_first() -> None:
    positions, moves = line(CAMELOT, f"{JUMPED_THERE} F7-F8 H11-H9")
    sight = replace(seen(CAMELOT, positions[-1].placement), rested=True, clear=True, stirred=True, moving_s=5 * PLY_S)
    opinion, _ = update_belief(CAMELOT, positions[:3], moves[:2], sight, Memory(), InMotion())
    assert opinion.verdict == Played(moves[2:])


def against_the_rules(game: Game, now: Position, chance: random.Random) -> Iterator[bytes]:
    """What stands after a side has played twice, and after a piece of each side was taken off."""
    moved_again = replace(now, seat=(now.seat - 1) % len(game.seats))
    twice = game.moves(moved_again)
    captures = [move for move in twice if move.taken]
    if twice:
        yield game.play(moved_again, chance.choice(captures or twice)).placement
    own, others = (
        [c for c, piece in enumerate(now.placement) if piece and (game.seat_of[piece] == now.seat) is mine]
        for mine in (True, False)
    )
    taken_off = {chance.choice(own), chance.choice(others)}
    yield bytes(0 if cell in taken_off else piece for cell, piece in enumerate(now.placement))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["camelot", "camblam", "tri-camelot", "cam-3d"])
def test_what_nobody_played_is_not_told_as_plies_of_both_sides(name: str) -> None:
    game, chance = load(name), random.Random(name)
    judged = 0
    for _ in range(examples(6)):
        positions, moves = [game.start()], []
        for _ in range(chance.randint(4, 16)):
            if not (lawful := game.moves(positions[-1])):
                break
            moves.append(chance.choice([move for move in lawful if move.taken] or lawful))
            positions.append(game.play(positions[-1], moves[-1]))
        if len({game.seat_of[piece] for piece in positions[-1].placement if piece}) < 2:
            continue  # a side has lost all of its pieces
        once = {game.play(positions[-1], move).placement for move in game.moves(positions[-1])}
        for board in against_the_rules(game, positions[-1], chance):
            if board in once or board in [one.placement for one in positions] or not once:
                continue
            sight = replace(seen(game, board), rested=True, clear=True, stirred=True, moving_s=6.0)
            opinion, _ = update_belief(game, positions, moves, sight, Memory(visited=True), InMotion())
            judged += 1
            assert not isinstance(opinion.verdict, Played) or opinion.verdict.replaces
    assert judged


@pytest.mark.parametrize(("hidden", "told"), [((), False), (("J11", "K10"), True)])
def test_a_ply_that_was_taken_back_before_the_other_side_played_is_not_answered(
    hidden: tuple[str, ...], told: bool
) -> None:
    """Black's ply and White's step back would leave the same; but the man was back while Black's still stood there."""
    positions, moves = line(CAMELOT, "C6-B7 J11-K10 B7-C6")
    sight = replace(seen(CAMELOT, positions[-1].placement), rested=True, clear=True, stirred=True, moving_s=5 * PLY_S)
    index = CAMELOT.board.index
    stood = frozenset({index["B7"], index["C6"]}), frozenset(index[cell] for cell in hidden)
    opinion, _ = update_belief(CAMELOT, positions[:2], moves[:1], sight, Memory(stood=(stood,)), InMotion())
    assert (opinion.verdict == Played(moves[1:])) is told
    assert told or isinstance(opinion.verdict, Doubtful)
