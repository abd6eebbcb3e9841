"""The law of names: a file, a constant and a class each have one that nothing else has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.test_layers import ROOT, files

NAMESAKES = {
    # the command and what it is about
    "accounts": {"server/commands", "server/web/access"},
    "evidence": {"server/commands", "server/record"},
    "lights": {"device", "server/commands"},
    "perft": {"engine", "server/commands"},
    "phone": {"server/board/live", "server/commands"},
    "why": {"engine/camblam", "engine/explain", "server/commands"},
    # the same for the one game and for all
    "notation": {"engine/camblam", "engine/text"},
    "rules": {"engine/camblam", "engine/camelot"},
    "words": {"engine/camblam", "engine/camelot"},
    # two purposes, left because either is the plain word where it is: a record of moves is played through, a recording
    # is refereed again; the page has games that were played, the command those and what can be played
    "replay": {"engine/text", "server/commands"},
    "games": {"server/board/pages", "server/commands"},
}
"""Files of one name in several folders: what they have in common, or why the name is left, stands above each group."""


def test_one_name_means_one_thing() -> None:
    found: dict[str, set[str]] = {}
    for file in files():
        if file.stem not in {"__init__", "__main__"}:
            found.setdefault(file.stem, set()).add(file.parent.relative_to(ROOT).as_posix())
    several = {name: folders for name, folders in found.items() if len(folders) > 1}
    assert several == NAMESAKES


SAME_EVERYWHERE = {
    "BAUDS": "each LED protocol names its speeds so",
    "BUTTONS": "the wiring diagram is drawn without the program",
    "NETWORKED": "LED protocols without a serial port say so",
    "GAME": "each game's file and each entry point binds it",
}
"""Names of constants in several files, and why that is one meaning."""


def constants(file: Path) -> Iterator[str]:
    """Names in capitals that a file binds at its top level."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (name.id for name in names if isinstance(name, ast.Name) and name.id.isupper() and name.id[1:])


def test_one_constant_is_one_number() -> None:
    found: dict[str, int] = {}
    for file in files():
        for name in constants(file):
            found[name] = found.get(name, 0) + 1
    assert {name for name, count in found.items() if count > 1} == set(SAME_EVERYWHERE)


def test_one_class_name_means_one_thing() -> None:
    found: dict[str, set[str]] = {}
    for file in files():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).add(file.relative_to(ROOT).as_posix())
    assert {name: sorted(where) for name, where in found.items() if len(where) > 1} == {}
    meanings = find_aliases()
    assert {name for name, values in meanings.items() if name in found or len(values) > 1} == set(OF_TWO_MEANINGS)


OF_TWO_MEANINGS = {
    "Result": "in engine.game, whose names are public, what shows of a move; in the events how a game ended"
}
"""Names of types that are a class's too, or stand for several types, and why."""


def find_aliases() -> dict[str, set[str]]:
    """The names that files give to types, and what each stands for; not those of type variables, which mean nothing."""
    found: dict[str, set[str]] = {}
    for file in files():
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name, value = node.targets[0].id, ast.unparse(node.value)
                if name[0].isupper() and not name.isupper() and "TypeVar(" not in value:
                    found.setdefault(name, set()).add(value)
    return found
