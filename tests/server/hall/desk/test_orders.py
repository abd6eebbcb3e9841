"""A ruling about a record that does not fit is at the board when the board says so, and is asked for once."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.hall.desk.matters import AT_BOARD, OPEN, RULED, Matters
from server.hall.desk.orders import Orders, build_ruling
from server.hall.desk.troubles import CHAIN, NOT_CONNECTED, GameTrouble
from server.mqtt import wire
from server.mqtt.wire import Command
from tests.server.hall.desk.test_monitor import GAME, Hall

BOARD = "table-1"


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """With a board whose record has parted from what is stored."""
    made = Hall(tmp_path)
    made.store(3)
    made.heads[3] = "f" * 64
    made.pulses(3)
    made.passes(1)
    assert made.doubts == {CHAIN}
    return made


def test_the_ruling_on_a_fork_reaches_its_board_though_its_event_is_never_stored(hall: Hall) -> None:
    matters, sent = Matters(hall.engine), list[Command]()
    orders = Orders(matters, hall.boards, hall.ledger, lambda board, command: not sent.append(command))
    matters.note_troubles(BOARD, GAME, {CHAIN}, 1.0)
    (matter,) = matters.list_unsettled(0.0)
    assert matters.claim_matter(matter.id, 1, "Anna", 2.0)
    assert matters.record_ruling(matter.id, 2, "Anna", "the sheet holds")
    (decided,) = matters.list_unsettled(0.0)
    answer = {"id": build_ruling(decided).id, "board": BOARD, "taken": True, "why": ""}
    orders.handle_answer(answer)
    assert [one.state for one in matters.list_rulings(BOARD)] == [RULED], "heard, and perhaps not written yet"
    orders.handle_answer(answer)
    assert [one.state for one in matters.list_rulings(BOARD)] == [AT_BOARD]
    assert matters.list_unsettled(0.0) == []
    hall.engine.dispose()


def test_the_ruling_on_a_fork_reaches_its_board_though_another_game_is_played_by_then(hall: Hall) -> None:
    """The newest game is well; the one that the matter is of is not stored any further."""
    matters = Matters(hall.engine)
    orders = Orders(matters, hall.boards, hall.ledger, lambda board, command: True)
    for game in (GAME, "camelot-0002"):
        matters.note_troubles(BOARD, game, {"cannot-see"}, 1.0, [GameTrouble(CHAIN, GAME)])
    said = {"run": "a", "at": 0.0, "told": 5, "name": "camelot-0002", "events": 1, "head": "0" * 64}
    hall.boards.note_message(BOARD, wire.PULSE, said, 0.0)
    hall.passes(1)
    assert CHAIN not in hall.doubts
    for matter in matters.list_unsettled(0.0):
        assert matters.claim_matter(matter.id, matter.version, "Anna", 2.0)
        assert matters.record_ruling(matter.id, matter.version + 1, "Anna", "the sheet holds")
    for decided in matters.list_unsettled(0.0) * 2:
        orders.handle_answer({"id": build_ruling(decided).id, "board": BOARD, "taken": True, "why": ""})
    left = [(one.kind, one.game) for one in matters.list_unsettled(0.0)]
    assert left == [("cannot-see", "camelot-0002")], "which is stored, and waits for its event"
    hall.engine.dispose()


def test_a_hall_that_begins_anew_asks_nobody_again_about_a_fork_that_was_decided(hall: Hall) -> None:
    """It has not heard the board's record at first, and so sees the trouble go and come."""
    matters = Matters(hall.engine)
    matters.note_troubles(BOARD, GAME, {CHAIN}, 1.0)
    (matter,) = matters.list_unsettled(0.0)
    assert matters.claim_matter(matter.id, 1, "Anna", 2.0)
    assert matters.record_ruling(matter.id, 2, "Anna", "the sheet holds")
    again = Matters(hall.engine)
    again.note_troubles(BOARD, GAME, set(), 3.0)
    again.note_troubles(BOARD, GAME, {CHAIN}, 4.0)
    assert [(one.id, one.state) for one in again.list_unsettled(0.0)] == [(matter.id, RULED)]
    again.note_troubles(BOARD, "camelot-0002", set(), 5.0)
    again.note_troubles(BOARD, "camelot-0002", {CHAIN}, 6.0)
    assert [one.state for one in again.list_unsettled(0.0)].count(OPEN) == 1, "another game is another matter"
    hall.engine.dispose()


def test_a_board_whose_line_comes_and_goes_is_not_called_away_each_time(hall: Hall) -> None:
    """Two of one name take the line from each other several times a second."""
    for _ in range(8):
        hall.boards.note_message(BOARD, wire.AVAILABLE, wire.OFFLINE)
        hall.passes(0.25)
        assert NOT_CONNECTED not in hall.doubts
        hall.boards.note_message(BOARD, wire.AVAILABLE, wire.ONLINE)
        hall.passes(0.25)
    hall.boards.note_message(BOARD, wire.AVAILABLE, wire.OFFLINE)
    hall.passes(2)
    assert NOT_CONNECTED in hall.doubts
    hall.engine.dispose()


def test_of_two_of_one_name_neither_is_believed_to_have_a_ruling(hall: Hall) -> None:
    """The other one's record may be the one that the arbiter meant."""
    for run in ("a", "b", "a"):
        hall.boards.note_message(BOARD, wire.PULSE, {"run": run, "at": 0.0}, 0.0)
    matters = Matters(hall.engine)
    orders = Orders(matters, hall.boards, hall.ledger, lambda board, command: True)
    matters.note_troubles(BOARD, GAME, {CHAIN}, 1.0)
    (matter,) = matters.list_unsettled(0.0)
    assert matters.claim_matter(matter.id, 1, "Anna", 2.0)
    assert matters.record_ruling(matter.id, 2, "Anna", "the sheet holds")
    (decided,) = matters.list_unsettled(0.0)
    for _ in range(3):
        orders.handle_answer({"id": build_ruling(decided).id, "board": BOARD, "taken": True, "why": ""})
    assert [one.state for one in matters.list_rulings(BOARD)] == [RULED]
    hall.engine.dispose()
