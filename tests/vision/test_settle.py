"""The gate lets through what is at rest, once, and again after longer and longer stays."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from vision.settle import LOOK_AT_S, MOST_FRAMES, PATIENT_S, Gate, Look

from engine.reasons import Reason
from vision.ground import Image

FPS = 8.0
SIZE = (240, 320)


def board(seed: int = 0) -> Image:
    """A chequered picture with noise."""
    rows, columns = np.indices(SIZE)
    flat = np.where((rows // 20 + columns // 20) % 2, 60, 190).astype(float)[..., None].repeat(3, axis=2)
    return np.clip(flat + np.random.default_rng(seed).normal(0, 2, flat.shape), 0, 255).astype(np.uint8)


def with_hand(x: int, seed: int = 0) -> Image:
    image = board(seed)
    image[60:180, x : x + 40] = (120, 150, 210)
    return image


class Stream:
    """Pushes frames at FPS and keeps the looks."""

    def __init__(self) -> None:
        self.gate, self.count = Gate(), 0
        self.looks: list[Look] = []

    def rest(self, seconds: float, image: Image | None = None) -> list[Look]:
        return self.push([board(self.count + k) if image is None else image for k in range(round(seconds * FPS))])

    def push(self, images: list[Image]) -> list[Look]:
        found = []
        for image in images:
            look = self.gate.push(self.count / FPS, image)
            self.count += 1
            if look:
                found.append(look)
        self.looks += found
        return found


@pytest.mark.parametrize("fps", [5, 10, 30])
def test_a_second_of_frames_is_a_second(fps: int) -> None:
    """19.6 - 18.6 is a little less than one: what pauses for less than a second is a hand."""
    gate, count = Gate(), 0
    for _ in range(12):
        rests = []
        for image in (with_hand(100), *(board() for _ in range(fps + 1))):
            look = gate.push(count / fps, image)
            rests += [look.rest_s] if look else []
            count += 1
        assert 1.0 in rests


def test_all_looks_of_one_rest_know_it_for_the_same() -> None:
    gate = Gate()
    looks = [look for count in range(60) if (look := gate.push(20 + count / 30, board())) is not None]
    assert len(looks) > 5
    assert len({look.since for look in looks}) == 1


def test_looks_at_a_board_at_rest() -> None:
    stream = Stream()
    looks = stream.rest(12)
    rests = [look.rest_s for look in looks]
    assert rests[0] <= 0.3
    assert len(looks) >= len(LOOK_AT_S)
    assert all(b > a for a, b in pairwise(rests))
    assert [look.patient for look in looks] == [look.rest_s >= PATIENT_S for look in looks]


def test_nothing_while_a_hand_moves() -> None:
    stream = Stream()
    stream.rest(1)
    assert stream.push([with_hand(10 + 6 * k, k) for k in range(40)]) == []
    assert stream.gate.moving > 0


def test_the_gate_says_why_it_is_shut() -> None:
    stream = Stream()
    stream.push([board(), with_hand(100)])
    moves = stream.gate.waits
    assert moves is not None
    assert (moves.rule, moves.limit) == ("picture-moves", 0.04)
    assert moves.measured is not None
    assert 5 < moves.measured < 10, "a hand of 40x120 in 320x240"
    stream.push([with_hand(100)])
    assert stream.gate.waits == Reason("at-rest-for", 1 / FPS, LOOK_AT_S[0])
    stream.push([with_hand(100)])
    assert stream.looks
    assert stream.gate.waits is None


def test_looks_again_after_the_hand_has_gone() -> None:
    stream = Stream()
    stream.rest(1)
    stream.gate.understood()
    assert stream.rest(3) == []
    stream.push([with_hand(10 + 30 * k, k) for k in range(5)])
    changed = board()
    changed[100:112, 100:112] = 255
    looks = stream.rest(1, changed)
    assert looks
    assert looks[0].rest_s <= 0.3


def test_a_picture_already_understood_is_offered_only_after_a_hand() -> None:
    """A black piece may have gone one cell further on a dark board: that is less than what counts as change."""
    stream = Stream()
    stream.rest(1)
    stream.gate.understood()
    assert stream.rest(3) == []
    stream.push([with_hand(10 + 30 * k, k) for k in range(5)])
    assert stream.rest(0.5)
    stream.gate.understood()
    assert stream.rest(3) == []


def test_forgetting_asks_for_another_look() -> None:
    stream = Stream()
    stream.rest(1)
    stream.gate.understood()
    stream.gate.forget()
    assert stream.rest(1)


def test_the_average_has_less_noise_and_forgets() -> None:
    stream = Stream()
    looks = stream.rest(8)
    clean = np.where(board(0) > 125, 190, 60)
    noise = [float(np.abs(look.image.astype(int) - clean).mean()) for look in looks]
    assert noise[-1] < 0.6 * np.abs(board(1).astype(int) - clean).mean()
    assert all(look.frames <= MOST_FRAMES for look in looks)


def test_flicker_is_no_movement() -> None:
    stream = Stream()
    images = [np.clip(board(k) * (1 + 0.01 * (-1) ** k), 0, 255).astype(np.uint8) for k in range(24)]
    assert stream.push(images)


def test_another_size_starts_anew() -> None:
    stream = Stream()
    stream.rest(1)
    assert stream.push([np.full((120, 160, 3), 99, np.uint8)]) == []
