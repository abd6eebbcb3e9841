"""Pictures behind the verdicts: of each ply before and after it, and the last seconds before each trouble.

They lie beside the record, in a folder of their own, named by their SHA-256. An event of the record names them, so the
chain of the record covers them too. A picture that cannot be stored stops no game: an event says that it was lost.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np

from calibration.door import MOST_PICTURE, read_file
from calibration.view import View
from engine.board import Board
from engine.errors import InputError
from engine.match.events import Event, Moved
from server.disk import replace_durably
from server.record.playing import OF_PICTURES
from server.record.store import Record
from vision.frames import Frame
from vision.ground import Image
from vision.reading.level import Reading

EVIDENCE_QUALITY = 85
"""Of the JPEG pictures, 0-100: a board that fills 720 lines takes about 100 KB."""
PICTURE_MARGIN = 0.08
"""Of the board's size, kept around it: pieces stand up beyond the outline, and hands come from there."""
RING, RING_EVERY_S, RING_WIDTH = 10, 0.5, 480
"""The last five seconds before a trouble, two small pictures a second."""
SETTLED = frozenset({"ready", "move", "takeback", "restored", "camera-found"})
"""After these the board shows the position of the match: it is what stood before the next ply."""
TROUBLES = frozenset({"illegal", "unclear", "camera-moved"})

RESERVE_BYTES = 32_000_000
"""Of the disk, left to the record: 30,000 plies. With less free no picture is stored."""

STEP_NS = 1_000_000
"""Between the times of two files, which tell a later start their order: a clock that was set back must not turn it
round. Every file system that Linux writes to keeps a millisecond, or is no place for thousands of pictures."""

PICTURE_NAME = re.compile(r"[0-9a-f]{64}")
"""What a picture is called."""


@dataclass(frozen=True, slots=True)
class PlyPictured(Event):
    """Pictures of a ply were stored, before and after it, with what each look scored on its cells."""

    name: ClassVar[str] = "evidence"
    ply: int
    before: str | None
    after: str
    scores: Mapping[str, Sequence[float]] | None = None


@dataclass(frozen=True, slots=True)
class TroublePictured(Event):
    """Pictures of the seconds before a trouble were stored."""

    name: ClassVar[str] = PlyPictured.name
    trouble: str
    pictures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PicturesLost(Event):
    """Pictures could not be stored."""

    name: ClassVar[str] = "evidence-lost"
    message: str


@dataclass(frozen=True, slots=True)
class PicturesRemoved(Event):
    """The oldest pictures made room."""

    name: ClassVar[str] = "evidence-removed"
    pictures: tuple[str, ...]


EVIDENCE, REMOVED, LOST = PlyPictured.name, PicturesRemoved.name, PicturesLost.name


def folder_of(record: Path) -> Path:
    """Where the pictures of a record lie."""
    return record.with_name(record.name + OF_PICTURES)


def picture_names(event: Mapping[str, object]) -> list[str]:
    """The pictures that an event names, as it says them."""
    listed = event.get("pictures")
    named = [*(listed if isinstance(listed, list) else []), event.get("before"), event.get("after")]
    return [str(name) for name in named if name]


def file_of(folder: Path, name: str) -> Path:
    """Where a picture lies. InputError for a name that is no SHA-256: a record from elsewhere could name any file."""
    if not PICTURE_NAME.fullmatch(name):
        raise InputError(f"picture {name[:80]!r}: no name of a picture")
    return folder / f"{name}.jpg"


def read_picture(folder: Path, name: str) -> bytes:
    """A stored picture. InputError for what is no picture's name or no file, OSError where it cannot be read."""
    return read_file(file_of(folder, name), MOST_PICTURE)


def remove_pictures(folder: Path, names: Iterable[str]) -> None:
    """Remove pictures; what is no picture's name is left."""
    for name in names:
        with suppress(InputError):
            file_of(folder, name).unlink(missing_ok=True)


class Store:
    """A folder of pictures of at most `limit` bytes; the oldest make room for new ones."""

    def __init__(self, folder: Path, limit: int, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self._folder, self._limit, self._clock_ns = folder, limit, clock_ns
        found = [(path, path.stat()) for path in folder.glob("*.jpg")]
        found.sort(key=lambda f: (f[1].st_mtime_ns, f[0]))
        self._sizes = {path.stem: stat.st_size for path, stat in found}
        self._newest_ns = found[-1][1].st_mtime_ns if found else 0
        self._going: list[str] = []

    def add_picture(self, data: bytes) -> str:
        """Store a picture; its name. It is on the disk when this returns. OSError if it cannot be."""
        name = hashlib.sha256(data).hexdigest()
        if name not in self._sizes:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if shutil.disk_usage(self._folder).free < RESERVE_BYTES:
                raise OSError(errno.ENOSPC, "the disk is nearly full, the rest is left to the moves")
            unfinished = self._folder / f"{name}.part"
            try:
                with unfinished.open("wb") as file:
                    file.write(data)
                    file.flush()
                    self._newest_ns = max(self._clock_ns(), self._newest_ns + STEP_NS)
                    os.utime(file.fileno(), ns=(self._newest_ns, self._newest_ns))
                    os.fsync(file.fileno())
                replace_durably(unfinished, file_of(self._folder, name))
            except OSError:
                unfinished.unlink(missing_ok=True)
                raise
            self._sizes[name] = len(data)
        return name

    def choose_surplus(self, keep: Iterable[str]) -> list[str]:
        """The oldest that have to go until the limit holds, but for those of `keep`.

        They are there until `remove_surplus`.
        """
        kept, gone, total = set(keep), [], sum(self._sizes.values())
        for name in [name for name in self._sizes if name not in kept]:
            if total <= self._limit:
                break
            total -= self._sizes.pop(name)
            gone.append(name)
        self._going += gone
        return gone

    def remove_surplus(self) -> None:
        """Remove what was surplus, now that the record says so: a kill between the two must leave nothing missing."""
        while self._going:
            if self._going[-1] not in self._sizes:  # the same picture may have come again
                try:
                    remove_pictures(self._folder, self._going[-1:])
                except OSError:
                    return  # a disk that can only be read just now: the next time
            self._going.pop()


class PictureEvidence:
    """The pictures of the game that is being played. Belongs to the main loop."""

    def __init__(self, store: Store, board: Board) -> None:
        self._store, self._board = store, board
        self._ring: deque[Image] = deque(maxlen=RING)
        self._ringed = -RING_EVERY_S
        self._stands: Image | None = None
        self._before: Image | None = None
        self._ply = 0
        self._views: Sequence[View] = ()
        self._part = (slice(None), slice(None))

    def remember_frame(self, frame: Frame, views: Sequence[View]) -> None:
        """Remember a frame for the seconds before a trouble."""
        if frame.t - self._ringed < RING_EVERY_S:
            return
        self._ringed = frame.t
        image = self._crop_frame(frame, views)
        scale = min(1.0, RING_WIDTH / image.shape[1])
        size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
        self._ring.append(np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8))

    def store_pictures(
        self, events: Sequence[Event], frame: Frame | None, views: Sequence[View], reading: Reading | None
    ) -> list[Event]:
        """Store the pictures that belong to events just said; what the record is to say of them, before
        `remove_surplus`."""
        if frame is None or not any(event.name in SETTLED | TROUBLES for event in events):
            return []
        now = self._crop_frame(frame, views)
        said: list[Event] = []
        for event in events:
            try:
                if isinstance(event, Moved):
                    said.append(self._store_ply_pictures(event, now, reading))
                elif event.name in TROUBLES:
                    said.append(self._store_trouble_pictures(event, now))
            except OSError as error:
                said.append(PicturesLost(event.t, f"pictures: {error.strerror}"))
            if event.name in SETTLED:
                self._stands = now
            if event.name == "ready":
                self._ply = 0
        gone = self._store.choose_surplus(name for one in said for name in picture_names(one.to_json()))
        if gone:
            said.append(PicturesRemoved(events[-1].t, tuple(gone)))
        return said

    def remove_surplus(self) -> None:
        """Make room, once the record says which pictures go."""
        self._store.remove_surplus()

    def _store_ply_pictures(self, moved: Moved, now: Image, reading: Reading | None) -> Event:
        if moved.ply != self._ply:
            self._ply, self._before = moved.ply, self._stands
        before = None if self._before is None else self._store.add_picture(encode_jpeg(self._before))
        after, scores = self._store.add_picture(encode_jpeg(now)), None
        if reading is not None:
            cells = dict.fromkeys((moved.from_, moved.to, *moved.captured))
            rows = {cell: reading.scores[self._board.cells.index(cell)] for cell in cells}
            scores = {cell: [round(float(score), 2) for score in row] for cell, row in rows.items()}
        return PlyPictured(moved.t, moved.ply, before, after, scores)

    def _crop_frame(self, frame: Frame, views: Sequence[View]) -> Image:
        """A copy of what shows the board."""
        if views is not self._views:
            self._views, self._part = (
                views,
                find_board_crop(self._board, views, (frame.image.shape[1], frame.image.shape[0])),
            )
        return frame.image[self._part].copy()

    def _store_trouble_pictures(self, event: Event, now: Image) -> Event:
        pictures = tuple(dict.fromkeys(self._store.add_picture(encode_jpeg(image)) for image in (*self._ring, now)))
        self._ring.clear()
        return TroublePictured(event.t, event.name, pictures)


def find_board_crop(board: Board, views: Sequence[View], size_wh: tuple[int, int]) -> tuple[slice, slice]:
    """Rows and columns of a picture with the board and a margin; all of it if the board is out of the picture."""
    corners = [np.array(board.centres_xy[cell]) + np.array(board.outline_xy) for cell in range(len(board.cells))]
    seen = np.vstack([views[level].project_points(at) for level, at in zip(board.levels, corners, strict=True)])
    low, high = seen.min(axis=0), seen.max(axis=0)
    edge = (high - low) * PICTURE_MARGIN
    x0, y0 = (int(n) for n in np.clip(np.floor(low - edge), 0, size_wh))
    x1, y1 = (int(n) for n in np.clip(np.ceil(high + edge), 0, size_wh))
    return (slice(y0, y1), slice(x0, x1)) if x0 < x1 and y0 < y1 else (slice(None), slice(None))


def encode_jpeg(image: Image) -> bytes:
    """JPEG of a picture; OSError if it cannot be made."""
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, EVIDENCE_QUALITY])
    if not ok:
        raise OSError(0, "a picture cannot be encoded")
    return data.tobytes()


def find_picture_fault(folder: Path, name: str) -> str | None:
    """What is wrong with a stored picture, None if nothing."""
    try:
        data = read_picture(folder, name)
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"picture {name}: {error.strerror}"
    return None if hashlib.sha256(data).hexdigest() == name else f"picture {name} is not as it was stored"


def find_unshared_pictures(record: Record, game: str) -> set[str]:
    """The pictures of a game that no other one shows: they go after it, so that a kill leaves none that is missed."""
    mine: set[str] = set()
    others: set[str] = set()
    for name, _, event in record.find_events(EVIDENCE):
        (mine if name == game else others).update(picture_names(event))
    return mine - others
