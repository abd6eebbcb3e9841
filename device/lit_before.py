"""What the LEDs showed of late, for who looks at the board that they light."""

from __future__ import annotations

from collections import deque

from device.lights import DARK, LedFrame, Rgb

KEPT_PICTURES = 64
"""Pictures with which a second of any blinking is remembered."""

BLINK_PART_S = 0.05
"""A blink is lit for eight of them."""


class ShownFrames:
    """Written by one thread, read by others: each entry is whole by itself."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, LedFrame]] = deque(maxlen=KEPT_PICTURES)

    def show_frame(self, frame: LedFrame, t: float) -> LedFrame:
        """From `t` on this is lit: as it looks just then. What blinks begins lit; one like the last goes on."""
        if not self._frames or self._frames[-1][1] != frame:
            self._frames.append((t, frame))
        return frame.at_time(t - self._frames[-1][0])

    def colours_at(self, t: float, cells: int) -> tuple[Rgb, ...]:
        """The colours at `t`; all dark before the first."""
        for since, frame in reversed(tuple(self._frames)):
            if since <= t:
                return frame.at_time(t - since).rgb
        return (DARK,) * cells

    def colours_between(self, begin: float, end: float, cells: int) -> list[tuple[Rgb, ...]]:
        """Every picture that was lit between two times, each once."""
        moments = [begin, end, *(since for since, _ in tuple(self._frames) if begin < since < end)]
        moments += [begin + BLINK_PART_S * n for n in range(1, int((end - begin) / BLINK_PART_S))]
        return list(dict.fromkeys(self.colours_at(t, cells) for t in sorted(moments)))
