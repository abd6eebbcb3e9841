"""What a newcomer meets: an end that says what comes next, wrong addresses, cameras to choose from."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from selenium import webdriver

from server.board.pages.app import create_app
from server.board.pages.wizard import Wizard, create_wizard
from server.board.setup.devices import VideoDevice
from server.board.setup.thumbnails import Thumbnails
from server.web.feed import Feed
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.bundled import SESSION, cut_film
from tests.server.script import Script

SHORT = 4
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"}


@pytest.fixture
def client() -> FlaskClient:
    script = Script(Feed())
    return create_app(script.feed, lambda _: None, script.game).test_client()


@pytest.fixture
def wizard(tmp_path: Path) -> FlaskClient:
    shutil.copy(next(SESSION.glob("*.jpg")), tmp_path / "video4.jpg")
    looks_like = tmp_path / "video4.jpg"
    cameras = [VideoDevice(4, looks_like, "Document camera", True), VideoDevice(5, tmp_path / "video5", "Gone", True)]
    return create_wizard(
        Wizard(tmp_path / "board.toml", 8, "", SESSION.parent), Thumbnails(lambda: cameras)
    ).test_client()


def short(folder: Path) -> Path:
    """The bundled recording as far as its start position: it is over soon."""
    return cut_film(folder / "film", end=SHORT)


def test_a_recording_that_is_over_offers_what_comes_next(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    own = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    film = ["--profile", str(SESSION / "profile.toml"), "--camera", str(short(tmp_path)), "--new", "--port", "0"]

    until = partial(await_script, chromium)

    ended = "document.getElementById('unseen')?.dataset.cause === 'recording-ended'"
    with started(
        [sys.executable, "-u", "-m", "server", "serve", *film], env=own, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+/", process.stdout.readline())
            assert found
            size(chromium, 1280, 900)
            chromium.get(found[0])
            until(ended)
            chromium.get(found[0] + "games")
            until(ended)
            chromium.execute_script("document.querySelector('#unseen button').click()")
            until("location.pathname === '/' && document.getElementById('unseen') !== null")
            until(ended)
            assert (
                chromium.execute_async_script(
                    "fetch('/api/v1/game').then((r) => r.json()).then((g) => arguments[0](g.name))"
                )
                == "camelot-0002"
            )
            chromium.execute_script("document.querySelectorAll('#unseen button')[1].click()")
            until("location.pathname === '/own-board/' && document.body.dataset.ready === 'yes'")
            pages = {"games": "camelot-0002", "games/camelot-0001": "Save as", "spectator": "The recording is over"}
            for page, shown in pages.items():
                chromium.get(found[0] + page)
                until(f"document.body.textContent.includes('{shown}')")
            chromium.get(found[0])
            until(ended)
            chromium.execute_script("document.querySelectorAll('#unseen button')[1].click()")
            until("location.pathname === '/own-board/' && document.body.dataset.ready === 'yes'")
            links = chromium.execute_script("return [...document.querySelectorAll('nav a')].map((one) => one.pathname)")
            assert links == ["/", "/spectator", "/games", "/settings", "/help"]
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == 0
            assert process.stdout.read().count("The recording is over: play it again, or set up your own board") == 2
        finally:
            process.kill()


def test_a_camera_makes_way_for_nothing(client: FlaskClient) -> None:
    assert client.post("/api/v1/onward", json={"what": "again"}).status_code == 409
    assert client.post("/api/v1/onward", json={"what": "elsewhere"}).status_code == 422


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "There is nothing at this address."),
        ("de", "Unter dieser Adresse ist nichts."),
        ("fr", "Il n&#39;y a rien à cette adresse."),
        ("pt", "Não há nada neste endereço."),
    ],
)
def test_a_wrong_address_is_a_page_with_the_menu_for_people(client: FlaskClient, language: str, said: str) -> None:
    answer = client.get("/nowhere", headers=BROWSER | {"Accept-Language": language})
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert said in answer.text and 'href="/games"' in answer.text


def test_programs_keep_their_problems(client: FlaskClient) -> None:
    for path, headers in (("/nowhere", {"Accept": "*/*"}), ("/api/v1/nowhere", BROWSER)):
        answer = client.get(path, headers=headers)
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_the_wizard_has_settings_a_mark_and_pages_for_errors(wizard: FlaskClient) -> None:
    assert wizard.get("/settings").status_code == 200
    with wizard.get("/favicon.ico") as icon:
        assert icon.mimetype == "image/svg+xml"
    answer = wizard.get("/games", headers=BROWSER)
    assert (answer.status_code, answer.mimetype) == (404, "text/html")


def test_what_clubs_play_is_offered_first(wizard: FlaskClient) -> None:
    offered = re.findall(r'data-game="camelot"><input type="radio" name="rules" value="(\w+)"', wizard.get("/").text)
    assert offered == ["wcf", "brainking"]


def test_cameras_found_show_their_picture_and_others_none(wizard: FlaskClient) -> None:
    assert "Document camera" in wizard.get("/").text
    picture = wizard.get("/api/v1/wizard/cameras/4.jpg")
    assert (picture.status_code, picture.data[:2]) == (200, b"\xff\xd8")
    for number in (5, 6):
        assert wizard.get(f"/api/v1/wizard/cameras/{number}.jpg").status_code == 204


def test_an_empty_board_is_called_empty(wizard: FlaskClient) -> None:
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(SESSION)}
    assert wizard.post("/api/v1/wizard/camera", json=chosen).status_code == 200
    found = wizard.post("/api/v1/setup/find", json={}).get_json()
    assert wizard.post("/api/v1/setup/save", json={"number": found["number"], "force": True}).status_code == 200
    answer = wizard.post("/api/v1/wizard/pieces", json={}).get_json()
    assert (answer["cause"], answer["live"]) == ("empty", False)
    start = {"port": "", "protocol": "adalight"}
    assert wizard.post("/api/v1/wizard/start", json=start).status_code == 409
    assert wizard.post("/api/v1/wizard/start", json=start | {"anyhow": True}).status_code == 200
