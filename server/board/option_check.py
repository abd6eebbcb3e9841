"""What is wrong with the options of `referee serve`, said before a page asks anybody for a board.

Where there is a profile, all else is checked with it before anything is written (server.board.prepared). Without one
the game is not known yet: an option is refused if no game takes it.
"""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path

from device import protocols
from device.mapfile import load_default_map
from device.port import LedPort, explain_error
from engine import games
from engine.errors import InputError
from engine.game import Game
from engine.match.clock import choose_control
from server.board.live.camera import check_fps, first_picture
from server.board.player_options import naming_of
from server.board.prepared import engines_of
from server.board.publishing import find_remote_seats
from server.board.serve_options import Lighting, ServeOptions
from server.board.setup.save import default_profile
from server.board.setup.within import parse_addresses
from server.inputs import read_position
from server.masking import print_line
from server.record.store import record_at
from vision.frames import is_live


def check_options(asked: ServeOptions) -> None:
    """InputError for what cannot be used whatever board it is for. Nothing is written."""
    _check_paths(asked)
    parse_addresses(asked.chosen.cameras_at)
    url = asked.lighting.url or ""
    if url.startswith("/dev/") and not Path(url).exists():  # which may be plugged in later
        why = explain_error(FileNotFoundError(errno.ENOENT, url), url)
        print_line(f"Lights: {why}. The game goes on without them.", err=True)
    if asked.chosen.profile is not None or default_profile().exists():
        return
    if asked.terms.clock:
        choose_control(asked.terms.clock)
    check_fps(asked.chosen.fps)
    if asked.chosen.camera and not is_live(asked.chosen.camera):
        first_picture(asked.chosen.camera, asked.chosen.fps)
    _check_lights(asked.lighting)
    _check_for_games(asked)


def _check_paths(asked: ServeOptions) -> None:
    if asked.keeping.record is not None:
        record_at(asked.keeping.record)
    for option, path in (("--trace", asked.keeping.trace), ("--broadcast", asked.page.broadcast)):
        if path is not None:
            _check_folder(option, path, path if path.is_dir() else path.parent)


def _check_folder(option: str, path: Path, folder: Path) -> None:
    """InputError where nothing can be written into a folder, by trying."""
    if not folder.is_dir():
        raise InputError(f"{option} {path}: there is no folder {folder}; make it first, or name another place")
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InputError(f"{option} {path}: nothing can be written into {folder}: {error.strerror}") from error


def _check_lights(asked: Lighting) -> None:
    """As with a profile, but for which LED belongs to which cell."""
    url = asked.url
    if not asked.typed or not url or url == "screen:":
        return
    game = games.load(games.names()[0])
    name, leds = asked.protocol or protocols.guess_protocol(url), load_default_map(game.name, game.board)
    LedPort(url, lambda: protocols.load_protocol(name, leds, asked.baud, url=url), lambda pressed: None)


def _check_for_games(asked: ServeOptions) -> None:
    """InputError for what no game takes; it says what the first one has against it."""
    refusals = []
    for name in ("-",) if asked.chosen.position else games.names():
        try:
            game, _ = read_position(name, asked.chosen.rules, asked.chosen.position)
            _check_sides(asked, game)
        except InputError as error:
            refusals.append(error)
        else:
            return
    raise refusals[0]


def _check_sides(asked: ServeOptions, game: Game) -> None:
    naming_of(asked.naming, game.seats)
    engines_of(game, asked.terms.opponents)
    find_remote_seats(asked.hall, game)
