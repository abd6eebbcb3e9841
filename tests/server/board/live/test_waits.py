"""Why not yet: whatever a look waits for can be read on the page while it waits."""

from __future__ import annotations

import queue
from pathlib import Path

from calibration import profile as profiles
from engine.explain.reasons import RULES
from engine.match.judging import Consequence, Input, Looked, NotSetUp, Unseen
from server.board.live.camera import RecordingEnded
from server.board.live.service import Item, Service
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.board.live.seen_once import SESSION, film, start
from vision.watch.watcher import Watcher

FRAMES = 70
"""So much of the recording has the set-up, and hands over the board in two moves."""


def test_the_page_has_the_reason_of_every_look_that_waits(tmp_path: Path) -> None:
    profile, feed, inbox = profiles.load_profile(SESSION / "profile.toml"), Feed(), queue.SimpleQueue[Item]()
    looks: list[Consequence] = []
    shown: list[list[dict[str, object]]] = []

    def trace(given: Input, outcome: Consequence) -> None:
        if isinstance(given, Looked | Unseen | NotSetUp):
            looks.append(outcome)

    def taken() -> None:
        said = (feed.newest_snapshot or {})["waits"]
        assert isinstance(said, list)
        shown.append(said)
        if looks and looks[-1].waits:
            rules = [str(reason["rule"]) for reason in said]
            assert [rule for rule in rules if not rule.startswith("cannot-see")] == [r.rule for r in looks[-1].waits]
        looks.clear()

    watcher = Watcher(profile, start(), trace)
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "game")
        journal.begin_game(watcher.match)
        service = Service(watcher, journal, feed, inbox=inbox)
        for frame in film()[:FRAMES]:
            inbox.put(frame)
        inbox.put(RecordingEnded())
        service.run_loop(taken)
    rules = [str(said[0]["rule"]) for said in shown if said]
    assert {"not-set-up", "hand-over-board"} <= set(rules) <= set(RULES)
    assert any(not said for said in shown), "once all is understood nothing is waited for"
