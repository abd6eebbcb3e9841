"""What a visitor of the set-up page may have opened, and what not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.errors import InputError
from server.board.setup.sources import permit_lights, permit_source
from server.board.setup.within import AllowedAddresses


@pytest.mark.parametrize(
    "source",
    ["0", "12", "phone:", "/dev/video2", "/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920-video-index0"]
    + ["rtsp://ann:secret@192.168.0.9/stream1", "http://192.168.0.9:8080/video", "https://cam.club.example/a.mjpg"],
)
def test_cameras_and_streams_from_elsewhere_may_be_named(source: str, tmp_path: Path) -> None:
    assert permit_source(source, tmp_path, "", AllowedAddresses()) == source


@pytest.mark.parametrize(
    "source",
    ["http://127.0.0.1:6379/", "http://localhost/", "http://[::1]/", "http://169.254.169.254/latest", "http://0.0.0.0/"]
    + [
        "http://2130706433/",
        "file:///etc/passwd",
        "concat:/etc/passwd",
        "gopher://x/",
        "rtmp://x/y",
        "HTTP://LOCALHOST.",
    ]
    + [
        "/dev/mem",
        "/dev/../etc/passwd",
        "/dev/video0/../mem",
        "/dev/v4l/by-id/../../mem",
        "/etc/passwd",
        "/proc/self/mem",
    ]
    + ["../../etc/passwd", "a\0b", "~/film.mp4", "x" * 400, "/"],
)
def test_this_machines_own_services_devices_and_files_may_not(source: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="camera "):
        permit_source(source, tmp_path, "", AllowedAddresses())


@pytest.mark.parametrize("found", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "fe80::1%eth0", "169.254.169.254"])
def test_a_name_that_leads_to_this_machine_is_no_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    """Whoever owns a name says where it leads."""
    answer = [(0, 0, 0, "", ("192.168.0.9", 0)), (0, 0, 0, "", (found, 0))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_about, **_more: answer)
    with pytest.raises(InputError, match="this machine itself"):
        permit_source("http://cam.club.example/", tmp_path, "", AllowedAddresses())


def test_files_are_films_or_folders_under_the_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "films"
    (folder / "shots").mkdir(parents=True)
    (folder / "film.mp4").write_bytes(b"\0\0\0\x20ftypisom")
    (folder / "secret.mp4").write_text("user:password\n", encoding="utf-8")
    (tmp_path / "outside.mp4").write_bytes(b"\0\0\0\x20ftypisom")
    (folder / "link.mp4").symlink_to(tmp_path / "outside.mp4")
    os.mkfifo(folder / "pipe.mp4")
    for good in ("film.mp4", "shots"):
        assert permit_source(str(folder / good), folder, "", AllowedAddresses()) == str(folder / good)
    for bad in ("secret.mp4", "link.mp4", "pipe.mp4", "../outside.mp4", "gone.mp4"):
        with pytest.raises(InputError, match="camera "):
            permit_source(str(folder / bad), folder, "", AllowedAddresses())


def test_nobody_is_told_which_files_there_are_elsewhere(tmp_path: Path) -> None:
    folder, there = tmp_path / "films", tmp_path / "there.mp4"
    folder.mkdir()
    there.write_bytes(b"\0")
    (folder / "out.mp4").symlink_to(there)
    (folder / "off.mp4").symlink_to(tmp_path / "gone.mp4")
    for one, other in ((there, tmp_path / "gone.mp4"), (folder / "out.mp4", folder / "off.mp4")):
        said = []
        for source in (str(one), str(other)):
            with pytest.raises(InputError) as refused:
                permit_source(source, folder, "", AllowedAddresses())
            said.append(str(refused.value).replace(source, ""))
        assert said[0] == said[1]
    with pytest.raises(InputError, match="no such file"):
        permit_source(str(folder / "gone.mp4"), folder, "", AllowedAddresses())


def test_what_the_command_line_names_may_be_chosen_wherever_it_is(tmp_path: Path) -> None:
    film = tmp_path / "elsewhere.avi"
    assert permit_source(str(film), tmp_path / "films", str(film), AllowedAddresses()) == str(film)


def test_from_the_root_of_the_disk_no_file_is_taken(tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    film.write_bytes(b"\0\0")
    with pytest.raises(InputError, match="start the referee in the folder where your films are"):
        permit_source(str(film), Path("/"), "", AllowedAddresses())


@pytest.mark.parametrize(
    "port",
    ["auto", "screen:", "/dev/ttyACM0", "/dev/serial/by-id/usb-Arduino_Uno-if00", "COM3", "udp://192.168.0.30:4048"]
    + ["socket://192.168.0.30:23", "rfc2217://192.168.0.30:2217", "udp://[2001:db8::30]:4048"],
)
def test_lights_at_a_serial_port_or_elsewhere_in_the_network_may_be_named(port: str) -> None:
    permit_lights(port, AllowedAddresses())


@pytest.mark.parametrize(
    "port",
    ["spy:///dev/ttyACM0?file=/home/ann/board.toml", "spy://loop://?file=x", "alt:///dev/ttyACM0?class=VTIMESerial"]
    + ["/dev/sda", "/dev/pts/0", "/dev/tty1", "/dev/ttyS0/../sda", "/etc/passwd", "hwgrep://.*", "file:///etc/passwd"]
    + ["udp://127.0.0.1:6379", "socket://[::1]:25", "socket://169.254.169.254:80", "udp://0.0.0.0:53"]
    + [
        "udp://wled.local:4048",
        "udp://localhost:53",
        "socket://192.168.0.30:x",
        "socket://[",
        "udp://",
        "\ud800",
        "x" * 400,
    ]
    + ["socket://192.168.0.30:23?logging=debug", "socket://192.168.0.30:23/../x"],
)
def test_files_other_devices_and_this_machines_services_are_no_lights(port: str) -> None:
    with pytest.raises(InputError, match="lights "):
        permit_lights(port, AllowedAddresses())
