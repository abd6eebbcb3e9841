"""truth.json of a recording: what was played, what happened, where every cell and piece is in every picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.render.bodies import placed
from tests.render.cheap import CUP_LABEL, HAND_LABEL, Shot
from tests.render.direct import Director
from tests.render.scene import (
    Camera,
    Floats,
    cell_xy,
    corners,
    extent,
    level_origin,
    margin,
    marker_corners,
)
from tests.render.stage import Frame, Stage

FORMAT = "camelot-render-1"
HIDING_SHARE, HIDING_RADIUS = 0.5, 0.35
"""A hand hides a cell when it covers this share of a disc in its middle."""


def write(folder: Path, stage: Stage, director: Director, frames: list[dict[str, Any]], about: dict[str, Any]) -> None:
    """Write truth.json; `frames` come from `frame_entry`, `about` goes in front."""
    board = stage.game.board
    w, h = extent(board)
    truth = {
        "format": FORMAT,
        "sequence": folder.name,
        **about,
        "size": list(stage.cameras[0].size_wh),
        "units": "1 = one cell; board plane z=0; x files, y ranks",
        "rect": [0, 0, w, h],
        "frame_margin": margin(board),
        "levels": [list(level_origin(board, level)) for level in sorted(set(board.levels))],
        "cells_xy": {name: list(cell_xy(board, i)) for i, name in enumerate(board.cells)},
        "start": stage.frames[-1].logical if not director.moves else _start(stage),
        "moves": director.moves,
        "events": director.events,
        "cameras": [_camera_entry(stage, camera) for camera in stage.cameras],
        "frames": frames,
    }
    (folder / "truth.json").write_text(json.dumps(truth, separators=(",", ":")))


def _start(stage: Stage) -> dict[str, str]:
    return next(frame.logical for frame in stage.frames if frame.kind == "quiet")


def _camera_entry(stage: Stage, camera: Camera) -> dict[str, Any]:
    board = stage.game.board
    flat = {name: np.array([*cell_xy(board, i), 0.0]) for i, name in enumerate(board.cells)}
    entry: dict[str, Any] = {
        "K": [list(row) for row in camera.matrix],
        "dist": list(camera.dist),
        "rvec": list(camera.rvec),
        "tvec": list(camera.tvec),
        "position": _rounded(camera.position, 6),
        "grid_corners_px": _rounded(camera.project(corners(board, 0.0))),
        "level_corners_px": [
            _rounded(camera.project(_level_corners(stage, level))) for level in sorted(set(board.levels))
        ],
        "cells_px": {name: _rounded(camera.project(xyz[None])[0]) for name, xyz in flat.items()},
    }
    if stage.setting.markers:
        squares = {str(n): np.column_stack([square, np.zeros(4)]) for n, square in marker_corners(board).items()}
        entry["aruco_px"] = {number: _rounded(camera.project(square)) for number, square in squares.items()}
    return entry


def _level_corners(stage: Stage, level: int) -> Floats:
    x, y = level_origin(stage.game.board, level)
    w, h = stage.game.board.size_wh
    return np.array([[x, y, 0], [x + w, y, 0], [x + w, y + h, 0], [x, y + h, 0]], float)


def frame_entry(stage: Stage, number: int, frame: Frame, shot: Shot) -> dict[str, Any]:
    """One entry of `frames`, with what the rendered labels say about who hides whom."""
    light = frame.scene.light
    return {
        "file": f"frame_{number:04d}.jpg",
        "i": number,
        "t": frame.t,
        "kind": frame.kind,
        "hand_present": frame.scene.hand is not None,
        "hand_side": frame.side[0].upper() if frame.side else None,
        "hand_phase": frame.phase,
        "motion_blur": frame.scene.shake_px > 0 or bool(frame.scene.hand and frame.scene.hand.blur_px > 0),
        "ply": frame.ply,
        "camera": frame.camera,
        "light": {"win": light.main, "ceil": light.main, "world": light.around, "gain": light.gain},
        "cup": frame.scene.cup is not None,
        "note": frame.note,
        "board": frame.cells,
        "logical_board": frame.logical,
        "hand_hides_cells": hidden(stage, frame, shot, HAND_LABEL),
        "cup_hides_cells": hidden(stage, frame, shot, CUP_LABEL),
        "pieces": [_piece_entry(stage, frame, shot, index) for index in range(len(frame.scene.pieces))],
    }


def _piece_entry(stage: Stage, frame: Frame, shot: Shot, index: int) -> dict[str, Any]:
    piece, camera = frame.scene.pieces[index], frame.scene.camera
    where = frame.where[piece.name]
    solid = placed(frame.scene.setting, piece)
    pixels = camera.project(solid.points)
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    top = solid.points[int(np.argmax(solid.points[:, 2]))]
    whole = shot.whole[index]
    entry: dict[str, Any] = {
        "id": piece.name,
        "code": piece.code,
        "cell": stage.game.board.cells[where] if isinstance(where, int) else None,
        "where": "board" if isinstance(where, int) else where,
        "rot": round(piece.turn_deg, 1),
        "box": _rounded(np.array([*low, *high]), 1),
        "base_px": _rounded(camera.project(np.array([piece.xyz]))[0], 1),
        "top_px": _rounded(camera.project(top[None])[0], 1),
        "visible": round(int((shot.labels == index + 1).sum()) / whole, 2) if whole else 0.0,
    }
    if isinstance(where, int):
        entry["offset"] = _rounded(np.array(piece.xyz[:2]) - np.array(cell_xy(stage.game.board, where)), 3)
    if piece.toppled:
        entry["toppled"] = True
    return entry


def hidden(stage: Stage, frame: Frame, shot: Shot, label: int) -> list[str]:
    """The cells of which what `label` marks in the picture hides at least half."""
    board, camera = stage.game.board, frame.scene.camera
    if not (shot.labels == label).any():
        return []
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    disc = HIDING_RADIUS * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(16)])
    hidden = []
    for index, name in enumerate(board.cells):
        ring = camera.project(disc + np.array([*cell_xy(board, index), 0.0]))
        x, y, w, h = cv2.boundingRect(ring.astype(np.float32))
        if x < 0 or y < 0 or x + w > shot.labels.shape[1] or y + h > shot.labels.shape[0]:
            continue
        mask = np.zeros((h, w), np.uint8)
        cv2.fillConvexPoly(mask, np.round(ring - [x, y]).astype(np.int32), 1)
        if (shot.labels[y : y + h, x : x + w] == label)[mask > 0].mean() > HIDING_SHARE:
            hidden.append(name)
    return hidden


def _rounded(values: Floats, digits: int = 2) -> list[Any]:
    return np.round(np.asarray(values, float), digits).tolist()
