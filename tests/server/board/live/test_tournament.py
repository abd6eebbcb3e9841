"""Tournament: nobody is told what would be right, the screen is the arbiter's, and pictures are kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from calibration import profile as profiles
from engine import games
from engine.explain.rules_alone import RULES_ALONE
from engine.match.acts import Correct, Mode
from engine.match.referee import new_match
from server.board.live.camera import RecordingEnded
from server.board.live.hints import SwitchMode
from server.board.live.service import Service
from server.board.pages.app import create_app
from server.cli import main
from server.record.evidence import PictureEvidence, Store
from server.record.journal import Journal
from server.record.store import open_record
from server.spectators.broadcast import Broadcast
from server.web.access.accounts import Account, Accounts, Door, add_key, write_accounts
from server.web.access.rights import NEEDS, required_role
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from tests.server.board.live.seen_once import SESSION, SeenOnce, film
from vision.watch.watcher import Watcher

FRAMES = 104
"""So much of the recording ends while an unlawful move stands that has a lawful alternative."""
CELLS = games.load("camelot").board.cells


class Heard(Feed):
    """A feed that keeps what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Mapping[str, object]] = []

    def publish_event(self, event: Mapping[str, object]) -> None:
        self.events.append(event)

    @property
    def illegal(self) -> Mapping[str, object]:
        """The unlawful move."""
        (found,) = [event for event in self.events if event["event"] == "illegal"]
        return found


def refereed(file: Path, mode: str) -> tuple[Heard, Heard, list[dict[str, object]]]:
    """What page and spectators are told of the first part of the recording, and what the record has."""
    watcher, feed, spectators = SeenOnce(), Heard(), Heard()
    with open_record(file) as record:
        journal = Journal(record, "game")
        journal.begin_game(watcher.match)
        service = Service(watcher, journal, feed, mode)
        service.set_broadcast(Broadcast(spectators, 0.0))
        for frame in film()[:FRAMES]:
            service.inbox.put(frame)
        service.inbox.put(RecordingEnded())
        service.run_loop()
        return feed, spectators, record.read_events("game")


@pytest.mark.parametrize("mode", Mode)
def test_only_training_is_told_what_would_be_right(tmp_path: Path, mode: str) -> None:
    feed, spectators, kept = refereed(tmp_path / "games.sqlite3", mode)
    (said,) = [event for event in kept if event["event"] == "illegal"]
    assert said["instead"] == ["F6xD4"]
    told, shown = feed.illegal, feed.newest_snapshot
    assert shown is not None and shown["mode"] == mode
    assert shown["note"] == told
    cells = [word for word in str(said["message"]).split() if word.rstrip(",.") in CELLS]
    assert cells, "the record keeps all that was found"
    assert all((cell in str(told["message"])) == (mode != Mode.TOURNAMENT) for cell in cells)
    assert not any(cell in str(spectators.illegal["message"]) for cell in cells)
    assert told["instead"] == (said["instead"] if mode != Mode.TOURNAMENT else [])
    assert spectators.illegal["instead"] == []
    green = [cell for cell, led in shown["leds"].items() if led["shape"] == "solid"]  # type: ignore[attr-defined]  # JSON
    assert bool(green) == (mode != Mode.TOURNAMENT)


def test_a_correction_that_is_refused_tells_the_rule_alone(tmp_path: Path) -> None:
    watcher, feed = SeenOnce(), Heard()
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "game")
        journal.begin_game(watcher.match)
        service = Service(watcher, journal, feed, Mode.TOURNAMENT)
        for item in (Correct(1, "A1-B9"), RecordingEnded()):
            service.inbox.put(item)
        service.run_loop()
    (refused,) = feed.events
    assert refused["values"]["why"] in RULES_ALONE.values()  # type: ignore[index]  # JSON
    assert str(refused["message"]).endswith(str(refused["values"]["why"]))  # type: ignore[index]  # JSON


def test_the_screen_is_the_arbiters(tmp_path: Path) -> None:
    assert all(required_role("GET", path, tournament=True) != "player" for path in (key.split()[1] for key in NEEDS))
    assert required_role("POST", "/api/v1/resign", tournament=True) == "player"
    account, key = add_key(Account("anna", "player"))
    write_accounts(tmp_path / "accounts.json", Accounts().with_account(account))
    feed = Feed()
    client = create_app(
        feed, print, games.load("camelot"), visitors=Visitors(door=Door(tmp_path / "accounts.json"))
    ).test_client()
    for mode, page, state in ((Mode.TRAINING, 200, 200), (Mode.TOURNAMENT, 303, 403)):
        feed.update_snapshot({"mode": mode})
        headers = {"Authorization": f"Bearer {key}"}
        assert client.get("/", headers=headers).status_code == page
        assert client.get("/api/v1/game", headers=headers).status_code == state


def test_a_tournament_without_pictures_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["serve", "--profile", str(SESSION / "profile.toml"), "--mode", Mode.TOURNAMENT.value, "--pictures", "0"])
    assert stopped.value.code == 2
    assert "in a tournament pictures are kept" in capsys.readouterr().err


def test_the_arbiter_switches_the_mode(tmp_path: Path) -> None:
    profile = profiles.load_profile(SESSION / "profile.toml")
    match, feed = new_match(games.load(profile.game, profile.rules)), Heard()
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "game")
        journal.begin_game(match)
        service = Service(Watcher(profile, match), journal, feed)
        for item in (SwitchMode(Mode.TOURNAMENT, "arbiter"), RecordingEnded()):
            service.inbox.put(item)
        service.run_loop()
        assert [event["event"] for event in feed.events] == ["refused"]  # no pictures would be kept
        service.set_evidence(PictureEvidence(Store(tmp_path, 1_000_000), match.game.board))
        for item in (SwitchMode(Mode.TOURNAMENT, "arbiter"), RecordingEnded()):
            service.inbox.put(item)
        service.run_loop()
        assert feed.newest_snapshot is not None and feed.newest_snapshot["mode"] == Mode.TOURNAMENT
        assert record.read_events("game")[-1] == {"t": 0.0, "event": "mode", "mode": Mode.TOURNAMENT, "by": "arbiter"}
