"""Five hundred spectators of a live game, and thousands who connect and do not read: does the referee notice?

The bundled game is refereed in real time here, while the spectators are another process on loopback:

    python -m tests.bench.bench_spectators [spectators] [stalled]
"""

from __future__ import annotations

import json
import queue
import re
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from calibration import profile as profiles
from engine.games import load
from engine.match.referee import new_match
from server.board.live.camera import RecordingEnded
from server.board.live.service import Item, Service
from server.board.pages.app import Running, create_app
from server.record.journal import Journal
from server.record.store import open_record
from server.spectators.broadcast import Broadcast
from server.web.feed import Feed
from server.web.site import allow_connections
from tests.programs import started
from tests.server.served import serve_app
from vision.frames import read_frames
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
ASK = "GET /api/v1/spectator/events?snapshots=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
EVENT = re.compile(rb"id: [0-9a-f]+-(\d+)\ndata: ")
STALLS = ("", "GET / HTTP/1.1\r\nHost: loc", ASK)
"""Who says nothing, who stops in the middle, and who asks and never reads: a third each."""


class Timed(Feed):
    """A feed that remembers when each event was told, in seconds of the system's own clock."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[float] = []

    def publish_event(self, event: Mapping[str, object]) -> None:
        self.told.append(time.monotonic())
        super().publish_event(event)


def referee(spectators: int, stalled: int) -> dict[str, float]:
    """Figures of one game with so many around: delivery and the referee's time for a frame, in ms; memory in MB."""
    game, inbox = load("camelot", "wcf"), queue.SimpleQueue[Item]()
    match, feed, others = new_match(game, game.start()), Feed(), Timed()
    film = list(read_frames(str(SESSION)))
    with tempfile.TemporaryDirectory() as folder, open_record(Path(folder) / "games.sqlite3") as record:
        journal = Journal(record, "camelot-0001")
        journal.begin_game(match, "")
        service = Service(Watcher(profiles.load_profile(SESSION / "profile.toml"), match), journal, feed, inbox=inbox)
        service.set_broadcast(Broadcast(others, 0.0))
        site = serve_app(create_app(feed, inbox.put, game, running=Running(spectators=others)))
        command = [sys.executable, "-m", __spec__.name, "load", site.url, str(spectators), str(stalled)]
        put: list[float] = []
        taken: list[float] = []
        worked: list[float] = []
        with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as crowd:
            assert crowd.stdin is not None and crowd.stdout is not None
            crowd.stdout.readline()  # all are there

            def camera() -> None:
                begun = time.monotonic() - film[0].t
                for frame in film:
                    time.sleep(max(0.0, begun + frame.t - time.monotonic()))
                    put.append(time.monotonic())
                    inbox.put(frame)
                time.sleep(2)
                inbox.put(RecordingEnded())

            threading.Thread(target=camera, daemon=True).start()

            def note() -> None:
                taken.append(time.monotonic())
                worked.append(time.thread_time())

            began = time.thread_time()
            service.run_loop(note)
            crowd.stdin.write("enough\n")
            crowd.stdin.flush()
            heard = json.loads(crowd.stdout.readline())
        feed.end_listeners()
        others.end_listeners()
        site.stop_server()
    took = 1000 * (np.array(taken) - np.array(put))
    late = 1000 * np.array([at - others.told[number - 1] for number, at in heard]) if heard else np.zeros(1)
    return {
        "events": len(others.told),
        "delivered": len(heard),
        "delivery_p50": float(np.percentile(late, 50)),
        "delivery_p99": float(np.percentile(late, 99)),
        "delivery_most": float(late.max()),
        "frame_p50": float(np.percentile(took, 50)),
        "frame_p95": float(np.percentile(took, 95)),
        "frame_cpu": 1000 * (worked[-1] - began) / len(worked),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def crowd(url: str, spectators: int, stalled: int) -> None:
    """The other process: says when all are there, and in the end what was heard and when."""
    allow_connections()
    parts = urlsplit(url)
    where = (str(parts.hostname), int(parts.port or 0))
    idle = []
    for number in range(stalled):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect(where)
        connection.sendall(STALLS[number % len(STALLS)].encode())
        idle.append(connection)
    listening = selectors.DefaultSelector()
    for _ in range(spectators):
        connection = socket.create_connection(where)
        connection.sendall(ASK.encode())
        connection.setblocking(False)
        listening.register(connection, selectors.EVENT_READ, [])
    listening.register(sys.stdin, selectors.EVENT_READ)
    print("complete", flush=True)  # the other process waits for it
    heard: list[tuple[int, float]] = []
    while True:
        for key, _ in listening.select():
            if key.fileobj is sys.stdin:
                print(json.dumps(heard), flush=True)  # and for this
                return
            assert isinstance(key.fileobj, socket.socket)
            data, now = key.fileobj.recv(1 << 20), time.monotonic()
            if not data:
                listening.unregister(key.fileobj)
            heard += [(int(number), now) for number in EVENT.findall(data)]


def main(spectators: int, stalled: int) -> None:
    """Games with nobody, with spectators, with those who stall, and with nobody again."""
    allow_connections()
    for present in ((0, 0), (spectators, 0), (spectators, stalled), (0, 0)):
        figures = referee(*present)
        print(
            f"{present[0]} spectators, {present[1]} stalled:", json.dumps({k: round(v, 1) for k, v in figures.items()})
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        crowd(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(*[int(argument) for argument in sys.argv[1:]] or (500, 5000))
