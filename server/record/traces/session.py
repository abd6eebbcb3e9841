"""A recorded session: a folder with pictures, times, profile and events, so that trouble can be played again.

The pictures are judged as they were stored, JPEG losses and all, so that playing them again gives the same events. A
session is also a camera source: the folder of pictures with its recording.json.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from calibration import profile as profiles
from calibration.door import check_inside
from calibration.profile import Profile
from engine.errors import InputError
from engine.game import Game, Position
from engine.match.events import AnotherGame, Event, Moved
from engine.match.referee import new_match
from engine.match.state import Match
from engine.text.positions import to_json
from server.inputs import read_position
from server.masking import mask_passwords
from server.pictures import read_frames
from vision.frames import Frame
from vision.watch.watcher import Watcher

PROFILE, TIMES, EVENTS_FILE, POSITION = "profile.toml", "recording.json", "events.jsonl", "position.json"
SESSION_QUALITY = 92
"""Of the JPEG pictures, 0-100: a frame of 1280x960 takes about 300 KB and is read as the camera's own."""


class GameTally:
    """How many games a recording holds, and their plies in all: a watcher knows those of its last game. Mutable."""

    def __init__(self) -> None:
        self.game_count, self._earlier, self._current = 1, 0, 0

    @property
    def ply_count(self) -> int:
        """Of all games."""
        return self._earlier + self._current

    def note_events(self, events: Iterable[Event], match: Match) -> None:
        """What has followed from a frame; `match` is as it stands after it."""
        for event in events:
            if isinstance(event, Moved):
                self._current = max(self._current, event.ply)
            elif isinstance(event, AnotherGame):
                self.game_count += 1
                self._earlier, self._current = self.ply_count, 0
        self._current = len(match.moves)

    def __str__(self) -> str:
        games = f"{self.game_count} games, " if self.game_count > 1 else ""
        return f"{games}{self.ply_count} plies"


def create_session(folder: Path, profile: Profile, game: Game, start: Position) -> None:
    """Make the folder of a new session, to be sent to others: the camera's password is left out.

    InputError if something is there already: nothing is overwritten.
    """
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"{folder}: is there already; name a folder that is not") from None
    public = replace(profile, rules=game.rules, source=mask_passwords(profile.source))
    (folder / PROFILE).write_text(profiles.dump_profile(public), encoding="utf-8")
    if start != game.start():
        (folder / POSITION).write_text(json.dumps(to_json(game, start)) + "\n", encoding="utf-8")


def record_frames(
    folder: Path, watcher: Watcher, source: Iterable[Frame], tally: GameTally
) -> Generator[tuple[float, int], None, None]:
    """Store each frame, judge the stored picture, store what was said; yields stream time and bytes of each picture.

    The times are written at the end, whatever ended it.
    """
    times: list[float] = []
    try:
        with (folder / EVENTS_FILE).open("w", encoding="utf-8") as events:
            try:
                for number, frame in enumerate(source):
                    ok, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, SESSION_QUALITY])
                    if not ok:
                        raise InputError(f"picture {number} of the camera cannot be stored as JPEG")
                    (folder / f"frame_{number:06}.jpg").write_bytes(data.tobytes())
                    times.append(frame.t)
                    stored = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
                    said = watcher.take_frame(Frame(frame.t, stored))
                    events.writelines(format_events(said))
                    tally.note_events(said, watcher.match)
                    yield frame.t, len(data)
            finally:
                said = watcher.conclude_recording()
                events.writelines(format_events(said))
                tally.note_events(said, watcher.match)
    finally:
        (folder / TIMES).write_text(json.dumps({"t": times}) + "\n", encoding="utf-8")


def replay_session(folder: Path) -> Iterator[str]:
    """The lines that the session's pictures give now. InputError if it is not a session."""
    for name in (PROFILE, TIMES, EVENTS_FILE, POSITION):
        check_inside(folder / name, folder)
    if not (folder / EVENTS_FILE).is_file() or not (folder / PROFILE).is_file():
        raise InputError(f"{folder}: not a recorded session ({PROFILE} and {EVENTS_FILE} belong to one)")
    profile = profiles.load_profile(folder / PROFILE)
    position = folder / POSITION
    game, start = read_position(profile.game, profile.rules, str(position) if position.exists() else None)
    watcher = Watcher(profile, new_match(game, start))
    for frame in read_frames(str(folder)):
        yield from format_events(watcher.take_frame(frame))
    yield from format_events(watcher.conclude_recording())


def format_events(events: Iterable[Event]) -> list[str]:
    """Events as `referee watch` writes them, each with its line end."""
    return [json.dumps(event.to_json()) + "\n" for event in events]
