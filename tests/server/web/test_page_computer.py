"""The computer's move on the page: what to do on the board, and what was done instead."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium import webdriver

from server.live.opponents import SetComputer
from tests.server.visitor import Page

ADVICE: dict[str, object] = {"side": "white", "move": "E6-C8", "played": "", "trouble": ""}


@pytest.fixture
def page(chromium: webdriver.Chrome) -> Iterator[Page]:
    shown = Page(chromium)
    yield shown
    shown.close()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "The computer plays E6-C8 for White. Make this move on the board."),
        ({"played": "E6-E7"}, "The computer wanted E6-C8, and E6-E7 was made. Take it back, or go on."),
        ({"move": "", "trouble": "it ended"}, "The computer has no move: it ended"),
    ],
)
def test_what_the_computer_wants_is_a_sentence(page: Page, more: dict[str, object], said: str) -> None:
    page.open()
    page.driver.get_log("browser")  # what pages before this one left there
    page.script.advice = ADVICE | more
    page.script.show()
    page.until(f"document.querySelector('#reason .say')?.textContent === {said!r}")
    assert not page.js("document.getElementById('reason').hidden")
    assert page.driver.get_log("browser") == []


def test_who_plays_a_side_is_chosen_on_the_page(page: Page) -> None:
    page.open()
    page.tap(".moves [data-ask=opponent]")
    page.tap("#ask-fields [name=side] [value=black]")
    page.tap("#ask-fields [name=level] [value='7']")
    page.tap("#ask-do")
    assert page.wish() == SetComputer("black", 7, by="page")
    page.until("!document.getElementById('ask').open")
    page.tap(".moves [data-ask=opponent]")
    page.tap("#ask-fields [name=level] [value='']")
    page.tap("#ask-do")
    assert page.wish() == SetComputer("black", None, by="page")


def test_in_a_tournament_no_computer_is_offered(page: Page) -> None:
    page.open()
    shown = "document.querySelector('.moves [data-ask=opponent]').checkVisibility()"
    page.until(shown)
    page.script.mode = "tournament"
    page.script.show()
    page.until(f"!({shown})")
