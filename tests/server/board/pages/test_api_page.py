"""The page for programs: each of its commands is run against a referee, and answers what the page says."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.match.referee import new_match
from server.board.pages.app import create_app
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from server.web.site import Site
from tests.patience import PATIENCE_S
from tests.server.script import OPENING, Script
from tests.server.served import serve_app

PAGE = (Path(__file__).parents[4] / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\$ (curl .*)\n((?:(?!```|\$ ).*\n)+)", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    script = Script(Feed())
    for notation in OPENING:
        script.play(notation)
    file = tmp_path_factory.mktemp("record") / "games.sqlite3"
    with open_record(file) as record:
        journal = Journal(record, "camelot-0001")
        journal.begin_game(new_match(script.game, script.game.start()), "2026-11-21T10:00:00+00:00")
        journal.write_events(script.told)
    site = serve_app(create_app(script.feed, lambda act: None, script.game, record=file))
    yield site
    script.feed.end_listeners()
    site.stop_server()


def test_the_page_about_the_interface_has_examples() -> None:
    assert len(EXAMPLES) == PAGE.count("$ curl") >= 6


@pytest.mark.parametrize(("command", "answer"), EXAMPLES)
def test_an_example_answers_what_the_page_says(site: Site, command: str, answer: str) -> None:
    asked = command.replace("http://127.0.0.1:5000/", site.url)
    said = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=PATIENCE_S, check=False).stdout
    expected = ".*".join(map(re.escape, answer.strip().split("…")))
    assert re.fullmatch(expected, said.strip(), re.DOTALL), said
