"""Starts that stand as they should and starts that do not: the same board, camera and light, and all of it drawn.

Pieces that a start leaves alone stand exactly where they stand in the true one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine import games
from engine.game import Game, Position
from tests.render.scene import Setting, Standing, cell_xy, look_from
from tests.render.script import Recipe
from tests.render.stage import Stage
from tests.render.styles import light_named
from tests.tools.bench_vision import starts

TRUE = "true"
HANDS = ("a hand with a piece", "a hand")


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
    game = games.load(recipe.game, games.find(recipe.game).rule_sets[-1])
    setting = Setting(
        game.board, recipe.look, recipe.pieces, recipe.table, recipe.markers, recipe.seed, recipe.shape, recipe.scale
    )
    camera = look_from(
        game.board, recipe.elevation, recipe.azimuth, recipe.hfov, size_wh=recipe.size_wh, seed=recipe.seed
    )
    rng = np.random.default_rng(recipe.seed)
    stage = Stage(game, setting, [camera], light_named(recipe.light, recipe.seed), rng)
    stage.set_up(game.start())
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
    """A hand over any cell, from any side; if it holds a piece, that one has no cell yet."""
    board, rng = stage.game.board, stage.rng
    seat = int(rng.integers(len(stage.game.seats)))
    cell = int(rng.integers(len(board.cells)))
    own = [
        n for n, p in stage.where.items() if stage.game.codes.index(stage.standing[n].code) in _own(stage.game, seat)
    ]
    held = own[int(rng.integers(len(own)))] if holds else None
    stage.moving("setting up", seat, np.array(cell_xy(board, cell)), held=held)


def _own(game: Game, seat: int) -> set[int]:
    return {piece for piece, of in enumerate(game.seat_of) if of == seat}
