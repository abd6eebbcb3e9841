"""The set-up page loaded anew goes on where it was: the camera that was chosen, the board that was found."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from selenium import webdriver

from server.board.pages.wizard import Wizard, create_wizard
from tests.browser import await_script, size
from tests.server.board.pages.test_page_wizard import film as film  # noqa: PLC0414  # the fixture
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
        assert wizard.done.is_set()
    finally:
        site.stop_server()
        wizard.release_camera()
