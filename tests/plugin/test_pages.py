"""A game from outside on every page: it is called, drawn and explained as its one file says, and as no other game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest

from device.lights import draw_match
from device.text import compose_text
from engine.game import Change
from engine.match.events import Illegal
from engine.match.state import Phase
from server.record.archive import read_game_events
from server.record.exports import FORMATS
from server.record.journal import Journal
from server.record.store import open_record, read_record
from server.web.feed import Feed
from tests.browser import browser, save, size
from tests.plugin.site import at_hand
from tests.server.script import Script
from tests.server.visitor import Page

GAME = "breakthrough"
OF_OTHERS = re.compile(r"undefined|Camelot|catapult|knight|castle|canter|\bMan\b", re.IGNORECASE)
"""What no page of this game may say: words of other games, and what a script says of what it does not know."""
PAGES = ("", "arbiter", "spectator", "help", "games", "games/one", "settings")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    record = tmp_path_factory.mktemp("record") / "record.sqlite"
    with at_hand(GAME), browser("--lang=en") as driver:
        script = written(record)
        page = Page(driver, GAME, record=record)
        page.script.play("A2-B3")
        page.script.match = script.match
        page.script.show()
        yield page
        page.close()


def written(record: Path) -> Script:
    """A record with a game of two plies that was won by the last rank."""
    from engine.games import load  # noqa: PLC0415  # while the package is at hand

    script = Script(Feed(), load(GAME))
    start = script.match
    for notation in ("A2-B3", "H7-H6"):
        script.play(notation)
    with open_record(record) as opened:
        Journal(opened, "one").begin_game(start, "2026-05-01T10:00:00+00:00")
        for moved in script.told:
            opened.append_event("one", moved.to_json())
    return script


@pytest.mark.parametrize("path", PAGES)
def test_no_page_speaks_of_another_game(page: Page, path: str, tmp_path: Path) -> None:
    size(page.driver, 1280, 900)
    page.driver.get(page.site.url + path)
    if path in {"", "arbiter", "spectator"}:
        page.until("document.body.dataset.ready === 'yes'")
    labels = "[...document.querySelectorAll('[aria-label]')].map(e => e.ariaLabel)"
    text = str(page.js(f"document.body.innerText + {labels}"))
    assert not OF_OTHERS.findall(text.replace("camelot-referee", "")), path
    assert [line["message"] for line in page.driver.get_log("browser") if line["level"] == "SEVERE"] == []
    save(page.driver, tmp_path / "page.png")


def test_its_pieces_are_drawn_and_called_as_it_says(page: Page) -> None:
    page.open()
    assert page.text("h1").startswith("Breakthrough!")
    assert page.js("document.querySelectorAll('#pieces use[href=\"#piece-WP\"]').length") == 16
    assert page.js("document.getElementById('piece-WP').querySelector('path') !== null")
    cell = "document.querySelector('#board .cell[data-cell=B1]')"
    page.js(f"{cell}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    page.until("document.getElementById('cell-told').textContent.startsWith('B1: Ivory foot soldier')")


def test_its_rules_are_explained_in_its_words_and_its_translation(page: Page) -> None:
    page.driver.get(page.site.url + "help")
    assert "One step forward; it captures aslant only." in page.text("article")
    page.driver.add_cookie({"name": "language", "value": "de"})
    page.driver.get(page.site.url + "help")
    assert "Wie es geht" in page.text("article")
    assert "Fußsoldat" in page.text("article")
    page.driver.delete_all_cookies()


def test_a_past_game_shows_its_pieces_and_its_seats(page: Page) -> None:
    page.driver.get(page.site.url + "games/one")
    assert page.js("document.querySelectorAll('#pieces use[href=\"#piece-BP\"]').length") == 16
    assert "Ivory Ebony 1. A2-B3" in " ".join(page.text(".moves").replace("–", "-").split())


def test_its_files_for_others_say_it_too(page: Page, tmp_path: Path) -> None:
    record = tmp_path / "record.sqlite"
    written(record)
    with read_record(record) as opened:
        events = read_game_events(opened, "one")
    sheet = pypdfium2.PdfDocument(FORMATS["pdf"]("one", events))
    text = sheet[0].get_textpage().get_text_range()
    assert "Breakthrough!" in text
    assert "Ebony" in text
    assert FORMATS["gif"]("one", events).startswith(b"GIF8")
    exported = FORMATS["html"]("one", events).decode()
    assert "piece-WP" in exported
    assert not OF_OTHERS.findall(re.sub(r"(?s)<style.*?</style>", "", exported))


def test_lights_and_display_speak_of_it(page: Page) -> None:
    match, game = page.script.match, page.script.game
    assert draw_match(match).rgb
    refusal = game.refuse(match.position, Change(0, 40, ()))
    illegal = Illegal(0.0, ("A1",), refusal.code, refusal.message, ())
    wrong = replace(match, phase=Phase.TROUBLE, note=illegal)
    assert compose_text(wrong)[1] == "one step forward"
    assert compose_text(match)[0] == "Ivory to move"
