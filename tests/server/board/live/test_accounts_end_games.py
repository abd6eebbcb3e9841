"""Players with accounts of their own: nobody ends a game alone, and the record says who asked for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from calibration import profile as profiles
from engine import games
from engine.match.acts import Correct, Mode
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.live.camera import RecordingEnded
from server.board.live.service import Service
from server.board.live.wishes import find_offer
from server.board.pages.app import create_app
from server.record.decisions import list_decisions
from server.record.details import Details
from server.record.journal import Journal, fold_events
from server.record.store import Record, open_record
from server.spectators.broadcast import Broadcast
from server.web.access.accounts import Account, Accounts, Door, add_key, write_accounts
from server.web.access.visitors import Visitors
from tests.server.board.live.seen_once import SESSION
from tests.server.board.live.test_tournament import Heard
from vision.watch.watcher import Watcher

ROLES = {"Ann": "player", "bob": "player", "Cleo": "player", "judge": "arbiter"}
NAMED = Details(players=(("white", "Ann"), ("black", "Bob")))


@dataclass
class Board:
    """A board, its record, and pages that accounts open with their keys."""

    service: Service
    client: FlaskClient
    keys: Mapping[str, str]
    feed: Heard
    spectators: Heard
    record: Record

    def ask(self, who: str, what: str, **body: object) -> Mapping[str, object]:
        """The event that is told last, once an account has asked."""
        headers = {"Authorization": f"Bearer {self.keys[who]}"}
        answer = self.client.post(f"/api/v1/{what}", json=body, headers=headers)
        assert answer.status_code == 202, answer.get_data(as_text=True)
        self.go_on()
        return self.feed.events[-1]

    def go_on(self) -> None:
        """Let the main loop take what was asked."""
        self.service.inbox.put(RecordingEnded())
        self.service.run_loop()

    @property
    def match(self) -> Match:
        """As it stands."""
        return self.service.watcher.match

    @property
    def offered_by(self) -> object:
        """What the page shows."""
        return (self.feed.newest_snapshot or {})["draw_offered_by"]


@pytest.fixture(params=[Mode.TOURNAMENT])
def board(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Board]:
    known, keys = Accounts(), {}
    for name, role in ROLES.items():
        account, keys[name] = add_key(Account(name, role))
        known = known.with_account(account)
    write_accounts(tmp_path / "accounts.json", known)
    profile = profiles.load_profile(SESSION / "profile.toml")
    game = games.load(profile.game, profile.rules)
    match, feed, spectators = replace(new_match(game), phase=Phase.PLAYING, ready=True), Heard(), Heard()
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "game")
        journal.begin_game(match)
        service = Service(Watcher(profile, match), journal, feed, request.param)
        service.set_broadcast(Broadcast(spectators, 0.0))
        service.set_details(NAMED)
        door = Visitors(door=Door(tmp_path / "accounts.json"))
        client = create_app(feed, service.inbox.put, game, visitors=door).test_client()
        yield Board(service, client, keys, feed, spectators, record)


@pytest.mark.parametrize("board", Mode, indirect=True)
def test_a_draw_takes_two_players(board: Board) -> None:
    offered = board.ask("Ann", "draw", by="player")
    assert offered == {"t": 0.0, "event": "draw-offered", "by": "player", "account": "Ann"}
    assert board.offered_by == ["Ann"]
    assert board.match.outcome is None
    again = board.ask("Ann", "draw", by="player")
    assert again["message"] == "Ann has offered a draw already."
    agreed = board.ask("bob", "draw", by="player")
    assert (agreed["event"], agreed["reason"], agreed["account"]) == ("result", "agreement", "bob")
    assert board.offered_by == []
    kept = board.record.read_events("game")
    assert [event["account"] for event in kept if "account" in event] == ["Ann", "bob"]
    assert fold_events(kept, "game").outcome == board.match.outcome


def test_an_offer_says_what_the_clocks_had_left(board: Board) -> None:
    """No ply says it: what ran since the last one counts too."""
    match = with_clock(board.match, parse_control("5m"))
    running = replace(match.clocks[0], since=-12.5)
    board.service.watcher.replace_match(replace(match, clocks=(running,)))
    left = {"white": 287.5, "black": 300.0}
    assert board.ask("Ann", "draw", by="player")["clocks"] == left
    board.ask("bob", "draw", by="player")
    board.go_on()
    assert [one.clock for one in list_decisions(board.record.read_events("game"))] == [left, left]


def test_an_offer_stands_after_a_restart_until_something_ends_it(board: Board) -> None:
    board.ask("Ann", "draw", by="player")
    journal, match = Journal(board.record, "game"), fold_events(board.record.read_events("game"), "game")
    assert find_offer(journal, match).accounts == ("Ann",)
    again = Service(Watcher(board.service.watcher.profile, match), journal, board.feed)
    again.show_match()
    assert board.offered_by == ["Ann"]
    board.service.inbox.put(Correct(1, "E6-E5"))
    board.go_on()
    assert find_offer(journal, board.match).accounts == ()


def test_spectators_hear_of_no_account(board: Board) -> None:
    board.ask("Ann", "draw", by="player")
    assert (board.spectators.newest_snapshot or {})["draw_offered_by"] == []
    board.ask("bob", "draw", by="player")
    (told,) = board.spectators.events
    assert (told["event"], told["by"]) == ("result", "player")
    assert "account" not in told


def test_the_arbiter_writes_an_agreed_draw_alone(board: Board) -> None:
    told = board.ask("judge", "draw", by="arbiter")
    assert (told["event"], told["by"], told["account"]) == ("result", "arbiter", "judge")


def test_an_offer_ends_with_the_next_move_and_when_declined(board: Board) -> None:
    board.ask("Ann", "draw", by="player")
    declined = board.ask("bob", "decline-draw", by="player")
    assert (declined["event"], declined["account"], board.offered_by) == ("draw-declined", "bob", [])
    assert board.ask("bob", "decline-draw", by="player")["message"] == "No draw is offered."
    board.ask("Ann", "draw", by="player")
    board.service.inbox.put(Correct(1, "E6-E5"))
    board.go_on()
    assert board.offered_by == []
    assert board.ask("bob", "draw", by="player")["event"] == "draw-offered", "it is another offer"
    assert board.match.outcome is None


@pytest.mark.parametrize("board", Mode, indirect=True)
def test_nobody_resigns_for_the_other_side(board: Board) -> None:
    refused = board.ask("Ann", "resign", side="black", by="player")
    assert (refused["event"], refused["message"]) == ("refused", "Ann plays White, and cannot speak for another side.")
    assert board.match.outcome is None
    resigned = board.ask("bob", "resign", side="black", by="player")
    assert (resigned["result"], resigned["account"]) == ("1-0", "bob"), "his name is written otherwise: Bob"


def test_who_plays_no_side_ends_no_tournament_game(board: Board) -> None:
    for what, body in (("resign", {"side": "white"}), ("draw", {}), ("draw", {"claim": True})):
        refused = board.ask("Cleo", what, by="player", **body)
        assert (refused["event"], str(refused["message"]).split(":")[0]) == ("refused", "Cleo is not a player's name")
    assert "arbiter says how" in str(board.ask("Ann", "settle", how="white", by="player")["message"])
    claimed = board.ask("bob", "draw", claim=True, by="player")
    assert claimed["message"] == "bob plays Black, and cannot speak for another side.", "it is White's turn"
    assert board.match.outcome is None


@pytest.mark.parametrize("board", Mode, indirect=True)
def test_in_a_tournament_the_arbiter_takes_back(board: Board, request: pytest.FixtureRequest) -> None:
    board.service.inbox.put(Correct(1, "E6-E5"))
    board.go_on()
    told = board.ask("Ann", "undo", plies=1, by="player")
    if request.node.callspec.params["board"] == Mode.TRAINING:
        assert told["event"] == "takeback"
    else:
        assert told["message"] == "In a tournament the arbiter takes moves and results back."
        assert board.ask("judge", "undo", plies=1, by="arbiter")["event"] == "takeback"


@pytest.mark.parametrize("board", [Mode.TRAINING], indirect=True)
def test_in_training_an_account_of_the_board_resigns_for_either_side(board: Board) -> None:
    assert board.ask("Cleo", "resign", side="white", by="player")["result"] == "0-1"


@pytest.mark.parametrize("board", Mode, indirect=True)
def test_a_claim_that_is_refused_stands_in_the_record_and_the_game_goes_on(board: Board) -> None:
    """No penalty could be grounded on it: it was answered and forgotten."""
    refused = board.ask("Ann", "draw", claim=True, by="player")
    assert refused["event"] == "refused"
    (kept,) = (event for event in board.record.read_events("game") if event["event"] == "claim-refused")
    assert {key: kept[key] for key in ("side", "by", "account", "why")} == {
        "side": "white",
        "by": "player",
        "account": "Ann",
        "why": refused["message"],
    }
    assert board.match.outcome is None and board.spectators.events == []
    board.ask("judge", "resign", side="black", by="arbiter")
    board.ask("judge", "draw", claim=True, by="arbiter")
    assert [event["event"] for event in board.record.read_events("game")].count("claim-refused") == 1, "it was over"
