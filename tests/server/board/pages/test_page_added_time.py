"""The arbiter gives time to a clock, takes some away, and overrules a flag that has ended the game."""

from __future__ import annotations

from dataclasses import replace

from selenium.webdriver.support.ui import Select

from engine.game import Outcome
from engine.match.acts import AddTime
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.events import Result, TimeAdded
from engine.match.state import Phase
from tests.server.visitor import Page

BUTTON = ".acts [data-ask=add-time]"
BESIDE_THE_RESULT = "#reason [data-ask=add-time]"


def change(page: Page, button: str, time: str, what: str = "", side: str = "") -> AddTime:
    """What is asked for, by the question that a button opens."""
    page.tap(button)
    page.until("document.getElementById('ask').open")
    if side:
        Select(page.one("#ask-fields [name=side]")).select_by_value(side)
    if what:
        Select(page.one("#ask-fields [name=what]")).select_by_value(what)
    page.one("#ask-fields [name=time]").send_keys(time)
    page.until("!document.getElementById('ask-do').ariaDisabled")  # on a fast machine what was asked has just changed
    page.tap("#ask-do")
    asked = page.wish()
    page.until("!document.getElementById('ask').open")
    assert isinstance(asked, AddTime)
    return asked


def test_time_is_given_and_taken_and_a_flag_is_overruled(page: Page) -> None:
    page.open(path="arbiter")
    page.driver.get_log("browser")  # what others have left there
    assert not page.one(BUTTON).is_displayed(), "a game without clocks"
    page.script.match = with_clock(page.script.match, parse_control("5m"))
    page.script.show()
    page.until(f"!document.querySelector('{BUTTON}').hidden")
    assert change(page, BUTTON, "2:30", side="black") == AddTime("black", 150.0, by="arbiter")
    assert change(page, BUTTON, "0:05", "take") == AddTime("white", -5.0, by="arbiter")
    for added, said in (
        (300.0, "Black has 0:05:00 more on its clock."),
        (-60.0, "Black has 0:01:00 less on its clock."),
    ):
        page.feed.publish_event(TimeAdded(2.0, "black", added, 540.0, 1.0, by="arbiter").to_json())
        page.until(f"document.getElementById('announce').textContent === '{said}'")

    page.tap(BUTTON)
    page.until("document.getElementById('ask').open")
    for nothing in ("0", "0:00", "1:75", "soon"):
        page.one("#ask-fields [name=time]").clear()
        page.one("#ask-fields [name=time]").send_keys(nothing)
        assert page.js("document.querySelector('#ask form').checkValidity()") is False, nothing
    page.one("#ask-fields [name=time]").clear()
    page.one("#ask-fields [name=time]").send_keys("7:00")

    page.script.tell(Phase.OVER, Result(3.0, "0-1", "time"), Outcome("0-1", "time"))
    page.until("document.getElementById('ask-title').textContent === 'Add time'")
    assert page.text("#ask-text") == "The game goes on, with the time that you add."
    assert page.js("document.querySelector('#ask-fields [name=what]')") is None, "no flag is overruled by less time"
    assert page.js("document.querySelector('#ask-fields [name=time]').value") == "7:00"
    page.tap("#ask-cancel")
    assert "If the flag fell wrongly, add time: the game goes on." in page.text("#reason")
    assert change(page, BESIDE_THE_RESULT, "5") == AddTime("white", 300.0, by="arbiter")

    page.script.match = replace(page.script.match, outcome=None)
    page.script.tell(Phase.OVER, Result(4.0, "1-0", "castle"), Outcome("1-0", "castle"))
    page.until(f"document.querySelector('{BUTTON}').disabled")
    assert page.js(f"document.querySelector('{BESIDE_THE_RESULT}')") is None
    assert page.driver.get_log("browser") == []
