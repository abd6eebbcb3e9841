"""The computer's move on the page: what to do on the board, and what was done instead."""

from __future__ import annotations

import pytest

from engine.match.events import DueDeed, DueStep, Partial
from engine.match.state import Phase
from server.board.computer.opponents import SetComputer
from server.board.computer.tutor import SwitchTutor
from server.board.hall_link.far import ENDED_THERE
from tests.server.visitor import Page

STEPS = [
    {"deed": "lift", "cells": ["E6"], "over": []},
    {"deed": "leg", "cells": ["E6", "C8"], "over": ["D7"]},
    {"deed": "leg", "cells": ["C8", "C9"], "over": []},
    {"deed": "take", "cells": ["D7"], "over": []},
]
ADVICE: dict[str, object] = {"side": "white", "move": "E6-C8", "played": "", "trouble": "", "far": False}
ADVICE |= {"said": None, "steps": [], "step": 0, "wrong": [], "left": []}


WITHOUT_COMPUTER = "Choose its level again; if that does not help, play its side yourselves and run referee doctor."


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "The computer plays E6-C8 for White. Make this move on the board."),
        ({"played": "E6-E7"}, "The computer wanted E6-C8, but E6-E7 was made. Take it back, or go on."),
        ({"move": "", "trouble": "it ended"}, f"The computer has no move: it ended. {WITHOUT_COMPUTER}"),
    ],
)
def test_what_the_computer_wants_is_a_sentence(page: Page, more: dict[str, object], said: str) -> None:
    page.open()
    page.driver.get_log("browser")  # what pages before this one left there
    page.script.advice = ADVICE | more
    page.script.show()
    page.until(f"document.querySelector('#reason .say')?.textContent === {said!r}")
    assert not page.js("document.getElementById('reason').hidden")
    assert page.driver.get_log("browser") == []


def test_what_two_boards_do_not_agree_on_is_said_in_the_readers_language(page: Page) -> None:
    page.open(language="de")
    said = {"text": ENDED_THERE, "values": {"result": "1-0", "reason": "resigned"}}
    page.script.advice = ADVICE | {"move": "", "trouble": "in English", "far": True, "said": said}
    page.script.show()
    start = "Das andere Brett sagt 1-0 (durch Aufgabe)"
    page.until(f"document.querySelector('#reason .say')?.textContent.startsWith({start!r})")
    page.driver.delete_cookie("language")


def test_the_steps_are_listed_the_one_that_is_lit_is_marked_and_all_are_spoken_once(page: Page) -> None:
    page.open()
    page.driver.get_log("browser")
    page.script.advice = ADVICE | {"steps": STEPS, "step": 2}
    page.script.show()
    page.until("document.querySelector('ol.carry .lit')?.textContent === 'From E6 over D7 to C8.'")
    assert page.js("[...document.querySelectorAll('ol.carry li')].map((li) => li.textContent).join(' ')") == (
        "Take the piece on E6. From E6 over D7 to C8. From C8 to C9. Take off D7."
    )
    spoken = "document.getElementById('announce').textContent"
    assert str(page.js(spoken)).endswith("Take the piece on E6. From E6 over D7 to C8. From C8 to C9. Take off D7.")
    page.js("document.getElementById('announce').textContent = ''")
    page.script.advice = ADVICE | {"steps": STEPS, "step": 0}
    page.script.show()
    page.until("document.querySelector('ol.carry li') && !document.querySelector('ol.carry .lit')")
    assert page.js(spoken) == "", "said once"
    assert page.driver.get_log("browser") == []


def test_what_is_wrong_with_the_computers_move_is_named_cell_by_cell_and_spoken(page: Page) -> None:
    page.open()
    page.script.advice = ADVICE | {"played": "E6-E7", "wrong": ["E7"], "left": ["C8"]}
    page.script.show()
    page.until("document.querySelector('#reason').textContent.includes('Wrong on E7.')")
    assert "Not done yet on C8." in str(page.js("document.querySelector('#reason').textContent"))
    page.until("document.getElementById('announce').textContent.endsWith('Wrong on E7. Not done yet on C8.')")


def test_in_its_place_nothing_else_is_offered_when_its_move_was_no_move(page: Page) -> None:
    page.open()
    page.script.advice = ADVICE | {"wrong": ["H9"], "left": ["C8"]}
    page.script.wrong()
    page.until("document.querySelector('#reason').textContent.includes('Wrong on H9.')")
    told = str(page.js("document.querySelector('#reason').textContent"))
    assert "The computer plays E6-C8 for White." in told and "Lawful instead" not in told


def test_a_capture_that_may_end_or_go_on_says_both_and_with_the_computers_move_what_is_left_of_it(page: Page) -> None:
    page.open()
    steps = DueStep(DueDeed.REMOVE, "D7"), DueStep(DueDeed.GO_ON, "C10", or_else=True)
    either = Partial(1.0, "E6", steps, ("C8", "C10"), "E6", "C8")
    page.script.tell(Phase.PARTIAL, either)
    page.until("document.querySelector('#reason h3')?.textContent === 'It may end on'")
    assert page.js("[...document.querySelectorAll('#reason .chips li')].map((li) => li.textContent).join()") == "C8,C10"
    assert page.js("[...document.querySelectorAll('#reason .todo li')].map((li) => li.textContent).join()") == (
        "Remove D7,or go on to C10"
    )
    assert page.js("document.querySelectorAll('.mark-dot').length") == 2
    page.script.advice = ADVICE | {"steps": STEPS[-1:], "step": 1}
    page.script.show()
    page.until("document.querySelector('ol.carry .lit')?.textContent === 'Take off D7.'")
    assert "go on" not in str(page.js("document.querySelector('#reason').textContent")).lower()
    assert page.js("document.querySelectorAll('.mark-dot').length") == 0


def test_who_plays_a_side_is_chosen_on_the_page(page: Page) -> None:
    page.script.computer = {"black": 4}
    page.script.show()
    page.open()
    page.tap(".moves [data-ask=opponent]")
    for side, level in (("white", "3"), ("black", "4")):
        page.tap(f"#ask-fields [name=side] [value={side}]")
        page.until(f"document.querySelector('#ask-fields [name=level]').value === '{level}'")
    page.tap("#ask-fields [name=level] [value='7']")
    page.tap("#ask-do")
    assert page.wish() == SetComputer("black", 7, by="page")
    page.until("!document.getElementById('ask').open")
    page.tap(".moves [data-ask=opponent]")
    page.tap("#ask-fields [name=level] [value='']")
    page.tap("#ask-do")
    assert page.wish() == SetComputer("black", None, by="page")


def test_in_a_tournament_no_computer_is_offered(page: Page) -> None:
    page.open()
    shown = "document.querySelector('.moves [data-ask=opponent]').checkVisibility()"
    page.until(shown)
    page.script.mode = "tournament"
    page.script.show()
    page.until(f"!({shown})")


BEST = [
    {"move": "E6-C8", "from": "E6", "to": "C8", "score": 30},
    {"move": "D6-D5", "from": "D6", "to": "D5", "score": 20},
    {"move": "G6-G5", "from": "G6", "to": "G5", "score": 10},
]
TUTOR: dict[str, object] = {
    "best": True,
    "teach": True,
    "moves": BEST,
    "weak": None,
    "threat": None,
    "trouble": "",
}
WEAK = {
    "ply": 1,
    "side": "white",
    "move": "E6-E7",
    "better": "E6-C8",
    "cost": 110,
    "reply": "",
    "takes": 0,
    "loses": False,
    "missed": False,
}


def test_the_best_moves_are_asked_for_shown_and_switched_off_again(page: Page) -> None:
    page.open()
    page.tap("[data-tutor=best]")
    assert page.wish() == SwitchTutor(True, None, by="page")
    page.script.tutor = TUTOR
    page.script.show()
    page.until(
        "[...document.querySelectorAll('#tutor .chip')].map((chip) => chip.textContent).join() "
        "=== '1. E6-C8,2. D6-D5,3. G6-G5'"
    )
    for chip, cell in enumerate(("C8", "D5", "G5"), start=1):
        lit = f"getComputedStyle(document.querySelector('.light[data-cell={cell}]')).fill"
        edge = f"getComputedStyle(document.querySelector('#tutor li:nth-child({chip}) .chip')).borderTopColor"
        assert page.js(edge) == page.js(lit), f"the colour of move {chip} is another on the board"
    assert page.js("document.querySelector('[data-tutor=best]').getAttribute('aria-pressed')") == "true"
    page.tap("[data-tutor=best]")
    assert page.wish() == SwitchTutor(False, None, by="page")
    page.tap("[data-tutor=teach]")
    assert page.wish() == SwitchTutor(None, False, by="page")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"weak": WEAK}, "E6-E7 was weak, by about 1.1 of a man. Better was E6-C8."),
        ({"weak": WEAK | {"reply": "E9xE5", "takes": 1}}, "E6-E7 was weak: E9xE5 captures 1. Better was E6-C8."),
        ({"weak": WEAK | {"loses": True}}, "E6-E7 loses. Better was E6-C8."),
        ({"weak": WEAK | {"missed": True}}, "E6-E7 misses a win: E6-C8."),
        (
            {"threat": {"side": "black", "move": "E9xE7", "takes": 1, "wins": False}},
            "Black threatens E9xE7, which captures 1.",
        ),
        (
            {"threat": {"side": "black", "move": "F2-F1", "takes": 0, "wins": True}},
            "Black threatens to win with F2-F1.",
        ),
        ({"trouble": "it ended"}, "The tutor has no answer: it ended"),
    ],
)
def test_what_a_teacher_says_is_a_sentence_and_is_spoken(page: Page, more: dict[str, object], said: str) -> None:
    page.open()
    page.script.tutor = TUTOR | {"moves": []} | more
    page.script.show()
    page.until(f"document.querySelector('#tutor .say')?.textContent === {said!r}")
    page.until(f"document.getElementById('announce').textContent === {said!r}")
    assert page.driver.get_log("browser") == []


def test_in_a_tournament_neither_best_moves_nor_teacher_are_offered(page: Page) -> None:
    page.open()
    page.script.tutor = TUTOR
    page.script.show()
    page.until("document.querySelectorAll('#tutor .chip').length === 3")
    page.script.mode = "tournament"
    page.script.show()
    page.until("document.getElementById('tutor').hidden && !document.querySelector('#tutor .chip')")
    assert not page.js("[...document.querySelectorAll('[data-tutor]')].some((button) => button.checkVisibility())")
