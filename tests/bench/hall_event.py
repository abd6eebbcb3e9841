"""A whole Swiss event in a hall: real broker, hall and records, simulated boards, an arbiter who asks over HTTP.

    python -m tests.bench.hall_event SITE [--players 128] [--rounds 7] [--postgresql]

Somebody comes late, somebody withdraws, one has asked for a half-point bye, one does not come to the board. A result is
corrected, the hall is killed while games of the fourth round go on, the fifth is paired again because somebody left,
and in the sixth a board's record is put back and another game played on it. Games are lawful moves by chance, and end
by resignation or agreement. At the end the site is in the folder SITE; every result in it was compared with what the
boards' own records say, and the standings with what tests.bench.swiss_by_hand makes of FIDE's report.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from server.hall.desk.troubles import HOLD_RESULTS
from tests.bench.hall_event_parts import NAME, PLIES, RESULTS, EventBoard, Killed
from tests.bench.swiss_by_hand import recomputed
from tests.patience import wait_until
from tests.server.hall.parts import Mosquitto, Postgres, mosquitto

LATE, GONE, AWAY = "Late, Lena", 2, 3
"""Who comes after the first round; who withdraws after the second; who does not play the second."""


@dataclass
class Told:
    """What a run has shown."""

    tables: int = 0
    games: int = 0
    paired_s: list[float] = field(default_factory=list)
    played_s: list[float] = field(default_factory=list)
    last_result_s: list[float] = field(default_factory=list)
    export_s: float = 0.0
    files: int = 0
    standings: list[dict[str, Any]] = field(default_factory=list)
    expected: Counter[str] = field(default_factory=Counter)
    """Results that tables are to have in the end."""
    recorded: Counter[str] = field(default_factory=Counter)
    """Where what a board's record says in the end is not what counts: how much more, and less, of a result."""
    paired_alike: int = 0
    """Tables that were paired alike out of the report that was read in again."""


class Event:
    """A hall, its boards, and the arbiter of an event that goes on."""

    def __init__(
        self, folder: Path, players: int, rounds: int, plies: int, database: str, broker: Mosquitto, hall: Killed
    ) -> None:
        self.folder, self.plies, self.database, self.broker, self.hall = folder, plies, database, broker, hall
        self.chance, self.told, self.forked = random.Random(players), Told(), ""
        self.boards = {name: EventBoard(folder, name, broker.url, "camelot") for name in _board_names(players)}
        people = "\n".join(f"Family{number:02}, Given; {2300 - 9 * number}" for number in range(1, players))
        said = {"title": "Hall open", "place": "Hall", "begins": "2026-11-24", "arbiter": "Doe, Jane"}
        self.ask(name=NAME, rounds=rounds, players=people, boards=" ".join(self.boards), **said)

    def ask(self, path: str = "", **body: object) -> Any:
        return self.hall.arbiter.ask(path, **body)

    def pair(self, round_: int) -> None:
        """A round, after what happens before it; the fifth twice, because somebody leaves when it is paired."""
        if round_ == 2:
            self.ask(f"/{NAME}/players", players=f"{LATE}; 1900")
            self.ask(f"/{NAME}/bye", number=AWAY, round=2, worth="half")
        if round_ == 3:
            self.ask(f"/{NAME}/withdraw", number=GONE)
        begun = time.monotonic()
        self.ask(f"/{NAME}/pair", round=round_)
        self.told.paired_s.append(time.monotonic() - begun)
        if round_ == 5:
            self.read_in_again()
            leaves = self.hall.arbiter.open_tables()[-1]["players"][1]["number"]
            self.ask(f"/{NAME}/unpair", round=round_)
            self.ask(f"/{NAME}/withdraw", number=leaves)
            self.ask(f"/{NAME}/pair", round=round_)
            numbers = [one["number"] for table in self.hall.arbiter.open_tables() for one in table["players"]]
            assert leaves not in numbers
            assert len(numbers) == len(set(numbers))

    def play(self, round_: int) -> None:
        """A round: everybody plays, but at one table where one of the two did not come. In the fourth the hall dies."""
        tables = self.hall.arbiter.open_tables()
        self.told.tables += len(tables)
        missing, *played = tables
        begun = time.monotonic()
        self.ask(f"/{NAME}/result", round=round_, table=missing["table"], result="+:-", was="", who="Doe, Jane")
        rows = [(table, self.chance.choice(RESULTS), random.Random(self.chance.random())) for table in played]
        copy = self.boards[played[-1]["board"]].copy(self.folder / "copy") if round_ == 6 else None

        def games_end() -> None:
            for table, result, own in rows:
                self.boards[table["board"]].play([one["name"] for one in table["players"]], result, own, self.plies)

        dying = threading.Thread(target=self.hall.dies)
        if round_ == 4:
            dying.start()
        games_end()
        if round_ == 4:
            dying.join()
        self.told.expected.update(result for _, result, _ in rows)
        self.told.games += len(played)
        self.told.played_s.append(time.monotonic() - begun)
        ended = time.monotonic()
        wait_until(lambda: self.see_to_matters() or not self.hall.arbiter.open_tables(), f"results of round {round_}")
        self.told.last_result_s.append(time.monotonic() - ended)
        self.check(round_, {table["table"]: result for table, result, _ in rows})
        if round_ == 3:
            self.correct(round_, played[0], rows[0][1])
        if copy is not None:
            self.fork(round_, played[-1], rows[-1][1], copy)

    def check(self, round_: int, results: dict[int, str]) -> None:
        """What tables of a round show."""
        known = {table["table"]: table["result"] for table in self.ask(f"/{NAME}")["rounds"][round_ - 1]["tables"]}
        for table, result in results.items():
            assert known[table] == result, f"round {round_}, table {table}: {known[table]}, not {result}"

    def correct(self, round_: int, table: dict[str, Any], was: str) -> None:
        """The two at a board ended the game wrongly: the arbiter's word stays, whatever the board says afterwards."""
        now = next(result for result in RESULTS if result != was)
        self.ask(f"/{NAME}/result", round=round_, table=table["table"], result=now, was=was, who="Doe, Jane")
        self.told.expected.update({was: -1, now: 1})
        self.told.recorded.update({was: -1, now: 1})
        self.check(round_, {table["table"]: now})

    def fork(self, round_: int, table: dict[str, Any], result: str, copy: Path) -> None:
        """A board's record of before the game is put back, and another game played on it: no result is taken from it
        until the arbiter has looked and said what the sheet says."""
        name, names = table["board"], [one["name"] for one in table["players"]]
        self.boards[name].close()
        other = self.boards[name] = EventBoard(copy, name, self.broker.url, "camelot")
        now = next(one for one in RESULTS if one != result)
        other.play(names, now, random.Random(1), self.plies + 1)
        self.told.recorded.update({now: -1, result: 1})

        wait_until(lambda: self.held() and self.hall.arbiter.open_tables(), f"{name}: a fork is not seen")
        assert {one["board"] for one in self.held()} == {name}
        self.forked = name
        wait_until(lambda: self.see_to_matters() or not self.held(), f"{name}: the fork is ruled on")
        (open_,) = self.ask(f"/{NAME}")["now"][table["table"] - 1 : table["table"]]
        if open_["result"] != result:
            said = {"result": result, "was": open_["result"], "who": "Doe, Jane"}
            self.ask(f"/{NAME}/result", round=round_, table=table["table"], **said)
        self.check(round_, {table["table"]: result})

    def held(self) -> list[dict[str, Any]]:
        """The matters that hold results back."""
        found: list[dict[str, Any]] = self.ask("matters")["matters"]
        return [one for one in found if one["state"] in {"open", "claimed"} and one["kind"] in HOLD_RESULTS]

    def see_to_matters(self) -> None:
        """The arbiter rules on those of the board whose record was put back; of no other board there may be any."""
        for matter in self.held():
            assert matter["board"] == self.forked, f"nothing happened to {matter['board']}: {matter['kind']}"
            where, version = f"matters/{matter['id']}", matter["version"]
            with suppress(urllib.error.HTTPError):  # it has become another since
                self.ask(f"{where}/claim", version=version, who="Doe, Jane")
                self.ask(f"{where}/rule", version=version + 1, who="Doe, Jane", ruling="as the sheet says")

    def command(self, *words: str) -> str:
        """`referee tournament` in another process."""
        asked = [sys.executable, "-m", "server", "tournament", *words, "--database", self.database]
        return subprocess.run(asked, check=True, capture_output=True, text=True).stdout

    def read_in_again(self) -> None:
        """Out as a report and in under another name: the round is paired as it was paired here."""
        ours = [[one["number"] for one in table["players"]] for table in self.ask(f"/{NAME}")["now"]]
        again = self.again("middle")
        self.command("pair", again, "5")
        theirs = [[one["number"] for one in table["players"]] for table in self.ask(f"/{again}")["now"]]
        assert ours == theirs, (ours, theirs)
        self.told.paired_alike = len(ours)

    def again(self, name: str) -> str:
        """The event as its report says it, in the same database under another name."""
        report = self.folder / f"{name}.trf"
        self.command("report", NAME, "-o", str(report))
        self.command("import", str(report), name)
        return name


def event(site: Path, players: int, rounds: int, postgresql: bool = False, plies: int = PLIES) -> Told:
    """Play it, export it into `site`, and compare."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        database = str(folder / "hall.sqlite3")
        if postgresql:
            postgres = Postgres()
            closing.callback(postgres.close)
            database = postgres.url
        broker = closing.enter_context(mosquitto(folder))
        hall = Killed(broker, database)
        closing.callback(hall.kill)
        one = Event(folder, players, rounds, plies, database, broker, hall)
        closing.callback(lambda: [board.close() for board in one.boards.values()])
        for round_ in range(1, rounds + 1):
            one.pair(round_)
            one.play(round_)
        begun = time.monotonic()
        one.command("export", NAME, str(site))
        one.told.export_s = time.monotonic() - begun
        one.told.recorded.update(result for board in one.boards.values() for result in board.results())
        _compare(site, rounds, one.told)
        final = one.again("final")
        assert _lines(one.ask(f"/{final}")["standings"]["rows"]) == _lines(one.told.standings)
        by_hand = recomputed((folder / "final.trf").read_text(encoding="utf-8"))
        assert {row["number"]: _values(row) for row in one.told.standings} == by_hand
    return one.told


def _lines(rows: list[dict[str, Any]]) -> list[list[Any]]:
    return [[row["rank"], row["number"], row["points"], row["tie_breaks"]] for row in rows]


def _values(row: dict[str, Any]) -> list[float]:
    whole, half, _ = str(row["points"]).partition("½")
    return [float(whole or 0) + (0.5 if half else 0.0), *map(float, row["tie_breaks"])]


def _board_names(players: int) -> list[str]:
    return [f"table-{number}" for number in range(1, players // 2 + 1)]


def _compare(site: Path, rounds: int, told: Told) -> None:
    """The export against what was played."""
    said = json.loads((site / "event.json").read_text(encoding="utf-8"))
    tables = [table for round_ in said["rounds"] for table in round_["tables"]]
    assert len(said["rounds"]) == rounds
    assert +told.recorded == +told.expected == Counter(table["result"] for table in tables if table["game"])
    played = [table for table in tables if table["game"]]  # who did not come may be met again
    met = Counter(
        frozenset(pair) for table in played for pair in combinations([one["number"] for one in table["players"]], 2)
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
    parser.add_argument("--players", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--postgresql", action="store_true")
    asked = parser.parse_args()
    told = event(asked.site, asked.players, asked.rounds, asked.postgresql)
    print(
        f"{told.games} games and {told.tables - told.games} forfeits, {told.files} files, all as the boards have them"
    )
    print(f"pairing at most {max(told.paired_s):.2f} s, a round {max(told.played_s):.1f} s,")
    print(f"{told.paired_alike} tables of round 5 paired alike out of the report; standings as recomputed by hand")
    print(f"results known {max(told.last_result_s):.2f} s after the last game, export {told.export_s:.1f} s")


if __name__ == "__main__":
    main()
