"""A hall out of an older backup does not know boards that joined later: both say so, and what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from server.board.hall_link.publisher import Publisher
from server.hall.turned_away import SAID_FOR_S, TurnedAway
from server.mqtt.broker import broker_of
from server.mqtt.invitations import redeem_code
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import free_port
from tests.server.hall.test_standalone import club
from tests.server.script import NAME

OLDER = (b"1: New connection from 192.168.1.7:999 on port 8883.", b"1: Client <unknown> disconnected, not authorised.")
NEWER = (b"1: Client <unknown> [192.168.1.8:99] disconnected: not authorised.",)
OTHERS = (
    b"1: New connection from ::1:50 on port 8883.",
    b"1: New client connected from ::1:50 as table-1 (p5, c1, k10, u'table-1').",
)


def test_a_board_that_joined_after_the_backup_and_its_hall_say_so(tmp_path: Path) -> None:
    (tmp_path / "hall").mkdir()
    (tmp_path / "board").mkdir()
    table, port = Table(tmp_path / "board"), free_port()
    with club(tmp_path / "hall", port) as running:
        password = running.password
    shutil.copytree(tmp_path / "hall", tmp_path / "backup")
    with club(tmp_path / "hall", port) as running:
        address = redeem_code(running.code, None, [running.place])
    publisher = Publisher(broker_of(address), "table-1", table.path, table.script.feed, NAME)
    with club(tmp_path / "backup", port) as running:
        running.ask("/login", {"name": "arbiter", "password": password})
        publisher.start()
        said = table.script.feed.vitals.hall
        wait_until(lambda: "join again with the code" in str(said()))

        def faults() -> list[dict[str, str]]:
            found: list[dict[str, str]] = json.loads(running.ask("/api/v1/hall/health"))["faults"]
            return found

        wait_until(lambda: [(one["what"], one["why"]) for one in faults()] == [("turned-away", "127.0.0.1")])
        assert json.loads(running.ask("/readyz"))["ready"], "a stranger keeps no hall from its work"
        publisher.stop_publishing()
        wait_until(lambda: not faults())
        again = redeem_code(running.code, None, [running.place])
        publisher = Publisher(broker_of(again), "table-1", table.path, table.script.feed, NAME)
        publisher.start()
        wait_until(lambda: running.stored() == [1])
        publisher.stop_publishing()
    table.record.close_file()


@pytest.mark.parametrize(("lines", "place"), [(OLDER, "192.168.1.7"), (NEWER, "192.168.1.8")], ids=["2.0", "2.1"])
def test_the_log_says_from_where(tmp_path: Path, lines: tuple[bytes, ...], place: str) -> None:
    """A line that is half written is read when it is whole; what was written before this began is of earlier."""
    file, now = tmp_path / "mosquitto.log", [0.0]
    file.write_bytes(b"\n".join(OLDER) + b"\n")
    looking = TurnedAway(file, lambda: now[0])
    assert looking.list_places() == []
    for part in (lines[0][:20], lines[0][20:] + b"\n", *(line + b"\n" for line in (*OTHERS, *lines[1:]))):
        with file.open("ab") as log:
            log.write(part)
        found = looking.list_places()
    assert found == [place]
    now[0] = SAID_FOR_S
    assert looking.list_places() == []
    file.write_bytes(b"\n".join([b"x" * 100_000, *lines]) + b"\n")
    assert looking.list_places() == [place], "of a log that has grown long"
    file.write_bytes(b"")
    assert looking.list_places() == [place]
    file.unlink()
    assert looking.list_places() == [place], "it is told no more, and what was told is known"
