"""Films are timed by their own stamps: phones leave pictures out, and number over average rate is seconds off."""

from __future__ import annotations

import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.errors import InputError
from tests.render.camera.codec import FFMPEG
from vision.frames import duration_s, frame_at, read_frames
from vision.video import Film

FPS, LENGTH_S = 20, 60
BITS, WIDE = 11, 16
LEFT_OUT = "if(between(t,10,30),not(mod(n,3)),mod(n,5))"
"""One picture in five is missing, and for twenty seconds two in three."""
KINDS = {
    "phone.mp4": ("libx264", "-bf", "2"),
    "screen.mkv": ("libx264", "-bf", "2"),
    "browser.webm": ("libvpx", "-b:v", "1M"),
    "camera.mov": ("mjpeg", "-q:v", "3"),
    "television.ts": ("libx264", "-bf", "2"),
}


def numbered(number: int) -> bytes:
    """A picture that shows its number in black and white."""
    image = np.full((48, BITS * WIDE, 3), 30, np.uint8)
    for bit in range(BITS):
        image[:, bit * WIDE : (bit + 1) * WIDE] += np.uint8(200 * (number >> bit & 1))
    return image.tobytes()


def number_in(image: np.ndarray) -> int:
    return sum(1 << bit for bit in range(BITS) if image[20:28, bit * WIDE + 6 : bit * WIDE + 10].mean() > 128)


@pytest.fixture(scope="module", params=sorted(KINDS))
def uneven(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("films") / request.param
    codec, *more = KINDS[request.param]
    given = ("-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{BITS * WIDE}x48", "-r", str(FPS), "-i", "-")
    how = ("-vf", f"select='{LEFT_OUT}'", "-fps_mode", "vfr", "-pix_fmt", "yuv420p", "-c:v", codec, *more)
    pictures = b"".join(map(numbered, range(FPS * LENGTH_S)))
    subprocess.run([*FFMPEG, *given, *how, str(path)], input=pictures, check=True)
    return str(path)


def test_every_picture_of_an_uneven_film_has_its_own_time(uneven: str) -> None:
    found = [(frame.t, number_in(frame.image)) for frame in read_frames(uneven)]
    first = found[0][1]
    assert len(found) > 700
    assert max(abs(t - (number - first) / FPS) for t, number in found) < 0.01


def test_an_uneven_film_is_shown_as_it_was_at_any_time(uneven: str) -> None:
    """OpenCV seeks by the average rate, up to twenty seconds off."""
    shown = [(frame.t, number_in(frame.image)) for frame in read_frames(uneven)]
    for t in (0.0, 0.4, 7.0, 12.0, 29.9, 45.0, 58.5, 100.0):
        at = frame_at(uneven, t)
        assert number_in(at.image) == max(number for its_t, number in shown if its_t <= t + 1e-6), t
        assert at.t <= t + 1e-6
    assert abs(duration_s(uneven) - shown[-1][0]) < 0.2


def test_a_stream_without_stamps_goes_by_its_rate(tmp_path: Path) -> None:
    path = tmp_path / "raw.h264"
    given = ("-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=2")
    subprocess.run([*FFMPEG, *given, "-c:v", "libx264", "-bf", "0", "-f", "h264", str(path)], check=True)
    times = [frame.t for frame in read_frames(str(path))]
    assert np.allclose(times, np.arange(len(times)) / 25, atol=1e-6)
    assert abs(frame_at(str(path), 1.3).t - 1.28) < 0.021


def test_a_film_that_is_joined_from_two_goes_on(tmp_path: Path) -> None:
    """Stamps that begin again are no way back in time."""
    part = tmp_path / "part.ts"
    given = ("-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=2")
    subprocess.run([*FFMPEG, *given, "-c:v", "libx264", "-bf", "0", str(part)], check=True)
    both = tmp_path / "both.ts"
    both.write_bytes(part.read_bytes() * 2)
    times = [frame.t for frame in read_frames(str(both))]
    assert len(times) == 40
    assert np.all(np.diff(times) > 0)
    assert 3.8 < times[-1] < 4.3


def test_what_is_no_film_is_said(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(b"no film at all" * 100)
    with pytest.raises(InputError, match="neither a picture nor a video"):
        Film(str(tmp_path / "film.mp4"), 8.0)


@pytest.mark.parametrize("text", ["1. E6-C8\n" * 100_000, "x" * 4096 + "é", "\x1b[31mred\n", "film.avi\n"])
def test_a_text_is_no_film(text: str, tmp_path: Path) -> None:
    """FFmpeg draws it, letter by letter, as a film that takes minutes."""
    file = tmp_path / "games.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="neither a picture nor a video"):
        Film(str(file), 8.0)


def test_a_film_without_pictures_is_said_too(tmp_path: Path) -> None:
    path = tmp_path / "empty.avi"
    cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (64, 48)).release()
    with pytest.raises(InputError, match="read"):
        frame_at(str(path), 0.0)
