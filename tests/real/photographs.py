"""Twenty games of chess on a cloth board, one photograph a ply, played as films.

The photographs lie in the repository OliverButlerSU/Realtime-Chess-Digitizer and have no licence: they are read where
that repository was fetched (a checkout or a bare one) and kept nowhere. What is played in them is in
oliverbutler/gameNN.json of the stored footage.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import cv2
import numpy as np

from engine import games
from engine.errors import InputError
from tests.plugin.chess.chess_game import position_of
from tests.real.clip import Clip, Corners, calibrated, held, ply_of
from vision.ground import Image

TRUTH = "oliverbutler"
IN_REPOSITORY = "Test Images/Chess Games/Game {number}/{file}"
RING = ("BL", "BR", "TR", "TL")
TURNS = {"bottom-left": 0, "bottom-right": 1, "top-right": 2, "top-left": 3}
"""Where a1 is in the picture: how far along the RING."""
WIDTH = 1280
"""The photographs are 1920 wide; a webcam's pictures seldom are."""
HOLD_S, FIRST_S = 1.0, 2.0
"""How long each photograph is shown, and the first one of a clip."""
PIECE = 12
"""Plies of a piece: one failure spoils no more than that."""


@dataclass(frozen=True)
class Game:
    """One game: where its photographs are, and its truth (see gameNN.json)."""

    repository: Path
    number: int
    truth: dict[str, Any]

    def photograph(self, ply: int) -> Image:
        """The picture after `ply` plies, WIDTH pixels wide."""
        file = next(one["file"] for one in self.truth["images"] if one["after_ply"] == ply)
        data = _read(self.repository, IN_REPOSITORY.format(number=self.number, file=file))
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise InputError(f"{file} of game {self.number}: not a picture that can be read")
        size = WIDTH, round(image.shape[0] * WIDTH / image.shape[1] / 2) * 2
        return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)

    @property
    def moves(self) -> list[chess.Move]:
        """What is played."""
        return [chess.Move.from_uci(text) for text in self.truth["moves_uci"]]

    def board(self, ply: int) -> chess.Board:
        """What stands after `ply` plies."""
        board = chess.Board(self.truth["start_fen"])
        for move in self.moves[:ply]:
            board.push(move)
        return board

    @property
    def corners(self) -> Corners:
        """A1, H1, H8 and A8 in the picture as `photograph` gives it."""
        scale = WIDTH / self.truth["image_size"][0]
        turn = TURNS[self.truth["a1_corner_in_image"]]
        ring = [self.truth["corners_px"][name] for name in RING]
        return [(x * scale, y * scale) for x, y in ring[turn:] + ring[:turn]]


def there(folder: Path, repository: Path) -> str:
    """What is missing of truth and photographs, "" if nothing."""
    found = load(folder, repository)
    if not found:
        return f"no {TRUTH}/game*.json in {folder}"
    try:
        found[0].photograph(0)
    except InputError as error:
        return str(error)
    return ""


def load(folder: Path, repository: Path) -> list[Game]:
    """All games whose truth is in `folder`."""
    files = sorted((folder / TRUTH).glob("game*.json"))
    return [Game(repository, int(f.stem.removeprefix("game")), json.loads(f.read_text("utf-8"))) for f in files]


def pieces(found: list[Game], every: int) -> Iterator[Clip]:
    """Each game cut into pieces of PIECE plies, and of these every so many, each from its true position."""
    for game in found:
        for begin in range(0, len(game.moves), PIECE * every):
            yield clip(game, begin, min(begin + PIECE, len(game.moves)))


def clip(game: Game, begin: int, end: int) -> Clip:
    """The plies from `begin` (0 is the start position) to `end`."""
    chess_game = games.load("chess")

    def shots() -> Iterator[tuple[Image, float]]:
        for ply in range(begin, end + 1):
            yield game.photograph(ply), FIRST_S if ply == begin else HOLD_S

    return Clip(
        name=f"game {game.number}, plies {begin + 1} to {end}",
        game=chess_game,
        start=position_of(game.board(begin)),
        profile=calibrated(chess_game, game.photograph(begin), game.corners),
        plies=tuple(map(ply_of, game.moves[begin:end])),
        gone_s=FIRST_S,
        frames=lambda: held(shots()),
    )


def _read(repository: Path, name: str) -> bytes:
    """A file of a checkout, or of a bare repository, without writing it anywhere."""
    if (repository / name).exists():
        return (repository / name).read_bytes()
    done = subprocess.run(["git", "-C", repository, "show", f"HEAD:{name}"], capture_output=True, check=False)
    if done.returncode:
        raise InputError(f"{repository}: has no {name}; give a checkout or a clone of Realtime-Chess-Digitizer")
    return done.stdout
