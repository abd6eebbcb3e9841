"""The games that real footage shows, by known counts and plain positions, and how plies are counted."""

from __future__ import annotations

import chess
import pytest

from engine import games
from engine.game import Move, Position, Refusal
from engine.perft import perft
from tests.plugin.chess.chess_game import position_of
from tests.real.figures import final_plies

PERFT = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 3, 8902),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2039),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2812),
]
"""Published counts of positions with castling, promotion and en passant; without promotions up to these depths."""


@pytest.mark.parametrize(("fen", "depth", "count"), PERFT)
def test_chess_has_as_many_leaves_as_a_chess_library_counts(fen: str, depth: int, count: int) -> None:
    assert perft(games.load("chess"), position_of(chess.Board(fen)), depth) == count


def test_castling_moves_the_rook_too() -> None:
    game = games.load("chess")
    position = position_of(chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))
    move = game.read(position, "E1-G1")
    assert isinstance(move, Move)
    after = game.play(position, move)
    stands = {game.board.cells[cell]: game.codes[piece] for cell, piece in enumerate(after.placement) if piece}
    assert stands == {"F1": "WR", "G1": "WK", "E8": "BK"}


def test_go_takes_what_has_no_liberty_and_keeps_ko() -> None:
    game = games.load("go")
    position = game.start()
    for text in ("C3", "D3", "B4", "E4", "C5", "D5", "D4", "C4"):
        move = game.read(position, text)
        assert isinstance(move, Move), text
        position = game.play(position, move)
    assert position.placement[game.board.index["D4"]] == 0
    assert isinstance(game.read(position, "D4"), Refusal)


def test_go_refuses_a_stone_without_liberty() -> None:
    game = games.load("go")
    placement = bytearray(361)
    for text in ("A2", "B1"):
        placement[game.board.index[text]] = 2
    position = Position(bytes(placement), 0, (-1,))
    assert isinstance(game.read(position, "A1"), Refusal)
    assert isinstance(game.read(position, "C1"), Move)


def test_a_ply_counts_as_it_stands_in_the_end() -> None:
    said = [
        {"event": "move", "ply": 1, "from": "E2", "to": "E3"},
        {"event": "move", "ply": 1, "from": "E2", "to": "E4", "corrected": True},
        {"event": "move", "ply": 2, "from": "E7", "to": "E5"},
        {"event": "takeback", "plies": 1},
        {"event": "unclear", "options": []},
    ]
    assert final_plies(said) == (("E2", "E4"),)
