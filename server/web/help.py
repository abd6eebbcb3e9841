"""The page that explains the game at hand, the lights and what to do when something is wrong."""

from __future__ import annotations

from flask import Blueprint, render_template

from device.lights import PALETTES
from engine.camelot.family import FamilyGame
from engine.game import Game
from server.drawing import BoardView
from server.web.preferences import as_hex, preferred

LIGHTS = (
    ("wrong", True, "wrong: take it off or put it back"),
    ("start", True, "a piece was lifted here"),
    ("target", False, "it may end here"),
    ("forced", False, "it may end here, and captures"),
    ("last", False, "both ends of the last move"),
    ("turn", False, "castle of the side to move"),
    ("asked", True, "a question, or the board is looked for"),
    ("unseen", True, "a cross: the board is not seen"),
    ("won", True, "the game is over"),
)
"""Colour of `device.lights`, whether it blinks, what it means."""


def help_page(game: Game, view: BoardView) -> Blueprint:
    """The blueprint with /help."""
    routes = Blueprint("help", __name__)
    start = game.start().placement
    where = {cell.name: (cell.x, cell.y) for cell in view.cells}
    pieces = [
        (*where[cell], game.codes[piece], next(seat for seat in game.seats if seat[0].upper() == game.codes[piece][0]))
        for cell, piece in zip(game.board.cells, start, strict=True)
        if piece
    ]

    @routes.get("/help")
    def page() -> str:
        colours = PALETTES["colour-blind" if preferred()["palette"] == "red-green" else "standard"]
        lights = [(as_hex(colours[name]), blinks, text) for name, blinks, text in LIGHTS]
        rules = game.set if isinstance(game, FamilyGame) else None
        return render_template("help.html", game=game, view=view, pieces=pieces, lights=lights, rules=rules)

    return routes
