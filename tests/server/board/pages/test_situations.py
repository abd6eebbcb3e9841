"""All situations x pages x languages: none without a sentence, an answer to its question and a way out."""

from __future__ import annotations

import pytest
from selenium import webdriver

from device.text import compose_text
from engine.game import Outcome
from engine.match.arbiter import ACTS
from engine.match.events import Result
from engine.match.state import Phase
from server.languages import load_languages
from tests.examples import choose_rows
from tests.server.script import CHAIN, OPENING
from tests.server.visitor import DESK, PHONE, Page
from tests.situations import SITUATIONS

PAGES = {"play": ("", DESK), "phone": ("", PHONE), "arbiter": ("arbiter", DESK), "spectator": ("spectator", DESK)}
ANSWERS = "[...document.querySelectorAll('#reason [data-correct]')].map((one) => one.dataset.correct)"
BUTTONS = (
    "[...document.querySelectorAll('main button')]"
    ".filter((one) => one.offsetParent && !one.disabled && (one.dataset.ask || one.dataset.settle))"
    ".map((one) => one.dataset.ask ?? one.dataset.settle)"
)
WAYS_OUT = {"as-it-stands", "put-back", "new-game"}
STUCK = {Phase.SETUP, Phase.PARTIAL, Phase.TROUBLE, Phase.UNCLEAR, Phase.BLIND}
AT_LEAST = {Phase.PAUSED: "resume", Phase.ADJOURNED: "resume", Phase.OVER: "new-game"}


def lead(page: Page, name: str) -> None:
    """Bring the game into a situation."""
    if name == "playing":
        for notation in OPENING:
            page.script.play(notation)
    elif name != "start":
        getattr(page.script, name)()


EACH = [(where, code) for where in PAGES for code in load_languages()]
BY_TURNS = sorted(EACH, key=lambda each: (list(PAGES).index(each[0]) + list(load_languages()).index(each[1])) % 2)
"""First each page in every other language, and each language on every other page."""


@pytest.mark.parametrize(("where", "code"), choose_rows(BY_TURNS, len(EACH) // 2))
def test_every_situation_says_what_it_is_and_how_to_go_on(chromium: webdriver.Chrome, code: str, where: str) -> None:
    path, size = PAGES[where]
    page = Page(chromium)
    try:
        page.open(size, path, language=code)
        assert page.js("document.documentElement.lang") == code
        said: dict[str, tuple[str, str]] = {}
        for situation in SITUATIONS:
            lead(page, situation.name)
            state = page.script.match
            assert state.phase is situation.phase
            page.until(
                f"document.getElementById('status').dataset.phase === '{state.phase.value}'"
                f" && document.getElementById('status').dataset.at === '{len(state.moves)} {page.script.state}'"
            )
            headline, subline = page.text("#headline"), page.text("#subline")
            assert headline, situation.name
            assert subline, situation.name
            assert said.setdefault(situation.name, (headline, subline)) == (headline, subline)
            if where == "spectator":
                assert page.js(BUTTONS) == []
                continue
            buttons = set(page.js(BUTTONS))  # type: ignore[call-overload]  # a list of texts
            if situation.name == "unclear":
                assert page.js(ANSWERS) == list(state.open_options)
            if state.phase in STUCK:
                assert buttons >= WAYS_OUT | ({"correct"} if state.moves else set()), situation.name
            assert AT_LEAST.get(state.phase, "new-game") in buttons, situation.name
            if situation.name == "adjourned":
                offered = page.js("[...document.querySelectorAll('#reason [data-ask]')].map((one) => one.dataset.ask)")
                assert offered == ["resume", "new-game"], "pieces put up for another game begin none by themselves"
            if situation.name == "put_up_again":
                assert buttons >= {"draw", "white", "black", "unfinished"}
        distinct = [situation.name for situation in SITUATIONS if situation.name != "put_up_again"]
        assert len({said[name] for name in distinct}) == len(distinct)
    finally:
        chromium.delete_all_cookies()
        page.close()


def test_every_phase_is_a_situation_with_words_on_the_display_and_acts_to_leave_it(
    chromium: webdriver.Chrome,
) -> None:
    assert {situation.phase for situation in SITUATIONS} == set(Phase)
    page = Page(chromium)
    for situation in SITUATIONS:
        lead(page, situation.name)
        match = page.script.match
        first, second = compose_text(match)
        assert first.isascii()
        assert second.isascii()
        assert first.strip()
        assert second.strip() or situation.name == "start"
        allowed = [kind for kind, (_, refused) in ACTS.items() if match.phase not in refused]
        assert len(allowed) >= 2
    page.close()


@pytest.mark.parametrize("code", load_languages())
def test_on_a_phone_all_ways_out_are_in_sight(chromium: webdriver.Chrome, code: str) -> None:
    """Nothing says that a row goes on beside the window."""
    page = Page(chromium)
    try:
        page.open(PHONE, language=code)
        page.script.play("D6-D5")
        page.script.wrongly_set_up("H11-H12", "G11-G12", "F11-F12")
        page.until("document.querySelectorAll('.reason .actions.out button').length === 4")
        assert page.js("document.querySelectorAll('.reason ul.chips').length") != 0
        hidden = "one.getBoundingClientRect().right > row.getBoundingClientRect().right + 1"
        cut = "one.scrollWidth > one.clientWidth + 1"
        row = "const row = document.querySelector('.reason .actions.out'); return [...row.children]"
        said = chromium.execute_script(f"{row}.filter((one) => {hidden} || {cut}).map((one) => one.textContent)")
        assert said == []
    finally:
        page.close()


@pytest.mark.parametrize("code", load_languages())
@pytest.mark.parametrize("wide_high", [PHONE, (360, 640)])
def test_on_a_phone_each_answer_and_what_follows_a_game_is_in_sight(
    chromium: webdriver.Chrome, wide_high: tuple[int, int], code: str
) -> None:
    """The third answer was reached by swiping, and nothing said so."""
    beyond = (
        "[...document.querySelectorAll('#reason :is(button, a)')].filter((one) => one.getBoundingClientRect().right > "
        "one.closest('.reason').getBoundingClientRect().right || one.scrollWidth > one.clientWidth + 1)"
        ".map((one) => one.textContent)"
    )
    page = Page(chromium)
    try:
        page.open(wide_high, language=code)
        page.script.unclear(options=("H9-F9xF7", CHAIN, "H9xF7xH5xJ7"))
        page.until("document.querySelectorAll('#reason [data-correct]').length === 3")
        assert page.js(beyond) == []
        page.script.tell(Phase.OVER, Result(9.0, "1-0", "resigned"), Outcome("1-0", "resigned"))
        page.until("document.querySelectorAll('#reason a').length === 3")
        assert page.js(beyond) == []
    finally:
        chromium.delete_all_cookies()
        page.close()
