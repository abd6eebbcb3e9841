"""Who takes part in a simulated event: boards with records, an arbiter who asks over HTTP, a hall that is killed."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engine import games
from engine.match.events import Result
from server.board.hall_link.publisher import Publisher
from server.mqtt.broker import broker_of
from server.record.details import Details
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.patience import PATIENCE_S
from tests.server.hall.parts import Mosquitto, free_port, start_hall
from tests.server.script import Script

PLIES = 16
"""Of a game. More of them would test the boards, which other tests do."""
NAME = "open"
RESULTS = ("1-0", "0-1", "1/2-1/2")
ENDS = {"1/2-1/2": "agreement"}
BEGAN = datetime(2026, 11, 24, 9, tzinfo=UTC)


class EventBoard:
    """A board: its record, its publisher, and games that are told to both."""

    def __init__(self, folder: Path, name: str, broker: str, game: str) -> None:
        self.name, self._game = name, games.load(game)
        self.path = folder / f"{name}.sqlite3"
        self._record, self._feed = open_record(self.path), Feed()
        self._count = len(self._record.event_counts())
        self._script = Script(self._feed, self._game)
        self._publisher = Publisher(broker_of(broker), name, self.path, self._feed, f"{game}-0001")
        self._publisher.start()

    def play(self, names: list[str], result: str, chance: random.Random, plies: int = PLIES) -> str:
        """A whole game; its name in the record."""
        journal = self.begin()
        players = tuple(zip(self._game.seats, names, strict=True))
        journal.write_events([Details(players=players).to_event(0.0, "arbiter")])
        for _ in range(plies):
            if not self.move(journal, chance):
                break
        self.end(journal, result, {"players": dict(players)})
        return journal.name

    def move(self, journal: Journal, chance: random.Random) -> bool:
        """Somebody moves; False where nobody can."""
        script = self._script
        if not (moves := self._game.moves(script.match.position)):
            return False
        script.play(self._game.write(script.match.position, chance.choice(moves)))
        journal.write_events([script.told[-1]])
        return True

    def end(self, journal: Journal, result: str, details: object) -> None:
        """The result of a game, or another one."""
        over = Result(self._script.t, result, ENDS.get(result, "resigned"))
        journal.write_events([over])
        snapshot = dict(self._feed.newest_snapshot or {})
        outcome = {"result": result, "reason": over.reason}
        self._feed.update_snapshot(snapshot | {"name": journal.name, "details": details, "outcome": outcome})
        self._feed.publish_event(over.to_json())

    def begin(self) -> Journal:
        """A new game, in which nothing is played yet."""
        self._count += 1
        journal = Journal(self._record, f"{self._game.name}-{self._count:04}")
        script = self._script = Script(self._feed, self._game)
        journal.begin_game(script.match, (BEGAN + timedelta(hours=self._count)).isoformat(timespec="seconds"))
        self._feed.update_snapshot(dict(self._feed.newest_snapshot or {}) | {"name": journal.name})
        self._feed.publish_event({"event": "begin"})
        return journal

    def resume(self, name: str) -> Journal:
        """Its record's game of that name, shown as it was begun: after a copy was put back."""
        self._feed.update_snapshot(dict(self._feed.newest_snapshot or {}) | {"name": name})
        return Journal(self._record, name)

    def results(self) -> list[str]:
        """Of its games, in their order, as its own record has them."""
        return [one.result for one in sorted(self._record.list_summaries(), key=lambda one: one.name)]

    def copy(self, folder: Path) -> Path:
        """Its record as it is now, in another folder."""
        folder.mkdir()
        with sqlite3.connect(self.path) as here, sqlite3.connect(folder / self.path.name) as there:
            here.backup(there)
        there.close()
        here.close()
        return folder

    def close(self) -> None:
        self._publisher.stop_publishing()
        self._record.close_file()


class Arbiter:
    """Somebody who asks the hall for what its page asks for."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}api/v1/hall/"

    def ask(self, path: str = "", **body: object) -> Any:
        said = json.dumps(body).encode() if body else None
        whole = f"{self._url}{path if path.startswith('matters') else f'tournaments{path}'}"
        asked = urllib.request.Request(whole, said, {"Content-Type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
            return json.load(answer)

    def open_tables(self, name: str = NAME) -> list[dict[str, Any]]:
        """The tables of the round that goes on, whose result is open."""
        return [table for table in self.ask(f"/{name}")["now"] if not table["result"]]


class Killed:
    """A hall under a port of its own, that is killed and started again with the same database."""

    def __init__(self, broker: Mosquitto, database: str) -> None:
        self._said = (broker, database, "--port", str(free_port()))
        self._process: subprocess.Popen[str] | None = None
        self.kills = 0
        self.start()

    def start(self) -> None:
        """Start it, or start it again."""
        self._process, url = start_hall(*self._said)
        self.arbiter = Arbiter(url)

    def kill(self) -> None:
        """With -9."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()
        self.kills += 1

    def dies(self) -> None:
        """And is started again."""
        time.sleep(0.1)
        self.kill()
        self.start()

    def strikes(self, act: Callable[[], object], after_s: float) -> None:
        """Kill it so long after `act` has begun, and start it again; whoever was asking has no answer."""

        def asked() -> None:
            with suppress(OSError):
                act()

        asking = threading.Thread(target=asked)
        asking.start()
        time.sleep(after_s)
        self.kill()
        asking.join()
        self.start()
