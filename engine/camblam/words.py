"""Camblam in words: pieces, why games end, and the rules in short."""

from __future__ import annotations

from engine.camblam.rules import CODES, NAMES, FirstLeg, Readings
from engine.explain.wording import PieceKind, Topic, Words
from engine.sentences import Sentence

CAMBLAM_ENDS = {
    "checkmate": "checkmate",
    "stalemate": "stalemate",
    "no-moves": "no lawful move is left",
}
OVER = "or four diagonally and one along a line, over enemies but not over its own side."
KNIGHT_GOES = {
    FirstLeg.FOUR: f"Four cells along a line and one diagonally, {OVER}",
    FirstLeg.ONE: f"One cell along a line and one diagonally, {OVER}",
    FirstLeg.ANY: f"Any number of cells along a line and one diagonally, {OVER}",
}


def camblam_words(title: str, readings: Readings) -> Words:
    """What the game says about itself under one set of readings."""
    return Words(
        title,
        kinds={code: PieceKind(NAMES[code[1]], code[1]) for code in CODES[1:]},
        ends=CAMBLAM_ENDS,
        rules=(
            Topic("", sentences=(Sentence("Chess on a larger board: whose king is checkmated has lost."),)),
            Topic("", _describe_pieces(readings)),
            Topic(
                "",
                sentences=(
                    Sentence(
                        "Run capture: queen, rook, bishop and catapult may take the first enemy on a line and those "
                        "right behind it, and end on the last one taken."
                    ),
                ),
            ),
        ),
    )


def _describe_pieces(readings: Readings) -> tuple[tuple[str, Sentence], ...]:
    return (
        (
            "pawn",
            Sentence(
                "One to three cells straight forward, always; it captures one cell diagonally forward and is promoted "
                "on the last rank."
            ),
        ),
        ("knight", Sentence(KNIGHT_GOES[readings.knight_first_leg])),
        ("catapult", Sentence("Along its file as far as it likes, or one step to the side.")),
        (
            "archer",
            Sentence(
                "Moves like a queen and takes nothing by moving; instead it shoots an enemy up to {cells} cells away "
                "and stays.",
                {"cells": readings.archer_range},
            ),
        ),
        ("rook", Sentence("As in chess, or one step diagonally.")),
        ("bishop", Sentence("As in chess, or one step along a line.")),
        ("prince", Sentence("Any way along a line, then any way diagonally; it captures where it ends.")),
        ("queen", Sentence("As in chess.")),
        ("king", Sentence("As in chess; there is no castling.")),
    )
