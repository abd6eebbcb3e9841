"""A board publishes to a real broker: every event once confirmed, state, last will, and Home Assistant's greeting."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.core import ParameterSource

from server.board.hall_link.publisher import Publisher
from server.board.publishing import _build_hall_options
from server.mqtt import wire
from server.mqtt.broker import broker_of
from server.record.journal import Journal
from server.record.store import open_record
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.commands.test_serve import SESSION, serving
from tests.server.hall.parts import Listener, Mosquitto, hall, mosquitto
from tests.server.script import NAME, OPENING

RESTARTS = int(os.environ.get("RESTARTS", "3"))
"""`make soak` makes 20."""
ENTITIES = 13
"""Of a game without clocks: seven sensors, camera and link, four buttons."""
ALL_FIELDS = {
    "availability", "availability_mode", "availability_template", "availability_topic", "default_entity_id", "device",
    "device_class", "enabled_by_default", "encoding", "entity_category", "entity_picture", "icon",
    "json_attributes_template", "json_attributes_topic", "name", "object_id", "origin", "payload_available",
    "payload_not_available", "platform", "qos", "unique_id",
}  # fmt: skip
READ_FIELDS = {"expire_after", "force_update", "state_topic", "value_template"}
FIELDS = {
    "sensor": ALL_FIELDS
    | READ_FIELDS
    | {"last_reset_value_template", "options", "state_class", "suggested_display_precision", "unit_of_measurement"},
    "binary_sensor": ALL_FIELDS | READ_FIELDS | {"off_delay", "payload_off", "payload_on"},
    "button": ALL_FIELDS | {"command_template", "command_topic", "payload_press", "retain"},
}
"""Component -> the fields that its page at home-assistant.io/integrations names: sensor.mqtt, binary_sensor.mqtt,
button.mqtt."""
SAID = set(wire.SCHEMA_OF) - {wire.ANSWERS}
"""What a board says that nobody commands."""
REQUIRED = {"sensor": {"state_topic"}, "binary_sensor": {"state_topic"}, "button": {"command_topic"}}
CLASSES = {"sensor": {"duration"}, "binary_sensor": {"connectivity", "problem"}, "button": set[str]()}
"""Of the device classes of home-assistant.io/integrations/sensor and binary_sensor those that are used."""


def sequences(listener: Listener) -> list[int]:
    return [json.loads(body)["sequence"] for body in listener.on("/events")]


def test_events_and_state_arrive_as_documented(broker: Mosquitto, table: Table) -> None:
    listener = Listener(broker)
    publisher = table.publisher(broker)
    for notation in OPENING:
        table.play(notation)
    wait_until(lambda: len(listener.on("/events")) == 6)
    wait_until(lambda: any(json.loads(body)["events"] == 6 for body in listener.on("/state")))
    publisher.stop_publishing()
    wait_until(lambda: listener.on("/available")[-1:] == [b"offline"])
    listener.close()
    assert sequences(listener) == [1, 2, 3, 4, 5, 6]
    read = [wire.read_message("camelot", topic, body) for topic, body in listener.heard if topic.startswith("camelot/")]
    assert {(board, kind) for board, kind, _ in read} == {("table-1", kind) for kind in SAID}
    (said,) = {said["head"] for _, kind, said in read if kind == wire.STATE and said["events"] == 6}  # type: ignore[index]
    assert said == [said.hash for _, _, said in read if isinstance(said, wire.EventLink)][-1]
    heads = [(said.previous, said.hash) for _, _, said in read if isinstance(said, wire.EventLink)]
    assert all(before[1] == after[0] for before, after in pairwise(heads))
    assert [said for _, kind, said in read if kind == wire.AVAILABLE] == [wire.ONLINE, wire.OFFLINE]


def test_whoever_listens_hears_every_event_after_the_broker_was_killed(broker: Mosquitto, table: Table) -> None:
    listener = Listener(broker)  # first: what is published before anybody listens is heard by nobody
    publisher = table.publisher(broker)
    table.play(OPENING[0])
    wait_until(lambda: set(sequences(listener)) == {1, 2})
    broker.kill()
    table.play(OPENING[1])
    broker.start()  # which of the two finds it first is chance: the retained state tells the listener in any case
    wait_until(lambda: any(json.loads(body)["events"] == 3 for body in listener.on("/state")))
    publisher.stop_publishing()
    listener.close()
    assert table.stored() == {}, "no hall has stored anything, whatever the broker took"


def test_games_from_before_there_was_a_hall_are_not_told(broker: Mosquitto, table: Table) -> None:
    new = Journal(table.record, "camelot-0002")
    new.begin_game(table.script.match)
    listener = Listener(broker)
    publisher = Publisher(broker_of(broker.url), "table-1", table.path, table.script.feed, "camelot-0002")
    publisher.start()
    wait_until(lambda: listener.on("/state"))
    publisher.stop_publishing()
    listener.close()
    assert [json.loads(body)["game"] for body in listener.on("/events")] == ["camelot-0002"]


def test_home_assistant_is_answered_whenever_it_starts(broker: Mosquitto, table: Table) -> None:
    listener = Listener(broker)
    publisher = table.publisher(broker)
    wait_until(lambda: listener.on("link/config"))
    for greeting in range(2, 22):
        listener.client.publish("homeassistant/status", "online", qos=1)
        wait_until(lambda count=greeting: len(listener.on("link/config")) == count)  # type: ignore[misc]
    publisher.stop_publishing()
    listener.close()
    entities = [(topic, json.loads(body)) for topic, body in listener.heard if topic.endswith("/config")]
    assert len({topic for topic, _ in entities}) * 21 == len(entities)
    for topic, said in entities:
        component = topic.split("/")[1]
        assert REQUIRED[component] <= set(said) <= FIELDS[component], topic
        assert {said.get("device_class")} - {None} <= CLASSES[component]
        for where in REQUIRED[component]:
            assert said[where].startswith("camelot/table-1/")
        assert set(said["device"]) <= {"identifiers", "name", "manufacturer"}
        assert topic.split("/")[2] == "camelot-table-1"
    assert len({said["unique_id"] for _, said in entities}) == len({topic for topic, _ in entities})


def test_after_each_restart_of_the_broker_everything_is_announced_again(broker: Mosquitto, table: Table) -> None:
    """It had kept nothing: who asks it afterwards finds every entity, and the state, as before."""
    publisher = table.publisher(broker)

    def retained() -> dict[str, bytes]:
        asking = Listener(broker)
        wait_until(lambda: len([topic for topic, _ in asking.heard if topic.endswith("/config")]) >= ENTITIES)
        wait_until(lambda: asking.on("/available")[-1:] == [b"online"])
        wait_until(
            lambda: asking.on("/health") and any(json.loads(body)["events"] == 1 for body in asking.on("/state"))
        )
        asking.close()
        return {
            topic: body
            for topic, body in asking.heard
            if not topic.endswith(("/events", "/state", "/health", "/pulse"))
        }

    first = retained()
    for _ in range(RESTARTS):
        broker.kill()
        broker.start()
        assert retained() == first
    publisher.stop_publishing()


def test_a_board_that_dies_is_said_to_be_offline(broker: Mosquitto) -> None:
    """Its last will speaks; the connection is cut as by a power cut."""
    listener = Listener(broker, "camelot/+/available")
    dying = broker_of(broker.url).create_client("camelot-table-9")
    dying.will_set("camelot/table-9/available", wire.OFFLINE, qos=1, retain=True)
    dying.connect("127.0.0.1", broker.port)
    dying.loop_start()
    wait_until(dying.is_connected)
    socket = dying.socket()
    assert socket is not None
    dying.loop_stop()
    socket.close()
    wait_until(lambda: listener.on("/available"))
    listener.close()
    assert listener.on("/available") == [b"offline"]


def test_serve_publishes_its_record_to_the_last_event(broker: Mosquitto, tmp_path: Path) -> None:
    listener, path = Listener(broker, "camelot/#"), tmp_path / "played.sqlite3"
    picture = str(SESSION / "frame_0000.jpg")
    with serving(path, "--camera", picture, "--hall", broker.url, "--board-name", "table-3"):
        wait_until(lambda: listener.on("/state"))
    wait_until(lambda: listener.on("/available")[-1:] == [b"offline"])
    listener.close()
    with open_record(path) as record:
        links = record.read_links(NAME, 0, 1000)
    read = [wire.read_message("camelot", topic, body)[2] for topic, body in listener.heard if topic.endswith("/events")]
    assert [(said.sequence, said.hash) for said in read if isinstance(said, wire.EventLink)] == [
        (number, head) for number, _, _, head in links
    ]
    assert links


def test_a_board_says_itself_that_no_hall_follows_it(tmp_path: Path) -> None:
    """No hall at the broker, then one, then a broker that is gone; and a record that is another than the stored one."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with mosquitto(tmp_path) as broker:
        table, other = Table(tmp_path / "one"), Table(tmp_path / "other", begun="2026-11-25T10:00:00+00:00")
        assert table.script.feed.vitals.hall() is None
        publisher = table.publisher(broker)
        said = table.script.feed.vitals.hall
        assert said() == "ok", "not before it had time"
        wait_until(lambda: "no hall is heard" in str(said()))
        with hall(broker, str(tmp_path / "hall.sqlite3")):
            wait_until(lambda: said() == "ok" and table.stored() == {NAME: 1})
            broker.kill()
            wait_until(lambda: "refused" in str(said()))
            broker.start()
            wait_until(lambda: said() == "ok")
            publisher.stop_publishing()
            other_one = other.publisher(broker)
            wait_until(lambda: "another record" in str(other.script.feed.vitals.hall()))
            other_one.stop_publishing()
        table.record.close_file()
        other.record.close_file()


@pytest.mark.parametrize("source", [ParameterSource.DEFAULT_MAP, ParameterSource.COMMANDLINE])
def test_a_board_that_has_joined_says_at_each_start_to_which_hall_it_publishes(
    source: ParameterSource, capsys: pytest.CaptureFixture[str]
) -> None:
    """But to whoever has just named it."""
    with click.Context(click.Command("serve")) as context:
        context.set_parameter_source("hall_url", source)
        made = _build_hall_options("mqtts://table-7:secret@hall.example:8883/camelot?pin=x", None, ())
    assert made is not None and made.board == "table-7"
    said = "This board publishes to the hall at hall.example as table-7.\n"
    assert capsys.readouterr().out == ("" if source is ParameterSource.COMMANDLINE else said)
