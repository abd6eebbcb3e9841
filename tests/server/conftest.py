"""One browser for all tests of the pages: starting it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium import webdriver

from tests.browser import browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    with browser() as driver:
        yield driver
