"""The phone's own page: encrypted, for who has scanned the code, and for nothing else."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from server.board.live.phone import Phone
from server.board.pages.phone_page import PhoneLink, Reached

BLIND = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
BLIND.check_hostname, BLIND.verify_mode = False, ssl.CERT_NONE


@pytest.fixture
def link(tmp_path: Path) -> Iterator[tuple[Phone, PhoneLink]]:
    phone = Phone()
    opened = PhoneLink(phone, Reached(tmp_path, 65535, "127.0.0.1"))  # beyond the last port: a free one
    yield phone, opened
    opened.close()


def ask(url: str, data: bytes | None = None, cookie: str = "") -> tuple[int, str]:
    headers = {"Cookie": cookie} if cookie else {}
    asked = urllib.request.Request(url, data, headers | ({"Content-Type": "image/jpeg"} if data else {}))  # noqa: S310  # our own page
    try:
        with urllib.request.urlopen(asked, context=BLIND) as answer:  # noqa: S310  # our own page
            return answer.status, answer.headers.get("Set-Cookie") or ""
    except urllib.error.HTTPError as error:
        return error.code, ""


def test_the_code_lets_in_a_phone_and_its_pictures(link: tuple[Phone, PhoneLink]) -> None:
    phone, opened = link
    assert opened.url.startswith("https://127.0.0.1:")
    status, cookie = ask(opened.url)
    assert status == 200 and "Secure" in cookie and "HttpOnly" in cookie
    picture = cv2.imencode(".jpg", np.zeros((240, 320, 3), np.uint8))[1].tobytes()
    frames = opened.url.partition("/phone")[0] + "/api/v1/camera/frames?phone=1"
    assert ask(frames, picture)[0] == 403 and not phone.sending
    assert ask(frames, picture, cookie.partition(";")[0])[0] == 202 and phone.sending


def test_nobody_else_comes_in(link: tuple[Phone, PhoneLink]) -> None:
    bare = link[1].url.partition("?")[0]
    assert ask(bare)[0] == 403
    assert ask(f"{bare}?key=guessed")[0] == 403
    assert ask(bare.replace("/phone", "/settings"))[0] == 403


def test_the_secret_is_kept_for_the_next_game(tmp_path: Path, link: tuple[Phone, PhoneLink]) -> None:
    again = PhoneLink(Phone(), Reached(tmp_path, 65535, "127.0.0.1"))
    again.close()
    assert again.url.partition("key=")[2] == link[1].url.partition("key=")[2]
    assert (tmp_path / "phone.key").stat().st_mode & 0o077 == 0
