"""Every page for everyone: axe-core finds nothing serious, no width scrolls sideways, no page is heavy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from engine.games import names
from engine.match.acts import Undo
from server.board.pages.wizard import Wizard, create_wizard
from server.web.access.accounts import Accounts, Door, write_accounts
from tests.browser import await_script, prefer
from tests.browser import size as resize
from tests.server.past import NAME, fill
from tests.server.script import OPENING
from tests.server.served import serve_app
from tests.server.visitor import DESK, PHONE, Page

AXE = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
BAD = {"serious", "critical"}
LIVE = ("", "arbiter", "spectator", "embed", "overlay")
PAGES = (*LIVE, "setup", "phone", "games", f"games/{NAME}", "settings", "help", "nowhere", "offline")
WIDTHS = ((360, 780), (768, 1024), (1920, 1080))
"""A small phone, a tablet, a projector."""
HEAVIEST = 100_000
"""Bytes that are sent for a page with all it loads but the camera's pictures."""
MOST_SHIFT = 0.05
"""How much of a page may move under the eyes of who reads it, by what browsers call Cumulative Layout Shift."""
FINGERTIP = 44
"""Pixels each way."""
SMALL = """
  const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const inProse = (one) => one.matches('a') && one.closest('p, li, dd') && !one.matches('.button, .chip');
  return [...document.querySelectorAll('a, button, select, summary, textarea, input')]
    .filter((one) => seen(one) && !inProse(one))
    .map((one) => (one.matches('[type=checkbox], [type=radio]') ? one.closest('label') ?? one : one))
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([, box]) => Math.min(box.width, box.height) < arguments[0] - .5)
    .map(([one, box]) => `${one.outerHTML.slice(0, 120)}: ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);
"""
"""What can be tapped and is smaller; a link within a sentence may be as high as its line."""
SHIFTS = """
  const [done] = arguments;
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((e) => (sum += e.hadRecentInput ? 0 : e.value)))
    .observe({ type: 'layout-shift', buffered: true });
  const frames = (left) => (left ? requestAnimationFrame(() => frames(left - 1)) : done(sum));
  frames(20);
"""


@pytest.fixture(scope="module")
def site(chromium: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    record = tmp_path_factory.mktemp("past") / "games.sqlite3"
    fill(record, begun=3, chain=True)
    page = Page(chromium, record=record)
    for notation in OPENING:
        page.script.play(notation)
    page.script.wrong()
    yield page
    prefer(chromium)
    chromium.delete_all_cookies()
    page.close()


def visit(page: Page, path: str, size: tuple[int, int] = DESK) -> None:
    """Open a page and wait until it is drawn; those without a script are as soon as they are there."""
    if path in LIVE:
        page.open(size, path)
    else:
        resize(page.driver, *size)
        page.driver.get(page.site.url + path)
        page.until("document.readyState === 'complete'")


def faults(driver: webdriver.Chrome) -> list[str]:
    """What axe-core finds serious or critical."""
    if not driver.execute_script("return 'axe' in window"):
        driver.execute_script(AXE)
    found = driver.execute_async_script(
        "const done = arguments[0]; axe.run({ resultTypes: ['violations'] }).then((r) => done(r.violations))"
    )
    return [
        f"{fault['id']}: {node['target']} {node.get('failureSummary')}"
        for fault in found
        if fault["impact"] in BAD
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_for_everyone_by_day_or_night_from_phone_to_projector(site: Page, path: str) -> None:
    """Nothing serious is found by axe, a fingertip finds everything on a phone, and nothing scrolls sideways."""
    prefer(site.driver, prefers_reduced_motion="reduce")
    for size in (DESK, PHONE):
        visit(site, path, size)
        for scheme in ("light", "dark"):
            prefer(site.driver, prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            assert faults(site.driver) == [], (scheme, size)
    for size in WIDTHS:
        site.resize(size)
        if size == WIDTHS[0]:
            assert site.driver.execute_script(SMALL, FINGERTIP) == []
        wide = site.js("[document.documentElement.scrollWidth, innerWidth]")
        assert isinstance(wide, list)
        assert wide[0] <= wide[1], size


def test_the_login_has_nothing_serious_either(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    write_accounts(tmp_path / "accounts.json", Accounts())
    page = Page(chromium, door=Door(tmp_path / "accounts.json"))
    visit(page, "login")
    assert page.text("h1") == "Log in"
    assert faults(page.driver) == []
    page.close()


def test_the_wizard_has_nothing_serious_either(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    site = serve_app(create_wizard(Wizard(tmp_path / "board.toml", 8, "")))
    chromium.get(site.url)
    await_script(chromium, "document.readyState === 'complete'")
    found = faults(chromium)
    resize(chromium, 360, 740)
    small = chromium.execute_script(SMALL, FINGERTIP)
    chromium.get("about:blank")
    site.stop_server()
    assert found == [] and small == []


@pytest.mark.parametrize("palette", ["red-green", "contrast"])
def test_other_colours_can_be_read_as_well(site: Page, palette: str) -> None:
    visit(site, "settings")
    site.driver.add_cookie({"name": "palette", "value": palette})
    try:
        for theme in ("light", "dark"):
            site.driver.add_cookie({"name": "theme", "value": theme})
            for path in ("", f"games/{NAME}"):
                visit(site, path)
                assert site.js("document.documentElement.dataset.palette") == palette
                assert faults(site.driver) == [], (theme, path)
    finally:
        site.driver.delete_all_cookies()


@pytest.fixture
def fresh_site(site: Page) -> Iterator[Page]:
    """The site as a browser loads it that has nothing of it yet.

    The service worker is passed by, since it tells sizes before compression. The browser is everybody's: afterwards
    it asks the worker again, or the tests of the worker find none.
    """
    site.driver.execute_cdp_cmd("Network.enable", {})
    site.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    site.driver.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": True})
    yield site
    site.driver.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": False})


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_heavy_or_moves_while_it_is_read(fresh_site: Page, path: str) -> None:
    site = fresh_site
    visit(site, path)
    assert site.driver.execute_async_script(SHIFTS) < MOST_SHIFT
    loaded = site.js(
        "performance.getEntries().filter((e) => e.encodedBodySize && !e.name.includes('camera'))"
        ".map((e) => [e.name, e.encodedBodySize])"
    )
    assert isinstance(loaded, list)
    assert 0 < sum(size for _, size in loaded) < HEAVIEST, json.dumps(loaded, indent=1)


@pytest.mark.parametrize("name", names())
def test_the_board_is_a_table_too(chromium: webdriver.Chrome, name: str) -> None:
    page = Page(chromium, name)
    page.open()
    cells = page.js("[...document.querySelectorAll('#board-table td')].filter((td) => td.textContent).length")
    assert cells == len([piece for piece in page.script.match.position.placement if piece])
    page.close()


def test_a_page_speaks_the_language_that_was_chosen_and_the_moves_aloud(site: Page) -> None:
    visit(site, "settings")
    site.until("document.body.dataset.ready === 'yes'")  # before that nothing listens to the fields
    for name, value in {"speech": "on", "language": "de"}.items():
        site.driver.execute_script(
            "const field = document.querySelector(`[name=${arguments[0]}]`); field.value = arguments[1];"
            "field.dispatchEvent(new Event('change', { bubbles: true }))",
            name,
            value,
        )
        site.until(f"document.cookie.includes('{name}={value}')")
    try:
        site.until("document.documentElement.lang === 'de' && document.body.dataset.ready === 'yes'")
        visit(site, "")
        assert site.text("#headline") == "Kein erlaubter Zug"
        assert "Eine Figur, die springen kann, muss es: " in site.text("#reason")
        site.driver.execute_script(
            "window.spoken = []; speechSynthesis.speak = (words) => spoken.push([words.lang, words.text])"
        )
        site.script.wrong()
        site.until("spoken.length > 0")
        assert site.js("spoken[0]") == ["de", "Eine Figur, die springen kann, muss es: G9."]
        site.feed.update_snapshot(dict(site.feed.newest_snapshot or {}) | {"mode": "tournament"})
        site.until("document.body.dataset.mode === 'tournament'")
        site.driver.execute_script("spoken = []")
        site.feed.publish_event({"t": 9.0, "event": "takeback", "plies": 3})
        site.until("document.getElementById('announce').textContent.includes('3')")
        assert site.js("spoken") == []
    finally:
        site.driver.delete_all_cookies()


def test_a_past_game_is_replayed_by_keyboard(site: Page) -> None:
    visit(site, f"games/{NAME}")
    assert site.text("#headline") == "Start position"
    site.one("body").send_keys(Keys.ARROW_RIGHT)
    assert site.text("#headline").startswith("1. White:")
    for _ in range(9):
        site.one("body").send_keys(Keys.ARROW_RIGHT)
    assert site.text("#headline").startswith("3. Black: H9-F9xF7")
    assert site.js("document.querySelectorAll('#pieces .white').length") == 10
    assert site.js("document.querySelectorAll('.chart').length") == 3


def test_spectators_are_told_how_late_they_see_it(site: Page) -> None:
    visit(site, "spectator")
    assert not site.one("#late").is_displayed()
    site.feed.update_snapshot(dict(site.feed.newest_snapshot or {}) | {"late": 900.0})
    site.until("!document.getElementById('late').hidden")
    assert site.text("#late") == "Shown 15 minutes after they were played."
    site.script.show()


def test_record_is_not_needed(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    page = Page(chromium, record=tmp_path / "none.sqlite3")
    visit(page, "games")
    assert page.text("main").endswith("No game was played yet.")
    page.close()


def test_the_page_of_play_is_led_by_keyboard_alone(site: Page) -> None:
    """Tab reaches every link and button in the order they are seen; a take-back is asked for without a mouse."""
    visit(site, "")
    reached: list[str] = []
    wanted = "Take back"
    while wanted not in reached:
        site.driver.switch_to.active_element.send_keys(Keys.TAB)
        focused = site.driver.switch_to.active_element
        reached.append(str(focused.get_attribute("id") or focused.text))
        assert len(reached) < 40, reached
        if reached[-1] == "board":
            focused.send_keys(Keys.ARROW_UP)
            focused.send_keys(Keys.ARROW_UP)
            assert site.text("#cell-told").startswith("F9: empty")
    assert {"Arbiter", "Games", "turn-board", "board"} <= set(reached)
    site.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert site.text("#ask-title") == "Take back a move"
    site.driver.switch_to.active_element.send_keys(Keys.TAB)
    site.driver.switch_to.active_element.send_keys(Keys.ENTER)
    wish = site.wish()
    assert isinstance(wish, Undo)
    assert wish.plies == 1
