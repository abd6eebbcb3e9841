"""The board on other pages: sites that were named may frame it, others may not, and a film may lie behind it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from engine.errors import InputError
from server.board.pages.app import create_app
from server.web.access.accounts import Accounts, Door, write_accounts
from server.web.access.visitors import Visitors
from server.web.guard import parse_site
from tests.browser import await_script, size
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

CLUB = "https://club.example"


def policy(answer_headers: dict[str, str]) -> str:
    """Who may frame an answer."""
    return next(part for part in answer_headers["Content-Security-Policy"].split("; ") if "frame-ancestors" in part)


def test_only_named_sites_may_frame_the_board_and_only_the_board(script: Script) -> None:
    named = create_app(script.feed, print, script.game, visitors=Visitors(sites=(CLUB,))).test_client()
    nobody = create_app(script.feed, print, script.game).test_client()
    assert policy(dict(named.get("/embed").headers)) == f"frame-ancestors {CLUB}"
    assert policy(dict(nobody.get("/embed").headers)) == "frame-ancestors 'none'"
    for path in ("/", "/arbiter", "/spectator", "/overlay"):
        assert policy(dict(named.get(path).headers)) == "frame-ancestors 'none'"


@pytest.mark.parametrize(
    "text",
    ["club.example", "https://club.example/path", "https://a; script-src *", "https://a b", "*", "https://*", ""],
)
def test_a_site_is_an_origin_and_nothing_else(text: str) -> None:
    with pytest.raises(InputError, match=r"not a site; write it as https://club\.example\.org"):
        parse_site(text)


def test_naming_a_site_shows_the_board_to_anybody_and_no_more(tmp_path: Path, script: Script) -> None:
    """With accounts but without a login."""
    file = tmp_path / "accounts.json"
    write_accounts(file, Accounts())
    shown = create_app(script.feed, print, script.game, visitors=Visitors(door=Door(file), sites=(CLUB,))).test_client()
    hidden = create_app(script.feed, print, script.game, visitors=Visitors(door=Door(file))).test_client()
    for path in ("/embed", "/overlay", "/api/v1/spectator/game"):
        assert shown.get(path).status_code == 200
        assert hidden.get(path).status_code in {303, 401}
    for path in ("/", "/api/v1/game", "/api/v1/camera.jpg", "/arbiter", "/games", "/spectator"):
        assert shown.get(path).status_code in {303, 401}


@contextmanager
def elsewhere(framed: list[str]) -> Iterator[str]:
    """A page of another site with the last address of `framed` in a frame; its origin."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = f"<!doctype html><h1>Club</h1><iframe src='{framed[-1]}' width=800 height=600></iframe>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *about: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("allowed", [True, False])
def test_a_browser_shows_the_board_in_a_frame_of_a_named_site(allowed: bool, script: Script, driver: Chrome) -> None:
    framed: list[str] = []
    with elsewhere(framed) as origin:
        page = serve_app(
            create_app(
                script.feed, print, script.game, visitors=Visitors(sites=(CLUB, *([origin] if allowed else [])))
            ),
        )
        framed.append(f"{page.url}embed")
        driver.get(origin)
        driver.switch_to.frame(0)
        ready = "document.body && document.body.dataset.ready === 'yes'"
        if allowed:
            await_script(driver, ready)
            script.play(OPENING[0])
            pieces = "return document.querySelectorAll('#pieces > *').length"
            assert driver.execute_script(pieces) == 28
            assert not driver.execute_script("return document.querySelector('header').checkVisibility()")
        else:
            assert not driver.execute_script(f"return {ready}")
        page.stop_server()


def test_a_film_is_seen_behind_the_overlay(script: Script, driver: Chrome) -> None:
    page = serve_app(create_app(script.feed, print, script.game))
    size(driver, 1280, 720)
    driver.get(f"{page.url}overlay")
    await_script(driver, "document.body.dataset.ready")
    behind = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    fits = driver.execute_script("return document.documentElement.scrollHeight <= innerHeight")
    page.stop_server()
    assert behind == "rgba(0, 0, 0, 0)"
    assert fits
