"""Chivalry, the elder brother of Camelot: twenty pieces a side on 176 squares."""

from engine.camelot.family import Family
from engine.camelot.rules import NoMoves, Rules
from engine.shapes import square_board

GAME = Family(
    name="chivalry",
    title="Chivalry",
    board=square_board(
        {
            **{1: "G-H", 2: "D-K", 3: "C-L", 4: "B-M", **dict.fromkeys(range(5, 13), "A-N")},
            **{13: "B-M", 14: "C-L", 15: "D-K", 16: "G-H"},
        },
        castles={"white": ("G1", "H1"), "black": ("G16", "H16")},
    ),
    seats=("white", "black"),
    looks=("light", "dark"),
    pieces={
        "WN": "C6 D6 K6 L6 C7 D7 K7 L7",
        "WM": "E6 F6 G6 H6 I6 J6 E7 F7 G7 H7 I7 J7",
        "BN": "C10 D10 K10 L10 C11 D11 K11 L11",
        "BM": "E10 F10 G10 H10 I10 J10 E11 F11 G11 H11 I11 J11",
    },
    sets={"wcf": Rules(min_pieces_to_win=2, no_moves=NoMoves.LOSES_TO_TWO)},
    notes=("Played by the rules of Camelot under wcf.",),
)
