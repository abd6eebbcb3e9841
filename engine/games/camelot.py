"""Camelot on 160 squares, as the World Camelot Federation plays it and as BrainKing does."""

from engine.camelot.family import Family
from engine.camelot.rules import NoMoves, Rules
from engine.shapes import square_board

GAME = Family(
    name="camelot",
    title="Camelot",
    board=square_board(
        {1: "F-G", 2: "C-J", 3: "B-K", **dict.fromkeys(range(4, 14), "A-L"), 14: "B-K", 15: "C-J", 16: "F-G"},
        castles={"white": ("F1", "G1"), "black": ("F16", "G16")},
    ),
    seats=("white", "black"),
    looks=("light", "dark"),
    pieces={
        "WN": "C6 D7 I7 J6",
        "WM": "D6 E6 F6 G6 H6 I6 E7 F7 G7 H7",
        "BN": "C11 D10 I10 J11",
        "BM": "D11 E11 F11 G11 H11 I11 E10 F10 G10 H10",
    },
    sets={
        "brainking": Rules(charge_must_capture=False, repetition_claim=0, quiet_claim=0),
        "wcf": Rules(min_pieces_to_win=2, no_moves=NoMoves.LOSES_TO_TWO),
    },
    notes=(
        "Of two pieces in their own castle, one that can jump out must be the one to move.",
        "When no piece can leave its own castle the duty stays and another piece moves.",
    ),
)
