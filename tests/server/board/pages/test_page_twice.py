"""Small things that people stumble over: a double click, an old alarm, a rating that is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from engine.match.acts import Press
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.events import Takeback
from server.board.live.notices import RefusedNotice
from server.board.live.wishes import DeclineDraw
from tests.server.script import OPENING
from tests.server.visitor import Page


@pytest.fixture
def page(page: Page) -> Page:
    page.open()
    for notation in OPENING:
        page.script.play(notation)
    return page


@pytest.mark.parametrize("asked", ["undo", "resign"])
def test_a_double_click_asks_for_one_thing(page: Page, asked: str) -> None:
    page.until("document.querySelectorAll('#moves .ply').length === 5")
    page.tap(f".moves [data-ask={asked}]")
    page.until("document.getElementById('ask').open")
    ActionChains(page.driver).double_click(page.one("#ask-do")).perform()
    page.wish()
    page.until("!document.getElementById('ask').open")
    page.tap("#turn-board")  # what was clicked before has been sent by now
    assert page.asked.empty()


def test_an_alarm_goes_when_something_newer_has_happened(page: Page) -> None:
    page.script.say([RefusedNotice(page.script.t, "not now")])
    page.until("document.getElementById('alarm').textContent === 'not now'")
    assert page.text("#refused") == "not now"
    page.script.say([Takeback(page.script.t, 1)])
    page.until("document.getElementById('announce').textContent.includes('taken back')")
    assert page.js("document.getElementById('alarm').textContent") == ""
    assert page.js("document.getElementById('refused').hidden")


def test_each_field_of_a_rating_says_whose_it_is_and_what_it_takes(page: Page) -> None:
    page.open(path="arbiter")
    page.tap(".acts [data-ask=details]")
    page.until("document.getElementById('ask').open")
    assert "Rating of White, if wanted" in page.text("#ask-fields")
    title = page.one("#ask-fields [name=rating-black]").get_attribute("title")
    assert title == "Rating of Black: a whole number from 1 to 9999"
    page.one("#ask-fields [name=rating-black]").send_keys("-5x")
    page.tap("#ask-do")
    assert page.js("document.querySelector('#ask-fields :invalid').name") == "rating-black"
    assert page.asked.empty()


def test_where_names_are_entered_later_is_said_beside_the_question(page: Page) -> None:
    assert "Players and event" in str(page.js("document.getElementById('who-plays').textContent"))


def test_held_clocks_are_started_and_an_offered_draw_is_answered(page: Page) -> None:
    """As the arbiter of a tournament has them."""
    parts = "document.getElementById('reason').textContent"
    match = with_clock(page.script.match, parse_control("5m+2s"), held=True)
    page.script.match = replace(match, clocks=match.clocks * len(match.positions))
    page.script.show()
    page.until(f"{parts}.includes('The clocks start with the first move')")
    page.tap("#reason [data-ask=press]")
    assert page.wish() == Press()
    shown = page.feed.newest_snapshot
    assert shown is not None
    page.feed.update_snapshot({**shown, "draw_offered_by": ["Cara"]}, page.script.match)
    page.until(f"{parts}.includes('Cara offers a draw')")
    page.tap("#reason [data-ask=decline-draw]")
    assert page.wish() == DeclineDraw(by="page")
    page.tap("#reason [data-ask=draw]")
    page.until("document.getElementById('ask').open")


def test_a_page_whose_scripts_did_not_come_is_loaded_again(page: Page) -> None:
    """The referee ended in the middle of it: the page is drawn and would do nothing."""
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    try:
        page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/static/js/clocks.js"]})
        page.driver.get(page.driver.current_url)
        page.until("document.readyState === 'complete'")
        assert page.js("document.body.dataset.ready") is None
    finally:
        page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        page.driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
    page.until("document.body.dataset.ready === 'yes'")
