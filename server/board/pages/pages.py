"""The pages for people, drawn from the board's geometry; scripts keep them up to date."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, make_response, render_template

import server
from engine import games
from engine.explain.wording import side_of, words_of
from engine.game import Game
from server.drawing import board_view
from server.saying import for_scripts, title_of
from server.web.guard import may_frame
from server.web.preferences import current_language

LATER = "/api/v1/spectator"
"""Where what spectators are told is read."""
SCRIPTS = Path(server.__file__).with_name("static") / "js"
IMPORTED = re.compile(r"""(?m)^import (?:.* from )?"\./([\w-]+\.js)";$""")
"""A line of a script that imports another."""


def create_page_routes(
    game: Game,
    sites: Collection[str] = (),
    asks_way_round: Callable[[], bool] = lambda: False,
    *,
    explained: bool = False,
    other_camera: bool = False,
    other_game: bool = False,
) -> Blueprint:
    """The blueprint with `/`, `/arbiter`, `/setup` and what only looks on: `/spectator`, `/embed` and `/overlay`.

    The last two are for frames on the pages of the `sites` and for films of the game. `asks_way_round`: whether it is
    to be said still if the pictures are mirrored. `explained`: a recording is shown with captions. `other_camera`:
    another one may be chosen where it gives no picture. `other_game`: the set-up offers to change the game.
    """
    routes = Blueprint("pages", __name__)
    view = board_view(game.board)
    words = words_of(game)
    looking_on = {"game": game, "view": view, "script": "spectator.js", "feed": LATER}
    known = {"words": words, "side_of": side_of, "modules_of": modules_of}
    routes.context_processor(lambda: known | {"for_scripts": lambda: for_scripts(game, current_language())})

    @routes.get("/")
    def play() -> str:
        told = {"film": explained, "asks_way_round": asks_way_round(), "other_camera": other_camera}
        return render_template("play.html", game=game, view=view, script="main.js", feed="/api/v1", **told)

    @routes.get("/arbiter")
    def arbiter() -> str:
        return render_template("arbiter.html", game=game, view=view, script="arbiter.js", feed="/api/v1", by="arbiter")

    @routes.get("/setup")
    def setup() -> str:
        titles = {name: title_of(name) for name in games.names()}
        return render_template("setup.html", game=game, titles=titles, other_game=other_game)

    @routes.get("/spectator")
    def spectator() -> str:
        return render_template("spectator.html", **looking_on)

    @routes.get("/embed")
    def embed() -> Response:
        return may_frame(make_response(render_template("embed.html", **looking_on)), sites)

    @routes.get("/overlay")
    def overlay() -> str:
        return render_template("overlay.html", **looking_on)

    return routes


@cache
def modules_of(script: str) -> tuple[str, ...]:
    """The scripts that `script` imports, and those that they import: named at once, they are fetched at once."""
    found: dict[str, None] = {}
    waiting = [script]
    while waiting:
        text = (SCRIPTS / waiting.pop()).read_text(encoding="utf-8")
        new = [name for name in IMPORTED.findall(text) if name not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return tuple(found)
