"""The set-up page loaded anew goes on where it was: the camera that was chosen, the board that was found."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from server.board.pages.wizard import Wizard, create_wizard
from server.board.setup.diagnosis import Cause, Diagnosis
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.server.served import serve_app

STANDS = "document.getElementById('pieces-told').classList.contains('good')"


def test_a_reload_keeps_the_camera_and_the_board(chromium: webdriver.Chrome, film: Path, tmp_path: Path) -> None:
    until = partial(await_script, chromium)

    def tap(selector: str) -> None:
        chromium.execute_script("document.querySelector(arguments[0]).click()", selector)

    wizard = Wizard(tmp_path / "board.toml", 8, str(film))
    site = serve_app(create_wizard(wizard))
    try:
        size(chromium, 1280, 900)
        chromium.get(site.url)
        until("document.body.dataset.ready === 'yes'")
        chromium.execute_script("document.querySelector('.offer:not([hidden]) [value=brainking]').click()")
        tap("#step-camera button")
        until("!document.getElementById('keep').disabled")
        chromium.refresh()
        until("document.getElementById('fit-told').classList.contains('good')")
        tap("#keep")
        until(STANDS)
        chromium.refresh()
        until(STANDS)
        assert chromium.execute_script("return document.getElementById('source').value") == str(film)
        assert chromium.execute_script("return document.querySelector('#rules :checked').value") == "brainking"
        tap("#start")
        until("document.getElementById('start-fault').textContent !== ''")
        assert wizard.done.wait(PATIENCE_S)
    finally:
        site.stop_server()
        wizard.release_camera()


LATER, BEGINS = "The game begins as soon as the pieces are seen to stand.", "The game begins …"
NOT_YET = "The pieces are not seen in place yet: see step 3, or start anyway."


@pytest.mark.parametrize("stands", [True, False])
def test_a_click_on_start_is_answered_whatever_the_referee_is_at(
    chromium: webdriver.Chrome, film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stands: bool
) -> None:
    """On a busy machine it was lost while the pieces were looked at, and again just after the page was loaded anew."""
    wizard, looked, begun = Wizard(tmp_path / "board.toml", 8, str(film)), threading.Event(), threading.Event()
    site, until = serve_app(create_wizard(wizard)), partial(await_script, chromium)

    def tap(selector: str) -> None:
        until(f"document.querySelector('{selector}').matches(':enabled')")
        chromium.find_element(By.CSS_SELECTOR, selector).click()

    def diagnose_slowly(*_: object) -> Diagnosis:
        assert looked.wait(PATIENCE_S)
        return Diagnosis(Cause.READY) if stands else Diagnosis(Cause.PIECES, ("H11",))

    def start_slowly(*given: object, **more: object) -> None:
        assert begun.wait(PATIENCE_S)
        Wizard.start_game(wizard, *given, **more)  # type: ignore[arg-type]

    def told(text: str) -> None:
        until(f"document.getElementById('start-fault').textContent === '{text}'")

    monkeypatch.setattr("server.board.pages.wizard.diagnose_start", diagnose_slowly)
    monkeypatch.setattr(wizard, "start_game", start_slowly)
    try:
        size(chromium, 1280, 900)
        chromium.get(site.url)
        until("document.body.dataset.ready === 'yes'")
        tap("#step-camera button.main")
        tap("#keep")
        until("document.getElementById('pieces-told').textContent === 'Looking …'")
        tap("#start")
        told(LATER)
        chromium.refresh()
        until("document.getElementById('pieces-told').textContent === 'Looking …'")
        tap("#start")
        told(LATER)
        looked.set()
        if not stands:
            told(NOT_YET)
            tap("#start")
        told(BEGINS)
        assert not wizard.done.is_set()
        begun.set()
        assert wizard.done.wait(PATIENCE_S)
    finally:
        looked.set()
        begun.set()
        chromium.get("about:blank")
        site.stop_server()
        wizard.release_camera()
