"""The one door for payloads: what is not as documented is refused with a line, whatever it is, and nothing breaks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from server.mqtt import wire
from server.mqtt.broker import broker_of, check_name
from server.record.chain import encode_event, genesis_hash, hash_event

EVENT: dict[str, object] = {"event": "move", "ply": 1, "t": 1.1, "notation": "E6-C8"}
GOOD = wire.EventLink(
    "table-1",
    "camelot-0001",
    1,
    genesis_hash("camelot-0001"),
    hash_event(genesis_hash("camelot-0001"), encode_event(EVENT)),
    EVENT,
)
TOPIC = "camelot/table-1/events"
DOCUMENT = Path(__file__).parents[3] / "docs" / "hall.md"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


def test_what_is_published_is_what_is_read() -> None:
    assert wire.read_message("camelot", TOPIC, GOOD.to_payload()) == ("table-1", wire.EVENTS, GOOD)


@pytest.mark.parametrize(
    "change",
    [
        {"board": "table-2"},
        {"sequence": 0},
        {"sequence": 1.5},
        {"hash": "0" * 64},
        {"game": "../x"},
        {"event": {"event": "move", "ply": 2}},
        {"event": []},
        {"previous": None},
    ],
)
def test_a_changed_event_is_refused(change: dict[str, object]) -> None:
    body = json.dumps(json.loads(GOOD.to_payload()) | change).encode()
    with pytest.raises(InputError, match="camelot/table-1/events"):
        wire.read_message("camelot", TOPIC, body)


def test_what_a_newer_board_says_beside_is_no_fault() -> None:
    body = json.dumps(json.loads(GOOD.to_payload()) | {"more": 1}).encode()
    assert wire.read_message("camelot", TOPIC, body)[2] == GOOD
    health = {"board": "table-1", "version": "9.0", "camera": "ok", "lights": "", "fit": 90, "records": {}, "heat": 40}
    assert wire.read_message("camelot", "camelot/table-1/health", json.dumps(health).encode())[2] == health


@given(
    st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()),
    st.sampled_from([*wire.SCHEMA_OF, "x", ""]),
)
def test_nothing_odd_comes_through(body: bytes, kind: str) -> None:
    try:
        _, _, said = wire.read_message("camelot", f"camelot/table-1/{kind}", body)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert said in (wire.ONLINE, wire.OFFLINE)


@given(st.dictionaries(st.sampled_from(["board", "sequence", "game", "hash", "previous", "event"]), JSON))
def test_no_odd_field_comes_through(change: dict[str, object]) -> None:
    said = json.loads(GOOD.to_payload())
    try:
        read = wire.read_message("camelot", TOPIC, json.dumps(said | change).encode())
    except InputError:
        return
    assert read[2] == GOOD


@pytest.mark.parametrize(
    ("name", "is_taken"), [("Łukasz Żółć-O’Neil", True), ("\u202ennA", False), ("An\u200bn", False)]
)
def test_a_name_that_does_not_show_as_it_is_written_is_no_state(name: str, is_taken: bool) -> None:
    """A board's own page refuses it; from a stolen account it came to the hall's."""
    unknown = dict.fromkeys(("last", "clocks", "result", "reason", "note", "cannot_see"))
    said = {
        "board": "table-1",
        "name": "camelot-0001",
        "events": 3,
        "game": "camelot",
        "rules": "wcf",
        "phase": "playing",
    }
    said |= {"side": "white", "ply": 0, "cells": {}, "players": {"white": name}} | unknown
    body = json.dumps(said).encode()
    if is_taken:
        assert wire.read_message("camelot", "camelot/table-1/state", body)[2] == said
    else:
        with pytest.raises(InputError, match="does not show: leave it out"):
            wire.read_message("camelot", "camelot/table-1/state", body)


def test_a_message_that_is_too_large_is_not_even_read() -> None:
    with pytest.raises(InputError, match="at most"):
        wire.read_message("camelot", TOPIC, b"[" * (wire.LARGEST_MESSAGE + 1))
    with pytest.raises(InputError):
        wire.read_message("camelot", TOPIC, b"[" * 60_000)


@pytest.mark.parametrize("url", ["", "http://host", "mqtt://", "mqtt://host:x/", "mqtt://host/a/b", "mqtt://h?x=1"])
def test_a_broker_that_cannot_be_used_is_named(url: str) -> None:
    with pytest.raises(InputError):
        broker_of(url)


def test_a_brokers_password_is_not_shown() -> None:
    broker = broker_of("mqtts://table-1:secret@hall.example/club?ca=/etc/ca.pem")
    assert (broker.port, broker.prefix, broker.user, broker.password) == (8883, "club", "table-1", "secret")
    assert "secret" not in f"{broker!r} {broker}"
    with pytest.raises(InputError) as error:
        broker_of("mqtt://me:secret@host:0x1/club")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("name", ["", "+", "#", "a/b", "A", "-a", "x" * 41, "ä"])
def test_a_name_that_is_no_level_of_a_topic_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        check_name(name, "board")


def test_the_document_has_every_field() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    schemas = json.loads(Path(wire.__file__).with_name("schemas.json").read_text(encoding="utf-8"))
    for schema in schemas.values():
        for name in schema.get("properties", {}):
            assert f"`{name}`" in text, name
