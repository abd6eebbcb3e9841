"""Cameras in the network as they answer: pictures that change their size, slow ones, and everything but pictures."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import cv2
import numpy as np
import pytest

from server.board.live.camera import Camera, CameraGone, RecordingEnded
from server.board.live.phone import Phone, PictureRefused
from server.board.live.visibility import TURNED
from tests.patience import PATIENCE_S
from vision import network_camera
from vision.frames import PHONE, CameraLost, Frame, read_frames
from vision.ground import Image

SIZE_WH = (320, 240)
SOON_S = 3.0


def picture(size_wh: tuple[int, int]) -> bytes:
    blurred = cv2.GaussianBlur(np.random.default_rng(1).integers(0, 255, (*size_wh[::-1], 3), np.uint8), (0, 0), 5)
    return bytes(cv2.imencode(".jpg", blurred)[1])


class Station:
    """A camera whose answer can be changed while somebody watches."""

    def __init__(self) -> None:
        self.status, self.kind, self.location = 200, "multipart/x-mixed-replace; boundary=next", ""
        self.shown, self.every_s = picture(SIZE_WH), 0.05
        self.opened = 0
        station = self

        class Answers(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:  # named by the base class
                """Nothing."""

            def do_GET(self) -> None:
                station.opened += 1
                self.send_response(station.status)
                self.send_header("Content-Type", station.kind)
                if station.location:
                    self.send_header("Location", station.location)
                self.end_headers()
                try:
                    while station.status == 200 and station.kind.startswith("multipart/"):
                        jpeg = station.shown
                        head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                        self.wfile.write(head.encode() + jpeg + b"\r\n")
                        time.sleep(station.every_s)
                except OSError:
                    return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/video"


@pytest.fixture
def station() -> Iterator[Station]:
    station = Station()
    yield station
    station.server.shutdown()
    station.server.server_close()


def test_a_camera_is_asked_the_way_its_pictures_come(station: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who keeps streams within a network does so by a proxy: no question goes past it, wherever an answer leads."""
    monkeypatch.setenv("http_proxy", station.url)
    station.kind = "text/html"
    said = network_camera.explain_answer("http://192.0.2.1/video")
    assert said.text == network_camera.WEB_PAGE and station.opened == 1


@pytest.mark.parametrize(
    ("status", "kind", "location", "login", "said"),
    [
        (401, "text/html", "", "", "a name and a password (it answered 401): put name:password@ into the address"),
        (403, "text/html", "", "", "wants a name and a password (it answered 403)"),
        (401, "text/html", "", "ann:secret@", "refuses this name and password (it answered 401)"),
        (404, "text/html", "", "", "has nothing at this address (it answered 404)"),
        (500, "text/html", "", "", "reports a fault of its own (it answered 500)"),
        (302, "text/html", "/video", "", "only redirects to other addresses (it answered 302)"),
        (200, "text/html", "", "", "that is a web page, not a stream; give the address of the stream itself"),
        (200, "text/plain", "", "", "sends text/plain, not pictures"),
    ],
)
def test_what_is_answered_instead_of_pictures_is_said_with_what_to_do(
    station: Station, status: int, kind: str, location: str, login: str, said: str
) -> None:
    station.status, station.kind, station.location = status, kind, location
    with pytest.raises(CameraLost) as lost:
        next(read_frames(station.url.replace("//", f"//{login}")))
    assert said in str(lost.value)


def test_a_picture_that_is_turned_upright_in_the_stream_is_said_and_one_of_the_same_shape_is_scaled(
    station: Station,
) -> None:
    items: queue.Queue[Frame | CameraGone | RecordingEnded] = queue.Queue()
    camera = Camera(station.url, 8.0, items.put, size_wh=SIZE_WH, realtime=False)

    def next_image() -> Image:
        item = items.get(timeout=PATIENCE_S)
        assert isinstance(item, Frame)
        camera.request_next_frame()
        return item.image

    try:
        camera.start_capture()
        for size_wh in (SIZE_WH, (160, 120), (1280, 960), SIZE_WH):
            station.shown = picture(size_wh)
            for _ in range(3):
                assert next_image().shape == (240, 320, 3)
        station.shown, begun = picture(SIZE_WH[::-1]), time.monotonic()
        while not isinstance(item := items.get(timeout=PATIENCE_S), CameraGone):
            camera.request_next_frame()
        assert time.monotonic() - begun < SOON_S
        assert (item.cause, item.final) == (TURNED, False)
        assert "is 240x320, but the board was set up in 320x240: turn the camera or the phone back" in item.message
        with pytest.raises(queue.Empty):
            items.get(timeout=1.0)
        for size_wh in (SIZE_WH, (8000, 6000)):
            station.shown = plain(size_wh)
            for _ in range(3):
                assert next_image().shape == (240, 320, 3)
        assert station.opened == 1
    finally:
        camera.close()


def plain(size_wh: tuple[int, int]) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((*size_wh[::-1], 3), 90, np.uint8))[1])


def test_a_slow_camera_is_waited_for(station: Station, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was opened anew each time that its next picture was late, and never gave two."""
    monkeypatch.setattr(network_camera, "STREAM_S", 1.5)
    station.every_s = 3.0
    times = []
    for frame in read_frames(station.url):
        times.append(frame.t)
        if len(times) == 4:
            break
    assert times[3] - times[2] == pytest.approx(3.0, abs=1.0)
    assert station.opened <= 4


def test_a_torn_picture_after_a_pause_is_not_blamed_on_the_camera(
    station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that was stopped has seen no good picture for long: the first torn one ended the connection."""
    monkeypatch.setattr(network_camera, "STREAM_S", 1.0)
    station.every_s = 1.4
    good = station.shown
    for frame in islice(network_camera._read_connection(station.url, 6.0), 4):
        assert frame.shape[:2] == SIZE_WH[::-1]
        station.shown = good if station.shown != good else b"\xff\xd8 torn \xff\xd9"
        threading.Timer(2.1, setattr, (station, "shown", good)).start()


def test_a_phone_that_is_held_upright_is_said_by_the_referee_too() -> None:
    """The phone alone heard of it; the page of the board told people to look after a cable."""
    phone, items = Phone(SIZE_WH), queue.Queue[Frame | CameraGone | RecordingEnded]()
    camera = Camera(PHONE, 8.0, items.put, phone.read_frames, SIZE_WH, realtime=False)
    camera.start_capture()
    try:
        gone, begun = None, time.monotonic()
        while gone is None and time.monotonic() - begun < SOON_S:
            with pytest.raises(
                PictureRefused, match="240x320: the board was set up in 320x240; hold the phone as then"
            ):
                phone.put_picture("ann", picture(SIZE_WH[::-1]))
            time.sleep(0.1)
            gone = None if items.empty() else items.get()
        assert isinstance(gone, CameraGone) and gone.cause == TURNED
        phone.put_picture("ann", picture(SIZE_WH))
        assert isinstance(items.get(timeout=PATIENCE_S), Frame)
    finally:
        phone.end_frames()
        camera.close()
