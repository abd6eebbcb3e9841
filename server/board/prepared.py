"""What is asked for, read and checked: after this nothing can be found unusable, and nothing was written yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from device.port import LedPort
from device.protocol import Pressed
from engine.errors import InputError
from engine.game import Game
from engine.match.acts import Mode
from engine.match.clock import choose_control
from engine.match.clocked_match import with_clock
from engine.match.referee import new_match
from engine.match.state import Match
from opponent.contest.participants import parse_participant
from server.board.board_options import Opened
from server.board.led_setup import lights_of
from server.board.live.phone import Phone
from server.board.pages.own_board import SetupEnd, WantedBoard, set_up
from server.board.player_options import naming_of
from server.board.publishing import find_remote_seats
from server.board.serve_options import ServeOptions
from server.board.setup.save import default_profile
from server.board.setup.within import parse_addresses
from server.record.details import Details
from vision.frames import PHONE
from vision.modes import unmirrored_source


@dataclass(frozen=True, slots=True)
class PreparedTable:
    """A table that can be opened."""

    asked: ServeOptions
    opened: Opened
    match: Match
    """The game as it would begin."""
    named: Details | None
    engines: Mapping[int, tuple[str, ...]]
    """Seat -> command of the engine that plays it."""
    elsewhere: frozenset[int]
    """Seats that are played at another board."""
    phone: Phone | None
    """The camera, where a phone is it."""
    lights: LedPort | None
    unlit: str
    """Why there are no lights, if there should be."""


def with_profile(asked: ServeOptions) -> ServeOptions | None:
    """What is asked for, once there is a profile: without one a page makes it first, and says what has kept the game
    from being opened. None for Ctrl-C there. InputError for what does not go together."""
    if asked.terms.mode == Mode.TOURNAMENT:
        _check_tournament(asked)
    known = asked.chosen.profile is not None or (default_profile().exists() and asked.failure is None)
    if known and not asked.anew:
        return asked
    how = set_up(wanted_of(asked), asked.serving, asked.failure, open_page=asked.page.opened)
    if how is SetupEnd.ENDED:
        return None
    if how is SetupEnd.AS_BEFORE:  # with the camera that was named at the start too
        return asked.kept or replace(asked, page=replace(asked.page, opened=False), awaited=True, failure=None)
    seen, chosen = replace(asked.page, opened=False), replace(asked.chosen, camera=None)  # the profile has it
    return replace(asked, chosen=chosen, page=seen, awaited=True, failure=None, anew=False, kept=None)


def prepare_table(asked: ServeOptions, put: Callable[[Pressed], object]) -> PreparedTable:
    """Read and check; `put` is told of the buttons. InputError for what cannot be used."""
    chosen = asked.chosen
    control = choose_control(asked.terms.clock) if asked.terms.clock else None
    opened = chosen.load_board()
    game = opened.game
    match = new_match(game, opened.start)
    lights, unlit = lights_of(asked.lighting, opened, put)
    return PreparedTable(
        asked,
        opened,
        with_clock(match, control, held=True) if control else match,
        naming_of(asked.naming, game.seats),
        engines_of(game, asked.terms.opponents),
        find_remote_seats(asked.hall, game),
        Phone(opened.profile.size_wh) if unmirrored_source(opened.camera) == PHONE else None,
        lights,
        unlit,
    )


def wanted_of(asked: ServeOptions) -> WantedBoard:
    """What the set-up of a board has of it."""
    chosen = asked.chosen
    reach, profile = parse_addresses(chosen.cameras_at), Path(chosen.profile) if chosen.profile else default_profile()
    return WantedBoard(chosen.fps, chosen.camera or "", reach, asked.page.phone_at, profile, anew=asked.anew)


NO_SPACE = "in a tournament pictures are kept: name how much space they may take first"


def check_terms(values: Mapping[str, object]) -> None:
    """InputError for settings that do not go together, or say no clock."""
    if values.get("clock"):
        choose_control(str(values["clock"]))
    if values.get("mode") == Mode.TOURNAMENT and not values.get("pictures"):
        raise InputError(NO_SPACE)


def _check_tournament(asked: ServeOptions) -> None:
    """InputError for what there is not in a tournament."""
    if asked.terms.opponents or asked.terms.tutors:
        raise InputError("--opponent, --tutor: in a tournament nobody is told a move; use --mode training")
    if not asked.keeping.pictures_mb:
        raise InputError("--pictures 0: in a tournament pictures are kept; name another limit, or --mode training")


def engines_of(game: Game, said: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """The engine of each seat that one plays. InputError for a side that is none."""
    commands = {}
    for text in said:
        side, _, who = text.partition("=")
        if side not in game.seats or not who:
            raise InputError(f"--opponent {text[:40]!r}: write SIDE=LEVEL, with a side of {', '.join(game.seats)}")
        commands[game.seats.index(side)] = parse_participant(who).command
    return commands
