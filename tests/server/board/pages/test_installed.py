"""The page as an app: what a browser needs to install it, and what it shows while the referee does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from selenium import webdriver

from server.board.pages.app import create_app
from server.web.access.accounts import Accounts, Door, write_accounts
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from tests.server.script import Script
from tests.server.visitor import Page

CONTROLLED = "navigator.serviceWorker.controller !== null"


def test_a_browser_may_install_it(chromium: webdriver.Chrome) -> None:
    page = Page(chromium)
    page.open()
    page.until(CONTROLLED)
    assert chromium.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"] == []
    page.close()


@pytest.mark.parametrize("path", ["", "games"])
def test_without_an_answer_a_page_says_so_and_comes_back_by_itself(chromium: webdriver.Chrome, path: str) -> None:
    page = Page(chromium)
    page.open()
    page.until(CONTROLLED)
    page.site.stop_server()
    chromium.get(page.site.url + path)
    assert page.text("h1") == "No answer"
    assert page.text("h2") == "The referee does not answer."
    assert page.js("getComputedStyle(document.querySelector('#again')).backgroundColor") == "rgb(47, 93, 80)"
    page.reopen()
    page.until("document.querySelector('nav') !== null")
    assert page.js("location.pathname") == f"/{path}"
    page.close()


def test_nothing_of_a_game_is_kept(chromium: webdriver.Chrome) -> None:
    page = Page(chromium)
    page.open()
    page.until(CONTROLLED)
    kept = chromium.execute_async_script(
        "const done = arguments[0];"
        "caches.open('offline').then((c) => c.keys()).then((all) => done(all.map((r) => new URL(r.url).pathname)))"
    )
    drawn = {f"/static/{name}" for name in ("page.css", "paper.css", "icon.svg", "js/offline.js", "js/root.js")}
    assert set(kept) == {"/offline", *drawn}
    page.close()


@pytest.fixture
def guarded(tmp_path: Path) -> FlaskClient:
    write_accounts(tmp_path / "accounts.json", Accounts())
    script = Script(Feed())
    return create_app(
        script.feed, print, script.game, visitors=Visitors(door=Door(tmp_path / "accounts.json"))
    ).test_client()


def test_what_is_kept_says_nothing_that_needs_an_account(guarded: FlaskClient) -> None:
    with guarded.get("/worker.js") as worker:
        assert worker.mimetype == "text/javascript"
    assert "/arbiter" not in guarded.get("/offline").text
