"""Rulings on the arbiter's page: in sight, for one side or all, beside what the clock shows; and a side that left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains

from device.text import compose_text
from engine.game import Outcome
from engine.match.acts import Correct, Forfeit, Resign, SetPosition
from engine.match.arbiter import apply_act
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.events import Result, SetUp
from engine.match.state import Phase
from engine.text.positions import to_json
from server.board.hall_link.reports import build_state
from server.hall.desk.troubles import find_reported_troubles
from tests.server.visitor import PHONE, Page

LAPTOP = (1280, 800)


@pytest.fixture
def three(chromium: webdriver.Chrome) -> Iterator[Page]:
    """Red has resigned, and its pieces still stand."""
    shown = Page(chromium, "tri-camelot")
    match = with_clock(replace(shown.script.match, ready=True), parse_control("5m+2s"))
    for ply in (1, 2, 3):
        played = match.game.write(match.position, match.game.moves(match.position)[0])
        match, _ = apply_act(match, Correct(ply, played), float(ply))
    before = match.position.placement
    match, events = apply_act(match, Resign("red"), 5.0)
    shown.script.match = match
    shown.script.say(events)
    both = zip(match.game.board.cells, before, match.position.placement, strict=True)
    shown.script.tell(Phase.SETUP, SetUp(6.0, tuple(cell for cell, one, other in both if one != other)))
    yield shown
    shown.close()


def choose(page: Page, **chosen: str) -> None:
    """What is chosen in the open question."""
    for name, value in chosen.items():
        page.js(f"document.querySelector('#ask-fields [name={name}]').value = '{value}'")


@pytest.mark.parametrize("window", [LAPTOP, PHONE])
def test_the_rulings_are_in_the_first_screen(page: Page, window: tuple[int, int]) -> None:
    page.open(window, path="arbiter")
    low, camera = (
        f"document.querySelector('{what}').getBoundingClientRect().{side}"
        for what, side in (("[data-ask=forfeit]", "bottom"), ("#camera", "top"))
    )
    assert page.js(f"{low} <= innerHeight && {low} < {camera}"), page.js(f"[{low}, {camera}]")


def test_a_loss_on_time_says_first_what_the_clock_shows(page: Page) -> None:
    page.script.match = with_clock(page.script.match, parse_control("2m"))
    page.script.show()
    page.open(path="arbiter")
    page.tap("[data-ask=forfeit]")
    choose(page, side="black", why="time")
    page.tap("#ask-do")
    page.until("document.getElementById('ask-fault').textContent")
    assert page.text("#ask-fault") == "The clock of Black shows 2:00."
    assert page.text("#ask-do") == "Forfeit all the same"
    assert page.asked.empty()
    page.tap("#ask-do")
    assert page.wish() == Forfeit("black", "time", by="arbiter")
    page.until("!document.getElementById('ask').open")


def test_a_double_click_does_not_pass_over_what_the_clock_shows(page: Page) -> None:
    page.script.match = with_clock(page.script.match, parse_control("2m"))
    page.script.show()
    page.open(path="arbiter")
    page.tap("[data-ask=forfeit]")
    choose(page, side="black", why="time")
    ActionChains(page.driver).double_click(page.one("#ask-do")).perform()
    page.until("document.getElementById('ask-fault').textContent")
    assert page.js("document.getElementById('ask').open")
    assert page.asked.empty()


def test_both_sides_may_forfeit_and_nobody_wins(page: Page) -> None:
    page.open(path="arbiter")
    page.tap("[data-ask=forfeit]")
    choose(page, side="all", why="absence")
    assert page.js("document.querySelector('#ask-fields [name=side]').selectedOptions[0].text") == "Both sides"
    page.tap("#ask-do")
    assert page.wish() == Forfeit("all", "absence", by="arbiter")
    page.script.tell(Phase.OVER, Result(3.0, "0-0", "absence"), Outcome("0-0", "absence"))
    page.until("document.getElementById('headline').textContent === 'Nobody wins'")
    assert page.text("#subline") == "0-0, did not come"


@pytest.mark.parametrize("path", ["", "arbiter", "spectator"])
def test_everybody_is_told_that_a_side_of_three_has_left(three: Page, path: str) -> None:
    three.open(path=path)
    assert three.text("#subline") == "Red has resigned: take the pieces of Red off the board."
    blue, red, green = (line.text for line in three.driver.find_elements("css selector", "#sides li"))
    assert "out: by resignation" in red and "0:00" not in red
    assert "5:0" in blue and "5:0" in green
    stands = SetPosition(to_json(three.script.match.game, three.script.match.position))
    three.script.match, events = apply_act(three.script.match, stands, 7.0)
    three.script.say(events)
    three.until("!document.getElementById('subline').textContent.includes('take the pieces')")
    assert "out: by resignation" in three.driver.find_elements("css selector", "#sides li")[1].text, "before it was set"


def test_display_and_hall_know_that_a_side_has_left(three: Page) -> None:
    match = three.script.match
    assert isinstance(match.note, SetUp)
    assert compose_text(match) == ("Red is out", f"take off {' '.join(match.note.wrong)}")
    assert compose_text(replace(match, note=None)) == ("Red is out", "take pieces off")
    other = replace(match, note=SetUp(7.0, ("E1", *match.note.wrong)))
    assert compose_text(other)[0] == "Set up: wrong"
    state = build_state("table-1", three.feed.newest_snapshot or {}, 9, "")
    assert set(state["clocks"]["left"]) == {"blue", "green"}  # type: ignore[index]  # it is JSON
    assert list(find_reported_troubles(state, {})) == [], "no flag has fallen"


def test_a_side_that_is_out_is_neither_given_to_the_computer_nor_to_move(three: Page) -> None:
    shown = "[...document.querySelectorAll('{list} option:not(:disabled)')].map((one) => one.value).join(' ')"
    three.open()
    three.tap(".moves [data-ask=opponent]")
    assert three.js(shown.format(list="#ask-fields [name=side]")) == "blue green"
    three.open(path="arbiter")
    three.tap("#edit")
    three.until("!document.getElementById('editor').hidden")
    assert three.js(shown.format(list="#edit-side")) == "blue green"
    three.tap("[data-code=RM]")
    three.tap("#board .cell[data-cell=C12]")
    assert three.js(shown.format(list="#edit-side")) == "blue red green", "the position has the side again"
