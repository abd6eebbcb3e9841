"""Events in a flood: how many a second a hall stores, against a subscriber that stores nothing, in turns.

    python -m tests.bench.bench_hall_flood [--events 19200] [--boards 200] [--times 3] [--postgresql] [--together 2]

The same messages are published by a process of its own, as fast as the broker takes them; every event is one of a game
that fits. Both listeners ask the broker alike, and both times end when the last event has come, or is stored.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import paho.mqtt.client as mqtt
import sqlalchemy as sa
from paho.mqtt.enums import CallbackAPIVersion

from server.hall.desk.database import STORED_EVENTS, open_database
from server.hall.desk.intake import RECEIVED_AT_ONCE
from server.mqtt.broker import connect_properties
from server.mqtt.wire import LARGEST_MESSAGE, EventLink
from server.record import chain
from tests.bench.hall_boards import made_game
from tests.bench.hall_load import processor_s
from tests.patience import wait_until
from tests.server.hall.parts import Mosquitto, Postgres, mosquitto, start_hall

UNDER_WAY = 400
"""Messages of one publisher that the broker has not confirmed."""


def messages(folder: Path, boards: int, events: int) -> Path:
    """A file with a topic and a payload in each line, the boards' in turns."""
    rows, file = [event for event, _ in made_game(1)], folder / "flood"
    lines: list[list[str]] = []
    for number in range(1, boards + 1):
        board, own = f"table-{number}", []
        for at in range(events // boards):
            game = f"camelot-{1 + at // len(rows):04}"
            if at % len(rows) == 0:
                head = chain.genesis_hash(game)
            event = rows[at % len(rows)]
            before, head = head, chain.hash_event(head, chain.encode_event(event))
            link = EventLink(board, game, 1 + at % len(rows), before, head, event)
            own.append(f"camelot/{board}/events {link.to_payload().decode()}")
        lines.append(own)
    file.write_text("\n".join(line for turn in zip(*lines, strict=True) for line in turn), encoding="utf-8")
    return file


def publish(port: int, file: Path) -> None:
    """What the process does that publishes."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    client.max_inflight_messages_set(UNDER_WAY)
    client.max_queued_messages_set(0)
    client.connect("127.0.0.1", port)
    client.loop_start()
    said = [line.split(" ", 1) for line in file.read_text(encoding="utf-8").splitlines()]
    for info in [client.publish(topic, body, qos=1) for topic, body in said]:
        info.wait_for_publish()
    client.disconnect()


def published(broker: Mosquitto, file: Path) -> subprocess.Popen[bytes]:
    """It, begun."""
    return subprocess.Popen([sys.executable, "-m", "tests.bench.bench_hall_flood", str(broker.port), str(file)])


def bare(broker: Mosquitto, file: Path, events: int) -> tuple[float, float]:
    """Events a second that a subscriber hears, and its processor time for one, in ms."""
    spent = time.process_time()
    client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
    heard: list[float] = []
    over = threading.Event()

    def hear(*_: object) -> None:
        heard.append(time.monotonic())
        if len(heard) == events:
            over.set()

    client.on_message = hear
    properties = connect_properties(ReceiveMaximum=RECEIVED_AT_ONCE, MaximumPacketSize=2 * LARGEST_MESSAGE)
    client.connect("127.0.0.1", broker.port, clean_start=True, properties=properties)
    client.subscribe("camelot/+/events", qos=1)
    client.loop_start()
    with published(broker, file) as process:
        assert over.wait(300), f"{len(heard)} of {events} heard"
        process.wait()
    client.disconnect()
    client.loop_stop()
    return events / (heard[-1] - heard[0]), 1000 * (time.process_time() - spent) / events


def stored(broker: Mosquitto, file: Path, events: int, postgres: Postgres | None, together: int) -> tuple[float, float]:
    """Events a second that so many halls store, on a new database, and their processor time for one, in ms."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as closing:
        database = postgres.url if postgres else str(Path(name) / "hall.sqlite3")
        engine = open_database(database)
        closing.callback(engine.dispose)
        with engine.begin() as connection:
            for table in ("events", "games"):
                connection.execute(sa.text(f"DELETE FROM {table}"))  # noqa: S608  # our own names
        pids = []
        for _ in range(together):
            process, _url = start_hall(broker, database)
            closing.callback(process.wait)
            closing.callback(process.kill)
            pids.append(process.pid)
        time.sleep(3)  # they hear of each other
        before = sum(map(processor_s, pids))

        def count() -> int:
            with engine.connect() as connection:
                return connection.execute(sa.select(sa.func.count()).select_from(STORED_EVENTS)).scalar_one()

        with published(broker, file) as publishing:
            wait_until(count)
            begun, first = time.monotonic(), count()
            wait_until(lambda: time.sleep(0.05) or count() == events, f"{count()} of {events}", 300)
            over, spent = time.monotonic(), sum(map(processor_s, pids)) - before
            publishing.wait()
    return (events - first) / (over - begun), 1000 * spent / events


def main() -> None:
    """Take turns, and say the figures."""
    if len(sys.argv) == 3 and sys.argv[1].isdecimal():
        publish(int(sys.argv[1]), Path(sys.argv[2]))
        return
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--events", type=int, default=19_200)
    asked.add_argument("--boards", type=int, default=200)
    asked.add_argument("--times", type=int, default=3)
    asked.add_argument("--together", type=int, default=1)
    asked.add_argument("--postgresql", action="store_true")
    chosen = asked.parse_args()
    events = chosen.events // chosen.boards * chosen.boards
    ratios = []
    with tempfile.TemporaryDirectory() as name, ExitStack() as closing:
        file = messages(Path(name), chosen.boards, events)
        postgres = Postgres() if chosen.postgresql else None
        if postgres:
            closing.callback(postgres.close)
        broker = closing.enter_context(mosquitto(Path(name), "allow_anonymous true\nmax_queued_messages 100000"))
        for _ in range(chosen.times):
            (one, bare_ms), (other, hall_ms) = (
                bare(broker, file, events),
                stored(broker, file, events, postgres, chosen.together),
            )
            ratios.append(other / one)
            said = f"{one:.0f} heard a second, {other:.0f} stored: {other / one:.2f}"
            print(f"{said}; processor an event {bare_ms:.2f} and {hall_ms:.2f} ms", flush=True)
    print(f"median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
