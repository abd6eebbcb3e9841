"""Engines as processes: good ones are asked, bad ones become a value, and neither the game nor its record changes."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine import games
from engine.game import Position
from opponent.contest.bout import play_bout
from opponent.contest.participants import parse_participant
from opponent.engines import client
from opponent.engines.client import Engine, Reply, Trouble
from opponent.vocabulary import Limits, read_position, write_position
from tests.opponent.drawn import FAMILY

TINY = (sys.executable, str(Path(__file__).parent / "tiny_engine.py"))
OURS = (sys.executable, "-m", "server", "engine")
FAULTS = {
    "end": "ended",
    "flood": "flooded",
    "flood-line": "flooded",
    "lie": "unlawful",
    "noise": "unlawful",
    "nothing": "unlawful",
}
QUICK = Limits(movetime_ms=10)


def asked(engine: Engine, limits: Limits = QUICK) -> Reply | Trouble:
    """The first move of Camette."""
    game = games.load("camette")
    trouble = engine.prepare_game(game)
    return trouble or engine.find_move(game.start(), (), game.start(), limits)


@pytest.mark.parametrize("how", FAULTS)
def test_what_an_engine_does_wrong_is_a_value(how: str) -> None:
    engine = Engine((*TINY, how))
    found = asked(engine)
    assert isinstance(found, Trouble)
    assert found.kind == FAULTS[how], found
    assert asked(engine) == found, "a closed engine goes on saying why"
    engine.close()


def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "GRACE_S", 0.5)
    engine = Engine((*TINY, "hang"))
    found = asked(engine)
    assert isinstance(found, Trouble) and found.kind == "hung"
    assert engine._process.poll() is not None


def test_one_that_is_not_there_or_ends_at_once_is_said() -> None:
    missing = asked(Engine(("/no/such/engine",)))
    assert isinstance(missing, Trouble) and missing.kind == "not-there"
    ended = asked(Engine((*TINY, "end-at-once")))
    assert isinstance(ended, Trouble) and ended.kind == "ended"


def test_an_engine_that_does_not_know_the_game_is_not_used() -> None:
    engine = Engine(TINY)
    trouble = engine.prepare_game(games.load("camelot"))
    assert trouble is not None and "only Camette" in trouble.message


def test_a_fault_ends_the_game_and_leaves_what_was_played() -> None:
    game = games.load("camette")
    good, bad = Engine(OURS), Engine((*TINY, "lie"))
    assert good.prepare_game(game) is None and bad.prepare_game(game) is None
    bout = play_bout(game, [good, bad], (), Limits(nodes=100))
    assert bout.result == "1-0" and bout.fault is not None and bout.fault[0] == 1
    assert bout.stands[-1] == game.play(bout.stands[0], bout.moves[0])
    good.close()
    bad.close()


def test_an_engine_written_from_the_document_alone_plays_100_games() -> None:
    game = games.load("camette")
    engines = [Engine(TINY), Engine((*OURS, "--level", "2"))]
    for number in range(100):
        assert all(engine.prepare_game(game) is None for engine in engines)
        bout = play_bout(game, engines[:: 1 if number % 2 else -1], (), Limits(nodes=60))
        assert bout.fault is None, bout.fault
        assert bout.reason
    for engine in engines:
        engine.close()


@pytest.mark.parametrize("name", [*FAMILY, "camblam"])
def test_our_engine_answers_in_every_game(name: str) -> None:
    game = games.load(name)
    engine = Engine(OURS)
    assert engine.prepare_game(game) is None
    position: Position = game.start()
    texts: list[str] = []
    for _ in range(4):
        reply = engine.find_move(game.start(), texts, position, Limits(nodes=200))
        assert isinstance(reply, Reply), reply
        texts.append(game.write(position, reply.move))
        position = game.play(position, reply.move)
    assert read_position(game, write_position(game, position).split()) == position
    engine.close()


def test_a_file_of_the_current_folder_is_not_run_in_the_place_of_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who had a file `click.py` where the referee was started ran it with every move of the computer."""
    for name in ("click", "numpy", "server", "engine"):
        (tmp_path / f"{name}.py").write_text(
            "import os, sys\nopen('run', 'w').close()\nsys.exit(1)\n", encoding="utf-8"
        )
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.chdir(tmp_path)
    game = games.load("cam")
    with closing(Engine(parse_participant("1").command)) as engine:
        assert engine.prepare_game(game) is None
    assert not (tmp_path / "run").exists()
