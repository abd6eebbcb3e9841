"""What a film does where nothing should happen: noise, movement, still spells, exposure, shift of the camera.

`python -m tests.bench.measure_film FILM --corners "x,y x,y x,y x,y"` (or `--truth FILE.json` with corners_px in it)
prints the figures; `--model RECORDING` prints those of modelled films of a recording beside them, as a table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path

import click
import cv2
import numpy as np
import numpy.typing as npt

from engine.errors import InputError
from tests.render.camera.conditions import Conditions, drawn
from tests.render.camera.film import film, placed
from tests.render.stream import corners_of, recorded
from vision.frames import read_frames

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

REDUCED_WH = (160, 120)
MOVED_LEVELS = 10
"""Something moves where a picture reduced to that size differs by more from the one before, gain apart."""
TILE_PX, WINDOW = 32, 20
"""Noise is measured in tiles that lie still for so many frames."""
LEVELS = (30, 230)
"""... and whose brightness lies between these."""
LAGS = (1, 2, 4)
JUMP = 0.01
"""Brightness that changes by more than this from one frame to the next has jumped."""
MODEL_SEEDS = range(4)
MODEL_FPS, MODEL_WIDTH = 20.0, 640
"""As the real film that the model is held against."""


@dataclass(frozen=True)
class Figures:
    """Of one film or of several. Noise: medians over tiles, with those of one tile in ten below and above."""

    frames: int
    noise_sd: tuple[float, float, float]
    unchanged: tuple[float, float, float]
    """Share of pixels that are the same in the next frame."""
    jump_p99: tuple[float, float, float]
    """Grey levels by which one pixel in a hundred changes at least, from one frame to the next."""
    space: tuple[tuple[float, float, float], ...]
    """Correlation of the noise at 1, 2 and 4 pixels."""
    time: tuple[float, float, float]
    """... and from frame to frame."""
    moving: float
    moving_on_board: float
    """Shares of frames in which something moves: anywhere, and on the board or half a cell beside it."""
    still_spells: tuple[int, ...]
    """Lengths, in frames, of the spells in which nothing moves on the board."""
    brightness: tuple[float, float]
    jumps: float
    largest_jump: float
    """Brightness of the board: least and most; share of frames in which it jumps, and the largest jump."""
    shift_px: tuple[float, float]
    """Of the camera from frame to frame, where the board is at rest: median, and one in twenty."""


def measured(pictures: Iterable[Image], corners_px: npt.ArrayLike, cells: int = 8) -> Figures:
    """The figures of a film. `corners_px` (4, 2): the board; `cells`: along its side."""
    grey = np.stack([cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in pictures])
    board = _board(grey.shape[1:], np.asarray(corners_px, float), cells)
    levels = np.array([np.median(picture[board > 1]) for picture in grey])
    reduced = np.stack([cv2.resize(picture, REDUCED_WH, interpolation=cv2.INTER_AREA) for picture in grey])
    small_board = cv2.resize(board, REDUCED_WH, interpolation=cv2.INTER_NEAREST) > 0
    moved = _moved(reduced)
    on_board = (moved & small_board).any(axis=(1, 2))
    ratios = np.abs(levels[1:] / np.maximum(levels[:-1], 1) - 1)
    return Figures(
        frames=len(grey),
        **_noise(grey, moved),
        moving=float(moved.any(axis=(1, 2)).mean()),
        moving_on_board=float(on_board.mean()),
        still_spells=_spells(~on_board),
        brightness=(float(levels.min()), float(levels.max())),
        jumps=float((ratios > JUMP).mean()),
        largest_jump=float(ratios.max()),
        shift_px=_shift(grey, on_board, board),
    )


def _board(shape: tuple[int, int], corners: Floats, cells: int) -> Image:
    """2 on the board, 1 half a cell beside it, 0 elsewhere."""
    board = np.zeros(shape, np.uint8)
    middle = corners.mean(axis=0)
    for grow, value in ((1 + 1 / cells, 1), (1.0, 2)):
        points = middle + (corners - middle) * grow
        cv2.fillConvexPoly(board, cv2.convexHull(points.astype(np.float32)).round().astype(np.int32), value)
    return board


def _moved(reduced: Image) -> npt.NDArray[np.bool_]:
    """Where each picture but the first differs from the one before (frames - 1, h, w), gain apart."""
    now, before = reduced[1:].astype(np.float32), reduced[:-1].astype(np.float32)
    gain = np.median((now + 1) / (before + 1), axis=(1, 2), keepdims=True)
    return np.asarray(np.abs(now - before * gain) > MOVED_LEVELS)


def _spells(still: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]]).astype(int)))
    return tuple(int(n) for n in edges[1::2] - edges[::2])


def _noise(grey: Image, moved: npt.NDArray[np.bool_]) -> dict[str, object]:
    """Figures of the tiles in which nothing moves for a while."""
    _, h, w = grey.shape
    found: list[list[float]] = []
    for start in range(0, len(grey) - WINDOW + 1, WINDOW // 2):
        anywhere = moved[start : start + WINDOW - 1].any(axis=0).astype(np.uint8)
        near = cv2.resize(cv2.dilate(anywhere, np.ones((5, 5), np.uint8)), (w, h), interpolation=cv2.INTER_NEAREST)
        for y in range(0, h - TILE_PX + 1, TILE_PX):
            for x in range(0, w - TILE_PX + 1, TILE_PX):
                box = (slice(y, y + TILE_PX), slice(x, x + TILE_PX))
                tile = grey[start : start + WINDOW, *box]
                if not near[box].any() and LEVELS[0] < tile.mean() < LEVELS[1]:
                    found.append(_of_tile(tile))
    if not found:
        raise InputError(f"film: no part of it is at rest for {WINDOW} frames")
    table = [tuple(round(float(v), 3) for v in column) for column in np.percentile(found, (50, 10, 90), axis=0).T]
    sd, unchanged, p99, in_time, *in_space = table
    return {"noise_sd": sd, "unchanged": unchanged, "jump_p99": p99, "time": in_time, "space": tuple(in_space)}


def _of_tile(tile: Image) -> list[float]:
    """sd, unchanged, p99 of the jumps, correlation in time and in space, of a tile (frames, h, w) at rest."""
    values = tile.astype(np.float32)
    values *= values.mean() / np.maximum(values.mean(axis=(1, 2), keepdims=True), 1)
    noise = values - values.mean(axis=0)
    variance = max(float((noise**2).mean()), 1e-6)
    jumps = np.abs(np.diff(tile.astype(int), axis=0))
    space = [float((noise[:, :, lag:] * noise[:, :, :-lag]).mean()) / variance for lag in LAGS]
    in_time = float((noise[1:] * noise[:-1]).mean()) / variance
    return [variance**0.5, float((jumps == 0).mean()), float(np.percentile(jumps, 99)), in_time, *space]


def _fast_even(side: int) -> int:
    """The largest even side that OpenCV transforms without padding: with an odd one its shifts are off by half."""
    return next(n for n in range(side // 2 * 2, 0, -2) if cv2.getOptimalDFTSize(n) == n)


def _shift(grey: Image, on_board: npt.NDArray[np.bool_], board: Image) -> tuple[float, float]:
    ys, xs = np.nonzero(board > 1)
    height, width = (_fast_even(int(np.ptp(along))) for along in (ys, xs))
    box = (slice(ys.min(), ys.min() + height), slice(xs.min(), xs.min() + width))
    window = cv2.createHanningWindow((width, height), cv2.CV_32F)
    shifts = []
    for n in np.flatnonzero(~on_board):
        a, b = (grey[i, *box].astype(np.float32) for i in (n, n + 1))
        (dx, dy), _ = cv2.phaseCorrelate(a - a.mean(), b - b.mean(), window)
        shifts.append(np.hypot(dx, dy))
    if not shifts:
        return (float("nan"), float("nan"))
    return (round(float(np.median(shifts)), 4), round(float(np.percentile(shifts, 95)), 4))


def table(columns: dict[str, Figures | tuple[Figures, ...]]) -> str:
    """A Markdown table, a column a film (or several: least to most)."""
    many = {name: value if isinstance(value, tuple) else (value,) for name, value in columns.items()}
    lines = [f"| | {' | '.join(many)} |", "|---" * (len(many) + 1) + "|"]
    for label, told in ROWS:
        lines.append(f"| {label} | {' | '.join(told(films) for films in many.values())} |")
    return "\n".join(lines)


def _range(values: Iterable[float], form: str) -> str:
    """Least to most, once if they read alike."""
    numbers = list(values)
    low, high = format(min(numbers), form), format(max(numbers), form)
    return low if low == high else f"{low}-{high}"


def _spells_told(films: tuple[Figures, ...]) -> str:
    spells = [spell for f in films for spell in f.still_spells] or [0]
    return ", ".join(f"{v:.0f}" for v in np.percentile(spells, (25, 50, 75, 100)))


ROWS: tuple[tuple[str, Callable[[tuple[Figures, ...]], str]], ...] = (
    ("something moves somewhere", lambda films: _range((f.moving for f in films), ".0%")),
    (
        "something moves on the board or half a cell beside it",
        lambda films: _range((f.moving_on_board for f in films), ".0%"),
    ),
    (
        "spells with a board at rest, frames: one in four, middle, three in four, longest",
        _spells_told,
    ),
    ("noise where nothing moves, sd (middle tile)", lambda films: _range((f.noise_sd[0] for f in films), ".1f")),
    ("... in one tile of ten below, above", lambda films: _range((v for f in films for v in f.noise_sd[1:]), ".1f")),
    ("pixels that do not change from frame to frame", lambda films: _range((f.unchanged[0] for f in films), ".0%")),
    ("one pixel in a hundred jumps by", lambda films: _range((f.jump_p99[0] for f in films), ".0f")),
    ("... as a multiple of the sd", lambda films: _range((f.jump_p99[0] / f.noise_sd[0] for f in films), ".1f")),
    (
        "correlation in space at 1 / 2 / 4 px",
        lambda films: " / ".join(_range((f.space[n][0] for f in films), ".2f") for n in range(3)),
    ),
    ("correlation from frame to frame", lambda films: _range((f.time[0] for f in films), ".2f")),
    ("brightness of the board", lambda films: _range((v for f in films for v in f.brightness), ".0f")),
    ("frames in which it changes by over 1 %", lambda films: _range((f.jumps for f in films), ".0%")),
    ("largest change from one frame to the next", lambda films: _range((f.largest_jump for f in films), ".0%")),
    (
        "shift of the camera from frame to frame, px: median",
        lambda films: _range((f.shift_px[0] for f in films), ".3f"),
    ),
    ("... one in twenty", lambda films: _range((f.shift_px[1] for f in films), ".3f")),
)


def modelled(folder: Path, seed: int) -> Figures:
    """The figures of a recording filmed as ordinary people and an ordinary compressing camera do."""
    corners = corners_of(folder)
    conditions = model(seed)
    shots = [shot for shot in recorded(folder) if shot[0] != "empty"]
    fit = placed(conditions, shots[0][1].shape[1::-1])
    pictures = [frame.image for _, frame in film(shots, conditions, seed, corners)]
    return measured(pictures, fit.corners(corners), cells=12)


def model(seed: int) -> Conditions:
    """Quick play, exposure, codec and movement far away, all ordinary, at the rate and width of the real film."""
    usual, taken = Conditions(), {}
    for name in ("timing", "exposure", "far-movement", ("h264", "mjpeg")[seed % 2]):
        found = drawn(name, "ordinary", seed)
        taken |= {f.name: value for f in fields(found) if (value := getattr(found, f.name)) != getattr(usual, f.name)}
    return replace(usual, **taken | {"fps": MODEL_FPS, "width_px": MODEL_WIDTH, "thinking_every": 0})


@click.command()
@click.argument("source", required=False)
@click.option("--corners", default="", help='of the board in its first picture, "x,y x,y x,y x,y"')
@click.option("--truth", type=click.Path(exists=True, path_type=Path), help="JSON with corners_px")
@click.option("--model", "folder", type=click.Path(exists=True, path_type=Path), help="a recording to film")
def command(source: str | None, corners: str, truth: Path | None, folder: Path | None) -> None:
    """Measure SOURCE (a video, or a folder of pictures) and modelled films, and print a table."""
    cv2.setNumThreads(1)
    columns: dict[str, Figures | tuple[Figures, ...]] = {}
    if source:
        points = _corners(corners, truth)
        columns["film"] = measured((frame.image for frame in read_frames(source)), points)
    if folder:
        columns["model, H.264"] = tuple(modelled(folder, seed) for seed in MODEL_SEEDS if seed % 2 == 0)
        columns["model, MJPEG"] = tuple(modelled(folder, seed) for seed in MODEL_SEEDS if seed % 2 == 1)
    if not columns:
        raise InputError("measure_film: give a film, or --model and a recording")
    click.echo(table(columns))


def _corners(given: str, truth: Path | None) -> Floats:
    if truth:
        named = json.loads(truth.read_text())["corners_px"]
        return np.array(list(named.values()) if isinstance(named, dict) else named, float)
    points = [[float(v) for v in point.split(",")] for point in given.split()]
    if len(points) != 4:
        raise InputError('measure_film: give --truth, or --corners "x,y x,y x,y x,y"')
    return np.array(points)


if __name__ == "__main__":
    command()
