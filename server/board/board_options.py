"""Which board is watched, by which camera, and what is played on it: options that all commands with a camera share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from calibration import profile as profiles
from calibration.profile import Profile
from engine.game import Game, Position
from server.board.live.camera import resolve_source
from server.board.setup.opening import Opener, guarded_opener
from server.board.setup.save import default_profile
from server.board.setup.way_round import match_way_round
from server.inputs import read_game
from server.options import A_SOURCE, FILE_OR_FOLDER, OUT_FILE, AnyCommand, gather_options
from server.saying import describe_default_rules
from vision.frames import DEFAULT_FPS


@dataclass(frozen=True, slots=True)
class Opened:
    """The profile with where it lies, its game, the position that it starts from, and the camera."""

    path: Path
    profile: Profile
    game: Game
    start: Position
    camera: str
    guarded: Opener | None
    """Opens the camera where a page named it: it stays within --cameras-at."""
    unnamed_rules: str = ""
    """A line about the rules that apply where nobody named any."""


@dataclass(frozen=True, slots=True)
class ChosenBoard:
    """What was said; None for what the profile says, and for the user's own profile."""

    profile: Path | None
    camera: str | None
    rules: str | None
    position: str | None
    fps: float
    cameras_at: tuple[str, ...]
    """From where streams may come that are named on the page that sets up a board."""

    def load_board(self) -> Opened:
        """What it comes to. InputError for what cannot be used."""
        path = self.profile or default_profile()
        profile = profiles.load_profile(path)
        game, start = read_game(path, profile, self.rules, self.position)
        named = self.rules or profile.rules or self.position
        unnamed = "" if named else describe_default_rules(f"The profile {path}", game)
        camera, profile = match_way_round(self.camera or "", profile)
        camera = resolve_source(camera, self.fps, profile)
        guarded = guarded_opener(camera, profile, self.fps, self.cameras_at)
        return Opened(path, profile, game, start, camera, guarded, unnamed)


cameras_at_option = click.option(
    "--cameras-at",
    multiple=True,
    metavar="ADDRESS",
    help="Where cameras in the network may be that are named on the page: address, 192.168.4.0/24 or name; "
    "default: anywhere but this machine.",
)


def board_options() -> Callable[[AnyCommand], AnyCommand]:
    """Gives a command the argument `chosen`."""
    return gather_options(
        "chosen",
        ChosenBoard,
        click.option("--profile", type=FILE_OR_FOLDER, help="Profile of the board; default: your own."),
        click.option(
            "--camera",
            type=A_SOURCE,
            help="Device, stream URL, video, picture or folder; default: the profile's.",
        ),
        click.option("--rules", help="Rule set; default: the profile's, else the game's first."),
        click.option("--position", help="Position (JSON) that the game starts from."),
        click.option("--fps", default=DEFAULT_FPS, show_default=True, help="Speed of a folder without times."),
        cameras_at_option,
    )


trace_option = click.option(
    "--trace",
    type=OUT_FILE,
    help="Write a line for each look here: what was seen, what it was taken for, why, what is waited for.",
)
