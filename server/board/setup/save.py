"""Keeping a profile that was made on the page: the old one stays beside it, and no half-written one is ever left."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from calibration.profile import Profile, WayRound, dump_profile, load_profile
from engine.errors import InputError
from engine.game import Game
from server.board.setup.devices import lasting_source
from server.board.setup.find import FoundBoard
from server.board.setup.way_round import is_same_camera, mirror_profile
from server.disk import list_asides, name_aside, replace_durably
from server.settings import default_path
from vision.frames import is_live


def backup_of(path: Path) -> Path:
    """Where the profile from before the last save lies."""
    return path.with_name(path.name + ".bak")


def default_profile() -> Path:
    """The profile when none is named: beside the settings of this user."""
    return default_path(os.environ).with_name("board.toml")


def keep_other_board(path: Path, profile: Profile) -> None:
    """Keep the profile at `path` beside, as `NAME.before-1` and so on, where it is of another board than `profile`, by
    another game or in a film: that board may be laid down again. InputError if the disk does not take it."""
    try:
        if not path.exists():
            return
        before = load_profile(path)
        is_filmed = is_live(before.source) and not is_live(profile.source)
        if before.game != profile.game or is_filmed:
            shutil.copy2(path, name_aside(path))
    except OSError as error:
        text = "profile {path}: {why}: its folder must be writable"
        raise InputError(text, path=path, why=error.strerror) from error
    except InputError:  # it cannot be read: nothing to come back to, and there is a copy from the last save
        return


def find_start_command(name: str, game: Game, path: Path) -> str | None:
    """The command that goes on with a game of the record which is called `name`: by the profile at `path`, or one of
    another board that was kept beside it, the last first. None where none is for that game."""
    for known in (path, *list_asides(path)):
        with suppress(InputError, OSError):
            profile = load_profile(known)
            if profile.game == game.name:
                named = [] if known == default_profile() else ["--profile", str(known)]
                rules = [] if profile.rules == game.rules else ["--rules", game.rules]
                return shlex.join(["referee", "serve", *named, *rules, "--take-up", name])
    return None


def save_profile(path: Path, profile: Profile) -> None:
    """Write `profile`; InputError if the disk does not take it, and then nothing has changed."""
    unfinished = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            shutil.copy2(path, backup_of(path))
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(dump_profile(profile))
            file.flush()
            os.fsync(file.fileno())
        replace_durably(unfinished, path)
    except OSError as error:
        with suppress(OSError):  # where there is no folder there is nothing of it either
            unfinished.unlink(missing_ok=True)
        text = "profile {path}: {why}: its folder must be writable"
        raise InputError(text, path=path, why=error.strerror) from error


class Keeper:
    """Keeps what the set-up page finds out while a game goes on. Used by the threads of the web server."""

    def __init__(
        self,
        path: Path,
        profile: Profile,
        camera: str,
        tell: Callable[[Profile], object],
        begin_anew: Callable[[str], object],
    ) -> None:
        """The `profile` at `path` and the `camera` in use; `tell` is told of another place of the board, and
        `begin_anew` has the camera opened that it is told."""
        self._path, self._profile, self._tell, self._begin_anew = path, profile, tell, begin_anew
        self._camera = camera

    def keep_board(self, found: FoundBoard) -> str:
        """The board is there; where that is kept."""
        self._profile = found.apply_to_profile(self._profile)
        save_profile(self._path, self._profile)
        self._tell(self._profile)
        return str(self._path)

    def name_looks(self, game: Game) -> Game:
        """The `game`, its looks named as the pieces of this board look."""
        return self._profile.white.name_looks(game)

    def asks_way_round(self) -> bool:
        """Whether nobody knows yet that pictures are not mirrored; what was said of another camera does not count."""
        known = self._profile.way_round
        elsewhere = is_live(self._camera) and not is_same_camera(self._camera, self._profile.source)
        return known is None or (known is WayRound.SAID and elsewhere)

    def say_way_round(self, *, mirrored: bool) -> None:
        """Keep it; the pictures of a camera that mirrors are turned back from now on."""
        known = self._profile
        if not is_same_camera(self._camera, known.source):
            known = replace(known, source=lasting_source(self._camera), guarded=False)
        said = mirror_profile(known) if mirrored else replace(known, way_round=WayRound.SAID)
        save_profile(self._path, said)
        self._profile = said
        if mirrored:
            self._begin_anew(said.source)
