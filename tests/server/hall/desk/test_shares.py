"""What waits to be stored: a share for each board, by turns; and a hall whose broker one board floods."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from server.hall.desk.hall_vitals import DATABASE, HallVitals
from server.hall.desk.intake import Intake
from server.hall.desk.shares import (
    AS_BUSY,
    MOST_IN_SHARE,
    MOST_IN_TURN,
    MOST_SHARE_BYTES,
    Batch,
    BrokerMessage,
    Shares,
)
from server.mqtt.broker import broker_of
from server.mqtt.wire import LARGEST_MESSAGE
from tests.bench.hall_hostile import connected, packets
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.test_publishing import NAME
from tests.server.hall.parts import hall, mosquitto
from tests.server.hall.test_hall_run import stored, two_boards
from tests.server.script import OPENING


def came(board: str, size: int = 10) -> BrokerMessage:
    return BrokerMessage(f"camelot/{board}/events", b"x" * size, False, 0.0)


def boards_of(batch: list[BrokerMessage]) -> list[str]:
    return [one.topic.split("/")[1] for one in batch]


def test_each_board_is_served_in_its_turn() -> None:
    shares = Shares()
    for _ in range(MOST_IN_SHARE):
        assert shares.add_message("loud", came("loud"))
    assert shares.add_message("a", came("a")) and shares.add_message("b", came("b"))
    assert shares.count_waiting() == AS_BUSY + 2
    assert shares.is_served
    assert boards_of(shares.take_batch(4, 0.0).came) == ["loud", "a", "b", "loud"]
    shares.add_message("a", came("a"))
    assert boards_of(shares.take_batch(500, 0.0).came) == ["loud", "a"] + ["loud"] * (MOST_IN_TURN - 1)


def test_a_share_has_an_end_and_does_not_touch_the_others() -> None:
    shares = Shares()
    assert not shares.add_message("huge", came("huge", MOST_SHARE_BYTES + 1))
    assert (
        sum(shares.add_message("loud", came("loud", LARGEST_MESSAGE)) for _ in range(200))
        == MOST_SHARE_BYTES // LARGEST_MESSAGE
    )
    assert sum(shares.add_message("many", came("many")) for _ in range(2 * MOST_IN_SHARE)) == MOST_IN_SHARE
    assert shares.add_message("a", came("a"))
    assert "huge" not in boards_of(shares.take_batch(500, 0.0).came)  # a name without messages took the hall down


def test_one_message_that_is_too_long_is_dropped_and_the_hall_goes_on(tmp_path: Path) -> None:
    """Kept by the broker too, for the next start of the hall."""
    with mosquitto(tmp_path) as broker:
        line = broker_of(broker.url)
        client = line.create_client("any")
        client.connect(line.host, line.port)
        client.loop_start()
        tables, publishers = two_boards(tmp_path, broker)
        for number in (1, 2):
            with hall(broker, str(tmp_path / f"hall-{number}.sqlite3")) as url:
                wait_until(lambda: len(stored(url)) == 2)
                for kind in ("state", "health", "events"):
                    where = f"{line.prefix}/silent-{kind}/{kind}"
                    client.publish(where, b"A" * 70_000, qos=1, retain=True).wait_for_publish(PATIENCE_S)
                tables[0].play(OPENING[number - 1])
                wait_until(lambda now=number: stored(url)[0] == now + 1)
        client.disconnect()
        client.loop_stop()
        for publisher in publishers:
            publisher.stop_publishing()
        for table in tables:
            table.record.close_file()


def test_what_waits_is_given_before_the_end_and_changes_come_at_once() -> None:
    shares = Shares()
    for _ in range(MOST_IN_TURN + 1):
        shares.add_message("a", came("a"))
    shares.mark_changed(["b"])
    shares.end_input()
    first, last = shares.take_batch(500, 0.0), shares.take_batch(500, 0.0)
    assert (len(first.came), first.changed, first.is_last) == (MOST_IN_TURN, {"b"}, False)
    assert (len(last.came), last.changed, last.is_last) == (1, frozenset(), True)


def test_the_others_are_stored_while_one_board_floods_the_broker(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        tables, publishers = two_boards(tmp_path, broker)
        wait_until(lambda: stored(url) == [1, 1])
        is_over = threading.Event()

        def flood(kind: str) -> None:
            sent = packets(kind)
            with suppress(OSError), connected(broker.port, kind) as line:
                while not is_over.is_set():
                    line.sendall(sent)

        floods = [threading.Thread(target=flood, args=[kind]) for kind in ("large", "garbage", "states")]
        for one in floods:
            one.start()
        try:
            for table in tables:
                for text in OPENING[:4]:
                    table.play(text)
            wait_until(lambda: [table.stored() for table in tables] == [{NAME: 5}, {NAME: 5}])
        finally:
            is_over.set()
            for one in floods:
                one.join()
            for publisher in publishers:
                publisher.stop_publishing()
            for table in tables:
                table.record.close_file()


def test_a_hall_that_cannot_take_what_comes_says_so_until_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """It said that it was well while nothing of any board was stored."""
    monkeypatch.setattr("server.hall.desk.intake.FAILED_S", 0.01)
    vitals, seen = HallVitals("here"), list[list[str]]()
    intake = Intake(broker_of("mqtt://127.0.0.1:1/camelot"), None, None, vitals, print, bool)  # type: ignore[arg-type]

    def take_batch(*_: object) -> Batch:
        vitals.update_faults()
        seen.append([fault.why for fault in vitals.current_faults() if fault.what == DATABASE])
        if len(seen) < 3:
            raise IndexError
        return Batch([], frozenset(), is_last=True)

    monkeypatch.setattr(intake._came, "take_batch", take_batch)
    intake.run()
    vitals.update_faults()
    assert [bool(whys) for whys in seen] == [False, True, True]
    assert "start the hall again" in seen[-1][0]
    assert DATABASE not in {fault.what for fault in vitals.current_faults()}
