"""A correction that takes later moves off the list: the page says so before and after, and brings them back."""

from __future__ import annotations

import pytest

from engine.match.acts import Act, BringBack, Correct
from engine.match.arbiter import apply_act
from engine.match.events import Moved
from tests.server.board.pages.test_paper_pages import BAD_NUMBERS
from tests.server.visitor import Page

PLAYED = ("F7-F5", "G10-G9", "F5-F4", "G9-G8")
WHY = "There is no piece on F5."


@pytest.fixture
def page(page: Page) -> Page:
    for notation in PLAYED:
        page.script.play(notation)
    return page


def does(page: Page, asked: object) -> None:
    """The referee does what was asked, as the main loop would."""
    assert isinstance(asked, Act)
    page.script.match, events = apply_act(page.script.match, asked, 20.0)
    page.script.told = [event for event in events if isinstance(event, Moved)]
    page.script.say(events)


def test_what_a_correction_would_drop_is_said_first_and_comes_back(page: Page) -> None:
    page.open(path="arbiter")
    page.driver.get_log("browser")
    page.tap("[data-ask=correct]")
    page.js("document.querySelector('#ask-fields select').value = '1'")
    page.one("#ask-fields input").send_keys("J6-K6")
    page.tap("#ask-do")
    page.until("document.getElementById('ask-fault').textContent")
    assert page.text("#ask-fault") == (
        f"2 later moves no longer fit, from 2. White F5-F4 on: {WHY} They will be taken off the list."
    )
    assert page.text("#ask-do") == "Correct, and take 2 moves off"
    assert page.asked.empty(), "nothing is asked before it is known what is lost"
    page.one("#ask-fields input").send_keys("x")
    assert page.text("#ask-do") == f"Replace {PLAYED[0]}"
    assert page.text("#ask-fault") == ""
    page.one("#ask-fields input").clear()
    page.one("#ask-fields input").send_keys("J6-K6")
    page.tap("#ask-do")
    page.until("document.getElementById('ask-do').textContent.startsWith('Correct, and')")
    page.tap("#ask-do")
    asked = page.wish()
    assert asked == Correct(1, "J6-K6", by="arbiter")
    does(page, asked)
    page.until("document.querySelector('[data-ask=bring-back]')")
    assert f"A correction took 2 moves off the list, from 2. White F5-F4 on: {WHY}" in page.text("#reason")
    page.tap("[data-ask=bring-back]")
    page.until("document.getElementById('ask').open")
    page.tap("#ask-do")
    asked = page.wish()
    assert asked == BringBack(by="arbiter")
    does(page, asked)
    page.until("!document.querySelector('[data-ask=bring-back]')")
    page.until("document.querySelector('#moves [data-ply=\"4\"]')?.textContent === 'G9-G8'")
    assert page.driver.get_log("browser") == []


def test_a_tapped_correction_asks_too_and_one_without_losses_does_not(page: Page) -> None:
    page.open()
    page.tap("#moves [data-ply='1'] button")
    page.until("document.querySelectorAll('#one-ply-choices .from').length > 5")
    page.one("#one-ply-text").send_keys("C6-C5")
    page.until("document.querySelectorAll('#one-ply-choices [data-notation]').length === 1")
    page.tap("#one-ply-choices [data-notation]")
    page.until("document.getElementById('one-ply-fault').textContent")
    assert WHY in page.text("#one-ply-fault")
    assert page.text("#one-ply-do") == "Correct, and take 2 moves off"
    assert page.asked.empty()
    page.tap("#one-ply-do")
    assert page.wish() == Correct(1, "C6-C5", by="page")
    page.until("!document.getElementById('one-ply').open")
    page.tap("#moves [data-ply='4'] button")
    page.one("#one-ply-text").send_keys("C11-C10")
    page.tap("#one-ply-do")
    assert page.wish() == Correct(4, "C11-C10", by="page")


def test_the_programs_answer_names_what_would_be_dropped_and_what_is_refused(page: Page) -> None:
    client = page.app.test_client()
    asked = "/api/v1/correction?ply={}&notation={}"
    drops = client.get(asked.format(1, "j6-k6")).get_json()["drops"]
    assert (drops["plies"], drops["ply"], drops["number"], drops["side"]) == (2, 3, 2, "white")
    assert (drops["notation"], drops["code"], drops["message"]) == ("F5-F4", "no-piece", WHY)
    assert client.get(asked.format(3, "F5-E4")).get_json() == {"ply": 3, "drops": None}
    for ply, notation in ((1, "A1-A2"), (9, "F7-F5"), (0, "F7-F5"), (1, ""), ("x", "F7-F5")):
        assert client.get(asked.format(ply, notation)).status_code == 422
    assert len(page.script.match.moves) == len(PLAYED), "to ask changes nothing"
    for path in ("/api/v1/correction?notation=F5-E4&ply=", "/api/v1/lawful?ply="):
        assert client.get(f"{path}3").status_code == 200
        for number in BAD_NUMBERS:
            assert client.get(path + number).status_code == 422, number
