"""Why something was refused, shown as a movement: asked for on the page, stepped through by the service."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium import webdriver

from calibration import profile as profiles
from engine import games
from engine.errors import InputError
from engine.match.events import Illegal
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.computer.carrying import STEP_S
from server.board.live.camera import RecordingEnded
from server.board.live.hints import Showing, ShowWhy
from server.board.live.service import Item, Service, Stop
from server.board.upkeep.lost_time import TimeSources
from server.record.journal import Journal
from server.record.store import open_record
from server.spectators.withheld import snapshot_without_hints
from server.web.feed import Feed
from tests.patience import PATIENCE_S
from tests.server.script import OPENING
from tests.server.visitor import Page
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
PROFILE = profiles.load_profile(SESSION / "profile.toml")


def refused() -> Match:
    """A piece went two cells over nothing, and stands there."""
    match = new_match(games.load(PROFILE.game, PROFILE.rules))
    note = Illegal(0.0, ("D6", "D8"), "not-a-move", "That is no move.", ())
    return replace(match, phase=Phase.TROUBLE, note=note)


class Hand:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[Service, Feed, Hand]]:
    with open_record(tmp_path / "games.sqlite3") as record:
        match, feed, clock = refused(), Feed(), Hand()
        journal = Journal(record, "game")
        journal.begin_game(match)
        yield Service(Watcher(PROFILE, match), journal, feed, clocks=TimeSources(clock, clock, clock)), feed, clock


def told(service: Service, *items: ShowWhy | RecordingEnded) -> None:
    for item in (*items, Stop()):
        service.inbox.put(item)
    service.run_loop()


def test_it_goes_on_step_by_step_and_comes_to_an_end(service: tuple[Service, Feed, Hand]) -> None:
    running, feed, clock = service
    told(running, ShowWhy("page"))
    shown = []
    while feed.newest_snapshot is not None and feed.newest_snapshot["showing"] is not None and len(shown) < 50:
        shown.append((feed.newest_snapshot["showing"], feed.newest_snapshot["leds"]))
        clock.s += STEP_S
        running.show_match()
    steps = [dict(step) for step, _ in shown if isinstance(step, dict)]
    assert [step["step"] for step in steps] == list(range(1, steps[0]["of"] + 1))
    assert steps[0]["deed"] == "tried" and steps[0]["cells"] == ["D6", "D8"]
    assert {step["deed"] for step in steps[1:]} >= {"leg"}
    assert all(
        leds and set(leds) <= {*step["cells"], *step["over"]}
        for step, leds in zip(steps, [lights for _, lights in shown], strict=True)
    )


def test_a_page_that_only_waits_sees_the_steps(tmp_path: Path) -> None:
    """Also after a recording, when no frame comes any more."""
    feed, clock, inbox = Feed(), Hand(), queue.SimpleQueue[Item]()

    def run() -> None:  # the record belongs to the thread that opens it
        with open_record(tmp_path / "games.sqlite3") as record:
            journal = Journal(record, "game")
            journal.begin_game(refused())
            running = Service(
                Watcher(PROFILE, refused()), journal, feed, inbox=inbox, clocks=TimeSources(clock, clock, clock)
            )
            running.stay = True
            running.run_loop()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        inbox.put(RecordingEnded())
        inbox.put(ShowWhy("page"))
        wait_for(feed, 1)
        clock.s += STEP_S
        wait_for(feed, 2)
    finally:
        inbox.put(Stop())
        thread.join()


def wait_for(feed: Feed, step: int) -> None:
    news = threading.Event()
    feed.add_bell(news.set)
    while step_of(feed) != step:
        assert news.wait(PATIENCE_S), f"step {step} has not come"
        news.clear()


def step_of(feed: Feed) -> object:
    shown = feed.newest_snapshot["showing"] if feed.newest_snapshot else None
    return shown["step"] if isinstance(shown, dict) else None


def test_nothing_is_shown_of_nothing_nor_in_a_tournament_nor_to_spectators() -> None:
    showing, match = Showing(), refused()
    showing.follow_match(replace(match, phase=Phase.PLAYING, note=None))
    with pytest.raises(InputError, match="nothing was refused"):
        showing.begin_showing(match, 0.0, "training")
    showing.follow_match(match)
    with pytest.raises(InputError, match="tournament"):
        showing.begin_showing(match, 0.0, "tournament")
    showing.begin_showing(match, 0.0, "training")
    snapshot = {"note": None, "showing": showing.to_json(match, 0.0)}
    assert snapshot["showing"] is not None and snapshot_without_hints(snapshot)["showing"] is None


def test_it_ends_when_a_piece_is_lifted_and_may_be_asked_for_again_until_a_move_is_made() -> None:
    showing, match = Showing(), refused()
    showing.follow_match(match)
    showing.begin_showing(match, 0.0, "training")
    showing.follow_match(replace(match, phase=Phase.LIFTED, note=None))
    assert showing.current_step(0.1) is None
    back = replace(match, phase=Phase.PLAYING, note=None)
    showing.follow_match(back)
    showing.begin_showing(back, 5.0, "training")
    assert showing.step_number(5.1) == 1
    game = match.game
    on = replace(back, positions=(*match.positions, game.play(match.position, game.moves(match.position)[0])))
    showing.follow_match(on)
    with pytest.raises(InputError):
        showing.begin_showing(on, 6.0, "training")


def test_on_the_page(chromium: webdriver.Chrome) -> None:
    page = Page(chromium)
    try:
        page.open()
        page.driver.get_log("browser")
        for notation in OPENING:
            page.script.play(notation)
        page.script.wrong()
        page.until("document.querySelector('#reason [data-ask=show-why]') !== null")
        page.tap("#reason [data-ask=show-why]")
        assert page.wish() == ShowWhy("page")
        page.script.show_why()
        page.until("/^1 of \\d+\\. This was tried\\.$/.test(document.querySelector('#reason .step')?.textContent)")
        page.js("void (document.querySelector('#reason [data-ask=put-back]').pressed = 'down')")
        legs = 0
        for number in range(2, 60):
            page.script.show_why(number)
            shown = page.script.showing.to_json(page.script.match, page.script.shown_t)
            if shown is None:
                break
            page.until(f"document.querySelector('#reason .step')?.textContent.startsWith('{number} of')")
            if shown["deed"] == "leg":
                legs += 1
                end = shown["cells"][-1]  # type: ignore[index]  # cells are a list
                page.until(f"document.querySelector('[data-piece][data-cell={end}]') !== null")
                assert page.js(f"document.querySelectorAll('#lights .blink[data-cell={end}]').length") == 1
        assert legs >= 2
        assert page.js("document.querySelector('#reason [data-ask=put-back]').pressed") == "down", "it takes the click"
        page.until("document.querySelector('#reason [data-ask=show-why]') !== null")
        assert page.driver.get_log("browser") == []
    finally:
        page.close()
