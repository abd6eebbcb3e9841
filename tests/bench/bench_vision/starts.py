"""Starts that are none: what stands before the camera is not the position that the referee expects.

Each is shown for seconds; then somebody plays on. Whoever says `ready` there follows a game that is not on the board.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np

from calibration.profile import Profile
from calibration.solve import solve_by_corners
from engine import games
from engine.game import Game, Position
from engine.match.events import Illegal, Moved, Ready, SetUp, Unclear
from engine.match.referee import new_match
from tests.bench.referee_recording import CORNERS_OFF_PX
from tests.bench.takes import true_corners
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film, placed
from tests.render.camera.timing import Shot
from tests.render.play import choose, turns
from tests.render.scene import Setting, cell_xy, look_from
from tests.render.script import Recipe
from tests.render.stage import Stage
from tests.render.styles import light_named
from vision.watch.watcher import Watcher

STANDS_S = 4.0
"""How long a start is shown before somebody plays, or for how long a hand is over it."""
AFTER_S = 3.0
"""How long the board is shown after the ply."""
SEVERAL = 3
WRONG_GAME = {"camelot": "chivalry", "tri-camelot": "camelot", "cam-3d": "camelot", "camblam": "camelot"}
"""The game for which the profile was made by mistake: the same board for another game, or another board altogether."""


@dataclass
class StartReport:
    """What the referee said of one start."""

    start: str
    true: bool
    """Whether the expected position stands, with no hand over it."""
    ready: bool = False
    """Whether `ready` was said before anybody played."""
    ready_later: bool = False
    """Whether it was said after the ply, when the start position could not stand any more."""
    named: bool = False
    """Whether wrong cells were named, or people were asked."""
    moves: int = 0
    accusations: int = 0

    def figures(self) -> dict[str, object]:
        """All of it, as JSON has it."""
        return asdict(self)


Alteration = Callable[[Game, np.random.Generator], Position]


def _true(game: Game, _rng: np.random.Generator) -> Position:
    return game.start()


def _gone(game: Game, rng: np.random.Generator) -> Position:
    position = game.start()
    return changed(position, {_one(_standing(position), rng): 0})


def _one_more(game: Game, rng: np.random.Generator) -> Position:
    position = game.start()
    piece = position.placement[_one(_standing(position), rng)]
    return changed(position, {_one([c for c, code in enumerate(position.placement) if not code], rng): piece})


def _next_cell(game: Game, rng: np.random.Generator) -> Position:
    position = game.start()
    steps = [(c, n) for c in _standing(position) for n in game.board.steps[c] if n >= 0 and not position.placement[n]]
    origin, target = steps[int(rng.integers(len(steps)))]
    return changed(position, {origin: 0, target: position.placement[origin]})


def _sides_changed(game: Game, _rng: np.random.Generator) -> Position:
    """Each side stands where the next one should."""
    position, seats = game.start(), len(game.seats)
    of_kind = {(game.seat_of[p], game.codes[p][1:]): p for p in range(1, len(game.codes))}
    now = {c: position.placement[c] for c in _standing(position)}
    return changed(position, {c: of_kind[(game.seat_of[p] + 1) % seats, game.codes[p][1:]] for c, p in now.items()})


def _played(plies: int) -> Alteration:
    def play(game: Game, rng: np.random.Generator) -> Position:
        return [turn.after for turn in turns(game, plies, rng, troubled=False)][-1]

    return play


ALTERATIONS: dict[str, Alteration] = {
    "true": _true,
    "a piece gone": _gone,
    "one more": _one_more,
    "next cell": _next_cell,
    "sides changed": _sides_changed,
    "one ply played": _played(1),
    "several plies played": _played(SEVERAL),
    "hand over the board": _true,
    "another game's profile": _true,
}
STARTS = tuple(ALTERATIONS)
"""Of these all but the first are false."""


def staged(recipe: Recipe, start: str) -> Stage:
    """The start before the camera; then, where that start is false, a ply that somebody plays."""
    game = games.load(recipe.game, games.find(recipe.game).rule_sets[-1])
    rng = np.random.default_rng([recipe.seed, STARTS.index(start)])
    position = ALTERATIONS[start](game, rng)
    setting = Setting(
        game.board, recipe.look, recipe.pieces, recipe.table, recipe.markers, recipe.seed, recipe.shape, recipe.scale
    )
    camera = look_from(
        game.board, recipe.elevation, recipe.azimuth, recipe.hfov, size_wh=recipe.size_wh, seed=recipe.seed
    )
    stage = Stage(game, setting, [camera], light_named(recipe.light, recipe.seed), rng)
    stage.set_up(position)
    if start == "hand over the board":
        return _in_hand(stage, position)
    stage.quiet("start")
    move = None if start == "true" else choose(game, position, rng)
    if move is not None:
        piece, xy = stage.at(move.origin), np.array([cell_xy(game.board, c) for c in (move.origin, move.target)])
        stage.moving("carry", position.seat, xy.mean(axis=0), held=piece)
        for cell in move.taken:
            stage.take_off(stage.at(cell), position.seat)
        stage.put(piece, move.target)
        stage.ply = 1
        stage.quiet("after the ply")
    return stage


def _in_hand(stage: Stage, position: Position) -> Stage:
    """The last piece is not put down yet: a hand holds it over the cells of its side."""
    own = [c for c in _standing(position) if stage.game.seat_of[position.placement[c]] == position.seat]
    cell = own[int(stage.rng.integers(len(own)))]
    stage.moving("setting up", position.seat, np.array(cell_xy(stage.game.board, cell)), held=stage.at(cell))
    return stage


def refereed(recipe: Recipe, start: str, conditions: Conditions, seed: int) -> StartReport:
    """Film a start, referee it, and say what was said."""
    stage = staged(recipe, start)
    report = StartReport(start, start == "true")
    fps = conditions.fps
    conditions = replace(conditions, start_s=STANDS_S, end_s=AFTER_S, hands_move=False, hurried=0.0)
    shots: list[Shot] = [(f.kind, cheap.render(replace(f.scene, noise=0.5)).image) for f in stage.frames]
    if shots[0][0] == "moving":
        conditions = replace(conditions, hands_s=STANDS_S)
    corners = np.array(true_corners(stage))
    rim = (corners[0][0], corners[-1][1], corners[-1][2], corners[0][3])
    watcher: Watcher | None = None
    for number, frame in film(shots, conditions, seed, rim):
        if watcher is None:
            watcher = watcher_of(recipe, start, corners, placed(conditions, recipe.size_wh).corners, frame.image, seed)
        for event in watcher.take_frame(frame):
            report.ready |= isinstance(event, Ready) and number == 0
            report.ready_later |= isinstance(event, Ready) and number > 0
            report.named |= isinstance(event, SetUp | Unclear)
            report.moves += isinstance(event, Moved)
            report.accusations += isinstance(event, Illegal)
        if start == "true" and report.ready and frame.t > 1 / fps:
            break  # all is said
    return report


def watcher_of(
    recipe: Recipe,
    start: str,
    corners: np.ndarray,
    in_film: Callable[[np.ndarray], np.ndarray],
    image: np.ndarray,
    seed: int,
) -> Watcher:
    """A referee who expects the start of its game, and knows where the board is by corners that are a little off."""
    if start == "another game's profile":
        game = games.load(WRONG_GAME[recipe.game])
        corners = np.array([[corners[0][0], corners[-1][1], corners[-1][2], corners[0][3]]])
    else:
        game = games.load(recipe.game, games.find(recipe.game).rule_sets[-1])
    off = np.random.default_rng([seed, 5]).normal(0, 1, corners.shape)
    off *= CORNERS_OFF_PX / np.linalg.norm(off, axis=-1, keepdims=True)
    clicked = [[(float(x), float(y)) for x, y in level] for level in in_film(corners) + off]
    solutions = [solve_by_corners(game.board, image, level, n) for n, level in enumerate(clicked)]
    profile = Profile(game.name, tuple(s.view for s in solutions), tuple(s.fit for s in solutions))
    return Watcher(profile, new_match(game))


def _standing(position: Position) -> list[int]:
    return [cell for cell, code in enumerate(position.placement) if code]


def _one(cells: list[int], rng: np.random.Generator) -> int:
    return cells[int(rng.integers(len(cells)))]


def changed(position: Position, changes: dict[int, int]) -> Position:
    placement = bytearray(position.placement)
    for cell, code in changes.items():
        placement[cell] = code
    return replace(position, placement=bytes(placement))
