"""Arabic and Hebrew names on a board's pages: clocks, ratings and dashes beside them stay on their sides."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium import webdriver

from engine.match.events import Moved
from server.record.details import Details
from server.record.journal import Journal
from server.record.store import open_record
from tests.server.script import NAME, OPENING
from tests.server.sides import ARABIC, HEBREW, find_mixed, has_names
from tests.server.visitor import Page

SAID = Details(
    event=f"{HEBREW} 2026",
    round="3",
    place=ARABIC,
    arbiter=HEBREW,
    players=(("white", ARABIC), ("black", HEBREW)),
    ratings=(("white", "1720"),),
)


@pytest.fixture(scope="module")
def page(chromium: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Page:
    file: Path = tmp_path_factory.mktemp("right") / "games.sqlite3"
    page = Page(chromium, record=file)
    page.script.details = SAID.to_json()
    with open_record(file) as record:
        journal = Journal(record, NAME)
        journal.begin_game(page.script.match, "2026-11-25T20:00:00")
        journal.write_note(SAID.to_event(0.0, "page"))
        for notation in OPENING:
            page.script.play(notation)
        journal.write_events(told for told in page.script.told if isinstance(told, Moved))
    return page


@pytest.mark.parametrize("path", ["", "arbiter", "spectator", "overlay", "games", f"games/{NAME}"])
def test_names_stand_apart_from_what_is_beside_them(page: Page, chromium: webdriver.Chrome, path: str) -> None:
    page.open((1280, 900), path)
    page.until("/[\\u0590-\\u08ff]/.test(document.body.innerText)")
    assert has_names(chromium) and find_mixed(chromium) == []


def test_the_dialog_for_names_shows_them_as_they_are_written(page: Page, chromium: webdriver.Chrome) -> None:
    page.open((1280, 900), "arbiter")
    page.js("document.querySelector('[data-ask=details]').click()")
    page.until("document.getElementById('ask').open")
    assert find_mixed(chromium) == []


def test_a_rating_stands_behind_its_name(page: Page, chromium: webdriver.Chrome) -> None:
    """It stood before it, between the brackets of the name."""
    page.open((1280, 900))
    page.until("document.getElementById('sides').innerText.includes('1720')")
    script = r"""
    const where = (what) => {
      const texts = document.createTreeWalker(document.getElementById("sides"), NodeFilter.SHOW_TEXT);
      for (let one = texts.nextNode(); one; one = texts.nextNode()) {
        const at = one.data.indexOf(what);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(one, at);
        range.setEnd(one, at + what.length);
        return range.getBoundingClientRect();
      }
    };
    return [where("محمد").left, where("الفلاني").left, where("1720").left];
    """
    first, second, rating = chromium.execute_script(script)  # type: ignore[no-untyped-call]
    assert second < first < rating
