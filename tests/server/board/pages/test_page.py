"""The page in a real browser, led through a scripted game."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from engine.belief.opinion import NO_MOVE
from engine.games import load, names
from engine.match.acts import Correct, Resign, StandsSo
from engine.match.clock import format_time, parse_control
from engine.match.clocked_match import with_clock
from engine.match.state import Phase
from server.drawing import board_view
from server.web.feed import Feed
from tests.browser import prefer
from tests.patience import PATIENCE_S
from tests.server.script import CHAIN, OPENING, Script, states
from tests.server.visitor import DESK, PHONE, Page


def test_the_start_position_stands_on_the_board(page: Page) -> None:
    page.open()
    assert page.js("document.querySelectorAll('#board .cell').length") == 160
    assert page.js("document.querySelectorAll('[data-piece=WN]').length") == 4
    assert page.js("document.querySelectorAll('[data-piece]').length") == 28
    assert page.text("#headline") == "White to move"


def test_a_move_arrives_while_one_looks(page: Page) -> None:
    page.open()
    page.script.play("E6-E5")
    page.until("document.querySelector('[data-piece=WM][data-cell=E5]') !== null")
    assert page.text("#headline") == "Black to move"
    assert page.text("#moves td.newest") == "E6-E5"
    assert page.js("document.querySelectorAll('#lights [data-cell=E5]').length") == 1
    page.until("document.getElementById('announce').textContent === 'White: E6-E5'")


def test_spectators_see_the_game_and_nothing_to_press(page: Page) -> None:
    page.driver.get(f"{page.site.url}spectator")
    page.until("document.body.dataset.ready === 'yes'")
    page.driver.get_log("browser")
    page.script.play("E6-E5")
    page.until("document.querySelector('[data-piece=WM][data-cell=E5]') !== null")
    assert page.text("#moves td.newest") == "E6-E5"
    page.script.unclear()
    page.until("document.getElementById('headline').textContent !== 'Black to move'")
    assert page.js("document.querySelectorAll('main button').length") == 0
    assert page.driver.get_log("browser") == []


def test_clocks_count_down_on_the_page(page: Page) -> None:
    match = with_clock(page.script.match, parse_control("5m"))
    page.script.match = replace(match, clocks=(replace(match.clocks[0], since=-80.0),))
    page.script.show()
    page.open()
    assert page.text('.clock[data-seat="black"]') == "5:00"
    shown = page.text('.clock[data-seat="white"]')
    assert shown.startswith("3:")
    page.until(f"document.querySelector('.clock[data-seat=white]').textContent < {shown!r}")
    assert page.text('.clock[data-seat="black"]') == "5:00"


def test_with_a_recording_that_is_over_the_clocks_stand_still_on_every_page(page: Page) -> None:
    match = with_clock(page.script.match, parse_control("5m"))
    page.script.match, page.script.t = replace(match, clocks=(replace(match.clocks[0], since=-80.0),)), 20.0
    page.script.show()
    page.open()
    page.until("document.querySelector('.clock[data-seat=white]').textContent < '3:19'")
    page.script.ended()
    page.until("document.getElementById('unseen').dataset.cause === 'recording-ended'")
    time.sleep(1.2)
    assert page.text('.clock[data-seat="white"]') == "3:20"
    page.open()
    assert page.text('.clock[data-seat="white"]') == "3:20"


def test_page_and_record_round_a_clock_alike(page: Page) -> None:
    match = with_clock(page.script.match, parse_control("5m"))
    for left_s, shown in {291.8: "4:52", 287.04: "4:48", 60.0: "1:00", 3599.5: "1:00:00", 19.94: "0:20"}.items():
        page.script.match = replace(match, clocks=(replace(match.clocks[0], left_s=(left_s, 4.31)),))
        page.script.show()
        page.open()
        assert page.text('.clock[data-seat="white"]') == shown
        assert format_time(left_s).removeprefix("0:").removeprefix("0") == shown, "nothing but the hours is left out"
        assert page.text('.clock[data-seat="black"]') == "0:04.4"


def test_an_illegal_move_is_explained_with_what_would_be_lawful(page: Page) -> None:
    page.open()
    for notation in OPENING:
        page.script.play(notation)
    page.script.wrong()
    page.until("document.getElementById('headline').textContent === 'Not a lawful move'")
    note = page.script.match.note
    assert note is not None
    told = note.to_json()
    assert str(told["message"]) in page.text("#reason")
    assert page.text("#reason .chip").startswith("G9xE7")
    assert page.js("document.querySelectorAll('path.mark-x:not(.under)').length") == 2
    assert page.js("document.querySelector('#lights [data-cell=E9]').classList.contains('blink')") is True
    page.until(f"document.getElementById('alarm').textContent === {told['message']!r}")


def test_every_phase_is_shown_without_a_word_on_the_console(page: Page) -> None:
    page.open()
    page.driver.get_log("browser")
    headlines = []
    for _ in states(page.script):
        phase = page.script.match.phase.value
        page.until(f"document.getElementById('status').dataset.phase === '{phase}'")
        headlines.append(page.text("#headline"))
    assert headlines == [
        "White to move",
        "Black to move",
        "Black to move",
        "Not a lawful move",
        "Black is not finished",
        "Which move was it?",
        "Set up the board",
        "The camera does not see the board",
        "Paused",
        "Adjourned",
        "White wins",
    ]
    assert page.js("document.getElementById('turn-piece').classList.contains('white')") is True
    assert page.driver.get_log("browser") == []


def test_nothing_is_wider_than_the_window(page: Page) -> None:
    page.open(DESK)
    for _ in states(page.script):
        page.until(f"document.getElementById('status').dataset.phase === '{page.script.match.phase.value}'")
        for wide_high in (DESK, PHONE, (320, 568), (768, 1024)):
            page.resize(wide_high)
            assert page.js("document.documentElement.scrollWidth <= innerWidth") is True, wide_high


def test_a_question_is_answered_with_a_button(page: Page) -> None:
    page.open()
    for notation in OPENING:
        page.script.play(notation)
    page.script.unclear()
    page.until("document.querySelectorAll('[data-correct]').length === 2")
    page.driver.find_elements(By.CSS_SELECTOR, "[data-correct]")[1].click()
    assert page.asked.get(timeout=PATIENCE_S) == Correct(6, CHAIN)


def test_several_plies_and_no_move_are_answers_as_they_are_offered(page: Page) -> None:
    page.open()
    for notation in OPENING:
        page.script.play(notation)
    several = f"{CHAIN} C6-C5 G9-G8"
    page.script.unclear(options=(several, NO_MOVE))
    page.until("document.querySelectorAll('[data-correct]').length === 2")
    first, second = page.driver.find_elements(By.CSS_SELECTOR, "[data-correct]")
    assert (first.text, second.text) == (several.replace(" ", ", "), "No move was made")
    first.click()
    assert page.asked.get(timeout=PATIENCE_S) == Correct(6, several)
    second.click()
    assert page.asked.get(timeout=PATIENCE_S) == Correct(6, NO_MOVE)


def test_what_was_refused_is_in_sight_of_whoever_pressed_far_below(page: Page) -> None:
    page.open()
    page.js("document.body.style.paddingBottom = '3000px'")
    page.js("scrollTo(0, 2000)")
    assert page.js("scrollY") > 1000
    page.feed.publish_event({"t": 1.0, "event": "refused", "message": "correct: there is no ply 9; 0 have been played"})
    page.until("!document.getElementById('refused').hidden")
    box = "document.getElementById('refused').getBoundingClientRect()"
    page.until(f"{box}.height > 0 && {box}.top >= 0 && {box}.bottom <= innerHeight")


def test_what_the_last_move_may_have_been_instead_is_answered_with_a_button(page: Page) -> None:
    page.open()
    for notation in OPENING:
        page.script.play(notation)
    page.script.unclear(corrections=("F6-F5",))
    page.until("document.querySelectorAll('[data-correct]').length === 3")
    assert "Was ply 5 another move?" in page.text("#status")
    page.driver.find_elements(By.CSS_SELECTOR, "[data-correct]")[2].click()
    assert page.asked.get(timeout=PATIENCE_S) == Correct(5, "F6-F5")


def test_which_of_two_moves_a_ply_was_is_asked_beside_the_running_game(page: Page) -> None:
    page.open()
    page.script.play("E6-E5")
    page.script.leave_open("F6-F5")
    page.until("document.querySelectorAll('[data-correct]').length === 2")
    assert page.text("#headline") == "Black to move"
    assert "Which move was ply 1? The position is the same." in page.text("#reason")
    page.script.play("E10-E9")
    page.until("document.getElementById('headline').textContent === 'White to move'")
    page.driver.find_elements(By.CSS_SELECTOR, "[data-correct]")[1].click()
    assert page.asked.get(timeout=PATIENCE_S) == Correct(1, "F6-F5")


def test_what_was_probably_played_is_asked_and_that_it_does_stand_so_can_be_said(page: Page) -> None:
    page.open()
    page.script.wrongly_set_up()
    page.until("document.getElementById('status').dataset.phase === 'set-up'")
    assert page.js("document.querySelectorAll('[data-correct]').length") == 0
    page.script.wrongly_set_up("E6-E5", "E6-D5")
    page.until("document.querySelectorAll('[data-correct]').length === 2")
    page.driver.find_elements(By.CSS_SELECTOR, "[data-correct]")[0].click()
    assert page.asked.get(timeout=PATIENCE_S) == Correct(1, "E6-E5")
    page.driver.find_element(By.CSS_SELECTOR, "[data-ask=stands-so]").click()
    assert page.asked.empty()
    page.driver.find_element(By.ID, "ask-do").click()
    assert page.asked.get(timeout=PATIENCE_S) == StandsSo()


def test_resigning_is_asked_once_more(page: Page) -> None:
    page.open()
    page.driver.find_element(By.CSS_SELECTOR, "[data-ask=resign]").click()
    assert page.asked.empty()
    page.driver.find_element(By.ID, "ask-do").click()
    assert page.asked.get(timeout=PATIENCE_S) == Resign("white")
    page.until("!document.getElementById('ask').open")


def test_a_wish_that_was_refused_is_told_until_the_next_event(page: Page) -> None:
    page.open()
    page.feed.publish_event({"t": 1.0, "event": "refused", "message": "correct: there is no ply 9; 0 have been played"})
    page.until("!document.getElementById('refused').hidden")
    assert page.text("#refused") == "correct: there is no ply 9; 0 have been played"
    page.script.play("E6-E5")
    page.until("document.getElementById('refused').hidden")


def test_the_board_answers_the_keyboard(page: Page) -> None:
    page.open()
    board = page.driver.find_element(By.ID, "board")
    page.driver.execute_script("arguments[0].focus()", board)
    board.send_keys(Keys.ARROW_UP)
    assert page.text("#cell-told") == "F1: empty"
    for _ in range(5):
        board.send_keys(Keys.ARROW_UP)
    assert page.text("#cell-told").startswith("F6: White man, may go to ")
    board.send_keys(Keys.ESCAPE)
    assert page.text("#cell-told") == ""


def test_the_board_can_be_seen_from_the_other_side(page: Page) -> None:
    page.open()
    top = "document.querySelector('#board .cell[data-cell=F16]').getBoundingClientRect().top"
    bottom = "document.querySelector('#board .cell[data-cell=F1]').getBoundingClientRect().top"
    assert page.js(f"{top} < {bottom}") is True
    page.driver.find_element(By.ID, "turn-board").click()
    assert page.js(f"{top} > {bottom}") is True


def test_nothing_moves_for_those_who_do_not_want_it(page: Page) -> None:
    prefer(page.driver, prefers_reduced_motion="reduce")
    page.open()
    page.script.blind()
    page.until("document.querySelector('#lights .blink') !== null")
    assert page.js("document.getAnimations().length") == 0
    prefer(page.driver, prefers_reduced_motion="no-preference")


def test_the_connection_is_missed_and_comes_back(page: Page) -> None:
    page.open()
    page.driver.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    page.feed.end_listeners()
    page.until("!document.getElementById('offline').hidden")
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False})


@pytest.mark.parametrize("game", names())
def test_every_board_is_drawn_from_its_geometry(chromium: webdriver.Chrome, game: str) -> None:
    page = Page(chromium, game)
    page.open(PHONE)
    board = page.script.game.board
    assert page.js("document.querySelectorAll('#board .cell').length") == len(board.cells)
    pieces = sum(piece > 0 for piece in page.script.match.position.placement)
    assert page.js("document.querySelectorAll('#board [data-piece]').length") == pieces
    assert page.js("document.documentElement.scrollWidth <= innerWidth") is True
    page.close()


@pytest.mark.parametrize("game", names())
def test_cells_of_one_level_that_touch_differ_in_tone_and_none_overlap(game: str) -> None:
    board = load(game).board
    cells = board_view(board).cells
    assert len({(cell.x, cell.y) for cell in cells}) == len(cells)
    tones = {cell.name: cell.tone for cell in cells}
    shared = [
        (board.cells[i], board.cells[k])
        for i in range(len(cells))
        for k in range(i)
        if cells[i].castle is None and len(set(cells[i].points.split()) & set(cells[k].points.split())) == 2
    ]
    assert shared
    assert all(tones[one] != tones[other] for one, other in shared)


def test_the_script_reaches_every_phase() -> None:
    script = Script(Feed())
    assert {script.match.phase for _ in states(script)} == set(Phase)
