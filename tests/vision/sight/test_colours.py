"""The mixing of colours that another white balance makes is found, whatever a part of the board shows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.sight.colours import apply_mixing, find_mixing

WARMER = np.array([[0.7, 0.1, 0.0, 4.0], [0.1, 0.9, 0.05, 0.0], [0.0, 0.15, 1.1, -3.0]], np.float32)
"""Channels that are mixed, not only brighter."""


def blocks(seed: int = 1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).uniform(30, 200, (24, 24, 3)).astype(np.float32)


def test_the_mixing_is_found_though_a_hand_covers_a_quarter() -> None:
    now = blocks()
    known = apply_mixing(now, WARMER)
    now[:12, :12] = 120.0
    everywhere = np.ones((24, 24), bool)
    found = apply_mixing(now, find_mixing(now, known, everywhere))
    assert np.abs(found - known)[12:].max() < 2.0, "a grey level or two, far below what a piece changes"


def test_nothing_seen_and_nothing_mixed_leave_a_picture_as_it_is() -> None:
    now = blocks()
    unseen = find_mixing(now, blocks(2), np.zeros((24, 24), bool))
    assert np.allclose(apply_mixing(now, unseen), now)
    assert apply_mixing(now, None) is now
