"""The LEDs of a table: those that the command line names, else those of the profile."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from device import protocols
from device.ledmap import LedMap
from device.mapfile import default, parse
from device.port import LedPort
from device.protocol import Pressed
from engine.errors import InputError
from engine.game import Game
from server.inputs import read_text
from server.table.asked import Lighting
from server.table.chosen import Opened

log = logging.getLogger(__name__)


def lights_of(asked: Lighting, opened: Opened, put: Callable[[Pressed], object]) -> tuple[LedPort | None, str]:
    """The port of the lights, with the buttons told to `put`; None for none but the page's, and why.

    InputError only for what was typed just now: a bad port in a file
    must not keep its owner from the game.
    """
    profile = opened.profile
    name = asked.protocol if asked.url is not None else profile.lights.get("protocol", asked.protocol)
    url = asked.url or profile.lights.get("port")
    if not url or url == "screen:":
        return None, ""
    try:
        map_file = opened.path.parent / profile.lights["map"] if "map" in profile.lights else None
        leds = read_map(opened.game, map_file)
        return LedPort(url, lambda: protocols.load(name, leds, asked.baud), put), ""
    except InputError as error:
        if asked.typed:
            raise
        log.warning("no lights: %s; the game goes on without them", error)
        return None, str(error)


def read_map(game: Game, path: Path | None) -> LedMap:
    """The map in that file, or the default of the game."""
    if path is None:
        return default(game.name, game.board)
    try:
        text = read_text(str(path))
    except OSError as error:
        raise InputError(f"LED map {path}: {error.strerror}; write one with `referee lights walk`") from error
    return parse(text, game.board, game.name, str(path))
