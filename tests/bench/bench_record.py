"""Figures of the record: `python -m tests.bench.bench_record` lists 10,000 games, replays 400 plies, keeps pictures."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from calibration import profile as profiles
from engine import games
from server.record.evidence import RING, PictureEvidence, Store, folder_of, picture_names
from server.record.journal import fold_events
from server.record.store import open_record
from tests.server.bundled import SESSION
from tests.server.record.test_archive import played
from tests.server.record.test_evidence import refereed
from vision.frames import Frame, read_frames

GAMES, PLIES = 10_000, 400


def main() -> None:
    """Print milliseconds of each."""
    with tempfile.TemporaryDirectory() as folder, open_record(Path(folder) / "games.sqlite3") as record:
        for number in range(GAMES):
            first = {"event": "begin", "game": "camelot", "rules": "wcf", "begun": "2026-11-21T19:30:00"}
            record.append_event(f"camelot-{number:05}", first)
        name = played(record, "camblam", PLIES)
        start = time.perf_counter()
        listed = len(record.list_summaries())
        print(f"{listed} games listed in {(time.perf_counter() - start) * 1e3:.0f} ms")
        start = time.perf_counter()
        plies = len(fold_events(record.read_events(name), name).moves)
        print(f"{plies} plies replayed in {(time.perf_counter() - start) * 1e3:.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.sqlite3"
        events = refereed(file)
        plies = sum(event["event"] == "move" for event in events)
        sizes = {path.stem: path.stat().st_size for path in folder_of(file).glob("*.jpg")}
        troubles = [event for event in events if event.get("trouble")]
        of_troubles = {name for event in troubles for name in picture_names(event)}
        spent = sum(sizes[name] for name in of_troubles) / 1e3 / len(troubles)
        print(f"a ply: {sum(size for name, size in sizes.items() if name not in of_troubles) / 1e3 / plies:.0f} KB")
        print(f"a trouble: {len(of_troubles) / len(troubles):.0f} pictures, {spent:.0f} KB")
        start = time.perf_counter()
        frame = next(read_frames(str(SESSION)))
        evidence = PictureEvidence(Store(folder_of(file), 10**9), games.load("camelot").board)
        views = profiles.load_profile(SESSION / "profile.toml").views
        for number in range(RING):
            evidence.remember_frame(Frame(float(number), frame.image), views)
        print(f"the seconds before a trouble: {(time.perf_counter() - start) / RING * 1e3:.1f} ms a picture kept")


if __name__ == "__main__":
    main()
