"""`referee certify` before a drawn board at which somebody does as the programme says: the whole program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import games
from engine.explain.why import why_placement
from engine.game import Move
from engine.match.events import Illegal, Lifted, Moved, Ready, SetUp, Unclear
from engine.match.referee import new_match
from server.board.certify.guide import SET_UP_S, TASK_LONGEST_S, TASK_SILENT_S, Guide, TaskOutcome
from server.board.certify.programme import plan_tasks
from server.board.certify.tally import measure_spread, tally_tasks, wilson_interval
from server.board.certify.tasks import TaskKind
from server.cli import main
from server.exits import DONE, UNUSABLE
from tests.render.script import Recipe
from tests.server.board.certify.acted import kept

RECIPE = Recipe(seed=5, size_wh=(640, 480))
PLIES = 4
GAME = games.load("camelot", "wcf")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept(tmp_path_factory.mktemp("sitting"), RECIPE, plan_tasks(GAME, PLIES))[0]


def ended(command: list[str]) -> object:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as over:
        main(command)
    return over.value.code


def test_a_sitting_from_a_film(film: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = film.with_name("certificate.html")
    asked = ["certify", "--profile", str(film), "--plies", str(PLIES), "--out", str(out), "--json"]
    assert ended(asked) == DONE
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["plies"]["right"]["count"] == found["plies"]["right"]["of"] == PLIES
    assert found["plies"]["right"]["interval"] == pytest.approx([0.51, 1.0], abs=0.01)
    assert (found["starts"]["count"], found["false_starts"]["count"], found["named_starts"]["count"]) == (3, 0, 3)
    assert (found["called"]["count"], found["called"]["of"]) == (1, 1)
    assert (found["alarms"]["count"], found["alarms"]["of"]) == (0, 1)
    assert found["seconds"]["most"] < 1.5
    assert found["measured"]["noise"] == pytest.approx(2.0, abs=1.0)
    assert found["measured"]["angle_deg"] == pytest.approx(RECIPE.elevation, abs=8)
    page = out.read_text(encoding="utf-8")
    assert "A good table" in page and "data:image/jpeg;base64," in page and "<script" not in page


def test_a_table_that_is_not_known_and_a_film_that_is_not_there(film: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["certify", "--profile", str(film.with_name("none.toml"))]) == UNUSABLE
    assert ended(["certify", "--profile", str(film), "--camera", "/nowhere/film.avi"]) == UNUSABLE
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and "none.toml" in said[0] and "/nowhere/film.avi" in said[1]


@pytest.mark.parametrize("name", games.names())
def test_the_programme_of_every_game_is_played_by_its_rules(name: str) -> None:
    for rules in games.find(name).rule_sets:
        game = games.load(name, rules)
        position, stands, plies = game.start(), game.start().placement, 0
        tasks = plan_tasks(game, 12)
        for task in tasks:
            assert "{" not in task.composed_sentence
            if task.kind is TaskKind.PLY:
                assert task.before == position and isinstance(task.move, Move) and task.move in game.moves(position)
                position, plies = game.play(position, task.move), plies + 1
                assert (task.ply, task.stands) == (plies, position.placement)
            elif task.kind is TaskKind.UNLAWFUL:
                lawful = {game.play(position, move).placement for move in game.moves(position)}
                assert task.stands not in lawful
                assert task.code == why_placement(game, position, task.stands).code
            elif task.kind is TaskKind.ALTERED:
                differs = {c for c, (one, other) in enumerate(zip(task.stands, stands, strict=True)) if one != other}
                assert differs == set(task.cells) and differs
            elif task.kind in (TaskKind.BACK, TaskKind.RETURN, TaskKind.HAND, TaskKind.NUDGE, TaskKind.LAMP):
                assert task.stands == position.placement
        assert plies >= 4
        assert [task.kind for task in tasks[:6]] == [TaskKind.ALTERED, TaskKind.START] * 3
        assert plan_tasks(game, 12) == tasks


class Hands:
    """A guide, and somebody whose hands come and go; what the referee says is given."""

    def __init__(self, kind: TaskKind) -> None:
        tasks = plan_tasks(GAME, 12)
        number = next(n for n, task in enumerate(tasks) if task.kind is kind)
        self.guide, self.t = Guide(GAME, tasks, at=number), 100.0
        self.task = tasks[number]
        self.match = new_match(GAME, self.task.before or GAME.start())
        self.guide.judge_frame(self.t, (), self.match, stirs=False)

    def act(self) -> None:
        """Hands come for five seconds."""
        for _ in range(50):
            self.t += 0.1
            self.guide.judge_frame(self.t, (), self.match, stirs=self.t > 101.5)

    def rest(self, seconds: float, *events: Any) -> list[Any]:
        """Nothing stirs for so long, then the referee says something, and a moment passes; what is asked of it."""
        self.t += seconds
        wishes = [*self.guide.judge_frame(self.t, events, self.match, stirs=False)]
        for _ in range(30):
            self.t += 0.1
            if self.guide.done:
                break
            wishes += self.guide.judge_frame(self.t, (), self.match, stirs=False)
        return wishes

    @property
    def outcome(self) -> TaskOutcome | None:
        return self.guide.done[0].outcome if self.guide.done else None


def moved(hands: Hands, notation: str = "") -> Moved:
    task, names = hands.task, GAME.board.cells
    assert task.move is not None and task.before is not None
    start, end = names[task.move.origin], names[task.move.target]
    other = notation.split("-") if notation else [start, end]
    return Moved(hands.t, task.ply, "white", notation or f"{start}-{end}", other[0], other[1], (), 1.0)


def test_a_ply_that_is_said_is_right_and_how_soon() -> None:
    hands = Hands(TaskKind.PLY)
    hands.act()
    assert hands.rest(0.4, moved(hands)) == []
    assert hands.outcome is TaskOutcome.RIGHT
    assert hands.guide.done[0].seconds == pytest.approx(0.4)


def test_words_before_anybody_did_anything_do_not_count() -> None:
    hands = Hands(TaskKind.PLY)
    hands.rest(0.1, moved(hands))
    assert hands.outcome is None
    hands.guide.apply_button("skip", hands.t)
    assert hands.outcome is TaskOutcome.SKIPPED


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (Unclear(0.0, ("E6-C8", "no move")), TaskOutcome.ASKED),
        (Illegal(0.0, ("E6",), "not-a-move", "", ()), TaskOutcome.REFUSED),
        (None, TaskOutcome.SILENT),
    ],
)
def test_what_is_not_said_of_a_ply_is_told_to_the_referee(said: Any, outcome: TaskOutcome) -> None:
    hands = Hands(TaskKind.PLY)
    hands.act()
    wishes = hands.rest(TASK_SILENT_S if said is None else 0.5, *([said] if said else []))
    assert hands.outcome is outcome
    assert [(wish.ply, wish.notation) for wish in wishes] == [
        (hands.task.ply, GAME.write(hands.task.before, hands.task.move))  # type: ignore[arg-type]  # a ply has both
    ]


def test_a_move_that_was_not_played_is_wrong_unless_it_is_put_right_at_once() -> None:
    for puts_right, outcome in ((True, TaskOutcome.RIGHT), (False, TaskOutcome.WRONG)):
        hands = Hands(TaskKind.PLY)
        hands.act()
        hands.guide.judge_frame(hands.t + 0.3, (moved(hands, "E6-E7"),), hands.match, stirs=False)
        hands.rest(0.5, *([moved(hands)] if puts_right else []))
        assert hands.outcome is outcome


@pytest.mark.parametrize(
    ("kind", "said", "outcome"),
    [
        (TaskKind.UNLAWFUL, Illegal(0.0, (), "right-code", "", ()), TaskOutcome.RIGHT),
        (TaskKind.UNLAWFUL, Illegal(0.0, (), "another", "", ()), TaskOutcome.OTHER),
        (TaskKind.UNLAWFUL, Moved(0.0, 2, "black", "D10-D9", "D10", "D9", (), 1.0), TaskOutcome.WRONG),
        (TaskKind.UNLAWFUL, None, TaskOutcome.SILENT),
        (TaskKind.ALTERED, Ready(0.0, 90), TaskOutcome.WRONG),
        (TaskKind.START, Ready(0.0, 90), TaskOutcome.RIGHT),
        (TaskKind.START, None, TaskOutcome.SILENT),
        (TaskKind.HAND, None, TaskOutcome.RIGHT),
        (TaskKind.HAND, Illegal(0.0, (), "not-a-move", "", ()), TaskOutcome.REFUSED),
        (TaskKind.NUDGE, Moved(0.0, 2, "black", "D10-D9", "D10", "D9", (), 1.0), TaskOutcome.WRONG),
        (TaskKind.LIFT, None, TaskOutcome.SILENT),
    ],
)
def test_what_comes_of_each_kind_of_task(kind: TaskKind, said: Any, outcome: TaskOutcome) -> None:
    hands = Hands(kind)
    if isinstance(said, Illegal) and said.code == "right-code":
        said = Illegal(0.0, (), hands.task.code, "", ())
    hands.act()
    hands.rest(TASK_SILENT_S if said is None else 0.5, *([said] if said else []))
    assert hands.outcome is outcome


def test_a_lifted_piece_is_noticed_only_where_it_was_lifted() -> None:
    for elsewhere, outcome in ((False, TaskOutcome.RIGHT), (True, TaskOutcome.SILENT)):
        hands = Hands(TaskKind.LIFT)
        hands.act()
        cell = "A1" if elsewhere else hands.task.values["cell"]
        hands.rest(0.2, Lifted(hands.t, cell, ()))
        hands.rest(TASK_SILENT_S)
        assert hands.outcome is outcome


@pytest.mark.parametrize(("more", "outcome"), [((), TaskOutcome.RIGHT), (("K1",), TaskOutcome.OTHER)])
def test_a_bad_start_is_named_by_its_own_cells(more: tuple[str, ...], outcome: TaskOutcome) -> None:
    hands = Hands(TaskKind.ALTERED)
    hands.act()
    named = (*(GAME.board.cells[cell] for cell in hands.task.cells), *more)
    hands.match = new_match(GAME, GAME.start())
    object.__setattr__(hands.match, "note", SetUp(hands.t, named))
    hands.rest(SET_UP_S if more else 2.1)
    assert hands.outcome is outcome


def test_what_nobody_does_is_left_out_and_not_counted() -> None:
    hands = Hands(TaskKind.PLY)
    hands.guide.judge_frame(hands.t + TASK_LONGEST_S + 1, (), hands.match, stirs=False)
    assert hands.outcome is TaskOutcome.SKIPPED
    found = tally_tasks(hands.guide.done)
    assert (found.plies[TaskOutcome.RIGHT].of, found.skipped, found.good) == (0, 1, False)


def test_who_made_a_mistake_may_say_so() -> None:
    hands = Hands(TaskKind.PLY)
    hands.act()
    hands.rest(0.4, moved(hands, "E6-E7"))
    hands.guide.apply_button("mistake", hands.t)
    assert hands.outcome is TaskOutcome.SKIPPED


def test_one_wrong_ply_is_no_good_table() -> None:
    hands = Hands(TaskKind.PLY)
    hands.act()
    hands.rest(3.0, moved(hands, "E6-E7"))
    found = tally_tasks(hands.guide.done)
    assert (found.plies[TaskOutcome.WRONG].count, found.good) == (1, False)


@pytest.mark.parametrize(
    ("count", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (8, 10, 0.4902, 0.9433), (0, 0, 0, 1)]
)
def test_the_interval_of_a_share(count: int, of: int, low: float, high: float) -> None:
    """Figures of Newcombe's tables for the score method."""
    assert wilson_interval(count, of) == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))


@pytest.mark.parametrize(("n", "rank"), [(5, 0), (6, 0), (9, 1), (20, 5), (50, 17)])
def test_the_interval_of_a_median(n: int, rank: int) -> None:
    """The ranks of the tables for the sign test: with 20 figures the sixth from each end."""
    found = measure_spread([float(number) for number in range(n)])
    assert found is not None
    assert (found.low, found.high, found.median) == (rank, n - 1 - rank, (n - 1) / 2)
    assert measure_spread([]) is None
