"""A game as one page that needs nothing else: board, slider, moves and times, from any disk, without a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from engine import games
from server.view import board_view

HERE = Path(__file__).parents[1]


def page(replay: Mapping[str, object]) -> str:
    """The HTML of a replay (server.archive.as_replay)."""
    game = games.load(str(replay["game"]), str(replay["rules"]))
    environment = Environment(loader=FileSystemLoader([HERE / "templates", HERE / "static"]), autoescape=True)
    return environment.get_template("replay.html").render(data=replay, view=board_view(game.board))
