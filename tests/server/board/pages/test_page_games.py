"""Games in mid-play on the page: three players, three levels, many kinds of pieces; reload, no network, two screens."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from selenium import webdriver

from engine.errors import InputError
from engine.match.acts import Correct, Resign
from engine.match.arbiter import apply_act
from tests.server.script import CHAIN, OPENING
from tests.server.visitor import PHONE, Page

Opened = Callable[[str], Page]
PLIES = 12


@pytest.fixture
def opened(chromium: webdriver.Chrome) -> Iterator[Opened]:
    """Opens the page of a game, and closes it at the end."""
    pages = []

    def visit(game: str) -> Page:
        pages.append(Page(chromium, game))
        pages[-1].open(PHONE)
        return pages[-1]

    yield visit
    for page in pages:
        page.close()


def play(page: Page, plies: int) -> None:
    """Lawful moves, drawn by lot."""
    lot, script = random.Random(3), page.script
    for _ in range(plies):
        position = script.match.position
        script.play(script.game.write(position, lot.choice(script.game.moves(position))))


def shown(page: Page) -> dict[str, str]:
    """The pieces on the drawn board."""
    found = page.js(
        "Object.fromEntries([...document.querySelectorAll('#board [data-piece]')]"
        ".map((one) => [one.dataset.cell, one.dataset.piece]))"
    )
    assert isinstance(found, dict)
    return found


def stands(page: Page) -> dict[str, str]:
    """The pieces of the match."""
    game, placement = page.script.game, page.script.match.position.placement
    return {cell: game.codes[piece] for cell, piece in zip(game.board.cells, placement, strict=True) if piece}


def test_who_is_out_of_a_game_of_three_is_not_offered_to_resign(opened: Opened) -> None:
    page = opened("tri-camelot")
    page.script.match, _ = apply_act(page.script.match, Resign("blue"), 1.0)
    page.script.show()
    page.until("document.querySelectorAll('#board [data-piece^=B]').length === 0")
    page.tap(".acts [data-ask=resign], .moves [data-ask=resign]")
    offered = page.js("[...document.querySelector('#ask [name=side]').options].map((one) => one.value)")
    assert offered == ["red", "green"]
    with pytest.raises(InputError, match=r"Blue is out of the game already\."):
        apply_act(page.script.match, Resign("blue"), 2.0)


@pytest.mark.parametrize("game", ["tri-camelot", "cam-3d", "camblam"])
def test_a_game_of_another_kind_is_followed(opened: Opened, game: str) -> None:
    page = opened(game)
    page.driver.get_log("browser")
    play(page, PLIES)
    page.until(f"document.querySelectorAll('#moves td[data-ply]').length === {PLIES}")
    page.until("document.getElementById('moves').textContent.length > 100")
    assert shown(page) == stands(page)
    assert page.js("document.querySelectorAll('#moves thead th').length") == 1 + len(page.script.game.seats)
    assert page.js("document.querySelectorAll('#sides li').length") == len(page.script.game.seats)
    assert page.text("#headline") == f"{page.script.match.side_to_move.title()} to move"
    assert page.js("document.documentElement.scrollWidth <= innerWidth") is True
    assert page.driver.get_log("browser") == []


def test_a_reload_in_mid_game_shows_all_of_it(opened: Opened) -> None:
    page = opened("camelot")
    for notation in OPENING:
        page.script.play(notation)
    page.script.wrong()
    page.until("document.getElementById('status').dataset.phase === 'trouble'")
    before = page.text("#reason"), page.text("#moves")
    page.driver.refresh()
    page.until("document.body.dataset.ready === 'yes'")
    page.until("document.getElementById('status').dataset.phase === 'trouble'")
    assert (page.text("#reason"), page.text("#moves")) == before
    assert shown(page) == stands(page)


def test_what_happened_while_the_network_was_gone_is_shown_when_it_is_back(opened: Opened) -> None:
    page = opened("camelot")
    page.script.play(OPENING[0])
    page.until("document.querySelectorAll('#moves td[data-ply]').length === 1")
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        page.site.stop_server()
        page.until("!document.getElementById('offline').hidden")
        for notation in OPENING[1:]:
            page.script.play(notation)
        page.reopen()
    finally:  # the browser is shared: the tests after this one need a network, however it ends
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False})
    page.until("document.querySelectorAll('#moves td[data-ply]').length === 5")
    page.until("document.getElementById('offline').hidden")
    assert shown(page) == stands(page)


def test_two_screens_show_the_same_and_either_answers(opened: Opened) -> None:
    page = opened("camelot")
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("window")
    try:
        page.open()
        for notation in OPENING:
            page.script.play(notation)
        page.script.unclear()
        page.until("document.querySelectorAll('[data-correct]').length === 2")
        page.tap(f"[data-correct='{CHAIN}']")
        assert page.wish() == Correct(6, CHAIN)
        page.script.play(CHAIN)
        page.until("document.getElementById('status').dataset.phase === 'playing'")
    finally:
        page.driver.close()
        page.driver.switch_to.window(first)
    page.until("document.querySelectorAll('#moves td[data-ply]').length === 6")
    assert shown(page) == stands(page)
