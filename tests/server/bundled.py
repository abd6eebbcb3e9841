"""The bundled recording in parts: as far as a test needs it, and from where it needs it."""

from __future__ import annotations

import json
from pathlib import Path

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
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
