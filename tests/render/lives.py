"""One game, the pieces put up again by hand, and another game: what a table sees of an evening."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from engine.game import Game, Move, Position
from tests.render import cheap
from tests.render.direct import Director
from tests.render.play import Turn, turns
from tests.render.scene import Scene, cell_xy
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage
from tests.vision.filmed import grainy
from vision.frames import Frame

FPS = 8.0
HELD, MOVING_HELD, LAST_HELD = 10, 2, 30
"""Frames for which a picture without hands is shown, one with a hand, and the last of a game."""
BATCH = 3
"""Pieces that are put up between two pictures: hands go on working meanwhile."""


@dataclass(frozen=True)
class Evening:
    """What was played in each game, in notation, and the pictures, each with how many frames it is shown."""

    stage: Stage
    first: tuple[str, ...]
    second: tuple[str, ...]
    shown: tuple[tuple[Scene, int], ...]
    ended: int = 0
    """After how many pictures the first game is over."""

    def frames(self) -> Iterator[Frame]:
        """Frames as they come from the camera, each with its own noise."""
        number = 0
        for scene, count in self.shown:
            clean = cheap.render(replace(scene, noise=0.0)).image
            for _ in range(count):
                yield Frame(number / FPS, grainy(clean, number))
                number += 1


def evening(recipe: Recipe, then: int, one_by_one: bool = False) -> Evening:
    """A game of the recipe's plies, the pieces put up again, and a game of `then` plies.

    `one_by_one`: the plies are taken back instead, each while the position before it is seen.
    """
    stage = bare_stage(recipe)
    first, ends = _game(stage, recipe.plies)
    ended = len(stage.frames)
    for position in positions_of(stage.game, first)[-2::-1] if one_by_one else [stage.game.start()]:
        put_up(stage, position)
        ends.append(len(stage.frames) - 1)
    stage.ply = 0
    second, more = _game(stage, then, begun=True)
    kept = {*ends, *more}
    shown = tuple((frame.scene, _held(frame.kind, number in kept)) for number, frame in enumerate(stage.frames))
    return Evening(stage, first, second, shown, ended)


def positions_of(game: Game, plies: Sequence[str]) -> list[Position]:
    """What stands before and after each ply."""
    positions = [game.start()]
    for notation in plies:
        move = game.read(positions[-1], notation)
        assert isinstance(move, Move)
        positions.append(game.play(positions[-1], move))
    return positions


def _held(kind: str, last: bool) -> int:
    return LAST_HELD if last else MOVING_HELD if kind == "moving" else HELD


def _game(stage: Stage, plies: int, begun: bool = False) -> tuple[tuple[str, ...], list[int]]:
    """Play a game; its plies, and the pictures on which it begins and ends."""
    director, played, begins = Director(stage), list[Turn](), len(stage.frames)
    for turn in islice(turns(stage.game, plies, stage.rng, troubled=False), plies):
        if turn.number == 1 and not begun:
            director.begin(turn, with_empty=False)
        director.play(turn)
        played.append(turn)
    stage.quiet("end of the game")
    return tuple(turn.notation for turn in played), [begins, len(stage.frames) - 1]


def put_up(stage: Stage, position: Position | None = None) -> None:
    """Hands put every piece where the game begins, some at a time and in any order; those that stand there stay."""
    game, wanted = stage.game, (position or stage.game.start())
    stray: list[str] = []
    stays = set[int]()
    for name, place in stage.where.items():
        code = game.codes[wanted.placement[place]] if isinstance(place, int) else ""
        if isinstance(place, int) and stage.standing[name].code == code:
            stays.add(place)
        else:
            stray.append(name)
    open_cells = [cell for cell, piece in enumerate(wanted.placement) if piece and cell not in stays]
    stage.rng.shuffle(open_cells)
    blocked = [cell for cell in open_cells if cell in stage.where.values()]
    for cell in blocked:  # what stands in another's place is first taken aside
        stage.take_off(stage.at(cell), 0)
    for number, cell in enumerate(open_cells):
        code = game.codes[wanted.placement[cell]]
        name = next(one for one in stray if stage.standing[one].code == code)
        stray.remove(name)
        seat = game.seat_of[wanted.placement[cell]]
        stage.moving("putting up", seat, np.array(cell_xy(game.board, cell)), held=name)
        stage.put(name, cell)
        if number % BATCH == BATCH - 1:
            stage.moving("putting up", seat, np.array(cell_xy(game.board, cell)))
    stage.agree(wanted)
    stage.quiet("put up again")
