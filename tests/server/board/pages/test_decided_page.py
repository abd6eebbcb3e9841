"""The page of a past game says what was decided in it, marks what stood by an arbiter's word, and draws what stands."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path

from flask.testing import FlaskClient
from selenium import webdriver

from engine.games import load
from engine.match.acts import Correct, Forfeit, Undo
from server.board.pages.app import create_app
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.ruled import Played, by_arbiter
from tests.server.visitor import Page


def shown(played: Played, folder: Path) -> FlaskClient:
    """The pages of a record with that game."""
    with open_record(folder / "games.sqlite3") as record:
        for event in played.events:
            record.append_event("game", event)
    return create_app(Feed(), print, load("camelot"), record=folder / "games.sqlite3").test_client()


def test_what_was_withdrawn_is_told_with_who_and_when(tmp_path: Path) -> None:
    course = ("D6-D5", by_arbiter(Forfeit("white", "absence")), by_arbiter(Undo()))
    client = shown(Played(clock="1h").ask(*course), tmp_path)
    page = unescape(client.get("/games/game").text)
    assert "<h2>What was decided</h2>" in page
    assert "White did not come and lost, 0-1" in page and "Result 0-1 taken back" in page
    assert page.count("by the arbiter, judge · White 1:00:00") == 2
    client.set_cookie("language", "de")
    assert "Weiß ist nicht erschienen und hat verloren, 0-1" in client.get("/games/game").text


def test_a_game_in_which_nothing_was_decided_has_no_such_card(tmp_path: Path) -> None:
    assert 'id="decided"' not in shown(Played().ask("D6-D5", "D10-D9"), tmp_path).get("/games/game").text


def test_moves_that_stood_or_were_corrected_are_marked(tmp_path: Path) -> None:
    client = shown(Played().ask("D6-D5", "D10-D9", "E6-E4", by_arbiter(Correct(2, "E10-E9"))), tmp_path)
    for path in ("/games/game", "/games/game/export.html"):
        page = client.get(path).text
        assert page.count(">let stand</span>") == 1 and 'title="That is no move of this piece."' in page
        assert page.count('<span title="D10-D9">corrected</span>') == 1


def test_a_chart_has_a_bar_for_each_ply_that_stands_alone(tmp_path: Path) -> None:
    """One ply of 21 s stood under "up to 62.8 s": that was another one, which had been taken back."""
    played = Played()
    played.events.append({"t": 0.0, "event": "ready", "fit": 99})
    played.t = 52.8
    played.ask("D6-D5", by_arbiter(Undo()))
    played.events.append({"t": 1.0, "event": "ready", "fit": 99})  # the camera was opened anew
    played.t = 12.0
    page = shown(played.ask("E6-E5", "D10-D9", "D7-D6"), tmp_path).get("/games/game").text
    assert page.count('class="bar white"') + page.count('class="bar black"') == 2, "of the first the time is not known"
    assert "62.8" not in page and "up to 10.0 s" in page


def test_the_list_of_a_game_that_goes_on_marks_a_move_that_was_let_stand(chromium: webdriver.Chrome) -> None:
    page = Page(chromium)
    try:
        page.script.play("J6-K6")
        page.script.told[-1] = replace(page.script.told[-1], as_played="must-jump")
        page.script.show()
        page.open()
        page.until("document.querySelector('#moves .stood')")
        assert page.js("document.querySelector('#moves .stood').textContent") == "let stand"
        assert page.js("document.querySelector('#moves .stood').title") == "A piece that can jump must."
    finally:
        page.close()
