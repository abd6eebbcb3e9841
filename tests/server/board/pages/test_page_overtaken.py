"""A question that is open while the game goes on: it keeps up with the board, or closes and says why."""

from __future__ import annotations

import time

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from engine.game import Move
from engine.match.acts import Act, Correct, SetPosition, Undo
from engine.match.arbiter import apply_act
from engine.match.events import Moved
from engine.text.positions import to_json
from server.board.live.notices import RefusedNotice
from tests.server.script import CHAIN, OPENING
from tests.server.visitor import Page

LATE = """void (window.fetch = ((real) => async (url, ...more) => {
  const answer = await real(url, ...more);
  const said = document.getElementById("ask-fault");
  while (url.endsWith("/correct") && !said.textContent) await new Promise((done) => setTimeout(done, 20));
  return answer;
})(window.fetch))"""
"""The answer to the request is held until what the referee says has come."""
OPEN = "document.getElementById('ask').open"
HASTY = """void new MutationObserver((changes, observer) => {
  observer.disconnect();
  document.getElementById("BUTTON").click();
}).observe(document.getElementById("FAULT"), { childList: true })"""
"""A press that was under way when the question changed."""


@pytest.fixture
def page(page: Page) -> Page:
    page.open()
    for notation in OPENING:
        page.script.play(notation)
    page.until(f"document.querySelectorAll('#moves .ply').length === {len(OPENING)}")
    return page


def asks(page: Page, act: str) -> None:
    page.tap(f".moves [data-ask={act}]")
    page.until(OPEN)


def is_free(page: Page, button: str = "ask-do") -> None:
    """What has changed could be seen long enough: a press counts again."""
    page.until(f"!document.getElementById('{button}').hasAttribute('aria-disabled')")


def does(page: Page, asked: Act) -> None:
    """The referee does what another tab asked for."""
    page.script.match, events = apply_act(page.script.match, asked, 50.0)
    again = {event.ply: event for event in events if isinstance(event, Moved)}
    page.script.told = [again.get(told.ply, told) for told in page.script.told]
    page.script.say(events)


def test_what_was_typed_for_the_next_move_is_not_meant_for_the_one_played_meanwhile(page: Page) -> None:
    asks(page, "correct")
    assert page.text("#ask-do") == "Correct"
    page.one("#ask-fields [name=notation]").send_keys("H9-F9xF7")
    page.script.play(CHAIN)
    page.until("document.getElementById('ask-fault').textContent")
    assert page.text("#ask-fault") == f"Too late: {CHAIN} was played since. Choose again."
    assert page.js("document.querySelector('#ask-fields [name=ply]').value") == ""
    is_free(page)
    page.one("#ask-fields [name=notation]").send_keys(Keys.ENTER)
    page.tap("#ask-do")
    assert page.js(OPEN)
    assert page.asked.empty(), "nobody has said yet which move is meant"
    Select(page.one("#ask-fields [name=ply]")).select_by_value(str(len(OPENING) + 1))
    assert page.text("#ask-do") == f"Replace {CHAIN}"
    page.tap("#ask-do")
    assert page.wish() == Correct(len(OPENING) + 1, "H9-F9xF7", by="page")


def test_a_ply_of_another_course_is_another_though_it_has_the_same_number(page: Page) -> None:
    asks(page, "correct")
    Select(page.one("#ask-fields [name=ply]")).select_by_value("4")
    page.one("#ask-fields [name=notation]").send_keys("C11-C10")
    does(page, Correct(1, "C6-C5"))
    page.until("document.getElementById('ask-fault').textContent")
    assert page.text("#ask-fault") == "Too late: the game has changed since. Choose again."
    assert page.js("document.querySelector('#ask-fields [name=ply]').value") == ""


@pytest.mark.parametrize(
    ("tapped", "shown", "button", "fault"),
    [
        (".moves [data-ask=draw]", "ask", "ask-do", "ask-fault"),
        ("#moves [data-ply='5']", "one-ply", "one-ply-back", "one-ply-fault"),
    ],
)
def test_a_press_under_way_when_the_question_changes_does_not_count(
    page: Page, tapped: str, shown: str, button: str, fault: str
) -> None:
    page.tap(tapped)
    page.until(f"document.getElementById('{shown}').open")
    page.js(HASTY.replace("BUTTON", button).replace("FAULT", fault))
    page.script.play(CHAIN)
    page.until(f"document.getElementById('{fault}').textContent.includes('look once more')")
    is_free(page, button)
    assert page.js(f"document.getElementById('{shown}').open")
    assert page.asked.empty()
    page.tap(f"#{button}")
    page.wish()


@pytest.mark.parametrize("other", ["corrected", "position"])
def test_what_names_a_move_closes_when_as_many_are_others(page: Page, other: str) -> None:
    asks(page, "undo")
    match = page.script.match
    stands = SetPosition(to_json(match.game, match.positions[1]))
    does(page, Correct(1, "C6-C5") if other == "corrected" else stands)
    page.until(f"!{OPEN}")
    assert page.text("#ask-closed") == "Too late: the game has changed since. “Take back a move” was closed."


def test_one_move_closes_when_one_before_it_is_another(page: Page) -> None:
    page.tap("#moves [data-ply='5']")
    page.until("document.getElementById('one-ply').open")
    does(page, Correct(1, "C6-C5"))
    page.until("!document.getElementById('one-ply').open")
    assert "Too late: the game has changed since." in page.text("#ask-closed")


def test_a_move_let_stand_is_not_asked_for_on_another_board(page: Page) -> None:
    page.open(path="arbiter")
    page.tap(".acts [data-ask=as-played]")
    page.until(OPEN)
    page.one("#ask-fields [name=notation]").send_keys("E10-E9")
    page.script.play(CHAIN)
    page.until(f"!{OPEN}")
    assert page.text("#ask-closed") == f"Too late: {CHAIN} was played since. “Let it stand” was closed."


def test_what_names_a_move_closes_when_another_was_made(page: Page) -> None:
    asks(page, "undo")
    page.script.play(CHAIN)
    page.until(f"!{OPEN}")
    assert page.text("#ask-closed") == f"Too late: {CHAIN} was played since. “Take back a move” was closed."
    assert page.asked.empty()
    asks(page, "undo")
    assert CHAIN in page.text("#ask-text")
    assert not page.one("#ask-closed").is_displayed()


def test_what_was_typed_stays_and_is_about_the_game_as_it_is_now(page: Page) -> None:
    asks(page, "correct")
    Select(page.one("#ask-fields [name=ply]")).select_by_value("2")
    page.one("#ask-fields [name=notation]").send_keys("J11-J9")
    page.script.play(CHAIN)
    page.until("document.getElementById('ask-fault').textContent.includes('look once more')")
    assert page.js("document.querySelector('#ask-fields [name=notation]').value") == "J11-J9"
    assert page.text("#ask-do") == "Replace J11-H9"
    is_free(page)
    page.tap("#ask-do")
    assert page.wish() == Correct(2, "J11-J9", by="page")
    seen = page.wishes[-1].seen
    assert seen is not None
    assert seen.ply == len(OPENING) + 1
    page.until(f"!{OPEN}")


def test_a_question_about_a_board_that_is_as_it_should_be_closes(page: Page) -> None:
    page.script.wrong()
    page.until("document.querySelector('[data-ask=put-back]') !== null")
    page.tap("[data-ask=put-back]")
    page.until(OPEN)
    page.script.waiting()
    page.until(f"!{OPEN}")
    assert page.text("#ask-closed") == "The last position stands again."


ELAPSES = "void (performance.now = ((real) => () => real.call(performance) + 7000)(performance.now))"
"""Seven seconds go by for the page."""


def test_what_came_too_late_goes_from_the_page_when_the_game_goes_on(page: Page) -> None:
    asks(page, "undo")
    page.script.play(CHAIN)
    page.until("!document.getElementById('ask-closed').hidden")
    page.script.show()
    page.until(f"document.getElementById('status').dataset.at.endsWith('{page.script.state}')")
    assert page.one("#ask-closed").is_displayed(), "nothing was played since"
    page.js(ELAPSES)
    position = page.script.match.position
    page.script.play(page.script.game.write(position, page.script.game.moves(position)[0]))
    page.until("document.getElementById('ask-closed').hidden")


def test_what_came_too_late_goes_from_the_page_by_itself(page: Page) -> None:
    page.js(
        "void (window.setTimeout = ((real) => (todo, wait) => real(todo, wait === 30000 ? 500 : wait))(setTimeout))"
    )
    asks(page, "undo")
    page.script.play(CHAIN)
    page.until("!document.getElementById('ask-closed').hidden")
    page.until("document.getElementById('ask-closed').hidden")
    page.script.say([RefusedNotice(page.script.t, "no such move")])
    page.until("!document.getElementById('refused').hidden")
    page.until("document.getElementById('refused').hidden")


def test_the_example_of_a_move_can_be_played_where_it_is_asked_for(page: Page) -> None:
    """At the start of a game it was a move of that game, and stood there in any other position."""
    asks(page, "correct")
    game, match = page.script.game, page.script.match
    shown = "document.querySelector('#ask-fields [name=notation]').placeholder"
    page.until(shown)
    first = str(page.js(shown))
    assert isinstance(game.read(match.position, first), Move)
    Select(page.one("#ask-fields [name=ply]")).select_by_value("1")
    page.until(f"{shown} && {shown} !== '{first}'")
    stood = match.positions[0]
    assert isinstance(game.read(stood, str(page.js(shown))), Move)
    page.tap("#ask-cancel")
    page.script.mode = "tournament"
    page.script.show()
    page.until("document.body.dataset.mode === 'tournament'")
    asks(page, "correct")
    time.sleep(0.5)
    assert page.js(shown) == "", "an example would help in a tournament"


def test_names_are_asked_for_whatever_is_played(page: Page) -> None:
    page.open(path="arbiter")
    page.tap(".acts [data-ask=details]")
    page.until(OPEN)
    page.script.play(CHAIN)
    page.until(f"document.getElementById('status').dataset.at.startsWith('{len(OPENING) + 1} ')")
    assert page.js(OPEN)
    assert page.text("#ask-fault") == ""


def test_a_refusal_that_comes_before_the_answer_is_said_beside_what_was_typed(page: Page) -> None:
    """The referee judges at once, and its answer to the request may come after what it says."""
    asks(page, "correct")
    page.one("#ask-fields [name=notation]").send_keys("nonsense")
    page.js(LATE)
    page.tap("#ask-do")
    page.wish()
    page.script.say([RefusedNotice(page.script.t, "no such move", page.wishes[-1].name)])
    page.until("document.getElementById('ask-fault').textContent === 'no such move'")
    page.tap("#ask-cancel")  # it is there: what was answered has not closed it
    assert page.js("document.querySelector('#ask-fields [name=notation]').value") == "nonsense"


def test_one_move_keeps_up_and_closes_when_it_is_none_any_more(page: Page) -> None:
    page.tap("#moves [data-ply='5']")
    page.until("document.getElementById('one-ply').open")
    page.script.play(CHAIN)
    page.until("document.getElementById('one-ply-fault').textContent.includes('look once more')")
    is_free(page, "one-ply-back")
    page.tap("#one-ply-back")
    assert page.wish() == Undo(2, by="page")  # the chain and this one
