"""What spectators are told: everything, in order, and nothing sooner than the delay."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.match.events import CAUSES
from server.board.live.visibility import Visibility
from server.board.pages.app import Running, create_app
from server.spectators.broadcast import MOST_WAITING, Broadcast
from server.web.feed import Feed
from tests.server.script import OPENING, Script

DELAY_S = 60.0


def test_nothing_is_told_before_its_time_and_then_everything() -> None:
    feed = Feed()
    broadcast = Broadcast(feed, DELAY_S)
    for t in range(5):
        broadcast.hold_event(float(t), {"t": t, "event": "move"})
        broadcast.hold_snapshot(float(t), {"ply": t + 1, "hints": {"A1": ["A2"]}, "leds": {"A1": {}}})
    broadcast.publish_due(DELAY_S - 0.1)
    assert feed.newest_snapshot is None
    for t in range(5):
        broadcast.publish_due(DELAY_S + t)
        assert feed.newest_snapshot == {"ply": t + 1, "hints": {}, "leds": {}, "late": DELAY_S}
    told = [message.text for message in feed.read_news(0)[0]]
    assert told == [f'{{"t": {t}, "event": "move"}}' for t in range(5)]


def test_what_waits_is_bounded_and_never_told_early() -> None:
    """However much happens before the delay is over: the last snapshot and all events of a long game are kept."""
    feed, delay_s = Feed(), 1e6
    broadcast = Broadcast(feed, delay_s)
    for t in range(2 * MOST_WAITING):
        broadcast.hold_snapshot(float(t), {"ply": t})
        if t % 100 == 0:
            broadcast.hold_event(float(t), {"t": t, "event": "move"})
    assert feed.newest_snapshot is None
    assert not feed.read_news(0)[0]
    broadcast.publish_due(delay_s + 2 * MOST_WAITING)
    assert feed.newest_snapshot is not None
    assert feed.newest_snapshot["ply"] == 2 * MOST_WAITING - 1


@settings(max_examples=100, deadline=None)
@given(
    st.floats(0.0, 3600.0),
    st.lists(st.tuples(st.floats(0.0, 600.0), st.sampled_from(["event", "snapshot", "time"])), max_size=100),
)
def test_no_event_is_found_before_its_delay(delay_s: float, steps: list[tuple[float, str]]) -> None:
    """A hundred drawn games of up to a hundred steps: after each, nothing in the feed is younger than the delay."""
    feed, now = Feed(), 0.0
    broadcast = Broadcast(feed, delay_s)
    for passes_s, what in steps:
        now += passes_s
        if what == "event":
            broadcast.hold_event(now, {"t": now, "event": "move"})
        elif what == "snapshot":
            broadcast.hold_snapshot(now, {"t": now})
        else:
            broadcast.publish_due(now)
        told = [json.loads(message.text)["t"] for message in feed.read_news(0)[0]]
        shown = [] if feed.newest_snapshot is None else [float(str(feed.newest_snapshot["t"]))]
        assert all(t + delay_s <= now for t in (*told, *shown))


def test_without_a_delay_it_is_told_at_once() -> None:
    feed = Feed()
    Broadcast(feed, 0.0).hold_snapshot(3.0, {"ply": 0})
    assert feed.newest_snapshot is not None


def test_spectators_are_told_that_the_board_is_not_seen_but_not_where_the_camera_is() -> None:
    feed = Feed()
    unseen = Visibility()
    unseen.report_camera_lost(3.0, "camera rtsp://somebody:password@192.168.0.9: gives no more pictures")
    Broadcast(feed, 0.0).hold_snapshot(3.0, {"ply": 0, "cannot_see": unseen.to_json()})
    assert (feed.newest_snapshot or {})["cannot_see"] == {
        "cause": "no-picture",
        "message": CAUSES["no-picture"],
        "since": 3.0,
    }


def test_spectators_are_not_woken_by_what_is_waited_for() -> None:
    feed, rung = Feed(), list[int]()
    broadcast = Broadcast(feed, 0.0)
    feed.add_bell(lambda: rung.append(1))
    for share in (0.31, 0.32, 0.33):
        broadcast.hold_snapshot(
            3.0, {"ply": 0, "waits": [{"rule": "cells-not-seen", "measured": share, "limit": 0.04}]}
        )
    assert feed.newest_snapshot is not None
    assert feed.newest_snapshot["waits"] == []
    assert len(rung) == 1


def test_spectators_cannot_ask_for_what_is_held_back() -> None:
    players, spectators = Feed(), Feed()
    script = Script(players)
    client = create_app(players, print, script.game, running=Running(spectators=spectators)).test_client()
    assert client.get("/api/v1/spectator/game").status_code == 503
    Broadcast(spectators, 0.0).hold_snapshot(0.0, dict(players.newest_snapshot or {}))
    script.play(OPENING[0])
    assert client.get("/api/v1/game").json["ply"] == 1
    assert client.get("/api/v1/spectator/game").json["ply"] == 0
    page = client.get("/spectator").text
    assert 'data-feed="/api/v1/spectator"' in page
    assert "data-ask" not in page
