"""Chess as a game from outside, on the rules of python-chess, to referee films and photographs of real games.

To the camera all pieces of a side look alike. A pawn is always promoted to a queen: from above nobody can tell.
Castling is the king's move; the rook's goes with it. `Position.memory` is (castling rights, en-passant square or -1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import chess

from engine.game import Change, GameFile, Move, Outcome, Position, Refusal, Result, Switch, result_text
from engine.shapes import square_board
from engine.switches import choose, listed

BOARD = square_board(dict.fromkeys(range(1, 9), "A-H"), castles={})
"""Cells in the order of python-chess's squares: A1, B1, ... H8."""
KINDS = "PNBRQK"
CODES = ("", *("W" + kind for kind in KINDS), *("B" + kind for kind in KINDS))
SEATS = (chess.WHITE, chess.BLACK)
ROOK_HOMES = (chess.A1, chess.H1, chess.A8, chess.H8)
WRITTEN = re.compile(r"([A-H][1-8])[-X]?([A-H][1-8])")
MOST_SUGGESTED = 4


@dataclass(frozen=True)
class Rules:
    repetition_claim: int = field(default=0, metadata={"meaning": "none: the films end before one could be claimed"})
    quiet_claim: int = field(default=0, metadata={"meaning": "none: the films end before one could be claimed"})


RULE_SETS = {"standard": Rules()}


def position_of(board: chess.Board) -> Position:
    """The board of python-chess as a position of the referee."""
    placement = bytes(_number(board.piece_at(square)) for square in chess.SQUARES)
    rights = sum(1 << bit for bit, home in enumerate(ROOK_HOMES) if board.castling_rights & chess.BB_SQUARES[home])
    passed = board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else -1
    return Position(placement, SEATS.index(board.turn), (rights, passed))


def board_of(position: Position) -> chess.Board:
    """The position as a board of python-chess."""
    board = chess.Board(None)
    for square, number in enumerate(position.placement):
        if number:
            kind = (number - 1) % len(KINDS) + 1
            board.set_piece_at(square, chess.Piece(kind, number <= len(KINDS)))
    rights, passed = position.memory
    board.turn = SEATS[position.seat]
    board.castling_rights = sum(chess.BB_SQUARES[home] for bit, home in enumerate(ROOK_HOMES) if rights >> bit & 1)
    board.ep_square = passed if passed >= 0 else None
    return board


def _number(piece: chess.Piece | None) -> int:
    return 0 if piece is None else piece.piece_type + (0 if piece.color else len(KINDS))


@lru_cache(4096)
def _lawful(position: Position) -> tuple[Move, ...]:
    board = board_of(position)
    return tuple(_move(board, move) for move in board.legal_moves if move.promotion in {None, chess.QUEEN})


def _move(board: chess.Board, move: chess.Move) -> Move:
    taken: tuple[int, ...] = ()
    if board.is_en_passant(move):
        taken = (chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square)),)
    elif board.is_capture(move):
        taken = (move.to_square,)
    becomes = _number(chess.Piece(move.promotion, board.turn)) if move.promotion else 0
    return Move((move.from_square, move.to_square), taken, "capture" if taken else "move", becomes)


@lru_cache(65536)
def _played(position: Position, move: Move) -> Position:
    board = board_of(position)
    board.push(chess.Move(move.origin, move.target, chess.QUEEN if move.becomes else None))
    return position_of(board)


class Chess:
    name = "chess"
    board = BOARD
    seats: tuple[str, ...] = ("white", "black")
    codes: tuple[str, ...] = CODES
    seat_of: tuple[int, ...] = (-1, *[0] * len(KINDS), *[1] * len(KINDS))
    looks: tuple[str, ...] = ("empty", "light", "dark")
    look_of: tuple[int, ...] = (0, *[1] * len(KINDS), *[2] * len(KINDS))
    memory_key = ""
    setups: Mapping[str, bytes] = {"standard": position_of(chess.Board()).placement}
    notes: tuple[str, ...] = ("A pawn that is promoted becomes a queen.",)

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.set = choose(RULE_SETS, rules)
        self.switches: Mapping[str, Switch] = listed(self.set)

    def start(self, setup: str | None = None) -> Position:
        return Position(self.setups[setup or "standard"], 0, position_of(chess.Board()).memory)

    def results(self, position: Position) -> list[Result]:
        return [(move.origin, move.target, move.taken, move.becomes) for move in _lawful(position)]

    def moves(self, position: Position) -> tuple[Move, ...]:
        return _lawful(position)

    def paths(self, position: Position) -> Iterator[Move]:
        yield from _lawful(position)

    def play(self, position: Position, move: Move) -> Position:
        return _played(position, move)

    def outcome(self, position: Position) -> Outcome | None:
        board = board_of(position)
        if board.is_checkmate():
            return Outcome(result_text(2, 1 - position.seat), "checkmate")
        return Outcome(result_text(2, None), "stalemate") if board.is_stalemate() else None

    def progressed(self, before: Position, after: Position) -> bool:
        return before.placement.count(0) != after.placement.count(0)

    def resign(self, position: Position, seat: int) -> Outcome:
        return Outcome(result_text(2, 1 - seat), "resigned")

    def write(self, position: Position, move: Move) -> str:
        return ("x" if move.taken else "-").join(BOARD.cells[cell] for cell in move.path)

    def read(self, position: Position, text: str) -> Move | Refusal:
        path = _path(text)
        if path is None:
            return Refusal("unreadable", "Write a move as E2-E4.")
        return next((move for move in _lawful(position) if move.path == path), self._refusal(position))

    def overrule(self, position: Position, text: str) -> Move | None:
        path = _path(text)
        return None if path is None else Move(path, (), "move")

    def refuse(self, position: Position, change: Change) -> Refusal:
        return self._refusal(position)

    def _refusal(self, position: Position) -> Refusal:
        instead = tuple(self.write(position, move) for move in _lawful(position)[:MOST_SUGGESTED])
        return Refusal("not-a-move", "No chess move leads there.", instead)


def _path(text: str) -> tuple[int, int] | None:
    found = WRITTEN.fullmatch(text.strip().upper())
    return None if found is None else (BOARD.index[found[1]], BOARD.index[found[2]])


class ChessFile:
    name = "chess"
    rule_sets: tuple[str, ...] = tuple(RULE_SETS)

    def load(self, rules: str) -> Chess:
        return Chess(rules)


GAME: GameFile = ChessFile()
