"""What many tests of the service need: a game that plays itself, where wishes arrive, and one browser for all pages."""

from __future__ import annotations

import queue
from collections.abc import Iterator

import pytest
from selenium import webdriver

from engine.match.acts import Act
from server.web.feed import Feed
from tests.browser import browser
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
