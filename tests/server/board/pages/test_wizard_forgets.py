"""What the set-up page says holds for the picture that it was said of: another choice takes it back, and a long look is
said while it lasts."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import cv2
import pytest
from selenium import webdriver

from server.board.pages.phone_page import PhoneAddress, PhoneLinks, create_phone_offer_routes
from server.board.pages.wizard import Wizard, create_wizard
from server.board.setup.diagnosis import Cause, Diagnosis
from tests.bench.wrong_setups import plain
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.server.served import serve_app

CHOICES = {
    "another camera": "document.querySelector('#cameras [value=\"phone:\"]').click()",
    "another game": "document.querySelector('#boards [value=chivalry]').click()",
    "another moment": "film_at = document.getElementById('film-at'); film_at.value = '2';"
    "film_at.dispatchEvent(new Event('input', {bubbles: true}));"
    "film_at.dispatchEvent(new Event('change', {bubbles: true}))",
}
SAID = "[...document.querySelectorAll('#pieces-told, #start-fault')].map((place) => place.textContent).join('')"


@pytest.mark.parametrize("choice", CHOICES)
def test_that_every_piece_stands_is_taken_back_with_the_picture(
    chromium: webdriver.Chrome, film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    until, held = partial(await_script, chromium), threading.Event()
    wizard = Wizard(tmp_path / "board.toml", 8, str(film))
    site = serve_app(create_wizard(wizard))

    def seek_later(t: float, *, same_place: bool = False) -> None:
        held.wait(PATIENCE_S)

    try:
        size(chromium, 1280, 900)
        chromium.get(site.url)
        until("document.body.dataset.ready === 'yes'")
        chromium.execute_script("document.querySelector('#step-camera button').click()")
        until("document.getElementById('fit-told').classList.contains('good')")
        chromium.execute_script("document.getElementById('keep').click()")
        until("document.getElementById('pieces-told').classList.contains('good')")
        monkeypatch.setattr(wizard, "seek_recording", seek_later)
        chromium.execute_script(CHOICES[choice])
        until("document.getElementById('step-start').disabled && document.getElementById('step-pieces').disabled")
        assert chromium.execute_script(f"return {SAID}") == ""
        assert chromium.execute_script("return document.querySelectorAll('.fit.good').length") == 0
        assert chromium.execute_script("return document.getElementById('keep').disabled")
    finally:
        held.set()
        chromium.get("about:blank")
        site.stop_server()
        wizard.release_camera()


def test_what_is_known_is_said_while_it_is_found_out_why(
    chromium: webdriver.Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That takes seconds on an empty board: the page says how many, and is not silent."""
    until, over = partial(await_script, chromium), threading.Event()
    picture = plain(7)
    picture[:, : picture.shape[1] // 2] = 90
    cv2.imwrite(str(tmp_path / "camera.png"), picture)

    def diagnose_slowly(*_: object) -> Diagnosis:
        over.wait(PATIENCE_S)
        return Diagnosis(Cause.EMPTY)

    monkeypatch.setattr("server.board.setup.find.diagnose_place", diagnose_slowly)
    wizard = Wizard(tmp_path / "board.toml", 8, str(tmp_path / "camera.png"))
    site = serve_app(create_wizard(wizard))
    try:
        chromium.get(site.url)
        until("document.body.dataset.ready === 'yes'")
        chromium.execute_script("document.querySelector('#step-camera button').click()")
        for seconds in (0, 2):
            said = f"Not sure yet where the board is (looking closer: {seconds} s)"
            until(f"document.getElementById('fit-told').textContent === '{said}'")
        over.set()
        until("document.getElementById('fit-told').textContent.startsWith('The board is empty')")
    finally:
        over.set()
        chromium.get("about:blank")
        site.stop_server()
        wizard.release_camera()


def test_a_place_in_another_picture_is_not_kept(film: Path, tmp_path: Path) -> None:
    """It was looked for while another camera was chosen."""
    client = create_wizard(Wizard(tmp_path / "board.toml", 8, "", film.parent)).test_client()
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(film)}
    client.post("/api/v1/wizard/camera", json=chosen)
    number = client.post("/api/v1/setup/find", json={}).get_json()["number"]
    client.post("/api/v1/wizard/camera", json=chosen)
    answer = client.post("/api/v1/setup/save", json={"number": number})
    assert (answer.status_code, "another picture has been chosen since" in answer.get_json()["detail"]) == (409, True)


def test_a_phone_that_is_gone_is_said_to_be_gone(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    until, told = partial(await_script, chromium), "document.getElementById('phone-told').textContent"
    wizard = Wizard(tmp_path / "board.toml", 8, "")
    links = PhoneLinks(wizard.phone, PhoneAddress(tmp_path, 65535, "127.0.0.1"))
    app = create_wizard(wizard)
    app.register_blueprint(create_phone_offer_routes(links))
    site, picture = serve_app(app), cv2.imencode(".jpg", plain(7))[1].tobytes()

    def send_until(says: str) -> None:
        while says not in str(chromium.execute_script(f"return {told}")):
            wizard.phone.put_picture("mine", picture)

    try:
        chromium.get(site.url)
        until("document.body.dataset.ready === 'yes'")
        chromium.execute_script(CHOICES["another camera"])
        send_until("The phone sends its picture.")
        until(f"{told}.includes('no pictures come')")
        send_until("The phone sends its picture.")
    finally:
        chromium.get("about:blank")
        site.stop_server()
        links.close_link()
        wizard.phone.end_frames()
        wizard.release_camera()
