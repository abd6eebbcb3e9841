"""Where the library that pairs is not installed: it is said before anybody fills in a list, and how to put it there."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from server.cli import main
from server.hall.desk.database import open_database
from server.hall.desk.extras import install_command
from server.hall.desk.hall_vitals import HallVitals
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Distrust, Matters
from server.hall.desk.orders import Orders
from server.hall.desk.standing import Boards
from server.hall.pages.hall_app import Desk, hall_app
from server.hall.pages.with_tournaments import with_tournaments
from server.hall.tournament.games_played import Rulings
from server.hall.tournament.tournament_store import Tournaments
from server.web.access.visitors import Visitors
from server.web.feed import Feed


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `pipx install .` leaves it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "gacrux"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gacrux", None)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    engine = open_database(str(tmp_path / "hall.sqlite3"))
    ledger, matters = Ledger(engine), Matters(engine)
    boards, feed = Boards(ledger), Feed()
    orders = Orders(matters, boards, ledger, lambda board, command: False)
    decide = Rulings(Tournaments(engine), ledger).decide_result
    desk = Desk(
        feed, boards, ledger, matters, orders, HallVitals("hall"), lambda: None, lambda *_: {}, lambda *_: [], decide
    )
    app = hall_app(desk, Visitors(), {}, list)
    yield with_tournaments(app, lambda: None, Tournaments(engine), boards, ledger, {}, Distrust).test_client()
    engine.dispose()


def test_the_page_says_it_before_anything_is_filled_in(client: FlaskClient, without: None) -> None:
    page = client.get("/tournaments").get_data(as_text=True)
    assert "needs a library that is not installed" in page and "pip install gacrux" in page
    asked = {"name": "open", "rounds": 3, "system": "swiss", "players": "A; 2000\nB; 1900"}
    answer = client.post("/api/v1/hall/tournaments", json=asked)
    assert answer.status_code == 422 and "pip install gacrux" in answer.get_json()["detail"]
    assert client.get("/api/v1/hall/tournaments").get_json() == {"tournaments": []}
    of_three = asked | {"system": "threes", "game": "tri-camelot", "players": "A\nB\nC"}
    assert client.post("/api/v1/hall/tournaments", json=of_three).status_code == 200
    assert client.post("/api/v1/hall/tournaments/open/pair", json={"round": 1}).status_code == 200
    assert client.get("/tournaments/open").status_code == 200


def test_where_it_is_installed_nothing_is_said(client: FlaskClient) -> None:
    assert "not installed" not in client.get("/tournaments").get_data(as_text=True)


def test_the_command_says_the_same_in_a_line(tmp_path: Path, without: None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["tournament", "new", "open", "--rounds", "3", "--database", str(tmp_path / "hall.sqlite3")])
    said = capsys.readouterr().err
    assert left.value.code == 2 and said.count("\n") == 1 and install_command("gacrux") in said


def test_it_is_put_where_the_program_is(tmp_path: Path) -> None:
    home = tmp_path / "camelot-referee"
    home.mkdir()
    assert install_command("gacrux", str(home)) == shlex.join([sys.executable, "-m", "pip", "install", "gacrux"])
    (home / "uv-receipt.toml").touch()
    assert install_command("gacrux", str(home)).startswith("uv pip install --python ")
    (home / "pipx_metadata.json").touch()
    assert install_command("psycopg[binary]", str(home)) == "pipx inject camelot-referee 'psycopg[binary]'"
