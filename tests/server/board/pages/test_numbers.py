"""Numbers and spans as who reads the page writes them, on the server's side and on that of the scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from engine.games import load
from engine.match.clock import format_time
from engine.match.events import TimeLost
from engine.match.state import Phase
from server.board.pages.app import create_app
from server.languages import load_languages
from server.web.feed import Feed
from tests.server.past import NAME, fill
from tests.server.script import OPENING
from tests.server.visitor import Page

UP_TO = {"en": "up to 4.2 s", "de": "bis 4,2 s", "fr": "jusqu'à 4,2 s", "pt": "até 4,2 s"}
CALLED = (
    "const done = arguments[arguments.length - 1]; const base = document.querySelector('script[type=module]').src;"
    "Promise.all(['clocks', 'say'].map((name) => import(base.replace(/[^/]*$/, `${name}.js`))))"
    ".then(([clocks, said]) => done([clocks.written(7.2), clocks.formatSpan(7.2), clocks.formatSpan(3671),"
    " said.decimal(99.83, 1), said.say('{percent}', { percent: 1.25 }), said.say('{percent}', { percent: 12 })]))"
)


@pytest.fixture
def page(chromium: webdriver.Chrome) -> Iterator[Page]:
    shown = Page(chromium)
    yield shown
    chromium.delete_all_cookies()
    shown.close()


@pytest.mark.parametrize("code", UP_TO)
def test_the_charts_of_a_game_have_the_decimal_sign_of_the_language(tmp_path: Path, code: str) -> None:
    fill(tmp_path / "games.sqlite3")
    app = create_app(Feed(), print, load("camelot", "wcf"), record=tmp_path / "games.sqlite3")
    with app.test_client() as client:
        client.set_cookie("language", code)
        shown = client.get(f"/games/{NAME}").text.replace("&#39;", "'")
    sign = UP_TO[code][-4]
    assert UP_TO[code] in shown and f"1. 4{sign}2 s</title>" in shown
    language = load_languages()[code]
    assert language.write_number(1.5, 2) == f"1{sign}50"
    assert language.translate_text("{seconds} s", seconds=7.6) == f"7{sign}6 s"


@pytest.mark.parametrize("code", ["en", "de", "fr", "pt"])
def test_scripts_write_numbers_and_spans_as_the_server_does(page: Page, code: str) -> None:
    page.open(language=code)
    sign = load_languages()[code].decimal
    assert page.driver.execute_async_script(CALLED) == [
        f"0:07{sign}2",
        format_time(7.2),
        format_time(3671),
        f"99{sign}8",
        f"1{sign}25",
        "12",
    ]


def test_a_span_that_was_lost_reads_as_on_the_page_of_the_game(page: Page) -> None:
    page.script.play(OPENING[0])
    day = "2026-11-25T20:00:00+00:00"
    page.script.tell(Phase.PAUSED, TimeLost(page.script.t, "stopped", 7.2, day, day, 4.0))
    page.open()
    page.until("document.getElementById('subline').textContent.startsWith('The program did not run for 0:00:08.')")


def test_the_arbiters_page_does_not_say_that_nothing_is_waited_for_while_the_board_is_set_up(page: Page) -> None:
    page.script.wrongly_set_up()
    page.open(path="arbiter")
    page.until("document.getElementById('headline').textContent === 'Set up the board'")
    assert page.text("#waits") == ""
