"""What is confirmed is stored: a hall that starts last, is new or has lost its disk gets everything by the broker."""

from __future__ import annotations

from pathlib import Path

from server.board.hall_link.publisher import Publisher
from server.mqtt.broker import broker_of
from server.record.journal import Journal
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import hall, mosquitto
from tests.server.hall.test_hall_run import ask, stored
from tests.server.script import NAME, OPENING


def test_a_hall_that_starts_last_is_told_everything(tmp_path: Path) -> None:
    """The broker took every event while nobody listened, and kept none: the boards send them again by themselves."""
    table = Table(tmp_path)
    with mosquitto(tmp_path) as broker:
        publisher = table.publisher(broker)
        for notation in OPENING:
            table.play(notation)
        wait_until(lambda: table.stored() == {})
        with hall(broker, str(tmp_path / "hall.sqlite3")) as url:
            wait_until(lambda: stored(url) == [6])
            told = ask(f"{url}api/v1/hall/boards/table-1")
            assert [move["notation"] for move in told["moves"]] == list(OPENING)  # type: ignore[attr-defined]
            wait_until(lambda: ask(f"{url}api/v1/hall/boards/table-1")["troubles"] == [])
            wait_until(lambda: table.stored() == {NAME: 6})
        publisher.stop_publishing()
    table.record.close_file()


def test_a_hall_that_lost_its_disk_is_told_everything_again_games_that_are_over_too(tmp_path: Path) -> None:
    table = Table(tmp_path)
    with mosquitto(tmp_path) as broker:
        publisher = table.publisher(broker)
        with hall(broker, str(tmp_path / "hall.sqlite3")) as url:
            table.play(OPENING[0])
            wait_until(lambda: stored(url) == [2])
            for number in range(2, 15):  # more than a health names
                Journal(table.record, f"camelot-{number:04}").begin_game(table.script.match)
            wait_until(lambda: len(stored(url)) == 14)
            wait_until(lambda: len(table.stored() or {}) == 14)  # type: ignore[arg-type]
        for file in tmp_path.glob("hall.sqlite3*"):
            file.unlink()
        with hall(broker, str(tmp_path / "hall.sqlite3")) as url:
            wait_until(lambda: stored(url) == [2, *[1] * 13])
        publisher.stop_publishing()
    table.record.close_file()


def test_a_hall_whose_disk_is_of_yesterday_is_told_what_came_since(tmp_path: Path) -> None:
    """The database has its old name, so the boards do not know: the hall finds that it has less than they say."""
    table, database = Table(tmp_path), tmp_path / "hall.sqlite3"
    with mosquitto(tmp_path) as broker:
        publisher = table.publisher(broker)
        with hall(broker, str(database)) as url:
            wait_until(lambda: stored(url) == [1])
        yesterday = database.read_bytes()
        with hall(broker, str(database)) as url:
            for notation in OPENING:
                table.play(notation)
            wait_until(lambda: stored(url) == [6])
        for file in tmp_path.glob("hall.sqlite3*"):
            file.unlink()
        database.write_bytes(yesterday)
        with hall(broker, str(database)) as url:
            wait_until(lambda: stored(url) == [6])
        publisher.stop_publishing()
    table.record.close_file()


def test_a_board_that_forgot_what_it_had_told_goes_on_with_it(tmp_path: Path) -> None:
    """The file beside the record is lost while the hall was away: what was told before is known from the hall."""
    table, second = Table(tmp_path), "camelot-0002"
    with mosquitto(tmp_path) as broker:
        with hall(broker, str(tmp_path / "hall.sqlite3")) as url:
            publisher = table.publisher(broker)
            wait_until(lambda: stored(url) == [1])
            publisher.stop_publishing()
        table.play(OPENING[0])  # nobody hears it
        Journal(table.record, second).begin_game(table.script.match)
        (tmp_path / "games.sqlite3.hall.json").unlink()
        with hall(broker, str(tmp_path / "hall.sqlite3")) as url:
            publisher = Publisher(broker_of(broker.url), "table-1", table.path, table.script.feed, second)
            publisher.start()
            wait_until(lambda: stored(url) == [2, 1])
        publisher.stop_publishing()
    table.record.close_file()
