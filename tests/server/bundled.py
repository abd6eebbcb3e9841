"""The bundled recording in parts: as far as a test needs it, and from where it needs it."""

from __future__ import annotations

import json
from pathlib import Path

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
GOLDEN = [json.loads(line) for line in (SESSION / "events.jsonl").read_text(encoding="utf-8").splitlines()]
"""What is said of it."""
SCHEDULE = json.loads((SESSION / "recording.json").read_text(encoding="utf-8"))


def cut_film(folder: Path, first: int = 0, end: int | None = None) -> Path:
    """A folder with the recording's pictures from number `first` on and before number `end`, in their own time.

    On the first picture the board is empty.
    """
    folder.mkdir(exist_ok=True)
    for picture in sorted(SESSION.glob("*.jpg"))[first:end]:
        (folder / picture.name).symlink_to(picture)
    shorter = SCHEDULE | {"repeat": SCHEDULE["repeat"][first:end]}
    (folder / "recording.json").write_text(json.dumps(shorter), encoding="utf-8")
    return folder


def picture_of(ply: int) -> int:
    """The number of the recording's picture in which the board of that ply stands still."""
    at = next(e["t"] for e in GOLDEN if (e.get("ply") == ply if ply else e["event"] == "ready"))
    shown, number = 0.0, 0
    while shown + SCHEDULE["repeat"][number] / SCHEDULE["fps"] <= at:
        shown += SCHEDULE["repeat"][number] / SCHEDULE["fps"]
        number += 1
    return number


def still_film(folder: Path, ply: int) -> Path:
    """A folder with a recording in which nothing happens: the board of that ply stands still."""
    folder.mkdir()
    picture = f"frame_{picture_of(ply):04}.jpg"
    (folder / picture).symlink_to(SESSION / picture)
    (folder / "recording.json").write_text(json.dumps(SCHEDULE | {"repeat": [40]}), encoding="utf-8")
    return folder
