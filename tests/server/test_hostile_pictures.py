"""Pictures from outside: too large, cut off, lying about their size, turned; a word each, and nothing ends."""

from __future__ import annotations

import logging
import os
import queue
import re
import resource
import shutil
import struct
import subprocess
import sys
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.errors import InputError
from server.board.live import phone as phones
from server.board.live.camera import Camera, CameraGone, RecordingEnded
from server.board.live.phone import Phone, PictureRefused, jpeg_size
from server.pictures import read_frames
from server.record.evidence import folder_of
from server.record.exports.photos import small_photo_uri
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.live.test_phone import SIZE_WH, jpeg
from tests.server.commands.test_serve import PROFILE, SESSION
from vision import frames as sources
from vision.frames import PHONE, CameraLost, Frame

BAD_PICTURES = int(os.environ.get("BAD_PICTURES", "100"))
"""`make attack` asks for 500."""
GIGABYTE = 2**30


def png(width: int, height: int) -> bytes:
    """A few bytes that claim to be a picture of that size, and hold its whole content, packed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packer = zlib.compressobj(9)
    row = bytes(1 + 3 * width)
    packed = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def turned(orientation: int) -> bytes:
    """A JPEG of SIZE_WH that says how it is to be turned."""
    out, exif = BytesIO(), Image.Exif()
    exif[0x0112] = orientation
    Image.new("RGB", SIZE_WH, "grey").save(out, "JPEG", exif=exif)
    return out.getvalue()


def lying(width: int, height: int) -> bytes:
    """A JPEG whose first size marker says another size than the one that its data have."""
    honest = jpeg()
    head = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes((1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1))
    return honest[:2] + head + honest[2:]


def swapped(width: int, height: int) -> bytes:
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


COMMANDS = [
    ("watch", "--profile", PROFILE, "--camera"),
    ("read", "--profile", PROFILE, "--reference", SESSION / "frame_0000.jpg", "--camera"),
    ("calibrate", "--game", "camelot", "--preview", "x.png", "--camera"),
    ("serve", "--profile", PROFILE, "--port", 0, "--camera"),
]


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("huge") / "board.png"
    path.write_bytes(png(30_000, 30_000))
    assert path.stat().st_size < 4_000_000
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=[str(command[0]) for command in COMMANDS])
def test_a_picture_that_would_fill_the_memory_is_refused_by_its_header(
    huge: Path, tmp_path: Path, command: tuple[object, ...]
) -> None:
    words = [sys.executable, "-m", "server", *map(str, command), str(huge)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False, preexec_fn=_little_memory)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "too large" in done.stderr
    assert str(huge) in done.stderr


def _little_memory() -> None:
    """Less than the picture takes, which is 2.7 GB."""
    resource.setrlimit(resource.RLIMIT_DATA, (2 * GIGABYTE, 2 * GIGABYTE))


def test_a_folder_with_such_a_picture_says_so_too(huge: Path, tmp_path: Path) -> None:
    shutil.copy(huge, tmp_path / "frame_0.png")
    words = [sys.executable, "-c", FOLDER, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "too large" in done.stdout, done.stderr


FOLDER = """
import sys
from engine.errors import InputError
from server.pictures import read_frames
try:
    list(read_frames(sys.argv[1]))
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "times", ['{"t": ' + "[" * 20_000, '{"t": [1e999]}', '{"t": [NaN]}', '{"t": [' + "9" * 400 + "]}", '{"fps": 1e999}']
)
def test_times_that_are_none_are_one_line(tmp_path: Path, times: str) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    (tmp_path / "recording.json").write_text(times)
    with pytest.raises(InputError):
        list(read_frames(str(tmp_path)))


def test_a_turned_picture_is_measured_as_it_is_seen(tmp_path: Path) -> None:
    for orientation, size in ((1, SIZE_WH), (3, SIZE_WH), (6, SIZE_WH[::-1]), (8, SIZE_WH[::-1]), (77, SIZE_WH)):
        assert jpeg_size(turned(orientation)) == size
        (tmp_path / "a.jpg").write_bytes(turned(orientation))
        height, width = next(read_frames(str(tmp_path / "a.jpg"))).image.shape[:2]
        assert (width, height) == size


BAD = {
    "turned": turned(6),
    "cut off": jpeg()[: len(jpeg()) // 2],
    "two sizes": lying(320, 240),
    "two sizes, huge": lying(65535, 65535),
    "no data": jpeg()[:200] + b"\xff\xd9",
    "exif that is none": jpeg()[:2] + b"\xff\xe1\x00\x10Exif\0\0" + b"\xff" * 8 + jpeg()[2:],
    "noise": jpeg()[:400] + bytes(np.random.default_rng(1).integers(0, 256, 4000, np.uint8)) + b"\xff\xd9",
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_picture_of_a_phone_is_left_out_with_a_word(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Either the phone is told at once, or it is logged; no frame that comes has another size than its picture said."""
    monkeypatch.setattr(phones, "LEAST_GAP_S", 0.0)
    phone, items = Phone(SIZE_WH), queue.Queue[Frame | CameraGone | RecordingEnded]()
    eye = Camera(PHONE, 8.0, items.put, phone.read_frames, realtime=False)
    eye.start_capture()
    refused = False
    with caplog.at_level(logging.WARNING):
        try:
            phone.put_picture("a", BAD[name])
        except PictureRefused as error:
            refused = True
            assert error.status == 422
        wait_until(lambda: refused or "left out" in caplog.text or not items.empty())
    phone.put_picture("a", jpeg(grey=200))
    item = items.get(timeout=PATIENCE_S)
    while not (isinstance(item, Frame) and item.image.mean() > 190):
        assert not isinstance(item, CameraGone) or not item.final
        if isinstance(item, Frame):
            assert item.image.shape[1::-1] == (SIZE_WH if name != "turned" else jpeg_size(BAD[name]))
            eye.request_next_frame()
        item = items.get(timeout=PATIENCE_S)
    assert item.image.shape == (*SIZE_WH[::-1], 3)
    phone.end_frames()
    eye.close()


def test_any_mutated_picture_keeps_the_camera_going(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few bytes are changed in each, most of them in the headers."""
    monkeypatch.setattr(phones, "LEAST_GAP_S", 0.0)
    chance, whole = np.random.default_rng(5), turned(1)
    phone = Phone(SIZE_WH)
    film = phone.read_frames()
    for _ in range(BAD_PICTURES):
        data = bytearray(whole)
        for _ in range(int(chance.integers(1, 6))):
            data[int(chance.integers(0, 700 if chance.random() < 0.8 else len(data))) % len(data)] = int(
                chance.integers(256)
            )
        try:
            phone.put_picture("a", bytes(data))
        except PictureRefused:
            continue
        monkeypatch.setattr(phones, "SILENCE_S", 0.02)
        try:
            assert next(film).image.shape == (*SIZE_WH[::-1], 3)
        except CameraLost:
            film = phone.read_frames()
            phone.put_picture("a", jpeg())
            assert next(film).image.shape == (*SIZE_WH[::-1], 3)


def test_a_stored_picture_that_was_put_there_by_another_hand_is_no_trouble(tmp_path: Path) -> None:
    record = tmp_path / "games.sqlite3"
    folder_of(record).mkdir()
    for data in (b"", b"no picture", png(8000, 8000)[:100]):
        (folder_of(record) / "aa.jpg").write_bytes(data)
        assert small_photo_uri(folder_of(record), "aa") == ""


def test_nothing_in_the_service_opens_pictures_past_this_door() -> None:
    """What the service stored itself, and reads back at once, is not from outside."""
    server = Path(sources.__file__).parents[1] / "server"
    for file in server.rglob("*.py"):
        said = file.read_text(encoding="utf-8")
        assert not re.search(r"from vision\.frames import .*\b(frames|frame_number|picture)\b", said), file
        assert "imread(" not in said, file
        assert "imdecode(" not in said or file.name in {"pictures.py", "session.py"}, file


def test_a_camera_that_changes_its_size_ends_no_game_and_says_so() -> None:
    """A driver that begins with another size, and one that stays with it."""
    usual, other = np.zeros((480, 640, 3), np.uint8), np.zeros((600, 800, 3), np.uint8)
    items: queue.Queue[Frame | CameraGone | RecordingEnded] = queue.Queue()
    times = iter(
        [
            [Frame(0.0, other), Frame(0.1, usual), Frame(0.2, other), Frame(0.3, usual)],
            [Frame(0.0, usual), *(Frame(t / 2, other) for t in range(1, 20))],
            [Frame(0.0, usual)],
        ]
    )
    camera = Camera("0", 8.0, items.put, lambda: iter(next(times)), (640, 480), realtime=False)
    camera._may_drop = False
    camera.start_capture()
    seen: list[object] = []
    for _ in range(2):
        seen.append(items.get(timeout=PATIENCE_S))
        camera.request_next_frame()
    assert all(isinstance(one, Frame) and one.image is usual for one in seen)
    assert isinstance(items.get(timeout=PATIENCE_S), RecordingEnded)
    camera.close()
    camera = Camera("0", 8.0, items.put, lambda: iter(next(times)), (640, 480), realtime=False)
    camera.start_capture()
    assert isinstance(items.get(timeout=PATIENCE_S), Frame)
    camera.request_next_frame()
    lost = items.get(timeout=PATIENCE_S)
    assert isinstance(lost, CameraGone) and not lost.final
    assert "the picture is 800x600, but the board was set up in 640x480" in lost.message
    again = items.get(timeout=PATIENCE_S)
    assert isinstance(again, Frame) and again.image is usual, "it is opened again, and the game goes on"
    camera.close()
