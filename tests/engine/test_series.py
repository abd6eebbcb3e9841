"""Several plies between two looks are searched within a count of work, whatever the board seems to show."""

from __future__ import annotations

import random

import pytest

from engine import games
from engine.candidates import candidates
from engine.game import Game, Position
from engine.losses import FITS, Losses
from engine.series import MOST_FOLLOWED, longer, priced
from engine.sight import Sight
from engine.verdicts import Played, Wrong
from engine.witness import explain

OPENING = 12
VAGUE = 3.0
"""Scores that tell nothing: any look of any cell is within so much of the best."""


def opened(game: Game) -> Position:
    """A position after some plies."""
    position = game.start()
    for ply in range(OPENING):
        lawful = game.moves(position)
        position = game.play(position, lawful[7 * ply % len(lawful)])
    return position


def unclear(game: Game) -> list[list[float]]:
    """Scores of a board that tells nothing."""
    chance = random.Random(3)
    return [[chance.uniform(-VAGUE, 0.0) for _ in game.looks] for _ in game.board.cells]


@pytest.mark.parametrize("name", ["camelot", "tri-camelot", "cam-3d", "camblam"])
def test_a_board_that_tells_nothing_is_not_searched_to_its_end(name: str) -> None:
    game = games.load(name)
    position = opened(game)
    losses = Losses(game, position, unclear(game))
    first = priced(losses, candidates(game, [position], []))
    found, complete = longer(game, position, losses, first, 3)
    assert len(found) - len(first) <= 2 * MOST_FOLLOWED
    assert not complete or found[0][0] > FITS


@pytest.mark.parametrize("name", ["camelot", "tri-camelot", "cam-3d", "camblam"])
def test_nobody_is_accused_after_a_search_that_was_cut_off(name: str) -> None:
    game = games.load(name)
    position = opened(game)
    sight = Sight(9.0, unclear(game), [0.0] * len(game.board.cells), patient=True, rested=True, moving_s=5.0)
    assert not isinstance(explain(game, [position], [], sight).verdict, Wrong)


@pytest.mark.parametrize("name", ["camelot", "tri-camelot", "cam-3d", "camblam"])
def test_two_plies_that_are_seen_clearly_are_found(name: str) -> None:
    game = games.load(name)
    before = opened(game)
    after = game.play(before, game.moves(before)[0])
    after = game.play(after, game.moves(after)[-1])
    scores = [[-14.0] * len(game.looks) for _ in game.board.cells]
    for row, piece in zip(scores, after.placement, strict=True):
        row[game.look_of[piece]] = 0.0
    losses = Losses(game, before, scores)
    found, complete = longer(game, before, losses, priced(losses, candidates(game, [before], [])), 3)
    verdict = found[0][1].verdict
    assert complete
    assert isinstance(verdict, Played) and len(verdict.moves) == 2
