"""One board among many floods the broker with its own account: how soon the others' events are stored, what it costs.

    python -m tests.bench.hall_hostile [SECONDS] [BOARDS]

The hostile one writes to no topic but its own, as the broker's access list lets it: bodies of all sizes that are no
messages, states, health and pulses as fast as they go, events of games whose beginning never comes, and a game of its
own without an end. Others are timed before, in and after it. Exit 1 where one of theirs is lost, or the hall has grown.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from server.mqtt import wire
from server.mqtt.wire import EventLink
from server.record import chain
from tests.bench.hall_load import Figures, Run, compare
from tests.programs import started
from tests.server.hall.parts import mosquitto

NAME = "table-hostile"
RATE = 20.0
"""Events a second of all other boards together."""
WARM_S = 10.0
"""Until the memory of the hall is taken for the first time."""
MOST_GROWN_MB, MOST_MS, MOST_ENDING_S = 20.0, 200.0, 5.0
"""What the flood may cost: memory of the hall, by how much later 99 in 100 events of others are, and how long its end
takes."""
KINDS = ("garbage", "large", "states", "pulses", "early", "endless")


def packet(kind: str, body: bytes) -> bytes:
    """A PUBLISH of MQTT 5 at QoS 0: nothing is waited for."""
    topic = wire.build_topic("camelot", NAME, kind).encode()
    rest, length = len(topic).to_bytes(2) + topic + b"\0" + body, b""
    left = len(rest)
    while left >= 128:
        length, left = length + bytes([left % 128 | 128]), left // 128
    return b"\x30" + length + bytes([left]) + rest


def packets(kind: str) -> bytes:
    """What is sent again and again, or all of a game without an end."""
    state = {"board": NAME, "name": "camelot-0001", "events": 1, "game": "camelot", "rules": "wcf", "phase": "ready"}
    state |= {"side": "white", "ply": 0, "cells": {}, "last": None, "clocks": None, "result": None, "reason": None}
    state |= {"note": "x" * 300, "cannot_see": None, "players": {}}
    if kind == "garbage":
        return packet(wire.EVENTS, b"{") * 500
    if kind == "large":
        return packet(wire.EVENTS, b'"' + b"x" * 60_000 + b'"') * 10
    if kind == "states":
        return packet(wire.STATE, json.dumps(state).encode()) * 100
    if kind == "pulses":
        return packet(wire.PULSE, json.dumps({"board": NAME, "run": "x", "at": 1.0}).encode()) * 300
    game, before, written = "camelot-0001", chain.genesis_hash("camelot-0001"), list[bytes]()
    for number in range(1, 2000):
        event = {"event": "note", "text": "x" * (30_000 if kind == "early" else 20)}
        game = f"camelot-{os.getpid() * 10_000 + number}" if kind == "early" else game
        after = chain.hash_event(before, chain.encode_event(event))
        written.append(
            EventLink(NAME, game, number + 1 if kind == "early" else number, before, after, event).to_payload()
        )
        before = before if kind == "early" else after
        if kind == "early" and number == 200:
            break
    return b"".join(packet(wire.EVENTS, body) for body in written)


def connected(port: int, name: str) -> socket.socket:
    """A connection to the broker, past its greeting."""
    line, called = socket.create_connection(("127.0.0.1", port)), f"{NAME}-{name}".encode()
    rest = b"\0\x04MQTT\x05\x02\0\0\0" + len(called).to_bytes(2) + called
    line.sendall(b"\x10" + bytes([len(rest)]) + rest)
    line.recv(100)
    return line


def flood(port: int) -> None:
    """Each kind on a connection of its own, until the process ends."""

    def forever(kind: str) -> None:
        sent = packets(kind)
        for number in itertools.count():
            with suppress(OSError), connected(port, f"{kind}-{number}") as line:
                while True:
                    line.sendall(sent)
            time.sleep(0.2)

    for kind in os.environ.get("FLOODS", " ".join(KINDS)).split():
        threading.Thread(target=forever, args=[kind], daemon=True).start()
    sys.stdin.readline()
    os._exit(0)


def said(run: Run, begun: float, end: float) -> tuple[str, float]:
    """How late events were that were written in that time, in words and 99 in 100 of them, in ms."""
    committed = run.committed()
    late = [1000 * (run.seen[key] - at) for key, at in committed.items() if begun <= at < end and key in run.seen]
    lost = sum(begun <= at < end and key not in run.seen for key, at in committed.items())
    p50, p99 = np.percentile(late + [math.inf] * lost, [50, 99], method="lower")
    return f"{len(late)} events in time, {lost} not, ms p50 {p50:.0f} p99 {p99:.0f}", float(p99)


def main(seconds: float, boards: int) -> int:
    """Measure, and say the figures."""
    with tempfile.TemporaryDirectory() as name, mosquitto(Path(name)) as broker:
        run = Run(Path(name), broker, None, boards)
        try:
            run.start_boards(RATE, WARM_S + 2 * seconds)
            time.sleep(WARM_S)
            times, memory = [time.time()], [run.memory_mb()]
            time.sleep(seconds / 2)
            flooding = [sys.executable, "-m", __spec__.name, "flood", str(broker.port)]
            with started(flooding, stdin=-1) as floods:
                times.append(time.time())
                end = time.monotonic() + seconds
                while time.monotonic() < end:
                    time.sleep(0.5)
                    memory.append(run.memory_mb())
                floods.kill()
            times.append(time.time())
            run.said()
            times.append(time.time())
            time.sleep(5)
            figures = [said(run, *pair) for pair in itertools.pairwise(times)]
            for when, (words, _) in zip(("before", "in the flood", "after it"), figures, strict=True):
                print(f"{when}: {words}")
            print(f"hall: {memory[0]:.0f} MB before, {max(memory):.0f} at most; load {os.getloadavg()[0]:.1f}")
            run.catches_up()
            stored = Figures()
            compare(run, stored)
            begun = time.monotonic()
            run.halls[0].send_signal(signal.SIGTERM)
            run.halls[0].wait(60)
            ending_s = time.monotonic() - begun
            print(f"{stored.events} events of the others, {stored.lost} lost; SIGTERM took {ending_s:.1f} s")
        finally:
            run.close()
    good = (
        figures[1][1] <= figures[0][1] + MOST_MS
        and max(memory) - memory[0] <= MOST_GROWN_MB
        and ending_s < MOST_ENDING_S
    )
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["flood"]:
        flood(int(sys.argv[2]))
    else:
        asked = [float(text) for text in sys.argv[1:]]
        sys.exit(main((asked or [60.0])[0], int((asked[1:] or [200.0])[0])))
