"""The arbiters' queue: a matter is one arbiter's at a time and is ruled on once, however many reach for it at once."""

from __future__ import annotations

import os
import threading

import pytest
import sqlalchemy as sa

from server.hall.desk.matters import CLAIMED, LEASE_S, OPEN, RULED, Matters
from tests.server.hall.test_ledger import database, postgres

__all__ = ["database", "postgres"]  # fixtures

RACES = int(os.environ.get("RACES", "150"))
"""For each database; `make soak` runs 10,000."""


def test_a_trouble_is_one_matter_until_it_has_passed(database: sa.Engine) -> None:
    matters = Matters(database)
    assert matters.note("table-1", "camelot-0001", ["cannot-see", "lights"], 1.0)
    assert not matters.note("table-1", "camelot-0001", ["cannot-see"], 2.0)
    assert [(one.kind, one.opened, one.state) for one in matters.unsettled()] == [("cannot-see", 1.0, OPEN)]
    assert not Matters(database).note("table-1", "camelot-0001", ["cannot-see"], 3.0), "another hall knows it too"
    assert matters.note("table-1", "camelot-0001", [], 4.0)
    assert matters.unsettled() == []
    assert matters.note("table-1", "camelot-0001", ["cannot-see"], 5.0)
    assert [one.opened for one in matters.unsettled()] == [5.0]


def test_a_claim_holds_until_its_lease_is_over(database: sa.Engine) -> None:
    matters = Matters(database)
    matters.note("table-1", "camelot-0001", ["doubt"], 1.0)
    (seen,) = matters.unsettled()
    assert matters.claim(seen.id, seen.version, "Anna", 10.0)
    assert not matters.claim(seen.id, seen.version, "Bert", 10.0), "not as it was seen"
    assert not matters.claim(seen.id, seen.version + 1, "Bert", 11.0), "another's"
    assert not matters.rule(seen.id, seen.version + 1, "Bert", "stands")
    assert matters.claim(seen.id, seen.version + 1, "Bert", 11.0 + LEASE_S)
    (now,) = matters.unsettled()
    assert (now.owner, now.state) == ("Bert", CLAIMED)
    assert not matters.rule(seen.id, seen.version + 1, "Anna", "stands")
    assert matters.note("table-1", "camelot-0001", [], 12.0), "what somebody sees to does not go away by itself"
    assert [one.owner for one in matters.unsettled()] == ["Bert"]
    assert matters.rule(now.id, now.version, "Bert", "the move stands")
    assert not matters.rule(now.id, now.version, "Bert", "or not")
    assert [(one.owner, one.ruling, one.state) for one in matters.ruled("table-1")] == [
        ("Bert", "the move stands", RULED)
    ]


@pytest.mark.parametrize("race", ["claim", "claim and rule"])
def test_two_arbiters_never_rule_twice(database: sa.Engine, race: str) -> None:
    """Two halls on one database, each arbiter at another: in every race exactly one wins."""
    matters = Matters(database)
    for number in range(RACES):
        matters.note(f"table-{number}", "camelot-0001", ["doubt"], 1.0)
    ids = [int(row[0]) for row in _ids(database)]
    start, won = threading.Barrier(2), {"Anna": set[int](), "Bert": set[int]()}

    def arbiter(who: str) -> None:
        mine = Matters(database)
        for matter in ids:
            start.wait()
            if mine.claim(matter, 1, who, 10.0) and (race == "claim" or mine.rule(matter, 2, who, who)):
                won[who].add(matter)

    threads = [threading.Thread(target=arbiter, args=(who,)) for who in won]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won["Anna"] | won["Bert"] == set(ids)
    assert not won["Anna"] & won["Bert"]


def _ids(database: sa.Engine) -> list[tuple[int]]:
    with database.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text("SELECT id FROM matters ORDER BY id"))]  # type: ignore[misc]
