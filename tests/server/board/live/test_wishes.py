"""Wishes of several pages at once: each is granted once, on what was seen, and whoever comes too late is told."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from calibration import profile as profiles
from engine import games
from engine.match.acts import Correct, NewGame, Resign
from engine.match.decided import DecidedOn, SinceDecided, find_change_since
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.live.service import Service, Stop
from server.board.pages.app import create_app
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.patience import wait_until
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
OPENING = ("J6-K6", "J11-H9", "F7-F5", "G10-G9")
ROUNDS = int(os.environ.get("RACES", "8"))
"""Of each race; `make soak` asks for 200."""
CAMELOT = games.load("camelot", "wcf")


@dataclass
class Table:
    """A service in its own thread, and its pages."""

    service: Service
    app: Flask
    feed: Feed

    def seen(self) -> dict[str, Any]:
        """What a page shows now."""
        return dict(self.feed.newest_snapshot or {})

    def post(self, path: str, now: dict[str, Any], wish: str, **body: object) -> None:
        """What a page sends that was drawn from `now`."""
        on = {"game": now["name"], "ply": now["ply"], "state": now["state"]}
        answer = self.app.test_client().post(f"/api/v1/{path}", json={**body, "on": on, "wish": wish})
        assert answer.status_code == 202, answer.get_data(as_text=True)

    def told(self, after: int = 0) -> list[dict[str, Any]]:
        """All events since number `after`."""
        messages, _, _ = self.feed.read_news(after)
        return [json.loads(message.text) for message in messages if message.kind == "event"]

    def begin(self) -> None:
        """Another game, after its first plies."""
        wait_until(lambda: "name" in self.seen())
        name = self.seen()["name"]
        self.service.inbox.put(NewGame())
        for ply, notation in enumerate(OPENING, start=1):
            self.service.inbox.put(Correct(ply, notation))
        wait_until(lambda: self.seen()["name"] != name and self.seen()["ply"] == len(OPENING))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    profile = profiles.load_profile(SESSION / "profile.toml")
    match = replace(new_match(games.load(profile.game, profile.rules)), phase=Phase.PLAYING, ready=True)
    feed, ready = Feed(keep=100_000), threading.Event()
    holder: list[Service] = []

    def run() -> None:
        with open_record(tmp_path / "games.sqlite3") as record:
            journal = Journal(record, "camelot-0001")
            journal.begin_game(match)
            service = Service(Watcher(profile, match), journal, feed)
            service.stay = True
            holder.append(service)
            ready.set()
            service.run_loop()

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait()
    service = holder[0]
    yield Table(service, create_app(feed, service.inbox.put, match.game), feed)
    service.inbox.put(Stop())
    thread.join()


def _refused(table: Table, before: int) -> bool:
    return any(event["event"] == "refused" for event in table.told()[before:])


RACES: dict[str, tuple[str, dict[str, object], str]] = {
    "undo": ("undo", {"plies": 1}, "takeback"),
    "correct": ("correct", {"ply": 4, "notation": "F10-F9"}, "move"),
    "resign": ("resign", {"side": "white"}, "left"),
    "draw": ("draw", {}, "result"),
    "new game": ("new-game", {}, "new-game"),
    "pause": ("pause", {}, "paused"),
}


@pytest.mark.parametrize("race", RACES)
def test_two_pages_that_ask_for_the_same_have_one_effect_and_one_is_told(table: Table, race: str) -> None:
    path, body, event = RACES[race]
    for round_number in range(ROUNDS):
        table.begin()
        now, before = table.seen(), len(table.told())
        barrier = threading.Barrier(2)

        def page(name: str, now: dict[str, Any] = now, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            table.post(path, now, name, **body)

        pages = [threading.Thread(target=page, args=(f"{round_number}-{tab}",)) for tab in "ab"]
        for one in pages:
            one.start()
        for one in pages:
            one.join()
        wait_until(partial(_refused, table, before))
        told = table.told()[before:]
        assert [e["event"] for e in told].count(event) == 1, told
        (refused,) = (e for e in told if e["event"] == "refused")
        assert refused["wish"] in {f"{round_number}-a", f"{round_number}-b"}
        assert refused["since"]


def test_what_was_decided_on_an_older_state_says_what_has_happened_since(table: Table) -> None:
    table.begin()
    older = table.seen()
    table.post("undo", older, "first", plies=1)
    wait_until(lambda: table.seen()["ply"] == len(OPENING) - 1)
    table.service.inbox.put(Correct(len(OPENING), "F10-F9"))
    wait_until(lambda: table.seen()["ply"] == len(OPENING))
    before = len(table.told())
    table.post("undo", older, "same ply, another course", plies=1)
    table.post("resign", {**older, "ply": 2}, "played since", side="white")
    table.post("details", {**older, "name": "camelot-0000"}, "another game", round="1")
    table.post("details", older, "names are of the game, not of a ply", round="2")
    wait_until(lambda: table.seen()["details"].get("round") == "2")
    assert [(e["wish"], e["since"], e.get("move")) for e in table.told()[before:] if e["event"] == "refused"] == [
        ("same ply, another course", "changed", None),
        ("played since", "played", "F10-F9"),
        ("another game", "new-game", None),
    ]


def test_a_takeback_decided_before_a_correction_of_as_many_plies_is_refused(table: Table) -> None:
    table.begin()
    older = table.seen()
    table.service.inbox.put(Correct(1, "C6-C5"))
    wait_until(lambda: table.seen()["moves"][0]["notation"] == "C6-C5" and table.seen()["ply"] == len(OPENING))
    before = len(table.told())
    table.post("undo", older, "late", plies=1)
    wait_until(partial(_refused, table, before))
    assert [event["since"] for event in table.told()[before:] if event["event"] == "refused"] == ["changed"]
    assert table.seen()["ply"] == len(OPENING)


def test_an_answer_counts_for_the_question_that_was_seen() -> None:
    asked = Match(CAMELOT, (CAMELOT.start(),), phase=Phase.UNCLEAR, number=7, course=3)
    answer = Correct(1, "E6-E5")
    for number, late in ((7, None), (6, SinceDecided("answered")), (2, SinceDecided("changed"))):
        assert find_change_since(asked, "game", DecidedOn("game", 0, number), answer) == late
    assert find_change_since(asked, "game", DecidedOn("game", 0, 6), Resign("white")) is None


def test_a_page_from_before_a_restart_is_believed_until_something_changes(table: Table) -> None:
    table.begin()
    now = {**table.seen(), "state": "0123abcd-999"}
    before = len(table.told())
    table.post("undo", now, "from before", plies=1)
    wait_until(partial(_refused, table, before))


@pytest.mark.parametrize(
    "wrong",
    [
        {"on": 3},
        {"on": {"game": "g", "ply": 1}},
        {"on": {"game": "g", "ply": -1, "state": "a-1"}},
        {"on": {"game": "g", "ply": True, "state": "a-1"}},
        {"on": {"game": "", "ply": 1, "state": "a-1"}},
        {"on": {"game": "g", "ply": 1, "state": "x" * 81}},
        {"on": {"game": "g", "ply": 1, "state": "a-1", "more": 1}},
        {"wish": ""},
        {"wish": 5},
    ],
)
def test_what_a_wish_was_decided_on_is_checked(table: Table, wrong: dict[str, object]) -> None:
    answer = table.app.test_client().post("/api/v1/undo", json={"plies": 1, **wrong})
    assert answer.status_code == 422


def test_two_who_name_the_players_erase_nothing_of_each_other(table: Table) -> None:
    wait_until(lambda: "name" in table.seen())
    opened = table.seen()
    both = {"event": "Club open", "players": {"black": "Carl"}}
    table.post("details", opened, "a", **both, was=opened["details"])
    wait_until(lambda: table.seen()["details"] == both)
    table.post("details", opened, "b", round="3", players={"white": "Ann"}, was=opened["details"])
    wait_until(lambda: table.seen()["details"] == both | {"round": "3", "players": {"white": "Ann", "black": "Carl"}})
    now, before = table.seen(), len(table.told())
    table.post("details", opened, "c", place="Oslo", players={"black": "Ben"}, was=opened["details"])
    wait_until(partial(_refused, table, before))
    (refused,) = (event for event in table.told()[before:] if event["event"] == "refused")
    assert (refused["wish"], refused["since"]) == ("c", "named")
    assert table.seen()["details"] == now["details"]
    table.post("details", now, "d", **{**now["details"], "players": {"black": "Ben"}}, was=now["details"])
    wait_until(lambda: table.seen()["details"]["players"] == {"black": "Ben"})
