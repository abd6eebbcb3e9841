"""Pages on paper, as the browser prints them: whole lists, headings with what follows them, pictures in one piece."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from selenium import webdriver

from server.record.journal import Journal
from server.record.store import open_record
from tests.browser import await_script
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import hall, mosquitto
from tests.server.hall.test_hall_run import post
from tests.server.script import NAME, OPENING
from tests.server.visitor import DESK, Page

PLIES = 60
A4 = {"paperWidth": 8.27, "paperHeight": 11.69}
PICTURE = (0x10, 0x12, 0x14)
"""The ground of the camera's picture and of the lights: no other part of a page has this colour."""


class Sheets:
    """The pages of a document that the browser has printed."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        printed = driver.execute_cdp_cmd("Page.printToPDF", A4)["data"]
        self._sheets = list(pypdfium2.PdfDocument(base64.b64decode(printed)))
        self.texts = [re.sub(r"\s+", " ", sheet.get_textpage().get_text_range()) for sheet in self._sheets]

    @property
    def text(self) -> str:
        return " ".join(self.texts)

    def find_sheet(self, words: str) -> int:
        """The first one on which these words stand."""
        return next(number for number, text in enumerate(self.texts) if words in text)

    def count_pictures(self, number: int) -> int:
        """How many pictures, one above the other, are on a sheet."""
        drawn = self._sheets[number].render(scale=0.5).to_pil().convert("RGB")
        column = [drawn.getpixel((drawn.width // 8, y)) == PICTURE for y in range(drawn.height)]
        return sum(here and not above for above, here in zip([False, *column], column, strict=False))


@pytest.fixture
def page(chromium: webdriver.Chrome, tmp_path: Path) -> Iterator[Page]:
    """A site with a game of many plies, also in its record."""
    record, chance = tmp_path / "games.sqlite3", random.Random(7)
    page = Page(chromium, record=record)
    script = page.script
    with open_record(record) as opened:
        Journal(opened, NAME).begin_game(script.match, "2026-05-01T10:00:00+00:00")
        for _ in range(PLIES):
            position = script.match.position
            script.play(script.game.write(position, chance.choice(script.game.moves(position))))
        for moved in script.told:
            opened.append_event(NAME, moved.to_json())
    yield page
    page.close()


def moves_of(page: Page) -> list[str]:
    return [str(moved.to_json()["notation"]) for moved in page.script.told]


@pytest.mark.parametrize("path", ["", "arbiter", "spectator", f"games/{NAME}"])
def test_all_moves_are_on_paper_and_their_heading_stands_with_them(page: Page, path: str) -> None:
    if path.startswith("games"):
        page.driver.get(page.site.url + path)
    else:
        page.open(DESK, path)
    page.until(f"document.querySelectorAll('#moves [data-ply]').length >= {PLIES}")
    sheets, moves = Sheets(page.driver), moves_of(page)
    assert [move for move in moves if move not in sheets.text] == []
    assert moves[0] in sheets.texts[sheets.find_sheet("Moves")]
    assert "Take back" not in sheets.text and "Resign" not in sheets.text, "nothing that is to be pressed"


@pytest.mark.parametrize(("path", "captions"), [("", ("Camera", "Lights")), ("arbiter", ("Camera",))])
def test_pictures_are_in_one_piece_under_their_captions(page: Page, path: str, captions: tuple[str, ...]) -> None:
    page.open(DESK, path)
    page.until(f"document.querySelectorAll('#moves [data-ply]').length >= {PLIES}")
    sheets = Sheets(page.driver)
    expected = [sum(caption in text for caption in captions) for text in sheets.texts]
    assert sum(expected) == len(captions)
    assert [sheets.count_pictures(number) for number in range(len(expected))] == expected


def test_a_page_that_is_dark_on_the_screen_is_light_on_paper(page: Page) -> None:
    page.open(DESK)
    page.driver.execute_script("document.documentElement.dataset.theme = 'dark'")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    ink = page.driver.execute_script("return getComputedStyle(document.getElementById('headline')).color")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert ink == "rgb(35, 38, 42)"


def test_the_pages_of_a_hall_on_paper(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    table = Table(tmp_path)
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        publisher = table.publisher(broker)
        for move in OPENING:
            table.play(move)
        wait_until(lambda: table.stored() == {NAME: len(OPENING) + 1})
        players = [f"Player {number:02}" for number in range(1, 61)]
        post(
            f"{url}api/v1/hall/tournaments",
            {"name": "open", "rounds": 1, "system": "swiss", "players": "\n".join(players)},
        )
        post(f"{url}api/v1/hall/tournaments/open/pair", {"round": 1})
        chromium.get(f"{url}hall/table-1")
        await_script(chromium, f"document.getElementById('hall-moves').textContent.includes('{OPENING[-1]}')")
        one = Sheets(chromium)
        assert [move for move in OPENING if move not in one.text] == []
        assert OPENING[0] in one.texts[one.find_sheet("Moves")]
        chromium.get(f"{url}hall")
        await_script(chromium, "document.querySelectorAll('#boards article').length === 1")
        assert "table-1" in Sheets(chromium).text
        chromium.get(f"{url}tournaments/open")
        await_script(chromium, "document.body.textContent.includes('Player 60')")
        sheets = Sheets(chromium)
        assert [name for name in players if name not in sheets.text] == []
        publisher.stop_publishing()
        chromium.get("about:blank")
    table.record.close_file()
