"""Logging in, playing and logging out in a real browser; and streams of somebody who may no longer come in."""

from __future__ import annotations

import queue
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from engine.match.acts import Undo
from server.board.live.wishes import Wish
from server.board.pages.app import create_app
from server.board.pages.changes import PageRequest
from server.web import streams
from server.web.access.accounts import Accounts, Door, add_key, create_account, read_accounts, write_accounts
from server.web.access.visitors import Visitors
from server.web.site import Site
from tests.browser import size
from tests.patience import PATIENCE_S
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

NAME, PASSWORD = "<script>alert(1)</script>", "correct horse"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_accounts(tmp_path / "accounts.json", Accounts().with_account(create_account(NAME, "arbiter", PASSWORD)))
    return tmp_path / "accounts.json"


@pytest.fixture
def site(file: Path, script: Script, inbox: queue.SimpleQueue[PageRequest | Wish]) -> Iterator[Site]:
    site = serve_app(create_app(script.feed, inbox.put, script.game, visitors=Visitors(door=Door(file))))
    yield site
    script.feed.end_listeners()
    site.stop_server()


def test_a_visit_in_the_browser(
    site: Site, script: Script, inbox: queue.SimpleQueue[PageRequest | Wish], driver: Chrome
) -> None:
    script.play(OPENING[0])
    wait = WebDriverWait(driver, PATIENCE_S, 0.05)
    size(driver, 1280, 900)
    driver.get(site.url)
    assert driver.current_url == f"{site.url}login?next=/"
    driver.find_element(By.NAME, "name").send_keys(NAME)
    for password in ("wrong guess", PASSWORD):
        field = driver.find_element(By.NAME, "password")
        field.clear()
        field.send_keys(password)
        driver.find_element(By.CSS_SELECTOR, "#login button").click()
        if password != PASSWORD:
            wait.until(lambda _: driver.find_element(By.ID, "fault").text.lower() == "name or password is wrong")
    wait.until(lambda _: driver.current_url == site.url)
    wait.until(lambda _: driver.execute_script("return document.body.dataset.ready === 'yes'"))
    assert NAME in str(driver.find_element(By.ID, "log-out").get_attribute("title")), "shown as text, not run"
    assert driver.execute_script("return document.cookie").startswith("csrf="), "the visit itself is not for scripts"
    driver.find_element(By.CSS_SELECTOR, "[data-ask=undo]").click()
    driver.find_element(By.ID, "ask-do").click()
    asked = inbox.get(timeout=PATIENCE_S)
    assert isinstance(asked, Wish)
    assert isinstance(asked.asked, Undo)
    wait.until(lambda _: not driver.find_element(By.ID, "ask").is_displayed())
    driver.execute_script("document.getElementById('log-out').click()")
    wait.until(lambda _: driver.current_url == f"{site.url}login")
    driver.get(f"{site.url}arbiter")
    assert driver.current_url == f"{site.url}login?next=/arbiter"


def test_a_stream_ends_when_its_account_does(file: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STREAM_HEARTBEAT_S", 0.05)
    account, key = add_key(read_accounts(file).by_name[NAME])
    write_accounts(file, read_accounts(file).with_account(account))
    headers = {"Authorization": f"Bearer {key}"}
    ask = urllib.request.Request(f"{site.url}api/v1/events", headers=headers)  # noqa: S310  # our own address
    with urllib.request.urlopen(ask, timeout=PATIENCE_S) as stream:  # noqa: S310  # our own address
        assert [stream.readline() for _ in range(2)] == [b": connected\n", b"\n"]
        write_accounts(file, read_accounts(file).without_account(NAME))
        assert set(stream) <= {b": alive\n", b"\n"}, "it ends"
