"""Photographs of one chess board: `python -m tests.bench.photos DIR` finds the board in each and reads the squares.

DIR holds truth.json {"photos": [{"file", "fen", "corners_px": {"a8", "h8", "h1", "a1"}}]}. The board is found through a
game of 8 x 8 cells that another package brings (tests/plugin), which side is which left open. The picture of the start
position is the only one learned from; each of the others is taken from another place, so that floor and looks are
carried over and nothing else. What is asked of each square: empty, light or dark.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.find_board import find_by_itself
from calibration.lattice import with_focal
from calibration.solve import MARKED_FIT
from calibration.view import FOCAL_GUESS, Lens, View
from engine.board import Board
from engine.errors import InputError
from engine.games import load as load_game
from tests.bench.bench_find import off_cells
from tests.plugin.site import installed
from vision.frames import load_picture
from vision.ground import Image
from vision.reading.level import Reader

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
CODES = " PNBRQKpnbrqk"
LOOK_OF = (0, *[1] * 6, *[2] * 6)
LATTICE = np.array([(file, rank) for rank in range(8) for file in range(8)])
LOOKS = ("empty", "light", "dark")


@dataclass(frozen=True)
class Photo:
    """A photograph, the piece on each square (a1, b1, ... h8) and the view of the board in it."""

    name: str
    image: Image
    pieces: tuple[int, ...]
    view: View


def pieces_of(fen: str) -> tuple[int, ...]:
    """Piece numbers by square from the first field of a FEN."""
    ranks = ["".join(" " * int(c) if c.isdigit() else c for c in rank) for rank in fen.split("/")]
    return tuple(CODES.index(c) for rank in reversed(ranks) for c in rank)


def load(folder: Path) -> list[Photo]:
    """All photographs of a folder."""
    photos = []
    for entry in json.loads((folder / "truth.json").read_text())["photos"]:
        image = load_picture(folder / entry["file"])
        photos.append(Photo(entry["file"], image, pieces_of(entry["fen"]), view_of(entry["corners_px"], image)))
    return photos


def view_of(corners: dict[str, Any], image: Image) -> View:
    """The view through the corners of the 8 x 8 squares."""
    h, w = image.shape[:2]
    pixels = tuple((float(corners[name][0]), float(corners[name][1])) for name in ("a1", "h1", "h8", "a8"))
    return with_focal(View(Lens((w, h), FOCAL_GUESS * max(w, h)), (8.0, 8.0), pixels))


def found_off(board: Board, photo: Photo) -> str:
    """How far off the corner is that is furthest off, in words; the board may be found from any side."""
    try:
        (solution,) = find_by_itself(board, photo.image, None)
    except InputError as error:
        return str(error)
    true_px = np.array(photo.view.corners_px)
    off = min(float(off_cells(solution.view, np.roll(true_px, turn, axis=0)).max()) for turn in range(4))
    return f"corners within {off:.3f} cell, fit {solution.fit}{'' if solution.fit >= MARKED_FIT else ' (in doubt)'}"


def read_all(photos: list[Photo]) -> dict[str, list[str]]:
    """For each photograph but the first of the start position, the squares read wrong, in words."""
    known = next(photo for photo in photos if photo.pieces == pieces_of(START))
    reader = Reader(known.view, LATTICE + 0.5, LATTICE, LOOK_OF, known.image, list(known.pieces))
    wrong = {}
    for photo in photos:
        if photo is not known:
            looks = reader.seen_from(photo.view).read_afresh(photo.image).looks
            truth = np.array(LOOK_OF)[list(photo.pieces)]
            wrong[photo.name] = [
                f"{'abcdefgh'[c % 8]}{c // 8 + 1} is {LOOKS[truth[c]]}, read {LOOKS[looks[c]]}"
                for c in np.flatnonzero(looks != truth).tolist()
            ]
    return wrong


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Print how each board was found, each square read wrong, and the figure."""
    photos = load(folder)
    with tempfile.TemporaryDirectory() as site:
        installed(Path(site))
        sys.path.insert(0, site)
        board = load_game("breakthrough").board
    for photo in photos:
        click.echo(f"{photo.name}: {found_off(board, photo)}")
    wrong = read_all(photos)
    for name, squares in wrong.items():
        click.echo(f"{name}: {', '.join(squares) or 'all right'}")
    count = 64 * len(wrong)
    click.echo(f"{count - sum(map(len, wrong.values()))} of {count} squares right")


if __name__ == "__main__":
    command()
