"""What was lit, asked for afterwards: blinking and all."""

from __future__ import annotations

from device.lights import BLINK_S, DARK, LedFrame
from device.lit_before import KEPT_PICTURES, ShownFrames

RED, GREEN = (255, 0, 0), (0, 255, 0)


def test_before_the_first_frame_all_is_dark() -> None:
    assert ShownFrames().colours_at(5.0, 2) == (DARK, DARK)
    shown = ShownFrames()
    shown.show_frame(LedFrame((RED, RED)), 10.0)
    assert shown.colours_at(9.9, 2) == (DARK, DARK)
    assert shown.colours_at(10.0, 2) == (RED, RED)


def test_what_blinks_goes_on_blinking_while_the_same_is_shown() -> None:
    shown, frame = ShownFrames(), LedFrame((RED, GREEN), frozenset({1}))
    assert shown.show_frame(frame, 1.0).rgb == (RED, GREEN)
    dark = 1.0 + 0.75 * BLINK_S
    assert shown.show_frame(frame, dark).rgb == (RED, DARK), "it does not begin anew"
    assert shown.colours_at(dark, 2) == (RED, DARK)
    assert set(shown.colours_between(1.0, 1.0 + BLINK_S, 2)) == {(RED, GREEN), (RED, DARK)}


def test_every_picture_between_two_times_is_told_and_old_ones_are_forgotten() -> None:
    shown = ShownFrames()
    for number in range(KEPT_PICTURES + 1):
        shown.show_frame(LedFrame(((number, 0, 0),)), float(number))
    assert shown.colours_between(4.0, 6.0, 1) == [((4, 0, 0),), ((5, 0, 0),), ((6, 0, 0),)]
    assert shown.colours_at(0.5, 1) == (DARK,)
