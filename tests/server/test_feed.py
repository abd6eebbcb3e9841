"""The feed: the writer never waits, and a listener gets every event once or is told that it missed some."""

from __future__ import annotations

import json
import threading
from itertools import islice

from server.feed import Feed, Message


def numbers(messages: list[Message]) -> list[int]:
    return [json.loads(message.text)["n"] for message in messages if message.kind == "event"]


def test_a_listener_gets_what_was_and_what_comes() -> None:
    feed = Feed()
    for n in range(3):
        feed.publish({"n": n})
    heard = feed.listen(0)
    assert numbers(list(islice(heard, 3))) == [0, 1, 2]
    threading.Timer(0.05, feed.publish, [{"n": 3}]).start()
    assert numbers([next(heard)]) == [3]


def test_one_that_comes_back_goes_on_where_it_was() -> None:
    feed = Feed()
    for n in range(5):
        feed.publish({"n": n})
    assert numbers(list(islice(feed.listen(3), 2))) == [3, 4]


def test_a_slow_listener_is_told_that_it_missed_some() -> None:
    feed = Feed(keep=10)
    heard = feed.listen(0)
    feed.publish({"n": 0})
    next(heard)
    for n in range(1, 100):
        feed.publish({"n": n})
    assert next(heard) == Message("reset", 100)
    feed.publish({"n": 100})
    assert numbers([next(heard)]) == [100]


def test_an_id_from_another_run_is_a_reset() -> None:
    feed = Feed()
    feed.publish({"n": 0})
    assert next(feed.listen(-1)).kind == "reset"
    assert next(feed.listen(500)).kind == "reset"


def test_only_the_newest_snapshot_is_told_and_only_when_it_differs() -> None:
    feed = Feed()
    feed.show({"ply": 0, "t": 0.0})
    heard = feed.listen(0, snapshots=True)
    assert json.loads(next(heard).text) == {"ply": 0, "t": 0.0}
    feed.show({"ply": 0, "t": 1.0})
    feed.show({"ply": 1, "t": 2.0})
    feed.show({"ply": 2, "t": 3.0})
    assert json.loads(next(heard).text) == {"ply": 2, "t": 3.0}
    assert feed.snapshot == {"ply": 2, "t": 3.0}


def test_pictures_skip_what_nobody_could_see() -> None:
    feed = Feed()
    feed.picture(b"one")
    seen = feed.pictures(least_s=0.0)
    assert next(seen) == b"one"
    feed.picture(b"two")
    feed.picture(b"three")
    assert next(seen) == b"three"


def test_pictures_are_wanted_only_while_somebody_looks() -> None:
    feed = Feed()
    assert not feed.picture_wanted
    assert feed.jpeg is None
    assert feed.picture_wanted


def test_closing_ends_every_listener() -> None:
    feed = Feed()
    ended = []
    threads = [
        threading.Thread(target=lambda: ended.append(list(feed.listen(0)))),
        threading.Thread(target=lambda: ended.append(list(feed.pictures(0.0)))),
    ]
    for thread in threads:
        thread.start()
    feed.close()
    for thread in threads:
        thread.join(timeout=5)
    assert ended == [[], []]
