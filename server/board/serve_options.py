"""What `referee serve` is asked for: its options, in values of what belongs together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click
from click.core import ParameterSource

from device.lights import PALETTES
from engine.errors import InputError, Worded
from engine.match.acts import Mode
from server.board.board_options import ChosenBoard, trace_option
from server.board.pages.onward import AGAIN, OWN_BOARD
from server.board.publishing import HallOptions
from server.options import A_FILE, FilePath, gather_options
from server.web.access.serving import Serving


@dataclass(frozen=True, slots=True)
class Terms:
    """How the game is played: from the start or where it stood, helped or not, by which clock, against whom.

    `taken_up` is the name of a game in the record that goes on, None for the one that was begun last.
    """

    fresh: bool
    taken_up: str | None
    mode: Mode
    clock: str | None
    opponents: tuple[str, ...]
    tutors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """What is kept: the record (None: where this user's games are), pictures beside it, a trace of each look."""

    record: Path | None
    pictures_mb: int
    trace: Path | None


@dataclass(frozen=True, slots=True)
class Lighting:
    """The LEDs. What is None is the profile's, else what is usual; `typed`: `url` was said on the command line."""

    url: str | None
    protocol: str | None
    baud: int | None
    map_file: Path | None
    palette: str | None
    typed: bool


def _build_lighting(
    lights: str | None, protocol: str | None, baud: int | None, map_file: Path | None, palette: str | None
) -> Lighting:
    source = click.get_current_context().get_parameter_source("lights")
    return Lighting(lights, protocol, baud, map_file, palette, typed=source is ParameterSource.COMMANDLINE)


@dataclass(frozen=True, slots=True)
class Page:
    """How the page is shown."""

    opened: bool
    delay_min: float
    broadcast: Path | None
    phone_at: str | None
    """The address at which a phone reaches this computer; None: the one by which it goes to others."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """All of it. `naming` says who plays and where, as server.record.details reads it."""

    chosen: ChosenBoard
    realtime: bool
    captions: Path | None
    """What the page says while the recording is shown (server.board.live.narrator); None where it is not explained."""
    terms: Terms
    naming: Mapping[str, object]
    keeping: KeepOptions
    lighting: Lighting
    page: Page
    hall: HallOptions | None
    serving: Serving
    awaited: bool = False
    """Whether somebody looks at a page on which the game is to appear: then that page says why it does not."""
    failure: Worded | None = None
    """Why the game that was asked for before could not be opened."""
    anew: bool = False
    """Whether a page lets another game be chosen though there is a profile."""
    kept: ServeOptions | None = None
    """What goes on where nobody chooses another game then, with all that was said at the start."""
    interrupted: bool = False
    """Whether a page has the board set up in the middle of a game, and this program has run all the while."""

    def after_failure(self, why: Worded) -> ServeOptions:
        """The same, after the page has said why it could not be opened and what to do."""
        return replace(self, failure=why, page=replace(self.page, opened=False))

    def after_other_game(self, camera: str | None) -> ServeOptions:
        """The same, once another game was chosen on the page, by this `camera` if nobody chooses another: without what
        was said of the one before alone. That one goes on as it was asked for, in `kept`."""
        page, terms = replace(self.page, opened=False), replace(self.terms, fresh=False, taken_up=None)
        # who plays is in the record, where a page may have said it since
        kept = replace(self, page=page, terms=terms, naming={}, awaited=True, interrupted=True)
        return replace(
            kept,
            anew=True,
            kept=kept,
            chosen=replace(self.chosen, camera=camera, rules=None, position=None),
            terms=replace(terms, opponents=()),
            lighting=replace(self.lighting, map_file=None),
        )

    def after_recording(self, what: str) -> ServeOptions:
        """The same after a recording: once more, or the user's own board."""
        asked = replace(
            self,
            terms=replace(self.terms, fresh=what == AGAIN, taken_up=None),
            page=replace(self.page, opened=False),
            awaited=True,
        )
        if what != OWN_BOARD:
            return asked
        return replace(
            asked,
            captions=None,
            chosen=replace(self.chosen, profile=None, camera=None, rules=None, position=None),
            terms=replace(asked.terms, opponents=()),
            naming={},
            keeping=replace(self.keeping, record=None),
        )

    def after_unmirroring(self, camera: str, *, begun: bool) -> ServeOptions:
        """The same with the `camera` turned back; a game that was begun makes way."""
        return replace(
            self,
            chosen=replace(self.chosen, camera=camera if self.chosen.camera else None),
            terms=replace(self.terms, fresh=begun),
            page=replace(self.page, opened=False),
            awaited=True,
            interrupted=True,
        )


def _check_phone_address(address: str) -> str:
    """An address or a name of this computer; InputError for what no phone can reach, or is an address of a page."""
    name = address.strip().lower()
    if not re.fullmatch(r"[a-z0-9._:-]+", name) or name == "localhost" or name.startswith(("127.", "0.", "::")):
        raise InputError(f"--phone-at {address[:40]}: no phone reaches that; give an address in the phone's network")
    return name


terms_options = gather_options(
    "terms",
    Terms,
    click.option("--new", "fresh", is_flag=True, help="Begin a new game even if the last one is not over."),
    click.option(
        "--take-up", "taken_up", metavar="GAME", help="Go on with this game of the record: one that was adjourned, say."
    ),
    click.option(
        "--mode",
        type=click.Choice([mode.value for mode in Mode]),
        default=Mode.TRAINING.value,
        show_default=True,
        callback=lambda _, __, value: Mode(value),
    ),
    click.option("--clock", help="Time control, like 60m+30s, 5m delay 3s or 40/150m,60m+30s; default: no clock."),
    click.option(
        "--opponent",
        "opponents",
        multiple=True,
        metavar="SIDE=LEVEL",
        help="Let the computer play a side: black=5, or a UGI engine's command in place of the level.",
    ),
    click.option(
        "--tutor",
        "tutors",
        multiple=True,
        type=click.Choice(["best", "teach"]),
        help="Show the best three moves; explain weak moves and threats. Not in a tournament.",
    ),
)
keeping_options = gather_options(
    "keeping",
    KeepOptions,
    click.option("--record", type=A_FILE, help="Where games are kept."),
    click.option(
        "--pictures",
        "pictures_mb",
        type=click.IntRange(min=0),
        default=2000,
        show_default=True,
        help="Megabytes of pictures of the plies to keep beside the record, the oldest go first; 0: keep none.",
    ),
    trace_option,
)
lighting_options = gather_options(
    "lighting",
    _build_lighting,
    click.option("--lights", help="Where the LEDs are: auto, /dev/ttyUSB0, udp://host:port, any URL."),
    click.option("--protocol", help="What the LEDs speak; default: what is usual at such a port."),
    click.option("--baud", type=int, help="Speed of the LEDs' serial port; default: the protocol's."),
    click.option(
        "--map",
        "map_file",
        type=FilePath(exists=True, dir_okay=False, path_type=Path),
        help="LED map; default: the profile's, else the one that comes for the game.",
    ),
    click.option(
        "--palette",
        type=click.Choice(list(PALETTES)),
        help="Colours of the LEDs; default: the profile's, else standard.",
    ),
)
phone_at_option = click.option(
    "--phone-at",
    metavar="ADDRESS",
    callback=lambda _, __, value: value and _check_phone_address(value),
    help="This computer's address for a phone that is the camera; default: the one in its network.",
)
page_options = gather_options(
    "page",
    Page,
    click.option("--open", "opened", is_flag=True, help="Open the page in the browser."),
    click.option(
        "--delay",
        "delay_min",
        type=click.FloatRange(0, 600),
        default=0.0,
        show_default=True,
        help="Minutes by which the spectators' page, /spectator, is behind the board.",
    ),
    click.option(
        "--broadcast",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder for any web server: the games as spectators see them, no sooner.",
    ),
    phone_at_option,
)
