"""The captions of a demonstration: they leave the board in sight, and their buttons are like no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium import webdriver

from server.board.pages.app import Running, create_app
from tests.server.served import serve_app
from tests.server.visitor import Page

LETTERS = """Math.max(...[...document.querySelectorAll("#board .labels text")]
  .map((text) => text.getBoundingClientRect().bottom))"""
SHOWN = """[...document.querySelectorAll("button")]
  .filter((button) => button.offsetParent).map((button) => button.textContent)"""


@pytest.fixture
def page(chromium: webdriver.Chrome) -> Iterator[Page]:
    page = Page(chromium)
    page.site.stop_server()
    page.app = create_app(page.feed, page.put, page.script.game, running=Running(explained=True))
    page.site = serve_app(page.app)
    tell_caption(page, "welcome")
    yield page
    page.close()


def tell_caption(page: Page, caption: str) -> None:
    page.feed.update_caption({"caption": caption, "paused": False, "step": 1, "of": 15, "over": caption == "result"})


@pytest.mark.parametrize("wide_high", [(1366, 768), (1280, 720), (1920, 1080)])
def test_the_caption_lies_below_the_letters_of_the_board(page: Page, wide_high: tuple[int, int]) -> None:
    page.open(wide_high)
    page.until("document.getElementById('film-caption').textContent.startsWith('The program is now')")
    assert page.js(f"{LETTERS} <= document.getElementById('film').getBoundingClientRect().top")


def test_no_two_buttons_have_one_name_and_the_last_caption_leads_to_the_analysis(page: Page) -> None:
    page.open()
    page.until("document.getElementById('film-caption').textContent.startsWith('The program is now')")
    names = page.js(SHOWN)
    assert isinstance(names, list)
    assert {"Pause the recording", "Skip ahead", "Pause"} <= set(names)
    assert len(set(names)) == len(names), names
    tell_caption(page, "result")
    page.until("document.getElementById('film-caption').textContent.includes('the analysis behind “Look at it”')")
