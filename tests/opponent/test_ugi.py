"""Our engine as a conversation: what docs/engines.md promises, line by line."""

from __future__ import annotations

import threading

import pytest

from opponent.engines.ugi import Ugi


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


def test_a_level_looks_at_no_more_nodes_than_it_has() -> None:
    out = said("setoption name level value 1", "go movetime 60000")
    assert out[-1].startswith("bestmove ")
    assert all(
        int(line.split()[line.split().index("nodes") + 1]) <= 60 for line in out if line.startswith("info depth")
    )
