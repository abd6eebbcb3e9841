"""Why a board is not found, or its pieces do not stand as they should: a cause by its name, for the page's sentences.

What is asked are things that a person can change: the light, the camera, the game that was chosen, what lies on the
board. A cause more is a name here, what tells it, and a sentence in static/js/diagnosis.js.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
import numpy.typing as npt

from calibration.doubts import BEYOND, MIRRORED, OTHER_BOARD, SQUARE, find_likelier_game
from calibration.find_board import NO_SIDE, find_by_itself
from calibration.find_lines import find_segments
from calibration.find_side import board_turns, turn_view
from calibration.solve import Solution
from calibration.view import View, rectangle_corners
from engine import games
from engine.errors import InputError
from engine.game import Game, Position, looks_at_start
from server.board.setup.checkup_picture import NEAR_EDGE_PX, Exposure, edge_width_px, exposure_of, is_blurred
from vision.ground import Image
from vision.watch.beginning import Begun, begin_game


class Cause(Enum):
    """What is the matter; the values are the names that the page has sentences for."""

    READY = "ready"
    """Every piece stands."""
    PIECES = "pieces"
    """These cells are not as at the start."""
    EMPTY = "empty"
    HALF = "half"
    """Many pieces are missing."""
    TURNED = "turned"
    """Every piece stands where it would if the board were turned on the table: markers say which side is which."""
    COVERED = "covered"
    """Something lies over the board."""
    SMALL = "small"
    """The board is too far away to tell."""
    OTHER_GAME = "other-game"
    """The board of another game is seen."""
    MIRRORED = "mirrored"
    DARK = "dark"
    BRIGHT = "bright"
    BLURRED = "blurred"
    CUT = "cut"
    """A part of the board is beyond the picture, or hidden."""
    TWO_BOARDS = "two-boards"
    NO_BOARD = "no-board"
    UNSURE = "unsure"
    """A board is seen, but which cell is which is not sure."""


EXPOSED = {Exposure.DARK: Cause.DARK, Exposure.BRIGHT: Cause.BRIGHT}
MOSTLY = 0.8
"""Share of the start's pieces that are missing from which the board is said to be empty: an empty one lacks all but a
few. Less says so of a board half set up, more of none on which a shadow lies."""
HALF_MISSING = 0.25
"""... and from which it is said to be half set up instead of naming each cell."""
MANY_STRANGE = 5
"""Cells that should be empty and are not, from which something lies over the board: pieces on wrong cells are fewer."""
SURE_FIT = 85
"""A board of another game is named from this fit on, and which pieces of half a set-up are missing. Right grids of
drawn boards have 87 and more; the grid of one game laid over the board of another 59 at most."""
LOOK_TURNED = frozenset({Cause.EMPTY, Cause.HALF, Cause.COVERED})
"""What a board looks like whose pieces stand for another side: each colour is missing where the other stands."""
LEAST_ACROSS = 0.45
"""Of the picture's longer side that the edges of a board take at least; on what is smaller far cells cannot be told."""
FEWEST_LINES = 12
"""Straight edges that a picture of a board has at least; a bare table has fewer."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What it is. `cells` are those that it is about; `game` the one whose board it is, or whose pieces stand there."""

    cause: Cause
    cells: tuple[str, ...] = ()
    game: str | None = None

    def to_json(self) -> dict[str, object]:
        """As the page gets it."""
        return {"cause": self.cause.value, "cells": list(self.cells), "game": self.game}


def diagnose_place(game: Game, image: Image, solutions: Sequence[Solution], error: InputError | None) -> Diagnosis:
    """Why the board of `game` is not found in `image`, or not for sure: what the finder gave, or its error."""
    if told := _find_told_cause(game, image, solutions, error):
        return told
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    if exposed := EXPOSED.get(exposure_of(grey)):
        return Diagnosis(exposed)
    width = edge_width_px(grey)
    if width is not None and is_blurred(width, grey):
        return Diagnosis(Cause.BLURRED)
    other = next(_boards_of_others(game, image), None)
    if other is not None:
        return Diagnosis(Cause.OTHER_GAME, game=other)
    if any(_is_cut_off(solution.view, image) for solution in solutions):
        return Diagnosis(Cause.CUT)
    if any(_seen_alone(game, part) for part in _half_pictures(image)):
        return Diagnosis(Cause.TWO_BOARDS)
    if solutions:
        return _diagnose_unsure(game, image, solutions)
    return Diagnosis(_judge_lines(grey))


def _judge_lines(grey: npt.NDArray[np.uint8]) -> Cause:
    """Why no board is found among the lines of a picture."""
    lines = find_segments(grey)
    long = lines.length > NEAR_EDGE_PX * lines.px
    if long.sum() < FEWEST_LINES:
        return Cause.NO_BOARD
    across = np.ptp(lines.ends[long].reshape(-1, 2), axis=0) / lines.px
    return Cause.SMALL if across.max() < LEAST_ACROSS * max(grey.shape) else Cause.CUT


def _find_told_cause(
    game: Game, image: Image, solutions: Sequence[Solution], error: InputError | None
) -> Diagnosis | None:
    """What the finder has said itself, if it has. A part of a board may look like another's, or be too bright."""
    if error is not None and MIRRORED in str(error):
        return Diagnosis(Cause.MIRRORED)
    doubts = {solution.doubt for solution in solutions}
    if BEYOND in doubts:
        return Diagnosis(Cause.CUT)
    if OTHER_BOARD in doubts:
        return Diagnosis(Cause.OTHER_GAME, game=find_likelier_game(game.board, solutions[0].view, image))
    return None


def _half_pictures(image: Image) -> Iterator[Image]:
    """The picture without one of its sides, for each of them."""
    h, w = image.shape[:2]
    for part in (image[:, : w // 2], image[:, w // 2 :], image[: h // 2], image[h // 2 :]):
        yield np.ascontiguousarray(part)


def _seen_alone(game: Game, image: Image) -> bool:
    """Whether a board of `game` is seen for sure in a part of the picture."""
    try:
        return min(solution.fit for solution in find_by_itself(game.board, image, looks_at_start(game))) >= SURE_FIT
    except InputError:
        return False


def _diagnose_unsure(game: Game, image: Image, solutions: Sequence[Solution]) -> Diagnosis:
    """A board is seen, but not which of its sides is which: there may be too few pieces on it to tell. What is missing
    is not said of a place that the lines do not tell."""
    if any(solution.doubt != NO_SIDE for solution in solutions):
        return Diagnosis(Cause.UNSURE)
    begun = begin_game(game, game.start(), [solution.view for solution in solutions], image, asks=False)
    said = diagnose_pieces(game, game.start(), begun)
    return said if said.cause in (Cause.EMPTY, Cause.HALF) else Diagnosis(Cause.UNSURE)


def diagnose_pieces(game: Game, position: Position, begun: Begun) -> Diagnosis:
    """What all the wrong cells of a start check together look like."""
    wrong, cells = begun.wrong, tuple(game.board.cells[cell] for cell in begun.wrong)
    if not wrong:
        return Diagnosis(Cause.READY)
    if begun.small:
        return Diagnosis(Cause.SMALL, cells)
    expected = {cell for cell, piece in enumerate(position.placement) if piece}
    if begun.fit >= SURE_FIT and HALF_MISSING * len(expected) <= len(begun.bare) < MOSTLY * len(expected):
        return Diagnosis(Cause.HALF, tuple(game.board.cells[cell] for cell in begun.bare))
    missing = len(expected.intersection(wrong))
    strange = len(wrong) - missing
    if missing >= MOSTLY * len(expected):
        return Diagnosis(Cause.EMPTY if strange <= missing / 2 else Cause.COVERED, cells)
    if strange >= MANY_STRANGE:
        return Diagnosis(Cause.COVERED, cells)
    return Diagnosis(Cause.HALF if missing >= HALF_MISSING * len(expected) else Cause.PIECES, cells)


def diagnose_start(game: Game, position: Position, solutions: Sequence[Solution], image: Image) -> Diagnosis:
    """How the pieces stand on a board that was found so, against `position`."""
    views = [solution.view for solution in solutions]
    begun = begin_game(game, position, views, image, asks=False)
    said = diagnose_pieces(game, position, begun)
    named = any(solution.by != "grid" for solution in solutions)  # a grid alone is named by the pieces
    if (
        named
        and said.cause in LOOK_TURNED
        and any(_is_set_up(game, position, other, image) for other in _turned_views(game, views))
    ):
        return Diagnosis(Cause.TURNED)
    other = None if said.cause is Cause.READY else find_other_start(game, views, image)
    return said if other is None else Diagnosis(Cause.OTHER_GAME, game=other)


def find_other_start(game: Game, views: Sequence[View], image: Image) -> str | None:
    """The other game whose start stands whole on the lines that were taken for the board of `game`.

    The grid of one board fits the other as well where all its lines are the other's too: a Camelot board is a Chivalry
    board without its outer files. Only the pieces tell, and the lines need not be found again.
    """
    for name in games.names():
        other = games.load(name)
        if other.board.cells != game.board.cells and _share_lines(game, other):
            inner = _centred_view(views[0], other)
            if _is_set_up(other, other.start(), [inner], image):
                return name
    return None


def _share_lines(game: Game, other: Game) -> bool:
    """Whether the lines of two boards of squares fall together where their middles do."""
    boards = (game.board, other.board)
    if any(len(board.outline_xy) != SQUARE or max(board.levels) for board in boards):
        return False
    return not ((np.array(game.board.size_wh) - other.board.size_wh) % 2).any()


def _centred_view(view: View, other: Game) -> View:
    """The board of `other` on the lines of a `view`, its middle where the view's is."""
    first = (np.array(view.size_cells) - other.board.size_wh) / 2
    placed = view.project_points(first + rectangle_corners(other.board.size_wh))
    return View(view.lens, other.board.size_wh, tuple((float(x), float(y)) for x, y in placed))


def _turned_views(game: Game, views: Sequence[View]) -> Iterator[list[View]]:
    """The views named from each other side of the board."""
    for turn in board_turns(game.board):
        if not np.allclose(turn, np.eye(len(turn))):
            yield [turn_view(view, turn) for view in views]


def _is_set_up(game: Game, position: Position, views: Sequence[View], image: Image) -> bool:
    return not begin_game(game, position, views, image, asks=False).wrong


def _boards_of_others(game: Game, image: Image) -> Iterator[str]:
    """The games other than `game` whose board is seen for sure, each board asked about once."""
    seen = {game.board.cells}
    for name in games.names():
        other = games.load(name)
        if other.board.cells in seen:
            continue
        seen.add(other.board.cells)
        if _seen_alone(other, image):
            yield name


def _is_cut_off(view: View, image: Image) -> bool:
    """Whether a corner of the board lies beyond the edges of the picture."""
    h, w = image.shape[:2]
    return any(not (0 <= x < w and 0 <= y < h) for x, y in view.corners_px)
