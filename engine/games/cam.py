"""Cam: Camelot on 67 squares with one-square castles."""

from engine.camelot.family import Family
from engine.camelot.rules import NoMoves, Rules
from engine.shapes import square_board

GAME = Family(
    name="cam",
    title="Cam",
    board=square_board(
        {1: "D", 2: "C-E", 3: "B-F", **dict.fromkeys(range(4, 11), "A-G"), 11: "B-F", 12: "C-E", 13: "D"},
        castles={"white": ("D1",), "black": ("D13",)},
    ),
    seats=("white", "black"),
    looks=("light", "dark"),
    pieces={"WN": "C4 E4", "WM": "B5 C5 D5 E5 F5", "BN": "C10 E10", "BM": "B9 C9 D9 E9 F9"},
    sets={
        "wcf": Rules(castle_pieces_to_win=1, castle_move_limit=0, no_moves=NoMoves.LOSES_TO_TWO, min_pieces_to_win=2)
    },
    notes=("All but the castle is as in Camelot under wcf.",),
)
