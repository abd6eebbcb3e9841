"""The board taken as the camera reads it: drawn beside the picture, and nothing that is in doubt without a word."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping

import cv2
import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.support.ui import Select

from engine.game import Move
from engine.match.acts import SetPosition
from engine.text.positions import to_json
from tests.patience import PATIENCE_S
from tests.server.script import CHAIN, OPENING
from tests.server.visitor import DESK, PHONE, Page

GHOST, HALF = "G8", "F8"
"""Empty cells: one is read as a piece, hardly; the other is hidden."""
CONFIRMED = "document.querySelectorAll('.stands-board .settled').length"


def beliefs(page: Page) -> dict[str, dict[str, object]]:
    """The camera reads what the record says, surely."""
    game, stood = page.script.game, page.script.match.position.placement
    looks = {cell: game.looks[game.look_of[piece]] for cell, piece in zip(game.board.cells, stood, strict=True)}
    return {cell: {"look": look, "expected": look, "confidence": 1.0, "hidden": False} for cell, look in looks.items()}


@pytest.fixture
def page(chromium: webdriver.Chrome) -> Iterator[Page]:
    page = Page(chromium)
    for notation in OPENING:
        page.script.play(notation)
    read = beliefs(page)
    read[GHOST] |= {"look": "dark", "confidence": 0.57}
    read[HALF] |= {"hidden": True}
    page.feed.update_beliefs(read)
    page.feed.update_picture(cv2.imencode(".jpg", np.full((300, 400, 3), 90, np.uint8))[1].tobytes())
    box = [(180.0, 100.0), (210.0, 100.0), (210.0, 130.0), (180.0, 130.0)]
    page.feed.update_views((), (400, 300), {GHOST: box, HALF: box, "G7": box})
    page.script.wrong()
    yield page
    page.close()


def begin(page: Page, wide_high: tuple[int, int]) -> None:
    page.open(wide_high)
    page.until("document.querySelector('[data-ask=as-it-stands]') !== null")
    page.driver.execute_script("document.querySelector('[data-ask=as-it-stands]').click()")
    page.until("document.querySelectorAll('.doubts input').length === 2")


@pytest.mark.parametrize("wide_high", [DESK, PHONE])
def test_what_is_in_doubt_is_shown_and_taken_by_nobody_before_it_was_looked_at(
    page: Page, wide_high: tuple[int, int]
) -> None:
    begin(page, wide_high)
    marked = "[...document.querySelectorAll('.stands-board .doubted')].map((one) => one.dataset.cell).sort()"
    assert page.js(marked) == sorted([GHOST, HALF])
    assert page.js(f"document.querySelector('.stands-board [data-piece][data-cell={GHOST}]') !== null")
    assert page.js("document.querySelectorAll('.doubt-mark').length") == 2
    page.until("document.querySelector('.stands-picture img').naturalWidth > 0")
    assert page.js("document.querySelectorAll('.stands-picture polygon').length") == 2, "where to look"
    assert page.js("document.getElementById('ask').scrollWidth <= document.getElementById('ask').clientWidth")
    page.tap("#ask-do")
    page.until("document.getElementById('ask-fault').textContent.length > 0")
    assert GHOST in page.text("#ask-fault")
    assert page.asked.empty()
    page.driver.execute_script(
        f"document.querySelector('.stands-board .doubted[data-cell={GHOST}]')"
        ".dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    )
    assert page.js(CONFIRMED) == 1
    assert page.js(f"document.querySelector('.stands-board [data-piece][data-cell={GHOST}]') === null"), "empty is next"
    page.tap(f"[data-doubt='tick {HALF}']")
    page.tap("#ask-do")
    act = page.wish()
    assert isinstance(act, SetPosition) and act.stands
    assert act.position["cells"] == to_json(page.script.game, page.script.match.position)["cells"]
    page.until("!document.getElementById('ask').open")


def test_the_side_to_move_is_the_one_after_the_ply_that_explains_what_is_read(page: Page) -> None:
    game, match = page.script.game, page.script.match
    move = game.read(match.position, CHAIN)
    assert isinstance(move, Move)
    after = game.play(match.position, move)
    read = beliefs(page)
    for cell, piece in zip(game.board.cells, after.placement, strict=True):
        read[cell] |= {"look": game.looks[game.look_of[piece]]}
    page.feed.update_beliefs(read)
    page.open(DESK)
    page.until("document.querySelector('[data-ask=as-it-stands]') !== null")
    page.driver.execute_script("document.querySelector('[data-ask=as-it-stands]').click()")
    page.until("document.querySelector('#ask-fields [name=side]')?.value === 'white'")
    assert page.js("document.getElementById('headline').textContent") == "Not a lawful move"
    assert match.side_to_move == "black"
    Select(page.one("#ask-fields [name=side]")).select_by_value("black")
    page.script.show()
    page.until("document.querySelectorAll('.stands-board').length === 1")
    assert page.js("document.querySelector('#ask-fields [name=side]').value") == "black", "what somebody said holds"


def test_what_comes_into_doubt_meanwhile_is_asked_too(page: Page) -> None:
    begin(page, DESK)
    page.tap(f"[data-doubt='change {GHOST}']")
    page.tap(f"[data-doubt='tick {HALF}']")
    read = beliefs(page)
    read[GHOST] |= {"look": "dark", "confidence": 0.57}
    read["G7"] |= {"confidence": 0.8}
    page.feed.update_beliefs(read)
    page.tap("#ask-do")
    page.until("document.getElementById('ask-fault').textContent.includes('G7')")
    page.until("document.querySelectorAll('.doubts input').length === 3")
    assert page.js(CONFIRMED) == 2, "what was said holds"
    assert page.asked.empty()


def post(page: Page, body: Mapping[str, object]) -> tuple[int, str]:
    request = urllib.request.Request(  # noqa: S310  # our own address
        f"{page.site.url}api/v1/position", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
            return answer.status, ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, str(json.load(error)["detail"])


def test_a_program_is_refused_what_is_in_doubt_in_one_line(page: Page) -> None:
    with urllib.request.urlopen(f"{page.site.url}api/v1/stands", timeout=PATIENCE_S) as answer:  # noqa: S310
        stands = json.load(answer)
    assert (stands["differs"], sorted(stands["doubtful"])) == ([GHOST], sorted([GHOST, HALF]))
    stood = {"position": stands["position"], "wish": "w", "on": {"game": "x", "ply": 0, "state": "0"}}
    status, said = post(page, stood | {"confirmed": [HALF]})
    assert status == 409
    assert said.startswith(f"position: {GHOST} in doubt:")
    assert "\n" not in said
    assert post(page, stood | {"confirmed": "G8"})[0] == 422
    assert post(page, stood | {"confirmed": ["Z9"]})[0] == 422


def test_a_board_that_was_not_read_is_no_position(chromium: webdriver.Chrome) -> None:
    page = Page(chromium)
    try:
        with urllib.request.urlopen(f"{page.site.url}api/v1/stands", timeout=PATIENCE_S) as answer:  # noqa: S310
            assert (answer.status, answer.read()) == (204, b"")
        position = to_json(page.script.game, page.script.match.position)
        assert post(page, {"position": position, "confirmed": []})[0] == 409
    finally:
        page.close()


def test_where_cells_are_in_doubt_and_none_differs_that_is_said(page: Page) -> None:
    read = beliefs(page)
    read[HALF] |= {"hidden": True}
    page.feed.update_beliefs(read)
    page.open(DESK)
    page.until("document.querySelector('[data-ask=as-it-stands]') !== null")
    page.driver.execute_script("document.querySelector('[data-ask=as-it-stands]').click()")
    page.until("document.querySelectorAll('.doubts input').length === 1")
    told = "Apart from the cells in doubt, the camera reads the position of the record."
    page.until(f"document.querySelector('#ask-fields .told').textContent === '{told}'")
