"""Traces: what was seen is kept so exactly that the same events follow again, without pictures."""

from __future__ import annotations

import dataclasses
import json
import math
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from calibration import profile as profiles
from engine import games
from engine.belief.sight import NO_LOOK, InMotion, Sight
from engine.explain.reasons import Reason
from engine.game import Game
from engine.match import acts
from engine.match.course import advance_ply, build_move_event
from engine.match.events import CannotSee, Event
from engine.match.judging import Asked, Found, Input, Lit, Looked, Lost, NotSetUp, PutUp, Ticked, Unseen
from engine.match.referee import new_match
from engine.match.state import Match
from engine.text.positions import to_json
from server.cli import main, referee
from server.exits import ANSWER_IS_NO
from server.record.journal import build_begin_event
from server.record.traces.lines import Coder
from server.record.traces.refold import refold_lines
from server.record.traces.trace import Tracer, load_trace, open_trace
from tests.engine.sights import line as played
from tests.engine.sights import seen
from tests.server.record.traces.refolded import refold_events
from vision.frames import Frame, read_frames
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
FRAMES = 110
"""So much of the recording has four moves and an illegal one."""
CAMELOT = games.load("camelot", "wcf")


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[object]]:
    """The trace of the first part of the bundled film, and what was said."""
    path, profile = tmp_path_factory.mktemp("trace") / "film.jsonl", profiles.load_profile(SESSION / "profile.toml")
    match = new_match(games.load(profile.game, profile.rules))
    with open_trace(path) as out:
        watcher = Watcher(profile, match, Tracer(out, match))
        said = [event for frame in islice(read_frames(str(SESSION)), FRAMES) for event in watcher.take_frame(frame)]
        said += watcher.perform_act(acts.Undo(1, by="arbiter"), 99.0)
    return path, [json.loads(json.dumps(event.to_json())) for event in said]


def replayed(path: Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(referee, ["replay", str(path)], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.stdout, result.stderr


def test_a_trace_gives_the_same_events_without_pictures(traced: tuple[Path, list[object]]) -> None:
    path, said = traced
    assert [json.loads(json.dumps(event.to_json())) for event in refold_events(load_trace(path))] == said
    status, out, err = replayed(path)
    assert status == 0
    assert [json.loads(line) for line in out.splitlines()] == said
    assert f"the same {len(said)} events" in err
    assert "looks in" in err


def test_every_look_says_what_it_was_taken_for_and_why(traced: tuple[Path, list[object]]) -> None:
    trace = load_trace(traced[0])
    looks = [line for line in trace.lines if line["in"] == "look"]
    assert len(looks) > 4
    assert all({"scores", "verdict", "probability", "after_s", "reason", "belief"} <= line.keys() for line in looks)
    assert any("waits" in line for line in looks if line["verdict"].startswith(("covered", "doubt")))
    assert all(one.outcome.opinion is not None for one in refold_lines(trace) if one.is_look)


def test_another_figure_is_found_and_shown(traced: tuple[Path, list[object]], tmp_path: Path) -> None:
    lines = traced[0].read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(lines) if '"verdict":"played' in line)
    spoiled = json.loads(lines[at])
    spoiled["scores"].clear()
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([*lines[:at], json.dumps(spoiled), *lines[at + 1 :]]) + "\n", encoding="utf-8")
    status, _, err = replayed(other)
    assert status == ANSWER_IS_NO
    assert f"input {at} of the trace" in err
    assert "then: [{" in err
    assert "now:  [" in err


@pytest.mark.parametrize("name", ["camelot", "tri-camelot", "cam-3d", "camblam"])
def test_a_look_comes_back_as_it_was(name: str) -> None:
    game, chance = games.load(name), random.Random(7)
    sight = a_sight(game, chance)
    moving = InMotion(lambda: [dataclasses.replace(a_sight(game, chance), moving_s=math.inf)])
    moving()
    coder, reader = Coder(game), Coder(game)
    for given in (Looked(3.25, sight, 97, moving), Looked(3.25, sight, 97)):
        back = reader.decode_input(json.loads(json.dumps(coder.encode_input(given, game.start()), allow_nan=False)))
        assert isinstance(back, Looked)
        assert (back.t, back.fit) == (3.25, 97)
        assert plain(back.sight) == plain(sight)
        if given.moving is moving:
            assert [plain(one) for one in back.moving()] == [plain(one) for one in moving()]


def test_no_field_of_a_look_is_left_out() -> None:
    """What is not written down is judged otherwise when a trace is judged anew."""
    flags = {one.name: True for one in dataclasses.fields(Sight) if one.type == "bool"}
    sight = dataclasses.replace(a_sight(CAMELOT, random.Random(3)), **flags, otherwise=((5, NO_LOOK), (9, 2)))
    usual = Sight(0.0, ())
    assert all(getattr(sight, one.name) != getattr(usual, one.name) for one in dataclasses.fields(Sight))
    line = json.loads(json.dumps(Coder(CAMELOT).encode_input(Looked(3.25, sight, 97), CAMELOT.start())))
    back = Coder(CAMELOT).decode_input(line)
    assert isinstance(back, Looked)
    assert plain(back.sight) == plain(sight)


def a_sight(game: Game, chance: random.Random) -> Sight:
    """Most cells as in the start position, some otherwise, in numbers as a watcher gives them."""
    sight = seen(game, game.start().placement)
    cells = len(game.board.cells)
    rows, unexplained, offset_cells = list(sight.scores), [0.0] * cells, [0.0] * cells
    for cell in chance.sample(range(cells), 9):
        rows[cell] = [round(chance.uniform(-40, 40), 2) for _ in game.looks]
        unexplained[cell], offset_cells[cell] = round(chance.random(), 2), round(chance.random(), 2)
    return Sight(
        3.25,
        rows,
        unexplained,
        patient=True,
        moving_s=0.625,
        offset_cells=offset_cells,
        hidden=tuple(sorted(chance.sample(range(cells), 3))),
        clear=chance.random() < 0.5,
    )


def plain(sight: Sight) -> dict[str, object]:
    """All of a look, however its numbers are held."""
    held = {one.name: getattr(sight, one.name) for one in dataclasses.fields(sight)}
    held["scores"] = [list(map(float, row)) for row in sight.scores]
    return held | {name: list(held[name]) for name in ("unexplained", "offset_cells")}


def every_input() -> Iterator[Input]:
    for wish in (
        acts.Undo(2, by="player"),
        acts.Correct(3, "E6-C8", by="arbiter"),
        acts.AsPlayed("E6-C3"),
        acts.SetPosition(to_json(CAMELOT, CAMELOT.start())),
        acts.SetPosition(to_json(CAMELOT, CAMELOT.start()), stands=True),
        acts.AgreeDraw(),
        acts.ClaimDraw(),
        acts.Resign("white"),
        acts.Forfeit("black", "time", by="clock"),
        acts.Pause(),
        acts.Adjourn(),
        acts.Resume(),
        acts.Lose("slept", 60.5, "2026-11-25T20:00:00+00:00", "2026-11-25T21:01:11+00:00", by="clock"),
        acts.CountLost(),
        acts.AddTime("white", -90.5, by="arbiter"),
        acts.BringBack(),
        acts.StandsSo(),
        acts.PutBack(),
        acts.Choose(),
        acts.Press(None),
        acts.NewGame(None),
        acts.Settle("draw"),
    ):
        yield Asked(1.5, wish)
    yield from (
        Unseen(2.0, Reason("board-lost", 31.0, 55.0)),
        NotSetUp(2.5, (3, 4)),
        NotSetUp(2.7, (3,), ("E6-E5",), 40),
        NotSetUp(2.8, (3,), (), 91, exchanged=True),
        Ticked(3.0),
    )
    yield from (Lost(3.5), Found(4.0, 91), Lit(4.5), PutUp(5.0, 91))


@pytest.mark.parametrize("given", list(every_input()), ids=lambda given: type(getattr(given, "act", given)).__name__)
def test_what_is_no_look_comes_back_as_it_was(given: Input) -> None:
    line = json.loads(json.dumps(Coder(CAMELOT).encode_input(given, CAMELOT.start())))
    assert Coder(CAMELOT).decode_input(line) == given


def test_every_act_can_be_traced() -> None:
    kinds = {type(given.act).__name__ for given in every_input() if isinstance(given, Asked)}
    assert kinds == {kind.__name__ for kind in acts.Act.__subclasses__()}


def test_a_trace_may_begin_in_the_middle_of_a_game(tmp_path: Path) -> None:
    """As after a restart of the service: the record says what was before."""
    positions, moves = played(CAMELOT, "J6-K6 J11-H9")
    begun = Match(CAMELOT, positions[:1])
    record = [build_begin_event(begun)]
    for move in moves:
        record.append(build_move_event(begun, move, 1.0, 1.0).to_json())
        begun = advance_ply(begun, move)
    path = tmp_path / "later.jsonl"
    with open_trace(path) as out:
        Tracer(out, begun, record)
    assert load_trace(path).initial_match.moves == moves
    assert load_trace(path).initial_match.positions == positions


def test_one_who_sees_nothing_leaves_a_trace_that_says_why(tmp_path: Path) -> None:
    chance = np.random.default_rng(5)
    profile, path = profiles.load_profile(SESSION / "profile.toml"), tmp_path / "noise.jsonl"
    match = new_match(games.load(profile.game, profile.rules))
    (w, h), frame_s = profile.size_wh, 1 / 8
    events: list[Event] = []
    with open_trace(path) as out:
        watcher = Watcher(profile, match, Tracer(out, match))
        for number in range(24):
            noise = np.kron(chance.integers(0, 255, (h // 8, w // 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)
            events += watcher.take_frame(Frame(number * frame_s, noise))
    assert [type(event) for event in events] == [CannotSee]
    assert watcher.waiting_reasons[0].rule.startswith("cannot-see-")
    assert [line["in"] for line in load_trace(path).lines] == ["blind"]
    assert refold_events(load_trace(path)) == events


@pytest.mark.parametrize("text", ["", "{}\n", '{"trace": 99}\n', "pictures"])
def test_what_is_no_trace(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["replay", str(path)])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "not a trace" in said
    assert said.count("\n") == 1
