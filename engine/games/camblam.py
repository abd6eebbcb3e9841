"""Camblam: chess on 12 x 12 with catapults, archers and princes.

Source: the chess-variants contest, large.dir/contest/camblam.html.
"""

from __future__ import annotations

from engine.camblam.mechanism import Camblam
from engine.camblam.rules import CODES, Readings
from engine.game import GameFile
from engine.shapes import square_board
from engine.switches import choose

BOARD = square_board(dict.fromkeys(range(1, 13), "A-L"), castles={})
RULE_SETS = {"default": Readings()}
SETUPS = {
    "house-1": "raabiqkibaar/ncncnccncncn/pppppppppppp/12/12/12/12/12/12/PPPPPPPPPPPP/NCNCNCCNCNCN/RAABIQKIBAAR",
}
"""From the last rank down, White in upper case, a number for so many empty cells."""
NOTES = (
    "The opening diagram of the source is lost: the set-up house-1 is an assumption.",
    "Stalemate, repetition and the fifty moves are taken from chess; there is no castling and no capture in passing.",
)


def placed(rows: str) -> bytes:
    """A placement from its written rows."""
    ranks = []
    for row in rows.split("/"):
        pieces = (CODES.index(("W" if kind.isupper() else "B") + kind.upper()) for kind in row if kind.isalpha())
        ranks.append(bytes(pieces) if not row.isdigit() else bytes(int(row)))
    return b"".join(reversed(ranks))


class CamblamFile:
    """Where `engine.games` finds Camblam."""

    name = "camblam"
    rule_sets = tuple(RULE_SETS)

    def load(self, rules: str) -> Camblam:
        """The game under `rules`, "default" or "default,switch=value,..."."""
        setups = {name: placed(rows) for name, rows in SETUPS.items()}
        return Camblam(self.name, rules, choose(RULE_SETS, rules), board=BOARD, setups=setups, notes=NOTES)


GAME: GameFile = CamblamFile()
