"""Films of stones put on a Go board (go_seq1, go_seq2, MIT): hands, arms, heavy shadows, automatic exposure.

A film is a picture every so often, rectified to the board. The referee learns how stones look from the position that it
begins with, so a clip begins when one of each colour stands; on an empty board it cannot begin.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine import games
from engine.game import Game, Move, Position
from tests.real.clip import Clip, Corners, calibrated, held
from vision.frames import load_picture
from vision.ground import Image

SEQUENCES = ("go_seq1", "go_seq2")
HOLD_S, FIRST_S = 0.5, 2.0
"""How long a picture is shown: a hand that places a stone is in 1 to 4 of them. The first one of a clip for longer."""
BEGIN = 2
"""The first position with a stone of each colour."""
LAST_LINE = 18
MARGIN = 0.5
"""The board's cells reach half a cell beyond its outer lines."""
RING = ("BL", "BR", "TR", "TL")


def there(folder: Path) -> list[str]:
    """The sequences that are in `folder`."""
    return [name for name in SEQUENCES if (folder / name / "truth.json").exists()]


def clip(folder: Path) -> Clip:
    """The sequence in `folder`, from the first picture of its position BEGIN."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    game = games.load("go")
    played, later = truth["moves"][:BEGIN], truth["moves"][BEGIN:]
    begin, end = int(played[-1]["stable_from"]), numbered(truth)[-1][0]
    later = [move for move in later if int(move["stable_from"]) <= end]
    files = [name for number, name in numbered(truth) if number >= begin]
    first = load_picture(folder / files[0])
    shown = sum(begin <= number < int(later[0]["stable_from"]) for number, _ in numbered(truth))

    def shots() -> Iterator[tuple[Image, float]]:
        for at, name in enumerate(files):
            yield load_picture(folder / name), HOLD_S if at else FIRST_S

    return Clip(
        name=f"Go, {folder.name}",
        game=game,
        start=_after(game, [move["at"] for move in played]),
        profile=calibrated(game, first, _corners(game, truth)),
        plies=tuple((move["at"], move["at"]) for move in later),
        gone_s=FIRST_S + (shown - 1) * HOLD_S,
        frames=lambda: held(shots()),
    )


def numbered(truth: dict[str, Any]) -> list[tuple[int, str]]:
    """The pictures with the numbers by which the truth names them; null stands for one that was left out."""
    return [(number, name) for number, name in enumerate(truth["frames"], start=1) if name]


def _after(game: Game, played: list[str]) -> Position:
    position = game.start()
    for text in played:
        move = game.read(position, text)
        if not isinstance(move, Move):
            raise ValueError(f"{text} is not lawful: {move}")
        position = game.play(position, move)
    return position


def _corners(game: Game, truth: dict[str, Any]) -> Corners:
    """The bounding rectangle of the cells, from the crossings of the outer lines."""
    lines = np.array([truth["corners_px_first_frame"][name] for name in RING], float)
    middle = lines.mean(axis=0)
    wider = middle + (lines - middle) * (LAST_LINE + 2 * MARGIN) / LAST_LINE
    return [(float(x), float(y)) for x, y in wider]
