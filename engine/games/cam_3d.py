"""Cam 3-D: three levels of 28 squares lying one over another, with all 26 directions of space."""

from engine.camelot.family import Family
from engine.camelot.rules import Rules
from engine.shapes import square_board

GAME = Family(
    name="cam-3d",
    title="Cam 3-D",
    board=square_board(
        {1: "C", 2: "B-D", 3: "A-E", 4: "A-E", 5: "A-E", 6: "A-E", 7: "B-D", 8: "C"},
        castles={"white": ("1C1",), "black": ("3C8",)},
        levels=3,
    ),
    seats=("white", "black"),
    looks=("light", "dark"),
    pieces={
        "WN": "1B2 1C2 1D2",
        "WM": "1B3 1C3 1D3 2B2 2C2 2D2 2B3 2C3 2D3",
        "BN": "3B7 3C7 3D7",
        "BM": "2B6 2C6 2D6 2B7 2C7 2D7 3B6 3C6 3D6",
    },
    sets={"wcf": Rules(castle_pieces_to_win=1, castle_move_limit=0, one_each_draws=False)},
    notes=(
        "A player without a lawful move loses.",
        "When no piece can leave its own castle the duty stays and another piece moves.",
        "Draws are claimed as in Camelot under wcf.",
    ),
)
