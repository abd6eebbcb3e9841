"""What many tests of the service need: a game that plays itself, where wishes arrive, and one browser for all pages."""

from __future__ import annotations

import queue
from collections.abc import Iterator

import pytest
from selenium import webdriver

from engine.match.acts import Act
from server.web.feed import Feed
from tests.browser import browser, size
from tests.server.script import Script


@pytest.fixture
def script() -> Script:
    return Script(Feed())


@pytest.fixture
def inbox() -> queue.SimpleQueue[Act]:
    return queue.SimpleQueue()


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    """Starting it takes longer than most of the tests."""
    with browser() as driver:
        yield driver


@pytest.fixture
def driver(chromium: webdriver.Chrome) -> Iterator[webdriver.Chrome]:
    """That browser as if nobody had used it."""
    if chromium.current_url != "about:blank":
        chromium.get("about:blank")
    chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})
    chromium.get_log("browser")
    size(chromium, 1280, 900)
    yield chromium
    chromium.switch_to.default_content()
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})
