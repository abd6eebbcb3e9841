"""The profile file: written, read, and every fault in it named in one line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.door import MOST_TABLES
from calibration.markers import marker_places
from calibration.profile import Profile, WhitePieces, dump_profile, load_profile
from calibration.view import Lens, View
from engine import games
from engine.errors import InputError

CORNERS = ((100.0, 900.0), (1100.0, 890.0), (980.0, 120.0), (220.0, 110.0))


def profile_of(game: str) -> Profile:
    board = games.load(game).board
    levels = range(max(board.levels) + 1)
    lens = Lens((1280, 960), 1210.5, -0.031)
    corners = [tuple((x / 3 + 400 * level, y) for x, y in CORNERS) for level in levels]
    return Profile(
        game=game,
        views=tuple(View(lens, board.size_wh, c) for c in corners),
        fits=tuple(90 + level for level in levels),
        source='a "camera" \\ 1',
        rules=games.find(game).rule_sets[-1],
        white=WhitePieces.DARKER,
        markers={n: p for level in levels for n, p in marker_places(board, level).items()},
        lights={"port": "/dev/ttyUSB0", "protocol": "camref"},
    )


@pytest.mark.parametrize("game", games.names())
def test_a_profile_that_is_written_is_read_as_it_was(game: str, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text(dump_profile(profile_of(game)))
    before, after = profile_of(game), load_profile(path)
    assert replace(after, markers={}, views=()) == replace(before, markers={}, views=())
    for one, other in zip(before.views, after.views, strict=True):
        assert np.allclose(one.corners_px, other.corners_px, atol=0.01)
        assert one.lens == other.lens
    assert after.markers.keys() == before.markers.keys()
    assert all(np.allclose(after.markers[n], before.markers[n], atol=1e-3) for n in before.markers)
    assert dump_profile(after) == dump_profile(before)
    assert after.board is not None
    assert after.size_wh == (1280, 960)


FAULTS = [
    ('game = "camelot"', "", "game is missing"),
    ('game = "camelot"', "game = 7", "game must be a name in quotes"),
    ('game = "camelot"', 'game = "chequers"', "chequers"),
    ('rules = "wcf"', 'rulez = "wcf"', "unknown key 'rulez'"),
    ('white = "darker"', 'white = "brown"', 'white must be "lighter" or "darker"'),
    ("[camera]", "[cammera]", "unknown key 'cammera'"),
    ("focal_px", "focal", "unknown key 'focal' in [camera]"),
    ("focal_px = 1210.50", "", "focal_px is missing"),
    ("focal_px = 1210.50", 'focal_px = "long"', "2 numbers expected"),
    ("focal_px = 1210.50", "focal_px = -3", "focal_px must be 1 or more"),
    ("focal_px = 1210.50", "focal_px = 1e-320", "focal_px must be 1 or more"),
    ("focal_px = 1210.50", "focal_px = true", "2 numbers expected"),
    ("size = [1280, 960]", "size = [1280]", "camera.size: 2 numbers expected"),
    ("size = [1280, 960]", "size = [1, 1]", "no picture size"),
    ("size = [1280, 960]", "", "size is missing"),
    ("k1 = -0.03100", "k1 = 9", "k1 between -1 and 1"),
    ("[[plane]]", "[[plain]]", "unknown key 'plain'"),
    ("fit = 90", "fits = 90", "unknown key 'fits' in [plane]"),
    ("fit = 90", 'fit = "good"', "good"),
    ("corners_px = [", "corners_px = [[1, 2], ", "corners_px must be four"),
    ("corners_px = [[33.33, 900.00], ", "corners_px = [[33.33], ", "2 numbers expected"),
    ("[lights]", "[lamps]", "unknown key 'lamps'"),
    ("protocol = ", "protokol = ", "unknown key 'protokol' in [lights]"),
    ("id = 0", "", "id"),
    ("id = 0", "number = 0", "unknown key 'number' in [marker]"),
    ("game = ", "game: ", "not TOML"),
]


@pytest.mark.parametrize(("old", "new", "said"), FAULTS, ids=[f"{o}>{n}"[:40] for o, n, _ in FAULTS])
def test_every_fault_is_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = dump_profile(profile_of("camelot"))
    assert old in text
    path = tmp_path / "board.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        load_profile(path)
    assert said in str(error.value)
    assert str(error.value).startswith(f"profile {path}: ")


@pytest.mark.parametrize(("by_px", "fits"), [((0.0, 0.0), True), ((-100.0, 0.0), True), ((5000.0, 5000.0), False)])
def test_a_board_beside_the_picture_is_refused(by_px: tuple[float, float], fits: bool, tmp_path: Path) -> None:
    one = profile_of("camelot")
    corners = tuple((x + by_px[0], y + by_px[1]) for x, y in one.views[0].corners_px)
    path = tmp_path / "board.toml"
    path.write_text(dump_profile(replace(one, views=(replace(one.views[0], corners_px=corners),))))
    if fits:
        assert load_profile(path).game == "camelot"
        return
    with pytest.raises(InputError, match="outside the picture; put it right, or move the file away"):
        load_profile(path)


def test_corners_the_wrong_way_round_are_refused(tmp_path: Path) -> None:
    text = dump_profile(profile_of("camelot"))
    at = text.index("corners_px = [") + len("corners_px = [")
    end = text.index("]]", at)
    reversed_corners = "], [".join(reversed(text[at : end + 1].strip("[]").split("], [")))
    path = tmp_path / "board.toml"
    path.write_text(f"{text[:at]}[{reversed_corners}]{text[end + 1 :]}")
    with pytest.raises(InputError, match="seen from below"):
        load_profile(path)


@pytest.mark.parametrize("planes", [1, 2, 4])
def test_as_many_planes_as_levels(planes: int, tmp_path: Path) -> None:
    whole = dump_profile(profile_of("cam-3d"))
    head, *blocks = whole.split("\n[[plane]]")
    last, rest = blocks[2].split("\n[[marker]]", 1)
    text = head + "".join(f"\n[[plane]]{b}" for b in (blocks[:2] + [last] * 2)[:planes]) + "\n[[marker]]" + rest
    path = tmp_path / "board.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"3 \[\[plane\]\] expected"):
        load_profile(path)


def test_a_mark_that_editors_put_before_the_text_is_no_fault(tmp_path: Path) -> None:
    """Of Windows: a board's owner changes a line of his profile, and the editor begins the file with it."""
    plain, marked = tmp_path / "plain.toml", tmp_path / "marked.toml"
    plain.write_text(dump_profile(profile_of("camelot")), encoding="utf-8")
    marked.write_text(dump_profile(profile_of("camelot")), encoding="utf-8-sig")
    assert load_profile(marked) == load_profile(plain)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make one with `referee calibrate`"):
        load_profile(tmp_path / "none.toml")


def test_what_is_no_profile(tmp_path: Path) -> None:
    path = tmp_path / "picture.jpg"
    path.write_bytes(b"\xff\xd8\xff\xe0" * 10)
    with pytest.raises(InputError, match="not UTF-8"):
        load_profile(path)
    path.write_bytes(b" " * (MOST_TABLES + 1))
    with pytest.raises(InputError, match="is larger than"):
        load_profile(path)


@pytest.mark.parametrize("damaged", ["", "\n", "hello", "cut off"])
def test_a_damaged_file_says_what_to_do(damaged: str, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    whole = dump_profile(profile_of("camelot"))
    path.write_text(whole[: whole.index("[[plane]]")] if damaged == "cut off" else damaged)
    with pytest.raises(InputError, match="move the file away and set the board up anew with `referee serve`") as error:
        load_profile(path)
    assert str(error.value).count(str(path)) == 1
    assert "\n" not in str(error.value)
