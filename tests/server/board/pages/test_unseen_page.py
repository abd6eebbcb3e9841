"""The banner of a board that is not seen, for players, arbiters and spectators, in every language."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from selenium import webdriver

from engine.explain.reasons import Reason
from engine.match.events import CAUSES
from server.board.live.phone import Phone
from server.board.pages.app import Running, create_app
from server.board.upkeep.held import MEANWHILE
from server.languages import load_languages
from server.waits import DISK_TROUBLES, NEARLY_FULL
from tests.server.script import OPENING
from tests.server.served import serve_app
from tests.server.visitor import PHONE, Page

BANNER = "document.getElementById('unseen').innerText"
DETAIL = "camera 0: gives no more pictures; check the cable or the network"


@pytest.fixture
def page(chromium: webdriver.Chrome) -> Iterator[Page]:
    page = Page(chromium)
    page.script.play(OPENING[0])
    yield page
    chromium.delete_all_cookies()
    page.close()


def test_players_are_told_why_and_what_to_do_until_it_is_seen_again(page: Page) -> None:
    page.open()
    assert page.one("#unseen").get_attribute("aria-live") == "assertive"
    assert page.js("document.getElementById('unseen').offsetHeight") == 0
    page.script.cannot_see("shake")
    page.until(f"{BANNER}.endsWith('{CAUSES['shake']}')")
    assert page.text("#unseen").endswith("The board is not seen. The picture shakes: put the camera on firm ground.")
    assert page.text("#fit") == "–"
    assert page.js("document.querySelectorAll('#lights > *').length") == 0, "the position stays in view"
    assert page.js("document.querySelectorAll('#led-dots > *').length"), "the lights' picture shows the cross"
    page.script.seen_again()
    page.until(f"{BANNER} === ''")
    page.until("document.getElementById('announce').textContent === 'The board is seen again.'")
    assert page.text("#fit") == "97 %"


def test_the_banner_is_not_said_again_with_every_snapshot(page: Page) -> None:
    page.open()
    page.script.cannot_see("dark")
    page.until(f"{BANNER} !== ''")
    page.driver.execute_script("document.getElementById('unseen').firstChild.id = 'the-same'")
    page.script.waiting(Reason("cells-not-seen", 12, 0))
    page.script.play(OPENING[1])
    page.until("document.querySelectorAll('#moves td[data-ply]').length === 2")
    assert page.js("document.getElementById('the-same') !== null")


@pytest.mark.parametrize("path", ["", "games"])
def test_who_has_a_phone_as_camera_is_told_what_fits_a_phone(page: Page, path: str) -> None:
    page.site.stop_server()
    page.app = create_app(page.feed, page.put, page.script.game, running=Running(phone=Phone((640, 480))))
    page.site = serve_app(page.app)
    page.open(path=path)
    for cause, told in (("frozen", "sends the same picture again and again"), ("no-picture", "sends no picture")):
        page.script.cannot_see(cause)
        page.until(f"{BANNER}.includes('The phone {told}: turn its screen on, or open its page again')")


def test_a_camera_that_is_gone_is_named_for_the_arbiter_even_on_a_phone(page: Page) -> None:
    page.open(PHONE, "arbiter")
    page.script.camera_lost(DETAIL)
    page.until(f"{BANNER}.endsWith('{DETAIL}')")
    page.driver.execute_script("scrollTo(0, 900)")
    page.until("document.getElementById('unseen').getBoundingClientRect().top === 0")


def test_spectators_are_told_that_it_is_so(page: Page) -> None:
    page.open(path="spectator")
    page.script.cannot_see("blur")
    page.until(f"{BANNER}.endsWith('The board is not seen.')")


@pytest.mark.parametrize("code", load_languages())
def test_every_language_says_it(page: Page, code: str) -> None:
    page.open(language=code)
    for cause, said in CAUSES.items():
        page.script.cannot_see(cause)
        wanted = load_languages()[code].translate_text(said)
        assert code == "en" or wanted != said
        page.until(f'{BANNER}.includes("{wanted}")')  # of a slow camera it is said besides how slow


def test_what_is_out_of_order_besides_is_said_while_the_game_goes_on(page: Page) -> None:
    """A bad port of the lights, and another program that holds the record."""
    page.open()
    assert page.js("document.getElementById('troubles').offsetHeight") == 0
    shown = dict(page.feed.newest_snapshot or {})
    page.feed.update_snapshot(shown | {"lights": "/dev/ttyUSB7: there is no such device"})
    page.until("document.getElementById('troubles').innerText.includes('go')")
    said = page.text("#troubles")
    assert said.startswith("The lights do not work as they should; the game goes on.")
    assert said.endswith("/dev/ttyUSB7: there is no such device")
    page.driver.add_cookie({"name": "language", "value": "de"})
    page.feed.update_snapshot(shown | {"lights": "/dev/ttyUSB7: unplugged: plug it in again"})
    page.open()
    page.until("document.getElementById('troubles').innerText.includes('/dev/ttyUSB7: ausgesteckt: Stecken Sie')")
    page.driver.delete_all_cookies()
    page.open()
    missing = "there is no such device: plug it in, or start with the port that `referee lights find` shows"
    page.feed.update_snapshot(shown | {"lights": f"/dev/ttyUSB7: {missing}"})
    page.until("document.querySelector('#troubles code')?.innerText === 'referee lights find'")
    assert "`" not in page.text("#troubles")
    full = f"{DISK_TROUBLES[sqlite3.SQLITE_FULL][1]}; {MEANWHILE}"
    page.feed.update_snapshot(shown | {"lights": None, "record": full})
    page.until("document.getElementById('troubles').innerText.includes('record\\'s disk')")
    assert page.text("#troubles") == (
        "Moves are refereed and held in memory, and shown once they can be saved: "
        "the record's disk is full: free some space on it."
    )
    page.feed.update_snapshot(shown | {"lights": None, "record": "the record is held by another program"})
    page.until("document.getElementById('troubles').innerText.startsWith('Another program')")
    page.feed.update_snapshot(shown | {"lights": None, "hall": "broker.example:8883: it cannot be reached"})
    page.until("document.getElementById('troubles').innerText.startsWith('The hall does not follow this board')")
    page.feed.update_snapshot(shown | {"hall": None, "disk": NEARLY_FULL})
    page.until("document.getElementById('troubles').innerText.includes('disk of the record')")
    assert page.text("#troubles") == (
        "The game goes on, but there is hardly any room for it: "
        "the disk of the record is nearly full, and takes no more pictures: make room on it."
    )
    page.feed.update_snapshot(shown)
    page.until("document.getElementById('troubles').offsetHeight === 0")
