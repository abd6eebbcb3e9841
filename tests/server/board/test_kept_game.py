"""Another game is chosen on the page, and then none: the one before goes on as it was asked for at the start."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

from selenium import webdriver

from server.board.life_sign import SIGN_EVERY_S
from server.record.store import open_record
from tests.browser import await_script, size
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.live.test_hung_camera import Film
from tests.server.board.setup.streams import mjpeg
from tests.server.board.upkeep.test_lost_time import ask, move, serving, shown, start_clocks
from tests.server.commands.test_serve import GAME

CONTROL_S = 300.0
AWAY_S = 3.0
ACCEPTED, GIVEN = range(200, 300), 200
RULES = "brainking"
"""Not those of the profile."""


def post(url: str, name: str, **body: str) -> int:
    request = urllib.request.Request(  # noqa: S310  # our own address
        f"{url}api/v1/{name}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310  # the same
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def status(url: str) -> int:
    """Of the game; between two sites nobody answers."""
    try:
        with urllib.request.urlopen(f"{url}api/v1/game", timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
            return int(answer.status)
    except OSError:
        return 0


def go_on(url: str) -> None:
    """As the button of the page that lets a game be chosen."""
    wait_until(lambda: post(url, "wizard/again") in ACCEPTED)
    wait_until(lambda: status(url) == GIVEN)


def test_the_game_goes_on_with_the_camera_and_rules_that_were_named_and_is_asked_about_the_time(tmp_path: Path) -> None:
    film = Film()
    move(tmp_path, 0.0, 0.0)
    terms = ("--clock", "5m", "--rules", RULES)
    with mjpeg("127.0.0.1", lambda _: film.picture()) as (camera, _), serving(tmp_path, camera, *terms) as url:
        start_clocks(url)
        begun = shown(url, lambda now: now["clocks"]["left"]["white"] < CONTROL_S - 2.0)
        assert post(url, "onward", what="other-game") in ACCEPTED
        time.sleep(AWAY_S)
        go_on(url)
        asked = shown(url, lambda now: now["phase"] == "paused")
        assert asked["name"] == GAME, "by its rules too"
        assert (asked["note"]["event"], asked["note"]["kind"]) == ("time-lost", "set-up")
        assert AWAY_S / 2 < asked["note"]["seconds"] < AWAY_S + SIGN_EVERY_S
        assert asked["clocks"]["left"]["white"] <= begun["clocks"]["left"]["white"]
        ask(url, "resume", asked)
        shown(url, lambda now: now["phase"] == "playing" and now["clocks"]["running"] == "white")
    with open_record(tmp_path / "games.sqlite3") as record:
        assert list(record.event_counts()) == [GAME]


SET_UP = "The board is being set up, or another game chosen, on another page."
BANNER = f"(b => !b.hidden && b.textContent.startsWith('{SET_UP}'))(document.getElementById('offline'))"
FACE = "return document.querySelector('.clock[data-seat=white]').textContent"
DRAW = """
const { ask } = await import("/static/js/post.js");
arguments[0]((await ask("draw", {})).problem);
"""
"""As a button asks for it; what is wrong is shown beside it."""
WITHIN_S = 3.0
"""A second that had begun on the clock when the game was left, and what a busy machine takes to hear and say so: 2 s
were seen."""


def test_other_pages_say_that_a_game_is_chosen_and_their_clocks_stand(
    chromium: webdriver.Chrome, tmp_path: Path
) -> None:
    film, until_page = Film(), partial(await_script, chromium)
    move(tmp_path, 0.0, 0.0)
    with mjpeg("127.0.0.1", lambda _: film.picture()) as (camera, _), serving(tmp_path, camera) as url:
        start_clocks(url)
        shown(url, lambda now: now["clocks"]["left"]["white"] < CONTROL_S - 2.0)
        size(chromium, 1280, 900)
        first = chromium.current_window_handle
        chromium.switch_to.new_window("tab")
        try:
            chromium.get(f"{url}spectator")
            until_page("document.querySelector('.clock[data-seat=white]')")
            chromium.switch_to.window(first)
            chromium.get(url)
            until_page("document.querySelector('.clock[data-seat=white]')")
            assert post(url, "onward", what="other-game") in ACCEPTED
            until_page(BANNER)
            face = chromium.execute_script(FACE)
            time.sleep(AWAY_S)
            assert chromium.execute_script(FACE) == face
            said = chromium.execute_async_script(DRAW)
            assert str(said).startswith(SET_UP)
            chromium.switch_to.window(chromium.window_handles[-1])
            until_page(BANNER)
            go_on(url)
            until_page("document.getElementById('offline').hidden")
            chromium.switch_to.window(first)
            until_page("document.getElementById('offline').hidden")
            until_page("document.getElementById('subline').textContent.includes('the board was being set up')")
            minutes, seconds = str(face).split(":")
            left = shown(url, lambda now: now["phase"] == "paused")["clocks"]["left"]["white"]
            assert abs(int(minutes) * 60 + int(seconds) - left) < WITHIN_S
        finally:
            for tab in chromium.window_handles:
                if tab != first:
                    chromium.switch_to.window(tab)
                    chromium.close()
            chromium.switch_to.window(first)
            chromium.get("about:blank")
