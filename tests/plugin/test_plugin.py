"""A game that another package brings: installed beside the program, it is played like one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.plugin.site import installed


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("site"))


def referee(site: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(site, "-m", "server", *arguments)


def run(site: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if site is not None:
        environment["PYTHONPATH"] = str(site)
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_legal_names_its_moves(site: Path) -> None:
    done = referee(site, "legal", "breakthrough", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["to_move"] == "white"
    assert answer["outcome"] is None
    assert len(answer["turns"]) == 22
    assert {"notation": "A2-B3", "kind": "move", "from": "A2", "to": "B3", "captured": []} in answer["turns"]


@pytest.mark.parametrize(
    ("rules", "depth", "count"), [("standard", "3", "11132"), ("standard,straight_captures=on", "1", "22")]
)
def test_perft_counts_its_lines(site: Path, rules: str, depth: str, count: str) -> None:
    done = referee(site, "perft", "breakthrough", depth, "--rules", rules)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == count


def test_why_and_games_know_it(site: Path) -> None:
    done = referee(site, "why", "breakthrough", "A2-A4", "--json")
    assert json.loads(done.stdout)["code"] == "not-a-move", done.stderr
    assert "breakthrough" in referee(site, "games").stdout


def test_without_the_package_the_game_is_unknown() -> None:
    done = referee(None, "legal", "breakthrough")
    assert done.returncode == 2
    assert "breakthrough" in done.stderr
    assert done.stdout == ""


PAGE = """
from engine.games import load
from engine.match.state import Match, Phase
from device.lights import draw_match
from server.board.pages.app import create_app
from server.web.feed import Feed
from server.board.live.snapshot import build_snapshot
game, feed = load("breakthrough"), Feed()
match = Match(game, (game.start(),), phase=Phase.PLAYING)
feed.update_snapshot(build_snapshot(match, draw_match(match), 97, 0.0))
feed.update_views((), (100, 100), {cell: [(0.0, 0.0)] for cell in game.board.cells})
client = create_app(feed, print, game).test_client()
for path in ("/", "/api/v1/game", "/api/v1/camera/grid"):
    answer = client.get(path)
    print(path, answer.status_code, "H8" in answer.get_data(as_text=True), "I9" in answer.get_data(as_text=True))
"""


def test_its_page_and_its_board_are_there(site: Path) -> None:
    done = run(site, "-c", PAGE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "/ 200 True False",
        "/api/v1/game 200 True False",
        "/api/v1/camera/grid 200 True False",
    ]


FIND = """
import sys
from tests.scenes.book import rows
from tests.scenes.found import outcome
row = [row for row in rows().values() if row.recipe.game == "breakthrough"][int(sys.argv[1])]
found = outcome(row)
print(found.marked, found.state, found.error_cells < 0.1)
"""


@pytest.mark.parametrize(("number", "marked"), [(0, False), (1, False), (2, False), (3, True)])
def test_its_board_is_found_in_a_picture(site: Path, number: int, marked: bool) -> None:
    done = run(site, "-c", FIND, str(number))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{marked} found True\n"
