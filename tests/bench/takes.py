"""Recordings as they are refereed: what was played and when, stored on disk or drawn now, with their pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from engine import games
from engine.errors import InputError
from engine.explain.why import why_placement
from engine.game import Game, Move
from tests.render.camera.timing import Shot
from tests.render.scene import level_origin
from tests.render.script import Recipe, stage_of
from tests.render.stage import Stage
from tests.render.stream import drawn, recorded

UNSETTLED = ("shaken", "topple")
"""In the note of a picture that was taken while the camera moved, or in which a piece lies in its cell."""

Result = tuple[str, str, tuple[str, ...]]
CameOf = TypeVar("CameOf")


@dataclass(frozen=True)
class Take:
    """What was recorded: kind and ply of every picture, the moves, illegal placements (picture, code of the rule)."""

    name: str
    game: Game
    kinds: tuple[str, ...]
    plies: tuple[int, ...]
    clear: tuple[bool, ...]
    """Pictures without hands, not shaken, in which the board shows the game and no more: nothing has fallen over, is
    unlawful or half done."""
    moves: tuple[Result, ...]
    notations: tuple[str, ...]
    illegal: tuple[tuple[int, str], ...]
    corners_px: tuple[tuple[tuple[float, float], ...], ...]
    """Four corners a level, in the first quiet picture."""
    markers: bool
    size_wh: tuple[int, int]

    @property
    def rim_px(self) -> tuple[tuple[float, float], ...]:
        """The four corners of all levels together; levels lie side by side."""
        first, last = self.corners_px[0], self.corners_px[-1]
        return (first[0], last[1], last[2], first[3])


def recording(folder: Path) -> tuple[Take, Iterator[Shot]]:
    """A recording on disk, from its truth.json."""
    truth: dict[str, Any] = json.loads((folder / "truth.json").read_text())
    frames = truth["frames"]
    first = next(f for f in frames if f["kind"] == "quiet")
    last = frames[-1]["ply"]
    game = games.load(truth["game"], truth.get("rules", "wcf" if truth["game"] == "camelot" else None))
    notations = tuple(m["notation"] for m in truth["moves"] if m["ply"] <= last)
    take = Take(
        name=folder.name,
        game=game,
        kinds=tuple(f["kind"] for f in frames),
        plies=tuple(f["ply"] for f in frames),
        clear=tuple(_clear(f["kind"], f["note"], f["board"] == f["logical_board"]) for f in frames),
        moves=tuple(_result(m) for m in truth["moves"] if m["ply"] <= last),
        notations=notations,
        illegal=_illegal(game, truth["events"], notations, [f["board"] for f in frames]),
        corners_px=_corners(truth["cameras"][first["camera"]]),
        markers=bool(truth.get("aruco")),
        size_wh=(int(truth["size"][0]), int(truth["size"][1])),
    )
    return take, recorded(folder)


def rendering(recipe: Recipe) -> tuple[Take, Iterator[Shot]]:
    """A recording that is drawn now."""
    stage, director = stage_of(recipe)
    notations = tuple(m["notation"] for m in director.moves if m["ply"] <= stage.frames[-1].ply)
    take = Take(
        name=f"{recipe.game}-{recipe.seed}-{recipe.look}-{recipe.pieces}-{recipe.light}",
        game=stage.game,
        kinds=tuple(frame.kind for frame in stage.frames),
        plies=tuple(frame.ply for frame in stage.frames),
        clear=tuple(_clear(frame.kind, frame.note, frame.cells == frame.logical) for frame in stage.frames),
        moves=tuple(_result(m) for m in director.moves if m["ply"] <= stage.frames[-1].ply),
        notations=notations,
        illegal=_illegal(stage.game, director.events, notations, [frame.cells for frame in stage.frames]),
        corners_px=true_corners(stage),
        markers=recipe.markers,
        size_wh=recipe.size_wh,
    )
    return take, drawn(recipe)


def _clear(kind: str, note: str, as_played: bool) -> bool:
    """Whether a picture shows the game and no more."""
    return kind == "quiet" and as_played and not any(word in note for word in UNSETTLED)


def _result(entry: dict[str, Any]) -> Result:
    return (entry["path"][0], entry["path"][-1], tuple(sorted(entry["captured"])))


def _illegal(
    game: Game, events: list[dict[str, Any]], notations: tuple[str, ...], boards: list[dict[str, str]]
) -> tuple[tuple[int, str], ...]:
    """The pictures of illegal placements, each with the code of the rule that what stands there breaks."""
    positions = [game.start()]
    for notation in notations:
        move = game.read(positions[-1], notation)
        assert isinstance(move, Move), f"{notation}: {move}"
        positions.append(game.play(positions[-1], move))
    out = []
    for event in events:
        if event["kind"] == "illegal_move" and event["frame"] < len(boards):
            stands = boards[event["frame"]]
            placement = bytes(game.codes.index(stands[c]) if c in stands else 0 for c in game.board.cells)
            out.append((event["frame"], why_placement(game, positions[event["ply"] - 1], placement).code))
    return tuple(out)


def _corners(camera: dict[str, Any]) -> tuple[tuple[tuple[float, float], ...], ...]:
    levels = camera.get("level_corners_px", [camera["grid_corners_px"]])
    return tuple(tuple((float(x), float(y)) for x, y in corners) for corners in levels)


def true_corners(stage: Stage) -> tuple[tuple[tuple[float, float], ...], ...]:
    board = stage.game.board
    w, h = board.size_wh
    out = []
    for level in range(max(board.levels) + 1):
        x, y = level_origin(board, level)
        rim = np.array([[x, y, 0], [x + w, y, 0], [x + w, y + h, 0], [x, y + h, 0]])
        out.append(tuple((float(px), float(py)) for px, py in stage.cameras[0].project(rim)))
    return tuple(out)


def session_folders(root: Path) -> list[Path]:
    """Folders of recordings under `root`, by name. InputError if there are none."""
    found = sorted(path.parent for path in root.glob("*/truth.json"))
    if not found:
        raise InputError(f"recordings {root}: none there")
    return found


def first_plies(take: Take, shots: Iterator[Shot], plies: int) -> tuple[Take, tuple[Shot, ...]]:
    """A recording as far as the first clear picture after so many plies; all of it if it has no more."""
    ends = [n for n, clear in enumerate(take.clear) if clear and take.plies[n] >= plies]
    count = ends[0] + 1 if ends else len(take.kinds)
    last = take.plies[count - 1]
    shorter = replace(
        take,
        kinds=take.kinds[:count],
        plies=take.plies[:count],
        clear=take.clear[:count],
        moves=take.moves[:last],
        notations=take.notations[:last],
        illegal=tuple((number, code) for number, code in take.illegal if number < count),
    )
    return shorter, tuple(islice(shots, count))


def play_scenes(
    came_of: Callable[[str, int], CameOf], boards: Sequence[str], scenes: int, first: int, jobs: int
) -> Iterator[tuple[str, int, CameOf]]:
    """Board, seed and what came of each of so many scenes, the boards in turn, `jobs` of them side by side."""
    with ProcessPoolExecutor(jobs) as workers:
        scene = [(boards[n % len(boards)], first + n) for n in range(scenes)]
        todo = [(*one, workers.submit(came_of, *one)) for one in scene]
        for board, seed, result in todo:
            yield board, seed, result.result()
