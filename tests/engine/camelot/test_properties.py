"""What holds in every position of every game of the family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.board import Board
from engine.camelot.family import FamilyGame
from engine.game import Game, Position
from engine.perft import perft
from engine.text.notation import format_move, parse_move
from engine.text.positions import from_json, to_json
from tests.engine.positions_drawn import FAMILY, load, played, positions
from tests.examples import examples

Turn = Callable[[tuple[int, int, int]], tuple[int, int, int]]
SOME_PATHS = 200
"""Written paths looked at in one position; a few positions have thousands."""

few = settings(
    max_examples=examples(10),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
every_game = pytest.mark.parametrize("name", FAMILY)


@every_game
@given(data=st.data())
@few
def test_moves_results_and_paths_agree(name: str, data: st.DataObject) -> None:
    game = load(name)
    position = data.draw(positions(game))
    results = game.results(position)
    assert len(results) == len(set(results))
    assert [(m.origin, m.target, tuple(sorted(m.taken)), 0) for m in game.moves(position)] == list(results)
    for move in islice(game.paths(position), SOME_PATHS):
        assert (move.origin, move.target, tuple(sorted(move.taken)), 0) in results


@every_game
@given(data=st.data())
@few
def test_what_is_written_is_read_back(name: str, data: st.DataObject) -> None:
    game = load(name)
    position = data.draw(positions(game))
    for move in (*game.moves(position), *islice(game.paths(position), SOME_PATHS)):
        assert parse_move(game, position, format_move(game, position, move)) == move


@every_game
@given(data=st.data())
@few
def test_a_move_changes_no_more_pieces_than_it_takes(name: str, data: st.DataObject) -> None:
    game = load(name)
    position = data.draw(positions(game))
    before = Counter(position.placement)
    copy = Position(bytes(bytearray(position.placement)), position.seat, tuple(position.memory))
    for move in game.moves(position):
        after = game.play(position, move)
        lost = Counter(position.placement[cell] for cell in move.taken)
        assert Counter(after.placement) == before - lost + Counter({0: len(move.taken)})
        assert all(game.seat_of[piece] != position.seat for piece in lost)
        assert after.placement[move.target] == position.placement[move.origin]
    assert position == copy


@every_game
@given(data=st.data())
@few
def test_no_move_is_listed_that_breaks_a_duty(name: str, data: st.DataObject) -> None:
    game = load(name)
    position = data.draw(positions(game))
    moves = game.moves(position)
    home = {game.board.index[cell] for cell in game.board.castles[game.seats[position.seat]]}
    leaving = [move for move in moves if move.origin in home]
    if leaving:
        assert leaving == list(moves)
        assert not home & {move.target for move in moves}
    if any(move.kind == "jump" for move in moves):
        assert all(move.taken for move in moves)
    for move in moves:
        if not move.taken:
            assert move.target not in home
        if move.kind == "charge":
            assert game.codes[position.placement[move.origin]].endswith("N")


def turned(game: Game, position: Position, turn: Turn, seats: int) -> Position:
    """The position with every cell turned and every piece given to the player `seats` further on."""
    placement = bytearray(len(position.placement))
    for cell, piece in enumerate(position.placement):
        if piece:
            placement[_turned(game.board, cell, turn)] = _given(game, piece, seats)
    count = len(game.seats)
    memory = tuple(position.memory[(seat - seats) % count] for seat in range(count)) if position.memory else ()
    return Position(bytes(placement), (position.seat + seats) % count, memory)


def _turned(board: Board, cell: int, turn: Turn) -> int:
    return board.at[turn(board.lattice[cell])]


def _given(game: Game, piece: int, seats: int) -> int:
    owner = game.seats[(game.seat_of[piece] + seats) % len(game.seats)]
    return game.codes.index(owner[0].upper() + game.codes[piece][1])


def symmetries(game: Game) -> list[tuple[Turn, int]]:
    """Turns of the board that leave the game as it is, each with how far it moves the seats."""
    files = max(f for f, _, _ in game.board.lattice)
    ranks = max(r for _, r, _ in game.board.lattice) + 1
    levels = max(v for _, _, v in game.board.lattice)
    if len(game.seats) == 3:
        # a third of a turn about F11: F1 -> A16 -> K16 -> F1
        return [(lambda at: (5 + (at[1] - 11 - at[0] + 5) // 2, 11 - (3 * (at[0] - 5) + at[1] - 11) // 2, 0), 1)]
    return [
        (lambda at: (files - at[0], at[1], at[2]), 0),
        (lambda at: (at[0], ranks - at[1], levels - at[2]), 1),
    ]


@every_game
def test_the_start_is_symmetric(name: str) -> None:
    game = load(name)
    for turn, seats in symmetries(game):
        assert turned(game, game.start(), turn, seats).placement == game.start().placement


@every_game
@given(data=st.data())
@few
def test_turning_the_board_turns_the_moves(name: str, data: st.DataObject) -> None:
    game = load(name)
    position = data.draw(positions(game))
    for turn, seats in symmetries(game):
        other = turned(game, position, turn, seats)
        expected = {
            (
                _turned(game.board, a, turn),
                _turned(game.board, b, turn),
                tuple(sorted(_turned(game.board, cell, turn) for cell in taken)),
                0,
            )
            for a, b, taken, _ in game.results(position)
        }
        assert set(game.results(other)) == expected


@pytest.mark.parametrize("name", ["camelot wcf", "tri-camelot wcf", "camette wcf"])
@given(data=st.data())
@settings(max_examples=5, deadline=None)
def test_perft_is_the_same_when_turned(name: str, data: st.DataObject) -> None:
    game = load(name)
    position = data.draw(played(game, longest=12))
    for turn, seats in symmetries(game):
        assert perft(game, position, 2) == perft(game, turned(game, position, turn, seats), 2)


@every_game
@given(data=st.data())
@few
def test_json_gives_the_position_back(name: str, data: st.DataObject) -> None:
    game = load(name)
    position = data.draw(played(game))
    assert from_json(to_json(game, position)) == (game, position)


@every_game
@given(data=st.data())
@few
def test_an_outcome_and_moves_exclude_each_other(name: str, data: st.DataObject) -> None:
    game = load(name)
    assert isinstance(game, FamilyGame)
    position = data.draw(positions(game))
    if game.outcome(position):
        assert not game.moves(position)
    elif not game.moves(position):
        assert len(game.seats) == 3  # that player passes
