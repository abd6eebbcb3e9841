"""One game at two boards, with pictures and the real firmware: far moves are lit, and checked when they are copied."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from calibration import profile as profiles
from device.lights import draw_match
from device.mapfile import load_default_map
from device.port import LedPort
from device.protocols.camref import CamrefProtocol
from engine.explain.entrusted import EntrustedView, list_move_steps
from engine.game import Move
from engine.match.acts import Correct
from engine.match.events import Illegal
from engine.match.referee import new_match
from engine.match.state import Phase
from opponent.vocabulary import Limits
from server.board.computer.companions import Companions
from server.board.computer.opponents import Opponents
from server.board.hall_link.far import FarBoard
from server.board.hall_link.publisher import Publisher
from server.board.live.service import Item, Service, Stop
from server.mqtt.broker import broker_of
from server.record.journal import Journal
from server.record.store import Record, open_record
from server.web.feed import Feed
from tests.firmware.board import SimulatedBoard
from tests.firmware.test_service import GAME, SESSION, phases, shows
from tests.patience import wait_until
from tests.server.board.hall_link.test_far import Place
from tests.server.hall.parts import Mosquitto, mosquitto
from vision.frames import read_frames
from vision.watch.watcher import Watcher

HERE, THERE = "table-2", "table-1"
EVENTS = [json.loads(line) for line in (SESSION / "events.jsonl").read_text(encoding="utf-8").splitlines()]
PLAYED = [str(event["notation"]) for event in EVENTS if event["event"] == "move"]
"""What is played in the pictures. White sits at the other board: here its moves are copied."""
FIRST_IS_MADE = 34
"""So many pictures: the first move is made in them, and the second has not begun."""
FIVE_ARE_MADE = 128
"""So many show both sides moving and capturing, and an illegal placement."""
ANOTHER = "D6-D5"
"""A first move that is not the one in the pictures."""


class Elsewhere(Place):
    """The other board, whose people copy rightly."""

    def _copy(self, notation: str) -> None:
        self._play(notation)


class Table:
    """This board: pictures, referee, lights, and a line to the other."""

    def __init__(self, folder: Path, broker: Mosquitto, record: Record, board: SimulatedBoard) -> None:
        match = new_match(GAME, GAME.start())
        journal = Journal(record, "camelot-0001")
        journal.begin_game(match)
        self.feed, self.board, self.leds = Feed(), board, load_default_map("camelot", GAME.board)
        self.referee = Service(Watcher(profiles.load_profile(SESSION / "profile.toml"), match), journal, self.feed)
        self.referee.use_lights(LedPort(board.path, lambda: CamrefProtocol(self.leds), self.referee.inbox.put))
        players = Opponents(
            GAME, {}, self.referee.inbox.put, Limits(movetime_ms=1), elsewhere=[GAME.seats.index("white")]
        )
        self.referee.set_companions(Companions(players))
        self.far = FarBoard("camelot", HERE, THERE, {"white"}, self.feed, self.referee.inbox.put)
        ears, path = {self.far.topic: self.far.handle_message}, folder / "games.sqlite3"
        self.publisher = Publisher(
            broker_of(broker.url), HERE, path, self.feed, journal.name, ears, self.far.exchange_moves
        )
        self.lit: list[str] = []
        """Far moves that the real lights have shown."""

    def play(self, there: Elsewhere, moves: list[str], pictures: int) -> None:
        """Run through the pictures; before White's every move they wait until it is played there and lit here."""

        self.publisher.start()
        for frame in islice(read_frames(str(SESSION)), pictures):
            self.give(frame)
            match = self.referee.watcher.match
            ply = len(match.moves)
            if match.phase is Phase.PLAYING and ply == 2 * len(self.lit) < len(moves):
                self._far_moves(there, ply, moves[ply])

    def _far_moves(self, there: Elsewhere, ply: int, notation: str) -> None:
        wait_until(lambda: len(there.match.moves) >= ply, f"ply {ply} is copied there")
        there.ask(Correct(ply + 1, notation))
        wait_until(lambda: self._told() == notation, f"ply {ply + 1} is told here")
        self.look(notation)

    def give(self, *items: Item) -> None:
        """The loop takes these, and what the other board has sent meanwhile."""
        for item in (*items, Stop()):
            self.referee.inbox.put(item)
        self.referee.run_loop()

    def _told(self) -> str:
        """The far move that is waited for here."""
        self.give()
        advice = (self.feed.newest_snapshot or {}).get("advice")
        return str(advice["move"]) if isinstance(advice, dict) else ""

    def look(self, notation: str) -> None:
        """The lights show the first step of this move of the other board, and would be others without it."""
        match = self.referee.watcher.match
        move = GAME.read(match.position, notation)
        assert isinstance(move, Move)
        frame = draw_match(match, advice=EntrustedView(move, list_move_steps(GAME, match.position, move)[0]))
        assert frame.rgb != draw_match(match).rgb
        for strip in phases(self.leds, frame):
            self.board.wait_for(partial(shows, strip, frame))
        self.lit.append(notation)

    def close(self) -> None:
        self.publisher.stop_publishing()
        self.referee.release_all()


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[tuple[Table, Elsewhere, Record]]:
    with (
        mosquitto(tmp_path) as broker,
        SimulatedBoard() as board,
        open_record(tmp_path / "games.sqlite3") as record,
    ):
        board.wait_for(lambda seen: "CAMELOT" in seen.text[0])
        here = Table(tmp_path, broker, record, board)
        there = Elsewhere(tmp_path / THERE, broker.url, THERE, HERE, "white", GAME)
        try:
            yield here, there, record
        finally:
            here.close()
            there.close()


def test_far_moves_are_lit_and_accepted_as_they_are_copied(tables: tuple[Table, Elsewhere, Record]) -> None:
    """Once something else is tried instead: it is refused, and the far move waits on."""
    here, there, record = tables
    played = PLAYED[:5]
    here.play(there, played, FIVE_ARE_MADE)
    assert here.lit == played[::2]
    told = record.read_events("camelot-0001")
    assert [event["notation"] for event in told if event["event"] == "move"] == played
    assert [event["event"] for event in told].count("illegal") == 1
    assert [event["board"] for event in told if event["event"] == "paired"] == [THERE]
    wait_until(lambda: len(there.match.moves) == len(played))
    assert here.referee.watcher.match.moves == there.match.moves


def test_a_lawful_move_that_is_not_the_far_one_is_corrected_and_asked_for(
    tables: tuple[Table, Elsewhere, Record],
) -> None:
    here, there, record = tables
    here.play(there, [ANOTHER], FIRST_IS_MADE)
    assert here.lit == [ANOTHER]

    def first() -> str:
        here.give()
        match = here.referee.watcher.match
        return GAME.write(match.positions[0], match.moves[0])

    wait_until(lambda: first() == ANOTHER, "the record has what was played at the other board")
    match = here.referee.watcher.match
    told = record.read_events("camelot-0001")
    assert [event["notation"] for event in told if event["event"] == "move"] == [PLAYED[0], ANOTHER]
    assert match.phase is Phase.TROUBLE, "the pieces do not stand so"
    assert isinstance(match.note, Illegal)
    assert set(match.note.cells) == {"D6", "D5", "E6", "C8"}
    for strip in phases(here.leds, frame := draw_match(match)):
        here.board.wait_for(partial(shows, strip, frame))
