"""A server's database that is set back, refuses one table, or is used by two halls: said, and nothing is lost by it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest

from engine.match.events import Result
from engine.match.state import Phase
from server.hall.desk.intake import FAILED_S
from server.hall.desk.standing import SETTLES_S
from server.mqtt.wire import NOT_HEARD_S
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import PG_BIN, Mosquitto, Postgres, hall, mosquitto, start_hall
from tests.server.hall.test_gone_database import faults
from tests.server.hall.test_hall_run import ask, stored
from tests.server.script import NAME, OPENING


class Server(Postgres):
    """With a database that can be dropped while halls use it, and roles that may do less than its owner."""

    @property
    def url(self) -> str:
        return f"postgresql://referee@127.0.0.1:{self.port}/hall"

    def run(self, program: str, *arguments: str | Path, said: str = "") -> str:
        """A program of PostgreSQL's on this server."""
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "referee"]
        command = [PG_BIN[0] / program, *where, *arguments]
        return subprocess.run(command, check=True, input=said, capture_output=True, text=True).stdout

    def ask(self, statement: str) -> str:
        """What a statement says, as its superuser."""
        return self.run("psql", "-At", "-d", "hall", "-c", statement).strip()

    def set_back(self, dump: Path) -> None:
        """The database is dropped under whoever uses it, and is what it was when it was dumped."""
        self.run("dropdb", "--force", "hall")
        self.run("createdb", "hall")
        self.run("pg_restore", "-d", "hall", dump)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def database(server: Server) -> Server:
    server.run("dropdb", "--force", "--if-exists", "hall")
    server.run("createdb", "hall")
    return server


def why(url: str) -> dict[str, str]:
    """What is wrong with a hall."""
    return cast(dict[str, str], ask(f"{url}healthz")["why"])


def waiting(url: str) -> list[tuple[str, str, int]]:
    """Board, kind and number of each matter that waits."""
    found = cast(list[dict[str, Any]], ask(f"{url}api/v1/hall/matters")["matters"])
    return sorted((one["board"], one["kind"], one["id"]) for one in found)


def troubled_boards(stack: ExitStack, folder: Path, broker: Mosquitto, count: int) -> list[Table]:
    """Boards at which a game is played, and whose cameras do not see it any more."""
    tables = []
    for number in range(1, count + 1):
        own = folder / f"{broker.port}-{number}"
        own.mkdir()
        tables.append(table := Table(own))
        stack.callback(table.record.close_file)
        stack.callback(table.publisher(broker, f"table-{number}").stop_publishing)
        table.play(OPENING[0])
        table.script.cannot_see()
    return tables


def end_game(table: Table) -> None:
    """White resigns."""
    over = Result(table.script.t, "0-1", "resignation")
    table.script.tell(Phase.OVER, over)
    table.journal.write_events([over])
    table.script.feed.publish_event(over.to_json())


def test_a_database_that_is_set_back_is_said_and_boards_send_what_it_has_not(tmp_path: Path, database: Server) -> None:
    """The game was over and confirmed: without being asked its board sends none of it again."""
    table, dump = Table(tmp_path), tmp_path / "dump"
    with mosquitto(tmp_path) as broker, hall(broker, database.url) as url:
        publisher = table.publisher(broker)
        table.play(OPENING[0])
        wait_until(lambda: table.stored() == {NAME: 2})
        database.run("pg_dump", "-Fc", "-f", dump, "hall")
        for notation in OPENING[1:3]:
            table.play(notation)
        end_game(table)
        wait_until(lambda: table.stored() == {NAME: 5})
        wait_until(lambda: not why(url))
        database.set_back(dump)
        wait_until(lambda: database.ask("SELECT count(*) FROM events") == "5", patience_s=30)
        wait_until(lambda: list(why(url)) == ["set-back"], patience_s=30)
        assert stored(url) == [5]
        publisher.stop_publishing()
    table.record.close_file()
    with mosquitto(tmp_path) as broker, hall(broker, database.url) as url:
        wait_until(lambda: not why(url))


def test_a_table_that_cannot_be_written_is_a_fault_until_it_can(tmp_path: Path, database: Server) -> None:
    table, log = Table(tmp_path), tmp_path / "log"
    database.ask("CREATE ROLE clerk LOGIN; ALTER DATABASE hall OWNER TO clerk")
    url_of_clerk = database.url.replace("referee@", "clerk@")
    with mosquitto(tmp_path) as broker:
        process, url = start_hall(broker, url_of_clerk, log=log)
        publisher = table.publisher(broker)
        table.play(OPENING[0])
        wait_until(lambda: table.stored() == {NAME: 2} and not why(url))
        for name in ("events", "tables"):
            database.ask(f"ALTER TABLE {name} OWNER TO referee; GRANT SELECT ON {name} TO clerk")
        table.play(OPENING[1])
        wait_until(lambda: "permission denied for table events" in faults(url), patience_s=30)
        end = time.monotonic() + 3 * FAILED_S
        while time.monotonic() < end:
            assert "permission denied" in faults(url)
            time.sleep(0.2)
        database.ask("ALTER TABLE events OWNER TO clerk")
        wait_until(lambda: table.stored() == {NAME: 3})
        database.ask("ALTER TABLE tables OWNER TO clerk")
        wait_until(lambda: not faults(url))
        database.ask("ALTER TABLE itself OWNER TO referee; GRANT SELECT ON itself TO clerk")
        wait_until(lambda: "permission denied for table itself" in faults(url), patience_s=30)
        database.ask("ALTER TABLE itself OWNER TO clerk")
        wait_until(lambda: not faults(url), patience_s=30)
        publisher.stop_publishing()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        process.communicate()
    table.record.close_file()
    said = log.read_text(encoding="utf-8")
    assert (said.count("does not take it"), said.count("takes it again")) == (2, 2)


def test_halls_that_begin_let_no_matter_go(tmp_path: Path, database: Server) -> None:
    """They know less of the boards at first, and write the same queue: what passed there was never seen again."""
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path))
        url = stack.enter_context(hall(broker, database.url))
        troubled_boards(stack, tmp_path, broker, 6)
        away = Table(tmp_path)
        stack.callback(away.record.close_file)
        gone = away.publisher(broker, "table-9")
        away.play(OPENING[0])
        wait_until(lambda: away.stored() == {NAME: 2})
        gone.stop_publishing()
        wait_until(lambda: len(waiting(url)) == 7)
        before = waiting(url)
        with hall(broker, database.url) as other, hall(broker, database.url) as third:
            end = time.monotonic() + SETTLES_S + 3
            while time.monotonic() < end:
                assert waiting(url) == waiting(other) == waiting(third) == before
                assert not why(url) and not faults(other) and not faults(third)
                time.sleep(0.2)


def test_matters_that_another_hall_lets_go_come_back(tmp_path: Path, database: Server) -> None:
    """Whoever wrote it: the queue says what the boards' tiles say."""
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path))
        url = stack.enter_context(hall(broker, database.url))
        troubled_boards(stack, tmp_path, broker, 1)
        wait_until(lambda: len(waiting(url)) == 1)
        database.ask("UPDATE matters SET state = 'passed', lasts = false, version = version + 1")
        wait_until(lambda: [one[:2] for one in waiting(url)] == [("table-1", "cannot-see")], patience_s=30)


def test_a_hall_with_another_broker_is_told_and_writes_nothing(tmp_path: Path, database: Server) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    with ExitStack() as stack:
        one, two = (stack.enter_context(mosquitto(tmp_path / name)) for name in ("first", "second"))
        url = stack.enter_context(hall(one, database.url))
        tables = troubled_boards(stack, tmp_path, one, 2)
        wait_until(lambda: len(waiting(url)) == 2)
        wait_until(lambda: all(table.stored() == {NAME: 2} for table in tables))
        before, events = waiting(url), database.ask("SELECT count(*) FROM events")
        with hall(two, database.url) as other:
            (table,) = troubled_boards(stack, tmp_path, two, 1)
            wait_until(lambda: str(two.port) in why(url).get("another-hall", ""), patience_s=30)
            wait_until(lambda: str(one.port) in faults(other), patience_s=30)
            assert not faults(url)
            time.sleep(NOT_HEARD_S)
            assert waiting(url) == before and database.ask("SELECT count(*) FROM events") == events
            assert not table.stored()
        wait_until(lambda: not why(url), patience_s=30)
        assert waiting(url) == before
