"""Memory of the service over hours of play, drawn to docs/pictures/memory.svg.

The recorded game is refereed again and again in one process, as fast as it goes, by what the page offers after a
recording; its memory is sampled at the end of each game:

    python -m tests.bench.memory_curve [seconds of the clock on the wall]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.patience import PATIENCE_S
from tests.programs import started

ROOT = Path(__file__).parents[2]
SESSION = ROOT / "tests" / "data" / "sessions" / "camelot_a"
PICTURE = ROOT / "docs" / "pictures" / "memory.svg"
PAUSE_S = 0.1
WIDTH, HEIGHT, EDGE = 640, 260, 48
WARM_GAMES = 20
"""What is played first fills caches; growth is said of what comes after."""


def games_played(seconds: float) -> list[tuple[float, float]]:
    """Hours of the stream and MB of memory at the end of each game that was over in these seconds."""
    schedule = json.loads((SESSION / "recording.json").read_text(encoding="utf-8"))
    hours_each, samples = sum(schedule["repeat"]) / schedule["fps"] / 3600, list[tuple[float, float]]()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "server", "serve", "--profile", str(SESSION / "profile.toml"), "--new"]
        command += ["--camera", str(SESSION), "--port", "0", "--record", f"{folder}/games.sqlite3"]
        with started(command, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            found = re.search(r"http://[^ ]*/", service.stdout.readline())
            assert found is not None
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                until(found[0], over=True)
                samples.append(((len(samples) + 1) * hours_each, resident_mb(service.pid)))
                asked_again(found[0])
                until(found[0], over=False)
    return samples


def until(url: str, over: bool) -> None:
    """Wait until the recording has ended, or another has begun; between two games nobody answers for a moment."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with suppress(URLError, ConnectionError, ValueError):
            unseen = ask(f"{url}api/v1/game").get("cannot_see")
            if (isinstance(unseen, dict) and unseen["cause"] == "recording-ended") == over:
                return
        time.sleep(PAUSE_S)
    raise AssertionError(f"the recording does not {'end' if over else 'begin again'}")


def asked_again(url: str) -> None:
    """Begin the next game; the service may be about to answer anew."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with suppress(URLError, ConnectionError):
            ask(f"{url}api/v1/onward", {"what": "again"})
            return
        time.sleep(PAUSE_S)
    raise AssertionError("the service does not begin again")


def ask(url: str, body: object = None) -> dict[str, object]:
    """What the page answers, to a wish with a body or to a question without."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {"Content-Type": "application/json"})  # noqa: S310  # ours
    with urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
        said: dict[str, object] = json.load(answer)
        return said


def resident_mb(pid: int) -> float:
    """Memory of a process that is in use now."""
    said = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.findall(r"^VmRSS:\s+(\d+) kB", said, re.M)[0]) / 1024


def drawn(samples: list[tuple[float, float]]) -> str:
    """The curve as SVG."""
    hours, most = samples[-1][0], 100 * (int(max(mb for _, mb in samples)) // 100 + 1)
    wide, high = (WIDTH - 2 * EDGE) / hours, (HEIGHT - 2 * EDGE) / most
    line = " ".join(f"{EDGE + at * wide:.1f},{HEIGHT - EDGE - mb * high:.1f}" for at, mb in samples)
    marks = []
    for mb in range(0, most + 1, 100):
        y = HEIGHT - EDGE - mb * high
        marks.append(f'<text x="4" y="{y + 4:.0f}">{mb} MB</text>')
        marks.append(f'<path d="M{EDGE} {y:.0f}H{WIDTH - EDGE}" stroke="#d4d4d4"/>')
    for at in (part * hours / 4 for part in range(5)):
        marks.append(f'<text x="{EDGE + at * wide - 12:.0f}" y="{HEIGHT - EDGE + 20}">{at:.1f} h</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>{"".join(marks)}'
        f'<polyline points="{line}" fill="none" stroke="#1d4ed8" stroke-width="2"/></svg>\n'
    )


def main(seconds: float) -> None:
    """Play, draw, and say the figures."""
    samples = games_played(seconds)
    PICTURE.write_text(drawn(samples), encoding="utf-8")
    after = samples[min(WARM_GAMES, len(samples) - 1) :]
    print(f"{len(samples)} games, {samples[-1][0]:.1f} h of the stream in {seconds / 60:.0f} minutes")
    print(
        f"MB after the first {samples[0][1]:.0f}, after {WARM_GAMES} {after[0][1]:.0f}, at the end {after[-1][1]:.0f}"
    )
    print(f"growth since then {(after[-1][1] - after[0][1]) / max(after[-1][0] - after[0][0], 1e-9):.1f} MB an hour")


if __name__ == "__main__":
    main(float((sys.argv[1:2] or ["1200"])[0]))
