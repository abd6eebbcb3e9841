"""A board says that its hall stores or confirms nothing, or is not heard, and not that all is well before it is."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import threading
import time
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from server.board.hall_link.publisher import Publisher
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.commands.test_serve import SESSION, serving
from tests.server.hall.parts import Listener, Mosquitto, hall, start_hall
from tests.server.hall.test_hall_run import ask
from tests.server.script import NAME, OPENING


@contextmanager
def published(table: Table, broker: Mosquitto) -> Iterator[Publisher]:
    publisher = table.publisher(broker)
    try:
        yield publisher
    finally:
        publisher.stop_publishing()


def says(table: Table) -> str:
    return str(table.script.feed.vitals.hall())


def test_a_board_says_that_its_hall_has_no_room(tmp_path: Path, broker: Mosquitto, table: Table) -> None:
    """The hall's files cannot grow; it says so with every pulse, and what was played meanwhile is stored in the end."""
    process, url = start_hall(broker, str(tmp_path / "hall.sqlite3"))
    try:
        with published(table, broker) as publisher:
            wait_until(lambda: table.stored() == {NAME: 1})
            assert says(table) == "ok"
            _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
            begun = time.monotonic()
            table.play(OPENING[0])
            wait_until(lambda: says(table) != "ok")
            print(f"said after {time.monotonic() - begun:.1f} s: {says(table)}")
            assert "the hall stores nothing: " in says(table)
            assert ask(f"{url}healthz")["faults"] == ["database"]
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
            wait_until(lambda: says(table) == "ok" and table.stored() == {NAME: 2})
            assert publisher.presence.conflicts_told == {}
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def test_page_health_and_api_of_a_board_say_it(tmp_path: Path, broker: Mosquitto) -> None:
    """By the real program, whose record takes what the hall's disk does not."""
    camera = ("--camera", str(SESSION / "frame_0000.jpg"))
    process, _ = start_hall(broker, str(tmp_path / "hall.sqlite3"))
    try:
        with serving(tmp_path / "games.sqlite3", *camera, "--hall", broker.url, "--board-name", "table-1") as url:
            wait_until(lambda: hall_of(f"{url}healthz") == "ok" and hall_of(f"{url}api/v1/game") == "None")
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1024, resource.RLIM_INFINITY))
            begun = time.monotonic()
            for where in ("healthz", "api/v1/game"):
                wait_until(partial(says_nothing_is_stored, f"{url}{where}"))
                print(f"{where}: said after {time.monotonic() - begun:.1f} s")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def hall_of(address: str) -> str:
    """What a board says there of its hall; empty while it does not answer."""
    with suppress(urllib.error.HTTPError):
        return str(ask(address)["hall"])
    return ""


def says_nothing_is_stored(address: str) -> bool:
    return "stores nothing" in hall_of(address)


def heads(hall_like: Listener) -> dict[int, str]:
    """The hash of each event that a hall has heard."""
    return {link["sequence"]: link["hash"] for link in map(json.loads, hall_like.on("/events"))}


def test_a_board_says_that_what_it_sends_is_not_confirmed(broker: Mosquitto, table: Table) -> None:
    """Whatever keeps a hall from it that is heard, and says nothing of it."""
    hall_like, over = Listener(broker, "camelot/table-1/events"), threading.Event()

    def pulse() -> None:
        while not over.wait(0.25):
            said = {"store": "one", "run": "x", "at": round(time.time(), 3)}
            hall_like.client.publish("camelot/hall/pulse", json.dumps(said))

    beating = threading.Thread(target=pulse)
    beating.start()
    try:
        with published(table, broker):
            wait_until(lambda: "confirms nothing since" in says(table))
            assert says(table).endswith("only here: 1")
            table.play(OPENING[0])
            wait_until(lambda: says(table).endswith("only here: 2"))
            wait_until(lambda: heads(hall_like).get(2))  # it is on its way for a moment yet
            said = {"store": "one", "run": "x", "again": False, "whole": False}
            said["games"] = {NAME: [2, heads(hall_like)[2]]}
            hall_like.client.publish("camelot/table-1/stored", json.dumps(said))
            wait_until(lambda: says(table) == "ok")
    finally:
        over.set()
        beating.join()
        hall_like.close()


def test_a_broker_that_stands_still_is_not_said_to_be_well_in_between(
    tmp_path: Path, broker: Mosquitto, table: Table
) -> None:
    """One thing after another is found wrong with it: that no hall is heard, that it confirms nothing, and so on."""
    with hall(broker, str(tmp_path / "hall.sqlite3")), published(table, broker):
        wait_until(lambda: table.stored() == {NAME: 1})
        os.kill(broker.pid, signal.SIGSTOP)
        begun, heard = time.monotonic(), list[str]()
        while not heard or not any("no hall" not in one for one in heard):
            wait_until(lambda: says(table) not in {*heard, "ok"} if not heard else says(table) != heard[-1])
            heard.append(says(table))
            print(f"{time.monotonic() - begun:.1f} s: {heard[-1]}")
        for _ in range(80):  # the time in which it was said to be well
            assert says(table) != "ok"
            time.sleep(0.05)
        os.kill(broker.pid, signal.SIGCONT)
        wait_until(lambda: says(table) == "ok")
    assert "ok" not in heard


def test_what_a_twin_brings_about_is_logged_once(
    tmp_path: Path, broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    """Two of one name take the line from each other, and each finds anew that the hall has the other's record."""
    tables = []
    for name, begun in (("one", ""), ("other", "2026-11-25T10:00:00+00:00")):
        (tmp_path / name).mkdir()
        tables.append(Table(tmp_path / name, begun=begun))
    with (
        caplog.at_level(logging.WARNING),
        hall(broker, str(tmp_path / "hall.sqlite3")),
        published(tables[0], broker),
        published(tables[1], broker),
    ):
        wait_until(lambda: any("again and again" in says(table) for table in tables))
        wait_until(lambda: any("another event" in line for line in caplog.messages))
        caplog.clear()
        time.sleep(10.0)
    for table in tables:
        table.record.close_file()
    print(*caplog.messages, sep="\n")
    assert len(caplog.messages) <= 4
