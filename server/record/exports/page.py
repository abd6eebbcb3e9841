"""A game as one page that needs nothing else: board, slider, moves and times, from any disk, without a network."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from engine import games
from engine.explain.wording import words_of
from engine.game import Game
from server.drawing import board_view
from server.languages import ENGLISH, Language, load_languages
from server.saying import describe_ending, for_scripts, rules_title, say_rule

HERE = Path(__file__).parents[2]


def replay_words(game: Game, replay: Mapping[str, object], language: Language) -> dict[str, object]:
    """What the script of a replay writes, in a language."""
    say, result = language.translate_text, replay["result"]
    reason = str(result["reason"]) if isinstance(result, dict) else ""
    positions = replay["positions"]
    steps = positions[1:] if isinstance(positions, list) else []
    broken = {str(step["as_played"]) for step in steps if step.get("as_played")}
    return {
        **for_scripts(game, language),
        "start": say("Start position"),
        "run": say("Run"),
        "stop": say("Stop"),
        "took": say("took {seconds} s", seconds="{seconds}"),
        "rules": {code: say_rule(code, language) for code in sorted(broken)},
        "reason": describe_ending(words_of(game), reason, language),
    }


def render_page(replay: Mapping[str, object], code: str = ENGLISH) -> str:
    """The HTML of a replay (server.record.archive.as_replay), in a language."""
    game = games.load(str(replay["game"]), str(replay["rules"]))
    language = load_languages()[code]
    return (
        _load_templates(code)
        .get_template("replay.html")
        .render(
            data=replay,
            view=board_view(game.board),
            words=words_of(game),
            replay_words=replay_words(game, replay, language),
        )
    )


@cache
def _load_templates(code: str) -> Environment:
    """Templates that are read once, for events with hundreds of games."""
    environment = Environment(loader=FileSystemLoader([HERE / "templates", HERE / "static"]), autoescape=True)
    language = load_languages()[code]
    environment.globals |= {"_": language.translate_text, "language": language, "rules_title": rules_title}
    return environment
