"""Games come in by the page and go for good; what cannot be read is said beside it and nothing is taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from server.record.archive import as_jsonl
from server.record.imports import parse_text
from server.record.store import open_record
from tests.server.visitor import Page


@pytest.fixture
def page(chromium: webdriver.Chrome, tmp_path: Path) -> Iterator[Page]:
    with open_record(tmp_path / "r.sqlite3"):
        pass
    shown = Page(chromium, record=tmp_path / "r.sqlite3")
    yield shown
    shown.close()


def test_a_pasted_page_becomes_a_game_that_can_be_deleted(page: Page, tmp_path: Path) -> None:
    page.driver.get(page.site.url + "games")
    page.tap(".import summary")
    page.one("#import-text").send_keys("A fine game: 1.D6-F8 1....H11-F9 and then 2.C6-E8-E9")
    page.tap("#import button")
    page.until("document.getElementById('import-fault').textContent.includes('line 1')")
    page.driver.execute_script("document.getElementById('import-text').value = '1.D6-F8 1....H11-F9 and a draw'")
    page.tap("#import button")
    page.until("!document.getElementById('import-told').hidden")
    assert "read as Camelot, World Camelot Federation." in page.text("#import-told")
    page.tap("#import-told a")
    page.until("location.pathname === '/games/camelot-0001' && document.getElementById('delete') !== null")
    with open_record(tmp_path / "r.sqlite3") as record:
        assert record.list_summaries()[0].plies == 2
    answer = page.app.test_client().post("/api/v1/games/camelot-0001/delete", json={})
    assert answer.status_code == 409  # the scripted game on the board has that name
    with open_record(tmp_path / "r.sqlite3") as record:
        assert record.event_counts() != {}


def test_what_of_a_text_is_otherwise_in_the_record_is_said(page: Page) -> None:
    page.driver.get(page.site.url + "games")
    page.tap(".import summary")
    left = "{[%left blue resigned]} {[%left red resigned]}"
    text = f'[Variant "tri-camelot"] 1. F5-H7 (1. G4-G2 {{or so}}) {left} *'
    page.driver.execute_script("document.getElementById('import-text').value = arguments[0]", text)
    page.tap("#import button")
    page.until("!document.getElementById('import-told').hidden")
    assert page.text("#import-told").startswith(
        "tri-camelot-0001: not kept: variations (1), comments (1). "
        "tri-camelot-0001: it is over by the rules, so its result is 0-0-1."
    )


def test_a_game_that_is_not_on_the_board_goes_for_good(page: Page, tmp_path: Path) -> None:
    client = page.app.test_client()
    for _ in range(2):
        assert client.post("/api/v1/games/import", json={"text": "1. D6-F8 H11-F9"}).status_code == 201
    page.driver.get(page.site.url + "games/camelot-0002")
    page.until("document.getElementById('delete') !== null")
    page.tap("#delete")
    page.until("document.getElementById('delete').dataset.sure === 'yes'")
    page.tap("#delete")
    page.until("location.pathname === '/games'")
    with open_record(tmp_path / "r.sqlite3") as record:
        assert list(record.event_counts()) == ["camelot-0001"]
        assert record.schema_faults() == []


def test_a_long_game_comes_in_and_what_is_too_large_is_said_with_what_to_do(page: Page, tmp_path: Path) -> None:
    """What the page gave away as data of a game of fifteen plies it did not take back."""
    long, too_long = (f"1. D6-F8 {{{'A long remark. ' * (size // 15)}}} H11-F9 1-0" for size in (200_000, 300_000))
    for text, there in ((too_long, 0), (long, 1)):
        (tmp_path / "game.pgn").write_text(text, encoding="utf-8")
        page.driver.get(page.site.url + "games")
        page.tap(".import summary")
        page.one("#import-file").send_keys(str(tmp_path / "game.pgn"))
        page.tap("#import button")
        done = "!document.getElementById('import-told').hidden"
        page.until(
            done if there else "document.getElementById('import-fault').textContent.includes('too much at once')"
        )
        with open_record(tmp_path / "r.sqlite3") as record:
            assert len(record.event_counts()) == there


def test_what_cannot_be_taken_takes_nothing(page: Page, tmp_path: Path) -> None:
    client = page.app.test_client()
    for body in ({"text": 3}, {"text": "words"}, {"text": "1. D6-F8", "more": 1}, {"name": "x"}):
        assert client.post("/api/v1/games/import", json=body).status_code == 422
    assert client.post("/api/v1/games/nothing/delete", json={}).status_code == 404
    with open_record(tmp_path / "r.sqlite3") as record:
        assert record.event_counts() == {}


def test_a_game_among_others_that_does_not_say_which_it_is_is_chosen_on_the_page(page: Page, tmp_path: Path) -> None:
    known, text = '[Event "A"]\n[Variant "cam"]\n\n1. C4-E6-G4 E9-E8 *', '[Event "B"]\n\n1. C4-E6-G4 E9-E8 *'
    page.driver.get(page.site.url + "games")
    page.tap(".import summary")
    both = f"{known}\n\n{text}\n"
    page.driver.execute_script("document.getElementById('import-text').value = arguments[0]", both)
    page.tap("#import button")
    page.until("document.getElementById('import-fault').textContent.includes('game 2')")
    said = page.text("#import-fault")
    assert "--" not in said, "a page has no options of a command"
    assert "choose it under “Which game, where the text does not say it”" in said
    assert "Which game, where the text does not say it" in page.text(".import")
    page.driver.execute_script("document.getElementById('import-variant').value = 'cam'")
    page.tap("#import button")
    page.until("document.querySelectorAll('th[scope=row]').length === 2")
    with open_record(tmp_path / "r.sqlite3") as record:
        assert [game.game for game in record.list_summaries()] == ["cam", "cam"]


def test_what_a_text_is_taken_for_is_said_and_can_be_chosen(page: Page, tmp_path: Path) -> None:
    """A game of Cam without a word about it is no game of Camelot."""
    text = '[Event "Kitchen table"]\n\n1. C4-E6-G4 E9-E8 *'
    client = page.app.test_client()
    answer = client.post("/api/v1/games/import", json={"text": text})
    assert answer.status_code == 422
    assert "read as Camelot, World Camelot Federation: if it is another" in answer.get_json()["detail"]
    taken = client.post("/api/v1/games/import", json={"text": text, "variant": "cam"})
    assert (taken.status_code, taken.get_json()) == (
        201,
        {"games": ["cam-0001"], "assumed": None, "unruled": None, "lacks_result": False, "changes": []},
    )
    with open_record(tmp_path / "r.sqlite3") as record:
        assert record.list_summaries()[0].known()["event"] == "Kitchen table"
    shown = client.get("/games/cam-0001").get_data(as_text=True)
    assert "Doubt about each move" not in shown


def test_why_a_text_is_refused_is_said_in_the_readers_language(page: Page) -> None:
    client = page.app.test_client()
    said = {
        "1. D6-D5 D11-D13": "Text: Zeile 1: Halbzug 2 (Schwarz) D11-D13: nicht erlaubt (not-a-move): D11 nach D13",
        "1. D6-D5 {hm D11-D12": "Text: Zeile 1: eine Bemerkung in geschweiften Klammern endet nicht: ",
        "1. D6-D5 oops D11-D12": "Text: Zeile 1: kein lesbarer Zug an dieser Stelle; ",
        '[Event "A"]\n\n1. D6-D5 D11-D13 *': "Text, Partie 1: Zeile 3: Halbzug 2 (Schwarz) D11-D13: ",
    }
    for text, why in said.items():
        answer = client.post("/api/v1/games/import", json={"text": text}, headers={"Accept-Language": "de"})
        assert answer.get_json()["detail"].startswith(why)
        plain = client.post("/api/v1/games/import", json={"text": text}, headers={"Accept-Language": "en"})
        assert ".." not in plain.get_json()["detail"].replace("D11-D13", "")


def test_a_page_of_prose_without_a_result_is_said_to_have_none(page: Page) -> None:
    page.driver.get(page.site.url + "games")
    page.tap(".import summary")
    page.driver.execute_script(
        "document.getElementById('import-text').value = '1. D6-F8 H11-F9 and they agreed on a draw';"
        "document.getElementById('import-variant').value = 'camelot'"
    )
    page.tap("#import button")
    page.until("!document.getElementById('import-told').hidden")
    assert "No result was found, so the game counts as not finished." in page.text("#import-told")
    page.until("document.querySelectorAll('th[scope=row]').length === 1")


def test_lines_without_a_result_are_said_to_have_none(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    ((_, events),) = parse_text("1. D6-F8 H11-F9 *", Path("a.txt")).games
    file.write_text(as_jsonl(events), encoding="utf-8")
    page.driver.get(page.site.url + "games")
    page.tap(".import summary")
    page.one("#import-file").send_keys(str(file))
    page.tap("#import button")
    page.until("!document.getElementById('import-told').hidden")
    assert page.text("#import-told").startswith("camelot-0001: it has no result, so it counts as not finished.")


def test_a_picture_in_the_place_of_a_text_is_named(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "board.pgn"
    file.write_bytes(b"\x89PNG\x00\x00 no text")
    page.driver.get(page.site.url + "games")
    page.tap(".import summary")
    page.one("#import-file").send_keys(str(file))
    page.tap("#import button")
    page.until("document.getElementById('import-fault').textContent.startsWith('board.pgn is not text')")
