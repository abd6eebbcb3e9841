"""The switches of the Camelot family: every point on which its texts differ or leave room, with the reading chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class NoMoves(Enum):
    """What happens to a player who has pieces but no lawful move."""

    LOSES = "loses"
    LOSES_TO_TWO = "loses-to-two"
    """Loses to an opponent with two or more pieces, else the game is drawn."""
    PASSES = "passes"
    """The next player moves; if nobody can, the game is drawn."""


class Blocked(Enum):
    """What happens when no piece can leave its own castle although one must."""

    ANOTHER_MOVES = "another-moves"
    NO_MOVES = "no-moves"


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set. A game file names those of its game; `name,switch=value,...` sets a switch otherwise."""

    charge_must_capture: bool = field(
        default=True, metadata={"meaning": "a knight whose canter lands where it could jump must end by capturing"}
    )
    own_castle_jump_first: bool = field(
        default=True, metadata={"meaning": "a piece in its own castle must jump out if it can"}
    )
    blocked_castle_piece: Blocked = field(
        default=Blocked.ANOTHER_MOVES,
        metadata={"meaning": "when no piece can leave its own castle: another-moves (the duty stays) or no-moves"},
    )
    castle_entry_ends_jumps: bool = field(
        default=True,
        metadata={"meaning": "a chain of jumps ends in the enemy castle even if it could go on from there"},
    )
    castle_move_limit: int = field(
        default=2, metadata={"meaning": "moves within the enemy castle that a player has in a game"}
    )
    castle_pieces_to_win: int = field(default=2, metadata={"meaning": "own pieces in the enemy castle that win"})
    min_pieces_to_win: int = field(
        default=1, metadata={"meaning": "own pieces needed to win by capturing all others, else a draw"}
    )
    one_each_draws: bool = field(default=True, metadata={"meaning": "one piece left to each side is a draw"})
    no_moves: NoMoves = field(
        default=NoMoves.LOSES,
        metadata={"meaning": "a player with pieces but no lawful move: loses, loses-to-two or passes"},
    )
    repetition_claim: int = field(
        default=3, metadata={"meaning": "occurrences of a position that let a player claim a draw, 0 for no such claim"}
    )
    quiet_claim: int = field(
        default=50,
        metadata={"meaning": "moves by each side without capture or castle entry that allow that claim, 0 for none"},
    )
