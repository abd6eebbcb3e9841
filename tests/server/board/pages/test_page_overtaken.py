"""A question that is open while the game goes on: it keeps up with the board, or closes and says why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.support.ui import Select

from engine.match.acts import Correct
from server.board.live.notices import RefusedNotice
from tests.server.script import CHAIN, OPENING
from tests.server.visitor import Page

LATE = """void (window.fetch = ((real) => async (url, ...more) => {
  const answer = await real(url, ...more);
  const said = document.getElementById("ask-fault");
  while (url.endsWith("/correct") && !said.textContent) await new Promise((done) => setTimeout(done, 20));
  return answer;
})(window.fetch))"""
"""The answer to the request is held until what the referee says has come."""
OPEN = "document.getElementById('ask').open"


@pytest.fixture
def page(chromium: webdriver.Chrome) -> Iterator[Page]:
    shown = Page(chromium)
    shown.open()
    for notation in OPENING:
        shown.script.play(notation)
    shown.until(f"document.querySelectorAll('#moves .ply').length === {len(OPENING)}")
    yield shown
    shown.close()


def asks(page: Page, act: str) -> None:
    page.tap(f".moves [data-ask={act}]")
    page.until(OPEN)


def test_what_names_a_move_closes_when_another_was_made(page: Page) -> None:
    asks(page, "undo")
    page.script.play(CHAIN)
    page.until(f"!{OPEN}")
    assert page.text("#ask-closed") == f"Too late: {CHAIN} was played since. “Take back a move” was closed."
    assert page.asked.empty()
    asks(page, "undo")
    assert CHAIN in page.text("#ask-text")
    assert not page.one("#ask-closed").is_displayed()


def test_what_was_typed_stays_and_is_about_the_game_as_it_is_now(page: Page) -> None:
    asks(page, "correct")
    Select(page.one("#ask-fields [name=ply]")).select_by_value("2")
    page.one("#ask-fields [name=notation]").send_keys("J11-J9")
    page.script.play(CHAIN)
    page.until("document.getElementById('ask-fault').textContent.includes('look once more')")
    assert page.js("document.querySelector('#ask-fields [name=notation]').value") == "J11-J9"
    page.tap("#ask-do")
    assert page.wish() == Correct(2, "J11-J9", by="page")
    seen = page.wishes[-1].seen
    assert seen is not None
    assert seen.ply == len(OPENING) + 1
    page.until(f"!{OPEN}")


def test_a_question_about_a_board_that_is_as_it_should_be_closes(page: Page) -> None:
    page.script.wrong()
    page.until("document.querySelector('[data-ask=put-back]') !== null")
    page.tap("[data-ask=put-back]")
    page.until(OPEN)
    page.script.waiting()
    page.until(f"!{OPEN}")
    assert "“Put it back” was closed." in page.text("#ask-closed")


def test_names_are_asked_for_whatever_is_played(page: Page) -> None:
    page.open(path="arbiter")
    page.tap(".acts [data-ask=details]")
    page.until(OPEN)
    page.script.play(CHAIN)
    page.until(f"document.getElementById('status').dataset.at.startsWith('{len(OPENING) + 1} ')")
    assert page.js(OPEN)
    assert page.text("#ask-fault") == ""


def test_a_refusal_that_comes_before_the_answer_is_said_beside_what_was_typed(page: Page) -> None:
    """The referee judges at once, and its answer to the request may come after what it says."""
    asks(page, "correct")
    page.one("#ask-fields [name=notation]").send_keys("nonsense")
    page.js(LATE)
    page.tap("#ask-do")
    page.wish()
    page.script.say([RefusedNotice(page.script.t, "no such move", page.wishes[-1].name)])
    page.until("document.getElementById('ask-fault').textContent === 'no such move'")
    page.tap("#ask-cancel")  # it is there: what was answered has not closed it
    assert page.js("document.querySelector('#ask-fields [name=notation]').value") == "nonsense"


def test_one_move_keeps_up_and_closes_when_it_is_none_any_more(page: Page) -> None:
    page.tap("#moves [data-ply='5']")
    page.until("document.getElementById('one-ply').open")
    page.script.play(CHAIN)
    page.until("document.getElementById('one-ply-fault').textContent.includes('look once more')")
    page.tap("#one-ply-back")
    assert page.wish().plies == 2  # type: ignore[union-attr]  # the chain and this one
