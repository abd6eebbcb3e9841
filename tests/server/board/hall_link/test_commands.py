"""What may be commanded, by whom and for how long; and a ruling from the arbiters' queue to the board's record."""

from __future__ import annotations

import json
import queue
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any, cast

import paho.mqtt.client as mqtt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.protocol import Pressed
from engine.match.acts import Pause, StandsSo
from engine.match.decided import DecidedOn
from server.board.hall_link.commands import Commands, command_topic
from server.board.hall_link.publisher import Publisher
from server.board.live.notices import Decision
from server.board.live.wishes import Wish
from server.board.pages.app import create_app
from server.mqtt import wire
from server.mqtt.broker import broker_of
from server.record.store import read_record
from server.web.feed import Feed
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Line, Mosquitto, hall, mosquitto
from tests.server.hall.test_hall_run import ask
from tests.server.mqtt.test_wire import JSON
from tests.server.script import NAME, OPENING
from tests.server.served import serve_app

NOW = 1_000_000.0
GOOD = {"id": "x-1", "expires": NOW + 60, "role": "arbiter", "who": "Anna", "do": "pause"}
RULING = {"do": "ruling", "game": NAME, "kind": "doubt", "ruling": "the move stands"}


def message(said: object, topic: str = "camelot/table-1/commands/arbiter", retained: bool = False) -> mqtt.MQTTMessage:
    made = mqtt.MQTTMessage(topic=topic.encode())
    made.payload = said if isinstance(said, bytes) else json.dumps(said).encode()
    made.retain = retained
    return made


class Ordered:
    """A board's commands at a time that stands still, and what the main loop was told."""

    def __init__(self, mode: str = "training") -> None:
        self.told: list[Any] = []
        feed = Feed()
        feed.update_snapshot({"mode": mode})
        self.commands = Commands("camelot", "table-1", feed, self.told.append, lambda: NOW)


def test_what_may_be_done_is_done_once() -> None:
    there = Ordered()
    for _ in range(3):
        there.commands.handle_message(message(GOOD))
    there.commands.handle_message(message({**GOOD, "id": "x-2", "do": "stands-so"}))
    home = {"role": "player", "who": "Home Assistant", "do": "press-undo"}
    there.commands.handle_message(message({**GOOD, "id": "x-3", **home}, "camelot/table-1/commands/player"))
    there.commands.handle_message(message({**GOOD, "id": "x-4", **RULING}))
    assert there.told == [
        Pause(by="arbiter"),
        StandsSo(by="arbiter"),
        Pressed(NOW + 60, "undo"),
        Decision("x-4", NAME, "doubt", "the move stands", "Anna"),
    ]
    assert not there.commands.refused


def test_a_ruling_on_a_game_that_the_record_does_not_have_is_said_not_to_arrive() -> None:
    there = Ordered()
    there.commands = Commands("camelot", "table-1", Feed(), there.told.append, lambda: NOW, lambda game: game == NAME)
    there.commands.handle_message(message({**GOOD, **RULING, "game": "camelot-0099"}))
    (answer,) = there.commands.drain_answers()
    assert (answer["taken"], there.told) == (False, [])
    assert answer["why"] == "this board's record has no game camelot-0099: keep the decision on paper"
    there.commands.handle_message(message({**GOOD, **RULING}))
    assert len(there.told) == 1


@pytest.mark.parametrize(
    ("game", "ply", "why"),
    [
        (NAME, 2, ""),
        (NAME, 1, "G10-G9 was played since"),
        (NAME, 3, "moves were taken back since"),
        ("camelot-0009", 2, "another game has begun since"),
    ],
)
def test_an_order_that_comes_too_late_is_refused_with_what_has_happened_since(game: str, ply: int, why: str) -> None:
    there = Ordered()
    moves = [{"notation": "J6-K6"}, {"notation": "G10-G9"}]
    there.commands._feed.update_snapshot(
        {"mode": "training", "name": NAME, "ply": 2, "moves": moves, "state": "other-run-7"}
    )
    there.commands.handle_message(message({**GOOD, "game": game, "ply": ply}))
    (answer,) = there.commands.drain_answers()
    assert (answer["taken"], answer["why"]) == (not why, why)
    assert there.told == ([] if why else [Wish(Pause(by="arbiter"), DecidedOn(NAME, 2), "x-1")])
    there.commands.handle_message(message({**GOOD, "game": NAME, "ply": 2}))
    assert len(there.told) == 1, "what was refused may be asked again, what was taken is done once"


@pytest.mark.parametrize(
    ("change", "topic", "retained"),
    [
        ({}, "camelot/table-1/commands/arbiter", True),
        ({}, "camelot/table-1/commands/player", False),
        ({}, "camelot/table-2/commands/arbiter", False),
        ({"expires": NOW}, "camelot/table-1/commands/arbiter", False),
        ({"expires": NOW + 2 * wire.LONGEST_EXPIRY_S}, "camelot/table-1/commands/arbiter", False),
        ({"role": "player"}, "camelot/table-1/commands/player", False),
        ({"role": "player", **RULING}, "camelot/table-1/commands/player", False),
        ({"role": "spectator"}, "camelot/table-1/commands/spectator", False),
        ({"do": "delete"}, "camelot/table-1/commands/arbiter", False),
        ({"id": ""}, "camelot/table-1/commands/arbiter", False),
        ({"id": None}, "camelot/table-1/commands/arbiter", False),
        ({"more": 1}, "camelot/table-1/commands/arbiter", False),
        ({"who": "x" * 101}, "camelot/table-1/commands/arbiter", False),
    ],
)
def test_what_may_not_be_done_is_not_done(change: dict[str, object], topic: str, retained: bool) -> None:
    there = Ordered()
    there.commands.handle_message(message(GOOD | change, topic, retained))
    assert (there.told, there.commands.refused) == ([], 1)


def test_in_a_tournament_nobody_presses_buttons_from_elsewhere() -> None:
    there = Ordered("tournament")
    pressed = GOOD | {"role": "player", "do": "press-undo"}
    there.commands.handle_message(message(pressed, "camelot/table-1/commands/player"))
    assert (there.told, there.commands.refused) == ([], 1)
    there.commands.handle_message(message(GOOD))
    assert there.told == [Pause(by="arbiter")]


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_nothing_odd_is_done(body: bytes) -> None:
    there = Ordered()
    there.commands.handle_message(message(body))
    assert (there.told, there.commands.refused) == ([], 1)


@given(st.dictionaries(st.sampled_from([*GOOD, "game", "kind", "ruling", "more"]), JSON, min_size=1))
def test_no_odd_field_is_done(change: dict[str, object]) -> None:
    there = Ordered()
    there.commands.handle_message(message({**GOOD, **change}))
    assert all(isinstance(one, Pause | StandsSo | Decision) for one in there.told)
    if "more" in change:
        assert there.told == []


class Commanded(Table):
    """A board that does as it is told, with pages and a publisher."""

    def __init__(self, folder: Path, broker: Mosquitto) -> None:
        super().__init__(folder)
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.commands = Commands("camelot", "table-1", self.script.feed, self.inbox.put)
        with read_record(self.path) as record:
            self.commands.load_rulings(record)
        ears = {command_topic("camelot", "table-1"): self.commands.handle_message}
        self.line = Publisher(broker_of(broker.url), "table-1", self.path, self.script.feed, NAME, ears)
        self.line.start()

    def obey(self) -> Decision:
        """Write the next ruling."""
        decision = self.inbox.get(timeout=PATIENCE_S)
        assert isinstance(decision, Decision)
        self.journal.write_note(decision.to_event(self.script.t))
        self.script.feed.publish_event(decision.to_event(self.script.t).to_json())
        return decision


def send(url: str, body: dict[str, object]) -> int:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_ruling_stands_in_the_boards_record_once_with_who_ruled(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        table = Commanded(tmp_path, broker)
        site = serve_app(create_app(table.script.feed, lambda act: None, table.script.game, record=table.path))
        table.script.feed.update_picture(b"\xff\xd8\xff of a board")
        (tmp_path / "boards.toml").write_text(f'[table-1]\nurl = "{site.url}"\n', encoding="utf-8")
        with hall(broker, str(tmp_path / "hall.sqlite3"), "--boards", str(tmp_path / "boards.toml")) as url:
            wait_until(lambda: ask(f"{url}api/v1/hall/boards")["boards"])
            table.play(OPENING[0])
            table.script.unclear()

            def matters() -> list[dict[str, Any]]:
                return cast(list[dict[str, Any]], ask(f"{url}api/v1/hall/matters")["matters"])

            wait_until(matters)
            (matter,) = matters()
            assert matter["kind"] == "doubt"
            with urllib.request.urlopen(f"{url}api/v1/hall/boards/table-1/pictures/now.jpg") as picture:  # noqa: S310
                assert picture.read() == b"\xff\xd8\xff of a board"
            assert send(f"{url}api/v1/hall/boards/table-1/commands", {"do": "pause", "who": "Anna"}) == 202
            assert table.inbox.get(timeout=PATIENCE_S) == Pause(by="arbiter")
            assert matter["on"] == {"game": NAME, "ply": 1}
            late = {"do": "pause", "who": "Anna", "on": {"game": NAME, "ply": 0}}
            assert send(f"{url}api/v1/hall/boards/table-1/commands", late) == 202
            reasons: list[object] = []

            def refused_since() -> bool:
                reasons.extend(answer["why"] for answer in table.commands.drain_answers())
                return f"{OPENING[0]} was played since" in reasons

            wait_until(refused_since)
            for odd in ({"game": NAME}, {"game": NAME, "ply": True}, {"game": "", "ply": 1}, [NAME, 1]):
                assert send(f"{url}api/v1/hall/boards/table-1/commands", {**late, "on": odd}) == 422
            assert send(f"{url}api/v1/hall/boards/table-1/commands", {**late, "on": matter["on"]}) == 202
            assert table.inbox.get(timeout=PATIENCE_S).asked == Pause(by="arbiter")
            assert send(f"{url}api/v1/hall/boards/table-1/commands", {"do": "ruling", "who": "Anna"}) == 422
            assert send(f"{url}api/v1/hall/boards/table-9/commands", {"do": "pause", "who": "Anna"}) == 409
            address = f"{url}api/v1/hall/matters/{matter['id']}"
            assert send(f"{address}/claim", {"version": 1, "who": "Anna"}) == 200
            assert send(f"{address}/rule", {"version": 2, "who": "Anna", "ruling": "the move stands"}) == 200
            decision = table.obey()
            assert (decision.who, decision.ruling, decision.game) == ("Anna", "the move stands", NAME)

            def rulings() -> list[str]:
                found = cast(list[dict[str, Any]], ask(f"{url}api/v1/hall/boards/table-1/rulings")["rulings"])
                return [str(one["state"]) for one in found]

            wait_until(lambda: rulings() == ["written"])
            table.line.stop_publishing()
            again = Commanded.__new__(Commanded)  # the same board started again, whose hall asks once more
            again.inbox = queue.SimpleQueue()
            with read_record(table.path) as record:
                commands = Commands("camelot", "table-1", table.script.feed, again.inbox.put)
                commands.load_rulings(record)
                events = [event for event in record.read_events(NAME) if event["event"] == "ruling"]
            sent = wire.Command(decision.id, 9e9, "arbiter", "Anna", "ruling", NAME, "doubt", "the move stands")
            commands.handle_message(message(sent.to_payload()))
            assert again.inbox.empty()
            assert [(one["who"], one["ruling"], one["by"]) for one in events] == [
                ("Anna", "the move stands", "arbiter")
            ]
        site.stop_server()
    table.record.close_file()


def test_a_board_whose_line_breaks_as_it_answers_says_it_on_the_next_one(tmp_path: Path) -> None:
    """Its order is done; as when its computer stood still until the broker had given it up."""
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        line, table, inbox = Line(broker.port), Table(tmp_path), queue.SimpleQueue[Any]()
        commands = Commands("camelot", "table-1", table.script.feed, inbox.put)

        def answer_into_a_cut() -> list[dict[str, object]]:
            if answers := commands.drain_answers():
                line.cut()
            return answers

        ears = {command_topic("camelot", "table-1"): commands.handle_message}
        publisher = Publisher(
            broker_of(line.url), "table-1", table.path, table.script.feed, NAME, ears, answers=answer_into_a_cut
        )
        publisher.start()
        wait_until(lambda: ask(f"{url}api/v1/hall/boards")["boards"])

        def is_at_board(do: str) -> bool:
            orders = cast(list[dict[str, str]], ask(f"{url}api/v1/hall/matters")["orders"])
            return any((one["do"], one["state"]) == (do, "at-board") for one in orders)

        for do in ("pause", "resume"):  # the next cut shows that what was said is not said again in place of this
            wait_until(lambda: ask(f"{url}api/v1/hall/boards/table-1")["online"])
            assert send(f"{url}api/v1/hall/boards/table-1/commands", {"do": do, "who": "Anna"}) == 202
            inbox.get(timeout=PATIENCE_S)
            wait_until(lambda: not ask(f"{url}api/v1/hall/boards/table-1")["online"])
            line.mend()

            wait_until(partial(is_at_board, do))
        publisher.stop_publishing()
        line.close()
    table.record.close_file()
