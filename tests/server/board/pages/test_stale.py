"""Pages that know when they are old: half-open connections, restarts, lost networks, sleep, and twenty tabs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from selenium import webdriver

from tests.examples import choose_rows
from tests.patience import PATIENCE_S
from tests.server.visitor import Page
from tests.swallowing import AWAY_S, Swallowing

STALE = "document.body.hasAttribute('data-stale') && !document.getElementById('offline').hidden"
FRESH = "!document.body.hasAttribute('data-stale') && document.getElementById('offline').hidden"
LIVE = {"play": "", "arbiter": "arbiter", "spectator": "spectator", "overlay": "overlay", "embed": "embed"}
LISTED = "document.getElementById('moves')?.textContent"


@pytest.fixture
def between(page: Page) -> Iterator[Swallowing]:
    proxy = Swallowing(urlsplit(page.site.url).port or 0)
    yield proxy
    page.driver.get("about:blank")
    proxy.close()


def at(page: Page, ply: int) -> str:
    return f"document.getElementById('status').dataset.at === '{ply} {page.script.state}'"


@pytest.mark.parametrize(
    ("where", "dead"), choose_rows([(where, (n + turn) % 2 == 1) for turn in (0, 1) for n, where in enumerate(LIVE)], 5)
)
def test_a_half_open_connection_is_said_and_caught_up_with(
    page: Page, between: Swallowing, where: str, dead: bool
) -> None:
    """Each page once, by turns with a line that only swallows and one that is `dead` by then; `make soak` has both."""
    page.driver.get(between.url + LIVE[where])
    page.until("document.body.dataset.ready === 'yes'")
    page.script.play("E6-E5")
    page.until(at(page, 1))
    between.swallows = True
    begun = time.monotonic()
    page.until(STALE)
    print(f"{where}: said after {time.monotonic() - begun:.1f} s", end=", ")
    page.script.play("F10-F9")
    time.sleep(AWAY_S)
    assert page.js(STALE)
    if dead:
        between.forget()
    between.swallows = False
    begun = time.monotonic()
    page.until(FRESH)
    assert page.js(at(page, 2)), "what is shown as live is old"
    listed = page.js(LISTED)
    assert listed is None or [str(listed).count(move) for move in ("E6-E5", "F10-F9")] == [1, 1]
    print(f"caught up after {time.monotonic() - begun:.1f} s")


@pytest.mark.parametrize("where", LIVE)
def test_a_service_that_was_restarted_is_found_again(page: Page, between: Swallowing, where: str) -> None:
    page.driver.get(between.url + LIVE[where])
    page.until("document.body.dataset.ready === 'yes'")
    page.script.play("E6-E5")
    page.until(at(page, 1))
    page.site.stop_server()
    begun = time.monotonic()
    page.until(STALE)
    print(f"{where}: said after {time.monotonic() - begun:.1f} s", end=", ")
    page.script.play("F10-F9")
    page.reopen()
    begun = time.monotonic()
    page.until(FRESH)
    page.until(at(page, 2))
    print(f"caught up after {time.monotonic() - begun:.1f} s")


def test_twenty_tabs_share_one_stream(page: Page, chromium: webdriver.Chrome) -> None:
    page.open()
    first = chromium.current_window_handle
    tabs = [first]
    try:
        for _ in range(19):
            chromium.switch_to.new_window("tab")
            tabs.append(chromium.current_window_handle)
            begun = time.monotonic()
            chromium.get(page.site.url)
            page.until("document.body.dataset.ready === 'yes'")
            assert time.monotonic() - begun < PATIENCE_S
        page.script.play("E6-E5")
        began = time.monotonic()
        for tab in tabs:
            chromium.switch_to.window(tab)
            page.until(at(page, 1))
        print(f"20 tabs: all at the ply after {time.monotonic() - began:.1f} s")
        assert (
            page.app.extensions["streams"].listeners.taken_count <= 2
        )  # of a tab that was closed before, one may linger
    finally:
        for tab in tabs[1:]:
            chromium.switch_to.window(tab)
            chromium.close()
        chromium.switch_to.window(first)
