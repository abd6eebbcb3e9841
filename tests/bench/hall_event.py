"""A whole Swiss event in a hall: real broker, hall and records, simulated boards, an arbiter who asks over HTTP.

    python -m tests.bench.hall_event SITE [--players 64] [--rounds 7] [--postgresql]

Somebody comes late, somebody withdraws, one has asked for a half-point bye, one does not come to the board. Games are
lawful moves by chance, and end by resignation or agreement. At the end the site is in the folder SITE, and every result
in it was compared with what the boards' own records say.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
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
from tests.server.hall.parts import Postgres, hall, mosquitto, wait_until
from tests.server.script import Script

PLIES = 16
"""Of a game. More of them would test the boards, which other tests do."""
NAME = "open"
LATE, GONE, AWAY = "Late, Lena", 2, 3
"""Who comes after the first round; who withdraws after the second; who does not play the second."""
RESULTS = ("1-0", "0-1", "1/2-1/2")
ENDS = {"1/2-1/2": "agreement"}
BEGAN = datetime(2026, 11, 24, 9, tzinfo=UTC)


class EventBoard:
    """A board: its record, its publisher, and games that are told to both."""

    def __init__(self, folder: Path, name: str, broker: str, game: str) -> None:
        self.name, self._game = name, games.load(game)
        self.path = folder / f"{name}.sqlite3"
        self._record, self._feed, self._count = open_record(self.path), Feed(), 0
        self._script = Script(self._feed, self._game)
        self._publisher = Publisher(broker_of(broker), name, self.path, self._feed, f"{game}-0001")
        self._publisher.start()

    def play(self, names: list[str], result: str, chance: random.Random, plies: int = PLIES) -> str:
        """A whole game; its name in the record."""
        journal, script = self.begin(), self._script
        players = tuple(zip(self._game.seats, names, strict=True))
        journal.write([Details(players=players).noted(0.0, "arbiter")])
        for _ in range(plies):
            moves = self._game.moves(script.match.position)
            if not moves:
                break
            script.play(self._game.write(script.match.position, chance.choice(moves)))
            journal.write([script.told[-1]])
        over = Result(script.t, result, ENDS.get(result, "resigned"))
        journal.write([over])
        shown = dict(self._feed.snapshot or {}) | {"name": journal.name, "details": {"players": dict(players)}}
        self._feed.show(shown)
        self._feed.publish(over.to_json())
        return journal.name

    def begin(self) -> Journal:
        """A new game, in which nothing is played yet."""
        self._count += 1
        journal = Journal(self._record, f"{self._game.name}-{self._count:04}")
        script = self._script = Script(self._feed, self._game)
        journal.begin(script.match, (BEGAN + timedelta(hours=self._count)).isoformat(timespec="seconds"))
        self._feed.show(dict(self._feed.snapshot or {}) | {"name": journal.name})
        self._feed.publish({"event": "begin"})
        return journal

    def results(self) -> list[str]:
        """Of its games, in their order, as its own record has them."""
        return [one.result for one in sorted(self._record.summaries(), key=lambda one: one.name)]

    def close(self) -> None:
        self._publisher.close()
        self._record.close()


class Arbiter:
    """Somebody who asks the hall for what its page asks for."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}api/v1/hall/tournaments"

    def ask(self, path: str = "", **body: object) -> Any:
        said = json.dumps(body).encode() if body else None
        asked = urllib.request.Request(f"{self._url}{path}", said, {"Content-Type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own address
            return json.load(answer)

    def open_tables(self, name: str = NAME) -> list[dict[str, Any]]:
        """The tables of the round that goes on, whose result is open."""
        return [table for table in self.ask(f"/{name}")["now"] if not table["result"]]


@dataclass
class Told:
    """What a run has shown."""

    tables: int
    games: int
    paired_s: list[float]
    played_s: list[float]
    last_result_s: list[float]
    export_s: float
    files: int
    standings: list[dict[str, Any]]


def event(site: Path, players: int, rounds: int, postgresql: bool = False, plies: int = PLIES) -> Told:
    """Play it, export it into `site`, and compare."""
    chance, told = random.Random(players), Told(0, 0, [], [], [], 0.0, 0, [])
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        database = str(folder / "hall.sqlite3")
        if postgresql:
            postgres = Postgres()
            closing.callback(postgres.close)
            database = postgres.url
        broker = closing.enter_context(mosquitto(folder))
        arbiter = Arbiter(closing.enter_context(hall(broker, database)))
        boards = {name: EventBoard(folder, name, broker.url, "camelot") for name in _board_names(players)}
        for board in boards.values():
            closing.callback(board.close)
        people = "\n".join(f"Family{number:02}, Given; {2300 - 9 * number}" for number in range(1, players))
        said = {"title": "Hall open", "place": "Hall", "begins": "2026-11-24", "arbiter": "Doe, Jane"}
        arbiter.ask(name=NAME, rounds=rounds, players=people, boards=" ".join(boards), **said)
        expected: Counter[str] = Counter()
        for round_ in range(1, rounds + 1):
            _happens(arbiter, round_, players)
            begun = time.monotonic()
            arbiter.ask(f"/{NAME}/pair", round=round_)
            told.paired_s.append(time.monotonic() - begun)
            _play(arbiter, boards, round_, chance, told, expected, plies)
        begun = time.monotonic()
        command = [sys.executable, "-m", "server", "tournament", "export", NAME, str(site), "--database", database]
        subprocess.run(command, check=True, capture_output=True)
        told.export_s = time.monotonic() - begun
        recorded = Counter(result for board in boards.values() for result in board.results())
    _compare(site, rounds, expected, recorded, told)
    return told


def _board_names(players: int) -> list[str]:
    return [f"table-{number}" for number in range(1, players // 2 + 1)]


def _happens(arbiter: Arbiter, round_: int, players: int) -> None:
    """What arbiters have to do with before a round."""
    if round_ == 2:
        arbiter.ask(f"/{NAME}/players", players=f"{LATE}; 1900")
        arbiter.ask(f"/{NAME}/bye", number=AWAY, round=2, worth="half")
    if round_ == 3:
        arbiter.ask(f"/{NAME}/withdraw", number=GONE)


def _play(
    arbiter: Arbiter,
    boards: dict[str, EventBoard],
    round_: int,
    chance: random.Random,
    told: Told,
    expected: Counter[str],
    plies: int,
) -> None:
    """A round: everybody plays, but at one table where one of the two did not come."""
    tables = arbiter.open_tables()
    told.tables += len(tables)
    missing, *played = tables
    begun = time.monotonic()
    arbiter.ask(f"/{NAME}/result", round=round_, table=missing["table"], result="+:-", was="", who="Doe, Jane")
    rows = [(table, chance.choice(RESULTS), random.Random(chance.random())) for table in played]
    for table, result, own in rows:
        boards[table["board"]].play([one["name"] for one in table["players"]], result, own, plies)
    expected.update(result for _, result, _ in rows)
    told.games += len(played)
    told.played_s.append(time.monotonic() - begun)
    ended = time.monotonic()
    wait_until(lambda: not arbiter.open_tables(), f"results of round {round_}")
    told.last_result_s.append(time.monotonic() - ended)
    known = {table["table"]: table["result"] for table in arbiter.ask(f"/{NAME}")["rounds"][round_ - 1]["tables"]}
    for table, result, _ in rows:
        assert known[table["table"]] == result, f"round {round_}, table {table['table']}"


def _compare(site: Path, rounds: int, expected: Counter[str], recorded: Counter[str], told: Told) -> None:
    """The export against what was played."""
    said = json.loads((site / "event.json").read_text(encoding="utf-8"))
    tables = [table for round_ in said["rounds"] for table in round_["tables"]]
    assert len(said["rounds"]) == rounds
    assert recorded == expected == Counter(table["result"] for table in tables if table["game"])
    met = Counter(
        frozenset(pair) for table in tables for pair in combinations([one["number"] for one in table["players"]], 2)
    )
    assert max(met.values()) == 1, "nobody meets anybody twice"
    told.files = sum(path.is_file() for path in site.rglob("*"))
    told.standings = said["standings"]["rows"]
    assert said["standings"]["after"] == rounds
    assert len(list((site / "games").iterdir())) == told.games


def main() -> None:
    """Run one event, and say what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("site", type=Path)
    parser.add_argument("--players", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--postgresql", action="store_true")
    asked = parser.parse_args()
    told = event(asked.site, asked.players, asked.rounds, asked.postgresql)
    print(
        f"{told.games} games and {told.tables - told.games} forfeits, {told.files} files, all as the boards have them"
    )
    print(f"pairing at most {max(told.paired_s):.2f} s, a round {max(told.played_s):.1f} s,")
    print(f"results known {max(told.last_result_s):.2f} s after the last game, export {told.export_s:.1f} s")


if __name__ == "__main__":
    main()
