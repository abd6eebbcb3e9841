"""The players in Python: what plays without a compiled core, and games that bring no evaluation."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engine import games
from engine.game import Move, Result
from opponent.players import book, evaluation
from opponent.players.alphabeta_search import DEEPEST, AlphaBeta
from opponent.players.book import OPENINGS, OpeningBook, read_lines
from opponent.players.deep import Deep, core_of, format_results, move_of
from opponent.players.levels import LADDERS, PlayingLevel, level_of, limit_to_level
from opponent.players.montecarlo import MonteCarlo
from opponent.players.simple import GreedyPlayer, RandomPlayer
from opponent.players.thinking import Player, Task
from opponent.review.worth import DECIDED
from opponent.vocabulary import HIGHEST, LARGEST_NUMBER, LOWEST, Limits
from tests.engine.stand import stand
from tests.plugin.site import at_hand

WINS = [
    ("camette", "white", "WM B6, WN A3, BM E3, BN E4"),
    ("cam", "black", "BM C2, BN D3, WM A9, WN A8"),
    ("tri-camelot wcf", "red", "RM J15, BM F5, GM H11"),
    ("camelot wcf", "white", "WM F16, WM F15, BM A4, BM L4, BN A5"),
]


def wins(name: str, side: str, pieces: str, player: Player, limits: Limits) -> bool:
    game, position = stand(name, side, pieces)
    move = player.choose_move(Task(game, (position,), limits))
    outcome = game.outcome(game.play(position, move))
    return outcome is not None and outcome.result.split("-")[position.seat] == "1"


@pytest.mark.parametrize(("name", "side", "pieces"), WINS)
def test_everybody_but_chance_wins_when_a_step_wins(name: str, side: str, pieces: str) -> None:
    core = core_of(stand(name, side, pieces)[0])
    assert core is not None
    for player in (Deep(core), AlphaBeta(), GreedyPlayer(), MonteCarlo()):
        assert wins(name, side, pieces, player, Limits(nodes=400)), type(player).__name__


def test_each_of_three_for_itself_wins_takes_and_keeps_to_its_nodes() -> None:
    game, position = stand("tri-camelot wcf", "red", "RM J15, BM F5, GM H11")
    core = core_of(game)
    assert core is not None
    for nodes in (50, 5_000):
        said: list[tuple[int, int, list[Result]]] = []

        def told(depth: int, score: int, looked: int, seconds: float, line: list[Result], said=said) -> None:
            said.append((score, looked, line))

        found = core.search([position], bytearray(1), told, nodes=nodes)
        outcome = game.outcome(game.play(position, move_of(game, position, found)))
        assert outcome is not None and outcome.result.split("-")[position.seat] == "1"
        assert said[-1][0] > DECIDED and max(looked for _, looked, _ in said) <= nodes
        assert said[-1][2][0] == found
    start = game.start()
    found = core.search([start], bytearray(1), told, nodes=5_000)
    assert found in game.results(start)
    line = format_results(game, start, said[-1][2])
    assert len(line) >= 2, "what the others answer is said too"


def test_search_in_python_keeps_to_its_nodes_and_is_the_same_each_time() -> None:
    game = games.load("cam-3d")
    said: list[int] = []
    moves = []
    for _ in range(2):
        task = Task(
            game, (game.start(),), Limits(nodes=300), noise=20, seed=7, say=lambda info: said.append(info.nodes)
        )
        moves.append(AlphaBeta().choose_move(task))
    assert moves[0] == moves[1]
    assert said and max(said) <= 300


def test_a_game_of_another_package_is_played_by_playouts() -> None:
    with at_hand("breakthrough"):
        game = games.load("breakthrough")
        assert evaluation.find_evaluation(game) is None and core_of(game) is None
        position = game.start()
        for number in range(200):
            if game.outcome(position) is not None:
                break
            player: Player = MonteCarlo() if number % 2 == 0 else RandomPlayer()
            position = game.play(position, player.choose_move(Task(game, (position,), Limits(nodes=40), seed=number)))
        outcome = game.outcome(position)
        assert outcome is not None and outcome.result == "1-0"


def test_a_clock_is_divided_among_the_moves_to_come() -> None:
    game = games.load("camelot")
    for clocks, increments in (((60_000, 60_000), (0, 0)), ((1000, 1000), (500, 500))):
        seconds = Task(game, (game.start(),), Limits(clocks_ms=clocks, increments_ms=increments)).time_limit_s()
        assert seconds is not None and 0 < seconds <= clocks[0] / 4000


def test_levels_move_lawfully_whatever_their_noise() -> None:
    game = games.load("tri-camelot")
    core = core_of(game)
    assert core is not None
    position = game.start()
    for number in range(30):
        if game.outcome(position) is not None:
            break
        move = Deep(core).choose_move(Task(game, (position,), Limits(nodes=60), noise=60, seed=number))
        assert isinstance(game.read(position, game.write(position, move)), Move)
        position = game.play(position, move)


@pytest.mark.parametrize("name", sorted(path.stem for path in OPENINGS.glob("*.txt")))
def test_every_line_of_the_book_is_lawful_and_leaves_a_game_to_play(name: str) -> None:
    game = games.load(name)
    lines = read_lines(name)
    assert len({moves for _, moves in lines}) == len(lines) > 10
    for weight, moves in lines:
        position = game.start()
        assert weight > 0 and moves
        for text in moves:
            move = game.read(position, text)
            assert isinstance(move, Move), f"{' '.join(moves)}: {text}"
            position = game.play(position, move)
        assert game.outcome(position) is None


def test_a_line_of_the_book_ends_where_it_is_not_lawful(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "camelot.txt").write_text("# a remark\n3 D6-D5 D11-D12\n1 D6-D5 A1-A2 C6-E8\n", encoding="utf-8")
    monkeypatch.setattr(book, "OPENINGS", tmp_path)
    game = games.load("camelot")
    first, second = OpeningBook(game).known_replies.items()
    assert first[0] == game.start() and sum(first[1].values()) == 4
    assert [(game.write(second[0], move), times) for move, times in second[1].items()] == [("D11-D12", 3)]
    assert not OpeningBook(games.load("cam")).known_replies


def test_each_level_looks_farther_than_the_one_below_or_overlooks_less() -> None:
    for name in (*LADDERS, "cam", "camette"):
        game = games.load(name)
        steps = [level_of(game, number) for number in range(LOWEST, HIGHEST + 1)]
        for below, above in pairwise(steps):
            farther = (above.depth or DEEPEST, above.nodes or LARGEST_NUMBER) > (
                below.depth or DEEPEST,
                below.nodes or 0,
            )
            assert farther or above.overlooks < below.overlooks
        assert steps[-1].nodes is None and all(step.nodes for step in steps[:-1])


def test_a_level_overlooks_a_share_of_its_moves_others_in_each_game_and_notices_one_at_least() -> None:
    game = games.load("camelot")
    position = game.start()
    moves = game.moves(position)
    noticed = [
        limit_to_level(Task(game, (position,), seed=seed), PlayingLevel(9, overlooks=0.7)).among
        for seed in range(1, 201)
    ]
    assert len(set(noticed)) > 190 and set().union(*noticed) == set(moves)
    assert sum(map(len, noticed)) / len(noticed) == pytest.approx(0.3 * len(moves), rel=0.1)
    (only,) = limit_to_level(Task(game, (position,)), PlayingLevel(9, overlooks=1.0)).among
    assert only in moves
    assert limit_to_level(Task(game, (position,), among=moves[:2]), PlayingLevel(9, overlooks=0.7)).among == moves[:2]
    assert limit_to_level(Task(game, (position,)), PlayingLevel(9)).among == ()
