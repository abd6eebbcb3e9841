"""A past game judged on its page: a curve, the moves that decided it, better ones; never one that is being played."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from engine import games
from engine.errors import InputError
from engine.game import Move
from engine.match.events import Result
from engine.match.state import Match
from opponent.vocabulary import Limits
from server.board.computer.analysis import Analyses
from server.record.journal import fold_events
from server.record.store import open_record, read_record
from tests.patience import wait_until
from tests.server.past import NAME, fill
from tests.server.visitor import Page

OURS = (sys.executable, "-m", "server", "engine")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record with a game of six plies that Black gave up."""
    path = tmp_path / "games.sqlite3"
    fill(path, chain=True)
    with open_record(path) as opened:
        opened.append_event(NAME, Result(60.0, "1-0", "resigned").to_json())
    return path


@pytest.fixture
def page(chromium: webdriver.Chrome, record: Path) -> Iterator[Page]:
    shown = Page(chromium, record=record)
    yield shown
    shown.close()


def folded(record: Path) -> Match:
    with read_record(record) as opened:
        return fold_events(opened.read_events(NAME), NAME)


def test_a_game_that_is_over_is_judged_once_and_others_are_refused(record: Path) -> None:
    match = folded(record)
    analyses = Analyses(OURS, Limits(nodes=2_000))
    assert analyses.request_analysis(NAME, match)["of"] == len(match.moves)
    wait_until(lambda: bool(analyses.request_analysis(NAME, match)["done"]))
    found = analyses.request_analysis(NAME, match)
    plies = found["plies"]
    assert isinstance(plies, list) and len(plies) == len(match.moves) and not found["trouble"]
    game = games.load("camelot", "wcf")
    for row, position in zip(plies, match.positions, strict=False):
        assert isinstance(game.read(position, row["better"]), Move) and row["cost"] >= 0
    with pytest.raises(InputError, match="not over"):
        analyses.request_analysis("other", Match(game, (game.start(),)))


def test_an_engine_that_fails_is_said_and_asked_again_the_next_time(record: Path) -> None:
    match = folded(record)
    analyses = Analyses(("/no/such/engine",))
    analyses.request_analysis(NAME, match)
    troubles = []

    def told() -> bool:
        troubles.append(str(analyses.request_analysis(NAME, match)["trouble"]))
        return any(troubles)

    wait_until(told)
    assert "cannot be started" in troubles[-1]


def test_the_page_shows_the_curve_and_the_moves_that_decided(page: Page) -> None:
    page.driver.get(page.site.url + f"games/{NAME}")
    page.driver.get_log("browser")  # what pages before this one left there
    page.until("!document.getElementById('analyse').disabled")
    page.tap("#analyse")
    page.until("document.querySelector('#analysis-curve polyline')?.points.length === 7")
    page.until("document.getElementById('analysis-progress').textContent === ''")
    page.until("document.querySelectorAll('#deciders li').length || !document.getElementById('no-deciders').hidden")
    assert page.driver.get_log("browser") == []
