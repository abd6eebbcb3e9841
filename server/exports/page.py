"""A game as one page that needs nothing else: board, slider, moves and times, from any disk, without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from engine import games
from server.drawing import board_view
from server.languages import ENGLISH, languages

HERE = Path(__file__).parents[1]


REASONS = {
    "castle": "the enemy castle is taken",
    "captured-all": "every enemy piece is captured",
    "no-moves": "no lawful move is left",
    "material": "too few pieces are left to win",
    "resigned": "by resignation",
    "agreement": "by agreement",
    "time": "out of time",
    "absence": "did not come",
    "rules": "forfeited under the rules",
}
"""Why a game ended, as the pages say it."""


def replay_words(say: Callable[..., str], replay: Mapping[str, object]) -> dict[str, object]:
    """What the script of a replay writes, in the language of `say`."""
    seats, result = replay["seats"], replay["result"]
    reason = str(result["reason"]) if isinstance(result, dict) else ""
    return {
        "start": say("Start position"),
        "run": say("Run"),
        "stop": say("Stop"),
        "after": say("after {seconds} s", seconds="{seconds}"),
        "sides": {seat: say(seat.title()) for seat in (seats if isinstance(seats, list) else [])},
        "reason": say(REASONS.get(reason, reason.replace("-", " "))),
    }


def page(replay: Mapping[str, object], code: str = ENGLISH) -> str:
    """The HTML of a replay (server.record.archive.as_replay), in a language."""
    game = games.load(str(replay["game"]), str(replay["rules"]))
    environment = Environment(loader=FileSystemLoader([HERE / "templates", HERE / "static"]), autoescape=True)
    language = languages()[code]
    environment.globals |= {"_": language.say, "language": language, "replay_words": replay_words}
    return environment.get_template("replay.html").render(data=replay, view=board_view(game.board))
