"""The arbiter's page in a real browser: pictures and corrections of a move, what the camera believes, every ruling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from engine.errors import InputError
from engine.explain.reasons import Reason
from engine.game import Outcome
from engine.match.acts import (
    Adjourn,
    AgreeDraw,
    AsPlayed,
    ClaimDraw,
    Correct,
    Forfeit,
    Pause,
    Resume,
    SetPosition,
    Undo,
)
from engine.match.arbiter import apply_act
from engine.match.events import Result
from engine.match.state import Phase
from server.board.live.hints import SwitchMode
from server.board.live.notices import RefusedNotice
from server.record.evidence import EVIDENCE, Store, folder_of
from server.record.store import open_record
from tests.server.script import NAME, OPENING
from tests.server.visitor import DESK, PHONE, Page


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record with pictures of the second ply."""
    path = tmp_path / "games.sqlite3"
    with open_record(path) as opened:
        store = Store(folder_of(path), 1_000_000)
        kept = {side: store.add_picture(picture(grey)) for side, grey in (("before", 60), ("after", 200))}
        opened.append_event(NAME, {"event": EVIDENCE, "ply": 2, "t": 8.4, **kept})
    return path


@pytest.fixture
def page(chromium: webdriver.Chrome, record: Path) -> Iterator[Page]:
    page = Page(chromium, record=record)
    for notation in OPENING:
        page.script.play(notation)
    yield page
    page.close()


def picture(grey: int) -> bytes:
    return cv2.imencode(".jpg", np.full((300, 400, 3), grey, np.uint8))[1].tobytes()


@pytest.mark.parametrize("path", ["", "arbiter"])
def test_a_misread_is_corrected_in_two_taps(page: Page, path: str) -> None:
    page.open(path=path)
    page.driver.get_log("browser")
    page.tap("#moves [data-ply='2'] button")
    page.until("document.querySelectorAll('#one-ply-choices .from').length > 5")
    assert page.js("document.querySelectorAll('#one-ply-choices button').length < 30")
    assert page.text("#one-ply-title") == "1. Black: J11-H9"
    page.until("[...document.querySelectorAll('.pictures img')].filter((one) => one.naturalWidth === 400).length === 2")
    first = page.one("#one-ply-choices button").get_attribute("data-notation")
    assert first is not None and first.startswith("J11")
    page.tap("#one-ply-choices button")
    by = "arbiter" if path else "page"
    assert page.wish() == Correct(2, first, by=by)
    page.until("!document.getElementById('one-ply').open")
    assert page.driver.get_log("browser") == []


def test_a_move_may_be_written_or_the_game_taken_back_to_it(page: Page) -> None:
    page.open(path="arbiter")
    page.tap("#moves [data-ply='1'] button")
    page.until("document.querySelectorAll('#one-ply-choices .from').length > 5")
    page.one("#one-ply-text").send_keys("e6-e")
    texts = [button.text for button in page.driver.find_elements(By.CSS_SELECTOR, "#one-ply-choices button")]
    assert texts == ["E6-E5", "E6-E8"]
    page.one("#one-ply-text").send_keys("5" + Keys.ENTER)
    assert page.wish() == Correct(1, "E6-E5", by="arbiter")
    page.until("!document.getElementById('one-ply').open")
    page.tap("#moves [data-ply='4'] button")
    page.tap("#one-ply-back")
    assert page.wish() == Undo(2, by="arbiter")


def test_why_a_correction_is_refused_is_said_in_the_readers_language_with_what_was_typed(page: Page) -> None:
    page.open(path="arbiter", language="de")
    for typed, why in (
        ("d5 to D4", "'d5 to D4' ist kein Zug"),
        ("E6-Z9", "Das Feld Z9 gibt es auf dem Brett nicht"),
    ):
        page.tap("#moves [data-ply='2'] button")
        page.one("#one-ply-text").clear()
        page.one("#one-ply-text").send_keys(typed + Keys.ENTER)
        asked = page.wish()
        assert asked == Correct(2, typed, by="arbiter")
        with pytest.raises(InputError) as refused:
            apply_act(page.script.match, asked, 1.0)
        error = refused.value
        notice = RefusedNotice(1.0, error.said, page.wishes[-1].name)
        page.feed.publish_event(notice.to_json())
        page.until("document.getElementById('one-ply-fault').textContent")
        assert f"„1. Schwarz“ war nicht {typed}: {why}" in page.text("#one-ply-fault")
        page.tap("#one-ply-cancel")
    page.driver.delete_cookie("language")


def test_every_ruling_reaches_the_referee(page: Page) -> None:
    page.open(path="arbiter")
    page.script.wrong()
    page.until("document.getElementById('status').dataset.phase === 'trouble'")
    wanted = {
        "as-played": AsPlayed("E10-E9", by="arbiter"),
        "undo": Undo(1, by="arbiter"),
        "draw": AgreeDraw(by="arbiter"),
        "forfeit": Forfeit("black", "rules", by="arbiter"),
        "adjourn": Adjourn(by="arbiter"),
    }
    for name, act in wanted.items():
        page.tap(f".acts [data-ask={name}]")
        page.tap("#ask-do")
        assert page.wish() == act
        page.until("!document.getElementById('ask').open")
    page.tap(".acts [data-ask=draw]")
    page.tap("#ask [name=why] option:nth-child(2)")
    page.tap("#ask-do")
    assert page.wish() == ClaimDraw(by="arbiter")
    page.tap(".acts [data-ask=pause]")
    assert page.wish() == Pause(by="arbiter")
    page.script.paused()
    page.until("document.querySelector('.acts [data-ask=pause]').hidden")
    page.tap(".acts [data-ask=resume]")
    assert page.wish() == Resume(by="arbiter")
    page.script.over()
    page.until("document.querySelector('.acts [data-ask=forfeit]').disabled")


def test_the_mode_is_switched(page: Page) -> None:
    page.open(path="arbiter")
    page.until("document.getElementById('mode').value === 'training'")
    page.tap("#mode [value=tournament]")
    assert page.wish() == SwitchMode("tournament", by="arbiter")


def test_a_position_is_set_by_tapping(page: Page) -> None:
    page.open(path="arbiter")
    page.tap("#edit")
    page.until("!document.getElementById('editor').hidden")
    page.tap("[data-code=BN]")
    page.tap("#board .cell[data-cell=G5]")
    page.tap("#edit-side [value=white]")
    page.tap("#edit-done")
    page.until("document.getElementById('edit-fault').textContent.includes('black has 15 pieces')")
    page.tap("#palette [data-code='']")
    page.tap("#board .cell[data-cell=H9]")
    assert page.js("document.querySelector('#board [data-piece=BN][data-cell=G5]') !== null") is True
    page.tap("#edit-done")
    act = page.wish()
    assert isinstance(act, SetPosition) and act.by == "arbiter" and not act.stands
    cells = act.position["cells"]
    assert isinstance(cells, dict)
    assert (act.position["to_move"], cells.get("G5"), "H9" in cells) == ("white", "BN", False)
    page.until("document.querySelector('#board [data-piece=BN][data-cell=G5]') === null")


def test_the_arbiter_sees_what_the_camera_believes(page: Page) -> None:
    page.feed.update_picture(picture(90))
    cells = {"E6": [(0, 0), (200, 0), (200, 150), (0, 150)], "F6": [(200, 0), (400, 0), (400, 150), (200, 150)]}
    page.feed.update_views((), (800, 600), {name: [(float(x), float(y)) for x, y in at] for name, at in cells.items()})
    sure = {"look": "light", "confidence": 0.999, "hidden": False, "expected": "light"}
    page.feed.update_beliefs({"E6": sure, "F6": sure | {"look": "empty", "confidence": 0.71}})
    page.open(path="arbiter")
    page.until("document.querySelectorAll('#camera polygon').length === 2")
    assert page.js("document.querySelector('#camera polygon.odd').dataset.cell") == "F6"
    assert page.js("[...document.querySelectorAll('#camera text')].map((one) => one.textContent)") == ["71"]
    page.driver.execute_script(
        "document.querySelector('#camera polygon.odd').dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    )
    assert page.text("#belief") == "F6: empty, 71.0 % sure, light expected"
    near = page.js("document.querySelector('#camera polygon').getBoundingClientRect().width")
    page.tap("#close-up")
    far = page.js("document.querySelector('#camera polygon').getBoundingClientRect().width")
    assert isinstance(near, float | int) and isinstance(far, float | int)
    assert near > 1.5 * far
    page.tap("#all-numbers")
    assert page.js("document.querySelectorAll('#camera text').length") == 2


def test_the_arbiter_reads_why_nothing_is_said_yet(page: Page) -> None:
    page.open(path="arbiter")
    page.until("document.getElementById('waits').innerText === 'Not waiting for anything.'")
    page.script.waiting(Reason("seen-for", 0.4, 2.5), Reason("not-sure", 71.25, 98))
    page.until("document.getElementById('waits').innerText.startsWith('Why not yet?')")
    assert page.text("#waits") == (
        "Why not yet? This has been seen for 0.4 s; 2.5 s are needed. "
        "The likeliest explanation is 71 % likely; 98 % is needed."
    )
    page.script.unclear()
    page.until("document.getElementById('waits').innerText.startsWith('Why?')")
    page.driver.get_log("browser")


def test_the_arbiter_reads_what_decided_a_ply(page: Page, record: Path) -> None:
    with open_record(record) as opened:
        reason = {"rule": "sure", "measured": 99.7, "limit": 98.0}
        opened.append_event(NAME, {"event": "move", "ply": 2, "t": 8.4, "reason": reason})
    page.open(path="arbiter")
    page.tap("#moves [data-ply='2'] button")
    page.until("document.querySelector('#one-ply-told .because') !== null")
    assert page.text("#one-ply-told .because") == "This is 99.7 % likely; 98 % is needed."


def test_the_page_fits_the_window(page: Page) -> None:
    page.open(DESK, "arbiter")
    for wide_high in (DESK, PHONE, (800, 1024)):
        page.resize(wide_high)
        assert page.js("document.documentElement.scrollWidth <= innerWidth") is True, wide_high


def test_no_request_reaches_other_files_through_the_pictures(page: Page) -> None:
    app = page.site
    assert app.url
    page.open(path="arbiter")
    for path in ("evidence/..%2f..%2fetc/1", f"evidence/{NAME}/1", "evidence/nobody/2"):
        assert (
            page.driver.execute_async_script(
                f"const done = arguments[0]; fetch('/api/v1/{path}').then((r) => r.ok ? r.json() : {{pictures: {{}}}})"
                ".then((found) => done(Object.keys(found.pictures).length))"
            )
            == 0
        )


def test_a_result_that_was_said_is_taken_back_without_a_move(chromium: webdriver.Chrome) -> None:
    page = Page(chromium)
    page.script.tell(Phase.OVER, Result(3.0, "0-1", "resigned"), Outcome("0-1", "resigned"))
    page.open(path="arbiter")
    page.until("!document.querySelector('[data-ask=undo]').disabled")
    page.tap("[data-ask=undo]")
    assert page.text("#ask-title") == "Take back the result"
    page.tap("#ask-do")
    assert page.wish() == Undo(1, by="arbiter")
    page.close()
