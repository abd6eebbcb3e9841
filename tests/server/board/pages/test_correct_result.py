"""A result that was written wrongly for a game that was put away is corrected on its page, and stays sealed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from engine.match.events import Adjourned, Moved
from engine.match.referee import new_match
from server.board.live.wishes import TakeUp, Wish
from server.board.pages.app import create_app
from server.board.pages.changes import PageRequest
from server.board.pages.games import RESULT_CHANGED
from server.record.archive import as_replay
from server.record.journal import Journal, fold_events
from server.record.store import open_record
from server.record.verifying import find_record_faults
from server.web.access.accounts import Account, Accounts, Door, add_key, write_accounts
from server.web.access.visitors import Visitors
from tests.patience import PATIENCE_S
from tests.server.board.live.seen_once import SESSION
from tests.server.past import NAME, fill
from tests.server.visitor import Page


@pytest.fixture
def page(chromium: webdriver.Chrome, tmp_path: Path) -> Iterator[Page]:
    fill(tmp_path / "games.sqlite3", begun=1)
    shown = Page(chromium, record=tmp_path / "games.sqlite3")
    shown.script.name = "camelot-0099"
    shown.script.show()
    yield shown
    shown.close()


@pytest.mark.parametrize(
    ("how", "result"),
    [
        ("draw", "1/2-1/2"),
        ("white", "0-1"),
        ("black-time", "1-0"),
        ("draw-ruling", "1/2-1/2"),
        ("all-absence", "0-0"),
        ("unfinished", None),
    ],
)
def test_a_result_is_corrected_and_the_record_says_both(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, result: str | None
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        before = len(record.read_events(NAME))
    page.open(path=f"games/{NAME}")
    page.js("document.querySelector('#correct-result').closest('details').open = true")
    page.tap(f"#correct-result [value={how}]")
    page.tap("#correct-result button")
    page.until("!document.getElementById('correct-result')?.closest('details').open")
    with open_record(file) as record:
        events = record.read_events(NAME)
        assert find_record_faults(record, tmp_path)[0] == []
        outcome = fold_events(events, NAME).outcome
        assert (outcome and outcome.result) == result
        assert as_replay(NAME, events)["result"] == (outcome and {"result": result, "reason": outcome.reason})
        said = next(event for event in events[before:] if event["event"] == "result")
        assert said["by"] == "arbiter"
        assert next(one for one in record.list_summaries() if one.name == NAME).result == (result or "*")
    page.open(path=f"games/{NAME}")
    how_to = page.js("document.getElementById('take-up-elsewhere')?.textContent")
    if result is None:  # under other rules than those of the board
        assert "Set up a board for it (Camelot)" in str(how_to), "nothing on the pages said how it goes on"
        kept = tmp_path / "camelot-referee" / "board.toml.before-1"
        kept.parent.mkdir()
        own = (SESSION / "profile.toml").read_text(encoding="utf-8")
        kept.write_text(own.replace('rules = "wcf"', 'rules = "brainking"'), encoding="utf-8")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        page.open(path=f"games/{NAME}")
        how_to = page.js("document.getElementById('take-up-elsewhere').textContent")
        assert f"referee serve --profile {kept} --rules wcf --take-up {NAME}" in str(how_to)
    else:
        assert how_to is None


class Board(Page):
    """A site that is asked from pages which show no state of the game."""

    def put(self, wished: PageRequest | Wish) -> None:
        assert not isinstance(wished, Wish)
        self.asked.put(wished)


def test_a_game_that_was_put_away_is_taken_up_from_its_page(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    name, file = "camelot-0003", tmp_path / "games.sqlite3"
    fill(file, begun=1)
    page = Board(chromium, record=file)
    page.script.show()
    with open_record(file) as record:
        journal = Journal(record, name)
        journal.begin_game(new_match(page.script.game))
        journal.write_events([Moved(1.0, 1, "white", "F6-F5", "F6", "F5", (), 1.0), Adjourned(2.0)])
    page.open(path=f"games/{name}")
    page.tap("#take-up")
    assert page.asked.get(timeout=PATIENCE_S) == TakeUp(name, by="page")
    page.script.name = name
    page.script.show()
    page.until("location.pathname === '/'")
    page.close()


def test_the_game_on_the_board_and_what_is_no_result_are_refused(page: Page) -> None:
    client = page.app.test_client()
    assert client.post(f"/api/v1/games/{NAME}/result", json={"how": "red"}).status_code == 422
    assert client.post(f"/api/v1/games/{NAME}/result", json={}).status_code == 422
    assert client.post("/api/v1/games/nothing/result", json={"how": "draw"}).status_code == 404
    page.script.name = NAME
    page.script.show()
    assert client.post(f"/api/v1/games/{NAME}/result", json={"how": "draw"}).status_code == 409


def test_who_corrected_a_result_and_why_it_is_so_are_in_the_record(page: Page, tmp_path: Path) -> None:
    account, key = add_key(Account("Ruth", "arbiter"))
    write_accounts(tmp_path / "accounts.json", Accounts().with_account(account))
    door, file = Visitors(door=Door(tmp_path / "accounts.json")), tmp_path / "games.sqlite3"
    client = create_app(page.feed, print, page.script.game, record=file, visitors=door).test_client()
    for how, reason in (("white-time", "time"), ("black-absence", "absence"), ("draw-ruling", "ruling")):
        sent = {"json": {"how": how, "by": "arbiter"}, "headers": {"Authorization": f"Bearer {key}"}}
        assert client.post(f"/api/v1/games/{NAME}/result", **sent).status_code == 200
        with open_record(file) as record:
            said = next(e for e in reversed(record.read_events(NAME)) if e["event"] == "result")
        assert (said["reason"], said["by"], said["account"]) == (reason, "arbiter", "Ruth")


def test_of_two_pages_that_correct_a_result_the_second_is_told_what_the_first_has_done(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    desk = page.driver.current_window_handle
    page.driver.switch_to.new_window("window")
    phone = page.driver.current_window_handle
    for window, how in ((desk, "white-time"), (phone, "white-absence")):
        page.driver.switch_to.window(window)
        page.open(path=f"games/{NAME}")
        page.js("document.querySelector('#correct-result').closest('details').open = true")
        page.tap(f"#correct-result [value={how}]")
    page.driver.switch_to.window(desk)
    page.tap("#correct-result button")
    page.until("document.getElementById('subline').textContent.includes('0-1')")
    page.driver.switch_to.window(phone)
    page.tap("#correct-result button")
    page.until("document.getElementById('subline').textContent.includes('0-1')")
    assert page.text("#correct-fault") == RESULT_CHANGED
    assert "out of time" in page.text("#subline")
    page.tap("#correct-result [value=white-absence]")
    page.tap("#correct-result button")  # knowing what stands, it may
    page.until("document.getElementById('subline').textContent.includes('did not come')")
    assert page.text("#correct-fault") == ""
    page.driver.close()
    page.driver.switch_to.window(desk)
    with open_record(tmp_path / "games.sqlite3") as record:
        ends = [event["reason"] for event in record.read_events(NAME) if event["event"] == "result"]
    assert ends == ["time", "absence"]


def test_what_stands_already_is_no_correction(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    for told in ("", "This is the result already: nothing was changed."):
        page.open(path=f"games/{NAME}")
        page.js("document.querySelector('#correct-result').closest('details').open = true")
        page.tap("#correct-result [value=white]")
        page.driver.execute_script("document.body.dataset.old = 'yes'")
        page.tap("#correct-result button")
        page.until("document.body.dataset.old === undefined && document.body.dataset.ready === 'yes'")
        assert page.js("document.getElementById('correct-fault').textContent") == told
    with open_record(file) as record:
        events = record.read_events(NAME)
    assert [event["reason"] for event in events if event["event"] == "result"] == ["resigned"]
    assert page.app.test_client().post(f"/api/v1/games/{NAME}/result", json={"how": "white"}).get_json() == {
        "corrected": NAME, "changed": False
    }  # fmt: skip


def test_a_page_that_is_open_follows_a_correction_elsewhere(page: Page) -> None:
    page.open(path=f"games/{NAME}")
    page.app.test_client().post(f"/api/v1/games/{NAME}/result", json={"how": "white-time"})
    page.until("document.getElementById('subline').textContent.includes('0-1')")
    page.js("document.querySelector('#correct-result').closest('details').open = true")
    page.app.test_client().post(f"/api/v1/games/{NAME}/result", json={"how": "white"})
    page.until("!document.getElementById('subline').textContent.includes('time')")
    page.until(f"document.getElementById('correct-fault').textContent === '{RESULT_CHANGED}'")


def test_a_correction_says_what_result_it_replaces(page: Page, tmp_path: Path) -> None:
    client, seen = page.app.test_client(), {"result": "1/2-1/2", "reason": "agreement"}

    def ask(**said: object) -> int:
        return client.post(f"/api/v1/games/{NAME}/result", json=said).status_code

    assert ask(how="draw", was=None) == 200
    assert ask(how="white", was=None) == 409, "it was over by then"
    assert ask(how="draw", was=None) == 200, "it is what was asked for"
    assert [ask(how="white", was=was) for was in ("1-0", {}, {"result": "1-0"})] == [422, 422, 422]
    assert ask(how="unfinished", was=seen) == 200
    assert ask(how="white", was=None) == 200
    with open_record(tmp_path / "games.sqlite3") as record:
        ends = [event["result"] for event in record.read_events(NAME) if event["event"] == "result"]
    assert ends == ["1/2-1/2", "*", "0-1"]
