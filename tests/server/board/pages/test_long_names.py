"""Names of 80 letters without a space, as long as they may be: no page is wider than its window, nothing is cut off."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium import webdriver

from engine.match.events import Moved
from server.record.details import LONGEST_DETAIL, Details
from server.record.journal import Journal
from server.record.store import open_record
from tests.server.script import NAME, OPENING
from tests.server.visitor import Page

WINDOWS = [(393, 852), (700, 900), (1280, 900)]
PAGES = ["", "arbiter", "spectator", "games", f"games/{NAME}", "settings", "help", "setup"]
LONG = Details(
    **dict.fromkeys(("event", "round", "place", "arbiter"), "W" * LONGEST_DETAIL),
    players=(("white", "M" * LONGEST_DETAIL), ("black", "Q" * LONGEST_DETAIL)),
    ratings=(("white", "1720"),),
)
TOO_WIDE = """((width) => {
  const scrolls = (one) => one && one !== document.body
    && (getComputedStyle(one).overflowX !== 'visible' || scrolls(one.parentElement));
  const outside = (box) => box.width > 0 && box.right > width + 1;
  const out = [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && !one.closest('svg')
    && !scrolls(one) && outside(one.getBoundingClientRect()));
  const page = document.documentElement.scrollWidth;
  const shown = out.slice(0, 4).map((one) => one.outerHTML.slice(0, 60));
  return page > width ? [`page: ${page}`, ...shown] : shown;
})"""


@pytest.fixture(scope="module")
def page(chromium: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Page:
    record = tmp_path_factory.mktemp("long") / "games.sqlite3"
    return recorded(Page(chromium, record=record), record)


def recorded(page: Page, file: Path) -> Page:
    page.script.details = LONG.to_json()
    with open_record(file) as record:
        journal = Journal(record, NAME)
        journal.begin_game(page.script.match, "2026-11-25T20:00:00")
        journal.write_note(LONG.to_event(0.0, "page"))
        for notation in OPENING:
            page.script.play(notation)
        journal.write_events(told for told in page.script.told if isinstance(told, Moved))
    return page


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_wider_than_its_window(page: Page, path: str) -> None:
    page.open(WINDOWS[0], path)
    for window in WINDOWS:
        page.resize(window)
        assert page.js(f"{TOO_WIDE}({window[0]})") == [], window


@pytest.mark.parametrize("asked", ["details", "resign", "correct", "opponent"])
def test_no_dialog_is_wider_than_its_window(page: Page, asked: str) -> None:
    page.open(WINDOWS[0], "arbiter" if asked in {"details", "correct"} else "")
    for window in WINDOWS:
        page.resize(window)
        page.js(f"document.querySelector('[data-ask={asked}]').click()")
        page.until("document.getElementById('ask').open")
        assert page.js(f"{TOO_WIDE}({window[0]})") == [], window
        assert page.js("(() => { const d = document.getElementById('ask'); return d.scrollWidth <= d.clientWidth; })()")
        page.js("document.getElementById('ask').close()")


def test_the_list_of_games_on_a_phone_breaks_no_short_word(page: Page) -> None:
    page.open(WINDOWS[0], "games")
    name = "document.querySelector('.games tbody th a')"
    lines = f"((range) => (range.selectNodeContents({name}), range.getClientRects().length))(document.createRange())"
    assert page.js(lines) == 1
    cells = "[...document.querySelectorAll('.games tbody :is(th, td)')].filter((one) => one.checkVisibility())"
    widths = page.js(f"{cells}.map((one) => one.getBoundingClientRect().width)")
    assert isinstance(widths, list) and min(widths) > 70
