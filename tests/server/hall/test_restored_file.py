"""A backup put in the place of a hall's database does not get what lies beside it, and a damaged one is called so."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import time
import urllib.error
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from engine.errors import InputError
from server.hall.desk.database import STORED_ITSELF, close_database, find_file, open_database
from server.hall.desk.database_file import CONTENT_LOOKED_S
from server.hall.tournament.tournament_store import Tournaments
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import Mosquitto, mosquitto, start_hall
from tests.server.hall.test_gone_database import TOURNAMENT, faults
from tests.server.hall.test_hall_run import ask, post
from tests.server.hall.tournament.events import made
from tests.server.script import NAME, OPENING

ROOT_OF_ENTRANTS = "SELECT rootpage FROM sqlite_master WHERE name = 'entrants'"
WITH_IT = ("", "-wal", "-shm", ".made")


def copy_hall(source: Path, target: Path, endings: tuple[str, ...] = WITH_IT) -> Path:
    """The database in a folder as it is at this moment, as after a power cut; its path."""
    target.mkdir(exist_ok=True)
    for ending in endings:
        if (source / f"hall.sqlite3{ending}").exists():
            shutil.copy2(source / f"hall.sqlite3{ending}", target)
    return target / "hall.sqlite3"


def names(path: Path) -> list[str]:
    """The tournaments that a hall has that is started on a file, which is whole then."""
    engine = open_database(str(path), by_hall=True)
    found = Tournaments(engine).list_names()
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    close_database(engine)
    assert not path.with_name(f"{path.name}-wal").exists(), "folded in"
    return found


def set_aside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.before-*-wal"))


@pytest.fixture
def days(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A hall as it was stopped yesterday, the file as it stood while it ran, and as it was killed today."""
    (tmp_path / "hall").mkdir()
    database = tmp_path / "hall" / "hall.sqlite3"
    close_database(engine := open_database(str(database), by_hall=True))
    for day in ("yesterday", "today"):
        engine = open_database(str(database), by_hall=True)
        beat(engine)
        Tournaments(engine).add_tournament(replace(made(2, 1), name=day))
        copy_hall(database.parent, tmp_path / f"killed {day}")
        close_database(engine)
        copy_hall(database.parent, tmp_path / f"stopped {day}")
    return tmp_path / "stopped yesterday", tmp_path / "killed yesterday", tmp_path / "killed today"


def beat(engine: sa.Engine) -> None:
    """As every second."""
    with engine.begin() as connection:
        connection.execute(sa.update(STORED_ITSELF).values(beat=time.time()))


def test_a_copy_of_everything_goes_on_where_it_was(days: tuple[Path, Path, Path], tmp_path: Path) -> None:
    for folder, known in zip(days, (["yesterday"], ["yesterday"], ["today", "yesterday"]), strict=True):
        assert names(copy_hall(folder, tmp_path / "copy")) == known
        assert not set_aside(tmp_path / "copy")
        shutil.rmtree(tmp_path / "copy")


@pytest.mark.parametrize("endings", [("",), ("", ".made")], ids=["the-file-alone", "all-that-it-has"])
def test_a_backup_over_a_killed_hall_stays_as_it_was(
    days: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], endings: tuple[str, ...]
) -> None:
    """What lay beside it is kept, and is whole again with its own file."""
    stopped, _, killed = days
    database = killed / "hall.sqlite3"
    database.rename(tmp_path / "today")
    copy_hall(stopped, killed, endings)
    with pytest.raises(InputError, match="of another time"):
        open_database(str(database))
    assert names(database) == ["yesterday"]
    said = capsys.readouterr().err
    assert "hall.sqlite3 is of another time than the -wal beside it" in said and said.count("\n") == 1
    assert set_aside(killed) == ["hall.sqlite3.before-1-wal"]
    assert listed(database) == ["hall.sqlite3.before-1-wal"], "the next start says it too"
    database.unlink()
    (tmp_path / "today").rename(database)
    (killed / "hall.sqlite3.before-1-wal").rename(killed / "hall.sqlite3-wal")
    assert names(database) == ["today", "yesterday"]
    assert listed(database) == []


def listed(path: Path) -> list[str]:
    """What a hall on this file says to be set aside."""
    file = find_file(engine := open_database(str(path), by_hall=True))
    close_database(engine)
    assert file is not None
    return file.list_aside()


def test_a_power_cut_at_any_moment_of_an_opening_takes_nothing_apart(tmp_path: Path) -> None:
    """The file is copied as it lies there after each statement of the database, and each copy is opened."""
    (tmp_path / "hall").mkdir()
    database, copies = tmp_path / "hall" / "hall.sqlite3", list[Path]()
    engine = open_database(str(database), by_hall=True)
    Tournaments(engine).add_tournament(replace(made(2, 1), name="yesterday"))
    beat(engine)
    killed = copy_hall(database.parent, tmp_path / "killed")
    close_database(engine)

    def copy(*_: object) -> None:
        copies.append(copy_hall(killed.parent, tmp_path / f"copy-{len(copies)}"))

    sa.event.listen(sa.Engine, "after_cursor_execute", copy)
    sa.event.listen(sa.Engine, "commit", copy)
    try:
        engine = open_database(str(killed), by_hall=True)
    finally:
        sa.event.remove(sa.Engine, "after_cursor_execute", copy)
        sa.event.remove(sa.Engine, "commit", copy)
    copy()
    close_database(engine)
    assert len(copies) > 5
    for path in copies:
        assert names(path) == ["yesterday"]
        assert not set_aside(path.parent), path


def test_a_database_that_no_hall_has_opened_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As `referee tournament` makes one: without a token in either nothing is known to be foreign; a journal that has
    one is not of such a file."""
    unopened = tmp_path / "unopened"
    unopened.mkdir()
    engine = open_database(str(unopened / "hall.sqlite3"))
    Tournaments(engine).add_tournament(replace(made(2, 1), name="entered"))
    killed = copy_hall(unopened, tmp_path / "killed")
    close_database(engine)
    stopped = copy_hall(unopened, tmp_path / "stopped")
    assert names(killed) == ["entered"]
    engine = open_database(str(killed), by_hall=True)
    beat(engine)
    copy_hall(killed.parent, stopped.parent, ("-wal",))
    close_database(engine)
    assert names(stopped) == ["entered"]
    assert capsys.readouterr().err.count("another time") == 1


def test_a_journal_that_makes_a_whole_file_a_damaged_one_is_put_aside(tmp_path: Path) -> None:
    """Of one opening: the file was copied while the hall ran, and given back to it after it was killed."""
    (tmp_path / "hall").mkdir()
    engine = open_database(str(tmp_path / "hall" / "hall.sqlite3"), by_hall=True)
    tournaments = Tournaments(engine)
    copied = copy_hall(tmp_path / "hall", tmp_path / "copied", ("",))
    for number in range(150):  # many pages, of which the journal has the last in the end
        tournaments.add_tournament(replace(made(60, 9), name=f"t{number}"))
    copy_hall(tmp_path / "hall", copied.parent, ("-wal", ".made"))
    close_database(engine)
    assert names(copied) == []
    assert set_aside(copied.parent) == ["hall.sqlite3.before-1-wal"]


def test_a_damaged_file_is_not_started_on_and_is_left_as_it_is(tmp_path: Path) -> None:
    database = tmp_path / "hall.sqlite3"
    engine = open_database(str(database), by_hall=True)
    Tournaments(engine).add_tournament(made(200, 9))
    close_database(engine)
    damage_rows(database)
    with pytest.raises(InputError, match=r"is damaged .*backup of the folder") as refused:
        open_database(str(database), by_hall=True)
    assert "\n" not in str(refused.value)
    database.write_bytes(b"no database at all" * 500)
    with pytest.raises(InputError, match=r"not a database.*backup of the folder"):
        open_database(str(database), by_hall=True)


def damage_rows(path: Path) -> None:
    """As a broken disk does: pages of a table have something else in them."""
    with closing(sqlite3.connect(path)) as read:
        (size,), (page,) = read.execute("PRAGMA page_size").fetchone(), read.execute(ROOT_OF_ENTRANTS).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


def test_a_backup_that_is_copied_over_the_open_file_stays_as_it_was(days: tuple[Path, Path, Path]) -> None:
    """As by `cp` while the hall runs: nothing more is written, and as it ends nothing is written into the backup."""
    stopped, _, killed = days
    database = killed / "hall.sqlite3"
    engine = open_database(str(database), by_hall=True)
    Tournaments(engine).add_tournament(replace(made(2, 1), name="evening"))
    time.sleep(CONTENT_LOOKED_S)
    shutil.copyfile(stopped / "hall.sqlite3", database)
    for _ in range(2):
        with pytest.raises(sa.exc.OperationalError, match="has another database in it"):
            beat(engine)
    close_database(engine)
    assert names(database) == ["yesterday"]
    assert set_aside(killed) == ["hall.sqlite3.before-1-wal"]


def banner_of(chromium: Chrome, url: str) -> str:
    chromium.get(f"{url}tournaments")
    return str(wait_until(lambda: chromium.find_element(By.ID, "hall-faults").text))


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_the_banner_s_own_advice_keeps_both_days(tmp_path: Path, chromium: Chrome, end: signal.Signals) -> None:
    """The file is replaced while the hall runs, and the hall is started again; then the first one is put back."""
    database, log, backup = tmp_path / "hall.sqlite3", tmp_path / "log", tmp_path / "backup"
    with mosquitto(tmp_path) as broker:
        with running_hall(broker, database, log, signal.SIGTERM) as url:
            post(f"{url}api/v1/hall/tournaments", TOURNAMENT | {"name": "yesterday"})
        assert not (tmp_path / "hall.sqlite3-wal").exists(), "folded in at an orderly end"
        shutil.copy2(database, backup)
        with running_hall(broker, database, log, end) as url:
            post(f"{url}api/v1/hall/tournaments", TOURNAMENT | {"name": "today"})
            database.rename(tmp_path / "today")
            backup.rename(database)
            wait_until(lambda: "start the hall again to use this one" in faults(url))
        with running_hall(broker, database, log, end) as url:
            assert ask(f"{url}api/v1/hall/tournaments")["tournaments"] == ["yesterday"]
            assert "pairings and results that were entered since are not in it" in banner_of(chromium, url)
            wait_until(lambda: ask(f"{url}healthz")["why"] == {"set-aside": "hall.sqlite3.before-1-wal"})
            assert ask(f"{url}readyz")["ready"]
            copied = copy_hall(tmp_path, tmp_path / "copy")
        said = log.read_text(encoding="utf-8")
        assert said.count("is of another time than the -wal beside it") == 1
        assert "Normal disconnection" not in said, "an end in order is no trouble of the broker"
        assert "tournaments, players, pairings and results entered since are not in it: put the newer database" in said
        assert names(copied) == ["yesterday"] == names(database)
        database.unlink()
        (tmp_path / "today").rename(database)
        (tmp_path / "hall.sqlite3.before-1-wal").rename(tmp_path / "hall.sqlite3-wal")
        with running_hall(broker, database, log, signal.SIGTERM) as url:
            assert ask(f"{url}api/v1/hall/tournaments")["tournaments"] == ["today", "yesterday"]
            wait_until(lambda: not ask(f"{url}healthz")["faults"])
    assert names(database) == ["today", "yesterday"]


@contextmanager
def running_hall(broker: Mosquitto, database: Path, log: Path, end: signal.Signals) -> Iterator[str]:
    """`referee hall` as a program, which is ended so."""
    process, url = start_hall(broker, str(database), log=log)
    try:
        yield url
        process.send_signal(end)
        process.wait(PATIENCE_S)
    finally:
        process.kill()
        process.communicate()


def test_a_database_that_is_found_to_be_damaged_takes_nothing_any_more(tmp_path: Path) -> None:
    """Whoever meets it: health, the pages' banner and the boards hear of it, and it does not pass."""
    database, log, table = tmp_path / "hall.sqlite3", tmp_path / "log", Table(tmp_path)
    with mosquitto(tmp_path) as broker, running_hall(broker, database, log, signal.SIGTERM) as url:
        publisher = table.publisher(broker)
        table.play(OPENING[0])
        wait_until(lambda: table.stored() == {NAME: 2})
        post(f"{url}api/v1/hall/tournaments", TOURNAMENT)
        with closing(sqlite3.connect(database)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        damage_rows(database)
        wait_until(lambda: meet_damage(url) and "is damaged" in faults(url))
        assert "put the backup of the folder in its place" in faults(url)
        with pytest.raises(urllib.error.HTTPError) as unready:
            ask(f"{url}readyz")
        unready.value.close()
        assert unready.value.code == 503
        table.play(OPENING[1])
        wait_until(lambda: "is damaged" in str(table.script.feed.vitals.hall()))
        assert table.stored() == {NAME: 2}
        publisher.stop_publishing()
    table.record.close_file()
    assert log.read_text(encoding="utf-8").count("malformed") < 10, "not twice a second"


def meet_damage(url: str) -> bool:
    """Ask for what lies on the damaged page."""
    with suppress(urllib.error.HTTPError):
        ask(f"{url}api/v1/hall/tournaments/open")
    return True
