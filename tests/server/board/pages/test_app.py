"""The web interface: what it answers, what it hands to the main loop, and whom it refuses."""

from __future__ import annotations

import http.client
import json
import queue
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from device.lights import draw_match
from engine.match.acts import (
    Act,
    AddTime,
    Adjourn,
    AgreeDraw,
    AsPlayed,
    BringBack,
    ClaimDraw,
    Correct,
    CountLost,
    Forfeit,
    NewGame,
    Pause,
    Press,
    Resign,
    Resume,
    SetPosition,
    Undo,
)
from engine.match.arbiter import apply_act
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from server.board.live.snapshot import build_snapshot
from server.board.pages.app import create_app
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from server.web.site import Site
from server.web.streams import MOST_PICTURES
from tests.patience import PATIENCE_S
from tests.server.script import Script, states
from tests.server.served import serve_app


@pytest.fixture
def feed() -> Feed:
    return Feed()


@pytest.fixture
def script(feed: Feed) -> Script:
    return Script(feed)


@pytest.fixture
def client(feed: Feed, script: Script, inbox: queue.SimpleQueue[Act]) -> FlaskClient:
    return create_app(feed, inbox.put, script.game, visitors=Visitors(hosts=("referee.local",))).test_client()


@pytest.fixture
def site(feed: Feed, script: Script) -> Iterator[Site]:
    site = serve_app(create_app(feed, print, script.game))
    yield site
    feed.end_listeners()
    site.stop_server()


def test_the_game_as_json(client: FlaskClient, script: Script) -> None:
    script.play("E6-E5")
    game = client.get("/api/v1/game").get_json()
    assert {key: game[key] for key in ("game", "rules", "phase", "side", "ply", "fit", "outcome", "note")} == {
        "game": "camelot",
        "rules": "wcf",
        "phase": "playing",
        "side": "black",
        "ply": 1,
        "fit": 97,
        "outcome": None,
        "note": None,
    }
    assert game["clocks"] is None
    assert (game["cells"]["E5"], "E6" in game["cells"], len(game["cells"])) == ("WM", False, 28)
    assert game["moves"] == [
        {
            "ply": 1,
            "side": "white",
            "notation": "E6-E5",
            "from": "E6",
            "to": "E5",
            "captured": [],
            "confidence": 0.998,
            "as_played": None,
            "position_set": False,
            "spent": None,
            "t": 4.2,
        }
    ]
    assert game["last"] == {"from": "E6", "to": "E5", "captured": []}
    assert game["leds"]["E5"]["shape"] == "solid"
    assert game["hints"]["D10"]


def test_the_clocks_as_json(script: Script) -> None:
    match = with_clock(script.match, parse_control("60s"))
    match, _ = apply_act(match, Correct(1, "E6-E5"), 10.0)
    shown = build_snapshot(match, draw_match(match), 97, 12.0)
    assert shown["clocks"] == {"left": {"white": 60.0, "black": 58.0}, "running": "black", "held": False}


def test_every_phase_has_a_snapshot(client: FlaskClient, script: Script) -> None:
    phases = [client.get("/api/v1/game").get_json()["phase"] for _ in states(script)]
    expected = "playing playing lifted trouble partial unclear set-up blind paused adjourned over"
    assert phases == expected.split()


@pytest.mark.parametrize(
    ("path", "body", "asked"),
    [
        ("undo", {}, Undo(1)),
        ("undo", {"plies": 3}, Undo(3)),
        ("correct", {"ply": 2, "notation": " E6-E5 "}, Correct(2, "E6-E5")),
        ("correct", {"ply": 1, "notation": "E6-E5", "by": "arbiter"}, Correct(1, "E6-E5", by="arbiter")),
        ("correct", {"ply": 2, "notation": "F10\u2013E9"}, Correct(2, "F10-E9")),
        ("correct", {"ply": 2, "notation": "F10 \u2212 E9\u200b"}, Correct(2, "F10-E9")),
        ("correct", {"ply": 2, "notation": "f10\u00d7d8"}, Correct(2, "F10xD8")),
        ("correct", {"ply": 2, "notation": " F10 to d8 "}, Correct(2, "F10 to d8")),
        ("correct", {"ply": 2, "notation": "xyzzy"}, Correct(2, "xyzzy")),
        ("as-played", {"notation": "E6-E4", "by": "arbiter"}, AsPlayed("E6-E4", by="arbiter")),
        ("position", {"position": {"cells": {"C6": "WN"}}}, SetPosition({"cells": {"C6": "WN"}})),
        ("draw", {}, AgreeDraw()),
        ("draw", {"claim": True, "by": "player"}, ClaimDraw(by="player")),
        ("resign", {"side": "black"}, Resign("black")),
        ("forfeit", {"side": "black", "why": "absence"}, Forfeit("black", "absence")),
        ("forfeit", {"side": "all", "why": "rules"}, Forfeit("all", "rules")),
        ("bring-back", {}, BringBack()),
        ("pause", {}, Pause()),
        ("adjourn", {"by": "arbiter"}, Adjourn(by="arbiter")),
        ("press", {"by": "clock"}, Press(by="clock")),
        ("press", {"side": "black"}, Press("black")),
        ("resume", {}, Resume()),
        ("count-lost", {}, CountLost()),
        ("add-time", {"side": "white", "seconds": 300, "by": "arbiter"}, AddTime("white", 300.0, by="arbiter")),
        ("add-time", {"side": "black", "seconds": -90.5}, AddTime("black", -90.5)),
        ("new-game", {}, NewGame(None)),
    ],
)
def test_a_change_is_handed_to_the_main_loop(
    client: FlaskClient, inbox: queue.SimpleQueue[Act], path: str, body: object, asked: Act
) -> None:
    assert client.post(f"/api/v1/{path}", json=body).status_code == 202
    assert inbox.get_nowait() == asked


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("undo", [], 400),
        ("undo", {"plies": 0}, 422),
        ("undo", {"plies": True}, 422),
        ("undo", {"plys": 1}, 422),
        ("correct", {"ply": 1}, 422),
        ("correct", {"notation": "E6-E5"}, 422),
        ("correct", {"ply": 1, "notation": "x" * 401}, 422),
        ("correct", {"ply": 1, "notation": "x" * 20000}, 413),
        ("as-played", {}, 422),
        ("position", {"position": {"cells": {"Z9": "WN"}}}, 422),
        ("draw", {"claim": "yes"}, 422),
        ("resign", {"side": "green"}, 422),
        ("forfeit", {"side": "white", "why": "mood"}, 422),
        ("add-time", {"side": "white"}, 422),
        ("add-time", {"side": "green", "seconds": 60}, 422),
        ("add-time", {"side": "white", "seconds": 0}, 422),
        ("add-time", {"side": "white", "seconds": True}, 422),
        ("add-time", {"side": "white", "seconds": 1e9}, 422),
        ("pause", {"by": "the cat"}, 422),
        ("new-game", {"setup": "nowhere"}, 422),
        ("nothing", {}, 404),
    ],
)
def test_a_wrong_change_is_a_problem_and_changes_nothing(
    client: FlaskClient, inbox: queue.SimpleQueue[Act], path: str, body: object, status: int
) -> None:
    answer = client.post(f"/api/v1/{path}", json=body)
    assert (answer.status_code, answer.content_type) == (status, "application/problem+json")
    assert answer.get_json()["status"] == status
    assert answer.get_json()["detail"]
    assert inbox.empty()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://localhost"}, 202),
        ({"Sec-Fetch-Site": "same-origin"}, 202),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:5000", "Origin": "http://evil.example:5000"}, 421),
        ({"Host": "referee.local"}, 202),
        ({"Host": "192.168.0.7:5000"}, 202),
        ({"Host": "[::1]:5000"}, 202),
    ],
)
def test_changes_come_from_our_own_page_only(client: FlaskClient, headers: dict[str, str], status: int) -> None:
    assert client.post("/api/v1/undo", json={}, headers=headers).status_code == status


def test_a_form_cannot_post(client: FlaskClient) -> None:
    answer = client.post("/api/v1/undo", data="{}", content_type="text/plain")
    assert answer.status_code == 415
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_every_answer_carries_the_policy(client: FlaskClient) -> None:
    for path in ("/", "/api/v1/game", "/static/page.css", "/nowhere"):
        with client.get(path) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_health_waits_for_the_first_snapshot(feed: Feed) -> None:
    script = Script(Feed())
    client = create_app(feed, print, script.game).test_client()
    assert client.get("/healthz").status_code == 503
    assert client.get("/api/v1/game").status_code == 503
    feed.update_snapshot({"ply": 0})
    assert client.get("/healthz").get_json()["status"] == "ok"


def test_the_newest_picture_and_its_grid_are_served(client: FlaskClient, feed: Feed) -> None:
    assert client.get("/api/v1/camera.jpg").status_code == 204
    feed.update_picture(b"\xff\xd8 one")
    feed.update_views((), (640, 480), {"E6": [(1.0, 2.0)]})
    assert client.get("/api/v1/camera.jpg").data == b"\xff\xd8 one"
    assert client.get("/api/v1/camera/grid").get_json() == {"size": [640, 480], "cells": {"E6": [[1.0, 2.0]]}}


def test_the_document_names_every_route(client: FlaskClient) -> None:
    rules = client.application.url_map.iter_rules()
    served = {
        (re.sub(r"<(?:[^:>]*:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in rules
        if rule.rule.startswith("/api/")
        for method in (rule.methods or set()) & {"GET", "POST"}
    }
    paths = client.get("/api/v1/openapi.json").get_json()["paths"]
    assert {(path, method) for path, item in paths.items() for method in item if method != "parameters"} == served


class Stream:
    """One open HTTP connection to a stream, read line by line."""

    def __init__(self, site: Site, path: str, headers: dict[str, str] | None = None) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=PATIENCE_S)
        self.connection.request("GET", path, headers=headers or {})
        self.response = self.connection.getresponse()

    def next_event(self) -> tuple[str, dict[str, object]]:
        """Id and data of the next event."""
        fields: dict[str, str] = {}
        while "data" not in fields:
            name, _, value = self.response.readline().decode().partition(": ")
            fields[name] = value.strip()
        return fields["id"], json.loads(fields["data"] or "{}")

    def close(self) -> None:
        self.response.close()
        self.connection.close()


def test_events_arrive_while_they_happen_and_can_be_resumed(site: Site, script: Script) -> None:
    stream = Stream(site, "/api/v1/events")
    assert stream.response.headers["Content-Type"].startswith("text/event-stream")
    script.play("E6-E5")
    seen, event = stream.next_event()
    assert (event["event"], event["notation"]) == ("move", "E6-E5")
    stream.close()
    script.play("E11-E12")
    script.play("E5-E6")
    stream = Stream(site, "/api/v1/events", {"Last-Event-ID": seen})
    assert [stream.next_event()[1]["notation"] for _ in range(2)] == ["E11-E12", "E5-E6"]
    stream.close()


def test_an_id_of_an_earlier_run_asks_for_the_game_anew(site: Site, script: Script) -> None:
    script.play("E6-E5")
    stream = Stream(site, "/api/v1/events", {"Last-Event-ID": "abcd0123-7"})
    lines = [stream.response.readline().decode() for _ in range(4)]
    assert lines[2].startswith("id: ")
    assert lines[3] == "event: reset\n"
    stream.close()


def test_pictures_are_streamed_as_they_come(site: Site, feed: Feed) -> None:
    feed.update_picture(b"JPEG one")
    stream = Stream(site, "/api/v1/camera.mjpeg")
    lines = [stream.response.readline() for _ in range(4)]
    assert lines == [b"--picture\r\n", b"Content-Type: image/jpeg\r\n", b"\r\n", b"JPEG one\r\n"]
    stream.close()


def test_one_stream_of_pictures_too_many_is_refused(site: Site) -> None:
    streams = [Stream(site, "/api/v1/camera.mjpeg") for _ in range(MOST_PICTURES)]
    late = Stream(site, "/api/v1/camera.mjpeg")
    assert (late.response.status, late.response.headers["Retry-After"]) == (503, "5")
    health = Stream(site, "/healthz")
    assert health.response.status == 200
    for stream in (*streams, late, health):
        stream.close()
