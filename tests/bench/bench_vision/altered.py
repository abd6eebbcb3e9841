"""Starts that stand as they should and starts that do not: the same board, camera and light, and all of it drawn.

Pieces that a start leaves alone stand exactly where they stand in the true one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np

from engine.game import Game, Position
from tests.bench.bench_vision import starts
from tests.render import cheap
from tests.render.scene import Scene, Standing, cell_xy
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage

TRUE = "true"
HANDS = ("a hand with a piece", "a hand")


MIDDLE, COVERED = 0.8, 0.25
"""A hand is over a board when it hides this share of the middle of a cell; one over the rim hides nothing."""


def _exchanged(game: Game, rng: np.random.Generator) -> Position:
    """A piece of one side and one of the next have changed places."""
    position = game.start()
    seat = int(rng.integers(len(game.seats)))
    own, other = (
        [c for c, code in enumerate(position.placement) if code and game.seat_of[code] == one % len(game.seats)]
        for one in (seat, seat + 1)
    )
    a, b = own[int(rng.integers(len(own)))], other[int(rng.integers(len(other)))]
    return starts.changed(position, {a: position.placement[b], b: position.placement[a]})


def _empty(game: Game, _rng: np.random.Generator) -> Position:
    return replace(game.start(), placement=bytes(len(game.start().placement)))


ALTERATIONS: dict[str, Callable[[Game, np.random.Generator], Position]] = {
    TRUE: starts.ALTERATIONS["true"],
    "gone": starts.ALTERATIONS["a piece gone"],
    "added": starts.ALTERATIONS["one more"],
    "moved": starts.ALTERATIONS["next cell"],
    "exchanged": _exchanged,
    "sides": starts.ALTERATIONS["sides changed"],
    "one ply": starts.ALTERATIONS["one ply played"],
    "board empty": _empty,
    **dict.fromkeys(HANDS, starts.ALTERATIONS["true"]),
}
KINDS = tuple(ALTERATIONS)
"""Of these all but the first are altered."""


def begun(recipe: Recipe) -> Stage:
    """The stage of a recipe with nothing on it but the start position."""
    stage = bare_stage(recipe)
    stage.set_up(stage.game.start())
    return stage


def altered(recipe: Recipe, kind: str, seed: int) -> tuple[Stage, tuple[str, ...]]:
    """The stage with one picture, of a start of that kind, and the cells that are not as they should be."""
    stage = begun(recipe)
    game, rng = stage.game, np.random.default_rng([recipe.seed, seed, KINDS.index(kind)])
    stage.rng = rng
    now, before = ALTERATIONS[kind](game, rng).placement, game.start().placement
    off = [c for c in range(len(before)) if now[c] != before[c]]
    for cell in off:
        if before[cell]:
            name = stage.at(cell)
            del stage.where[name], stage.standing[name]
    for cell in off:
        if now[cell]:
            _stand(stage, game, now[cell], cell)
    if kind in HANDS:
        _reach(stage, kind == HANDS[0])
    else:
        stage.quiet(kind)
    return stage, tuple(game.board.cells[c] for c in off)


def _stand(stage: Stage, game: Game, piece: int, cell: int) -> None:
    code, look = game.codes[piece], game.looks[game.look_of[piece]]
    name = f"{code} on {cell}"
    stage.standing[name] = Standing(name, code, look, code[-1], (0.0, 0.0, 0.0))
    stage.put(name, cell)


def _reach(stage: Stage, holds: bool) -> None:
    """A hand over any cell, from any side, that hides a part of some; if it holds a piece, that one has no cell yet."""
    board, rng = stage.game.board, stage.rng
    standing, where = dict(stage.standing), dict(stage.where)
    hidden = False
    while not hidden:
        stage.standing, stage.where = dict(standing), dict(where)
        seat = int(rng.integers(len(stage.game.seats)))
        mine = {code for code, of in zip(stage.game.codes, stage.game.seat_of, strict=True) if of == seat}
        own = [name for name in where if standing[name].code in mine]
        held = own[int(rng.integers(len(own)))] if holds else None
        stage.moving("setting up", seat, np.array(cell_xy(board, int(rng.integers(len(board.cells))))), held=held)
        hidden = _hides(stage.frames[-1].scene)
    stage.frames[:] = stage.frames[-1:]


def _hides(scene: Scene) -> bool:
    """Whether the hand covers a good part of a cell."""
    board, hand = scene.setting.board, cheap.render(scene).labels == cheap.HAND_LABEL
    for cell in range(len(board.cells)):
        corners = np.array(cell_xy(board, cell)) + MIDDLE * np.array(board.outline_xy)
        px = scene.camera.project(np.column_stack([corners, np.zeros(len(corners))]))
        inside = cv2.fillConvexPoly(np.zeros(hand.shape, np.uint8), np.round(px).astype(np.int32), 1) > 0
        if inside.any() and float(hand[inside].mean()) > COVERED:
            return True
    return False
