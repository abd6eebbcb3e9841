"""Our engine as a conversation: what docs/engines.md promises, line by line."""

from __future__ import annotations

import queue
import random
import threading
import time

import pytest

from engine import games
from engine.game import Move
from opponent.engines.ugi import MOST_COMMANDS, Ugi
from opponent.players import montecarlo
from opponent.players.book import FROM_LEVEL, OpeningBook
from opponent.players.deep import Deep
from opponent.players.levels import level_of
from opponent.vocabulary import HIGHEST, LOWEST, write_position
from tests.opponent.drawn import crowded

ANSWER_S = 120.0
"""On a busy machine; what is never answered is not answered after that either."""
OUT_OF_THE_GAME = "position fen F15:GN,B17:RN,F17:RN,I10:RN,I12:RN,H7:RM,E4:RN blue"
"""Blue has no piece left and must pass."""


def said(*lines: str) -> list[str]:
    """Everything that is answered to these lines."""
    out: list[str] = []
    Ugi(out.append).serve_lines(lines)
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
        (["setoption name game value tri-camelot", OUT_OF_THE_GAME, "query turn"], "response p2"),
        (["setoption name game value tri-camelot", OUT_OF_THE_GAME, "go depth 1"], "bestmove F17xF13"),
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
        "go nodes 9007199254740993",
        "go nodes 1000000000000000000",
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
    assert not line.startswith("go nodes") or line == "go nodes" or "from 0 to 9007199254740992" in out[0]


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

    Ugi(hear).serve_lines(lines())  # type: ignore[arg-type]
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
    known = {
        games.load("camelot").write(position, move)
        for move in OpeningBook(games.load("camelot")).known_replies[position]
    }
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


class Talk:
    """A conversation in which answers are waited for: `ask` gives what was said up to the line that begins so."""

    def __init__(self) -> None:
        self._said: queue.Queue[str] = queue.Queue()
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.engine = threading.Thread(
            target=lambda: Ugi(self._said.put).serve_lines(iter(self._lines.get, None)), daemon=True
        )
        self.engine.start()

    def say(self, *lines: str) -> None:
        for line in lines:
            self._lines.put(line)

    def hear(self, until: str) -> list[str]:
        out: list[str] = []
        while not out or not out[-1].startswith(until):
            out.append(self._said.get(timeout=ANSWER_S))
        return out

    def close(self) -> None:
        self._lines.put(None)
        self.engine.join(ANSWER_S)
        assert not self.engine.is_alive()


@pytest.mark.parametrize(
    "told", ["position startpos moves C6-E8", "uginewgame", "query turn", "setoption name seed value 3"]
)
def test_a_search_without_limits_ends_with_what_is_said_next(told: str) -> None:
    talk = Talk()
    talk.say("go infinite", told, "isready")
    assert talk.hear("bestmove")
    assert talk.hear("readyok")
    talk.close()


def test_while_it_thinks_it_hears_and_does_the_rest_in_order() -> None:
    talk = Talk()
    talk.say("go movetime 60000", "position startpos moves C6-E8", "query turn", "isready")
    talk.hear("readyok")
    talk.say("stop")
    rest = talk.hear("response")
    assert [line.split()[0] for line in rest if not line.startswith("info")] == ["bestmove", "response"]
    assert rest[-1] == "response p2"
    talk.say("go infinite", "isready")
    talk.hear("readyok")
    talk.say("quit")
    talk.hear("bestmove")
    talk.close()


def test_who_says_too_much_meanwhile_is_told_so_and_nothing_grows() -> None:
    talk = Talk()
    talk.say("go movetime 60000", *["query turn"] * (MOST_COMMANDS + 5), "stop")
    assert talk.hear("info string error")[-1].endswith("commands wait already")
    talk.hear("bestmove")
    talk.close()


@pytest.mark.parametrize(
    "limit", ["nodes 0", "depth 0", "movetime 0", "p1time 0 p2time 0", "nodes 1", "depth 99999999999"]
)
@pytest.mark.parametrize("player", ["search", "playouts", "greedy"])
def test_no_limit_is_so_small_that_it_is_none(limit: str, player: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(montecarlo, "PLAYOUTS", 20)  # where only a depth is given, which playouts have none of
    talk = Talk()
    talk.say("setoption name OwnBook value false", f"setoption name player value {player}", f"go {limit}")
    if limit.endswith("9"):
        talk.say("stop")
    found = talk.hear("bestmove ")[-1].removeprefix("bestmove ")
    game = games.load("camelot")
    assert isinstance(game.read(game.start(), found), Move)
    talk.close()


def test_a_search_that_fails_is_answered_with_a_lawful_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Deep, "choose_move", lambda self, task: next(iter(())))
    out = said("setoption name OwnBook value false", "go nodes 100", "query turn")
    assert out[0] == "info string error: StopIteration:"
    game = games.load("camelot")
    assert isinstance(game.read(game.start(), out[1].removeprefix("bestmove ")), Move)
    assert out[2] == "response p1"


def test_a_crowded_board_is_answered_in_time() -> None:
    game = games.load("cam-3d")
    position = list(crowded(game, random.Random(4)))[-1]
    assert len(game.results(position)) > 1_000
    talk = Talk()
    talk.say("setoption name game value cam-3d", f"position fen {write_position(game, position)}", "isready")
    assert talk.hear("readyok") == ["readyok"]
    begun = time.monotonic()
    talk.say("go movetime 200")
    talk.hear("bestmove")
    assert time.monotonic() - begun < 20
    talk.close()
