"""Finding the board for the page: by itself, or from corners that a person has dragged. Nothing is changed by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from calibration.find_board import find_by_itself
from calibration.profile import Profile
from calibration.solve import MARKED_FIT, Solution, solve_by_corners
from calibration.view import View
from engine.board import CELL_NAME, Board
from engine.errors import InputError
from engine.explain.wording import words_of
from engine.game import Game, Position
from server.board.live.camera_view import project_outlines
from server.board.setup.diagnosis import Diagnosis, diagnose_place
from server.board.setup.way_round import find_way_round
from server.web.problems import Problem
from vision.ground import Image

Corners = tuple[tuple[float, float], ...]
"""Pixels of a level's bounding rectangle: A1, last file/rank 1, last/last, A/last rank."""
CORNER_COUNT = 4


@dataclass(frozen=True)
class SetupPicture:
    """The newest picture, and what should stand on the board in it."""

    game: Game
    position: Position
    image: Image
    choice: int = 0
    """Which it is of the pictures that were chosen, where a place in one says nothing of the next."""


@dataclass(frozen=True)
class FoundBoard:
    """An answer of the finder, kept until it is saved or another one is found."""

    number: int
    sight: SetupPicture
    solutions: tuple[Solution, ...]

    @property
    def poorest_fit(self) -> int:
        """The poorest level's score, 0 to 100."""
        return min(solution.fit for solution in self.solutions)

    def to_json(self) -> dict[str, object]:
        """What the page draws; all places are in pixels of the picture."""
        poorest = min(self.solutions, key=lambda solution: solution.fit)
        views = [solution.view for solution in self.solutions]
        return {
            "number": self.number,
            "fit": self.poorest_fit,
            "good": self.poorest_fit >= MARKED_FIT,
            "by": poorest.by,
            "worst": poorest.worst,
            "doubt": poorest.doubt,
            "size": list(views[0].lens.size_wh),
            "corners": [corners_of(view) for view in views],
            "cells": project_outlines(self.sight.game.board, views),
        }

    def apply_to_profile(self, before: Profile) -> Profile:
        """The profile `before` with the board where it was found."""
        views, fits = tuple(s.view for s in self.solutions), tuple(s.fit for s in self.solutions)
        return Profile(
            game=self.sight.game.name,
            views=views,
            fits=fits,
            source=before.source,
            guarded=before.guarded,
            rules=before.rules,
            white=before.white,
            markers=before.markers,
            lights=before.lights,
            way_round=find_way_round(self.sight.game, self.solutions) or before.way_round,
        )


class Finder:
    """Looks for the board in the newest picture. Used by the threads of the web server; holds the last answer only."""

    def __init__(self, *looks: Callable[[], SetupPicture]) -> None:
        """The first of these gives the newest picture, the others the same with less noise, and take longer."""
        self._looks, self._look = looks, looks[0]
        self._last: FoundBoard | None = None
        self._failed: tuple[SetupPicture, InputError] | None = None
        """What was looked at in vain, since the last answer."""

    def find_board(self, corners: Sequence[Corners] | None) -> FoundBoard:
        """Find all levels, near `corners` where they are given. InputError or Problem when that cannot be done."""
        if corners is None:
            sight, solutions = self._find_by_itself(*self._looks)
        else:
            sight = self._look()
            board = sight.game.board
            solutions = [solve_by_corners(board, sight.image, given, level) for level, given in enumerate(corners)]
        number = self._last.number + 1 if self._last else 1
        self._last, self._failed = FoundBoard(number, sight, tuple(solutions)), None
        return self._last

    def _find_by_itself(
        self, look: Callable[[], SetupPicture], *closer: Callable[[], SetupPicture]
    ) -> tuple[SetupPicture, list[Solution]]:
        """What is found, and in which picture: one alone may not show it for noise."""
        sight = look()
        looks = [sight.game.looks[sight.game.look_of[piece]] for piece in sight.position.placement]
        try:
            return sight, find_by_itself(sight.game.board, sight.image, looks)
        except InputError as error:
            self._failed = sight, error
            if not closer:
                raise
        return self._find_by_itself(*closer)

    def diagnose_failure(self) -> Diagnosis:
        """Why the board was not found when it was looked for last, or not for sure. Takes seconds."""
        if self._failed is not None:
            sight, error = self._failed
            return diagnose_place(sight.game, sight.image, (), error)
        if self._last is None:
            raise Problem(409, "find the board first")
        sight = self._last.sight
        return diagnose_place(sight.game, sight.image, self._last.solutions, None)

    def require_answer(self, number: int) -> FoundBoard:
        """The last answer. Problem if it is not the one that was shown."""
        if self._last is None or self._last.number != number:
            raise Problem(409, "the board was found elsewhere since: check it, and save again")
        return self._last

    def sought_board(self) -> Board:
        """The board that is looked for."""
        return self._look().game.board

    def first_side(self) -> str:
        """The side that sits before rank 1, by the name that its players have for it."""
        return first_side(self._look().game)

    def size_wh(self) -> tuple[int, int]:
        """Size of the newest picture."""
        height, width = self._look().image.shape[:2]
        return width, height


def first_side(game: Game) -> str:
    """What the side before rank 1 is called."""
    return next(iter(words_of(game).seats.values()), game.seats[0])


def corners_of(view: View) -> list[list[float]]:
    """The corners of a view as JSON."""
    return [[round(x, 2), round(y, 2)] for x, y in view.corners_px]


def corner_names(board: Board) -> list[list[str]]:
    """What the corners of each level are called, in their order."""
    names = []
    for level in range(max(board.levels) + 1):
        parts = [CELL_NAME.fullmatch(n) for n, plane in zip(board.cells, board.levels, strict=True) if plane == level]
        found = [part.groups() for part in parts if part]
        files, ranks = sorted({file for _, file, _ in found}), sorted(int(rank) for _, _, rank in found)
        ends = ((files[0], ranks[0]), (files[-1], ranks[0]), (files[-1], ranks[-1]), (files[0], ranks[-1]))
        names.append([f"{found[0][0]}{file}{rank}" for file, rank in ends])
    return names
