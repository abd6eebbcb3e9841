"""Pictures taken while something moved are kept small and few, and read as well as a look."""

from __future__ import annotations

import numpy as np

from tests.vision.filmed import FPS, Sat, board, handed, named, put
from tests.vision.pictures import true_views
from vision.reading.level_readers import LevelReaders
from vision.watch.motion_frames import MOST, MOTION_EVERY_S, MotionFrames

GAME, SCENE = board()


def learned() -> tuple[Sat, LevelReaders]:
    """A board that is known, and the eyes that have learned it."""
    sat = Sat(GAME, SCENE)
    seen = sat.show(SCENE, 1.0)
    pieces = list(GAME.start().placement)
    pictures = sat.seeing.relit_pictures(seen.readable)
    image = np.zeros((480, 640, 3), np.uint8)
    eyes = LevelReaders(GAME.board, true_views(SCENE), GAME.look_of, image, pieces, pictures)
    eyes.compare_pictures(pictures)
    eyes.learn_pieces(image, pieces)
    sat.seeing.learn_readable(seen.readable, whole=True)
    return sat, eyes


def test_a_piece_that_stood_there_for_a_moment_is_read_later() -> None:
    """While a hand was moving elsewhere."""
    sat, eyes = learned()
    frames = MotionFrames()
    meanwhile = put(GAME, SCENE, "F7", "F8")
    frames.keep_frame(sat.show(handed(GAME, meanwhile, "I13", from_deg=90.0), 0.4), sat.seeing)
    sat.show(SCENE, 0.4)
    frames.keep_frame(sat.show(handed(GAME, SCENE, "I13", from_deg=90.0), 0.4), sat.seeing)
    (first, then, readable), (second, since, _) = frames.frame_readings(eyes)
    assert first < second
    assert readable[[sat.index("F7"), sat.index("F8")]].all()
    assert {"F7", "F8"} == set(named(GAME, then.looks != since.looks))
    frames.clear_frames()
    assert not frames.frame_readings(eyes)


def test_what_the_hand_hides_is_not_read() -> None:
    sat, eyes = learned()
    frames = MotionFrames()
    frames.keep_frame(sat.show(handed(GAME, SCENE, "F9"), 1 / FPS), sat.seeing)
    ((_, reading, readable),) = frames.frame_readings(eyes)
    hidden = ~readable
    assert "F9" in named(GAME, hidden)
    expected = np.array([GAME.look_of[piece] for piece in GAME.start().placement])
    assert named(GAME, hidden & (reading.looks != expected)) == []


def test_a_few_are_kept_and_not_too_close() -> None:
    sat, eyes = learned()
    frames = MotionFrames()
    for seen in sat.each(SCENE, (MOST + 4) * MOTION_EVERY_S):
        frames.keep_frame(seen, sat.seeing)
    times = [t for t, _, _ in frames.frame_readings(eyes)]
    assert len(times) == MOST
    assert min(np.diff(times)) >= MOTION_EVERY_S - 1e-6
    assert times[-1] > sat.seeing.t - MOTION_EVERY_S - 2 / FPS
