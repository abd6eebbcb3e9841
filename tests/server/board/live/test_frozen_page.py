"""A film that freezes, at the page in a real browser: the banner, its end, and the end of the recording."""

from __future__ import annotations

import json
import queue
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from selenium import webdriver

from calibration import profile as profiles
from engine.games import load
from engine.match.events import CAUSES
from engine.match.referee import new_match
from server.board.live.camera import RecordingEnded
from server.board.live.service import Item, Service, Stop
from server.board.pages.app import Running, create_app
from server.record.journal import Journal
from server.record.store import open_record
from server.spectators.broadcast import Broadcast
from server.web.feed import Feed
from tests.browser import await_script, size
from tests.server.served import serve_app
from vision.frames import Frame, load_picture
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
START = SESSION / "frame_0001.jpg"
"""All pieces stand where the game begins."""
PATIENCE_S = 20
FPS = 8
LIVELY, FROZEN = 24, 32
"""Frames before and after the freeze, and in it."""
WITHIN_S = 3.0
SHOWN = "document.getElementById('unseen').dataset.cause"


def film() -> Iterator[Frame]:
    """A still board with the noise of a camera, which freezes for four seconds."""
    dice, still = np.random.default_rng(1), load_picture(START)
    noisy = still
    for number in range(2 * LIVELY + FROZEN):
        if not LIVELY <= number < LIVELY + FROZEN:
            noise = dice.normal(0.0, 2.0, still.shape[:2])[..., None]
            noisy = np.clip(still + noise, 0, 255).astype(np.uint8)
        yield Frame(number / FPS, noisy)


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
        return str(answer.read().decode())


class Visitor:
    """Somebody at a page who sees each change of the cause."""

    def __init__(self, driver: webdriver.Chrome, url: str, feed: Feed) -> None:
        self.driver, self.url, self.feed = driver, url, feed
        self.seen: list[tuple[str, float]] = []
        """Each cause and the stream time of the frame with which it came."""
        self.said: dict[str, str] = {}
        self.health: dict[str, object] = {}
        self.measured: dict[str, str] = {}

    def until(self, expression: str) -> None:
        await_script(self.driver, expression)

    def look(self, t: float) -> None:
        unseen = (self.feed.newest_snapshot or {})["cannot_see"]
        cause = str(unseen["cause"]) if isinstance(unseen, dict) else ""
        if self.seen and self.seen[-1][0] == cause:
            return
        self.seen.append((cause, t))
        self.until(f"{SHOWN} === '{cause}'")
        self.said[cause] = str(self.driver.execute_script("return document.getElementById('unseen').innerText"))
        self.health[cause] = json.loads(get(f"{self.url}healthz"))
        self.measured[cause] = get(f"{self.url}metrics")


def test_a_film_that_freezes_is_said_on_the_page(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    game, feed, spectators, inbox = load("camelot", "wcf"), Feed(), Feed(), queue.SimpleQueue[Item]()
    match, pictures = new_match(game), film()
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "camelot-0001")
        journal.begin_game(match)
        watcher = Watcher(profiles.load_profile(SESSION / "profile.toml"), match)
        service = Service(watcher, journal, feed, inbox=inbox)
        service.stay = True
        service.set_broadcast(Broadcast(spectators, 0.0))
        service.show_match()
        site = serve_app(create_app(feed, inbox.put, game, running=Running(spectators=spectators)))
        try:
            size(chromium, 1280, 900)
            chromium.get(site.url)
            visitor = Visitor(chromium, site.url, feed)
            visitor.until("document.body.dataset.ready === 'yes'")

            def taken() -> None:
                assert watcher.last is not None
                visitor.look(watcher.last.t)
                if (frame := next(pictures, None)) is not None:
                    inbox.put(frame)
                else:
                    inbox.put(RecordingEnded())
                    inbox.put(Stop())

            inbox.put(next(pictures))
            service.run_loop(taken)
            visitor.look((2 * LIVELY + FROZEN) / FPS)
            over = []
            for page in ("arbiter", "spectator"):
                chromium.get(site.url + page)
                visitor.until(f"{SHOWN} === 'recording-ended'")
                over.append(chromium.execute_script("return document.getElementById('unseen').innerText"))
        finally:
            chromium.get("about:blank")
            feed.end_listeners()
            spectators.end_listeners()
            site.stop_server()
        events = record.read_events("camelot-0001")
    causes, times = zip(*visitor.seen, strict=True)
    assert causes == ("", "frozen", "", "recording-ended")
    frozen_t, again_t = (LIVELY - 1) / FPS, (LIVELY + FROZEN) / FPS
    assert frozen_t + 2.0 < times[1] <= frozen_t + WITHIN_S
    assert times[2] == again_t
    assert CAUSES["frozen"] in visitor.said["frozen"]
    assert visitor.said[""] == ""
    said = [visitor.said["recording-ended"], *over]
    assert all(one.startswith("The recording is over.") for one in said), said
    assert said[-1] == "The recording is over.", "who only looks on is offered nothing"
    degraded = {"status": "degraded", "cause": "frozen", "message": CAUSES["frozen"]}
    assert visitor.health["frozen"].items() >= degraded.items()
    assert visitor.health[""]["status"] == "ok"
    assert 'referee_cannot_see{cause="frozen"} 1.0' in visitor.measured["frozen"]
    assert 'referee_cannot_see{cause="frozen"} 0.0' in visitor.measured[""]
    assert f"referee_unseen_seconds_total {times[2] - times[1]}" in visitor.measured["recording-ended"]
    told = [(e["event"], e["t"]) for e in events if e["event"] in ("cannot-see", "seen-again")]
    assert told == [("cannot-see", times[1]), ("seen-again", times[2])]
