"""A recording filmed by a good webcam: every picture in order, held long enough, never twice the same bytes."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from click.testing import CliRunner

from tests.bench.takes import true_corners
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.script import Recipe, record, stage_of
from tests.render.stream import command, drawn

SMALL = Recipe(seed=4, plies=2, size_wh=(320, 240), troubled=False)
USUAL = Conditions()
CORNERS = np.array(true_corners(stage_of(SMALL)[0]))


def test_pictures_are_held_as_long_as_they_are_quiet() -> None:
    shots = list(drawn(SMALL))
    numbers = [number for number, _ in film(shots, USUAL, 0, CORNERS)]
    assert numbers == sorted(numbers)
    for number, (kind, _) in enumerate(shots):
        held_s = USUAL.hands_s if kind == "moving" else USUAL.quiet_s
        assert numbers.count(number) == round(held_s * USUAL.fps)


def test_times_run_evenly_and_noise_is_fresh() -> None:
    frames = [frame for _, frame in film(drawn(SMALL), USUAL, 0, CORNERS)]
    assert [frame.t for frame in frames] == [i / USUAL.fps for i in range(len(frames))]
    first, second = frames[0].image.astype(int), frames[1].image.astype(int)
    assert 1.0 < np.abs(first - second).mean() < 6.0


def test_a_recording_becomes_a_video_under_chosen_conditions(tmp_path: Path) -> None:
    folder, out = tmp_path / "recording", tmp_path / "film.avi"
    record(SMALL, folder)
    chosen = ["--disturbance", "lamp-bands", "--strength", "hard", "--seed", "3"]
    done = CliRunner().invoke(command, [str(folder), str(out), *chosen])
    assert done.exit_code == 0, done.output
    video = cv2.VideoCapture(str(out))
    assert video.get(cv2.CAP_PROP_FRAME_WIDTH) == SMALL.size_wh[0]
    assert video.get(cv2.CAP_PROP_FRAME_COUNT) > 10
