"""A game as numbers for the compiled core: its board, its pieces and every switch."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from engine.camblam.mechanism import Camblam
from engine.camblam.rules import FirstLeg, Readings
from engine.camelot.family import FamilyGame
from engine.camelot.leaps import KNIGHT, MAN
from engine.camelot.rules import Blocked, NoMoves

FAMILY, CAMBLAM = 1, 2
LARGEST_C_INT = 2**31 - 1
NO_MOVES = {NoMoves.LOSES: 0, NoMoves.LOSES_TO_TWO: 1, NoMoves.PASSES: 2}


def pack_numbers(values: Sequence[int]) -> bytes:
    """Whole numbers of 32 bits; a larger one, which no game can reach, is the largest."""
    return array("i", [min(value, LARGEST_C_INT) for value in values]).tobytes()


def pack_family(game: FamilyGame, far: Sequence[Sequence[int]]) -> bytes:
    """What core.h's `family_make` reads; `far` has each seat's steps from each cell to the castle it wins on."""
    board, rules = game.board, game.set
    owner = {cell: seat for seat, name in enumerate(game.seats) for cell in board.castles[name]}
    kinds = [0, *(KNIGHT if code[1] == "N" else MAN for code in game.codes[1:])]
    head = [
        FAMILY,
        len(board.cells),
        len(game.seats),
        len(board.directions),
        len(game.codes),
        rules.charge_must_capture,
        rules.own_castle_jump_first,
        rules.blocked_castle_piece is Blocked.NO_MOVES,
        rules.castle_entry_ends_jumps,
        rules.castle_move_limit,
        rules.castle_pieces_to_win,
        rules.min_pieces_to_win,
        rules.one_each_draws,
        NO_MOVES[rules.no_moves],
        0,
    ]
    return pack_numbers(
        [
            *head,
            *(cell for steps in board.steps for cell in steps),
            *(cell for leaps in board.leaps for cell in leaps),
            *game.seat_of,
            *kinds,
            *(owner.get(cell, -1) for cell in board.cells),
            *(steps for seat in far for steps in seat),
        ]
    )


def pack_camblam(game: Camblam, readings: Readings) -> bytes:
    """What core.h's `camblam_make` reads."""
    leg = readings.knight_first_leg
    head = [
        CAMBLAM,
        len(game.board.cells),
        0 if leg is FirstLeg.ANY else int(leg.value),
        readings.catapult_step_captures,
        readings.rook_step_captures,
        readings.bishop_step_captures,
        readings.archer_range,
        readings.prince_zero_stages,
        readings.run_capture_whole,
        readings.stalemate_draws,
    ]
    files, ranks, _ = zip(*game.board.lattice, strict=True)
    return pack_numbers([*head, *files, *ranks])
