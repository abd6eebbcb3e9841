"""Films suffer from what was asked for, as strongly as asked, and the same each time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest

from tests.render.camera.bystanders import free_room
from tests.render.camera.conditions import DISTURBANCES, STRENGTHS, Conditions, drawn, drawn_view
from tests.render.camera.film import film, placed, unseeable
from tests.render.camera.scenes import CELL_PX, CORNERS, SIZE_WH, a_ply, board
from tests.render.camera.timing import Image, Shot

STILL = Conditions(noise_sd=0.0, flicker=0.0, fps=10.0, quiet_s=1.0)
"""Nothing happens at all."""
LONG_S = 120.0


def filmed(conditions: Conditions, shots: list[Shot] | None = None, seed: int = 1) -> list[tuple[int, float, Image]]:
    return [(n, f.t, f.image) for n, f in film(shots or a_ply(), conditions, seed, CORNERS)]


def held(
    conditions: Conditions, seed: int = 1, image: Image | None = None, long_s: float = LONG_S
) -> Iterator[tuple[float, Image]]:
    """A film of a board that stands for a long time."""
    shots = [("quiet", board() if image is None else image)]
    for _, frame in film(shots, replace(conditions, quiet_s=long_s, quiet_spread=0.0), seed, CORNERS):
        yield frame.t, frame.image


@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_the_same_seed_gives_the_same_film(disturbance: str) -> None:
    chosen = replace(drawn(disturbance, "ordinary", 5), width_px=0)
    assert chosen == replace(drawn(disturbance, "ordinary", 5), width_px=0)
    first, second, other = (filmed(chosen, seed=seed) for seed in (1, 1, 2))
    assert [(n, t) for n, t, _ in first] == [(n, t) for n, t, _ in second]
    assert all(np.array_equal(a, b) for (_, _, a), (_, _, b) in zip(first, second, strict=True))
    assert len(other) != len(first) or any(
        not np.array_equal(a, b) for (_, _, a), (_, _, b) in zip(first, other, strict=True)
    )


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_films_tell_what_lies_before_the_camera_in_order(disturbance: str, strength: str) -> None:
    chosen = replace(drawn(disturbance, strength, 2), width_px=0, thinking_s=0.5)
    numbers, times, images = zip(*filmed(chosen), strict=True)
    assert list(numbers) == sorted(numbers)
    assert set(numbers) <= set(range(len(a_ply())))
    assert all(later > earlier for earlier, later in pairwise(times))
    assert {image.shape for image in images} == {(SIZE_WH[1], SIZE_WH[0], 3)}


def test_ordinary_is_milder_than_hard_and_everything_holds_all() -> None:
    for seed in range(20):
        assert drawn("noise", "ordinary", seed).noise_sd <= 6.0 <= drawn("noise", "hard", seed).noise_sd
        assert drawn("shake", "ordinary", seed).shake_px <= 1.0 <= drawn("shake", "hard", seed).shake_px
        assert 35 <= drawn_view("ordinary", seed).elevation <= 80
        both = drawn("everything", "ordinary", seed)
        assert bool(both.mjpeg_quality) != bool(both.h264_kbit)
        assert both.shake_px and both.bands and both.focus_px and both.far and both.sleeves and not both.gone
        assert drawn("everything", "beyond", seed).gone


@pytest.mark.parametrize(
    ("level", "dark", "expected"), [(128, 0.0, 5.0), (60, 0.0, 5.0), (128, 1.0, 5.0), (60, 1.0, 9.2)]
)
def test_noise_is_as_strong_as_asked_at_every_brightness(level: int, dark: float, expected: float) -> None:
    plain = np.full((120, 160, 3), level, np.uint8)
    film_of = held(replace(STILL, noise_sd=5.0, noise_dark=dark), image=plain)
    frames = np.stack([image for (_, image), _ in zip(film_of, range(8), strict=False)]).astype(float)
    assert frames.std() == pytest.approx(expected, rel=0.07)
    assert np.corrcoef(frames[0].ravel(), frames[1].ravel())[0, 1] == pytest.approx(0.0, abs=0.05)


def test_blotches_are_wide_and_last() -> None:
    plain = np.full((240, 320, 3), 128, np.uint8)
    film_of = held(replace(STILL, blotch_sd=5.0, blotch_px=2.5, blotch_hold=0.7), image=plain)
    frames = np.stack([image[..., 1] for (_, image), _ in zip(film_of, range(12), strict=False)]).astype(float) - 128
    assert frames.std() == pytest.approx(5.0, rel=0.1)
    assert np.corrcoef(frames[:, :, 1:].ravel(), frames[:, :, :-1].ravel())[0, 1] > 0.6
    assert np.corrcoef(frames[1:].ravel(), frames[:-1].ravel())[0, 1] == pytest.approx(0.7, abs=0.1)


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("seed", range(3))
def test_what_moves_far_away_or_rests_beside_keeps_off_the_board_and_a_cell_round_it(strength: str, seed: int) -> None:
    far, beside = drawn("far-movement", strength, seed), drawn("beside", strength, seed)
    chosen = replace(STILL, room=far.room, far=far.far, far_px=far.far_px, sleeves=beside.sleeves, fps=2.0)
    bare = replace(chosen, far=(), sleeves=0)
    fit = placed(chosen, SIZE_WH)
    kept = free_room(fit.size_wh, fit.corners(CORNERS)) == 0
    board_px = cv2.fillConvexPoly(np.zeros(kept.shape, np.uint8), fit.corners(CORNERS).round().astype(np.int32), 255)
    assert kept[cv2.distanceTransform(255 - board_px, cv2.DIST_L2, 5) <= CELL_PX * far.room].all()
    changed = [np.any(a != b, axis=2) for (_, a), (_, b) in zip(held(chosen, seed), held(bare, seed), strict=True)]
    assert not any(mask[kept].any() for mask in changed)
    assert np.any(changed, axis=(1, 2)).mean() > 0.5


def test_exposure_follows_hands_within_its_range() -> None:
    shots = a_ply() * 4
    swing = 0.2
    chosen = replace(STILL, exposure_swing=swing, hands_s=1.0)
    table = [float(image[100:, :40].mean()) for _, _, image in filmed(chosen, shots)]
    assert max(table) > 130 * 1.1 or min(table) < 130 * 0.9
    assert all(130 * (1 - swing) - 1 <= level <= 130 * (1 + swing) + 1 for level in table)
    assert all(abs(b / a - 1) <= swing + 0.01 for a, b in pairwise(table))


@pytest.mark.parametrize("asked", [0.5, 1.0, 3.0])
def test_shake_is_as_large_as_asked(asked: float) -> None:
    texture = cv2.GaussianBlur(np.random.default_rng(0).uniform(0, 255, (240, 320, 3)).astype(np.uint8), (0, 0), 2)
    film_of = held(replace(STILL, shake_px=asked), image=texture)
    grey = [image[30:-30, 40:-40, 1].astype(np.float32) for (_, image), _ in zip(film_of, range(60), strict=False)]
    window = cv2.createHanningWindow(grey[0].shape[::-1], cv2.CV_32F)
    shifts = [cv2.phaseCorrelate(a, b, window)[0] for a, b in pairwise(grey)]
    assert np.sqrt((np.array(shifts) ** 2).sum(axis=1).mean()) == pytest.approx(asked, rel=0.25)


@pytest.mark.parametrize(("codec", "rate"), [("mjpeg_quality", 40), ("h264_kbit", 300)])
def test_codecs_keep_number_size_and_times(codec: str, rate: int) -> None:
    usual = replace(STILL, noise_sd=1.5)
    plain, coded = filmed(usual), filmed(replace(usual, **{codec: rate}))
    assert [(n, t) for n, t, _ in coded] == [(n, t) for n, t, _ in plain]
    errors = [np.abs(a.astype(int) - b.astype(int)).mean() for (_, _, a), (_, _, b) in zip(plain, coded, strict=True)]
    assert 0.3 < np.mean(errors) < 12


def test_h264_holds_what_does_not_change() -> None:
    film_of = held(replace(STILL, noise_sd=1.0, h264_kbit=1000), long_s=2.0)
    frames = [image for (_, image), _ in zip(film_of, range(20), strict=False)]
    assert np.mean([(a == b).all(axis=2).mean() for a, b in pairwise(frames[4:])]) > 0.3


@pytest.mark.parametrize("cause", ["no-picture", "frozen", "dark", "covered"])
def test_a_camera_that_is_gone_is_said_to_be_unseeable(cause: str) -> None:
    chosen = replace(Conditions(), gone=cause, gone_s=8.0, gone_every_s=30.0, fps=4.0)
    frames = list(held(chosen))
    times = np.arange(0, LONG_S, 0.25)
    told = {float(t) for t in times if unseeable(chosen, 1, float(t)) == cause}
    assert 2 * 8 * 4 <= len(told) <= 5 * 8 * 4
    assert not any(unseeable(chosen, 1, float(t)) not in {"", cause} for t in times)
    inside, outside = ([image for t, image in frames if (t in told) == there] for there in (True, False))
    if cause == "no-picture":
        assert not inside and len(outside) == len(times) - len(told)
        return
    assert len(inside) == len(told)
    if cause == "frozen":
        same = [t for (_, a), (t, b) in pairwise(frames) if np.array_equal(a, b)]
        assert set(same) == told
    else:
        contrast = [float(image[30:90, 40:120].std()) for image in inside]
        assert max(contrast) < 15 < min(float(image[30:90, 40:120].std()) for image in outside)


@pytest.mark.parametrize(
    ("disturbance", "cause"), [("lighting", "dark"), ("focus", "blur"), ("bumps", "moved"), ("gone", "")]
)
def test_beyond_ordinary_a_board_is_lost_from_sight_and_that_is_known(disturbance: str, cause: str) -> None:
    chosen = drawn(disturbance, "beyond", 3)
    told = {unseeable(chosen, 1, t / 4) for t in range(4 * int(LONG_S))} - {""}
    assert told == {cause or chosen.gone}
    assert not any(
        unseeable(drawn(disturbance, "ordinary", 3), 1, t / 4) in {"dark", "blur", "moved"} for t in range(480)
    )


def test_larger_films_and_more_room_keep_the_board_where_they_say() -> None:
    chosen = replace(STILL, width_px=320, room=0.75)
    image = np.full((120, 160, 3), 100, np.uint8)
    for x, y in CORNERS:
        cv2.circle(image, (round(x), round(y)), 3, (255, 255, 255), -1)
    frame = filmed(chosen, [("quiet", image)])[0][2]
    assert frame.shape == (240, 320, 3)
    for x, y in placed(chosen, SIZE_WH).corners(CORNERS):
        near = frame[round(y) - 6 : round(y) + 7, round(x) - 6 : round(x) + 7, 1].astype(float) - 100
        ys, xs = np.mgrid[-6:7, -6:7]
        near[near < 30] = 0
        assert abs((near * xs).sum() / near.sum()) < 0.8 and abs((near * ys).sum() / near.sum()) < 0.8
