"""A recording that is explained: it waits for its reader, stands still where there is something to read, and skips."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import server
from engine.errors import InputError
from server.board.live.narrator import PAUSE, PLAY_ON, SKIP, Cue, Narrator, read_cues
from server.web.feed import Feed
from tests.patience import PATIENCE_S
from vision.frames import Frame

DEMO = Path(server.__file__).with_name("demo")
BLACK = np.zeros((4, 4, 3), np.uint8)
FAR_TOO_LONG_S = 10 * PATIENCE_S


def recording(count: int = 8, fps: float = 100.0) -> Iterator[Frame]:
    return (Frame(number / fps, BLACK) for number in range(count))


class Reader:
    """Plays a recording in a thread, as the camera does, and referees each frame by `answer`."""

    def __init__(self, narrator: Narrator, feed: Feed, events: dict[int, str]) -> None:
        self.taken: list[float] = []
        self._narrator, self._feed, self._events = narrator, feed, events
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for number, frame in enumerate(self._narrator.play_frames(recording())):
            self.taken.append(frame.t)
            if number in self._events:
                self._feed.publish_event({"event": self._events[number]})
            self._narrator.mark_frame_done()

    def until_caption(self, caption: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while (self._feed.newest_snapshot or {}).get("film", {}).get("caption") != caption:  # type: ignore[attr-defined]
            assert time.monotonic() < end, self._feed.newest_snapshot
            time.sleep(0.005)


@pytest.fixture
def feed() -> Feed:
    feed = Feed()
    feed.update_snapshot({"ply": 0})
    feed.read_news(0, 0)  # a page listens
    return feed


def test_what_happened_is_shown_before_the_next_frame_until_somebody_skips(feed: Feed) -> None:
    cues = [Cue("refused", "illegal", None, FAR_TOO_LONG_S), Cue("later", None, 0.06, FAR_TOO_LONG_S)]
    narrator = Narrator(feed, cues)
    reader = Reader(narrator, feed, {2: "illegal"})
    reader.until_caption("refused")
    assert len(reader.taken) == 3
    narrator.control_playback(SKIP)
    reader.until_caption("later")
    assert len(reader.taken) == 6
    narrator.control_playback(SKIP)
    reader.thread.join(PATIENCE_S)
    assert len(reader.taken) == 8
    assert feed.newest_snapshot is not None and feed.newest_snapshot["film"] == {
        "caption": "later", "paused": False, "step": 2, "of": 2, "over": True
    }  # fmt: skip


def test_a_pause_lasts_until_it_is_to_go_on(feed: Feed) -> None:
    narrator = Narrator(feed, [Cue("first", None, 0.0, 0.0)])
    narrator.control_playback(PAUSE)
    reader = Reader(narrator, feed, {})
    reader.until_caption("first")
    reader.thread.join(0.2)
    assert reader.thread.is_alive() and not reader.taken
    narrator.control_playback(PLAY_ON)
    reader.thread.join(PATIENCE_S)
    assert len(reader.taken) == 8


def test_an_event_that_does_not_come_holds_up_nothing(feed: Feed) -> None:
    narrator = Narrator(feed, [Cue("never", "result", None, FAR_TOO_LONG_S), Cue("then", None, 0.02, 0.0)])
    reader = Reader(narrator, feed, {})
    reader.thread.join(PATIENCE_S)
    assert len(reader.taken) == 8


def test_closing_ends_it_wherever_it_stands(feed: Feed) -> None:
    narrator = Narrator(feed, [Cue("long", None, 0.0, FAR_TOO_LONG_S)])
    reader = Reader(narrator, feed, {})
    reader.until_caption("long")
    narrator.stop_playback()
    reader.thread.join(PATIENCE_S)
    assert not reader.thread.is_alive()


def test_the_bundled_captions_come_in_the_order_of_what_is_seen() -> None:
    """Each that waits for an event has it in what the referee says of the recording, after those before it."""
    told = [json.loads(line) for line in (DEMO / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    t = 0.0
    for cue in read_cues(DEMO / "captions.toml"):
        if cue.at is not None:
            assert cue.at >= t, cue.caption
            t = cue.at
        else:
            t = next(event["t"] for event in told if event["event"] == cue.after and event["t"] >= t)
    assert {"refused", "result"} <= {cue.caption for cue in read_cues(DEMO / "captions.toml")}


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    for text in ("[[cue]]", "cue = 3", "no toml ["):
        (tmp_path / "captions.toml").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="captions"):
            read_cues(tmp_path / "captions.toml")


def test_it_stands_still_while_the_game_is_paused_and_no_skip_goes_past_that(feed: Feed) -> None:
    feed.update_snapshot({"ply": 0, "phase": "paused"})
    narrator = Narrator(feed, [Cue("later", None, 0.06, 0.0)])
    reader = Reader(narrator, feed, {})
    narrator.control_playback(SKIP)
    reader.thread.join(0.3)
    assert reader.thread.is_alive() and not reader.taken
    feed.update_snapshot({"ply": 0, "phase": "playing"})
    reader.thread.join(PATIENCE_S)
    assert len(reader.taken) == 8
