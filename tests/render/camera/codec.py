"""What a codec leaves of a film: really encoded, and decoded again."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.frames import Frame

Numbered = tuple[int, Frame]

USUAL_PIXELS_S = 640 * 480 * 20
"""The rate of H.264 is meant for so many pixels a second; it grows with the square root of their number."""
KEY_S = 4.0
"""Time between two pictures that stand for themselves."""
FFMPEG = ("ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin")


def mjpeg(frames: Iterable[Numbered], quality: int) -> Iterator[Numbered]:
    """Every picture by itself, as USB webcams send them."""
    options = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR]
    options += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422]
    for number, frame in frames:
        _, data = cv2.imencode(".jpg", frame.image, options)
        yield number, Frame(frame.t, np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8))


def h264(frames: Iterable[Numbered], kbit: int, fps: float) -> Iterator[Numbered]:
    """Pictures that hold blocks of those before, as network cameras send them; the whole film is encoded first.

    FileNotFoundError without ffmpeg. Pictures must have even sides.
    """
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "film.mkv"
        told, (w, h) = _written(frames, file, kbit, fps)
        if not told:
            return
        command = [*FFMPEG, "-i", str(file), "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "bgr24", "-"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
            assert reader.stdout is not None
            try:
                for number, t in told:
                    data = reader.stdout.read(3 * w * h)
                    yield number, Frame(t, np.frombuffer(data, np.uint8).reshape(h, w, 3))
            finally:
                reader.kill()


def _written(
    frames: Iterable[Numbered], file: Path, kbit: int, fps: float
) -> tuple[list[tuple[int, float]], tuple[int, int]]:
    """Encode a film; the number and time of each frame, and its size."""
    told: list[tuple[int, float]] = []
    writer: subprocess.Popen[bytes] | None = None
    w = h = 0
    for number, frame in frames:
        if writer is None:
            h, w = frame.image.shape[:2]
            writer = subprocess.Popen(_encoder(file, (w, h), kbit, fps), stdin=subprocess.PIPE)
        assert writer.stdin is not None
        writer.stdin.write(np.ascontiguousarray(frame.image).data)
        told.append((number, frame.t))
    if writer is not None:
        writer.communicate()
        if writer.returncode:
            raise OSError(f"ffmpeg: could not encode a film of {w}x{h}")
    return told, (w, h)


def _encoder(file: Path, size_wh: tuple[int, int], kbit: int, fps: float) -> list[str]:
    """A camera's encoder: no look ahead, no pictures from both sides, one thread so that bytes repeat."""
    w, h = size_wh
    rate = round(kbit * (w * h * fps / USUAL_PIXELS_S) ** 0.5)
    source = ["-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{w}x{h}", "-r", f"{fps:.4f}", "-i", "-"]
    limits = ["-b:v", f"{rate}k", "-maxrate", f"{rate}k", "-bufsize", f"{rate}k", "-g", str(max(2, round(KEY_S * fps)))]
    how = ["-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-threads", "1", "-pix_fmt", "yuv420p"]
    return [*FFMPEG, "-y", *source, *how, *limits, str(file)]
