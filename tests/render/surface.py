"""What is painted on flat things, seen straight from above: a board's face and the table under it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from engine.board import Board
from tests.render.scene import RIM, Floats, Setting, level_origin, margin, marker_corners
from tests.render.styles import LOOKS, TABLES, BoardLook

Image = npt.NDArray[np.uint8]
Grey = npt.NDArray[np.float32]

DENSITY = 80
"""Pixels per cell of a face."""
TABLE_DENSITY, TABLE_SPAN = 24, 80
"""Pixels per cell of the table, and how many cells of it are painted round the board."""
QUIET_ZONE = 0.18
"""White edge round a marker, in cells."""
BAND = 32
"""Rows that are painted together."""
SUBPIXEL = 4
"""Fractional bits of OpenCV's drawing functions."""


def face_size(board: Board) -> tuple[float, float]:
    """Width and height of a face with its rim, in cells."""
    edge = margin(board) + RIM
    return (board.size_wh[0] + 2 * edge, board.size_wh[1] + 2 * edge)


@lru_cache(maxsize=6)
def face(setting: Setting, level: int) -> Image:
    """The face of one level with its rim, DENSITY pixels a cell, the highest rank at the top."""
    board, look = setting.board, LOOKS[setting.look]
    w, h = (round(side * DENSITY) for side in face_size(board))
    image = np.empty((h, w, 3), np.uint8)
    image[:] = look.rim
    rim = round(RIM * DENSITY)
    image[rim : h - rim, rim : w - rim] = look.panel
    image = _grain(image, look.grain, setting.seed + level, (60.0, 2.0))
    for cell in range(len(board.cells)):
        if board.levels[cell] == level:
            _draw_cell(image, board, cell, look)
    image = _grain(image, look.grain / 2, setting.seed + 50 + level, (40.0, 1.2))
    _draw_letters(image, board, level, look)
    if setting.markers:
        _draw_markers(image, board, level)
    return image


def to_face(board: Board, points_xy: Floats) -> Floats:
    """Points of a level's own plane (N, 2) -> pixels of its face."""
    edge = margin(board) + RIM
    height = face_size(board)[1]
    x, y = np.asarray(points_xy, float).T
    return np.column_stack([(x + edge) * DENSITY, (height - y - edge) * DENSITY]) - 0.5


def _draw_cell(image: Image, board: Board, cell: int, look: BoardLook) -> None:
    centre = np.array(board.centres_xy[cell])
    outline = to_face(board, centre + np.array(board.outline_xy))
    points = np.round(outline * 2**SUBPIXEL).astype(np.int32)
    file, rank, _ = board.lattice[cell]
    colour = look.cells[(rank if len(board.outline_xy) == 6 else file + rank) % len(look.cells)]
    cv2.fillPoly(image, [points], colour, cv2.LINE_AA, SUBPIXEL)
    width = max(1, round(look.line_width * DENSITY))
    cv2.polylines(image, [points], True, look.line, width, cv2.LINE_AA, SUBPIXEL)
    if any(board.cells[cell] in names for names in board.castles.values()):
        x, y = (round(float(v)) for v in to_face(board, centre[None])[0])
        cv2.circle(image, (x, y), round(0.36 * DENSITY), look.castle, max(1, round(0.05 * DENSITY)), cv2.LINE_AA)
        arm = round(0.2 * DENSITY)
        for dx, dy in ((arm, 0), (0, arm)):
            cv2.line(image, (x - dx, y - dy), (x + dx, y + dy), look.castle, round(0.05 * DENSITY), cv2.LINE_AA)


def _draw_letters(image: Image, board: Board, level: int, look: BoardLook) -> None:
    w, h = board.size_wh
    off = margin(board) - 0.38
    files: dict[str, float] = {}
    ranks: dict[str, float] = {}
    for cell, name in enumerate(board.cells):
        match = re.search(r"([A-Z])(\d+)$", name)
        if board.levels[cell] == level and match:
            files[match[1]], ranks[match[2]] = board.centres_xy[cell][0], board.centres_xy[cell][1]
    spots = [(text, (x, y)) for text, x in files.items() for y in (-off, h + off)]
    spots += [(text, (x, y)) for text, y in ranks.items() for x in (-off, w + off)]
    scale = DENSITY / 80
    for text, place in spots:
        x, y = to_face(board, np.array([place]))[0]
        (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
        corner = (round(x - wide / 2), round(y + high / 2))
        cv2.putText(image, text, corner, cv2.FONT_HERSHEY_SIMPLEX, scale, look.letters, 2, cv2.LINE_AA)


def _draw_markers(image: Image, board: Board, level: int) -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number, placed in marker_corners(board).items():
        if number // 4 != level:
            continue
        square = placed - np.array(level_origin(board, level))
        quiet = QUIET_ZONE * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
        outer = np.round(to_face(board, square + quiet)).astype(int)
        cv2.rectangle(image, outer[0].tolist(), outer[2].tolist(), (240, 240, 240), -1)
        inner = np.round(to_face(board, square) + 0.5).astype(int)
        side = int(inner[1][0] - inner[0][0])
        marker = cv2.aruco.generateImageMarker(dictionary, number, side)
        marker = np.clip(marker, 18, 240).astype(np.uint8)
        image[inner[0][1] : inner[0][1] + side, inner[0][0] : inner[0][0] + side] = marker[..., None]


def _grain(image: Image, contrast: float, seed: int, streak: tuple[float, float]) -> Image:
    """The picture with wood grain: noise drawn out along the rows."""
    h, w = image.shape[:2]
    rng = np.random.default_rng([seed, 3])
    noise = cv2.GaussianBlur(
        rng.normal(0, 1, (h // 2, w // 2)).astype(np.float32), (0, 0), streak[0] / 2, sigmaY=streak[1] / 2
    )
    noise = cv2.resize(noise / max(float(noise.std()), 1e-6), (w, h))
    return _shaded(image, contrast, noise)


def _shaded(colour: npt.NDArray[Any], contrast: float, grey: Grey) -> Image:
    """A picture or a colour, each pixel lighter or darker by so much; a band of rows at a time stays in the cache."""
    image = np.empty((*grey.shape, 3), np.uint8)
    for start in range(0, len(grey), BAND):
        band = slice(start, start + BAND)
        shown = colour[band] if colour.ndim > 1 else colour
        image[band] = np.clip(shown * (1 + contrast * grey[band, :, None]), 0, 255)
    return image


@lru_cache(maxsize=3)
def table(name: str, seed: int) -> Image:
    """TABLE_SPAN cells square of a table, TABLE_DENSITY pixels a cell."""
    style = TABLES[name]
    side = TABLE_SPAN * TABLE_DENSITY
    rng = np.random.default_rng([seed, 5])
    if style.kind == "wood":
        streaks = cv2.GaussianBlur(rng.normal(0, 1, (side, side // 8)).astype(np.float32), (0, 0), 20, sigmaY=2)
        broad = cv2.GaussianBlur(rng.normal(0, 1, (side // 4, side // 16)).astype(np.float32), (0, 0), 6, sigmaY=3)
        grey = _unit(cv2.resize(streaks, (side, side))) * 0.45 + _unit(cv2.resize(broad, (side, side))) * 0.55
        plank = 7 * TABLE_DENSITY
        for start in range(0, side, plank):
            grey[start : start + plank] += rng.normal(0, 0.7)
            grey[start : start + 2] -= 1.6
    else:
        weave = rng.normal(0, 1, (side, side)).astype(np.float32)
        blotch = cv2.GaussianBlur(rng.normal(0, 1, (side // 8, side // 8)).astype(np.float32), (0, 0), 8)
        grey = 0.5 * _unit(cv2.GaussianBlur(weave, (0, 0), 0.8)) + 0.5 * _unit(cv2.resize(blotch, (side, side)))
    image = _shaded(np.array(style.bgr, np.float32), style.contrast, grey)
    angle = float(rng.uniform(-20, 20)) + 90 * int(rng.integers(2))
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), angle, 1.0)
    image = cv2.warpAffine(image, turn, (side, side), borderMode=cv2.BORDER_REFLECT)
    _draw_paper(image, rng)
    return image


def _unit(noise: Grey) -> Grey:
    return np.asarray(noise / max(float(noise.std()), 1e-6), np.float32)


def _draw_paper(image: Image, rng: np.random.Generator) -> None:
    """A sheet of paper and a pen beside where the board lies."""
    side = image.shape[0]
    away = rng.choice([-1.0, 1.0]) * np.array([rng.uniform(12.5, 15), rng.uniform(-6, 6)])[:: rng.choice([-1, 1])]
    centre = np.array([side / 2, side / 2]) + away * TABLE_DENSITY
    box = ((float(centre[0]), float(centre[1])), (6.0 * TABLE_DENSITY, 8.4 * TABLE_DENSITY), float(rng.uniform(0, 90)))
    corners = cv2.boxPoints(box)
    cv2.fillPoly(image, [np.round(corners).astype(np.int32)], (232, 234, 234), cv2.LINE_AA)
    pen = corners[0] * 0.6 + corners[2] * 0.4, corners[0] * 0.3 + corners[2] * 0.7
    cv2.line(image, *(np.round(p).astype(int).tolist() for p in pen), (140, 50, 30), 8, cv2.LINE_AA)


def to_table(board: Board, points_xy: Floats) -> Floats:
    """World points (N, 2) -> pixels of the table, whose middle lies under the middle of the board."""
    x0, _ = level_origin(board, max(board.levels))
    centre = np.array([(x0 + board.size_wh[0]) / 2, board.size_wh[1] / 2])
    return (np.asarray(points_xy, float) - centre) * TABLE_DENSITY * np.array([1, -1]) + TABLE_SPAN * TABLE_DENSITY / 2
