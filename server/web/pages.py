"""The pages for people, drawn from the board's geometry; scripts keep them up to date."""

from __future__ import annotations

from collections.abc import Collection

from flask import Blueprint, Response, make_response, render_template

from engine.game import Game
from engine.wording import words_of
from server.drawing import board_view
from server.http.guard import may_frame
from server.saying import for_scripts
from server.web.preferences import chosen

LATER = "/api/v1/spectator"
"""Where what spectators are told is read."""


def pages(game: Game, sites: Collection[str] = ()) -> Blueprint:
    """The blueprint with `/`, `/arbiter`, `/setup` and what only looks on: `/spectator`, `/embed` and `/overlay`.

    The last two are for frames on the pages of the `sites` and for films of the game.
    """
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
        return render_template("spectator.html", game=game, view=view, feed=LATER)

    @routes.get("/embed")
    def embed() -> Response:
        return may_frame(make_response(render_template("embed.html", game=game, view=view, feed=LATER)), sites)

    @routes.get("/overlay")
    def overlay() -> str:
        return render_template("overlay.html", game=game, view=view, feed=LATER)

    return routes
