"""A webcam film of a whole game of chess, hands nearly always in the picture (scholarsmate.avi, Apache-2.0)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import chess
import cv2
import numpy as np

from engine import games
from tests.real.clip import Clip, Corners, calibrated, ply_of, timed
from vision.frames import read_frames
from vision.ground import Image

FILE = "scholarsmate"
BEGIN_S = 2.0
"""The film shows its start position without hands for 0.6 s only; a referee is given two seconds of it."""
PAUSE_S = 0.25
STIRRED_LEVELS = 6
"""Grey levels by which a place differs when something moves there: the film's own noise has 1."""


@dataclass(frozen=True)
class Film:
    """The pictures of the film, its rate, and its truth: see scholarsmate.json."""

    images: list[Image]
    fps: float
    truth: dict[str, Any]

    @property
    def rests(self) -> list[range]:
        """The frames with hardly a hand of each ply from 0; an empty range where there are none."""
        shown = [state["clean_frames"] for state in self.truth["states"]]
        return [range(spans[0][0], spans[-1][1] + 1) if spans else range(0) for spans in shown]

    @cached_property
    def quiet(self) -> list[int | None]:
        """Of each rest the frame that differs least from the one before; at the ends hands and shadows come and go."""
        return [min(rest, key=self._stir) if rest else None for rest in self.rests]

    def _stir(self, number: int) -> int:
        """In how many places of the board a frame differs from the one before."""
        (left, top), (right, bottom) = np.min(self.corners, axis=0), np.max(self.corners, axis=0)
        board = np.s_[max(0, int(top)) : int(bottom), max(0, int(left)) : int(right)]
        now, before = (
            cv2.resize(self.images[n][board], None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
            for n in (number, number - 1)
        )
        return int((cv2.absdiff(now, before) > STIRRED_LEVELS).sum())

    @property
    def moves(self) -> list[chess.Move]:
        """What is played."""
        board = chess.Board()
        return [board.push_san(state["san"]) for state in self.truth["states"][1:]]

    @property
    def corners(self) -> Corners:
        """A1, H1, H8 and A8 in the picture."""
        a1, h1, h8, a8 = (self.truth["corners_px"][corner] for corner in ("a1", "h1", "h8", "a8"))
        return [(x, y) for x, y in (a1, h1, h8, a8)]


def there(folder: Path) -> bool:
    """Whether the film and its truth are in `folder`."""
    return all((folder / f"{FILE}{ending}").exists() for ending in (".avi", ".json"))


def load(folder: Path) -> Film:
    """The film in `folder`."""
    truth = json.loads((folder / f"{FILE}.json").read_text(encoding="utf-8"))
    return Film([frame.image for frame in read_frames(str(folder / f"{FILE}.avi"))], float(truth["fps"]), truth)


def as_it_is(film: Film) -> Clip:
    """From its first frame, with a rest of 0.6 s before the first hand comes."""
    return _clip(film, "as it is", range(len(film.images)))


def full_speed(film: Film) -> Clip:
    """After two seconds of the start position, from there on at the film's own speed."""
    return _clip(film, "full speed", shown(film, 0.0))


def with_pauses(film: Film) -> Clip:
    """The same, but each position stays a quarter of a second longer while no hand is seen."""
    return _clip(film, "with pauses", shown(film, PAUSE_S))


def _clip(film: Film, name: str, shown: Sequence[int]) -> Clip:
    """The frames of the film in the order `shown`, calibrated on the first of them."""
    game = games.load("chess")
    next_seen = next(rest[0] for rest in film.rests[1:] if rest)
    return Clip(
        name=f"film, {name}",
        game=game,
        start=game.start(),
        profile=calibrated(game, film.images[shown[0]], film.corners),
        plies=tuple(map(ply_of, film.moves)),
        gone_s=shown.index(next_seen) / film.fps,
        frames=lambda: timed((film.images[number] for number in shown), film.fps),
    )


def shown(film: Film, pause_s: float) -> list[int]:
    """The start position for BEGIN_S, then the film; the quiet frame of each later rest stays so much longer."""
    start, *quiet = film.quiet
    shown = [start or 0] * round(BEGIN_S * film.fps)
    for number in range((start or 0) + 1, len(film.images)):
        shown += [number] * (1 + (round(pause_s * film.fps) if number in quiet else 0))
    return shown
