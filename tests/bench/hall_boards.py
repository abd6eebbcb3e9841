"""Simulated boards for `tests.bench.hall_load`: real records and real publishers, and games whose moves are ready made.

    python -m tests.bench.hall_boards FOLDER BROKER FIRST LAST EVENTS_A_SECOND SECONDS

It says "ready" when every board is connected and begins after a line on standard input; when it is done it goes on
publishing until standard input ends. Killed and started again it goes on with the records in the folder.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import Any

from engine import games
from server.board.hall_link.publisher import Publisher
from server.mqtt.broker import broker_of
from server.record.journal import build_begin_event
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.script import Script

PLIES = 60


def made_game(seed: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The events of a game by chance, each with the snapshot after it."""
    script, chance = Script(Feed(), games.load("camelot", "wcf")), random.Random(seed)
    rows = [(build_begin_event(script.match), dict(script.feed.newest_snapshot or {}))]
    while len(rows) < PLIES:
        moves = [script.game.write(script.match.position, move) for move in script.game.moves(script.match.position)]
        if not moves:
            break
        script.play(chance.choice(sorted(moves)))
        shown = {**(script.feed.newest_snapshot or {}), "hints": {}}
        rows.append((script.told[-1].to_json(), shown))
    return rows


class Board:
    """One board; its thread is the publisher's, its moves are made by whoever calls `step`."""

    def __init__(self, folder: Path, name: str, broker: str, rows: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
        self.name, self._rows, self._feed = name, rows, Feed()
        self.path = folder / f"{name}.sqlite3"
        self._record = open_record(self.path)
        known = self._record.played_games()
        self._number = max(1, len(known))
        self._at = known[self._game][0] if known else 0
        if known:
            self._show(max(0, self._at - 1))
        self._publisher = Publisher(broker_of(broker), name, self.path, self._feed, "camelot-0001")
        self._publisher.start()

    @property
    def _game(self) -> str:
        return f"camelot-{self._number:04}"

    def _show(self, at: int) -> None:
        self._feed.update_snapshot(
            {**self._rows[at][1], "name": self._game, "details": {"players": {"white": self.name}}}
        )

    def step(self) -> str:
        """One event into the record, and to whoever listens; a line with its key and the time before it was written."""
        if self._at == len(self._rows):
            self._number, self._at = self._number + 1, 0
        begun = time.time()
        event = self._rows[self._at][0]
        sequence = self._record.append_event(self._game, event)
        self._show(self._at)
        self._feed.publish_event(event)
        self._at += 1
        return f"{self.name} {self._game} {sequence} {begun:.4f}\n"

    def close(self) -> None:
        self._publisher.stop_publishing()
        self._record.close_file()


def main() -> None:
    """Play for so long, and write what was committed when into FIRST.times."""
    folder, broker = Path(sys.argv[1]), sys.argv[2]
    first, last, rate, seconds = (float(text) for text in sys.argv[3:7])
    rows = [made_game(seed) for seed in range(4)]
    boards = [Board(folder, f"table-{n}", broker, rows[n % len(rows)]) for n in range(round(first), round(last) + 1)]
    print("ready", flush=True)
    sys.stdin.readline()
    chance, begun = random.Random(), time.monotonic()
    with (folder / f"{first:.0f}.times").open("a", buffering=1, encoding="utf-8") as times:
        for number in range(round(rate * seconds)):
            time.sleep(max(0.0, begun + number / rate - time.monotonic()))
            times.write(chance.choice(boards).step())
    print(f"done {time.monotonic() - begun:.1f}", flush=True)
    sys.stdin.read()
    for board in boards:
        board.close()


if __name__ == "__main__":
    main()
