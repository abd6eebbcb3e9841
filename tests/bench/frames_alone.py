"""The referee's eyes alone in a process, fed with pictures from a folder: for time from import on, and for memory.

`python -m tests.bench.frames_alone FOLDER FRAMES` stops at the first move that is reported if FRAMES is 0.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import cv2
import numpy as np

from calibration.profile import load_profile
from engine import games
from engine.match.events import Moved
from engine.match.referee import new_match
from vision.frames import Frame
from vision.watch.watcher import Watcher

FPS = 30.0
QUIET_FRAMES = 30
REPORTS = 10


def resident_mb() -> int:
    """Memory of this process."""
    line = next(one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def main(folder: Path, frames: int) -> None:
    """Feed a quiet board, hands, and the quiet board again, over and over; print megabytes as time goes by."""
    cv2.setNumThreads(1)
    profile = load_profile(folder / "profile.toml")
    watcher = Watcher(profile, new_match(games.load(profile.game)))
    if not frames:
        before, after = (np.load(folder / f"{name}.npy") for name in ("before", "after"))
        for number in count():
            events = watcher.take_frame(Frame(number / FPS, before if number < QUIET_FRAMES else after))
            if any(isinstance(event, Moved) for event in events):
                print(resident_mb())
                return
    shown = [np.load(folder / "before.npy")] * QUIET_FRAMES + list(np.load(folder / "hands.npy"))
    for number in range(frames):
        watcher.take_frame(Frame(number / FPS, shown[number % len(shown)]))
        if number % (frames // REPORTS) == frames // REPORTS - 1:
            print(resident_mb(), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
