"""The bundled game watched live on the page, in a real browser: the list of moves grows, a refusal gives its reason."""

from __future__ import annotations

import queue
from pathlib import Path

from selenium import webdriver

from engine.match.events import Event, Illegal
from engine.match.state import Phase
from server.board.live.camera import RecordingEnded
from server.board.live.service import Item, Service
from server.board.pages.app import create_app
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.browser import await_script, size
from tests.server.board.live.seen_once import SeenOnce, film, start
from tests.server.served import serve_app


class Visitor:
    """Somebody at the page, who waits for each change of the game to be shown."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.shown: list[tuple[Phase, int]] = []
        self.refusals: list[str] = []
        size(driver, 1280, 900)
        driver.get(url)
        self.until("document.body.dataset.ready === 'yes'")

    def until(self, expression: str) -> None:
        await_script(self.driver, expression)

    def look(self, phase: Phase, plies: int, note: Event | None) -> None:
        if self.shown and self.shown[-1] == (phase, plies):
            return
        self.shown.append((phase, plies))
        self.until(f"document.querySelectorAll('#moves td[data-ply]').length === {plies}")
        self.until(f"document.getElementById('status').dataset.phase === '{phase.value}'")
        if isinstance(note, Illegal):
            self.until("document.querySelector('#reason .say') !== null")
            self.refusals.append(str(self.driver.execute_script("return document.getElementById('reason').innerText")))


def test_the_bundled_game_is_watched_on_the_page(tmp_path: Path, driver: webdriver.Chrome) -> None:
    match, shown, feed, inbox = start(), iter(film()), Feed(), queue.SimpleQueue[Item]()
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "camelot-0001")
        journal.begin_game(match)
        service = Service(SeenOnce(), journal, feed, inbox=inbox)
        inbox.put(RecordingEnded())
        service.run_loop()  # shows the start
        site = serve_app(create_app(feed, inbox.put, match.game))
        try:
            visitor = Visitor(driver, site.url)

            def taken() -> None:
                now = service.watcher.match
                visitor.look(now.phase, len(now.moves), now.note)
                inbox.put(next(shown, RecordingEnded()))

            inbox.put(next(shown))
            service.run_loop(taken)
        finally:
            driver.get("about:blank")
            feed.end_listeners()
            site.stop_server()
        plies = [plies for _, plies in visitor.shown]
        assert (plies, plies[-1]) == (sorted(plies), 6)
        assert "A piece that can jump must: F6 can." in visitor.refusals[0]
        assert "F6xD4" in visitor.refusals[0]
