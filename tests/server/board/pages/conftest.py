"""What several tests of the pages are given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.server.bundled import cut_film
from tests.server.visitor import Page


@pytest.fixture
def page(chromium: Chrome) -> Iterator[Page]:
    """A game that nobody has played in yet, on its page."""
    page = Page(chromium)
    yield page
    page.close()


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled game from where the pieces have been set up: its first picture shows an empty board."""
    return cut_film(tmp_path_factory.mktemp("film"), first=1)
