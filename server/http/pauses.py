"""Python's look for garbage in cycles, which stops every thread: rarely where there is much to look at.

Thousands of connections are some 40 objects each that live for minutes. Python looks through all old objects whenever
they have grown by a quarter, and in floods every six seconds also when they have not; with 240,000 of them everything
stood still for 0.2 s each time. What is young is looked through as before, so that a picture in a cycle goes at once.
"""

from __future__ import annotations

import asyncio
import gc

ALL_EVERY_S = 60.0
"""Between two looks through all: what went away in old cycles is kept for so long."""
WORTH_IT = gc.get_threshold()[2]
"""Looks at what is middle-aged since the last one through all: Python's own measure of when another is worth it."""
NEVER = 1 << 30


def pause_seldom(loop: asyncio.AbstractEventLoop) -> None:
    """Look through all objects of this program from `loop`, and from now on no more frequently than ALL_EVERY_S."""
    gc.set_threshold(*gc.get_threshold()[:2], NEVER)

    def look() -> None:
        if gc.get_count()[2] > WORTH_IT:
            gc.collect()
        loop.call_later(ALL_EVERY_S, look)

    loop.call_later(ALL_EVERY_S, look)


def pause_as_before() -> None:
    """Python looks when it likes again."""
    gc.set_threshold(*gc.get_threshold()[:2], WORTH_IT)
