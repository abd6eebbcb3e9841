"""What a placement is worth to each seat, in hundredths of a man: material, and how near the castle is."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from engine.board import Board
from engine.camblam.mechanism import Camblam
from engine.camelot.family import FamilyGame
from engine.game import Game, Position

MAN_WORTH, KNIGHT_WORTH = 100, 130
STEP = 4
"""For each step that a piece is nearer to the castle it wins on."""
INSIDE = 250
"""For a piece in that castle, where a second one would win."""
PIECES = {"P": 100, "N": 350, "C": 400, "A": 550, "R": 700, "B": 600, "I": 750, "Q": 1500, "K": 0}
"""Camblam's, by the cells each one reaches on an empty board."""

PAWN_STEP, CENTRE = 4, 2
"""For each rank that a pawn has gone, and each cell that another piece is nearer to the middle."""

Worth = Callable[[Position], tuple[int, ...]]


def find_evaluation(game: Game) -> Worth | None:
    """The worth of positions of `game` by seat, None for a game that brings no evaluation."""
    return _build_worth(game) if isinstance(game, FamilyGame | Camblam) else None


def measure_distances(board: Board, goal: frozenset[int], barred: frozenset[int]) -> tuple[int, ...]:
    """Steps from each cell to the nearest of `goal`, on an empty board without `barred`; their number if none."""
    found = dict.fromkeys(goal, 0)
    queue = list(goal)
    for cell in queue:
        for near in board.steps[cell]:
            if near >= 0 and near not in found and near not in barred:
                found[near] = found[cell] + 1
                queue.append(near)
    return tuple(found.get(cell, len(board.cells)) for cell in range(len(board.cells)))


@lru_cache(maxsize=16)
def _build_worth(game: FamilyGame | Camblam) -> Worth:
    tables = build_family_tables(game) if isinstance(game, FamilyGame) else build_camblam_tables(game)

    def add_worth(position: Position) -> tuple[int, ...]:
        sums = [0] * len(game.seats)
        for cell, piece in enumerate(position.placement):
            if piece:
                sums[game.seat_of[piece]] += tables[piece][cell]
        return tuple(sums)

    return add_worth


def measure_castle_ways(game: FamilyGame) -> tuple[tuple[int, ...], ...]:
    """For each seat, the steps from each cell to the castle that it wins on."""
    views = [listing.seat for listing in game.listings]
    return tuple(measure_distances(game.board, view.goal, view.shut) for view in views)


def build_family_tables(game: FamilyGame) -> tuple[tuple[int, ...], ...]:
    """For each piece number, what such a piece is worth on each cell."""
    tables: list[tuple[int, ...]] = [(0,) * len(game.board.cells)]
    far = measure_castle_ways(game)
    for code, seat in zip(game.codes[1:], game.seat_of[1:], strict=True):
        longest = max(steps for steps in far[seat] if steps < len(far[seat]))
        piece = KNIGHT_WORTH if code[1] == "N" else MAN_WORTH
        tables.append(
            tuple(piece + STEP * (longest - min(steps, longest)) + INSIDE * (steps == 0) for steps in far[seat])
        )
    return tuple(tables)


def build_camblam_tables(game: Camblam) -> tuple[tuple[int, ...], ...]:
    """For each piece number, what such a piece is worth on each cell: near the middle more, pawns further on more."""
    files, ranks, _ = zip(*game.board.lattice, strict=True)
    middle = (max(files) / 2, (max(ranks) + min(ranks)) / 2)
    last = (max(ranks), min(ranks))
    tables: list[tuple[int, ...]] = [(0,) * len(files)]
    for code, seat in zip(game.codes[1:], game.seat_of[1:], strict=True):
        tables.append(
            tuple(
                PIECES[code[1]]
                + (
                    PAWN_STEP * (last[0] - last[1] - abs(last[seat] - rank))
                    if code[1] == "P"
                    else CENTRE
                    * round(max(middle) - max(abs(file - middle[0]), abs(rank - middle[1])))
                    * (code[1] != "K")
                )
                for file, rank in zip(files, ranks, strict=True)
            )
        )
    return tuple(tables)


def measure_lead(worth: tuple[int, ...], seat: int) -> int:
    """What `seat` has more than the others have on average."""
    others = len(worth) - 1
    return worth[seat] - (sum(worth) - worth[seat]) // others
