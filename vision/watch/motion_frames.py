"""What was seen while hands moved: small pictures of the board, kept until it is known what happened.

A board at rest does not always tell how it came about: a piece that moved and was captured at once left no trace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.reading.level import Reading
from vision.reading.level_readers import LevelReaders
from vision.sight.seeing import Seeing, SeenBoard
from vision.sight.stillness import Flags

MOTION_EVERY_S = 0.2
"""Between two that are kept: a piece that is put down and captured at once stands for half a second and more."""
MOST = 12
"""Kept at most, the latest: two plies without a pause take 1 to 2 s in the recordings. 1 MB each at most."""

Small = npt.NDArray[np.uint8]


class MotionFrames:
    """The latest pictures since the board was last understood. Mutable, owned by the main loop."""

    def __init__(self) -> None:
        self._kept: deque[tuple[float, tuple[Small, ...], Flags]] = deque(maxlen=MOST)
        self._read: list[tuple[float, Reading, Flags]] = []

    def keep_frame(self, seen: SeenBoard, seeing: Seeing) -> None:
        """Keep what can be read of a frame in which something moves, unless the last one is too recent."""
        if not self._kept or seen.t - self._kept[-1][0] + 1e-6 >= MOTION_EVERY_S:
            pictures = tuple(picture.clip(0, 255).astype(np.uint8) for picture in seeing.relit_pictures(seen.readable))
            self._kept.append((seen.t, pictures, seen.readable))
            self._read = []

    def join_frames(self, later: MotionFrames) -> None:
        """Go on with those that were taken since."""
        if later._kept:
            self._kept.extend(later._kept)
            self._read = []
            later.clear_frames()

    def clear_frames(self) -> None:
        """The board is understood, or was found elsewhere or in another light."""
        self._kept.clear()
        self._read = []

    def frame_readings(self, eyes: LevelReaders) -> Sequence[tuple[float, Reading, Flags]]:
        """What they show, each with its time and the cells that could be read.

        Afterwards `eyes` must look anew, to learn from what they see.
        """
        if not self._read:
            for t, pictures, readable in self._kept:
                eyes.compare_pictures([picture.astype(np.float32) for picture in pictures])
                self._read.append((t, eyes.explain_cells(eyes.changed_cells() & readable), readable))
        return self._read
