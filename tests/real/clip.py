"""A clip: real pictures as a camera would have streamed them, and what is played in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import chess
import cv2
import numpy as np

from calibration.profile import Profile
from calibration.solve import solve_by_corners
from engine.game import Game, Position
from vision.frames import Frame
from vision.ground import Image

Ply = tuple[str, str]
"""The cell that a move begins on and the one it ends on."""
Corners = Sequence[tuple[float, float]]
"""Pixels of the bounding rectangle: A1, last file/rank 1, last/last, A/last rank."""

FPS = 8.0
NOISE = 1.5
"""Standard deviation in grey levels, added afresh to each frame of a picture that is held: a still one has none. Real
webcam films have 0.8 to 1.6."""
JPEG_QUALITY = 92
FIELDS = 8
"""Fields of noise, one of which is shifted at random for each frame."""


@dataclass(frozen=True)
class Clip:
    """Frames, where the board lies in them, the position that the first one shows, and every ply after it."""

    name: str
    game: Game
    start: Position
    profile: Profile
    plies: tuple[Ply, ...]
    gone_s: float
    """Stream time from which on the first position certainly stands no more."""
    frames: Callable[[], Iterator[Frame]]


def calibrated(game: Game, image: Image, corners: Corners) -> Profile:
    """The profile that `referee calibrate --corners ... --force` makes of this picture."""
    solution = solve_by_corners(game.board, image, corners)
    return Profile(game.name, (solution.view,), (solution.fit,))


def ply_of(move: chess.Move) -> Ply:
    """A move of python-chess by its cells."""
    return chess.square_name(move.from_square).upper(), chess.square_name(move.to_square).upper()


def timed(images: Iterable[Image], fps: float) -> Iterator[Frame]:
    """Pictures at an even pace."""
    for number, image in enumerate(images):
        yield Frame(number / fps, image)


def held(shots: Iterable[tuple[Image, float]]) -> Iterator[Frame]:
    """Each picture for so many seconds at FPS, every frame of it with fresh noise and packed as a webcam does."""
    rng = np.random.default_rng(1)
    fields: list[np.ndarray] = []
    count = 0
    for image, seconds in shots:
        fields = fields or [rng.normal(0, NOISE, image.shape).astype(np.float32) for _ in range(FIELDS)]
        for _ in range(round(seconds * FPS)):
            dy, dx = (int(rng.integers(n)) for n in image.shape[:2])
            noise = np.roll(fields[int(rng.integers(FIELDS))], (dy, dx), (0, 1))
            yield Frame(count / FPS, _packed(np.clip(image + noise, 0, 255).astype(np.uint8)))
            count += 1


def _packed(image: Image) -> Image:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
