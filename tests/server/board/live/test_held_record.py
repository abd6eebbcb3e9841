"""Another program holds the record: frames go on, nothing is told that is not written, and nothing is lost."""

from __future__ import annotations

import queue
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from server.board.live.camera import RecordingEnded
from server.board.live.service import Item, Service
from server.board.upkeep import held
from server.board.upkeep.held import Steps
from server.record.evidence import PictureEvidence, Store, folder_of
from server.record.journal import Journal
from server.record.store import open_record, read_record
from server.record.verifying import find_record_faults
from server.waits import RecordHeld
from server.web.feed import Feed
from tests.server.board.live.seen_once import FRAMES, SeenOnce, film

SAID = f"{RecordHeld.says}; {held.MEANWHILE}"
HELD_FROM, HELD_TO = 20, 90
"""Frames of the film: the first plies are played between them."""


def play(file: Path, taken: Callable[[int, Feed], object], limit: int = 10**9) -> list[dict[str, object]]:
    """The record of the first part of the bundled game; `taken` is called after each frame."""
    watcher, feed, inbox, shown = SeenOnce(), Feed(), queue.SimpleQueue[Item](), iter(film())
    with open_record(file) as record:
        journal = Journal(record, "game")
        journal.begin_game(watcher.match)
        service = Service(watcher, journal, feed, inbox=inbox)
        service.set_evidence(PictureEvidence(Store(folder_of(file), limit), watcher.match.game.board))

        def next_one() -> None:
            taken(service.frames, feed)
            inbox.put(next(shown, RecordingEnded()))

        inbox.put(next(shown))
        service.run_loop(next_one)
        return record.read_events("game")


def told(feed: Feed) -> list[str]:
    return [message.text for message in feed.read_news(0)[0]]


def test_frames_go_on_and_all_is_written_and_told_later_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual: list[str] = []
    expected = play(tmp_path / "free.sqlite3", lambda _, feed: usual.__setitem__(slice(None), told(feed)))
    monkeypatch.setattr(held, "SAID_AFTER_S", 0.0)
    monkeypatch.setattr(held, "RETRY_S", 0.01)
    file, heard = tmp_path / "held.sqlite3", dict[int, list[str]]()
    said: list[object] = []
    with closing(sqlite3.connect(file, isolation_level=None)) as other:

        def taken(number: int, feed: Feed) -> None:
            heard[number] = told(feed)
            said.append((feed.newest_snapshot or {}).get("record"))
            if number == HELD_FROM:
                other.execute("BEGIN IMMEDIATE")
            if number == HELD_TO:
                other.execute("ROLLBACK")

        kept = play(file, taken)
    assert len(heard) == FRAMES, "every frame was taken"
    assert kept == expected
    assert [text for text in heard[FRAMES] if "record-waits" not in text] == usual
    waiting = [text for text in heard[HELD_TO] if text not in heard[HELD_FROM]]
    assert [text for text in waiting if "record-waits" not in text] == [], "told before it was written"
    assert len(waiting) == 1 and len(usual) > len(heard[HELD_FROM])
    assert set(said) == {None, SAID} and said[-1] is None
    with open_record(file) as record:
        assert find_record_faults(record, folder_of(file)) == ([], 1)


def test_pictures_make_room_only_when_the_record_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill while the record is held: what it names is there."""
    monkeypatch.setattr(held, "RETRY_S", 0.01)
    file = tmp_path / "games.sqlite3"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:

        def taken(number: int, _: Feed) -> None:
            if number == HELD_FROM:
                other.execute("BEGIN IMMEDIATE")
            if HELD_FROM <= number < HELD_TO:
                with read_record(file) as reader:
                    assert find_record_faults(reader, folder_of(file))[0] == []
            if number == HELD_TO:
                other.execute("ROLLBACK")

        play(file, taken, limit=300_000)
    with open_record(file) as record:
        assert find_record_faults(record, folder_of(file)) == ([], 1)
        assert any(event["event"] == "evidence-removed" for event in record.read_events("game"))


class Wall:
    """A clock that the test sets."""

    t = 0.0

    def __call__(self) -> float:
        return self.t


def test_steps_keep_their_order_and_are_said_to_wait_once() -> None:
    clock, said, done, free = Wall(), list[str](), list[int](), [True]
    steps = Steps(said.append, clock)

    def step(number: int) -> Callable[[], None]:
        def act() -> None:
            if not free[0]:
                raise RecordHeld("held")
            done.append(number)

        return act

    steps.do_step(step(1))
    free[0] = False
    for number in (2, 3, 4):
        steps.do_step(step(number))
    assert (done, steps.waiting_count, steps.retry_steps()) == ([1], 3, False)
    for clock.t in (0.3, 1.2, 2.4, 60.0):
        assert not steps.retry_steps()
    assert said == [SAID]
    free[0] = True
    steps.do_step(step(5))
    assert done == [1], "nobody overtakes"
    clock.t += held.RETRY_S
    assert steps.retry_steps()
    assert (done, steps.waiting_count) == ([1, 2, 3, 4, 5], 0)


def test_one_that_never_lets_go_ends_the_game_in_the_end() -> None:
    clock = Wall()
    steps = Steps(print, clock)

    def never() -> None:
        raise RecordHeld("held")

    steps.do_step(never)
    clock.t = held.LONGEST_LOCK_S + 1.0
    with pytest.raises(RecordHeld):
        steps.retry_steps()
