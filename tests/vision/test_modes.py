"""A camera is used in the mode that shows most of the board, or in the one that is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.board.setup.devices import lasting_source
from tests.vision.webcam import WEBCAM, Driver, Script, plug_in
from vision.frames import CameraLost, is_live, read_frames
from vision.modes import CameraMode, best_modes_by_size, choose_mode, device_of, in_size, list_modes, size_of


def file_in(folder: Path) -> str:
    (folder / "video0").write_bytes(b"")
    return str(folder / "video0")


def test_all_modes_that_can_be_read_are_listed(tmp_path: Path) -> None:
    found = list_modes(file_in(tmp_path), Driver(WEBCAM))
    assert len(found) == 8
    assert CameraMode((1280, 720), "YUYV", 10.0) in found
    assert CameraMode((1920, 1080), "MJPG", 30.0) in found


@pytest.mark.parametrize(
    ("script", "size_wh", "chosen"),
    [
        (WEBCAM, None, CameraMode((1920, 1080), "MJPG", 30.0)),
        (WEBCAM, (1280, 720), CameraMode((1280, 720), "MJPG", 30.0)),
        (WEBCAM, (640, 480), CameraMode((640, 480), "YUYV", 30.0)),  # of one rate the one without loss
        (WEBCAM, (2592, 1944), CameraMode((2592, 1944), "MJPG", 15.0)),  # by choice: it costs a small computer too much
        (WEBCAM, (800, 600), None),
        ({"YUYV": WEBCAM["YUYV"]}, None, CameraMode((1280, 720), "YUYV", 10.0)),
        ({"YUYV": {(640, 480): (7.5,), (1280, 720): (3,)}}, None, CameraMode((640, 480), "YUYV", 7.5)),
        ({"H264": WEBCAM["H264"]}, None, None),
        ({}, None, None),
    ],
)
def test_the_mode_with_most_pixels_that_is_quick_enough(
    script: Script, size_wh: tuple[int, int] | None, chosen: CameraMode | None, tmp_path: Path
) -> None:
    assert choose_mode(list_modes(file_in(tmp_path), Driver(script)), size_wh) == chosen


def test_what_is_no_camera_has_no_modes(tmp_path: Path) -> None:
    assert list_modes(file_in(tmp_path)) == []
    assert list_modes(str(tmp_path / "none")) == []


def test_each_size_is_offered_once_the_largest_first(tmp_path: Path) -> None:
    offered = best_modes_by_size(list_modes(file_in(tmp_path), Driver(WEBCAM)))
    assert [mode.size_wh for mode in offered] == [(2592, 1944), (1920, 1080), (1280, 720), (640, 480)]


@pytest.mark.parametrize(
    ("source", "device", "size_wh", "live"),
    [
        ("0", "0", None, True),
        ("0@1280x720", "0", (1280, 720), True),
        ("/dev/v4l/by-id/usb-HD@1280x720", "/dev/v4l/by-id/usb-HD", (1280, 720), True),
        ("http://me@1280x720/", "http://me@1280x720/", None, True),
        ("game@1280x720.mp4", "game@1280x720.mp4", None, False),
        ("rtsp://10.0.0.1/a@64x48", "rtsp://10.0.0.1/a@64x48", None, True),
    ],
)
def test_the_size_stands_behind_the_name(source: str, device: str, size_wh: object, live: bool) -> None:
    assert (device_of(source), size_of(source), is_live(source)) == (device, size_wh, live)


def test_a_board_that_was_found_is_seen_in_the_same_size_again() -> None:
    assert in_size("0", (640, 480)) == "0@640x480"
    assert in_size("0@1280x720", (640, 480)) == "0@1280x720"
    assert in_size("http://10.0.0.1/", (640, 480)) == "http://10.0.0.1/"


@pytest.mark.parametrize(("asks", "height"), [("", 1080), ("@640x480", 480), ("@1280x720", 720)])
def test_frames_come_in_the_mode(asks: str, height: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.frames.LIVE", (str(tmp_path),))
    monkeypatch.setattr("vision.modes.ASKED", re.compile(r"(?P<device>/\S+)@(?P<width>\d+)x(?P<height>\d+)"))
    plug_in(monkeypatch)
    assert next(read_frames(file_in(tmp_path) + asks)).image.shape[0] == height


def test_a_camera_is_found_again_under_another_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unplugged and plugged in after another one it has another number; what is kept is the name by maker and serial
    number."""
    monkeypatch.setattr("vision.frames.LIVE", (str(tmp_path),))
    listed, files = tmp_path / "sys", tmp_path / "dev"
    links = files / "v4l/by-id"
    links.mkdir(parents=True)
    link = links / "usb-Maker_HD_Webcam_0A1B-video-index0"
    for number in (0, 1):
        (listed / f"video{number}").mkdir(parents=True)
        (files / f"video{number}").write_bytes(b"")
    link.symlink_to("../../video0")
    kept = lasting_source("0@1280x720", listed, files)
    assert kept == f"{link}@1280x720"
    assert lasting_source(str(files / "video0"), listed, files) == str(link)
    assert lasting_source("1", listed, files) == "1"  # it has no such name
    opened = plug_in(monkeypatch)
    next(read_frames(str(link)))
    link.unlink()
    (files / "video0").unlink()
    with pytest.raises(CameraLost):
        next(read_frames(str(link)))
    link.symlink_to("../../video1")
    assert next(read_frames(str(link))).image.shape[0] == 1080
    assert [Path(path).name for path in opened.asked] == [link.name] * 3
