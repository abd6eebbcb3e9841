"""A disk that is full for minutes in a real game, has room again, is pulled out, and comes back:

    python -m tests.bench.disk_trouble [SECONDS]

The referee is the real program; a camera in the network shows the recorded game, with so long between two plies that
it is played while the disk is full. The record is on a small file system of its own. Exit 1 where a move is missing or
doubled in the end, or where /healthz or the page did not say what is wrong while it was.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from server.record.evidence import folder_of
from server.record.store import open_record
from server.record.verifying import find_record_faults
from tests.patience import PATIENCE_S
from tests.programs import started

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
SCHEDULE = json.loads((SESSION / "recording.json").read_text(encoding="utf-8"))
PICTURES = [path.read_bytes() for path in sorted(SESSION.glob("frame_*.jpg"))]
STANDS = 1
"""The first picture on which the pieces stand: before it the board is empty."""
QUIET = 10
"""Repetitions of a picture from which on nobody moved in it."""
FPS = 8.0
BEFORE_S, BETWEEN_S, GONE_S = 30.0, 10.0, 15.0
"""Before the disk is full and the first ply is played, between the two troubles and after them, and without a disk."""


class Slowed(BaseHTTPRequestHandler):
    """The recording as a camera in the network sends it: hands as fast as they were, and long thinking between."""

    begun, thinking_s = 0.0, 1.0

    def do_GET(self) -> None:  # as the base class names it
        """Send until nobody listens."""
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        lasts = [repeat / SCHEDULE["fps"] if repeat < QUIET else self.thinking_s for repeat in SCHEDULE["repeat"]]
        ends = list(itertools.accumulate(lasts))
        with suppress(OSError):
            while True:
                at = time.monotonic() - self.begun
                picture = PICTURES[max(STANDS, min(sum(end <= at for end in ends), len(PICTURES) - 1))]
                self.wfile.write(b"--next\r\nContent-Type: image/jpeg\r\n")
                self.wfile.write(f"Content-Length: {len(picture)}\r\n\r\n".encode() + picture + b"\r\n")
                time.sleep(1 / FPS)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Said:
    """What the service says, asked all the time: (record of /healthz, what waits, the line on the page)."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.all: list[tuple[str, int, str]] = []
        self.unanswered = 0
        threading.Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        while True:
            try:
                vital, game = (self._json(path) for path in ("healthz", "api/v1/game"))
                self.all.append((vital["record"], vital["record_waiting"], str(game.get("record") or "")))
            except (OSError, ValueError, KeyError):
                self.unanswered += 1
            time.sleep(0.5)

    def _json(self, path: str) -> dict[str, Any]:
        with urlopen(f"{self._url}{path}", timeout=PATIENCE_S) as answer:  # noqa: S310  # ours
            found: dict[str, Any] = json.load(answer)
            return found

    def during(self, seconds: float) -> list[tuple[str, int, str]]:
        """What is said in that time."""
        first = len(self.all)
        time.sleep(seconds)
        return self.all[first:]


def inside(seconds: float, disk: Path) -> int:
    """In a mount namespace of its own."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48M", "none", disk], check=True)
    record, filler = disk / "games.sqlite3", disk / "filler"
    camera = ThreadingHTTPServer(("127.0.0.1", 0), Slowed)
    threading.Thread(target=camera.serve_forever, daemon=True).start()
    command = [sys.executable, "-m", "server", "serve", "--profile", str(SESSION / "profile.toml"), "--new"]
    command += ["--camera", f"http://127.0.0.1:{camera.server_port}/video", "--port", "0", "--record", str(record)]
    with started(command, stdout=subprocess.PIPE, text=True) as referee:
        assert referee.stdout is not None
        said = Said(referee.stdout.readline().split("page is at ")[1].split()[0])
        quiet = [repeat for repeat in SCHEDULE["repeat"] if repeat >= QUIET]
        Slowed.begun = time.monotonic() + BEFORE_S  # so long the start stands
        Slowed.thinking_s = max(1.0, (seconds + BETWEEN_S + GONE_S - 5) / len(quiet))
        time.sleep(BEFORE_S)
        with suppress(OSError), filler.open("wb", 0) as out:
            while out.write(b"0" * 4096):
                pass
        full = said.during(seconds)
        filler.unlink()
        room = said.during(BETWEEN_S)
        record.rename(disk / "elsewhere")
        gone = said.during(GONE_S)
        (disk / "elsewhere").rename(record)
        back = said.during(2 * BETWEEN_S)
        referee.send_signal(signal.SIGINT)
        status = referee.wait(PATIENCE_S)
    with open_record(record) as opened:
        (name,) = opened.event_counts()
        events = opened.read_events(name)
        kept = [event["notation"] for event in events if event["event"] == "move"]
        faults = find_record_faults(opened, folder_of(record))[0]
    lines = map(json.loads, (SESSION / "events.jsonl").read_text(encoding="utf-8").splitlines())
    played = [event["notation"] for event in lines if event["event"] == "move"]
    others = Counter(event["event"] for event in events)
    waited = max(waiting for _, waiting, _ in full)
    print(f"{len(kept)} of {len(played)} moves in the record, {'the same' if kept == played else 'others'}; {faults}")
    print(f"in the record: {dict(others)}")
    for when, words in (("full", full), ("room", room), ("gone", gone), ("back", back)):
        print(f"{when}: {sorted({kind for kind, _, _ in words})}, {sorted({line for _, _, line in words})}")
    print(
        f"{waited} waited at most, {said.unanswered} questions unanswered, exit {status}, load {os.getloadavg()[0]:.1f}"
    )
    told = any(kind == "full" and line for kind, _, line in full) and any(kind == "gone" for kind, _, _ in gone)
    calm = room[-1] == back[-1] == ("ok", 0, "")
    return 0 if kept == played and not faults and waited and told and calm and status == 0 else 1


def main(seconds: float) -> int:
    """Run it where a file system may be mounted."""
    with tempfile.TemporaryDirectory() as folder:
        own = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m", __spec__.name]
        return subprocess.run([*own, str(seconds), folder], check=False).returncode


if __name__ == "__main__":
    asked = float((sys.argv[1:2] or ["600"])[0])
    sys.exit(inside(asked, Path(sys.argv[2])) if len(sys.argv) > 2 else main(asked))
