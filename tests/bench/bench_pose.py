"""Is the board found again after the camera was moved? `python -m tests.bench.bench_pose --scenes 100`.

Drawn scenes of four boards: a picture of a position in the middle of a game, then one a ply later from a camera that
was moved by 0.1 to 3 cells and turned by 1 to 20 degrees meanwhile, now and then under another lamp. What is believed
is the position before the ply.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import click
import cv2
import numpy as np

from calibration.agreement import agreement_with
from calibration.relocate import Relocated, relocate_board
from calibration.solve import solve_by_corners
from calibration.view import Floats, Image, View, rectangle_corners
from engine import games
from engine.game import Game, Move, Position
from tests.render import cheap
from tests.render.scene import RIM, Camera, Setting, corners, level_origin, look_from, margin, middle
from tests.render.stage import Stage
from tests.render.styles import LIGHTS, LOOKS, SETS, TABLES, light_named

GAMES = ("camelot", "camblam", "tri-camelot", "cam-3d")
SIZE_WH = (1280, 960)
SHIFT_CELLS, TURN_DEG = (0.1, 3.0), (1.0, 20.0)
MOST_PLIES = 40
OTHER_LIGHT = 0.25
"""Share of the scenes in which the light changes with the camera."""
LEAST_FACE = np.sin(np.radians(30))
"""The camera stays at least so high above the table."""
RIGHT_CELLS = 0.1


@dataclass(frozen=True)
class Moved:
    """Two pictures of a board; the views of its levels in the first, and the true pixels of all cells in the second."""

    game: Game
    believed: Position
    before: Image
    views: tuple[View, ...]
    after: Image
    cells_px: Floats
    shift_cells: float
    turn_deg: float


@dataclass(frozen=True)
class Outcome:
    """What came of one scene: the largest error of a cell (None if nothing was found), and the time of one core."""

    name: str
    error_cells: float | None
    seconds: float
    fit: int = 0


def scene(seed: int) -> Moved:
    """Scene number `seed`."""
    rng = np.random.default_rng([41, seed])
    game = games.load(GAMES[seed % len(GAMES)])
    look, pieces, table, light = (str(rng.choice(sorted(names))) for names in (LOOKS, SETS, TABLES, LIGHTS))
    setting = Setting(game.board, look, pieces, table, markers=False, seed=seed)
    up, round_, wide = rng.uniform(42, 80), rng.uniform(-180, 180), rng.uniform(45, 68)
    camera = look_from(game.board, up, round_, wide, size_wh=SIZE_WH, seed=seed)
    stage = Stage(game, setting, [camera], light_named(light, seed), rng)
    believed, move = _position(game, rng)
    stage.set_up(believed)
    before = _photographed(stage)
    for cell in move.taken:
        stage.take_off(stage.at(cell), believed.seat)
    stage.put(stage.at(move.origin), move.target)
    moved, shift_cells, turn_deg = _moved(stage, camera, rng)
    stage.cameras.append(moved)
    if rng.random() < OTHER_LIGHT:
        stage.light = light_named(str(rng.choice(sorted(LIGHTS))), seed + 1)
    board, views = game.board, []
    for level in range(max(board.levels) + 1):
        rim = rectangle_corners(board.size_wh) + np.array(level_origin(board, level))
        px = camera.project(np.column_stack([rim, np.zeros(4)]))
        views.append(solve_by_corners(board, before, [(float(x), float(y)) for x, y in px], level).view)
    middles = [
        [*(np.array(xy) + level_origin(board, level)), 0.0]
        for xy, level in zip(board.centres_xy, board.levels, strict=True)
    ]
    cells_px = moved.project(np.array(middles))
    return Moved(game, believed, before, tuple(views), _photographed(stage), cells_px, shift_cells, turn_deg)


def _position(game: Game, rng: np.random.Generator) -> tuple[Position, Move]:
    """A position from a random game and a move in it."""
    position = game.start()
    for _ in range(int(rng.integers(0, MOST_PLIES))):
        moves = game.moves(position)
        after = game.play(position, moves[int(rng.integers(len(moves)))])
        if not game.moves(after):
            break
        position = after
    going = [move for move in game.moves(position) if move.origin != move.target]
    return position, going[int(rng.integers(len(going)))]


def _photographed(stage: Stage) -> Image:
    stage.quiet("still")
    return cheap.render(stage.frames[-1].scene).image


def _moved(stage: Stage, camera: Camera, rng: np.random.Generator) -> tuple[Camera, float, float]:
    """The camera carried round the board or turned in the hand, so that all of the board stays in its picture."""
    board = stage.game.board
    rim, centre = corners(board, margin(board) + RIM), np.array([*middle(board), 0.0])
    while True:
        shift_cells, turn_deg = rng.uniform(*SHIFT_CELLS), rng.uniform(*TURN_DEG)
        axis, way = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
        turn = np.asarray(cv2.Rodrigues(axis * np.radians(turn_deg))[0])
        held = bool(rng.random() < 0.5)
        position = camera.position if held else centre + turn @ (camera.position - centre)
        rotation = (turn if held else np.eye(3)) @ camera.rotation @ (np.eye(3) if held else turn.T)
        position = position + shift_cells * way
        (rx, ry, rz), (tx, ty, tz) = cv2.Rodrigues(rotation)[0][:, 0].tolist(), (-rotation @ position).tolist()
        after = replace(camera, rvec=(rx, ry, rz), tvec=(tx, ty, tz))
        px, away = after.project(rim), position - centre
        inside = bool((px > 0).all() and (px < np.array(SIZE_WH)).all())
        if inside and away[2] > LEAST_FACE * np.linalg.norm(away):
            return after, shift_cells, turn_deg


def played(seed: int) -> Outcome:
    """Find the board of a scene again."""
    one = scene(seed)
    looks = [one.game.looks[one.game.look_of[piece]] for piece in one.believed.placement]
    begun = time.process_time()
    agreement = agreement_with(one.game.board, one.after, looks)
    found = relocate_board(one.game.board, one.views, one.after, agreement)
    seconds = time.process_time() - begun
    name = f"{seed} {one.game.name}, {one.shift_cells:.1f} cells, {one.turn_deg:.0f} degrees"
    if found is None:
        return Outcome(name, None, seconds)
    return Outcome(name, _off(one.game, found, one.cells_px), seconds, found.fit)


def _off(game: Game, found: Relocated, cells_px: Floats) -> float:
    """By how much the cell that is off most is off, in cells."""
    off = 0.0
    for level, view in enumerate(found.views):
        here = np.flatnonzero(np.array(game.board.levels) == level)
        xy = np.array(game.board.centres_xy)[here]
        apart = np.linalg.norm(view.project_points(xy) - cells_px[here], axis=1) / view.pitch_px(xy)
        off = max(off, float(apart.max()))
    return off


def told(outcomes: Sequence[Outcome], name: str) -> str:
    """One line of figures."""
    found = [o.error_cells for o in outcomes if o.error_cells is not None]
    right = sum(error <= RIGHT_CELLS for error in found)
    errors, times = np.array(found or [np.nan]), np.array([o.seconds for o in outcomes])
    return (
        f"{name}: {right} of {len(outcomes)} found within {RIGHT_CELLS} cell, {len(found) - right} wrong, "
        f"{len(outcomes) - len(found)} said to be lost; off by {np.median(errors):.3f} cell (median), "
        f"{np.quantile(errors, 0.95):.3f} (95 %), {np.max(errors):.3f} at most; "
        f"{np.median(times):.2f} s of one core (median), {np.max(times):.2f} at most"
    )


@click.command()
@click.option("--scenes", default=100, show_default=True)
@click.option("--first", default=0, show_default=True, help="number of the first scene")
@click.option("--each", is_flag=True, help="a line for each scene that was not found")
def command(scenes: int, first: int, each: bool) -> None:
    """Draw, find, and count."""
    cv2.setNumThreads(1)
    outcomes = _all(range(first, first + scenes), each)
    for game in GAMES:
        click.echo(told([o for o in outcomes if f" {game}," in o.name], game))
    click.echo(told(outcomes, "all"))


def _all(seeds: Iterable[int], each: bool) -> list[Outcome]:
    outcomes = []
    for seed in seeds:
        outcomes.append(played(seed))
        last = outcomes[-1]
        if each and (last.error_cells is None or last.error_cells > RIGHT_CELLS):
            click.echo(f"{last}")
    return outcomes


if __name__ == "__main__":
    command()
