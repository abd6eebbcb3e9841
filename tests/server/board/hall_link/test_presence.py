"""What a board knows of the hall: a wrong clock of its own refuses no command that is in time by the hall's."""

from __future__ import annotations

import json

import paho.mqtt.client as mqtt
import pytest

from engine.match.acts import Pause
from server.board.hall_link.commands import Commands
from server.board.hall_link.presence import Presence
from server.mqtt import wire
from server.web.feed import Feed

NOW = 1_700_000_000.0
"""By the hall's clock."""


def heard(at: float, store: str = "one", retained: bool = False) -> mqtt.MQTTMessage:
    made = mqtt.MQTTMessage(topic=b"camelot/hall/pulse")
    made.payload = json.dumps({"store": store, "run": "x", "at": at}).encode()
    made.retain = retained
    return made


@pytest.mark.parametrize("ahead_s", [-7200.0, 0.0, 600.0])
def test_commands_are_reckoned_by_the_halls_clock(ahead_s: float) -> None:
    told: list[object] = []
    feed = Feed()
    feed.update_snapshot({"mode": "training"})
    presence = Presence("camelot", lambda: NOW + ahead_s, lambda: 5.0)
    commands = Commands("camelot", "table-1", feed, told.append, presence.hall_time)
    for late_s in (3.0, 0.1, 7.0):  # the fastest says how far the clocks are apart
        presence.handle_message(heard(NOW - late_s))
    asked = {"id": "x-1", "expires": NOW + 60, "role": "arbiter", "who": "Anna", "do": "pause"}
    for expires, name in ((NOW + 60, "x-1"), (NOW - 1, "x-2"), (NOW + 2 * wire.LONGEST_EXPIRY_S, "x-3")):
        made = mqtt.MQTTMessage(topic=b"camelot/table-1/commands/arbiter")
        made.payload = json.dumps(asked | {"expires": expires, "id": name}).encode()
        commands.handle_message(made)
    assert told == [Pause(by="arbiter")]
    assert [(said["id"], said["taken"]) for said in commands.drain_answers()] == [
        ("x-1", True),
        ("x-2", False),
        ("x-3", False),
    ]
    assert commands.drain_answers() == []


def test_a_hall_is_there_while_it_is_heard() -> None:
    now = [100.0]
    presence = Presence("camelot", lambda: NOW, lambda: now[0])
    assert (presence.is_there, presence.store, presence.hall_time()) == (False, "", NOW)
    presence.handle_message(heard(NOW, retained=True))
    assert not presence.is_there, "who knows how long ago that was"
    presence.handle_message(heard(NOW, "one"))
    assert (presence.is_there, presence.store) == (True, "one")
    now[0] += wire.NOT_HEARD_S
    assert (presence.is_there, presence.store) == (False, "one")
