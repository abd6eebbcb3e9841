"""Tests wait for what must come, not for a time; what has not come after this long will never come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 180.0
"""A busy machine is often ten times slower than a free one; nothing here takes 18 seconds on a free one."""


def wait_until(
    holds: Callable[[], Any],
    what: str = "",
    patience_s: float = PATIENCE_S,
    asked_every_s: tuple[float, float] = (0.01, 0.1),
) -> Any:
    """What `holds` gives as soon as that is true; the longer that takes, the less often it is asked, which costs:
    `asked_every_s` at first, and at last."""
    often_s, seldom_s = asked_every_s
    begun = time.monotonic()
    while not (found := holds()):
        waited = time.monotonic() - begun
        assert waited < patience_s, f"in vain: {what or holds}"
        time.sleep(min(seldom_s, often_s + waited / 20))
    return found
