"""What `referee hall init` prepares: every line of its access list tried at a real broker, by every account."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from paho.mqtt.reasoncodes import ReasonCode

from server.board.hall_link.publisher import Publisher
from server.hall.desk.database import open_database, read_database_name
from server.hall.desk.hall_vitals import HallVitals
from server.hall.desk.intake import Intake
from server.hall.desk.ledger import Ledger
from server.hall.desk.standing import Boards
from server.hall.joining import HALL_ACCOUNT, HEARD_BY_HOME, HOME_ACCOUNT, new_folder, prepare_broker
from server.mqtt import wire
from server.mqtt.broker import broker_of
from tests.patience import wait_until
from tests.programs import started
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import free_port, is_open
from tests.server.script import NAME, OPENING

BOARDS = ("table-1", "table-2", "table-4")
TOGETHER = {"table-1": "table-2", "table-2": "table-1"}
"""Board -> the other of its game; table-4 plays alone."""
KINDS = tuple(wire.SCHEMA_OF)
OWN = {
    board: {f"camelot/{board}/{kind}" for kind in KINDS}
    | {f"homeassistant/{part}/camelot-{board}/x/config" for part in ("sensor", "binary_sensor", "button")}
    | ({f"camelot/{board}/moves"} if board in TOGETHER else set())
    for board in BOARDS
}
ORDERS = {role: {f"camelot/{board}/commands/{role}" for board in (*BOARDS, "table-3")} for role in wire.COMMANDERS}
STORED = {f"camelot/{board}/stored" for board in (*BOARDS, "table-3")}
MAY_WRITE = OWN | {
    HALL_ACCOUNT: ORDERS[wire.ROLE_ARBITER] | STORED | {"camelot/hall/pulse"},
    HOME_ACCOUNT: {"homeassistant/status"} | ORDERS[wire.ROLE_PLAYER],
}
STRANGE = {
    "camelot/events",
    "camelot/table-3/events",
    "camelot/table-3/moves",
    "camelot/table-4/moves",
    "camelot/table-1/moves/other",
    "camelot/table-1/commands",
    "camelot/table-1/commands/other",
    "other/table-1/events",
    "x",
    "$SYS/x",
}
TOPICS = sorted(set().union(*MAY_WRITE.values()) | STRANGE)
MAY_READ = {
    HALL_ACCOUNT: {f"camelot/{board}/{kind}" for board in BOARDS for kind in KINDS}
    | {"camelot/table-3/events", "camelot/hall/pulse"}
    | STORED,
    HOME_ACCOUNT: {topic for topic in TOPICS if topic.startswith("homeassistant/")}
    | {f"camelot/{board}/{kind}" for board in BOARDS for kind in HEARD_BY_HOME},
} | {
    board: {"homeassistant/status", "camelot/hall/pulse", f"camelot/{board}/stored"}
    | {f"camelot/{board}/commands/{role}" for role in wire.COMMANDERS}
    | ({f"camelot/{TOGETHER[board]}/moves"} if board in TOGETHER else set())
    for board in BOARDS
}


class Prepared:
    def __init__(self, folder: Path, more: str = "") -> None:
        self.port = free_port()
        broker = broker_of(f"mqtt://127.0.0.1:{self.port}/camelot")
        new_folder(folder / "broker")
        self.passwords = prepare_broker(folder / "broker", broker, BOARDS, together=[("table-1", "table-2")])
        self.config = folder / "broker" / "mosquitto.conf"
        said = self.config.read_text(encoding="utf-8")
        self.config.write_text(f"{said}{more}", encoding="utf-8")

    def url(self, account: str) -> str:
        return f"mqtt://{account}:{self.passwords[account]}@127.0.0.1:{self.port}/camelot"


@contextmanager
def running(prepared: Prepared) -> Iterator[Prepared]:
    with started(["mosquitto", "-c", prepared.config], stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: is_open(prepared.port))
            yield prepared
        finally:
            process.kill()


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[Prepared]:
    with running(Prepared(tmp_path)) as started:
        yield started


class Client:
    """An account's connection, with what the broker says of each message and what it hears."""

    def __init__(self, prepared: Prepared, account: str) -> None:
        broker = broker_of(prepared.url(account))
        self.refused: dict[int, bool] = {}
        self.heard: list[str] = []
        self.ended = False
        self.client = broker.create_client("any")
        self.client.on_publish = lambda _c, _d, mid, reason, _p: self.refused.update({mid: reason.is_failure})
        self.client.on_message = lambda _c, _d, message: self.heard.append(message.topic)
        self.client.on_disconnect = self._on_end
        self.client.connect("127.0.0.1", prepared.port)
        self.client.loop_start()
        wait_until(self.client.is_connected)

    def _on_end(self, *_: object) -> None:
        self.ended = True

    def may_write(self, topic: str, body: bytes = b"x") -> bool:
        mid = self.client.publish(topic, body, qos=1).mid
        wait_until(lambda: mid in self.refused)
        return not self.refused[mid]

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


def test_every_account_writes_and_reads_its_own_and_nothing_else(prepared: Prepared) -> None:
    clients = {account: Client(prepared, account) for account in (*BOARDS, HALL_ACCOUNT, HOME_ACCOUNT)}
    for client in clients.values():
        client.client.subscribe([(topic, 1) for topic in ("#", "camelot/#", "homeassistant/#", *TOPICS)])
    time.sleep(0.3)
    may = {account: {topic for topic in TOPICS if client.may_write(topic)} for account, client in clients.items()}
    assert may == MAY_WRITE
    wait_until(lambda: "homeassistant/status" in clients["table-2"].heard)
    time.sleep(0.3)
    written = set().union(*MAY_WRITE.values())
    for account, client in clients.items():
        assert set(client.heard) == MAY_READ[account] & written, account
        client.close()


def test_nobody_comes_in_without_a_password(prepared: Prepared) -> None:
    for url in (f"mqtt://127.0.0.1:{prepared.port}/", f"mqtt://table-1:wrong@127.0.0.1:{prepared.port}/"):
        said: list[ReasonCode] = []
        client = broker_of(url).create_client("any")
        client.on_connect = lambda _c, _d, _f, reason, _p, said=said: said.append(reason)
        client.connect("127.0.0.1", prepared.port)
        client.loop_start()
        wait_until(lambda said=said: said)
        assert said[0].is_failure
        client.loop_stop()


def test_a_stolen_account_ends_no_other_boards_connection(prepared: Prepared) -> None:
    """The name of a connection is the account's, whatever it claims: both claim "any" here."""
    own, other = Client(prepared, "table-1"), Client(prepared, "table-2")
    time.sleep(0.3)
    assert not own.ended and not other.ended
    thief = Client(prepared, "table-1")
    wait_until(lambda: own.ended)
    assert not other.ended
    for client in (own, other, thief):
        client.close()


def test_a_board_publishes_with_what_was_prepared(prepared: Prepared, tmp_path: Path) -> None:
    table, engine = Table(tmp_path), open_database(str(tmp_path / "hall.sqlite3"))
    ledger = Ledger(engine)
    boards, vitals = Boards(ledger), HallVitals(read_database_name(engine))
    broker = broker_of(prepared.url(HALL_ACCOUNT))
    intake = Intake(broker, ledger, boards, vitals, lambda new, changed: None, vitals.owns_board)
    publisher = Publisher(broker_of(prepared.url("table-1")), "table-1", table.path, table.script.feed, NAME)
    publisher.start()
    table.play(OPENING[0])
    intake.start_listening()  # last: what was published before is sent again to a hall that says it is there
    wait_until(
        lambda: intake.send_pulse() or ((known := ledger.find_game("table-1", NAME)) and known.summary.events == 2)
    )
    wait_until(lambda: (board := boards.find_board("table-1")) and board.online and board.state)
    thief = Client(prepared, "table-2")
    assert not thief.may_write("camelot/table-1/available", b"offline")
    assert thief.may_write("camelot/table-2/state", b'{"board": "table-1"}')
    wait_until(lambda: intake.counts["dropped"] == 1)
    thief.close()
    publisher.stop_publishing()
    intake.stop_listening()
    engine.dispose()
    table.record.close_file()
