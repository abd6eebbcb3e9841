"""A hall whose database is moved, deleted or replaced says so, stores nothing, and never begins anew by itself."""

from __future__ import annotations

import errno
import html
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import sqlalchemy as sa
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from engine.errors import InputError
from server.hall.desk.database import open_database, read_database_name
from server.hall.desk.hall_vitals import HallVitals
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Distrust, Matters
from server.hall.desk.orders import Orders
from server.hall.desk.standing import Boards
from server.hall.hall_folder import HALL_FILE, HallFolder
from server.hall.pages.hall_app import Desk, hall_app
from server.hall.pages.with_tournaments import with_tournaments
from server.hall.tournament.games_played import Rulings
from server.hall.tournament.tournament_store import Tournaments
from server.hall.tournament.under_way import LastRounds
from server.web.access.visitors import Visitors
from server.web.feed import Feed
from tests.bench.hall_event_parts import EventBoard
from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.full_disk import files_of_at_most
from tests.server.hall.parts import Postgres, free_port, hall, mosquitto, start_hall
from tests.server.hall.test_hall_run import ask, post, stored
from tests.server.hall.test_standalone import COMMAND, ENV, EVENT, club, run
from tests.server.script import NAME, OPENING

TOURNAMENT = {"name": "open", "rounds": 1, "system": "swiss", "players": "Anna\nBert"}


def troubles_of(url: str) -> object:
    """What is wrong with the board; nothing where the hall has to read its database for the answer, which is away."""
    try:
        return ask(f"{url}api/v1/hall/boards/table-1")["troubles"]
    except urllib.error.HTTPError as error:
        error.close()
        assert error.code == 503
        return None


def state_of(url: str) -> dict[str, object]:
    """What the page of all boards shows of the board."""
    boards = ask(f"{url}api/v1/hall/boards")["boards"]
    assert isinstance(boards, list)
    state = boards[0]["state"]
    assert isinstance(state, dict)
    return state


def refusal_code(url: str) -> int:
    """With what a new tournament is refused; the answer is closed."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(url, TOURNAMENT)
    with refused.value as answer:
        return int(answer.code)


def faults(url: str) -> str:
    """What /healthz says of the database; empty while it is well."""
    why = ask(f"{url}healthz")["why"]
    assert isinstance(why, dict)
    return str(why.get("database", ""))


def test_a_database_that_is_moved_takes_nothing_until_it_is_back(tmp_path: Path) -> None:
    """Also what was in its journal is there again."""
    database, away, table = tmp_path / "hall.sqlite3", tmp_path / "elsewhere", Table(tmp_path)
    with mosquitto(tmp_path) as broker, hall(broker, str(database)) as url:
        publisher = table.publisher(broker)
        table.play(OPENING[0])
        wait_until(lambda: stored(url) == [2] and table.stored() == {NAME: 2})
        post(f"{url}api/v1/hall/tournaments", TOURNAMENT | {"name": "going"})
        post(f"{url}api/v1/hall/tournaments/going/pair", {"round": 1})
        rounds = ask(f"{url}api/v1/hall/rounds")["rounds"]
        assert isinstance(rounds, list) and len(rounds) == 1
        database.rename(away)
        wait_until(lambda: "put it back" in faults(url))
        assert "put it back" in json.dumps(ask(f"{url}api/v1/hall/health")), "the banner's"
        assert refusal_code(f"{url}api/v1/hall/tournaments") == 503
        assert ask(f"{url}api/v1/hall/rounds")["rounds"] == rounds, "what is counted stays"
        table.play(OPENING[1])
        wait_until(lambda: troubles_of(url) == ["missing"])
        assert (table.stored(), database.exists()) == ({NAME: 2}, False)
        away.rename(database)
        wait_until(lambda: not faults(url))
        post(f"{url}api/v1/hall/tournaments", TOURNAMENT)
        wait_until(lambda: table.stored() == {NAME: 3})
        publisher.stop_publishing()
    table.record.close_file()
    with sqlite3.connect(database) as read:
        assert read.execute("SELECT COUNT(*) FROM events").fetchone() == (3,)


def test_a_hall_ends_although_its_database_is_frozen(tmp_path: Path) -> None:
    """It waited for good for a part that was waiting for an answer."""
    database = Postgres()
    with mosquitto(tmp_path) as broker:
        process, url = start_hall(broker, database.url)
        wait_until(lambda: not faults(url))
        server = database.process.pid
        parts = [server, *map(int, Path(f"/proc/{server}/task/{server}/children").read_text().split())]
        for pid in parts:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(2.0)  # all parts have asked for something
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        process.communicate()
        for pid in parts:
            os.kill(pid, signal.SIGCONT)
    database.close()


def test_a_server_that_is_killed_is_one_line_and_its_return_another(tmp_path: Path) -> None:
    """Boards play on meanwhile, pages are told what they say, and what they played is stored afterwards."""
    table, log, database = Table(tmp_path), tmp_path / "hall.log", Postgres()
    options = ("--spectators", str(tmp_path / "live"), "--delay", "0")
    with mosquitto(tmp_path) as broker:
        process, url = start_hall(broker, database.url, *options, log=log)
        publisher = table.publisher(broker)
        table.play(OPENING[0])
        wait_until(lambda: table.stored() == {NAME: 2})
        post(f"{url}api/v1/hall/tournaments", TOURNAMENT)
        database.kill()
        wait_until(lambda: faults(url))
        for number in (1, 2):
            table.play(OPENING[number])
            wait_until(lambda: state_of(url)["ply"] == number + 1)  # noqa: B023  # waited for within the loop
        database.start()
        wait_until(lambda: not faults(url) and table.stored() == {NAME: 4})
        said = log.read_text(encoding="utf-8").splitlines()
        publisher.stop_publishing()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        process.communicate()
    table.record.close_file()
    database.close()
    assert [re.sub(r".*the database (\w+ \w+ \w+ \w+|\w+ \w+ again).*", r"\1", line) for line in said] == [
        "does not take it",
        "takes it again",
    ]


def kill_in_commit(database: Postgres, engine: sa.Engine) -> None:
    """While two commits wait: one is the hall's line that it writes every second."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    with engine.connect() as connection:
        wait_until(lambda: connection.exec_driver_sql(waiting).scalar() == 2)
    engine.dispose()
    database.kill()


def test_what_may_be_kept_is_not_called_lost_and_pages_show_what_stands(tmp_path: Path, chromium: Chrome) -> None:
    """Commits wait for a standby that there is not; the server is killed meanwhile, and has what was said."""
    database = Postgres()
    with mosquitto(tmp_path) as broker, hall(broker, database.url) as url:
        asked = f"{url}api/v1/hall/tournaments"
        post(asked, {**TOURNAMENT, "rounds": 3})
        chromium.get(f"{url}tournaments/open")
        wait_until(lambda: chromium.find_element(By.TAG_NAME, "body").get_attribute("data-ready"))
        engine = sa.create_engine(database.url.replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            connection.exec_driver_sql("SELECT pg_reload_conf()")
        time.sleep(1)
        blow = threading.Thread(target=kill_in_commit, args=(database, engine))
        blow.start()
        with pytest.raises(urllib.error.HTTPError) as refused:
            post(f"{asked}/open/pair", {"round": 1})
        assert "may or may not be kept" in json.load(refused.value)["detail"]
        blow.join()
        database.start()
        wait_until(lambda: ask(f"{asked}/open")["now"])
        wait_until(lambda: "Round 1" in chromium.find_element(By.TAG_NAME, "main").text)
        wait_until(lambda: "no standby has confirmed" in faults(url))
        with pytest.raises(urllib.error.HTTPError) as refused:
            post(f"{asked}/open/unpair", {"round": 1})
        assert "may or may not be kept" in json.load(refused.value)["detail"], "it ends by itself"
        assert ask(f"{asked}/open")["now"] == []
    database.close()


def test_a_page_that_was_opened_in_an_outage_comes_by_itself(tmp_path: Path, chromium: Chrome) -> None:
    database = Postgres()
    with mosquitto(tmp_path) as broker, hall(broker, database.url) as url:
        post(f"{url}api/v1/hall/tournaments", TOURNAMENT)
        database.kill()
        chromium.get(f"{url}tournaments/open")
        assert "does not answer" in chromium.find_element(By.TAG_NAME, "main").text
        database.start()
        wait_until(lambda: "Anna" in str(chromium.execute_script("return document.body.innerText")))  # type: ignore[no-untyped-call]
    database.close()


def test_the_boards_page_that_is_opened_in_an_outage_counts_the_round_that_was_paired_before(
    tmp_path: Path, chromium: Chrome
) -> None:
    """Nobody had looked at it since; it showed the results of the games before beside who plays now."""
    database = Postgres()
    with mosquitto(tmp_path) as broker:
        with hall(broker, database.url) as url:
            board = EventBoard(tmp_path, "table-1", broker.url, "camelot")
            board.play(["Cy", "Dora"], "1-0", random.Random(1), 2)
            wait_until(lambda: stored(url))
            post(f"{url}api/v1/hall/tournaments", TOURNAMENT | {"boards": "table-1"})
        with hall(broker, database.url) as url, urllib.request.urlopen(f"{url}api/v1/hall/events") as told:  # noqa: S310  # our own address
            post(f"{url}api/v1/hall/tournaments/open/pair", {"round": 1})
            wait_until(lambda: b'"open"' in told.readline())
            database.kill()
            chromium.get(f"{url}hall")
            wait_until(lambda: "0 of 1 results" in chromium.find_element(By.ID, "summary").text)
            assert "1-0" not in chromium.find_element(By.ID, "boards").text
            database.start()
            board.close()
    database.close()


def test_a_page_of_a_database_that_does_not_answer_says_so_and_leads_to_the_boards(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    ledger, matters, counted = Ledger(engine), Matters(engine), [{"all": 3, "done": 1}]
    boards, is_away = Boards(ledger), threading.Event()

    def rounds() -> list[dict[str, object]]:
        if is_away.is_set():
            raise sa.exc.OperationalError("select", None, Exception("server closed the connection"))
        return [dict(one) for one in counted]

    orders = Orders(matters, boards, ledger, lambda board, command: False)
    vitals = HallVitals(read_database_name(engine))
    decide = Rulings(Tournaments(engine), ledger).decide_result
    desk = Desk(Feed(), boards, ledger, matters, orders, vitals, lambda: None, lambda *_: {}, lambda *_: [], decide)
    app = hall_app(desk, Visitors(), {}, LastRounds(rounds).list_rounds)
    away = sa.create_engine(f"sqlite:///{tmp_path}/nothing/hall.sqlite3")
    client = with_tournaments(app, lambda: None, Tournaments(away), boards, ledger, {}, Distrust).test_client()
    assert client.get("/api/v1/hall/rounds").json == {"rounds": counted}
    is_away.set()
    assert client.get("/api/v1/hall/rounds").json == {"rounds": counted}, "what is counted stays"
    for code, name in (("en", "database does not answer"), ("de", "Die Datenbank des Saals antwortet nicht")):
        answer = client.get("/tournaments/open", headers={"Accept": "text/html", "Accept-Language": code})
        said = html.unescape(answer.text)
        assert answer.status_code == 503 and name in said
        assert {"en": "All boards", "de": "Alle Bretter"}[code] in said
    engine.dispose()


@pytest.mark.parametrize("ending", ["", "-wal"])
def test_a_file_that_is_deleted_or_replaced_is_said(tmp_path: Path, ending: str) -> None:
    database = tmp_path / "hall.sqlite3"
    with mosquitto(tmp_path) as broker, hall(broker, str(database)) as url:
        wait_until(lambda: not ask(f"{url}healthz")["faults"])
        (tmp_path / f"hall.sqlite3{ending}").unlink()
        wait_until(lambda: "is not there any more" in faults(url))
        if not ending:
            open_database(str(tmp_path / "other.sqlite3")).dispose()
            (tmp_path / "other.sqlite3").rename(database)
            wait_until(lambda: "another file" in faults(url))
        assert refusal_code(f"{url}api/v1/hall/tournaments") == 503
    if ending:
        with sqlite3.connect(database) as read:
            (beat,) = read.execute("SELECT beat FROM itself").fetchone()
        assert beat, "it was saved as the hall ended"


def test_a_folder_that_has_had_a_hall_is_not_begun_anew_by_itself(tmp_path: Path) -> None:
    """Killed, its journal is whole in the file beside; a start without the database leaves it as it is."""
    folder, port = tmp_path / "hall", free_port()
    folder.mkdir()
    with club(folder, port) as running:
        assert run([*COMMAND[:3], *EVENT], folder).returncode == 0
        password = running.password
        running.process.kill()
        running.process.wait()
    (folder / "hall.sqlite3").rename(tmp_path / "elsewhere")
    before = (folder / "hall.sqlite3-wal").read_bytes()
    start = [*COMMAND, "--port", str(port)]
    for made in (True, False):
        refused = run(start, folder)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert str(folder / "hall.sqlite3") in refused.stderr and "--new-database" in refused.stderr
        assert (folder / "hall.sqlite3-wal").read_bytes() == before
        if made:  # as by rm hall.sqlite3*, or a hall of an earlier version
            (folder / "hall.sqlite3.made").unlink()
    shutil.copy(tmp_path / "elsewhere", folder / "hall.sqlite3")
    with club(folder, port) as running:
        running.ask("/login", {"name": "arbiter", "password": password})
        assert json.loads(running.ask("/api/v1/hall/tournaments"))["tournaments"] == ["open"]


def test_a_folder_keeps_the_database_that_was_named_once(tmp_path: Path) -> None:
    """At the next start without it the hall asked for a file that there never was, or would have begun anew."""
    folder, elsewhere, port = tmp_path / "hall", tmp_path / "elsewhere.sqlite3", free_port()
    folder.mkdir()
    with club(folder, port, "--database", str(elsewhere)) as running:
        password = running.password
        assert f"This hall uses {elsewhere} from now on" in running.said
        assert run([*COMMAND[:3], *EVENT], folder).returncode == 0
    with club(folder, port) as running:
        running.ask("/login", {"name": "arbiter", "password": password})
        assert json.loads(running.ask("/api/v1/hall/tournaments"))["tournaments"] == ["open"]
    assert (folder / HALL_FILE).stat().st_mode & 0o077 == 0, "an address may have a password"
    said = json.loads((folder / HALL_FILE).read_text(encoding="utf-8"))
    del said["database"]  # as an earlier version has left it
    (folder / HALL_FILE).write_text(json.dumps(said), encoding="utf-8")
    refused = run([*COMMAND, "--port", str(port)], folder)
    assert refused.returncode == 2 and "elsewhere, name it with --database" in refused.stderr


def test_a_start_on_a_full_disk_says_where_and_leaves_no_half_of_a_hall(tmp_path: Path) -> None:
    """A disk that fills at any moment of it; with room it starts as if nothing had been."""
    start, port = [*COMMAND, "--port", "0", "--broker-port", str(free_port())], free_port()
    env = ENV | {"PYTHONDONTWRITEBYTECODE": "1"}  # half of a compiled module would be kept
    for most in (100, 240, 700, 5000, 50_000):
        with files_of_at_most(most):
            refused = subprocess.run(start, check=False, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert str(tmp_path) in refused.stderr and "Errno" not in refused.stderr
        assert (tmp_path / "hall.json").exists() or not list(tmp_path.iterdir())
    assert (tmp_path / "hall.json").exists() and not (tmp_path / "hall.sqlite3").exists()
    with club(tmp_path, port) as running:
        assert json.loads(running.ask("/healthz"))["status"] in {"ok", "degraded"}


def test_what_is_left_of_a_database_is_given_to_no_other(tmp_path: Path) -> None:
    database = tmp_path / "hall.sqlite3"
    engine = open_database(str(database))
    name = read_database_name(engine)
    for ending in ("", "-wal"):
        shutil.copy(f"{database}{ending}", tmp_path / f"kept{ending}")
    engine.dispose()
    database.unlink()
    (tmp_path / "hall.sqlite3.made").unlink()
    shutil.copy(tmp_path / "kept-wal", f"{database}-wal")
    with pytest.raises(InputError, match="is missing"):
        open_database(str(database))
    database.touch()
    with pytest.raises(InputError, match="has nothing in it"):
        open_database(str(database))
    engine = open_database(str(database), anew=True)
    assert read_database_name(engine) != name
    engine.dispose()
    assert (tmp_path / "hall.sqlite3.before-1-wal").read_bytes() == (tmp_path / "kept-wal").read_bytes()
    with pytest.raises(InputError, match="is there"):
        open_database(str(database), anew=True)
    database.unlink()
    sqlite3.connect(database).execute("VACUUM").close()
    with pytest.raises(InputError, match="nothing in it"):
        open_database(str(database))


def test_a_hall_on_a_disk_that_can_only_be_read_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / HALL_FILE).write_text("{}", encoding="utf-8")

    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=r"hall.lock: Read-only file system: make its disk writable"):
        HallFolder(tmp_path).lock_folder()


def test_a_journal_that_was_deleted_is_begun_by_no_other_connection(tmp_path: Path) -> None:
    """Else each would write what the others do not read; one that lies there again is none of theirs."""
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    journal, write = tmp_path / "hall.sqlite3-wal", sa.text("UPDATE itself SET beat = beat + 1")
    with engine.connect() as first:
        first.execute(sa.text("INSERT INTO itself (number, name, beat) VALUES (2, 'kept', 1)"))
        first.commit()
        journal.unlink()
        with pytest.raises(sa.exc.OperationalError, match=r"-wal is not there any more"), engine.connect():
            pass
        assert not journal.exists()
        journal.touch()
        first.execute(write)
        with pytest.raises(sa.exc.OperationalError, match=r"-wal is not there any more"):
            first.commit()
    engine.dispose()
    with sqlite3.connect(tmp_path / "hall.sqlite3") as read:
        (beat,) = read.execute("SELECT beat FROM itself WHERE name = 'kept'").fetchone()
    assert beat == 2, "it was saved as the last one closed"
    with engine.begin() as again:
        again.execute(write)
    engine.dispose()
