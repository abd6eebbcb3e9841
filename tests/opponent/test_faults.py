"""Engines killed, hanging, flooding and lying in the middle of games: what was played stays, lawful to the last move.

FAULTY_GAMES=100 plays that many; the suite plays a few.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine import games
from engine.game import Game, Move, Position
from engine.text import records
from engine.text.replay import record_of, replay_record
from opponent.contest.bout import play_bout
from opponent.contest.openings import draw_opening
from opponent.engines import client
from opponent.engines.client import Engine, Reply, Trouble
from opponent.vocabulary import Limits

TINY = (sys.executable, str(Path(__file__).with_name("tiny_engine.py")))
GAMES = int(os.environ.get("FAULTY_GAMES", "10"))
KINDS = {"kill": "ended", "hang": "hung", "flood": "flooded", "lie": "unlawful", "end": "ended"}
WHOLE_GAME = 6
"""Answers before the fault at most; a game of Camette is seldom shorter, and over before the fault in that case."""


class Killed(Engine):
    """An engine that is killed from outside while it is asked for its nth move."""

    def __init__(self, command: Sequence[str], after: int) -> None:
        super().__init__(command)
        self._left = after

    def find_move(
        self, start: Position, moves: Sequence[str], position: Position, limits: Limits, among: Sequence[str] = ()
    ) -> Reply | Trouble:
        if self._left == 0:
            os.kill(self._process.pid, signal.SIGKILL)
        self._left -= 1
        return super().find_move(start, moves, position, limits, among)


def faulty(how: str, after: int) -> Engine:
    return Killed(TINY, after) if how == "kill" else Engine((*TINY, how, str(after)))


def whole(game: Game, stands: Sequence[Position], texts: Sequence[str]) -> bool:
    """Whether the moves lead by the rules from each position to the next."""
    for before, text, after in zip(stands[:-1], texts, stands[1:], strict=True):
        move = game.read(before, text)
        if not isinstance(move, Move) or game.play(before, move) != after:
            return False
    return True


def test_no_game_is_harmed_by_what_engines_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "GRACE_S", 10.0)  # engines give way to everything: a busy machine is no hang
    monkeypatch.setenv("TINY_SEED", "8")
    game, chance, kinds = games.load("camette"), random.Random(5), Counter[str]()
    good = Engine(TINY)
    for number in range(GAMES):
        how = list(KINDS)[number % len(KINDS)]
        after, seat = chance.randrange(WHOLE_GAME), number // len(KINDS) % 2
        bad = faulty(how, after)
        assert good.prepare_game(game) is None and bad.prepare_game(game) is None
        opening = draw_opening(game, 2, number)
        bout = play_bout(game, [bad, good] if seat == 0 else [good, bad], opening, Limits(movetime_ms=50))
        assert bout.moves[: len(opening)] == opening
        texts = [game.write(before, move) for before, move in zip(bout.stands, bout.moves, strict=False)]
        assert whole(game, bout.stands, texts), (number, how)
        written = records.write_pgn(record_of(game, bout.stands, bout.moves, [], bout.result), 2)
        read = replay_record(records.read_pgn(written, "game")[0])
        assert read.fault is None and read.positions == bout.stands, (number, how, read.fault)
        if bout.fault is not None:
            assert bout.fault[0] == seat and bout.fault[1].kind == KINDS[how], bout.fault
            assert bad._process.poll() is not None, "it was ended"
            kinds[how] += 1
        bad.close()
    good.close()
    print(f"{GAMES} games, faults: {dict(kinds)}")
    assert sum(kinds.values()) >= GAMES // 2
