"""A board that is not seen is said to be not seen, soon and with the right cause; play never is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.match.acts import Act, Pause, Resign
from engine.match.events import CameraFound, CameraMoved, CannotSee, Event, SeenAgain, SetUp
from tests.vision.filmed import FPS, SIZE_WH, SKIN, Watched, board, clean, grainy, handed, put
from vision.frames import Frame
from vision.ground import Image
from vision.sight.watchdog import COVERED_FOR_S, count_groups

GAME, SCENE = board()
SOON_S = 3.0
TOO_LONG = round((COVERED_FOR_S + 1) / 0.5)
"""Halves of a second, after which what hides a part of the board has done so for too long."""
COARSE = 4
"""JPEG quality of a camera that sends far too little."""


def causes(events: list[Event]) -> list[str]:
    return [event.cause for event in events if isinstance(event, CannotSee)]


def begun() -> Watched:
    """A referee who has begun."""
    watched = Watched(GAME, SCENE)
    events = watched.show(SCENE, 1.5)
    assert not causes(events)
    assert not [event for event in events if isinstance(event, SetUp) and event.wrong]
    return watched


def dark() -> Image:
    return np.asarray(cv2.convertScaleAbs(clean(SCENE), alpha=0.03), np.uint8)


def covered() -> Image:
    """A thumb on the lens."""
    slope = np.linspace(0.5, 1.5, SIZE_WH[0])[None, :, None] * np.array(SKIN) * 0.2
    return np.asarray(np.broadcast_to(slope, (*SIZE_WH[::-1], 3)), np.uint8)


def under_a_coat() -> Image:
    """Something plain lies over most of the board."""
    image = clean(SCENE).copy()
    image[40:440, 90:560] = SKIN
    return image


def under_a_cloth() -> Image:
    """All of the picture is one colour."""
    return np.full_like(clean(SCENE), 60)


def blurred() -> Image:
    return np.asarray(cv2.GaussianBlur(clean(SCENE), (0, 0), 9), np.uint8)


def turned(aside_cells: float) -> Image:
    """The camera was turned, and moved aside by so many cells."""
    camera = SCENE.camera.turned(np.array([0.0, 0.6, 0.1]), np.array([aside_cells, 0.0, 0.0]))
    return np.asarray(clean(replace(SCENE, camera=camera)), np.uint8)


def moved() -> Image:
    """So far that too little of the board is seen to find it."""
    return turned(10.0)


@pytest.mark.parametrize(
    ("cause", "shown"),
    [
        ("dark", dark),
        ("covered", covered),
        ("covered", under_a_coat),
        ("covered", under_a_cloth),
        ("blur", blurred),
        ("moved", moved),
    ],
    ids=["dark", "thumb", "coat", "cloth", "blur", "moved"],
)
def test_what_is_the_matter_is_said_in_time(cause: str, shown: object) -> None:
    watched = begun()
    assert callable(shown)
    then = watched.t
    events = watched.show(shown(), SOON_S)
    assert causes(events) == [cause]
    assert events[-1].t - then <= SOON_S
    later = watched.show(shown(), 1.0)
    assert causes(later) == [], "it is said once"
    back = watched.show(SCENE, SOON_S)
    assert [event for event in back if isinstance(event, SeenAgain)]
    assert not causes(back)


def test_a_turned_camera_that_still_sees_the_board_goes_on() -> None:
    watched = begun()
    events = watched.show(turned(0.0), SOON_S)
    assert [type(event) for event in events] == [CameraMoved, CameraFound]


def test_a_picture_that_stands_still_is_frozen() -> None:
    """Not even noise changes."""
    watched = begun()
    image = grainy(clean(SCENE), 77)
    events: list[Event] = []
    for _ in range(round(SOON_S * FPS)):
        events.extend(watched.watcher.take_frame(Frame(watched.t, image)))
        watched.count += 1
    assert causes(events) == ["frozen"]
    assert [event for event in watched.show(SCENE, 1.0) if isinstance(event, SeenAgain)]


def test_no_picture_at_all() -> None:
    watched = begun()
    last = watched.t
    events: list[Event] = []
    for step in range(1, 13):
        events.extend(watched.watcher.report_silence(last + step / 4))
    assert causes(events) == ["no-picture"]
    assert events[0].t - last <= SOON_S
    watched.count += round(4 * FPS)
    assert [event for event in watched.show(SCENE, 1.0) if isinstance(event, SeenAgain)]


def test_a_gap_between_two_frames_is_said_afterwards() -> None:
    watched = begun()
    watched.count += round(5 * FPS)
    events = watched.show(SCENE, 1.0)
    assert causes(events) == ["no-picture"]
    assert any(isinstance(event, SeenAgain) for event in events)


def test_noise_in_which_nothing_can_be_told() -> None:
    watched = begun()
    events = watched.show(SCENE, SOON_S, sd=110.0)
    assert causes(events) == ["noise"]


def test_a_start_in_which_not_all_comes_to_rest_is_no_silent_one() -> None:
    """Coarse coding leaves most of a frame exactly as it was and makes the rest anew, elsewhere in each."""
    watched, events = Watched(GAME, SCENE), []
    for number in range(round(SOON_S * FPS)):
        _, data = cv2.imencode(".jpg", grainy(clean(SCENE), number), [cv2.IMWRITE_JPEG_QUALITY, COARSE])
        coded = cv2.imdecode(data, cv2.IMREAD_COLOR)
        events += watched.show(np.asarray(coded, np.uint8), 1 / FPS, sd=0.0)
    assert causes(events) == ["noise"]


def test_hands_that_set_up_pieces_are_no_noise() -> None:
    names = ("H8", "G8", "F7", "D9", "E6", "I10", "C8", "G5", "J7", "H11", "F10", "D6")
    events = Watched(GAME, SCENE).film((handed(GAME, SCENE, name), 0.25) for name in names)
    assert causes(events) == []


def test_fingers_that_set_up_pieces_without_a_pause_are_no_noise() -> None:
    """They cover a cell or two, and there is always something that has just stirred."""
    shots = []
    for count, piece in enumerate(SCENE.pieces[:14]):
        for stands in (count, count + 1):
            image = clean(replace(SCENE, pieces=SCENE.pieces[:stands])).copy()
            x, y, _ = piece.xyz
            (middle, edge) = SCENE.camera.project(np.array([[x, y, 0.3], [x + 0.35, y, 0.3]])).astype(int)
            cv2.circle(image, middle.tolist(), int(abs(edge - middle).max()), SKIN, -1, cv2.LINE_AA)
            shots.append((np.asarray(image, np.uint8), 0.15))
    assert causes(Watched(GAME, replace(SCENE, pieces=())).film(shots)) == []


def test_the_cells_that_stir_are_counted_by_groups() -> None:
    """Two that touch are one hand, wherever on the board."""
    index, stirs = GAME.board.index, np.zeros(len(GAME.board.cells), bool)
    for number, names in enumerate((("C5", "D6", "D7"), ("J11",), ("G3", "H3")), 1):
        stirs[[index[name] for name in names]] = True
        assert count_groups(GAME.board.steps, stirs) == number


def test_a_table_that_shakes_too_much() -> None:
    chance = np.random.default_rng(5)

    def shaken() -> Image:
        dx, dy = chance.normal(0, 7, 2)
        turned = cv2.getRotationMatrix2D((320, 240), float(chance.normal(0, 0.6)), 1.0)
        turned[:, 2] += (dx, dy)
        away = cv2.warpAffine(clean(SCENE), turned, SIZE_WH, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.blur(away, (5, 1)), np.uint8)

    events = begun().film((shaken(), 1 / FPS) for _ in range(round(SOON_S * FPS)))
    assert causes(events) in ([], ["shake"])


def test_ordinary_play_is_always_seen() -> None:
    """A hand that comes, carries a man, rests, and goes; again and again, also when it thinks for some seconds."""
    shots, scene = [], SCENE
    for origin, target in (("F7", "F8"), ("F10", "F9"), ("E6", "E5")):
        shots += [(handed(GAME, scene, name), 0.2) for name in ("H8", "G8", origin)]
        after = put(GAME, scene, origin, target)
        shots += [(handed(GAME, scene, target, holds=origin), 0.4), (handed(GAME, after, target), 0.4), (after, 1.5)]
        scene = after
    events = begun().film([*shots, (handed(GAME, scene, "H9"), 4.0), (scene, 1.0)])
    assert causes(events) == []


def test_a_head_that_sways_over_half_of_the_board_covers_it() -> None:
    """Here and there it looks like floors and pieces, and now and then it is still."""

    def swaying(step: int) -> Image:
        image = clean(SCENE).copy()
        middle = (290 + round(6 * np.sin(step / FPS)), 300)
        cv2.ellipse(image, middle, (150, 170), 10.0, 0.0, 360.0, (20, 28, 40), -1)
        return image

    events = begun().film((swaying(step), 1 / FPS) for step in range(TOO_LONG * round(FPS / 2)))
    assert causes(events) == ["covered"]
    assert not [event for event in events if not isinstance(event, CannotSee)]


@pytest.mark.parametrize(("act", "said"), [(None, ["covered"]), (Pause(), []), (Resign("white"), [])])
def test_a_hidden_part_of_the_board_is_said_in_play_but_in_no_pause_nor_while_hands_clear_it(
    act: Act | None, said: list[str]
) -> None:
    """Nobody plays with a hand over the board for so long; the cells under it are not seen."""
    watched = begun()
    if act is not None:
        watched.watcher.perform_act(act, watched.t)
    hands = ((handed(GAME, SCENE, ("H8", "H9")[step % 2]), 0.5) for step in range(TOO_LONG))
    assert causes(watched.film(hands)) == said


def on_its_side(image: Image) -> Image:
    """As OpenCV gives a stream whose picture was turned upright: squeezed into the size that it had."""
    return np.asarray(cv2.resize(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), SIZE_WH), np.uint8)


def between_bars(image: Image) -> Image:
    """As a phone gives it that keeps the size of its pictures when it is held upright."""
    width, height = SIZE_WH
    whole = np.zeros_like(image)
    narrow = height * height // width
    left = (width - narrow) // 2
    whole[:, left : left + narrow] = cv2.resize(
        cv2.rotate(image, cv2.ROTATE_90_COUNTERCLOCKWISE), (narrow, height), interpolation=cv2.INTER_AREA
    )
    return whole


@pytest.mark.parametrize(
    "turn",
    [
        lambda image: np.ascontiguousarray(image[::-1, ::-1]),
        lambda image: np.ascontiguousarray(image[:, ::-1]),
        on_its_side,
        between_bars,
    ],
    ids=["upside down", "mirrored", "on its side", "between bars"],
)
def test_a_picture_that_is_turned_or_mirrored_is_said_and_nothing_is_read_from_it(
    turn: Callable[[Image], Image],
) -> None:
    watched = begun()
    then = watched.t
    events = watched.show(turn(clean(SCENE)), 6.0)
    assert causes(events) == ["turned"]
    assert next(event.t for event in events if isinstance(event, CannotSee)) - then <= SOON_S
    assert [event.name for event in events] == ["cannot-see"], "it is not looked for as if it had moved"
    back = watched.show(SCENE, SOON_S)
    assert [event.name for event in back] == ["seen-again"]
