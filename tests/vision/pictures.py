"""Cheap pictures of a board whose every place is known, for what reads and calibrates."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from calibration.view import Floats, Lens, View
from engine import games
from engine.board import Board
from engine.game import Game, Position
from tests.render import cheap
from tests.render.scene import Scene, level_origin
from tests.render.script import Recipe, stage_of
from tests.render.stage import Stage
from vision.ground import Image
from vision.reading.level_readers import LevelReaders

SIZE_WH = (960, 720)
GAMES = ("camelot", "tri-camelot", "cam-3d", "camblam")


def scene_of(recipe: Recipe, position: Position | None = None) -> tuple[Game, Scene]:
    """A game and its board with pieces on it, put down a little carelessly; the start position by default."""
    stage, _ = stage_of(replace(recipe, plies=0))
    stage.set_up(position or stage.game.start())
    stage.quiet("set up")
    return stage.game, stage.frames[-1].scene


def photograph(scene: Scene, noise: float = 1.0) -> Image:
    """A quiet look at a scene, with as little noise as the average of several frames has."""
    return cheap.render(replace(scene, noise=noise)).image


def corners_of(scene: Scene, level: int = 0) -> Floats:
    """Pixels of a level's bounding rectangle, (4, 2)."""
    board = scene.setting.board
    x, y = level_origin(board, level)
    w, h = board.size_wh
    rim = np.array([[x, y, 0], [x + w, y, 0], [x + w, y + h, 0], [x, y + h, 0]], float)
    return scene.camera.project(rim)


def true_views(scene: Scene) -> list[View]:
    """One view a level, with the lens as far as a profile can hold it."""
    camera = scene.camera
    lens = Lens(camera.size_wh, camera.matrix[0][0], camera.dist[0])
    views = []
    for level in range(max(scene.setting.board.levels) + 1):
        corners = tuple((float(x), float(y)) for x, y in corners_of(scene, level))
        views.append(View(lens, scene.setting.board.size_wh, corners))
    return views


def true_cells(scene: Scene, level: int = 0) -> Floats:
    """Pixels of the centres of a level's cells, in order."""
    board = scene.setting.board
    x, y = level_origin(board, level)
    flat = [[cx + x, cy + y, 0.0] for (cx, cy), at in zip(board.centres_xy, board.levels, strict=True) if at == level]
    return scene.camera.project(np.array(flat))


def off_by(view: View, scene: Scene, level: int = 0) -> Floats:
    """How far each cell's centre in `view` is from where it is, in cells."""
    here = centres(scene.setting.board, level)
    apart = np.linalg.norm(view.project_points(here) - true_cells(scene, level), axis=1)
    return np.asarray(apart / view.pitch_px(here), float)


def centres(board: Board, level: int = 0) -> Floats:
    """Centres of a level's cells in cells, (N, 2)."""
    return np.array([xy for xy, at in zip(board.centres_xy, board.levels, strict=True) if at == level])


def moved_corners(scene: Scene, px: float, seed: int, level: int = 0) -> list[tuple[float, float]]:
    """A level's corners, each off by `px` in some direction, as a person would click them."""
    off = np.random.default_rng(seed).normal(0, 1, (4, 2))
    off *= px / np.linalg.norm(off, axis=1, keepdims=True)
    return [(float(x), float(y)) for x, y in corners_of(scene, level) + off]


def eyes_on(game: Game, scene: Scene, pieces: Sequence[int] | None = None) -> LevelReaders:
    """Eyes that have learned from a picture of the scene, which shows `pieces` (the start position by default)."""
    learned = _learned(game, scene, tuple(pieces or game.start().placement))
    return copy.deepcopy(learned, {id(game.board): game.board})


@lru_cache(maxsize=6)
def _learned(game: Game, scene: Scene, pieces: tuple[int, ...]) -> LevelReaders:
    """Many tests begin with the same board: it is learned once, and each has a copy."""
    return LevelReaders(game.board, true_views(scene), game.look_of, photograph(scene), list(pieces))


def before_and_after(stage: Stage, note: str) -> tuple[LevelReaders, Scene]:
    """Of a drawn game: eyes that have learned the board before the picture with that note, and its scene."""
    at = next(n for n, frame in enumerate(stage.frames) if frame.note == note)
    settled = (frame for frame in stage.frames[at - 1 :: -1] if frame.kind == "quiet" and "shaken" not in frame.note)
    before = next(settled)
    code_of = {code: piece for piece, code in enumerate(stage.game.codes)}
    placed = [code_of.get(before.cells.get(name, ""), 0) for name in stage.game.board.cells]
    return eyes_on(stage.game, before.scene, placed), stage.frames[at].scene


def position_after(game: Game, plies: int, seed: int) -> Position:
    """A position of random play."""
    chance = np.random.default_rng(seed)
    position = game.start()
    for _ in range(plies):
        moves = game.moves(position)
        after = game.play(position, moves[int(chance.integers(len(moves)))])
        if not game.results(after):
            break
        position = after
    return position


def load(name: str) -> Game:
    """The game with the rule set that recordings use."""
    return games.load(name, games.find(name).rule_sets[-1])
