"""A game that was put away goes on in the place of the one on the board, and the next start goes on with it too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from calibration import profile as profiles
from engine import games
from engine.match.acts import Adjourn, AsPlayed, Mode, NewGame, Resign
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.live.camera import RecordingEnded
from server.board.live.service import Item, Service
from server.board.pages.app import create_app
from server.board.resuming import recall_game, resume_game
from server.record.details import Details
from server.record.journal import Journal, fold_events
from server.record.store import Record, open_record
from server.record.verifying import find_record_faults
from tests.server.board.live.seen_once import SESSION
from tests.server.board.live.test_tournament import Heard
from vision.watch.watcher import Watcher

FIRST, SECOND = "camelot-0001", "camelot-0002"


class Board:
    """A board that plays into a record, by its main loop and its API."""

    def __init__(self, record: Record) -> None:
        self.record, self.feed, self.fresh = record, Heard(), fresh()
        journal = Journal(record, FIRST)
        journal.begin_game(self.fresh)
        playing = replace(self.fresh, phase=Phase.PLAYING, ready=True)
        self.service = Service(Watcher(profiles.load_profile(SESSION / "profile.toml"), playing), journal, self.feed)
        self.service.set_recall(lambda name: recall_game(record, name, self.fresh, None))
        game = self.fresh.game
        self.client: FlaskClient = create_app(self.feed, self.service.inbox.put, game, Path(record.where)).test_client()

    def act(self, *acts: Item) -> None:
        """Have the main loop take these."""
        for one in (*acts, RecordingEnded()):
            self.service.inbox.put(one)
        self.service.run_loop()

    def take_up(self, game: str) -> Mapping[str, object]:
        """The event that is told last, once somebody has asked for it."""
        answer = self.client.post("/api/v1/take-up", json={"game": game, "by": "arbiter"})
        assert answer.status_code == 202, answer.get_data(as_text=True)
        self.act()
        return self.feed.events[-1]

    @property
    def match(self) -> Match:
        """As it stands."""
        return self.service.watcher.match

    def events(self, game: str) -> list[object]:
        """The kinds of what the record has of a game."""
        return [event["event"] for event in self.record.read_events(game)]

    def goes_on_after_restart(self) -> str:
        """The game that the next start goes on with."""
        return resume_game(self.record, self.fresh, fresh=False)[1].name


def fresh() -> Match:
    """A game on the board of the recording."""
    profile = profiles.load_profile(SESSION / "profile.toml")
    return new_match(games.load(profile.game, profile.rules))


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    with open_record(tmp_path / "games.sqlite3") as record:
        one = Board(record)
        one.service.set_details(Details(players=(("white", "Ann"), ("black", "Ben"))), "page")
        one.act(AsPlayed("F6-F5"), AsPlayed("F11-F12"), Adjourn(), NewGame())
        one.service.set_details(Details(players=(("white", "Cleo"), ("black", "Dan"))), "page")
        one.act(AsPlayed("G6-G5"))
        yield one


def test_the_game_put_away_goes_on_and_the_other_is_put_away(board: Board) -> None:
    before = (board.match.number, len(board.events(FIRST)))
    told = board.take_up(FIRST)
    assert (told["event"], told["by"]) == ("resumed", "arbiter")
    assert (board.service.journal.name, len(board.match.moves)) == (FIRST, 2)
    assert (board.match.phase, board.match.recalled, board.match.ready) == (Phase.SETUP, True, False)
    assert board.match.number > before[0], "a page with the old state would not be refused"
    assert board.events(FIRST)[before[1] :] == ["taken-up", "resumed"]
    assert board.events(SECOND)[-2:] == ["adjourned", "taken-up"]
    shown = board.feed.newest_snapshot or {}
    assert (shown["name"], shown["details"]["players"]) == (FIRST, {"white": "Ann", "black": "Ben"})
    assert [move["notation"] for move in shown["moves"]] == ["F6-F5", "F11-F12"]
    board.act(AsPlayed("F5-F4"))
    assert len(fold_events(board.record.read_events(FIRST), FIRST).moves) == 3
    assert len(fold_events(board.record.read_events(SECOND), SECOND).moves) == 1
    assert find_record_faults(board.record, Path(board.record.where).with_name("pictures")) == ([], 2)


def test_the_next_start_goes_on_with_the_game_that_was_on_the_board(board: Board) -> None:
    assert board.goes_on_after_restart() == SECOND
    board.take_up(FIRST)
    assert board.goes_on_after_restart() == FIRST
    board.take_up(SECOND)
    assert board.goes_on_after_restart() == SECOND
    board.take_up(FIRST)
    assert board.goes_on_after_restart() == FIRST
    board.act(NewGame())
    assert board.goes_on_after_restart() == "camelot-0003"


def test_a_start_that_names_a_game_is_remembered_by_the_next(board: Board) -> None:
    resume_game(board.record, board.fresh, fresh=False, taken_up=FIRST)
    assert board.goes_on_after_restart() == FIRST


def test_what_cannot_go_on_is_refused_and_nothing_changes(board: Board) -> None:
    kept = {name: board.events(name) for name in (FIRST, SECOND)}
    for name, why in ((SECOND, "on the board already"), ("camelot-0009", "no such game"), ("../x", "no such game")):
        refused = board.take_up(name)
        assert refused["event"] == "refused"
        assert why in str(refused["message"])
    assert kept == {name: board.events(name) for name in (FIRST, SECOND)}
    board.take_up(FIRST)
    board.act(Resign("white"))
    board.take_up(SECOND)
    assert board.service.journal.name == SECOND
    assert "adjourned" not in board.events(FIRST)[-3:], "it was over"
    assert "is over" in str(board.take_up(FIRST)["message"])
    assert board.client.post("/api/v1/take-up", json={"game": 3}).status_code == 422


def test_a_game_that_waits_for_its_end_to_be_said_is_taken_up_as_not_finished(board: Board) -> None:
    board.act(NewGame())
    assert board.match.before is not None
    board.take_up(SECOND)
    third = board.record.read_events("camelot-0003")
    assert [event["event"] for event in third][-2:] == ["settled", "taken-up"]
    assert (board.service.journal.name, board.match.before) == (SECOND, None)


def test_a_game_of_a_tournament_stays_one(board: Board) -> None:
    board.record.append_event(FIRST, {"event": "mode", "t": 0.0, "mode": "tournament"})
    board.take_up(FIRST)
    assert (board.feed.newest_snapshot or {})["mode"] == Mode.TOURNAMENT


def test_only_a_game_that_is_not_on_the_board_is_offered_to_be_taken_up(board: Board) -> None:
    for on_it, other in ((SECOND, FIRST), (FIRST, SECOND)):
        page = board.client.get(f"/games/{on_it}").get_data(as_text=True)
        assert 'id="take-up"' not in page
        assert '<a href="/">To the board</a>' in page
        assert 'id="take-up"' in board.client.get(f"/games/{other}").get_data(as_text=True)
        board.take_up(other)
