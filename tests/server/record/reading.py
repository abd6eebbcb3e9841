"""The games of a file, as `games import` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from server.inputs import read_text
from server.record.imports import parse_text


def read_games(path: Path, variant: str | None = None, rules: str | None = None) -> list[tuple[str, list[Any]]]:
    """Name (may be empty) and events of each. InputError names the first that does not hold."""
    return parse_text(read_text(str(path)), path, variant, rules).games
