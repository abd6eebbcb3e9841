"""What the hall stores: each event once, each game without gaps, whatever comes in which order; on both databases."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from engine.errors import InputError
from server.hall.desk.database import METADATA, open_database
from server.hall.desk.ledger import LARGEST_EARLY, MOST_EARLY, Ledger
from server.mqtt.wire import EventLink
from server.record.chain import encode_event, genesis_hash, hash_event

NOVEMBER = Path(__file__).parents[3] / "data" / "hall-november.sql"


def chain(board: str, game: str, count: int, events: Sequence[Mapping[str, object]] = ()) -> list[EventLink]:
    """So many links with these events, or with moves."""
    links, head = [], genesis_hash(game)
    for number in range(1, count + 1):
        event = events[number - 1] if events else {"event": "move", "ply": number, "notation": f"é{number}"}
        links.append(EventLink(board, game, number, head, hash_event(head, encode_event(event)), event))
        head = links[-1].hash
    return links


def test_what_comes_early_is_held_within_bounds_of_each_board(database: sa.Engine) -> None:
    """Games without a beginning, under ever new names, and events that are larger than any of ours."""
    ledger, large = Ledger(database), [{"event": "note", "text": "x" * (LARGEST_EARLY + 1)}] * 3
    ledger.store_links([chain("loud", f"camelot-{number}", 2)[1] for number in range(2 * MOST_EARLY)])
    ledger.store_links(chain("large", "camelot-0001", 3, large)[1:])
    sent = chain("table-1", "camelot-0001", 3)
    assert ledger.store_links(sent[1:]) == []
    assert ledger.store_links(sent[:1]) == sent
    assert sum(map(len, ledger._early.values())) == MOST_EARLY


def test_doubled_and_shuffled_events_are_stored_once_and_in_order(database: sa.Engine) -> None:
    sent = chain("table-1", "camelot-0001", 60)
    mixed = sent * 3
    random.Random(1).shuffle(mixed)
    ledger, stored = Ledger(database), []
    for at in range(0, len(mixed), 7):
        stored += ledger.store_links(mixed[at : at + 7])
    assert stored == sent == ledger.read_links("table-1", "camelot-0001")
    again = Ledger(database)
    assert again.store_links(sent) == []
    known = again.find_game("table-1", "camelot-0001")
    assert known is not None and (known.summary.events, known.summary.plies, known.summary.head) == (
        60,
        60,
        sent[-1].hash,
    )


def test_an_event_that_does_not_fit_is_not_stored_and_harms_no_other_board(database: sa.Engine) -> None:
    good, other = chain("table-1", "camelot-0001", 3), chain("table-2", "camelot-0001", 3)
    event = {"event": "result", "result": "1-0"}
    forged = EventLink(
        "table-1", "camelot-0001", 3, genesis_hash("x"), hash_event(genesis_hash("x"), encode_event(event)), event
    )
    ledger = Ledger(database)
    assert ledger.store_links([*good[:2], forged, *other]) == [*good[:2], *other]
    known = ledger.find_game("table-1", "camelot-0001")
    assert known is not None and known.broken_at == 3
    assert ledger.store_links([good[2]]) == [good[2]], "what fits is stored, whatever else was sent"


def test_a_game_that_another_hall_went_on_with_is_read_anew(database: sa.Engine) -> None:
    sent = chain("table-1", "camelot-0001", 3)
    ledger, elsewhere = Ledger(database), Ledger(database)
    ledger.store_links(sent[:1])
    elsewhere.find_game("table-1", "camelot-0001")
    ledger.store_links(sent[1:2])
    assert elsewhere.store_links(sent[1:]) == sent[2:], "it has read anew how far the game is stored"
    assert ledger.store_links(sent[2:]) == [], "and so has the first"
    assert elsewhere.read_links("table-1", "camelot-0001") == sent


def test_several_halls_at_once_store_each_event_once(database: sa.Engine) -> None:
    """Whoever is faster: the head of a game is compared and swapped in the transaction that stores."""
    games = [chain(f"table-{number}", "camelot-0001", 60) for number in range(1, 5)]
    stored: list[list[EventLink]] = [[], [], [], []]

    def run(number: int) -> None:
        ledger, chance = Ledger(database), random.Random(number)
        at = 0
        while at < 60:
            size = chance.randint(1, 7)
            stored[number] += ledger.store_links([link for game in games for link in game[at : at + size]])
            at += size

    with ThreadPoolExecutor(len(stored)) as pool:
        list(pool.map(run, range(len(stored))))
    found = [link for one in stored for link in one]
    assert len(found) == len({(link.board, link.sequence) for link in found}) == 240
    assert all(Ledger(database).read_links(game[0].board, "camelot-0001") == game for game in games)


def test_the_migrations_make_the_tables_that_the_program_uses(database: sa.Engine) -> None:
    with database.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def shape_of(path: Path) -> dict[str, object]:
    """All that a database says of its tables."""
    with closing(sqlite3.connect(path)) as read:
        names = [name for (name,) in read.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        shape: dict[str, object] = {name: read.execute(f"PRAGMA table_info('{name}')").fetchall() for name in names}
        return shape | dict(read.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'"))


def test_a_database_that_is_there_goes_on_with_what_it_has_and_is_like_a_new_one(tmp_path: Path) -> None:
    path, new = tmp_path / "hall.sqlite3", tmp_path / "new.sqlite3"
    with closing(sqlite3.connect(path)) as there:
        there.executescript(NOVEMBER.read_text(encoding="utf-8"))
    before = shape_of(path)
    engine = open_database(str(path))
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT name, version FROM tournaments").all() == [("open", 7)]
    engine.dispose()
    open_database(str(new)).dispose()
    assert before.keys() == shape_of(path).keys()
    assert shape_of(path) == shape_of(new)


def test_a_database_of_another_version_is_refused_in_a_line_and_left_as_it_is(database: sa.Engine) -> None:
    with database.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'games_in_order'")
    url = database.url.render_as_string(hide_password=False)
    with pytest.raises(InputError, match=r"another version .*games_in_order.*--database") as refused:
        open_database(url)
    assert "\n" not in str(refused.value)
    with database.begin() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "games_in_order"
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'records_that_fit'")


@pytest.mark.parametrize("url", ["/nowhere/hall.sqlite3", "nosql://x", "postgresql://me:secret@127.0.0.1:1/x"])
def test_a_database_that_cannot_be_used_is_one_line(url: str) -> None:
    with pytest.raises(InputError) as error:
        open_database(url)
    assert "\n" not in str(error.value) and "secret" not in str(error.value)
