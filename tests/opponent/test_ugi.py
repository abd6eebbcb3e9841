"""Our engine as a conversation: what docs/engines.md promises, line by line."""

from __future__ import annotations

import threading

import pytest

from engine import games
from opponent.engines.ugi import Ugi
from opponent.players.book import FROM_LEVEL, Book
from opponent.players.levels import level_of
from opponent.vocabulary import HIGHEST, LOWEST


def said(*lines: str) -> list[str]:
    """Everything that is answered to these lines."""
    out: list[str] = []
    Ugi(out.append).run(lines)
    return out


def test_the_handshake_names_games_and_options() -> None:
    out = said("ugi", "isready")
    assert out[0].startswith("id name") and out[-2:] == ["ugiok", "readyok"]
    assert any(line.startswith("option name game ") and "tri-camelot" in line for line in out)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["position startpos", "query p1turn"], "response true"),
        (["position startpos moves C6-E8", "query turn"], "response p2"),
        (
            ["setoption name game value tri-camelot", "position startpos moves D5-D7 C12-E14", "query p3turn"],
            "response true",
        ),
        (["position fen E8:WM,A4:BM white 0,0", "query gameover"], "response true"),
        (["position fen E8:WM,A4:BM white 0,0", "query result"], "response draw"),
        (["position fen F16:WM,G16:WM,A4:BM black 0,0", "query result"], "response p1win"),
        (["position fen F16:WM,G16:WM,A4:BM black 0,0", "go nodes 10"], "bestmove none"),
        (["setoption name ruleset value wcf,castle_move_limit=0", "query result"], "response none"),
    ],
)
def test_questions_have_the_answer_of_the_document(lines: list[str], answer: str) -> None:
    assert said(*lines)[-1] == answer


@pytest.mark.parametrize(
    "line",
    [
        "position startpos moves A1-A2",
        "position fen E8:XX white",
        "position fen E8:WM,E8:BM white 0,0",
        "position fen E8:WM white 0",
        "position fen E8:WM white x,y",
        "position",
        "go nodes",
        "go nodes many",
        "go sideways 3",
        "go p1time 100",
        "setoption name game value ludo",
        "setoption name ruleset value wcf,nonsense=1",
        "setoption name level value 11",
        "setoption name level",
        "setoption name OwnBook value perhaps",
        "setoption name colour value red",
        "query p3turn",
        "castle",
    ],
)
def test_what_cannot_be_done_is_one_line_and_changes_nothing(line: str) -> None:
    out = said("position startpos moves C6-E8", line, "query turn")
    assert len(out) == 2, out
    assert out[0].startswith("info string error: ")
    assert out[1] == "response p2"


def test_stop_ends_a_search_without_limits() -> None:
    out: list[str] = []
    deep = threading.Event()

    def hear(line: str) -> None:
        out.append(line)
        if line.startswith("info depth 2"):
            deep.set()

    def lines() -> object:
        yield "go infinite"
        deep.wait()
        yield "stop"

    Ugi(hear).run(lines())  # type: ignore[arg-type]
    assert out[-1].startswith("bestmove ")


def nodes_said(*lines: str) -> list[int]:
    out = said(*lines)
    assert out[-1].startswith("bestmove ")
    return [int(line.split()[line.split().index("nodes") + 1]) for line in out if line.startswith("info depth")]


def test_a_level_looks_at_no_more_than_it_has() -> None:
    for level in range(LOWEST, HIGHEST):
        has = level_of(games.load("camelot"), level)
        assert has.nodes is not None
        found = nodes_said("setoption name OwnBook value false", f"setoption name level value {level}", "go")
        assert all(nodes <= has.nodes for nodes in found) and len(found) <= (has.depth or len(found))
    assert max(nodes_said("setoption name OwnBook value false", "go nodes 500")) <= 500


def test_its_openings_are_its_own_only_where_wanted_and_at_levels_that_know_them() -> None:
    position = games.load("camelot").start()
    known = {games.load("camelot").write(position, move) for move in Book(games.load("camelot")).replies[position]}
    found = set()
    for seed in range(1, 30):
        out = said(f"setoption name seed value {seed}", "position startpos", "go nodes 10")
        assert len(out) == 1
        found.add(out[0].removeprefix("bestmove "))
    assert len(found) > 1 and found <= known
    for unwanted in ("setoption name OwnBook value false", f"setoption name level value {FROM_LEVEL - 1}"):
        assert len(said(unwanted, "position startpos", "go nodes 500")) > 1, "it has thought"
    assert len(said("position startpos", "go nodes 500 searchmoves C6-E8 D6-D5")) > 1, "it was asked about these"


def test_games_without_a_seed_differ() -> None:
    drawn = {said("uginewgame", "position startpos", "go nodes 10")[-1] for _ in range(30)}
    assert len(drawn) > 1
