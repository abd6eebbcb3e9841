"""A board with a record and pages, whose moves are made by a test and published to a hall's broker."""

from __future__ import annotations

import json
from pathlib import Path

from engine.match.events import Moved
from server.board.hall_link.outbox import file_of
from server.board.hall_link.publisher import Publisher
from server.mqtt.broker import broker_of
from server.record.journal import Journal
from server.record.store import Record, open_record
from server.web.feed import Feed
from tests.server.hall.parts import Mosquitto
from tests.server.script import NAME, Script


class Table:
    """A board with a record and pages, whose moves are made by the test."""

    def __init__(self, folder: Path, feed: Feed | None = None, begun: str = "") -> None:
        self.path = folder / "games.sqlite3"
        self.script = Script(feed or Feed())
        self.record: Record = open_record(self.path)
        self.journal = Journal(self.record, NAME)
        if NAME not in self.record.event_counts():
            self.journal.begin_game(self.script.match, begun)

    def play(self, notation: str) -> None:
        self.script.play(notation)
        self.write(self.script.told[-1])

    def write(self, moved: Moved) -> None:
        self.journal.write_events([moved])
        self.script.feed.publish_event(moved.to_json())

    def stored(self) -> object:
        """What a hall has stored, as it stands beside the record; None before anything does."""
        file = file_of(self.path)
        return json.loads(file.read_text(encoding="utf-8"))["stored"] if file.exists() else None

    def publisher(self, broker: Mosquitto, board: str = "table-1") -> Publisher:
        publisher = Publisher(broker_of(broker.url), board, self.path, self.script.feed, NAME)
        publisher.start()
        return publisher
