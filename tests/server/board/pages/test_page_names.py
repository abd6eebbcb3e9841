"""Names on the pages: asked for at the start, shown, and what is offered when a game is over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from engine.game import Outcome
from engine.match.acts import NewGame
from engine.match.course import begin_next_game
from engine.match.decided import SINCE
from engine.match.events import Result
from engine.match.state import Phase
from server.board.live.notices import RefusedNotice
from server.record.details import Details, SetDetails
from server.record.journal import Journal
from server.record.store import open_record
from tests.server.script import NAME
from tests.server.visitor import Page

NAMED = {"event": "Club open", "players": {"white": "Anna", "black": "Ben"}, "ratings": {"white": "1720"}}


@pytest.fixture
def page(chromium: webdriver.Chrome, tmp_path: Path) -> Iterator[Page]:
    with open_record(tmp_path / "r.sqlite3"):
        pass
    shown = Page(chromium, record=tmp_path / "r.sqlite3")
    with open_record(tmp_path / "r.sqlite3") as record:
        Journal(record, "camelot-0001").begin_game(shown.script.match)
    yield shown
    shown.close()


def test_names_are_asked_for_and_shown(page: Page) -> None:
    page.open()
    page.until("!document.getElementById('who-plays').hidden")
    page.tap("#who-plays [data-ask=details]")
    page.one("[name=player-white]").send_keys("Anna")
    page.one("[name=rating-white]").send_keys("1720")
    page.one("[name=event]").send_keys("Club open")
    page.tap("#ask-do")
    asked = page.wish()
    assert isinstance(asked, SetDetails)
    assert (asked.details.player_name("white"), asked.details.event) == ("Anna", "Club open")
    assert dict(asked.details.ratings) == {"white": "1720"}
    page.script.details = NAMED
    page.script.show()
    page.until("document.getElementById('event').textContent === 'Club open'")
    assert "Anna (1720)" in page.text("#sides") and page.js("document.getElementById('who-plays').hidden")


def test_what_somebody_else_has_named_meanwhile_is_not_erased(page: Page) -> None:
    page.open()
    page.until("!document.getElementById('who-plays').hidden")
    page.tap("#who-plays [data-ask=details]")
    page.one("[name=player-black]").send_keys("Ben")
    page.script.details = {"event": "Club open", "players": {"black": "Carl"}}
    page.script.show()
    page.until("document.getElementById('event').textContent === 'Club open'")
    page.tap("#ask-do")
    asked = page.wish()
    assert isinstance(asked, SetDetails)
    assert (asked.was, asked.details) == (Details(), Details(players=(("black", "Ben"),)))
    name = page.wishes[-1].name
    page.script.say([RefusedNotice(page.script.t, SINCE["named"], name, "named")])
    page.until("document.getElementById('ask-fault').textContent.includes('Somebody else has changed the same')")
    assert page.js("document.getElementById('ask').open")
    typed = "document.querySelector('[name=player-black]').value === 'Ben'"
    assert page.js(typed)
    begins(page)
    page.until("document.getElementById('ask-fault').textContent.includes('look once more')")
    assert page.js("document.getElementById('ask').open") and page.js(typed)


def test_what_was_refused_is_asked_anew_with_what_others_have_named(page: Page) -> None:
    page.open(path="arbiter")
    page.tap(".acts [data-ask=details]")
    page.until("document.getElementById('ask').open")
    page.one("[name=player-black]").send_keys("Ben")
    page.script.details = {"event": "Club open", "players": {"black": "Carl"}}
    page.script.show()
    page.tap("#ask-do")
    page.wish()
    page.script.say([RefusedNotice(page.script.t, SINCE["named"], page.wishes[-1].name, "named")])
    page.until("document.getElementById('ask-fault').textContent.includes('Somebody else has changed the same')")
    page.until("document.querySelector('[name=event]').value === 'Club open'")
    assert page.js("document.querySelector('[name=player-black]').value") == "Ben"


def test_who_wants_no_names_is_not_asked_again(page: Page) -> None:
    page.open()
    page.tap("#no-names")
    page.open()
    assert page.js("document.getElementById('who-plays').hidden")


def test_after_a_game_there_is_a_way_on(page: Page) -> None:
    page.open()
    page.script.details = NAMED
    page.script.play("E6-C8")
    page.script.tell(Phase.OVER, Result(9.0, "1-0", "resigned"), Outcome("1-0", "resigned"))
    page.until("document.querySelector('[data-ask=rematch]') !== null")
    assert page.js("document.querySelector('.moves [data-ask=resign]').disabled")
    page.tap("[data-ask=share]")
    page.until("document.querySelector('.qr').naturalWidth > 0")
    page.tap("#ask-cancel")
    page.tap("[data-ask=rematch]")
    page.tap("#ask-do")
    assert isinstance(page.wish(), NewGame)
    assert page.asked.empty(), "names are exchanged when the new game has begun"
    page.script.name = "camelot-0002"
    page.script.show()
    exchanged = page.wish()
    assert isinstance(exchanged, SetDetails)
    assert [wish.seen and wish.seen.game for wish in page.wishes] == [NAME, "camelot-0002"]
    assert dict(exchanged.details.players) == {"white": "Ben", "black": "Anna"}
    assert dict(exchanged.details.ratings) == {"black": "1720"}


def test_a_rematch_that_begins_late_exchanges_the_names_all_the_same(page: Page) -> None:
    """After five seconds the page gave up without a word, and the same sides stood there in the new game."""
    page.open()
    page.script.details = NAMED
    page.script.tell(Phase.OVER, Result(9.0, "1-0", "resigned"), Outcome("1-0", "resigned"))
    page.until("document.querySelector('[data-ask=rematch]') !== null")
    page.tap("[data-ask=rematch]")
    page.tap("#ask-do")
    assert isinstance(page.wish(), NewGame)
    time.sleep(6.0)
    assert page.js("document.getElementById('ask').open"), "it is under way still"
    page.script.name = "camelot-0002"
    page.script.show()
    exchanged = page.wish()
    assert isinstance(exchanged, SetDetails)
    assert dict(exchanged.details.players) == {"white": "Ben", "black": "Anna"}


def is_over(page: Page, details: dict[str, object] | None = None) -> None:
    page.open()
    page.script.details = NAMED if details is None else details
    page.script.tell(Phase.OVER, Result(9.0, "1-0", "resigned"), Outcome("1-0", "resigned"))
    page.until("document.querySelector('.reason [data-ask=rematch]') !== null")


def begins(page: Page, name: str = "camelot-0002") -> None:
    """The pieces were set up: another game is on the board."""
    page.script.match, events = begin_next_game(page.script.match, page.script.game.start(), 20.0)
    page.script.name, page.script.told = name, []
    page.script.say(events)


def test_pieces_that_are_set_up_while_a_rematch_is_asked_for_are_the_rematch(page: Page) -> None:
    """Whoever did what the question said, and set up the pieces, was told to come too late, and kept the old sides."""
    is_over(page)
    page.tap("[data-ask=rematch]")
    begins(page)
    exchanged = page.wish()
    assert isinstance(exchanged, SetDetails)
    assert dict(exchanged.details.players) == {"white": "Ben", "black": "Anna"}
    assert [wish.seen and wish.seen.game for wish in page.wishes] == ["camelot-0002"]
    page.until("!document.getElementById('ask').open")
    assert page.text("#ask-closed") == "The rematch has begun: the names have changed sides."


def test_a_rematch_that_was_overtaken_by_the_pieces_exchanges_the_names(page: Page) -> None:
    is_over(page)
    page.tap("[data-ask=rematch]")
    page.tap("#ask-do")
    assert isinstance(page.wish(), NewGame)
    page.script.say([RefusedNotice(page.script.t, SINCE["new-game"], page.wishes[-1].name, "new-game")])
    begins(page)
    exchanged = page.wish()
    assert isinstance(exchanged, SetDetails)
    assert dict(exchanged.details.players) == {"white": "Ben", "black": "Anna"}


def test_a_game_that_is_taken_up_is_no_rematch(page: Page) -> None:
    is_over(page)
    page.tap("[data-ask=rematch]")
    page.script.play("E6-C8")
    page.script.name = "camelot-0000"
    page.script.show()
    page.until("!document.getElementById('ask').open")
    assert "“Rematch” was closed." in page.text("#ask-closed")
    assert page.asked.empty()


def test_pieces_that_are_set_up_while_a_new_game_is_asked_for_are_the_new_game(page: Page) -> None:
    is_over(page, {})
    page.tap(".reason [data-ask=new-game]")
    begins(page)
    page.until("!document.getElementById('ask').open")
    assert page.text("#ask-closed") == "The new game has begun."
    assert page.asked.empty()


def test_who_resigns_is_named(page: Page) -> None:
    page.open()
    page.script.details = NAMED
    page.script.show()
    page.until("document.getElementById('event').textContent === 'Club open'")
    page.tap(".moves [data-ask=resign]")
    assert page.text("[name=side]").split("\n") == ["White (Anna)", "Black (Ben)"]


def test_the_list_of_games_is_searched_from_the_page(page: Page) -> None:
    page.driver.get(page.site.url + "games")
    page.one("[type=search]").send_keys("camelot-0002")
    page.tap(".search button")
    page.until("new URLSearchParams(location.search).get('q') === 'camelot-0002'")
    assert page.js("document.querySelector('.list') === null")
