"""The feed: the writer never waits, and a listener gets every event once or is told that it missed some."""

from __future__ import annotations

import json

from server.web.feed import Feed, Message


def numbers(messages: list[Message]) -> list[int]:
    return [json.loads(message.text)["n"] for message in messages if message.kind == "event"]


def test_a_listener_gets_what_was_and_what_comes() -> None:
    feed = Feed()
    for n in range(3):
        feed.publish_event({"n": n})
    messages, last_id, _ = feed.read_news(0)
    assert numbers(messages) == [0, 1, 2]
    assert feed.read_news(last_id)[0] == []
    rung: list[int] = []
    feed.add_bell(lambda: rung.append(feed.read_news(0)[1]))
    feed.publish_event({"n": 3})
    assert numbers(feed.read_news(last_id)[0]) == [3]
    assert rung == [4], "who is woken finds the news"


def test_one_that_comes_back_goes_on_where_it_was() -> None:
    feed = Feed()
    for n in range(5):
        feed.publish_event({"n": n})
    assert numbers(feed.read_news(3)[0]) == [3, 4]


def test_a_slow_listener_is_told_that_it_missed_some() -> None:
    feed = Feed(keep=10)
    feed.publish_event({"n": 0})
    _, last_id, _ = feed.read_news(0)
    for n in range(1, 100):
        feed.publish_event({"n": n})
    messages, last_id, _ = feed.read_news(last_id)
    assert messages == [Message("reset", 100)]
    feed.publish_event({"n": 100})
    assert numbers(feed.read_news(last_id)[0]) == [100]


def test_an_id_from_another_run_is_a_reset() -> None:
    feed = Feed()
    feed.publish_event({"n": 0})
    for last_id in (-1, 500):
        assert [message.kind for message in feed.read_news(last_id)[0]] == ["reset"]


def test_only_the_newest_snapshot_is_told_and_only_when_it_differs() -> None:
    feed = Feed()
    feed.update_snapshot({"ply": 0, "t": 0.0})
    messages, last_id, version = feed.read_news(0, 0)
    assert [json.loads(message.text) for message in messages] == [{"ply": 0, "t": 0.0}]
    feed.update_snapshot({"ply": 0, "t": 1.0})
    assert feed.read_news(last_id, version)[0] == []
    feed.update_snapshot({"ply": 1, "t": 2.0})
    feed.update_snapshot({"ply": 2, "t": 3.0})
    assert [json.loads(message.text) for message in feed.read_news(last_id, version)[0]] == [{"ply": 2, "t": 3.0}]
    assert feed.read_news(last_id)[0] == [], "it did not ask for snapshots"
    assert feed.newest_snapshot == {"ply": 2, "t": 3.0}


def test_listeners_are_told_whose_clock_runs_and_not_every_second_of_it() -> None:
    """A clock that was pressed before its move ran on on every open page, and the other's stood."""
    feed = Feed()
    feed.update_snapshot({"clocks": {"left": {"white": 60.0, "black": 60.0}, "running": "white"}})
    _, last_id, version = feed.read_news(0, 0)
    feed.update_snapshot({"clocks": {"left": {"white": 59.0, "black": 60.0}, "running": "white"}})
    assert feed.read_news(last_id, version)[0] == []
    feed.update_snapshot({"clocks": {"left": {"white": 59.0, "black": 60.0}, "running": "black"}})
    assert len(feed.read_news(last_id, version)[0]) == 1


def test_pictures_skip_what_nobody_could_see() -> None:
    feed = Feed()
    assert feed.newest_picture() == (0, None)
    feed.update_picture(b"one")
    feed.update_picture(b"two")
    assert feed.newest_picture() == (2, b"two")


def test_pictures_are_wanted_only_while_somebody_looks() -> None:
    feed = Feed()
    assert not feed.picture_wanted
    assert feed.newest_jpeg is None
    assert feed.picture_wanted


def test_closing_wakes_every_listener() -> None:
    feed = Feed()
    rung: list[bool] = []
    feed.add_bell(lambda: rung.append(feed.is_closed))
    feed.end_listeners()
    assert rung == [True]
