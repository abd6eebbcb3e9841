"""The hall's pages know when they are old: lines that swallow, connections that lead nowhere, a hall started again."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.examples import choose_rows
from tests.patience import wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import hall, mosquitto
from tests.server.hall.test_hall_run import ask
from tests.server.script import OPENING
from tests.swallowing import AWAY_S, Swallowing

PAGES = {"hall": "#boards", "hall/table-1": "#hall-moves"}


@pytest.mark.parametrize(
    ("where", "dead"),
    choose_rows([("hall", False), ("hall/table-1", True), ("hall", True), ("hall/table-1", False)], 2),
)
def test_a_page_of_the_hall_catches_up_by_itself(tmp_path: Path, chromium: Chrome, where: str, dead: bool) -> None:
    table = Table(tmp_path)
    with mosquitto(tmp_path) as broker, hall(broker, str(tmp_path / "hall.sqlite3")) as url:
        publisher = table.publisher(broker)
        table.play(OPENING[0])
        between = Swallowing(urlsplit(url).port or 0)
        try:
            wait_until(lambda: ask(f"{url}api/v1/hall/boards")["boards"])
            chromium.get(between.url + where)

            def shows(notation: str) -> bool:
                place = chromium.find_element(By.CSS_SELECTOR, PAGES[where])
                titles = [str(link.get_attribute("title")) for link in place.find_elements(By.TAG_NAME, "a")]  # type: ignore[no-untyped-call]
                return notation in " ".join([place.text, *titles])

            def stale() -> bool:
                return bool(chromium.execute_script("return document.body.hasAttribute('data-stale')"))  # type: ignore[no-untyped-call]

            wait_until(lambda: shows(OPENING[0]))
            between.swallows, begun = True, time.monotonic()
            wait_until(stale)
            said = time.monotonic() - begun
            table.play(OPENING[1])
            time.sleep(AWAY_S)
            assert stale()
            if dead:
                between.forget()
            between.swallows, begun = False, time.monotonic()
            wait_until(lambda: not stale())
            assert shows(OPENING[1]), "what is shown as live is old"
            print(f"{where}: said after {said:.1f} s, caught up after {time.monotonic() - begun:.1f} s")
        finally:
            chromium.get("about:blank")
            between.close()
            publisher.stop_publishing()
