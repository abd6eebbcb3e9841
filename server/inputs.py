"""What commands read: JSON files and positions, with one clear line for each fault."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from calibration import door
from calibration.profile import Profile
from engine import games
from engine.errors import InputError
from engine.game import Game, Position
from engine.outside import parse_json
from engine.text import positions


def read_text(source: str) -> str:
    """The text of a file, or of standard input for `-`. InputError if it is not UTF-8, no file or too large, OSError if
    not readable."""
    if source != "-":
        return door.read_text(Path(source), door.MOST_TEXT)
    data = sys.stdin.buffer.read(door.MOST_TEXT + 1)
    if len(data) > door.MOST_TEXT:
        raise InputError(f"-: more than {door.MOST_TEXT / 1e6:g} MB; split it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"-: line {line}: not UTF-8 text at byte {error.start}; save it as UTF-8") from None


def read_position(name: str, rules: str | None, source: str | None) -> tuple[Game, Position]:
    """The game `name` with the position in the file `source`, or its start; `-` leaves the name to the position."""
    if source is None:
        game = games.load(name, rules)
        return game, game.start()
    return position_from(parse_json(read_text(source), source), None if name == "-" else name, rules, source)


def read_game(path: Path, profile: Profile, rules: str | None, position: str | None) -> tuple[Game, Position]:
    """The game of a profile with its start, or with a position from a file; faults name the profile."""
    try:
        return read_position(profile.game, rules or profile.rules, position)
    except InputError as error:
        raise InputError(f"{error} (the profile {path} is for {profile.game})") from None


def position_from(data: object, name: str | None, rules: str | None, source: str) -> tuple[Game, Position]:
    """The position that `data` describes; faults name `source`."""
    try:
        return positions.from_json(data, positions.game_of(data, name, rules))
    except InputError as error:
        raise InputError(f"{source}: {error}") from None


def read_positions(name: str | None, rules: str | None, source: str) -> Iterator[tuple[Game, Position]]:
    """The positions in a file with one a line; a line may also be an object with the position under "position"."""
    for number, line in enumerate(read_text(source).splitlines(), start=1):
        if line.strip():
            where = f"{source}, line {number}"
            data = parse_json(line, where)
            if isinstance(data, dict) and "cells" not in data and "position" in data:
                data = data["position"]
            yield position_from(data, name, rules, where)
