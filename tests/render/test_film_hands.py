"""People's pace in films: hands come, change what lies under them and nothing else, and leave; or are in a hurry."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.camera.scenes import CORNERS, FROM, TO, a_ply, board
from tests.render.camera.timing import runs, schedule

PLAYED = Conditions(noise_sd=0.0, flicker=0.0, fps=20.0, quiet_s=0.2, hands_s=1.0, hands_move=True)


def test_pictures_between_hands_are_known_as_such() -> None:
    found = list(runs(a_ply()))
    assert [(run.first, len(run.shots), run.within) for run in found] == [
        (0, 1, False),
        (1, 1, False),
        (2, 1, True),
        (3, 1, False),
        (4, 1, False),
    ]
    assert np.array_equal(found[1].before, board()) and found[1].after is not None


def test_a_hand_comes_and_goes_and_cells_change_only_under_it() -> None:
    shown = [frame for frame in schedule(a_ply(), PLAYED, 1) if frame.number == 1]
    assert len(shown) == 20
    before, after = board().astype(int), board(TO).astype(int)
    differs = [np.abs(np.minimum(abs(f.image - before), abs(f.image - after))).max(axis=2) > 20 for f in shown]
    assert differs[0].mean() < 0.02 and differs[-1].mean() < 0.02
    assert max(mask.mean() for mask in differs) > 0.03
    assert sum(not np.array_equal(a.image, b.image) for a, b in pairwise(shown)) > 15
    for cell in (FROM, TO):
        near = (slice(cell[0].start - 12, cell[0].stop + 12), slice(cell[1].start - 12, cell[1].stop + 12))
        states = [bool((abs(f.image[cell] - before[cell]) > abs(f.image[cell] - after[cell])).all()) for f in shown]
        changed = [n for n, (a, b) in enumerate(pairwise(states)) if a != b]
        assert changed, "the cell never changes"
        assert all(differs[n][near].any() or differs[n + 1][near].any() for n in changed)


def test_who_hurries_leaves_no_picture_between_two_hands() -> None:
    numbers = [n for n, _ in film(a_ply() * 5, replace(PLAYED, hurried=1.0), 1, CORNERS)]
    assert 2 not in numbers and {0, 1, 3, 4} <= set(numbers)


def test_people_think_now_and_then() -> None:
    thinking = replace(PLAYED, thinking_s=5.0, thinking_every=3)
    numbers = [n for n, _ in film(a_ply(), thinking, 1, CORNERS)]
    assert numbers.count(4) == 100 and numbers.count(2) == 4


def test_frames_are_dropped_and_doubled_as_often_as_asked() -> None:
    shots = [("quiet", board())]
    chosen = replace(PLAYED, noise_sd=2.0, quiet_s=60.0, dropped=0.1, doubled=0.1)
    frames = [frame for _, frame in film(shots, chosen, 1, CORNERS)]
    assert len(frames) / 1200 == np.clip(len(frames) / 1200, 0.87, 0.93)
    doubled = np.mean([np.array_equal(a.image, b.image) for a, b in pairwise(frames)])
    assert 0.07 < doubled < 0.13
    gaps = np.diff([frame.t for frame in frames])
    assert gaps.min() > 0.049 and gaps.max() > 0.099
