"""Camblam's pieces and the readings of its text: data that the generator, the threats and the reasons share.

Source: the Camblam page of the chess-variants contest. Where it leaves room, each reading is a field here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from engine.camblam.rays import RAYS_DIAGONAL, RAYS_ORTHOGONAL, RayStep

SEATS = ("white", "black")
KINDS = "PNCARBIQK"
"""Pawn, knight, catapult, archer, rook, bishop, prince (I), queen, king."""
NAMES = {
    "P": "pawn",
    "N": "knight",
    "C": "catapult",
    "A": "archer",
    "R": "rook",
    "B": "bishop",
    "I": "prince",
    "Q": "queen",
    "K": "king",
}
CODES = ("", *("W" + kind for kind in KINDS), *("B" + kind for kind in KINDS))
"""Piece number -> code; White's pieces first."""
SEAT_OF = (-1, *(0 for _ in KINDS), *(1 for _ in KINDS))
KIND_OF = ("", *KINDS, *KINDS)
KINGS = (CODES.index("WK"), CODES.index("BK"))
PROMOTES_TO = "QRBIACN"
"""Any piece but the king; a pawn that stayed a pawn would not have been promoted."""

PAWN_REACH = 3
KNIGHT_LEG = 4
FORWARD = (1, -1)
"""Rank step of each seat's pawns."""

ALL_WAYS = RAYS_ORTHOGONAL + RAYS_DIAGONAL
ALONG_FILE = ((0, 1, 0), (0, -1, 0))
ALONG_RANK = ((1, 0, 0), (-1, 0, 0))
RUNS: dict[str, tuple[RayStep, ...]] = {"R": RAYS_ORTHOGONAL, "B": RAYS_DIAGONAL, "C": ALONG_FILE, "Q": ALL_WAYS}
"""Directions in which a piece slides any distance and captures in a run."""
SINGLE_STEPS: dict[str, tuple[RayStep, ...]] = {
    "R": RAYS_DIAGONAL,
    "B": RAYS_ORTHOGONAL,
    "C": ALONG_RANK,
    "K": ALL_WAYS,
}
"""Directions in which a piece goes one cell, capturing one piece at most."""


class FirstLeg(Enum):
    """Length of the knight's orthogonal first leg: "horizontally or vertically", says the text, and no more."""

    FOUR = "4"
    ONE = "1"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Readings:
    """The switches of Camblam; the defaults are the shipped rule set."""

    knight_first_leg: FirstLeg = field(
        default=FirstLeg.FOUR, metadata={"meaning": "cells of the knight's orthogonal first leg: 4, 1 or any"}
    )
    catapult_step_captures: bool = field(
        default=True, metadata={"meaning": "a catapult may capture with its step left or right"}
    )
    rook_step_captures: bool = field(default=True, metadata={"meaning": "a rook may capture with its diagonal step"})
    bishop_step_captures: bool = field(
        default=True, metadata={"meaning": "a bishop may capture with its orthogonal step"}
    )
    archer_range: int = field(default=5, metadata={"meaning": "greatest distance of an archer's shot, in cells"})
    prince_zero_stages: bool = field(
        default=True, metadata={"meaning": "either stage of a prince's move may be left out, not both"}
    )
    run_capture_whole: bool = field(
        default=False, metadata={"meaning": "a run capture takes the whole run, it may not stop before"}
    )
    stalemate_draws: bool = field(
        default=True, metadata={"meaning": "a player not in check without a lawful move draws (off: loses)"}
    )
    repetition_claim: int = field(
        default=3, metadata={"meaning": "occurrences of a position that let a player claim a draw, 0 for no such claim"}
    )
    quiet_claim: int = field(
        default=50,
        metadata={"meaning": "moves by each side without capture or pawn move that allow that claim, 0 for none"},
    )

    def step_captures(self, kind: str) -> bool:
        """Whether a piece of that kind may capture with its single step."""
        return {"R": self.rook_step_captures, "B": self.bishop_step_captures, "C": self.catapult_step_captures}.get(
            kind, True
        )

    def first_legs(self, longest: int) -> tuple[int, ...]:
        """Lengths that the knight's orthogonal first leg may have on a board with lines of up to `longest` cells."""
        if self.knight_first_leg is FirstLeg.ANY:
            return tuple(range(1, longest + 1))
        return (int(self.knight_first_leg.value),)
