"""Reads tests/data/scenes.toml: every scene with the whole recipe of its drawing, and what must hold of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from tests.render.direct import Director
from tests.render.scene import Hand
from tests.render.script import Recipe, stage_of
from tests.render.stage import Stage

FILE = Path(__file__).parents[1] / "data" / "scenes.toml"
SCENE_KEYS = {"name", "why", "fps", "hands_s", "recipe", "hand", "stands", "must"}
RECIPE_KEYS = {field.name for field in fields(Recipe)}


@dataclass(frozen=True)
class Must:
    """Something that must hold of a scene. `check`: module and function in tests/scenes; `given`: more for it."""

    check: str
    why: str
    given: Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """A scene of the file, streamed at `fps` with hands that rest for `hands_s`.

    `hand` is one over the start position, `holds` the piece in it; each piece `stands` at (x, y), turned by degrees.
    """

    name: str
    why: str
    recipe: Recipe
    fps: float
    hands_s: float
    hand: Hand | None
    holds: str
    stands: Mapping[str, tuple[float, float, float]]
    must: tuple[Must, ...]

    def staged(self) -> tuple[Stage, Director]:
        """Its game, played once for all checks: to be looked at, not to be played on."""
        return _staged(self.recipe)


@cache
def rows() -> dict[str, Row]:
    """All scenes by name. ValueError names a scene that says too little, too much, or the same name again."""
    found: dict[str, Row] = {}
    for table in tomllib.loads(FILE.read_text(encoding="utf-8"))["scene"]:
        row = _row(table)
        if row.name in found:
            raise ValueError(f"{FILE.name}: two scenes are called {row.name!r}")
        found[row.name] = row
    return found


def _row(table: dict[str, Any]) -> Row:
    name = table["name"]
    recipe, hand = dict(table["recipe"]), dict(table.get("hand", {}))
    if odd := set(recipe) ^ RECIPE_KEYS | set(table) - SCENE_KEYS:
        raise ValueError(f"{FILE.name}: scene {name!r}: missing or unknown: {', '.join(sorted(odd))}")
    recipe["size_wh"] = tuple(recipe["size_wh"])
    holds = hand.pop("holds", "")
    arm = Hand(**{key: tuple(v) if isinstance(v, list) else v for key, v in hand.items()}) if hand else None
    stands = {piece: (x, y, turn) for piece, (x, y, turn) in table.get("stands", {}).items()}
    must = tuple(_must(entry) for entry in table.get("must", ()))
    made = Recipe(**recipe)
    return Row(name, table["why"], made, table["fps"], table["hands_s"], arm, holds, stands, must)


def _must(entry: dict[str, Any]) -> Must:
    given = dict(entry)
    return Must(given.pop("check"), given.pop("why", ""), given)


@cache
def _staged(recipe: Recipe) -> tuple[Stage, Director]:
    return stage_of(recipe)
