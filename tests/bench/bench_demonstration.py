"""`referee demo` again and again, watched in a browser: are its events always the same, and how long does the refusal
stand on the page? `python -m tests.bench.bench_demonstration --runs 10 --loaded 5`; two minutes a run, or more."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from server.record.store import read_record
from tests.browser import browser, size

LOAD = 10
"""Programs that do nothing but count, beside a loaded run."""
LONGEST_S = 1500.0
JUDGED = frozenset({"ready", "lifted", "move", "partial", "illegal", "restored", "unclear", "takeback", "result"}) | {
    "set-up", "camera-moved", "camera-found", "light-changed", "cannot-see", "seen-again"
}  # fmt: skip
"""What the referee says by what it saw, each with its time in the recording."""
WATCH = """
const seen = window.seen = [];
const look = () => {
  const card = document.getElementById("status").dataset.phase, told = document.getElementById("reason");
  const caption = document.getElementById("film-caption").textContent;
  const last = seen.at(-1);
  if (last?.phase !== card || last?.caption !== caption)
    seen.push({ t: performance.now() / 1000, phase: card, said: told.hidden ? "" : told.textContent, caption });
};
const all = { subtree: true, childList: true, attributes: true, characterData: true };
new MutationObserver(look).observe(document.body, all);
look();
"""


@contextmanager
def loaded(programs: int) -> Iterator[None]:
    """So many programs that count, until the end."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(programs)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def run(home: Path) -> dict[str, object]:
    """One demonstration from its start to its end."""
    own = os.environ | {"XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home)}
    begun = time.monotonic()
    demo = [sys.executable, "-u", "-m", "server", "demo", "--no-open", "--port", "0"]
    with subprocess.Popen(demo, env=own, stdout=subprocess.PIPE, text=True) as process, browser() as driver:
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found
        size(driver, 1280, 720)
        driver.get(found[0])
        driver.execute_script(WATCH)
        while time.monotonic() - begun < LONGEST_S:
            time.sleep(1.0)
            with urllib.request.urlopen(f"{found[0]}api/v1/game") as answer:  # noqa: S310  # our own address
                game = json.load(answer)
            if (game["cannot_see"] or {}).get("cause") == "recording-ended":
                break
        seen = driver.execute_script("return window.seen")
        process.send_signal(signal.SIGTERM)
        process.wait()
    with read_record(home / "camelot-referee" / "demo.sqlite3") as opened:
        told = [event for event in opened.read_events(game["name"]) if event["event"] in JUDGED]
    wrong = [n for n, one in enumerate(seen) if one["phase"] == "trouble"]
    stood = seen[wrong[-1] + 1]["t"] - seen[wrong[0]]["t"] if wrong else 0.0
    captions = list(dict.fromkeys(one["caption"] for one in seen))
    return {
        "seconds": round(time.monotonic() - begun),
        "plies": game["ply"],
        "result": (game["outcome"] or {}).get("result"),
        "refusal_s": round(stood, 1),
        "said": seen[wrong[-1]]["said"] if wrong else "",
        "captions": len(captions),
        "events": hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:8],
    }


@click.command()
@click.option("--runs", default=10)
@click.option(
    "--loaded", "under_load", default=5, help="So many of them, the last ones, beside ten programs that count."
)
def main(runs: int, under_load: int) -> None:
    """Print a line for each run."""
    for number in range(runs):
        with TemporaryDirectory() as home, loaded(LOAD if number >= runs - under_load else 0):
            told = run(Path(home))
            click.echo(json.dumps({"run": number + 1, "load": os.getloadavg()[0], **told}, ensure_ascii=False))


if __name__ == "__main__":
    main()
