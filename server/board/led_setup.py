"""The LEDs of a table: those that the command line names, else those of the profile."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from device import protocols
from device.ledmap import LedMap
from device.lights import PALETTES, STANDARD
from device.mapfile import load_default_map, parse_map
from device.port import LedPort
from device.protocol import Pressed
from engine.errors import InputError
from engine.game import Game
from engine.outside import parse_number
from server.board.board_options import Opened
from server.board.serve_options import Lighting
from server.inputs import read_text

PORT_MISSING = 'the [lights] of the profile name no port: add port = "auto", or what `referee lights find` shows'
NO_LIGHTS = "no lights: %s; the game goes on without them"

log = logging.getLogger(__name__)


def lights_of(asked: Lighting, opened: Opened, put: Callable[[Pressed], object]) -> tuple[LedPort | None, str]:
    """The port of the lights, with the buttons told to `put`; None for none but the page's, and why.

    InputError only for what was typed just now: a bad port in a file must not keep its owner from the game, nor a map
    from a game that is chosen on the page and has another board.
    """
    told = opened.profile.lights if asked.url is None else {}
    url = asked.url or told.get("port")
    if not url:
        if not {"protocol", "baud"}.intersection(told):
            return None, ""
        log.warning(NO_LIGHTS, PORT_MISSING)
        return None, PORT_MISSING
    if url == "screen:":
        return None, ""
    try:
        name = asked.protocol or told.get("protocol") or protocols.guess_protocol(url)
        baud = asked.baud if asked.baud is not None or "baud" not in told else parse_baud(told["baud"])
        leds = (
            read_map(opened.game, asked.map_file)
            if asked.map_file is not None
            else read_profile_map(opened.game, opened.profile.lights, opened.path)
        )
        return LedPort(url, lambda: protocols.load_protocol(name, leds, baud, url=url), put), ""
    except InputError as error:
        if asked.typed and asked.map_file is None:
            raise
        log.warning(NO_LIGHTS, error)
        return None, str(error)


def read_profile_map(game: Game, lights: Mapping[str, str], profile_path: Path) -> LedMap:
    """The LED map that the profile in that file names, from where the file lies; the game's own where it names none."""
    name = lights.get("map")
    return read_map(game, profile_path.parent / name if name else None)


def palette_of(asked: Lighting, opened: Opened) -> str:
    """The colours that are asked for, else the profile's, else the standard ones; a name that is none is said."""
    name = asked.palette or opened.profile.lights.get("palette", STANDARD)
    if name in PALETTES:
        return name
    log.warning("palette %r of the profile: there is none, only %s", name, ", ".join(PALETTES))
    return STANDARD


def parse_baud(text: str) -> int:
    """The speed of a serial port as a profile gives it."""
    number = parse_number(text)
    if number is None:
        raise InputError(f"baud {text[:40]!r} of the profile: give a number like 115200")
    return number


def read_map(game: Game, path: Path | None) -> LedMap:
    """The map in that file, or the default of the game."""
    if path is None:
        return load_default_map(game.name, game.board)
    try:
        text = read_text(str(path))
    except OSError as error:
        raise InputError(f"LED map {path}: {error.strerror}; write one with `referee lights walk`") from error
    return parse_map(text, game.board, game.name, str(path))
