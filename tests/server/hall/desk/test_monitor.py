"""What a board said before its events were stored is no sign that its record was changed; what it says next is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.hall.desk.database import open_database, read_database_name
from server.hall.desk.hall_vitals import HallVitals
from server.hall.desk.ledger import Ledger
from server.hall.desk.monitor import FEWER_S, SHORTER_S, Monitor
from server.hall.desk.standing import Boards
from server.hall.desk.troubles import SHORTER
from server.mqtt import wire
from server.mqtt.wire import EventLink
from server.record import chain

GAME = "camelot-0001"


class Hall:
    """A hall whose time is the test's."""

    def __init__(self, folder: Path) -> None:
        self.now = 100.0
        self.engine = open_database(str(folder / "hall.sqlite3"))
        self.ledger = Ledger(self.engine)
        self.boards = Boards(self.ledger, lambda: self.now)
        self.vitals = HallVitals(read_database_name(self.engine), lambda: self.now)
        self.vitals.broker_connected()
        self.monitor = Monitor(
            *(self.boards, self.ledger, self.vitals, lambda names: None, lambda *asked: None, "1.0"),
            steady=lambda: self.now,
        )
        self.boards.note_message("table-1", wire.AVAILABLE, wire.ONLINE)
        self.heads = [chain.genesis_hash(GAME)]

    def store(self, events: int) -> None:
        """So many more events of the board."""
        for _ in range(events):
            sequence, before = len(self.heads), self.heads[-1]
            event = {"event": "begin", "game": "camelot"} if sequence == 1 else {"event": "move", "ply": sequence - 1}
            self.heads.append(chain.hash_event(before, chain.encode_event(event)))
            self.ledger.store_links([EventLink("table-1", GAME, sequence, before, self.heads[-1], event)])

    def pulses(self, events: int) -> None:
        """The board says how far it is."""
        said = {"run": "a", "at": 0.0, "told": events, "name": GAME, "events": events, "head": self.heads[events]}
        self.boards.note_message("table-1", wire.PULSE, said, 0.0)

    def passes(self, seconds: float) -> None:
        """Time goes by, and the hall looks."""
        for _ in range(round(seconds / 0.25)):
            self.now += 0.25
            self.vitals.heard_pulse(self.vitals.run, self.vitals.store)
            self.vitals.database_wrote()
            self.monitor.check_boards()

    @property
    def doubts(self) -> frozenset[str]:
        return next(board.doubts for board in self.boards.list_boards())


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    made = Hall(tmp_path)
    yield made
    made.engine.dispose()


def test_a_board_that_says_nothing_while_its_events_arrive_is_not_taken_for_a_copy(hall: Hall) -> None:
    """A busy computer, or a slow line: its events are stored, and what it says of itself is older than they are."""
    hall.store(1)
    hall.pulses(1)
    hall.store(5)
    hall.passes(max(SHORTER_S, FEWER_S) + 2)
    assert SHORTER not in hall.doubts
    hall.store(5)
    hall.pulses(11)
    hall.passes(1)
    assert SHORTER not in hall.doubts


def test_a_copy_that_was_taken_back_is_seen_by_what_the_board_says_next(hall: Hall) -> None:
    hall.store(6)
    hall.pulses(6)
    hall.passes(1)
    hall.pulses(2)
    hall.passes(SHORTER_S - 0.5)
    hall.pulses(2)
    hall.passes(1)
    assert SHORTER in hall.doubts


def test_the_result_of_a_board_that_plays_a_copy_on_is_what_it_says(hall: Hall) -> None:
    """Not the one that is stored of the game of that name; a state that is older than what is stored says nothing."""
    hall.store(5)
    over = {"event": "result", "result": "1-0", "reason": "castle"}
    head = chain.hash_event(hall.heads[-1], chain.encode_event(over))
    hall.ledger.store_links([EventLink("table-1", GAME, 6, hall.heads[-1], head, over)])
    hall.heads.append(head)

    def result(events: int, pulsed: int) -> str:
        said = {"name": GAME, "events": events, "head": hall.heads[events], "ply": events - 1, "result": None}
        hall.boards.note_message("table-1", wire.STATE, said)
        if pulsed:
            hall.pulses(pulsed)
        hall.passes(1)
        (board,) = hall.boards.list_boards()
        return hall.boards.current_result(board)

    assert result(5, 0) == "1-0", "nothing but an old state was heard"
    assert result(5, 6) == "1-0"
    assert result(3, 3) == ""


def test_of_two_programs_of_one_name_the_games_of_both_are_known(hall: Hall) -> None:
    for _ in range(3):
        for run, game in (("b", "camelot-0002"), ("a", GAME)):
            said = {"run": run, "at": 0.0, "told": 1, "name": game, "events": 1, "head": "0" * 64}
            hall.boards.note_message("table-1", wire.PULSE, said, 0.0)
            (board,) = hall.boards.list_boards()
    assert board.games_spoken_of == [GAME, "camelot-0002"]


def test_the_boards_of_a_hall_that_said_goodbye_are_anothers_at_once(hall: Hall) -> None:
    """The broker says it of one that was killed; one that says nothing has its boards for a while."""
    boards = [f"table-{number}" for number in range(40)]
    hall.vitals.heard_pulse("another", hall.vitals.store)
    hall.passes(0.25)
    assert 0 < sum(map(hall.vitals.owns_board, boards)) < 40
    hall.vitals.heard_goodbye(hall.vitals.run)
    assert 0 < sum(map(hall.vitals.owns_board, boards)) < 40, "what is said of this one is of before"
    hall.vitals.heard_goodbye("another")
    assert all(map(hall.vitals.owns_board, boards))


def test_a_hall_that_may_not_store_yet_leaves_all_boards_to_the_others(hall: Hall) -> None:
    """Else what its boards say while it waits is stored by nobody."""
    boards = [f"table-{number}" for number in range(40)]
    hall.vitals.heard_pulse("another", hall.vitals.store, stores=False)
    hall.passes(0.25)
    assert all(map(hall.vitals.owns_board, boards))
    assert "another" in hall.vitals.living_halls(), "that it uses the same broker is known"
    hall.vitals.heard_pulse("another", hall.vitals.store)
    hall.passes(0.25)
    assert 0 < sum(map(hall.vitals.owns_board, boards)) < 40
    hall.vitals.keep_out()
    assert not hall.vitals.may_store_events
    assert not any(map(hall.vitals.owns_board, boards))
