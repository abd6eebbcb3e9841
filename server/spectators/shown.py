"""Files of an event in a folder that the world sees, each change only when it is so old as the delay says.

What is new waits in a folder beside it, `<folder>.waiting/<time>`, and is moved in when its time has come: so nothing
that is not yet to be seen lies where a web server could find it, and a restart forgets nothing. A file is changed by
renaming, the index last: whoever reads meanwhile finds whole files.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from engine.errors import InputError
from server.spectators.holding import DelayQueue

CONTENT, GONE = "files", "removed.json"
INDEX = "index.html"
HALF_WRITTEN = ".new"
"""How the name of a change ends while it is being written: such a one is thrown away at the next start."""


class PublicFolder:
    """The folder that the world sees. `delay_s` is how old a change must be before it is seen there."""

    def __init__(
        self,
        folder: Path,
        delay_s: float,
        clock: Callable[[], float] = time.monotonic,
        date: Callable[[], float] = time.time,
    ) -> None:
        """`date`, in seconds since 1970, says only how old what an earlier start has left is. InputError for a folder
        that cannot be written."""
        self._folder, self._date = folder, date
        self._waiting = folder.with_name(folder.name + ".waiting")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._waiting.mkdir(mode=0o700, exist_ok=True)
            for left in self._waiting.glob(f"*{HALF_WRITTEN}"):
                shutil.rmtree(left)
        except OSError as error:
            raise InputError(f"site {folder}: {error.strerror}: name a folder that can be written") from error
        self._changes: DelayQueue[Path] = DelayQueue(delay_s, clock)
        self._newest = dict(_files_in(folder))
        """All files as they will be once everything that waits is shown."""
        self._last = 0
        for change in sorted(self._waiting.iterdir(), key=_change_time):
            for name in json.loads((change / GONE).read_text(encoding="utf-8")):
                self._newest.pop(str(name), None)
            self._newest |= dict(_files_in(change / CONTENT))
            self._last = _change_time(change)
            self._changes.hold_item(change, date() - self._last / 1000)

    def hold_files(self, files: Mapping[str, bytes]) -> bool:
        """These are the files now; whether anything in them is new."""
        new = {name: content for name, content in files.items() if self._newest.get(name) != content}
        removed = sorted(set(self._newest) - set(files))
        if not new and not removed:
            return False
        self._last = max(int(self._date() * 1000), self._last + 1)
        change = self._waiting / str(self._last)
        unfinished = change.with_name(change.name + HALF_WRITTEN)
        for name, content in new.items():
            path = unfinished / CONTENT / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        unfinished.mkdir(parents=True, exist_ok=True)
        (unfinished / GONE).write_text(json.dumps(removed), encoding="utf-8")
        unfinished.rename(change)
        self._changes.hold_item(change)
        self._newest = dict(files)
        return True

    def publish_due(self) -> int:
        """Move in every change that is old enough; how many."""
        count = 0
        for change in self._changes.take_due():
            self._publish_change(change)
            count += 1
        return count

    def _publish_change(self, change: Path) -> None:
        names = sorted((name for name, _ in _files_in(change / CONTENT)), key=lambda name: (name == INDEX, name))
        for name in names:
            target = self._folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (change / CONTENT / name).replace(target)
        for name in json.loads((change / GONE).read_text(encoding="utf-8")):
            (self._folder / str(name)).unlink(missing_ok=True)
        shutil.rmtree(change)


def _files_in(folder: Path) -> Iterable[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _change_time(change: Path) -> int:
    """The time of a change, in milliseconds since 1970."""
    return int(change.name)
