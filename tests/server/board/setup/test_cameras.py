"""Cameras as Linux lists them, told from files laid out as in /sys and /dev."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.board.setup import opening
from server.board.setup.checkup import check_camera
from server.commands.cameras import command
from tests.programs import children_stopped


def plugged_in(root: Path, number: int, name: str, index: int = 0) -> None:
    listed = root / "sys" / f"video{number}"
    listed.mkdir(parents=True)
    (listed / "name").write_text(name + "\n")
    (listed / "index").write_text(f"{index}\n")
    (root / "dev").mkdir(exist_ok=True)
    (root / "dev" / f"video{number}").write_bytes(b"")


def cameras(root: Path, *options: str) -> tuple[int, str]:
    folders = ["--listed", str(root / "sys"), "--files", str(root / "dev")]
    answer = CliRunner().invoke(command, [*folders, *options], standalone_mode=False)
    return answer.return_value, answer.output


def test_each_camera_is_listed_once_in_order(tmp_path: Path) -> None:
    plugged_in(tmp_path, 10, "HD Webcam")
    plugged_in(tmp_path, 2, "Document camera")
    plugged_in(tmp_path, 3, "Document camera", index=1)
    status, output = cameras(tmp_path)
    assert status == 0
    assert [line.split()[1] for line in output.splitlines()] == ["2", "10"]
    assert "Document camera" in output
    rows = json.loads(cameras(tmp_path, "--json")[1])
    assert [row["camera"] for row in rows] == ["2", "10"]
    assert {row["state"] for row in rows} == {"ok"}


def test_without_a_camera_a_phone_is_offered(tmp_path: Path) -> None:
    status, output = cameras(tmp_path)
    assert (status, output.count("\n")) == (1, 1)
    assert "plug one in, or start `referee serve` and choose “A phone” there" in output


def test_a_camera_whose_file_is_gone_cannot_be_used(tmp_path: Path) -> None:
    plugged_in(tmp_path, 0, "HD Webcam")
    (tmp_path / "dev/video0").unlink()
    status, output = cameras(tmp_path)
    assert status == 1
    assert "plug it in again" in output


def test_a_camera_that_gives_no_picture_is_told(tmp_path: Path) -> None:
    plugged_in(tmp_path, 0, "Loopback")
    assert cameras(tmp_path)[0] == 0
    status, output = cameras(tmp_path, "--look")
    assert status == 1
    assert "Loopback" in output


def test_the_name_that_lasts_is_told(tmp_path: Path) -> None:
    """Numbers change with what is plugged in first; the link by maker and serial number does not."""
    plugged_in(tmp_path, 4, "HD Webcam")
    links = tmp_path / "dev/v4l/by-id"
    links.mkdir(parents=True)
    (links / "usb-Maker_HD_Webcam_0A1B-video-index0").symlink_to("../../video4")
    assert str(links / "usb-Maker_HD_Webcam_0A1B-video-index0") in cameras(tmp_path)[1]
    (row,) = json.loads(cameras(tmp_path, "--json")[1])
    assert row["lasting"] == str(links / "usb-Maker_HD_Webcam_0A1B-video-index0")


def test_a_camera_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What opens it is stopped as soon as it has begun: a driver that never answers."""
    plugged_in(tmp_path, 0, "Stuck")
    monkeypatch.setattr(opening.open_source, "__defaults__", (0.2, 0.2))
    with children_stopped():
        status, output = cameras(tmp_path, "--look")
        (finding,) = check_camera(str(tmp_path / "dev/video0"), None)
    assert status == 1
    assert "gives no picture in time" in output
    assert finding.state == "wrong"
    assert "gives no picture in time" in finding.message
