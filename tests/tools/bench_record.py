"""Figures of the record: `python -m tests.tools.bench_record` lists 10,000 games, replays 400 plies, keeps pictures."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from server.evidence import folder_of
from server.journal import fold
from server.record import open_record
from tests.server.test_archive import played
from tests.server.test_evidence import refereed

GAMES, PLIES = 10_000, 400


def main() -> None:
    """Print milliseconds of each."""
    with tempfile.TemporaryDirectory() as folder, open_record(Path(folder) / "games.sqlite3") as record:
        for number in range(GAMES):
            first = {"event": "begin", "game": "camelot", "rules": "wcf", "begun": "2026-11-21T19:30:00"}
            record.append(f"camelot-{number:05}", first)
        name = played(record, "camblam", PLIES)
        start = time.perf_counter()
        listed = len(record.summaries())
        print(f"{listed} games listed in {(time.perf_counter() - start) * 1e3:.0f} ms")
        start = time.perf_counter()
        plies = len(fold(record.events(name), name).moves)
        print(f"{plies} plies replayed in {(time.perf_counter() - start) * 1e3:.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.sqlite3"
        events = refereed(file)
        plies = sum(event["event"] == "move" for event in events)
        sizes = [path.stat().st_size for path in folder_of(file).glob("*.jpg")]
        print(f"{len(sizes)} pictures of {plies} plies and one trouble: {sum(sizes) / 1e3:.0f} KB")


if __name__ == "__main__":
    main()
