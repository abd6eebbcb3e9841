"""Camette: the smallest of the family, four pieces a side on 23 squares."""

from engine.camelot.family import Family
from engine.camelot.rules import NoMoves, Rules
from engine.shapes import square_board

GAME = Family(
    name="camette",
    title="Camette",
    board=square_board(
        {1: "C", 2: "B-D", 3: "A-E", 4: "A-E", 5: "A-E", 6: "B-D", 7: "C"},
        castles={"white": ("C1",), "black": ("C7",)},
    ),
    seats=("white", "black"),
    looks=("light", "dark"),
    pieces={"WN": "C2", "WM": "B3 C3 D3", "BN": "C6", "BM": "B5 C5 D5"},
    sets={
        "wcf": Rules(castle_pieces_to_win=1, castle_move_limit=0, no_moves=NoMoves.LOSES_TO_TWO, min_pieces_to_win=2)
    },
    notes=("All but the castle is as in Camelot under wcf.",),
)
