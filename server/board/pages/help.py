"""The page that explains the game at hand, the lights and what to do when something is wrong."""

from __future__ import annotations

from flask import Blueprint, render_template

from device.lights import PALETTES
from engine.explain.wording import side_of, words_of
from engine.game import Game
from server.drawing import BoardView
from server.saying import add_texts
from server.web.preferences import as_hex, current_language, visitor_choices

LIGHTS = (
    ("wrong", True, "wrong: take it off or put it back"),
    ("start", True, "a piece was lifted here"),
    ("target", False, "it may end here"),
    ("forced", False, "it may end here, and captures"),
    ("best", False, "both ends of the best move, if you asked for it"),
    ("second", False, "of the second best"),
    ("third", False, "of the third best"),
    ("last", False, "both ends of the last move"),
    ("turn", False, "castle of the side to move"),
    ("asked", True, "a question, or looking for the board"),
    ("unseen", True, "a cross: the board is not seen"),
    ("won", True, "the game is over"),
)
"""Colour of `device.lights`, whether it blinks, what it means."""


def create_help_routes(game: Game, view: BoardView) -> Blueprint:
    """The blueprint with /help."""
    routes = Blueprint("help", __name__)
    words = words_of(game)
    where = {cell.name: (cell.x, cell.y) for cell in view.cells}
    start = zip(game.board.cells, game.start().placement, strict=True)
    placed = [(cell, game.codes[piece]) for cell, piece in start if piece]
    pieces = [(*where[cell], code, words.kinds[code], side_of(game, code)) for cell, code in placed]
    lights = [light for light in LIGHTS if game.board.castles or light[0] != "turn"]

    @routes.get("/help")
    def page() -> str:
        language = add_texts(words, current_language())
        colours = PALETTES["colour-blind" if visitor_choices()["palette"] == "red-green" else "standard"]
        return render_template(
            "help.html",
            view=view,
            words=words,
            say=language.translate_sentence,
            pieces=pieces,
            lights=[(as_hex(colours[name]), blinks, text) for name, blinks, text in lights],
        )

    return routes
