"""`referee demo` as somebody sees it who starts it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from server.web.vitals import UNHEARD_S
from tests.patience import wait_until
from tests.programs import started


def ask(address: str) -> dict[str, object]:
    with urllib.request.urlopen(address) as answer:  # noqa: S310  # our own address
        return dict(json.load(answer))


def watch_events(address: str) -> None:
    """Until the program ends, as a page does; the film waits for the first one."""
    with suppress(OSError), urllib.request.urlopen(f"{address}api/v1/events") as stream:  # noqa: S310  # our own address
        for _ in stream:
            pass


def test_a_film_that_waits_for_its_reader_is_no_lost_camera(tmp_path: Path) -> None:
    """Its first caption holds it for twice as long as a camera may be silent."""
    home = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "server", "demo", "--no-open", "--port", "0"]
    with started(command, env=home, stdout=subprocess.PIPE, text=True) as process:
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found
        threading.Thread(target=watch_events, args=[found[0]], daemon=True).start()
        wait_until(lambda: ask(f"{found[0]}healthz")["frame_age_s"] is not None)
        longest, end = 0.0, time.monotonic() + 3 * UNHEARD_S
        while time.monotonic() < end:
            said = ask(f"{found[0]}healthz")
            assert (said["status"], said["camera"]) == ("ok", "ok"), said
            longest = max(longest, float(str(said["frame_age_s"])))
            time.sleep(0.1)
        assert longest > UNHEARD_S
