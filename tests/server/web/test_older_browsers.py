"""Browsers back to Safari 15.4 and Firefox 115: nothing is used unguarded that they lack, and pages work without it."""

from __future__ import annotations

import queue
import re
from functools import partial
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

import server
from engine.match.acts import Act
from server.board.pages.app import create_app
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

STATIC = Path(server.__file__).with_name("static")
YOUNGER_SCRIPT = re.compile(
    r"AbortSignal\.any|\.groupBy\(|\.to(?:Sorted|Reversed|Spliced)\(|Promise\.withResolvers|Array\.fromAsync|\(\?<[=!]"
    r"|(?:show|hide|toggle)Popover\(|(?<!\?\.)requestIdleCallback\(|new URLPattern|\bscheduler\.|Iterator\.prototype"
    r"|document\.startViewTransition\(|new OffscreenCanvas|navigator\.(?:wakeLock|getBattery|serviceWorker)\."
)
"""What a browser of that age throws at; `?.` and a branch for those who lack it are the ways to use it."""
YOUNGER_STYLE = re.compile(
    r"light-dark\(|color-mix\(|oklch\(|oklab\(|@container|@scope|@starting-style|\d[dl]vh|@media[^{]*[<>]|(?m:^\s*&)"
)
INVALID_IN_A_LIST = re.compile(r":has\(|:popover-open|:user-invalid")
"""A selector that is not known makes all those that are listed with it unknown too."""
LACKS = """
delete AbortSignal.timeout; delete Map.groupBy; delete Object.groupBy; delete window.SharedWorker;
delete HTMLElement.prototype.showPopover; delete HTMLElement.prototype.togglePopover;
delete Array.prototype.toSorted; delete navigator.wakeLock; delete window.requestIdleCallback;
"""


@pytest.mark.parametrize("script", sorted((STATIC / "js").glob("*.js")), ids=lambda path: path.name)
def test_no_script_needs_a_younger_browser(script: Path) -> None:
    code = "\n".join(line.split(" // ")[0] for line in script.read_text(encoding="utf-8").splitlines())
    assert YOUNGER_SCRIPT.findall(code) == []
    assert "AbortSignal.timeout" not in code or script.name == "within.js"


@pytest.mark.parametrize("sheet", sorted(STATIC.glob("*.css")), ids=lambda path: path.name)
def test_no_style_sheet_needs_a_younger_browser(sheet: Path) -> None:
    style = re.sub(r"(?s)/\*.*?\*/", "", sheet.read_text(encoding="utf-8"))
    assert YOUNGER_STYLE.findall(style) == []
    for selectors in re.findall(r"([^{};]+)\{", style):
        listed = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", selectors))
        assert "," not in listed or selectors.lstrip().startswith("@") or not INVALID_IN_A_LIST.search(selectors)


def test_a_page_works_without_what_they_lack(chromium: Chrome, script: Script, inbox: queue.SimpleQueue[Act]) -> None:
    """A button is answered, the menu of one move opens, news come."""
    site = serve_app(create_app(script.feed, inbox.put, script.game))
    taken = chromium.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LACKS})

    until = partial(await_script, chromium)

    try:
        size(chromium, 1280, 800)
        chromium.get_log("browser")
        chromium.get(site.url)
        assert chromium.execute_script("return AbortSignal.timeout === undefined")
        for notation in OPENING:
            script.play(notation)
        until(f"document.querySelectorAll('#moves td[data-ply]').length === {len(OPENING)}")
        chromium.execute_script(
            'document.querySelector(\'#moves td[data-ply="1"] button, #moves [data-ply="1"]\').click()'
        )
        until("document.getElementById('one-ply').open && document.querySelectorAll('#one-ply-choices li').length > 3")
        chromium.execute_script("document.getElementById('one-ply').close()")
        chromium.execute_script("document.querySelector('[data-tutor=best]').click()")
        assert inbox.get(timeout=PATIENCE_S)
        assert [line["message"] for line in chromium.get_log("browser") if line["level"] == "SEVERE"] == []
    finally:
        chromium.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": taken["identifier"]})
        chromium.get("about:blank")
        script.feed.end_listeners()
        site.stop_server()
