"""A webcam's automatics are held for the game and put back; a camera that has none is left alone."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision import frames as source
from vision.ground import Image
from vision.settings_holder import SETTLE_S, TOO_BRIGHT_GREY, TOO_DARK_GREY, TOO_DARK_S, SettingsHolder

SWITCHES = {cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_AUTOFOCUS: 1.0, cv2.CAP_PROP_AUTO_WB: 1.0}
BY_HAND = {cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_AUTOFOCUS: 0.0, cv2.CAP_PROP_AUTO_WB: 0.0}
VALUES = {cv2.CAP_PROP_EXPOSURE: 157.0, cv2.CAP_PROP_FOCUS: 35.0, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0}


class Webcam:
    """The settings of a camera as Linux answers for them: what it has not is -1, and cannot be set."""

    def __init__(self, settings: dict[int, float], pictures: int = 0) -> None:
        self.settings, self.left, self.closed = dict(settings), pictures, False

    def get(self, name: int) -> float:
        return self.settings.get(name, -1.0)

    def set(self, name: int, value: float) -> bool:
        if name not in self.settings:
            return False
        self.settings[name] = value
        return True

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def read(self) -> tuple[bool, Image]:
        self.left -= 1
        return self.left >= 0, grey(120)

    def release(self) -> None:
        self.closed = True


def grey(level: float) -> Image:
    return np.full((48, 64, 3), level, np.uint8)


def test_what_has_settled_is_held_and_put_back() -> None:
    webcam = Webcam(SWITCHES | VALUES)
    steady = SettingsHolder(webcam)
    steady.check_frame(SETTLE_S - 0.1, grey(120))
    assert webcam.settings == SWITCHES | VALUES
    webcam.settings[cv2.CAP_PROP_EXPOSURE] = 250.0  # it was still finding its exposure
    steady.check_frame(SETTLE_S, grey(120))
    assert webcam.settings == BY_HAND | VALUES | {cv2.CAP_PROP_EXPOSURE: 250.0}
    steady.restore_settings()
    assert webcam.settings == SWITCHES | VALUES | {cv2.CAP_PROP_EXPOSURE: 250.0}


def test_what_a_person_set_by_hand_stays_so() -> None:
    own = SWITCHES | VALUES | {cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_EXPOSURE: 80.0}
    webcam = Webcam(own)
    steady = SettingsHolder(webcam)
    steady.check_frame(SETTLE_S, grey(120))
    assert webcam.get(cv2.CAP_PROP_EXPOSURE) == 80.0
    steady.restore_settings()
    assert webcam.settings == own


def test_a_camera_without_settings_is_left_alone() -> None:
    webcam = Webcam({})
    steady = SettingsHolder(webcam)
    for t in range(20):
        steady.check_frame(float(t), grey(5))
    steady.restore_settings()
    assert webcam.settings == {}


@pytest.mark.parametrize("level", [TOO_DARK_GREY - 5, TOO_BRIGHT_GREY + 5])
def test_another_light_is_let_in_and_held_again(level: float) -> None:
    webcam = Webcam(SWITCHES | VALUES)
    steady = SettingsHolder(webcam)
    steady.check_frame(SETTLE_S, grey(120))
    dark_at = 10.0
    steady.check_frame(dark_at, grey(level))
    steady.check_frame(dark_at + TOO_DARK_S - 0.1, grey(level))
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 1.0
    steady.check_frame(dark_at + TOO_DARK_S, grey(level))
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 3.0
    assert webcam.get(cv2.CAP_PROP_AUTOFOCUS) == 0.0  # nothing moved: the focus stays
    webcam.settings[cv2.CAP_PROP_EXPOSURE] = 900.0
    steady.check_frame(dark_at + TOO_DARK_S + SETTLE_S, grey(120))
    assert webcam.settings == BY_HAND | VALUES | {cv2.CAP_PROP_EXPOSURE: 900.0}
    steady.restore_settings()
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 3.0


def test_a_hand_over_the_lens_changes_nothing() -> None:
    webcam = Webcam(SWITCHES | VALUES)
    steady = SettingsHolder(webcam)
    steady.check_frame(SETTLE_S, grey(120))
    for t in (10.0, 10.0 + TOO_DARK_S / 2):
        steady.check_frame(t, grey(2))
    steady.check_frame(10.0 + TOO_DARK_S, grey(120))
    steady.check_frame(10.0 + 2 * TOO_DARK_S - 0.1, grey(2))
    assert webcam.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 1.0


def test_a_device_that_breaks_off_has_its_settings_back(monkeypatch: pytest.MonkeyPatch) -> None:
    webcam = Webcam(SWITCHES | VALUES, pictures=3)
    monkeypatch.setattr(source, "_open_device", lambda name: webcam)
    monkeypatch.setattr("vision.settings_holder.SETTLE_S", 0.0)
    held = []
    with pytest.raises(source.CameraLost):
        for _ in source.read_frames("/dev/video7"):
            held.append(webcam.get(cv2.CAP_PROP_AUTOFOCUS))
    assert held == [0.0, 0.0, 0.0]
    assert webcam.settings == SWITCHES | VALUES and webcam.closed
