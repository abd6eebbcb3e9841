"""The family's engine against the slow reference: positions from random play and random crowds about the castles."""

from __future__ import annotations

from random import Random

import pytest

from engine.camelot.family import FamilyGame
from engine.game import Position
from engine.games.cam import GAME as CAM
from engine.games.cam_3d import GAME as CAM_3D
from engine.games.camelot import GAME as CAMELOT
from engine.games.tri_camelot import GAME as TRI_CAMELOT
from tests.engine.camelot.reference import HEXAGON, SPACE, SQUARE, Book, Cell, Pieces, TooManyError, results, walks

CASES = (
    pytest.param(CAMELOT.load("brainking"), SQUARE, id="camelot brainking"),
    pytest.param(CAMELOT.load("wcf"), SQUARE, id="camelot wcf"),
    pytest.param(CAM.load("wcf"), SQUARE, id="cam"),
    pytest.param(TRI_CAMELOT.load("wcf"), HEXAGON, id="tri-camelot"),
    pytest.param(CAM_3D.load("wcf,castle_entry_ends_jumps=on"), SPACE, id="cam-3d, the castle ends the move"),
    pytest.param(CAM_3D.load("wcf,castle_entry_ends_jumps=off"), SPACE, id="cam-3d, jumps go on"),
)
SEED = 1882
POSITIONS = 120
PATHS_COMPARED = 1000


def book_of(game: FamilyGame, ways: tuple[Cell, ...]) -> Book:
    castles = (game.board.castles[side] for side in game.seats)
    return Book(
        cells=frozenset(game.board.lattice),
        ways=ways,
        castles=tuple(frozenset(game.board.lattice[game.board.index[cell]] for cell in cells) for cells in castles),
        charge_must_capture=game.set.charge_must_capture,
        castle_moves=game.set.castle_move_limit,
        castle_ends_jumps=game.set.castle_entry_ends_jumps,
        most_paths=5000,
    )


def crowd(game: FamilyGame, random: Random) -> Position:
    """Pieces of all sides thrown about a castle or any cell, in castles too."""
    board = game.board
    castles = [board.index[cell] for cells in board.castles.values() for cell in cells]
    near = [random.choice([*castles, random.randrange(len(board.cells))])]
    for _ in range(random.choice((2, 3))):
        near += [cell for centre in near for cell in board.steps[centre] if cell >= 0]
    placement = bytearray(len(board.cells))
    for _ in range(random.choice((3, 5, 8, 12, 20))):
        placement[random.choice([*near, *castles])] = random.randrange(1, len(game.codes))
    made = tuple(random.choice((0, 1, 2)) for _ in game.seats) if game.memory_key else ()
    return Position(bytes(placement), random.randrange(len(game.seats)), made)


def played(game: FamilyGame, random: Random) -> Position:
    """Some moves after the start, captures preferred so that pieces get about."""
    position = game.start()
    for _ in range(random.randrange(4, 60)):
        moves = game.moves(position)
        if not moves:
            break
        captures = [move for move in moves if move.taken]
        position = game.play(position, random.choice(captures or moves))
    return position


@pytest.mark.parametrize(("game", "ways"), CASES)
def test_every_result_and_every_path(game: FamilyGame, ways: tuple[Cell, ...]) -> None:
    random, book, where = Random(SEED), book_of(game, ways), game.board.lattice
    for number in range(POSITIONS):
        position = (crowd if number % 3 else played)(game, random)
        if game.outcome(position):
            continue
        pieces: Pieces = {
            where[cell]: (game.seat_of[piece], game.codes[piece][1])
            for cell, piece in enumerate(position.placement)
            if piece
        }
        made = position.memory[position.seat] if position.memory else 0
        try:
            paths = walks(book, pieces, position.seat, made)
        except TooManyError:
            continue
        ours = {(where[a], where[b], frozenset(where[c] for c in taken)) for a, b, taken, _ in game.results(position)}
        assert ours == results(paths)
        if len(paths) <= PATHS_COMPARED:
            found = [(tuple(where[c] for c in m.path), tuple(where[c] for c in m.taken)) for m in game.paths(position)]
            assert sorted(found) == sorted(paths)
