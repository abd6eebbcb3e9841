"""`kill -9` of the whole service in mid-game: what the page was told is in the record once, and the game goes on.

The recording is cut for each start, so that it begins with the board as the record says that it stands.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from statistics import median

from server.record.evidence import EVIDENCE, folder_of
from server.record.journal import fold_events
from server.record.store import open_record
from server.record.verifying import find_record_faults
from tests.patience import PATIENCE_S, wait_until
from tests.server.bundled import cut_film, picture_of
from tests.server.commands.test_serve import GOLDEN, PROFILE, notations

SOAKED = "SERVE_KILLS" in os.environ
KILLS = int(os.environ.get("SERVE_KILLS", "2"))
"""`make soak` asks for 500."""
MOST_RESUME_S = 30.0
"""By the clock on the wall, from the start of the program to `ready`, where `make soak` has the machine for itself: 3 s
is the aim."""
PICTURES_MB = 2
"""So few that pictures make room all the time."""
MOST_TOLD, LONGEST_S = 9, 0.15
"""Events that a life tells at most before it is killed, and what passes then: about the time between two, so that the
kill falls anywhere, while looking, writing, telling."""
MOVES = notations(GOLDEN)


class Life:
    """One run of the service, from its start to its kill, and what its page told meanwhile."""

    def __init__(self, record: Path, camera: Path, *more: str) -> None:
        self.begun = time.monotonic()
        self.ready_s: float | None = None
        self.told: list[dict[str, object]] = []
        command = [sys.executable, "-m", "server", "serve", "--profile", str(PROFILE), "--port", "0"]
        command += ["--pictures", str(PICTURES_MB)]
        self.process = subprocess.Popen(
            [*command, "--camera", str(camera), "--record", str(record), *more], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        while "http://" not in line:
            assert line, "the service ended before its page was there"
            line = self.process.stdout.readline()
        self.url = line.split("page is at ")[1].split()[0]
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        """Take down whole lines until the connection breaks."""
        try:
            with urllib.request.urlopen(f"{self.url}api/v1/events", timeout=PATIENCE_S) as stream:  # noqa: S310  # ours
                for line in stream:
                    if line.startswith(b"data: ") and line.endswith(b"\n"):
                        event = json.loads(line.removeprefix(b"data: "))
                        if event.get("event") == "ready" and self.ready_s is None:
                            self.ready_s = time.monotonic() - self.begun
                        self.told.append(event)
        except OSError:
            return

    def lives(self, events: int) -> None:
        """Wait until so many were told, or the film is over, perhaps before anybody listened."""
        wait_until(lambda: len(self.told) >= events or self._is_over())

    def _is_over(self) -> bool:
        with urllib.request.urlopen(f"{self.url}api/v1/game", timeout=PATIENCE_S) as answer:  # noqa: S310  # ours
            unseen = json.load(answer)["cannot_see"]
        return bool(unseen) and unseen["cause"] == "recording-ended"

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._listener.join(PATIENCE_S)


def test_a_killed_service_goes_on_where_it_was(tmp_path: Path) -> None:
    dice = random.Random(None if SOAKED else 5)  # soaked, each run falls elsewhere
    file, resumed = tmp_path / "games.sqlite3", list[float]()
    played, name, number = 0, "", 0
    for kill in range(KILLS):
        if played >= len(MOVES) - 1 or kill == 0:
            played, number, name = 0, number + 1, f"camelot-{number + 1:04}"
            life = Life(file, cut_film(tmp_path / f"film{kill}", picture_of(0)), "--new")
            before: list[dict[str, object]] = []
        else:
            with open_record(file) as record:
                before = record.read_events(name)
            life = Life(file, cut_film(tmp_path / f"film{kill}", picture_of(played)))
        life.lives(dice.randrange(MOST_TOLD))
        time.sleep(dice.uniform(0, LONGEST_S))
        life.kill()
        with open_record(file) as record:
            assert sorted(record.event_counts())[-1] == name
            assert find_record_faults(record, folder_of(file)) == ([], number), "an honest record is accused"
            kept = record.read_events(name)
        said = [event for event in kept[max(len(before), 1) :] if event["event"] != EVIDENCE]
        told = [event for event in life.told if event["event"] != "recording-ended"]
        assert said[: len(told)] == told, "something was told that is not in the record, or not once"
        assert kept[: len(before)] == before
        print(f"{kill + 1} kills, {len(told)} events told in this life")  # so that a run cut short has its figure
        assert notations(kept) == MOVES[: len(notations(kept))], "a move was lost or doubled"
        played = len(fold_events(kept, name).moves)
        if before and life.ready_s is not None:
            resumed.append(life.ready_s)
    worst, usual = max(resumed, default=0.0), median(resumed or [0.0])
    assert not SOAKED or worst < MOST_RESUME_S
    print(f"{KILLS} kills, {len(resumed)} times ready again, median {usual:.2f} s, worst {worst:.2f} s")
