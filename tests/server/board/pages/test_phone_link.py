"""The phone's own page: encrypted, for who has scanned the code, and for nothing else."""

from __future__ import annotations

import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from engine.errors import InputError
from server.board.live.phone import Phone
from server.board.pages.phone_page import PORTS_ON, PhoneAddress, PhoneLink, open_for_phone, own_page_for_phones
from server.cli import referee
from server.record.exports.qr import qr_text
from server.web.access.serving import Serving
from server.web.access.visitors import Visitors
from server.web.site import Tls

BLIND = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
BLIND.check_hostname, BLIND.verify_mode = False, ssl.CERT_NONE


@pytest.fixture
def link(tmp_path: Path) -> Iterator[tuple[Phone, PhoneLink]]:
    phone = Phone()
    opened = PhoneLink(phone, PhoneAddress(tmp_path, 65535, "127.0.0.1"))  # beyond the last port: a free one
    yield phone, opened
    opened.close_site()


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
    assert ask(frames, picture)[0] == 403 and not phone.is_sending
    assert ask(frames, picture, cookie.partition(";")[0])[0] == 202 and phone.is_sending


def test_nobody_else_comes_in(link: tuple[Phone, PhoneLink]) -> None:
    bare = link[1].url.partition("?")[0]
    assert ask(bare)[0] == 403
    assert ask(f"{bare}?key=guessed")[0] == 403
    assert ask(bare.replace("/phone", "/settings"))[0] == 403


def test_the_secret_is_kept_for_the_next_game(tmp_path: Path, link: tuple[Phone, PhoneLink]) -> None:
    again = PhoneLink(Phone(), PhoneAddress(tmp_path, 65535, "127.0.0.1"))
    again.close_site()
    assert again.url.partition("key=")[2] == link[1].url.partition("key=")[2]
    assert (tmp_path / "phone.key").stat().st_mode & 0o077 == 0


ADDRESS = "192.0.2.7"


def served(host: str, encrypted: bool = True, base: str = "", proxy: str = "", names: tuple[str, ...] = ()) -> Serving:
    return Serving(host, 5000, Tls("", "") if encrypted else None, Visitors(names, None, True, proxy, (), base))


@pytest.mark.parametrize(
    ("serving", "page"),
    [
        (served("127.0.0.1"), None),
        (served("::1"), None),
        (served("localhost"), None),
        (served("0.0.0.0", encrypted=False), None),  # noqa: S104  # no browser opens a camera there
        (served("0.0.0.0"), f"https://{ADDRESS}:5000/phone"),  # noqa: S104
        (served("192.0.2.9", base="/camelot"), "https://192.0.2.9:5000/camelot/phone"),
        (served("fd00::7"), "https://[fd00::7]:5000/phone"),
        (served("127.0.0.1", encrypted=False, proxy="127.0.0.1"), None),
        (
            served("127.0.0.1", encrypted=False, base="/camelot", proxy="127.0.0.1", names=("club.example",)),
            "https://club.example/camelot/phone",
        ),
    ],
)
def test_a_phone_is_sent_to_no_page_that_it_cannot_reach(tmp_path: Path, serving: Serving, page: str | None) -> None:
    """None: a page of its own is opened for it instead."""
    assert own_page_for_phones(serving, PhoneAddress(tmp_path, 5000, ADDRESS)) == page


def test_a_phone_that_was_asked_in_at_set_up_goes_on_where_the_pages_are_open_to_others(tmp_path: Path) -> None:
    """Its page was gone when the game began: the phone was to log in at the referee's own one, and nobody said so."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        at = PhoneAddress(tmp_path, free.getsockname()[1] - PORTS_ON, "127.0.0.1")
    serving, own = served("192.0.2.9"), f"https://192.0.2.9:{at.page_port}/phone"
    with ExitStack() as closing:
        assert open_for_phone(Phone(), serving, at, closing) == own
        asked_in = PhoneLink(Phone(), at)  # nobody was asked in: the port is free
    asked_in.close_site()
    with ExitStack() as closing:
        assert open_for_phone(Phone(), serving, at, closing) == own
        assert ask(asked_in.url)[0] == 200


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "0.0.0.0", "http://x", "a b", "x/y"])  # noqa: S104
def test_no_address_is_taken_that_no_phone_reaches(address: str) -> None:
    answer = CliRunner().invoke(referee, ["phone", "--out", "x.png", "--port", "0", "--phone-at", address])
    assert isinstance(answer.exception, InputError) and "no phone reaches that" in str(answer.exception)


def test_the_code_in_a_terminal_is_the_one_on_the_page() -> None:
    """Drawn in blocks, two modules a line, and read again as a phone reads it."""
    text = "https://192.0.2.7:5443/phone?key=x3ZkQe0vQ1c9uY2b"
    rows = [[[block in "█▀", block in "█▄"] for block in line] for line in qr_text(text).splitlines()]
    light = np.array(rows, bool).transpose(0, 2, 1).reshape(-1, len(rows[0]))
    drawn = np.kron(np.pad(light, 4, constant_values=True), np.ones((8, 8))).astype(np.uint8) * 255
    assert cv2.QRCodeDetector().detectAndDecode(drawn)[0] == text
