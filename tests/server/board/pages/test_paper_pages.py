"""The pages of past games, settings and help, asked as a browser asks."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from engine.errors import InputError
from engine.games import load, names
from server.board.pages.app import Running, create_app
from server.board.pages.past_games import PAGE
from server.board.prepared import check_terms
from server.commands.serve import command
from server.record.store import read_record
from server.settings import ChangeableOptions
from server.web.feed import Feed
from server.web.preferences import Options
from tests.browser import await_script
from tests.server.past import NAME, fill
from tests.server.served import serve_app


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record with one game of five plies and two pages' worth of begun ones."""
    path = tmp_path_factory.mktemp("past") / "games.sqlite3"
    fill(path, begun=2 * PAGE - 2)
    return path


@pytest.fixture
def client(record: Path) -> Iterator[FlaskClient]:
    options = {"mode": "tournament", "delay": 15.0}
    app = create_app(Feed(), print, load("camelot", "wcf"), record=record, running=Running(options=Options(options)))
    with app.test_client() as client:
        yield client


def test_games_are_listed_by_pages_and_found(client: FlaskClient) -> None:
    first = client.get("/games").text
    assert first.count('<th scope="row">') == PAGE
    assert f"1 to {PAGE} of {2 * PAGE - 1}" in first
    assert first.index(NAME) < first.index("camelot-0099")  # the newest first
    second = client.get("/games?page=2").text
    assert second.count('<th scope="row">') == PAGE - 1
    assert 'rel="next"' not in second
    assert client.get("/games?q=0001 camelot").text.count('<th scope="row">') == 1
    assert "No game was found." in client.get("/games?q=<script>alert(1)</script>").text
    assert "<script>alert" not in client.get("/games?q=<script>alert(1)</script>").text


def test_a_game_is_shown_with_its_charts_and_saved_in_every_format(client: FlaskClient) -> None:
    page = client.get(f"/games/{NAME}").text
    assert page.count('<svg viewBox="0 0 600 100"') == 2  # nothing was captured
    assert page.count('class="bar white"') == 6
    for kind, beginning in {
        "pgn": b"[Event", "pdf": b"%PDF", "html": b"<!doctype", "gif": b"GIF8", "jsonl": b"{"
    }.items():  # fmt: skip
        answer = client.get(f"/games/{NAME}/export.{kind}")
        assert answer.data.startswith(beginning)
        assert answer.headers["Content-Disposition"] == f"attachment; filename={NAME}.{kind}"


def test_a_page_that_is_saved_speaks_the_language_too(client: FlaskClient) -> None:
    client.set_cookie("language", "fr")
    page = client.get(f"/games/{NAME}/export.html").text
    assert '<html lang="fr">' in page
    assert "Coups</h2>" in page


@pytest.mark.parametrize(
    "path",
    [
        "/games/nobody",
        f"/games/{NAME}/export.exe",
        "/games/..%2f..%2fetc%2fpasswd/export.pgn",
        "/games/%2e%2e/export.pgn",
        f"/games/{NAME}/export.pgn%00.html",
    ],
)
def test_what_is_not_in_the_record_is_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_damaged_record_is_told_and_a_missing_one_is_an_empty_list(tmp_path: Path) -> None:
    broken = tmp_path / "games.sqlite3"
    game = load("camelot", "wcf")
    assert "No game was played yet." in create_app(Feed(), print, game, record=broken).test_client().get("/games").text
    broken.write_bytes(b"not a record" * 1000)
    answer = create_app(Feed(), print, game, record=broken).test_client().get("/games")
    assert answer.status_code == 503
    assert "games.sqlite3" in answer.text


def test_looking_at_games_makes_nobody_wait_and_changes_nothing(record: Path, client: FlaskClient) -> None:
    writer = sqlite3.connect(record, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")  # as when the game writes a move
    assert client.get(f"/games/{NAME}").status_code == 200
    writer.execute("ROLLBACK")
    writer.close()
    with read_record(record) as reading, pytest.raises(InputError, match="is read-only"):
        reading.append_event(NAME, {"event": "resumed", "t": 1.0})


def test_the_language_is_the_browsers_until_one_is_chosen(client: FlaskClient) -> None:
    assert '<html lang="en"' in client.get("/help").text
    german = client.get("/help", headers={"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}).text
    assert '<html lang="de"' in german
    assert "Was die Lichter sagen" in german
    client.set_cookie("language", "pt")
    assert "O que dizem as luzes" in client.get("/help", headers={"Accept-Language": "de"}).text
    client.set_cookie("language", "../../etc")
    client.set_cookie("theme", '"><script>')
    page = client.get("/help").text
    assert '<html lang="en" data-theme="auto"' in page


def test_texts_come_as_a_module(client: FlaskClient) -> None:
    answer = client.get("/languages/fr.js")
    assert answer.mimetype == "text/javascript"
    assert answer.text.startswith("export default {")
    assert "Parties" in answer.text
    assert client.get("/languages/xx.js").status_code == 404


def test_settings_show_what_the_service_runs_with(client: FlaskClient) -> None:
    page = client.get("/settings").text
    assert "<code>delay</code></th><td>15.0</td>" in page
    assert '<option value="de" lang="de">Deutsch</option>' in page


def test_what_is_changed_on_the_page_is_kept_or_told_why_not(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    changing = ChangeableOptions("serve", command.make_context("serve", ["--delay", "2"]), file, check_terms)
    running = Running(options=Options({"delay": 2.0}, changing))
    client = create_app(Feed(), print, load("camelot"), running=running).test_client()
    page = client.get("/settings").text
    assert re.search(r'name="delay"[^>]* disabled', page) and not re.search(r'name="clock"[^>]* disabled', page)
    assert client.post("/api/v1/settings", json={"name": "clock", "value": "15m+10s"}).status_code == 200
    assert file.read_text(encoding="utf-8") == '[serve]\nclock = "15m+10s"\n'
    assert 'value="15m+10s"' in client.get("/settings").text
    for odd in ({"name": "clock"}, {"name": "clock", "value": 3}, {"name": "port", "value": "1"}, [], "x"):
        assert client.post("/api/v1/settings", json=odd).status_code == 422
    nowhere = create_app(Feed(), print, load("camelot")).test_client()
    assert nowhere.post("/api/v1/settings", json={"name": "clock", "value": ""}).status_code == 409


def test_a_number_that_is_none_takes_no_setting_away(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    """Browsers read it as an empty field, and that is how a setting is given up."""
    file = tmp_path / "settings.toml"
    changing = ChangeableOptions("serve", command.make_context("serve", []), file, check_terms)
    changing.change_option("delay", "15")
    site = serve_app(
        create_app(Feed(), print, load("camelot"), running=Running(options=Options({"delay": 15.0}, changing)))
    )
    try:
        chromium.get(f"{site.url}settings")
        await_script(chromium, "document.body.dataset.ready === 'yes'")
        for typed, refused in ((Keys.END + "e", True), (Keys.END + Keys.BACKSPACE, False)):
            chromium.find_element(By.CSS_SELECTOR, "[name=delay]").send_keys(typed + Keys.TAB)
            fault = "document.getElementById('kept-fault').textContent"
            await_script(chromium, f"{fault}.includes('write a number from 0 to 600') === {str(refused).lower()}")
            assert "delay = 15" in file.read_text(encoding="utf-8")
    finally:
        chromium.get("about:blank")
        site.stop_server()


@pytest.mark.parametrize("name", names())
def test_every_game_has_help_in_every_language(name: str) -> None:
    with create_app(Feed(), print, load(name)).test_client() as client:
        for code in ("en", "pt", "fr", "de"):
            client.set_cookie("language", code)
            assert client.get("/help").status_code == 200


BAD_NUMBERS = ("²", "٣", "1e5", "x", "-1", "1_0", "1.0", "9" * 5000, str(10**9 + 1))


@pytest.mark.parametrize("path", ["/games?page=", "/api/v1/games?page=", f"/api/v1/games/{NAME}/links?after="])
def test_a_number_in_an_address_is_one_or_is_refused(client: FlaskClient, path: str) -> None:
    for number in BAD_NUMBERS:
        answer = client.get(path + number, headers={"Accept-Language": "de"})
        assert answer.status_code == 422, number
        assert "eine ganze Zahl von" in answer.text
    assert client.get(f"{path}1").status_code == client.get(path).status_code == 200
