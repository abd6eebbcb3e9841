"""A hall's database is moved to PostgreSQL and back by one command, and its boards go on with nothing to do."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.errors import InputError
from server.board.hall_link.entering import read_hall_address
from server.board.hall_link.publisher import Publisher
from server.cli import main
from server.hall.desk.database import STORED_EVENTS, STORED_MATTERS, open_database, read_database_name
from server.hall.desk.matters import Matters
from server.hall.moving import move_database
from server.mqtt.broker import broker_of
from server.mqtt.invitations import redeem_code
from tests.patience import wait_until
from tests.programs import started
from tests.server.board.hall_link.published_table import Table
from tests.server.full_disk import files_of_at_most
from tests.server.hall.parts import Postgres, free_port, hall, is_open, mosquitto
from tests.server.hall.test_hall_run import post, stored
from tests.server.hall.test_standalone import COMMAND, EVENT, club, run
from tests.server.script import NAME, OPENING

MOVE = [*COMMAND[:3], "hall", "move", "--to"]
SPOILS = "CREATE FUNCTION spoil() RETURNS trigger AS $$ BEGIN NEW.event := ''; RETURN NEW; END $$ LANGUAGE plpgsql"


@pytest.fixture
def empty(postgres: Postgres, request: pytest.FixtureRequest) -> str:
    """The address of a database with nothing in it."""
    name = "".join(letter for letter in request.node.name if letter.isalpha())[:40].lower()
    engine = sa.create_engine(postgres.url.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return postgres.url.replace("/postgres", f"/{name}")


def rows(url: str) -> int:
    """How many events are in a database."""
    engine = open_database(url)
    with engine.connect() as connection:
        count = connection.execute(sa.select(sa.func.count()).select_from(STORED_EVENTS)).scalar()
    engine.dispose()
    return int(count or 0)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A hall's database with events of a board, a tournament, and a matter."""
    file, table = tmp_path / "hall.sqlite3", Table(tmp_path)
    with mosquitto(tmp_path) as broker, hall(broker, str(file)) as url:
        publisher = table.publisher(broker)
        for notation in OPENING[:3]:
            table.play(notation)
        post(f"{url}api/v1/hall/tournaments", {"name": "pen", "rounds": 1, "system": "swiss", "players": "Ána\nB"})
        wait_until(lambda: stored(url) == [4])
        publisher.stop_publishing()
    table.record.close_file()
    engine = open_database(str(file))
    assert Matters(engine).note_troubles("table-1", NAME, {"doubt"}, 5.25)
    engine.dispose()
    return file


def test_a_hall_of_a_folder_moves_to_postgresql_and_back(tmp_path: Path, empty: str) -> None:
    folder = tmp_path / "hall"
    folder.mkdir()
    (tmp_path / "board").mkdir()
    table, port = Table(tmp_path / "board"), free_port()
    with club(folder, port) as running:
        password, address = running.password, redeem_code(running.code, None, [running.place])
        publisher = Publisher(broker_of(address), "table-1", table.path, table.script.feed, NAME)
        publisher.start()
        table.play(OPENING[0])
        wait_until(lambda: table.stored() == {NAME: 2})
        assert run([*COMMAND[:3], *EVENT], folder).returncode == 0
        assert "runs already" in run([*MOVE, empty], folder).stderr
    before = (folder / "hall.sqlite3").read_bytes()
    moved = run([*MOVE, empty], folder)
    assert moved.returncode == 0, moved.stderr
    assert "2 events, 1 games, 1 tournaments. " in moved.stdout
    assert "nothing is to be done at the boards" in moved.stdout
    assert (folder / "hall.sqlite3").read_bytes() == before
    store = publisher.presence.store
    with club(folder, port) as running:
        running.ask("/login", {"name": "arbiter", "password": password})
        table.play(OPENING[1])
        wait_until(lambda: running.stored() == [3] and table.stored() == {NAME: 3})
        assert publisher.presence.store == store, "to boards it is the same hall"
        assert run([*COMMAND[:3], "tournament", "list"], folder).stdout.startswith("open")
        assert json.loads(running.ask("/api/v1/hall/tournaments"))["tournaments"] == ["open"]
    assert rows(empty) == 3
    back = run([*MOVE, "again.sqlite3"], folder)
    assert back.returncode == 0, back.stderr
    (tmp_path / "elsewhere").mkdir()
    folder = folder.rename(tmp_path / "elsewhere" / "hall")
    with club(folder, port) as running:
        running.ask("/login", {"name": "arbiter", "password": password})
        table.play(OPENING[2])
        wait_until(lambda: running.stored() == [4] and table.stored() == {NAME: 4})
    publisher.stop_publishing()
    table.record.close_file()
    assert rows(empty) == 3, "the source is as it was"
    gone = sa.create_engine(empty.replace("postgresql:", "postgresql+psycopg:"))
    with gone.begin() as connection:
        connection.execute(sa.text("DROP SCHEMA public CASCADE"))
        connection.execute(sa.text("CREATE SCHEMA public"))
    gone.dispose()
    said = json.loads((folder / "hall.json").read_text(encoding="utf-8"))
    assert said["database"] == "again.sqlite3"
    (folder / "hall.json").write_text(json.dumps(said | {"database": empty}), encoding="utf-8")
    assert "has nothing in it any more" in run(COMMAND, folder).stderr, "it is not begun anew by itself"


def test_every_table_is_the_same_and_numbers_go_on(filled: Path, empty: str, tmp_path: Path) -> None:
    counts = move_database(str(filled), empty)
    assert counts["events"] == 4 and counts["entrants"] == 2 and counts["matters"] == counts["itself"] == 1
    assert move_database(empty, str(tmp_path / "back.sqlite3")) == counts
    engines = [open_database(url) for url in (str(filled), empty, str(tmp_path / "back.sqlite3"))]
    assert len({read_database_name(engine) for engine in engines}) == 1
    for engine in engines:
        assert Matters(engine).note_troubles("table-2", NAME, {"doubt"}, 6.0), "its number is none that was given"
        with engine.connect() as connection:
            assert connection.execute(sa.select(sa.func.max(STORED_MATTERS.c.id))).scalar() == 2
        engine.dispose()


def test_a_target_with_anything_in_it_is_refused(filled: Path, empty: str, tmp_path: Path) -> None:
    for target in (str(filled), "postgresql://nobody@127.0.0.1:9/x", str(tmp_path / "no" / "folder.sqlite3")):
        with pytest.raises(InputError):
            move_database(str(filled), target)
    with pytest.raises(InputError, match="is not there"):
        move_database(str(tmp_path / "none.sqlite3"), empty)
    engine = sa.create_engine(empty.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE members (name text)"))
    with pytest.raises(InputError, match="has something in it, members"):
        move_database(str(filled), empty)
    with engine.begin() as connection:
        assert sa.inspect(connection).get_table_names() == ["members"], "nothing is made beside it"
        connection.execute(sa.text("DROP TABLE members"))
    move_database(str(filled), empty)
    with pytest.raises(InputError, match="has something in it, "):
        move_database(str(filled), empty)
    engine.dispose()


def test_a_copy_that_is_not_whole_is_none(filled: Path, empty: str, tmp_path: Path) -> None:
    """A row that arrives changed, an event that is missing in the source, a full disk: the next try begins anew."""
    target = open_database(empty)
    with target.begin() as connection:
        connection.execute(sa.text(SPOILS))
        connection.execute(
            sa.text("CREATE TRIGGER spoils BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION spoil()")
        )
    with pytest.raises(InputError, match="they are not the same: nothing was moved"):
        move_database(str(filled), empty)
    assert rows(empty) == 0
    with target.begin() as connection:
        connection.execute(sa.text("DROP FUNCTION spoil CASCADE"))
    target.dispose()
    engine = open_database(str(filled))
    with (
        files_of_at_most(filled.stat().st_size // 2),
        pytest.raises(InputError, match=r"nothing was moved|writable, with space"),
    ):
        move_database(str(filled), str(tmp_path / "new.sqlite3"))
    assert not list(tmp_path.glob("new.sqlite3*"))
    move_database(str(filled), str(tmp_path / "new.sqlite3"))
    with engine.begin() as connection:
        connection.execute(sa.delete(STORED_EVENTS).where(STORED_EVENTS.c.sequence == 4))
    engine.dispose()
    with pytest.raises(InputError, match="of 1 games 0 end with the event that their line names"):
        move_database(str(filled), empty)
    assert rows(empty) == 0


def test_a_hall_that_stores_into_it_is_ended_first(tmp_path: Path, empty: str) -> None:
    with (
        mosquitto(tmp_path) as broker,
        hall(broker, str(tmp_path / "hall.sqlite3")),
        pytest.raises(InputError, match=r"a hall stores into .* now: end it first"),
    ):
        move_database(str(tmp_path / "hall.sqlite3"), empty)
    moved = run([*MOVE, empty, "--from", str(tmp_path / "hall.sqlite3")], tmp_path)
    assert f"Start the hall with --database {empty}" in moved.stdout, moved.stderr


def test_a_hall_of_a_folder_moves_to_a_broker_elsewhere_and_boards_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/hall.md says it, line by line: the broker's folder is made by `referee hall init` on its computer."""
    folder, settings = tmp_path / "hall", tmp_path / "settings.toml"
    folder.mkdir()
    (tmp_path / "board").mkdir()
    table, port, place = Table(tmp_path / "board"), free_port(), f"127.0.0.1:{free_port()}"
    with club(folder, port) as running:
        password, address = running.password, redeem_code(running.code, None, [running.place])
        publisher = Publisher(broker_of(address), "table-1", table.path, table.script.feed, NAME)
        publisher.start()
        wait_until(lambda: table.stored() == {NAME: 1})
        publisher.stop_publishing()
    made = run([*COMMAND[:3], "hall", "init", "--boards", "1", "--at", f"mqtts://{place}", "broker"], tmp_path)
    words = [word.strip("'") for word in made.stdout.split()]  # quoted for the shell
    codes = {name: word for word in words for name in ("hall", "table-1") if f"//{name}:" in word}
    move = [*MOVE[:-1], "--broker"]
    assert "is it running" in run([*move, codes["hall"]], folder).stderr
    with started(["mosquitto", "-c", str(tmp_path / "broker" / "mosquitto.conf")], stderr=subprocess.DEVNULL):
        wait_until(lambda: is_open(int(place.partition(":")[2])))
        moved = run([*move, codes["hall"]], folder)
        assert moved.returncode == 0, moved.stderr
        assert codes["hall"].split("?")[0] not in moved.stdout, "its password is not shown"
        with club(folder, port) as running:
            assert f"hears the boards by mqtts://{place}/camelot" in running.said
            assert not running.code, "its boards join by the codes of the broker"
            settings.touch()
            monkeypatch.setenv("CAMELOT_REFEREE_SETTINGS", str(settings))
            with pytest.raises(SystemExit) as joined:
                main(["hall", "join", codes["table-1"]])
            assert joined.value.code == 0
            at = broker_of(read_hall_address(settings))
            publisher = Publisher(at, "table-1", table.path, table.script.feed, NAME)
            publisher.start()
            table.play(OPENING[0])
            running.ask("/login", {"name": "arbiter", "password": password})
            wait_until(lambda: running.stored() == [2] and table.stored() == {NAME: 2})
            publisher.stop_publishing()
    assert run([*move, "own"], folder).returncode == 0
    with club(folder, port) as running:
        assert running.code
    assert "name the database with --to" in run(MOVE[:-1], folder).stderr
    assert "start it with --broker" in run([*move, codes["hall"]], tmp_path).stderr
    table.record.close_file()
