"""The games of the bench: board, pieces, light, camera and pace, all drawn by seeds that nothing is tuned on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.render.camera.conditions import Conditions
from tests.render.script import Recipe
from tests.render.solids import MAN
from tests.render.styles import LIGHTS, LOOKS, SETS, TABLES

ROOT = Path(__file__).parents[3]
SESSIONS = ROOT / "tests" / "data" / "sessions"
HELD_BACK = 14075
"""Seeds from here on are for measuring only: nothing was looked into that they draw. Clean sets begin here."""
MATRIX_FIRST = 60000
"""And the games of the matrix here."""
BOARDS = ("camelot", "tri-camelot", "cam-3d", "camblam")
GAMES = ("camelot", "camelot", *BOARDS)
"""Three in six are the game that most people will play."""
RATES = (5.0, 8.0, 8.0, 15.0, 30.0)
"""Frames a second of clean games in turn: webcams give 30 by day, 8 to 15 in the evening, some old ones 5."""
RESTS_S = (Conditions().hands_s, 0.8, Conditions().hands_s, 1.6)
"""How long hands rest in each of their poses, in turn: most go on at once, some hover or keep a finger on the piece."""
PLIES = 12
SIZES = {"cam-3d": (1280, 960)}
USUAL_SIZE = (960, 720)
SMALL = {"cam-3d": (960, 720)}
SMALL_SIZE = (640, 480)
"""Every other game of the matrix is filmed by a small camera."""


def drawn_recipe(seed: int) -> Recipe:
    """Board, pieces, light and camera of a held-back game, all by its seed."""
    chance = np.random.default_rng(seed)
    game = GAMES[seed % len(GAMES)]

    def one_of(names: Iterable[str]) -> str:
        choices = sorted(names)
        return choices[int(chance.integers(len(choices)))]

    return Recipe(
        game=game,
        seed=seed,
        plies=PLIES,
        look=one_of(LOOKS),
        pieces=one_of(SETS),
        shape=one_of(MAN),
        table=one_of(TABLES),
        light=one_of(LIGHTS),
        markers=bool(chance.integers(2)),
        elevation=float(chance.uniform(42, 68)),
        azimuth=float(chance.uniform(-180, 180)),
        size_wh=SIZES.get(game, USUAL_SIZE),
        with_empty=False,
    )


def drawn_pace(seed: int) -> tuple[float, float]:
    """Frames a second of a clean game, and how long hands rest in it: every game meets every pair."""
    turn = seed // len(GAMES)
    return RATES[turn % len(RATES)], RESTS_S[turn // len(RATES) % len(RESTS_S)]


def matrix_seed(first: int, number: int, board: str) -> int:
    """The seed of the game `number` on a board: no two boards have the same."""
    return first + len(BOARDS) * number + BOARDS.index(board)


def short_recipe(game: str, seed: int, plies: int) -> Recipe:
    """A short game of the matrix, on a given board."""
    small = seed // len(BOARDS) % 2 == 0
    size = SMALL.get(game, SMALL_SIZE) if small else SIZES.get(game, USUAL_SIZE)
    return replace(drawn_recipe(seed), game=game, plies=plies, size_wh=size)
