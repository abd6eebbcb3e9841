"""Tri-Camelot: three players on 73 hexagons, each attacking the castle on the left and barred from the right."""

from engine.camelot.family import Family
from engine.camelot.rules import NoMoves, Rules
from engine.shapes import hexagon_board

OUTER, INNER = "ACEGIK", "BDFHJ"

GAME = Family(
    name="tri-camelot",
    title="Tri-Camelot",
    board=hexagon_board(
        {
            **{1: "F", 2: "EG", 3: "DFH", 4: "EG", 5: "DFH", 6: "CEGI", 7: "DFH", 8: "CEGI", 9: INNER, 10: "CEGI"},
            **{11: INNER, 12: OUTER, 13: INNER, 14: OUTER, 15: INNER, 16: OUTER, 17: INNER, 18: "CEGI"},
        },
        castles={"blue": ("F1",), "red": ("A16",), "green": ("K16",)},
    ),
    seats=("blue", "red", "green"),
    looks=("blue", "red", "green"),
    pieces={
        "BN": "E4 F5 G4",
        "BM": "D5 H5 E6 G6 F7",
        "RN": "B13 C14 C16",
        "RM": "B11 C12 D13 D15 D17",
        "GN": "J13 I14 I16",
        "GM": "J11 I12 H13 H15 H17",
    },
    sets={"wcf": Rules(castle_pieces_to_win=1, castle_move_limit=0, one_each_draws=False, no_moves=NoMoves.PASSES)},
    notes=(
        "A player without pieces is skipped; the castles stay as they are.",
        "A player with pieces but no lawful move passes; if nobody can move the game is drawn.",
        "When no piece can leave its own castle the duty stays and another piece moves.",
        "Draws are claimed as in Camelot under wcf.",
        "Resignation removes the player's pieces; the others play on.",
    ),
)
