"""A phone's browser as the camera: the page in a real browser with a false camera, and what is not taken."""

from __future__ import annotations

import http.client
import queue
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from engine.games import load
from server.board.live import phone as phones
from server.board.live.camera import Camera, CameraGone, RecordingEnded
from server.board.live.phone import Phone, PictureRefused, jpeg_size
from server.board.pages.app import create_app
from server.cli import referee
from server.commands.phone import create_phone_app
from server.web import tls
from server.web.access.accounts import Accounts, Door, create_account, write_accounts
from server.web.access.serving import Serving
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from server.web.guard import LARGEST_JPEG, PICTURES
from server.web.site import Site
from tests.browser import browser
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.board.pages.test_phone_link import BLIND
from tests.server.served import serve_app
from tests.server.visitor import Page
from vision.frames import PHONE, CameraLost, Frame

SIZE_WH = (320, 240)
PASSWORD = "correct horse"  # noqa: S105  # of accounts that live for one test
FALSE_CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
"""Chromium's own: a picture that changes, and nobody who must agree."""


def jpeg(size_wh: tuple[int, int] = SIZE_WH, grey: int = 128) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((size_wh[1], size_wh[0], 3), grey, np.uint8))[1])


class Filming(Page):
    """The page of a phone."""

    def __init__(self, driver: webdriver.Chrome, site: Site) -> None:
        self.driver, self.feed, self.site = driver, Feed(), site


def test_a_phone_films_and_its_pictures_become_frames(tmp_path: Path) -> None:
    """As on a local network: over TLS with our own certificate, after logging in."""
    phone, items = Phone(), queue.Queue[Frame | CameraGone | RecordingEnded]()
    eye = Camera(PHONE, 8.0, items.put, phone.read_frames, realtime=False)
    write_accounts(tmp_path / "accounts.json", Accounts().with_account(create_account("Ann", "arbiter", PASSWORD)))
    visitors = Visitors(door=Door(tmp_path / "accounts.json"), secure=True)
    serving = Serving("127.0.0.1", 0, tls.ensure_certificate(tmp_path, ["127.0.0.1"]), visitors)
    site = Site(create_phone_app(phone, visitors), serving.open_listener(), serving.tls)
    try:
        with browser(*FALSE_CAMERA, "--ignore-certificate-errors") as driver:
            page = Filming(driver, site)
            driver.get(site.url + "phone")
            page.one("[name=name]").send_keys("Ann")
            page.one("[name=password]").send_keys(PASSWORD + Keys.ENTER)
            page.until("document.getElementById('begin') !== null && document.body.dataset.ready === 'yes'")
            page.until("/^[1-9]/.test(document.getElementById('told').textContent)")
            eye.start_capture()
            seen = []
            while len(seen) < 3:
                item = items.get(timeout=PATIENCE_S)
                assert isinstance(item, Frame)
                seen.append(item)
                eye.request_next_frame()
            h, w = seen[0].image.shape[:2]
            assert page.text("#told").endswith(f"pictures of {w} × {h} were sent.")
            assert [frame.t for frame in seen] == sorted(frame.t for frame in seen)
            assert seen[0].image.std() > 10
            assert [line for line in driver.get_log("browser") if line["level"] == "SEVERE"] == []
            driver.get("about:blank")
    finally:
        phone.end_frames()
        eye.close()
        site.stop_server()


@pytest.fixture
def site() -> Iterator[tuple[Phone, Site]]:
    phone = Phone(SIZE_WH)
    running = serve_app(create_phone_app(phone, Visitors()))
    yield phone, running
    running.stop_server()


def send(url: str, body: bytes, kind: str = "image/jpeg", name: str = "mine") -> tuple[int, str]:
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)) as connection:
        connection.request("POST", f"{PICTURES}?phone={name}", body, {"Content-Type": kind})
        with connection.getresponse() as answer:
            return answer.status, answer.read().decode()


def test_what_is_no_picture_of_the_right_size_is_refused(
    site: tuple[Phone, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phones, "LEAST_GAP_S", 0.0)  # refusals take no time
    phone, running = site
    huge = bytearray(jpeg())
    at = huge.index(b"\xff\xc0")
    huge[at + 5 : at + 9] = b"\xff\xff\xff\xff"
    for body, kind, status, said in [
        (b"{}", "application/json", 415, "image/jpeg"),
        (b"GIF89a", "image/jpeg", 422, "not a JPEG"),
        (bytes(huge), "image/jpeg", 422, "65535x65535"),
        (jpeg((240, 320)), "image/jpeg", 422, "set up in 320x240"),
        (bytes(LARGEST_JPEG + 1), "image/jpeg", 413, ""),
    ]:
        answer = send(running.url, body, kind)
        assert answer[0] == status
        assert said in answer[1]
    large = jpeg() + bytes(100_000)
    assert send(running.url, large) == (202, '{"taken":true}\n')
    assert next(phone.read_frames()).image.shape == (240, 320, 3)
    assert send(running.url, jpeg(), name="another")[0] == 409
    assert send(running.url, jpeg())[0] == 202


def test_another_camera_is_told_and_the_source_is_for_serve_alone(tmp_path: Path) -> None:
    client = create_app(Feed(), print, load("camelot")).test_client()
    assert "Another camera is used" in client.get("/phone").text
    assert client.post(PICTURES, data=jpeg(), content_type="image/jpeg").status_code == 409
    words = ["calibrate", "--game", "camelot", "--camera", PHONE, "--out", str(tmp_path / "board.toml")]
    answer = CliRunner().invoke(referee, words, standalone_mode=False)
    assert isinstance(answer.exception, CameraLost)
    assert "referee phone" in str(answer.exception)


def test_the_newest_picture_counts_and_silence_loses_the_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phones, "LEAST_GAP_S", 0.0)
    phone = Phone()
    for grey in (10, 240):
        assert phone.put_picture("a", jpeg(grey=grey))
    film = phone.read_frames()
    assert next(film).image.mean() > 200
    threading.Timer(0.05, phone.end_frames).start()
    with pytest.raises(CameraLost, match="open its page"):
        next(film)
    monkeypatch.setattr(phones, "LEAST_GAP_S", 1000.0)
    assert not phone.put_picture("a", jpeg())
    with pytest.raises(PictureRefused, match="160 to 4096"):
        phone.put_picture("a", jpeg((100, 100)))


@pytest.mark.parametrize("data", [b"", b"\xff\xd8", b"\xff\xd8\xff\xe0\x00\x00" * 3, b"\xff\xd8" + bytes(50)])
def test_headers_that_say_nothing(data: bytes) -> None:
    assert jpeg_size(data) is None
    assert jpeg_size(jpeg()) == SIZE_WH


def test_one_picture_for_calibrate(tmp_path: Path) -> None:
    out = tmp_path / "start.png"
    words = [sys.executable, "-m", "server", "phone", "--out", str(out), "--port", "0", "--after", "2"]
    with started(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        url = running.stdout.readline().split()[1]
        assert url.startswith("https://") and "127.0.0.1" not in url  # where no phone comes to
        page, _, key = url.partition("/phone?key=")
        headers = {"Content-Type": "image/jpeg", "Cookie": f"phone={key}"}
        asked = urllib.request.Request(f"{page}{PICTURES}?phone=mine", jpeg(grey=77), headers)  # noqa: S310  # our own
        while running.poll() is None:
            with suppress(OSError, http.client.HTTPException):  # it ends while the last ones are sent
                urllib.request.urlopen(asked, context=BLIND, timeout=PATIENCE_S).close()  # noqa: S310
        assert running.wait(PATIENCE_S) == 0
        said = running.stdout.read()
    assert "320x240" in said
    image = cv2.imread(str(out))
    assert image is not None
    assert abs(float(image.mean()) - 77) < 3
