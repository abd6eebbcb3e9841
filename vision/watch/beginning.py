"""How a game is begun or gone on with: does the board stand as the record says, and if not, what was played since?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.view import View
from engine.further import lines
from engine.game import Game, Position
from vision.eyes import Eyes
from vision.ground import Image, Picture
from vision.sight.start import check

MOST_OPTIONS = 4
MOST_TRIED = 6
"""Lines that are looked at, the likeliest first: each takes as long as the check itself."""


@dataclass(frozen=True)
class Begun:
    """Eyes that have learned the board from its first picture; the cells that are not as the position says; and the
    plies of which each was probably played since, in the rules' notation."""

    eyes: Eyes
    wrong: tuple[int, ...]
    options: tuple[str, ...] = ()


def begin(
    game: Game,
    position: Position,
    views: Sequence[View],
    image: Image,
    pictures: Sequence[Picture] | None = None,
    *,
    asks: bool = True,
) -> Begun:
    """Learn the board from `image`, or from its ground `pictures`, and see whether `position` stands on it.

    Where it does not and `asks`, what was probably played is looked for: plies after which all of it would stand so. Of
    two plies the first is asked about, and once that is answered the second.
    """

    def eyes_on(placement: bytes) -> Eyes:
        return Eyes(game.board, views, game.look_of, image, list(placement), pictures)

    eyes = eyes_on(position.placement)
    found = check(game.board, eyes.readers, list(position.placement), game.looks)
    if not found.wrong or not asks:
        return Begun(eyes, found.wrong)
    options: list[str] = []
    for line, after in lines(game, position, found.scores.tolist(), found.wrong)[:MOST_TRIED]:
        asked = game.write(position, line[0])
        if asked not in options and len(options) < MOST_OPTIONS:
            stands = check(game.board, eyes_on(after.placement).readers, list(after.placement), game.looks)
            options += [] if stands.wrong else [asked]
    return Begun(eyes, found.wrong, tuple(options))
