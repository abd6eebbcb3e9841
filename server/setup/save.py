"""Keeping a profile that was made on the page: the old one stays beside it, and no half-written one is ever left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from calibration.profile import Profile, dump
from engine.errors import InputError
from server.disk import put_in_place
from server.settings import default_path
from server.setup.find import Found


def backup_of(path: Path) -> Path:
    """Where the profile from before the last save lies."""
    return path.with_name(path.name + ".bak")


def default_profile() -> Path:
    """The profile when none is named: beside the settings of this user."""
    return default_path(os.environ).with_name("board.toml")


def save(path: Path, profile: Profile) -> None:
    """Write `profile`; InputError if the disk does not take it, and then nothing has changed."""
    unfinished = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            shutil.copy2(path, backup_of(path))
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(dump(profile))
            file.flush()
            os.fsync(file.fileno())
        put_in_place(unfinished, path)
    except OSError as error:
        with suppress(OSError):  # where there is no folder there is nothing of it either
            unfinished.unlink(missing_ok=True)
        raise InputError(f"profile {path}: {error.strerror}: its folder must be writable") from error


def keeper(path: Path, before: Profile, tell: Callable[[Profile], object]) -> Callable[[Found], str]:
    """What keeps a place that was found: in the profile at `path`, which `tell` is told of; it says where."""

    def keep(found: Found) -> str:
        renewed = found.profile(before)
        save(path, renewed)
        tell(renewed)
        return str(path)

    return keep
