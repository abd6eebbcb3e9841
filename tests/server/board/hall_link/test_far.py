"""One game at two boards: the far move is told here and checked when it is copied; cuts change no record."""

from __future__ import annotations

import json
import os
import queue
import random
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.lights import DARK, LedFrame
from engine import games
from engine.errors import InputError
from engine.game import Game
from engine.match.acts import Act, AgreeDraw, Correct, NewGame, Resign
from engine.match.arbiter import apply_act
from engine.match.state import Match, Phase
from server.board.computer.opponents import EngineAdvice
from server.board.hall_link.far import DRAWN_THERE, FarBoard
from server.board.hall_link.publisher import Publisher
from server.board.live.notices import Pairing
from server.board.live.snapshot import build_snapshot
from server.cli import main
from server.mqtt import wire
from server.mqtt.broker import broker_of
from server.record.journal import Journal, fold_events
from server.record.store import open_record, read_record
from server.web.feed import Feed
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.test_commands import message
from tests.server.commands.test_serve import SESSION, serving
from tests.server.hall.parts import Line, mosquitto
from tests.server.mqtt.test_wire import JSON

GAMES = int(os.environ.get("FAR_GAMES", "4"))
"""`make soak` plays 100."""
PLIES = 16
"""Then somebody gives up, or both agree; many games are over sooner."""
LONG_CUT_S = float(os.environ.get("FAR_CUT_S", "0"))
"""How long the first cut lasts; `make soak` waits a minute."""
WRONG = 0.1
"""Of the far moves are first copied as another one."""
CUT = 0.06
"""Of the plies are played while a line is cut, or the broker dead."""


class Place:
    """One board: its people make moves and copy those of the other board; a thread is the main loop."""

    def __init__(self, folder: Path, url: str, name: str, other: str, side: str, game: Game) -> None:
        self.folder, self.side, self.game, self._chance = folder, side, game, random.Random(name)
        self._names = (name, other)
        folder.mkdir(exist_ok=True)
        self.path = folder / "games.sqlite3"
        self.feed, self.inbox = Feed(), queue.Queue[Any]()
        self._ready, self._url = threading.Event(), url
        self.wrong = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)
        self._join()

    def _join(self) -> None:
        name, other = self._names
        far_side = next(seat for seat in self.game.seats if seat != self.side)
        self.far = FarBoard("camelot", name, other, {far_side}, self.feed, self.inbox.put)
        with read_record(self.path) as record:
            self.far.load_pairings(record)
        ears = {self.far.topic: self.far.handle_message}
        current = str((self.feed.newest_snapshot or {})["name"])
        self.publisher = Publisher(
            broker_of(self._url), name, self.path, self.feed, current, ears, self.far.exchange_moves
        )
        self.publisher.start()

    def restart(self) -> None:
        """The publisher's end of it, as after a power cut: what it knows is what the record has."""
        self.publisher.stop_publishing()
        self._join()

    @property
    def match(self) -> Match:
        match = self.feed.current_state.match
        assert match is not None
        return match

    def ask(self, asked: object) -> None:
        self.inbox.put(asked)

    def close(self) -> None:
        self.publisher.stop_publishing()
        self.inbox.put(None)
        self._thread.join()

    def games(self) -> list[tuple[list[str], object]]:
        """Moves and result of every game, as the record has them."""
        with read_record(self.path) as record:
            folded = [fold_events(record.read_events(name), name) for name in record.event_counts()]
        return [
            (
                [match.game.write(p, m) for p, m in zip(match.positions, match.moves, strict=False)],
                match.outcome and (match.outcome.result, match.outcome.reason),
            )
            for match in folded
        ]

    def _run(self) -> None:
        with open_record(self.path) as record:
            self._match = Match(self.game, (self.game.start(),), phase=Phase.PLAYING)
            self._journal = Journal(record, "camelot-0001")
            self._journal.begin_game(self._match)
            self._show()
            self._ready.set()
            while (item := self.inbox.get()) is not None:
                self._take(item)

    def _take(self, item: object) -> None:
        if isinstance(item, Pairing):
            self._journal.write_note(item.to_event(0.0))
        elif isinstance(item, EngineAdvice):
            if item.trouble == DRAWN_THERE:  # they have agreed on it, and say so at both boards
                self._do(AgreeDraw())
                return
            assert item.move is not None, item.trouble
            if item.ply == len(self._match.moves) and item.position == self._match.position:
                self._copy(self.game.write(item.position, item.move))
        elif isinstance(item, Act):
            self._do(item)
        elif item == "move" and self._match.side_to_move == self.side and self._match.phase is Phase.PLAYING:
            self._play(self._chance.choice(self._lawful()))

    def _copy(self, notation: str) -> None:
        """People are distracted: now and then they make another move."""
        if self._chance.random() < WRONG:
            self.wrong += 1
            notation = self._chance.choice(self._lawful())
        self._play(notation)

    def _lawful(self) -> list[str]:
        position = self._match.position
        return sorted(self.game.write(position, move) for move in self.game.moves(position))

    def _play(self, notation: str) -> None:
        self._do(Correct(len(self._match.moves) + 1, notation))

    def _do(self, asked: Act) -> None:
        try:
            self._match, events = apply_act(self._match, asked, 0.0)
        except InputError:
            return
        if isinstance(asked, NewGame):
            self._match = replace(self._match, phase=Phase.PLAYING)
            self._journal = self._journal.next_journal("camelot")
            self._journal.begin_game(self._match)
        self._journal.write_events(events)
        self._show()
        for event in events:
            self.feed.publish_event(event.to_json())

    def _show(self) -> None:
        frame = LedFrame((DARK,) * len(self.game.board.cells))
        self.feed.update_snapshot(
            build_snapshot(self._match, frame, 99, 0.0) | {"name": self._journal.name}, self._match
        )


def both(places: list[Place], plies: int) -> bool:
    """Whether both have at least so many plies, the same ones."""
    lists = [[*place.match.moves] for place in places]
    return lists[0] == lists[1] and len(lists[0]) >= plies


def test_the_same_record_at_both_boards_whatever_is_cut(tmp_path: Path) -> None:
    chance, game, cuts = random.Random(7), games.load("camette"), 0
    with mosquitto(tmp_path) as broker:
        lines = [Line(broker.port) for _ in range(2)]
        names = ("table-1", "table-2")
        places = [
            Place(tmp_path / name, line.url, name, other, side, game)
            for name, other, side, line in zip(names, reversed(names), game.seats, lines, strict=True)
        ]
        for number in range(1, GAMES + 1):
            paired = [f"{place.feed.newest_snapshot['name']}" for place in places]  # type: ignore[index]
            for ply in range(PLIES):
                if places[0].match.phase is Phase.OVER:
                    break
                line = chance.choice(lines) if chance.random() < CUT else None
                if line is not None:
                    cuts += 1
                    line.cut()
                    if chance.random() < 0.3:
                        broker.kill()
                        broker.start()
                    if chance.random() < 0.3:
                        chance.choice(places).restart()
                for place in places:
                    place.ask("move")
                if line is not None:
                    wait_until(lambda ply=ply: any(len(place.match.moves) > ply for place in places))  # type: ignore[misc]
                    time.sleep(LONG_CUT_S if cuts == 1 else 0)
                    line.mend()
                wait_until(lambda ply=ply: both(places, ply + 1), f"{paired}, ply {ply + 1}")  # type: ignore[misc]
            if places[0].match.phase is not Phase.OVER:
                ending = Resign(game.seats[number % 2]) if number % 3 else AgreeDraw()
                places[number % 2].ask(ending)
            wait_until(lambda: all(place.match.phase is Phase.OVER for place in places), "the end is told")
            if number < GAMES:
                for place in places:
                    place.ask(NewGame())
                wait_until(lambda: not any(place.match.moves for place in places))
        for place in places:
            place.close()
        for line in lines:
            line.close()
    played = [place.games() for place in places]
    assert len(played[0]) == GAMES
    assert played[0] == played[1]
    assert all(result for _, result in played[0])
    plies, wrong = sum(len(moves) for moves, _ in played[0]), sum(place.wrong for place in places)
    print(f"{GAMES} games, {plies} plies, {cuts} cuts, {wrong} copied wrongly at first")


def test_the_far_move_is_told_by_the_service_also_in_a_tournament(tmp_path: Path) -> None:
    """The service itself, with a picture as its camera: what the other board has played waits here to be made."""
    record, still = tmp_path / "played.sqlite3", str(SESSION / "frame_0000.jpg")
    with mosquitto(tmp_path) as broker:
        options = ("--hall", broker.url, "--board-name", "table-2", "--far", "white=table-1", "--mode", "tournament")
        with serving(record, "--camera", still, *options) as url:

            def shown() -> dict[str, Any]:
                with urllib.request.urlopen(f"{url}api/v1/game", timeout=PATIENCE_S) as answer:  # noqa: S310
                    found: dict[str, Any] = json.load(answer)
                    return found

            wait_until(lambda: shown().get("game"))
            game = games.load(shown()["game"], shown()["rules"])
            place = Place(tmp_path / "table-1", broker.url, "table-1", "table-2", game.seats[0], game)
            place.ask("move")
            wait_until(lambda: shown()["advice"])
            advice = shown()["advice"]
            (move,) = place.match.moves
            assert (advice["far"], advice["trouble"]) == (True, "")
            assert advice["move"] == game.write(game.start(), move)
            place.close()
    with read_record(record) as kept:
        events = [event for event in kept.read_events(next(iter(kept.event_counts()))) if event["event"] == "paired"]
    assert [(event["board"], event["game"]) for event in events] == [("table-1", "camelot-0001")]


def test_games_that_do_not_belong_together_are_named_and_nothing_is_done() -> None:
    told: list[Any] = []
    game, feed = games.load("camette"), Feed()
    match = Match(game, (game.start(),), phase=Phase.PLAYING)
    feed.update_snapshot({"name": "camette-0001"}, match)
    far = FarBoard("camelot", "table-1", "table-2", {"black"}, feed, told.append)
    own = far.exchange_moves()
    assert own is not None
    other = own | {"board": "table-2", "name": "camette-0007", "moves": []}

    def hears(**change: object) -> list[Any]:
        told.clear()
        far.handle_message(message(other | change, "camelot/table-2/moves"))
        far.exchange_moves()
        return list(told)

    (elsewhere,) = hears(game="camelot")
    assert elsewhere.trouble and elsewhere.move is None
    assert hears(**{"with": "camette-0009"}) == [], "it plays with a third"
    assert hears(result="1-0", reason="resigned") == [], "it is over"
    assert hears(board="table-3") == []
    assert hears() == [Pairing("table-2", "camette-0007")]
    (anew,) = hears(name="camette-0008")
    assert "begun another game" in anew.trouble
    first = game.write(game.start(), game.moves(game.start())[0])
    assert hears(moves=[first]) == [], "white is played here: what the other has for it is its own to correct"
    assert hears(result="1-0", reason="resigned") == [Resign("black", by="far")]


def test_who_has_the_other_boards_account_ends_no_game_here() -> None:
    """Its own side it can lose; that a side of this board has lost, or agreed to a draw, is told and not done."""
    told: list[Any] = []
    game, feed = games.load("camette"), Feed()
    feed.update_snapshot({"name": "camette-0001"}, Match(game, (game.start(),), phase=Phase.PLAYING))
    far = FarBoard("camelot", "table-1", "table-2", {"black"}, feed, told.append)
    said = (far.exchange_moves() or {}) | {
        "board": "table-2",
        "name": "camette-0007",
        "moves": [],
        "with": "camette-0001",
    }
    far.handle_message(message(said, "camelot/table-2/moves"))
    far.exchange_moves()
    for result, reason in (
        ("0-1", "resigned"),
        ("0-1", "time"),
        ("0-1", "rules"),
        ("0-1", "absence"),
        ("1/2-1/2", "agreement"),
    ):
        told.clear()
        far.handle_message(message(said | {"result": result, "reason": reason}, "camelot/table-2/moves"))
        far.exchange_moves()
        (one,) = told
        assert (type(one), one.move, one.far) == (EngineAdvice, None, True)
        assert "The other board says" in one.trouble
    told.clear()
    far.handle_message(message(said | {"result": "0-1", "reason": "castle"}, "camelot/table-2/moves"))
    far.exchange_moves()
    assert told == [], "what a move ends, ends here by that move alone"


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_nothing_odd_is_taken_from_the_other_board(body: bytes) -> None:
    with pytest.raises(InputError, match="table-2"):
        wire.read_moves("table-2", body)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--far", "black=table-2"],
        ["--hall", "mqtt://127.0.0.1", "--board-name", "table-1", "--far", "black=table-1"],
        ["--hall", "mqtt://127.0.0.1", "--board-name", "table-1", "--far", "black"],
        ["--hall", "mqtt://127.0.0.1", "--board-name", "table-1", "--far", "black=a", "--far", "white=b"],
    ],
    ids=" ".join,
)
def test_a_far_board_that_cannot_be_used_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["serve", *arguments])
    assert (left.value.code, capsys.readouterr().err.count("\n")) == (2, 1)
