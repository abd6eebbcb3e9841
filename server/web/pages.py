"""The pages for people, drawn from the board's geometry; scripts keep them up to date."""

from __future__ import annotations

from flask import Blueprint, render_template

from engine.game import Game
from engine.wording import words_of
from server.drawing import board_view
from server.saying import for_scripts
from server.web.preferences import chosen


def pages(game: Game) -> Blueprint:
    """The blueprint with `/`, `/arbiter`, `/setup` and `/spectator`."""
    routes = Blueprint("pages", __name__)
    view = board_view(game.board)
    words = words_of(game)
    routes.context_processor(lambda: {"words": words, "for_scripts": lambda: for_scripts(game, chosen())})

    @routes.get("/")
    def play() -> str:
        return render_template("play.html", game=game, view=view, feed="/api/v1")

    @routes.get("/arbiter")
    def arbiter() -> str:
        return render_template("arbiter.html", game=game, view=view, feed="/api/v1", by="arbiter")

    @routes.get("/setup")
    def setup() -> str:
        return render_template("setup.html", game=game)

    @routes.get("/spectator")
    def spectator() -> str:
        return render_template("spectator.html", game=game, view=view, feed="/api/v1/spectator")

    return routes
