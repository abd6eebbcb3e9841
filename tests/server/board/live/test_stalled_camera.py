"""A picture that a camera's network held up is not cleaned of lights that came on long after it was taken."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.profile import load_profile
from device.mapfile import load_default_map
from device.port import LedPort
from device.protocols import load_protocol
from engine.match.acts import Mode
from engine.match.referee import new_match
from server.board.live.camera import DRAINED_S, LiveFrame, StallWatch
from server.board.live.heart import Heart
from server.web.feed import Feed
from tests.server.board.live.seen_once import SESSION
from tests.server.board.live.test_heart import GAME
from vision.watch.watcher import Watcher

LIT = [((255, 0, 0),) * len(GAME.board.cells)]


def old_ones(interval_s: float, *gaps_s: float) -> list[int]:
    """How many pictures may be old after each of these gaps, between which 20 come at a steady rate."""
    watch, t, found = StallWatch(), 0.0, list[int]()
    for gap_s in (interval_s, *gaps_s):
        times = t + gap_s + interval_s * np.arange(20)
        came, t = [watch.may_be_old(float(one)) for one in times], float(times[-1])
        found.append(sum(came) if came == sorted(came, reverse=True) else -1)  # none after one that is new
    return found[1:]  # only then it is known what is usual


@pytest.mark.parametrize(("interval_s", "gap_s"), [(0.1, 6.0), (0.1, 1.2), (0.4, 2.0)])
def test_after_a_stall_pictures_may_be_old_for_a_while(interval_s: float, gap_s: float) -> None:
    assert old_ones(interval_s, gap_s, gap_s) == [round(np.ceil(DRAINED_S / interval_s))] * 2


@pytest.mark.parametrize(("interval_s", "gap_s"), [(0.1, 0.9), (2.0, 4.0)])
def test_a_slow_or_uneven_camera_has_not_stalled(interval_s: float, gap_s: float) -> None:
    assert old_ones(interval_s, gap_s) == [0]


@pytest.mark.parametrize("lit", [[], LIT])
def test_a_picture_that_may_be_old_is_left_out_where_something_is_lit(
    monkeypatch: pytest.MonkeyPatch, lit: list[tuple[tuple[int, int, int], ...]]
) -> None:
    leds = load_default_map("camelot", GAME.board)
    port = LedPort("screen:", lambda: load_protocol("screen", leds), print)
    heart = Heart(Feed(), "standard", lambda: Mode.TRAINING)
    heart.use_port(port, "", Watcher(load_profile(SESSION / "profile.toml"), new_match(GAME)))
    monkeypatch.setattr(port, "light_between", lambda _begin, _end: lit)
    picture = np.zeros((8, 8, 3), np.uint8)
    told = [heart.light_during_frame(LiveFrame(1.0, picture, 1.0, may_be_old=old)) for old in (False, True)]
    heart.close()
    assert told == [lit, None if lit else []]
