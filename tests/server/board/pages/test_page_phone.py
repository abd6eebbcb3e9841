"""The pages in the hand: nothing is cut off, the board is seen without scrolling, the menu and the acts are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin

import pytest
from selenium import webdriver

from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.events import Unclear
from engine.match.state import Phase
from server.record.store import open_record
from tests.examples import choose_rows
from tests.server.script import OPENING
from tests.server.visitor import PHONE, Page

SMALLEST, SMALL = (320, 640), (360, 740)
SMALLEST_BOARD = 224
"""Pixels from the first rank to the last, 14 a cell: pieces can be told apart."""
CLIPPED = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

BROKEN_WORDS = """(() => {
  const lines = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return new Set([...range.getClientRects()].map((place) => Math.round(place.top))).size;
  };
  return [...document.querySelectorAll(".moves > .actions button, .reason .actions button")]
    .filter((button) => button.offsetParent)
    .flatMap(({ firstChild: node }) => [...node.data.matchAll(/\\S+/g)]
      .filter((word) => lines(node, word.index, word.index + word[0].length) > 1).map(([word]) => word));
})()"""
"""The words that stand in more lines than one."""


@pytest.fixture
def page(chromium: webdriver.Chrome, tmp_path: Path) -> Iterator[Page]:
    with open_record(tmp_path / "r.sqlite3"):
        pass
    shown = Page(chromium, record=tmp_path / "r.sqlite3")
    shown.script.play("E6-C8")
    yield shown
    shown.close()


def test_no_page_is_wider_than_a_small_phone(page: Page) -> None:
    for path in ("", "arbiter", "spectator"):
        page.open(SMALL, path)
        assert not page.js(CLIPPED), path
    for path in ("games", "help", "settings", "nowhere"):
        page.driver.get(page.site.url + path)
        page.until("document.querySelector('header h1') !== null")
        assert not page.js(CLIPPED), path


def test_the_board_is_seen_without_scrolling_and_acts_are_at_the_bottom(page: Page) -> None:
    page.open(SMALL)
    bottom = page.js("document.getElementById('board').getBoundingClientRect().bottom")
    bar = page.js("document.querySelector('.moves > .actions').getBoundingClientRect().top")
    assert isinstance(bottom, int | float) and isinstance(bar, int | float)
    assert bottom < bar < SMALL[1]


@pytest.mark.parametrize("language", ["en", "de", "fr", "pt"])
def test_the_bar_of_acts_breaks_no_word_and_is_seen_whole(page: Page, language: str) -> None:
    page.open(PHONE, language=language)
    buttons = "[...document.querySelectorAll('.moves > .actions button')].filter((one) => one.checkVisibility())"
    cut = "one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1"
    low = "one.getBoundingClientRect().bottom > innerHeight || one.scrollHeight > one.clientHeight + 1"
    for wide_high in (SMALLEST, SMALL, PHONE):
        page.resize(wide_high)
        assert page.js(BROKEN_WORDS) == [], wide_high
        assert not page.js(CLIPPED), wide_high
        if wide_high != SMALLEST:
            assert page.js(f"{buttons}.length") == 9
            assert page.js(f"{buttons}.filter((one) => {cut} || {low}).map((one) => one.textContent)") == [], wide_high
    page.driver.delete_cookie("language")


@pytest.mark.parametrize(
    ("language", "timed"), choose_rows([(one, timed) for timed in (True, False) for one in ("en", "de", "fr", "pt")], 4)
)
def test_four_long_offers_hide_no_rank_of_the_board(chromium: webdriver.Chrome, language: str, timed: bool) -> None:
    page = Page(chromium)
    try:
        for notation in OPENING:
            page.script.play(notation)
        if timed:
            begun = with_clock(replace(page.script.match, clocks=()), parse_control("1h+30s"))
            page.script.match = replace(begun, clocks=begun.clocks[:1] * len(begun.positions))
        page.script.wrong()
        page.open(SMALL, language=language)
        page.until("document.querySelectorAll('.reason .chip').length === 4")
        for wide_high in (SMALL, PHONE):
            page.resize(wide_high)
            told = page.js("document.querySelector('.reason').getBoundingClientRect().bottom")
            bottom = page.js("document.getElementById('board').getBoundingClientRect().bottom")
            top = page.js("document.getElementById('board').getBoundingClientRect().top")
            bar = page.js("document.querySelector('.moves > .actions').getBoundingClientRect().top")
            assert isinstance(top, int | float) and isinstance(told, int | float) and isinstance(bottom, int | float)
            assert isinstance(bar, int | float)
            assert page.js(BROKEN_WORDS) == [] and not page.js(CLIPPED), wide_high
            assert told <= top < bottom <= bar < wide_high[1]
            assert bottom - top >= SMALLEST_BOARD
    finally:
        chromium.delete_all_cookies()
        page.close()


GAMES = ("camelot", "tri-camelot")
ASKED = ("wrong", "unclear", "partial", "wrongly_set_up", "time_lost")


@pytest.mark.parametrize(
    ("state", "game"), choose_rows([(one, GAMES[(n + turn) % 2]) for turn in (0, 1) for n, one in enumerate(ASKED)], 5)
)
def test_the_clocks_stay_in_sight_whatever_is_asked(chromium: webdriver.Chrome, state: str, game: str) -> None:
    """Time runs on while people read what is wrong."""
    page = Page(chromium, game)
    try:
        for notation in OPENING if game == "camelot" else ():
            page.script.play(notation)
        begun = with_clock(replace(page.script.match, clocks=()), parse_control("1h+30s"))
        page.script.match = replace(begun, clocks=begun.clocks[:1] * len(begun.positions))
        if state == "wrongly_set_up" or game == "camelot":
            getattr(page.script, state)()
        else:
            page.script.tell(Phase.UNCLEAR, Unclear(page.script.t, ("no move",)))
        page.script.details = {"players": dict.fromkeys(page.script.game.seats, "Wolfgang Amadeus Schmidt-Rottluff")}
        page.script.show()
        page.open(PHONE)
        for wide_high in (SMALL, PHONE):
            page.resize(wide_high)
            seen = "[...document.querySelectorAll('#sides .clock')].filter((one) => one.checkVisibility())"
            edge = "document.querySelector('.moves > .actions').getBoundingClientRect().top"
            within = f"(({{ right, bottom }}) => right <= innerWidth && bottom <= {edge})(one.getBoundingClientRect())"
            assert page.js(f"{seen}.filter((one) => {within}).length") == len(page.script.game.seats), wide_high
            assert not page.js(CLIPPED), wide_high
    finally:
        page.close()


def test_the_menu_is_a_button(page: Page) -> None:
    page.open(SMALL)
    assert not page.one("header nav").is_displayed()
    page.tap("header .menu")
    assert page.one("header nav").is_displayed()
    page.tap("header nav a[href='/games']")
    page.until("location.pathname === '/games'")


def test_the_header_is_as_high_on_every_page(page: Page) -> None:
    page.open()
    heights = set()
    for path in ("", "arbiter", "spectator", "games", "settings", "help"):
        page.driver.get(page.site.url + path)
        page.until("document.querySelector('header h1') !== null")
        heights.add(page.js("document.querySelector('header').getBoundingClientRect().height"))
    assert len(heights) == 1


def test_the_page_can_be_installed(page: Page) -> None:
    page.open()
    address = page.js("document.querySelector('link[rel=manifest]').href")
    manifest = page.driver.execute_async_script("fetch(arguments[0]).then((r) => r.json()).then(arguments[1])", address)
    assert (urljoin(address, manifest["start_url"]), manifest["display"]) == (page.site.url, "standalone")


def test_what_is_refused_comes_back_with_what_was_typed(page: Page) -> None:
    page.open()
    page.tap(".moves [data-ask=correct]")
    page.one("[name=notation]").send_keys("E6-E9")
    page.tap("#ask-do")
    page.wish()
    page.until("!document.getElementById('ask').open")
    page.feed.publish_event(
        {"t": 5.0, "event": "refused", "message": "correct: there is no such move", "wish": page.wishes[-1].name}
    )
    page.until("document.getElementById('ask').open")
    assert page.js("document.querySelector('[name=notation]').value") == "E6-E9"
    assert page.text("#ask-fault") == "correct: there is no such move"


@pytest.mark.parametrize("asked", ["wrongly_set_up", "put_up_again"])
@pytest.mark.parametrize("wide_high", [SMALL, PHONE])
def test_the_answers_to_a_question_are_above_the_bar(page: Page, wide_high: tuple[int, int], asked: str) -> None:
    page.open(wide_high)
    getattr(page.script, asked)()
    answers = "[...document.querySelectorAll('#reason button')]"
    page.until(f"{answers}.length > 0")
    lowest = page.js(f"Math.max(...{answers}.map((one) => one.getBoundingClientRect().bottom))")
    bar = page.js("document.querySelector('.moves > .actions').getBoundingClientRect().top")
    assert isinstance(lowest, int | float) and isinstance(bar, int | float)
    assert lowest <= bar
