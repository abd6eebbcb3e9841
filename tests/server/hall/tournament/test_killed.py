"""A hall that is killed with -9 while it pairs, while results flow in and while an arbiter says one, many times."""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.hall_event_parts import NAME, RESULTS, EventBoard, Killed
from tests.patience import wait_until
from tests.server.hall.parts import Postgres, mosquitto

KILLS = int(os.environ.get("EVENT_KILLS", "1"))
"""In each round while it is paired; as many while its games end and while an arbiter says a result. `make soak`: 10."""
ROUNDS, PLAYERS = 2, 8
PAIRING_S, SAYING_S = 1.5, 0.6
"""The latest blow after what it is to hit was asked for: some are before it is kept, some after."""


def tables_of(hall: Killed, round_: int) -> list[dict[str, Any]]:
    """Of a round, [] before it is paired. Whatever was hit, each player sits at one table or the round is none."""
    rounds = hall.arbiter.ask(f"/{NAME}")["rounds"]
    assert len(rounds) in {round_ - 1, round_}
    if len(rounds) < round_:
        return []
    found: list[dict[str, Any]] = rounds[-1]["tables"]
    assert sorted(one["number"] for table in found for one in table["players"]) == list(range(1, PLAYERS + 1))
    assert len({table["board"] for table in found}) == len(found) == PLAYERS // 2
    return found


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "hall.sqlite3")
        return
    running = Postgres()
    yield running.url
    running.close()


def test_a_tournament_outlives_every_kill(tmp_path: Path, database: str) -> None:
    chance = random.Random(5)
    with mosquitto(tmp_path) as broker:
        hall = Killed(broker, database)
        boards = {f"table-{n}": EventBoard(tmp_path, f"table-{n}", broker.url, "camelot") for n in range(1, 5)}
        people = "\n".join(f"Family{number:02}, Given; {2300 - number}" for number in range(1, PLAYERS + 1))
        hall.arbiter.ask(name=NAME, rounds=ROUNDS, players=people, boards=" ".join(boards))
        try:
            expected = [played(hall, boards, round_, chance) for round_ in range(1, ROUNDS + 1)]
            said = hall.arbiter.ask(f"/{NAME}")
        finally:
            hall.kill()
            for board in boards.values():
                board.close()
    assert [{table["board"]: table["result"] for table in one["tables"]} for one in said["rounds"]] == expected
    points = Counter({row["name"]: float(row["points"].replace("½", ".5")) for row in said["standings"]["rows"]})
    assert sum(points.values()) == ROUNDS * PLAYERS / 2, "each game counts once"
    print(f"{hall.kills} kills, {ROUNDS * PLAYERS // 2} results, all as the boards and the arbiter said them")


def played(hall: Killed, boards: dict[str, EventBoard], round_: int, chance: random.Random) -> dict[str, str]:
    """A round under blows; the result of each board."""
    hit = paired = 0
    for _ in range(KILLS):
        hall.strikes(lambda: hall.arbiter.ask(f"/{NAME}/pair", round=round_), chance.uniform(0, PAIRING_S))
        hit += 1
        if tables_of(hall, round_):
            paired += 1
            if hit < KILLS:
                hall.arbiter.ask(f"/{NAME}/unpair", round=round_)
    if not tables_of(hall, round_):
        hall.arbiter.ask(f"/{NAME}/pair", round=round_)
    tables = tables_of(hall, round_)
    print(f"round {round_}: killed {hit} times while pairing, {paired} of them after it was kept")
    by_arbiter, *by_boards = tables
    results = {table["board"]: chance.choice(RESULTS) for table in by_boards}

    def blows() -> None:
        for _ in range(KILLS):
            hall.strikes(lambda: _says(hall, round_, by_arbiter["table"]), chance.uniform(0, SAYING_S))

    striking = threading.Thread(target=blows)
    striking.start()
    for table in by_boards:
        boards[table["board"]].play(_names(table), results[table["board"]], random.Random(table["table"]), 8)
    striking.join()
    _says(hall, round_, by_arbiter["table"])
    wait_until(lambda: all(table["result"] for table in tables_of(hall, round_)), f"results of round {round_}")
    return results | {by_arbiter["board"]: "+:-"}


def _names(table: dict[str, Any]) -> list[str]:
    return [str(one["name"]) for one in table["players"]]


def _says(hall: Killed, round_: int, table: int) -> None:
    """The arbiter looks, and says the result if it does not stand there yet."""
    (now,) = (one["result"] for one in tables_of(hall, round_) if one["table"] == table)
    assert now in {"", "+:-"}
    if not now:
        hall.arbiter.ask(f"/{NAME}/result", round=round_, table=table, result="+:-", was="", who="Doe, Jane")
