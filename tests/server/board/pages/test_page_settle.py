"""How the game before ended: asked once more with its name, like everything that is written for good."""

from __future__ import annotations

from engine.match.acts import Settle
from engine.match.events import Left, Result, Settled
from tests.server.script import OPENING
from tests.server.visitor import Page


def test_a_result_of_the_game_before_is_asked_once_more_and_named(page: Page) -> None:
    page.open()
    for notation in OPENING:
        page.script.play(notation)
    page.script.before = "camelot-0041"
    page.script.put_up_again()
    page.until("document.querySelector('[data-settle=draw]')")
    assert f"camelot-0041 end, put away after ply {len(OPENING)}" in page.text("#reason")
    page.tap("[data-settle=draw]")
    page.until("document.getElementById('ask').open")
    assert page.asked.empty(), "nothing is written by one click"
    assert page.text("#ask-text").startswith(f"camelot-0041, put away after ply {len(OPENING)}: Draw.")
    page.tap("#ask-cancel")
    page.until("!document.getElementById('ask').open")
    page.tap("[data-settle=white]")
    page.until("document.getElementById('ask-do').textContent === 'White resigned'")
    page.tap("#ask-do")
    assert page.wish() == Settle("white", by="page")
    assert page.asked.empty()


def test_how_it_ended_is_read_aloud_and_of_two_sides_once(page: Page) -> None:
    page.open()
    said = "document.getElementById('announce').textContent"
    for result, why, told in (("0-1", "resigned", "Black wins"), ("*", "unfinished", "Not finished")):
        page.feed.publish_event(Settled(1.0, result, why).to_json())
        page.until(f"{said} === 'Last game: {told}.'")
    page.feed.publish_event(Left(2.0, "white", "resigned").to_json())
    page.until(f"{said} === ''")
    page.feed.publish_event(Result(2.0, "0-1", "resigned").to_json())
    page.until(f"{said}.startsWith('Black wins: ')")
