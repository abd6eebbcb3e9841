"""Games, found by name: a file of this folder, or an entry point in the group `camelot_referee.games`."""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from engine.errors import InputError
from engine.game import Game, GameFile

GROUP = "camelot_referee.games"


def names() -> tuple[str, ...]:
    """All games that can be loaded, those of this folder first."""
    return tuple(dict.fromkeys((*_list_own_games(), *sorted(_list_installed_games()))))


@lru_cache(maxsize=64)
def load(name: str, rules: str | None = None) -> Game:
    """The game `name` under `rules` (default: its first rule set). InputError for an unknown name, set or switch.

    A file's name has "_" where the game's has "-". What is loaded is shared: a game holds rules and tables, no play.
    """
    file = find(name)
    return file.load(file.rule_sets[0] if rules is None else rules)


def find(name: str) -> GameFile:
    """The `GAME` of that name, in capitals or not, with other signs between its words or none: `Cam 3-D`."""
    if name not in names():
        name = next((known for known in names() if _fold_name(known) == _fold_name(name)), name)
    if name in _list_own_games():
        file: GameFile = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").GAME
        return file
    if name in _list_installed_games():
        installed: GameFile = _list_installed_games()[name].load()
        return installed
    raise InputError(f"game {name!r}: not known, choose from {', '.join(names())}")


def _fold_name(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _list_own_games() -> tuple[str, ...]:
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


@lru_cache(maxsize=1)
def _list_installed_games() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}
