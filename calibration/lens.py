"""The lens by itself: a printed ChArUco sheet, seen a few times from different sides, tells focal length and bending.

Optional: the grid of a board tells both too, but not where the board fills little of the picture, and worse with a
wide lens. Method: Zhang, "A flexible new technique for camera calibration", 2000, as OpenCV has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.door import MOST_TABLES, read_text
from calibration.view import FOCAL_GUESS, Floats, Image, Lens
from engine.errors import InputError
from engine.outside import parse_toml

SQUARES_WH = (7, 9)
MARKER_SHARE = 0.7
"""Side of a marker over that of its square."""
SHEET_DICTIONARY = cv2.aruco.DICT_5X5_50
"""Another than the board's, so that a sheet left lying beside a board is not taken for it."""
BITS = 5
LEAST_CORNERS = 12
"""Crossings that one picture must show: a third of the sheet's 48 is still seen under a thumb."""
LEAST_PICTURES = 4
NEW_SHARE = 0.04
"""A picture counts as another when its crossings moved by this part of the width: held still tells nothing."""
MOST_SHEET_PICTURES = 40
"""More add nothing but seconds."""
GOOD_ERROR_SHARE = 0.0012
"""Root mean square error over the picture's width that is still good: 1.5 px at 1280; a curled sheet has 3 and more."""


@dataclass(frozen=True)
class Sighting:
    """Crossings of the sheet in one picture: their places on the sheet in squares and in pixels, (N, 2) each."""

    sheet_xy: Floats
    pixels: Floats
    names: tuple[int, ...]


@dataclass(frozen=True)
class LensFit:
    """What the sheet told: the lens, the error in pixels, and how many pictures were used."""

    lens: Lens
    error_px: float
    pictures: int

    @property
    def is_good(self) -> bool:
        """Whether the error is small enough to be used."""
        return self.error_px < GOOD_ERROR_SHARE * max(self.lens.size_wh)


@lru_cache(maxsize=1)
def _charuco_board() -> cv2.aruco.CharucoBoard:
    return cv2.aruco.CharucoBoard(SQUARES_WH, 1.0, MARKER_SHARE, cv2.aruco.getPredefinedDictionary(SHEET_DICTIONARY))


def find_sheet(image: Image) -> Sighting | None:
    """The sheet in a picture; None when too little of it is seen."""
    detector = cv2.aruco.CharucoDetector(_charuco_board())
    pixels, numbers, _, _ = detector.detectBoard(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    if numbers is None or len(numbers) < LEAST_CORNERS:
        return None
    names = tuple(int(n) for n in numbers.ravel())
    places = np.asarray(_charuco_board().getChessboardCorners(), float)[list(names), :2]
    if np.linalg.matrix_rank(places - places.mean(axis=0), tol=0.5) < 2:
        return None
    return Sighting(places, np.asarray(pixels, float).reshape(-1, 2), names)


def is_new(sighting: Sighting, kept: Sequence[Sighting], width: int) -> bool:
    """Whether a sighting shows the sheet elsewhere than each of those kept."""
    return all(_mean_distance_px(sighting, other) > NEW_SHARE * width for other in kept)


def _mean_distance_px(one: Sighting, other: Sighting) -> float:
    there = dict(zip(other.names, other.pixels, strict=True))
    both = [(px, there[name]) for name, px in zip(one.names, one.pixels, strict=True) if name in there]
    return float(np.mean([np.linalg.norm(a - b) for a, b in both])) if both else float("inf")


def solve_lens(sightings: Sequence[Sighting], size_wh: tuple[int, int]) -> LensFit:
    """The lens that explains all sightings best. InputError when they are too few."""
    if len(sightings) < LEAST_PICTURES:
        raise InputError(
            f"lens: the sheet is seen in {len(sightings)} pictures that differ, {LEAST_PICTURES} are needed: "
            "show it from several sides, tilted, near and in the corners"
        )
    w, h = size_wh
    guess = Lens(size_wh, FOCAL_GUESS * max(size_wh)).camera_matrix
    fixed = cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_ZERO_TANGENT_DIST
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | fixed | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3
    flat = [np.column_stack([s.sheet_xy, np.zeros(len(s.sheet_xy))]).astype(np.float32) for s in sightings]
    seen = [s.pixels.astype(np.float32) for s in sightings]
    error, matrix, bending, _, _ = cv2.calibrateCamera(flat, seen, (w, h), guess, np.zeros(5), flags=flags)
    lens = Lens(size_wh, float(matrix[0, 0]), float(bending.ravel()[0]))
    return LensFit(lens, float(error), len(sightings))


def dump_lens(fit: LensFit) -> str:
    """The lens as TOML; the table is that of a profile."""
    w, h = fit.lens.size_wh
    return (
        f"# A lens, from {fit.pictures} pictures of the sheet, {fit.error_px:.2f} px off.\n"
        f"[camera]\nsize = [{w}, {h}]\nfocal_px = {fit.lens.focal_px:.2f}\nk1 = {fit.lens.k1:.5f}\n"
    )


def load_lens(path: Path, size_wh: tuple[int, int]) -> Lens:
    """The lens in a lens file or a profile, for pictures of another size of the same shape too."""
    try:
        camera: Any = parse_toml(read_text(path, MOST_TABLES), f"lens {path}")["camera"]
        (w, h), focal, k1 = camera["size"], float(camera["focal_px"]), float(camera.get("k1", 0.0))
        scale = size_wh[0] / float(w)
        fits = abs(size_wh[1] - h * scale) < 1 and 1 <= focal < 100 * w and abs(k1) <= 1
    except OSError as error:
        raise InputError(f"lens {path}: {error.strerror}; make one with `referee calibrate-lens`") from error
    except InputError as error:
        raise InputError(f"lens {error}") from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise InputError(f"lens {path}: no lens in it; make one with `referee calibrate-lens`") from error
    if not fits:
        raise InputError(f"lens {path}: made for pictures of {w}x{h}, these are {size_wh[0]}x{size_wh[1]}")
    return Lens(size_wh, focal * scale, k1)
