"""Pieces put up again after a long game: the eyes misread a cell, the check that learns nothing before others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from math import dist

import pytest

from calibration.profile import Profile
from engine.game import Move
from engine.match.acts import AgreeDraw, Correct, Resign
from engine.match.arbiter import apply_act
from engine.match.events import AnotherGame, Event, Illegal, Unclear
from engine.match.judging import Consequence, Input, Looked, PutUp
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from tests.examples import choose_rows
from tests.render.lives import Evening, evening, positions_of
from tests.render.scene import cell_xy
from tests.render.script import Recipe
from tests.vision.filmed import Watched, put, standing
from tests.vision.pictures import scene_of, true_views
from tests.vision.slow_looks import SlowLooks
from vision.watch.watcher import Watcher

LONG = Recipe(look="lines", pieces="ivory_brown", light="day", seed=2, plies=60)
"""Its first game ends after 43 plies."""


@lru_cache(maxsize=1)
def shown() -> tuple[Evening, Match]:
    """From the end of the first game on until the pieces stand again, and the match as it is then."""
    film = evening(LONG, 1)
    stage, positions = film.stage, positions_of(film.stage.game, film.first)
    moves = [stage.game.read(position, text) for position, text in zip(positions, film.first, strict=False)]
    match = Match(stage.game, tuple(positions), tuple(move for move in moves if isinstance(move, Move)), ready=True)
    quiet = [number for number, frame in enumerate(stage.frames) if frame.kind == "quiet"]
    ended = next(number for number in quiet if stage.frames[number].ply == len(film.first))
    again = next(number for number in quiet if number > ended + 1)
    return replace(film, shown=film.shown[ended : again + 1]), match


def without(film: Evening, cell: str) -> Evening:
    """The same film, but that a piece is not put up again."""
    (scene, count), board = film.shown[-1], film.stage.game.board
    place = cell_xy(board, board.index[cell])
    kept = tuple(piece for piece in scene.pieces if dist(piece.xyz[:2], place) > 0.5)
    assert len(kept) == len(scene.pieces) - 1
    return replace(film, shown=(*film.shown[:-1], (replace(scene, pieces=kept), count)))


def seen(film: Evening, match: Match) -> Iterator[tuple[Input, Consequence]]:
    """What a referee who was there is told, and what follows."""
    took: list[tuple[Input, Consequence]] = []
    profile = Profile(match.game.name, tuple(true_views(film.shown[0][0])), (97,), "drawn")
    watcher = Watcher(profile, match, lambda given, outcome: took.append((given, outcome)))
    SlowLooks(watcher).take_frames(film.frames())
    yield from took


def test_a_start_of_which_each_way_of_seeing_doubts_other_cells_is_another_game() -> None:
    film, match = shown()
    took = list(seen(film, match))
    assert any(isinstance(given, PutUp) for given, _ in took)
    events: list[Event] = [event for _, outcome in took for event in outcome.events]
    assert [event.after for event in events if isinstance(event, AnotherGame)] == ["adjourned"]
    last = took[-1][1].state.match
    assert (last.moves, last.position) == ((), match.game.start())
    assert isinstance(next(given for given, _ in reversed(took) if isinstance(given, Looked | PutUp)), Looked)


@pytest.mark.parametrize("cell", ["E6"])
def test_a_start_without_a_piece_is_none(cell: str) -> None:
    film, match = shown()
    took = list(seen(without(film, cell), match))
    assert not any(isinstance(given, PutUp) for given, _ in took)
    assert not any(isinstance(event, AnotherGame) for _, outcome in took for event in outcome.events)


@pytest.mark.parametrize(
    ("look", "light", "out", "cell"),
    choose_rows([("walnut", "lamp", "blue", "E6"), ("lines", "office", "red", "C12")], 1),
)
def test_pieces_of_a_side_that_was_out_before_a_restart_are_seen_and_begin_the_next_game(
    look: str, light: str, out: str, cell: str
) -> None:
    """No piece of that side has taught how it looks; by a lamp another side's explains it."""
    game, full = scene_of(Recipe(game="tri-camelot", look=look, light=light, seed=2, size_wh=(960, 720)))
    left = replace(new_match(game), phase=Phase.PLAYING)
    for asked in (Correct(1, "F5-H7"), Resign(out)):
        left, _ = apply_act(left, asked, 1.0)
    scene = put(game, full, "F5", "H7")
    for name, piece in zip(game.board.cells, game.start().placement, strict=True):
        if piece and game.seats[game.seat_of[piece]] == out:
            scene = put(game, scene, "H7" if name == "F5" else name)
    watched = Watched(game, scene, match=left)
    watched.show(scene, 2.0)
    events = watched.show(replace(scene, pieces=(*scene.pieces, standing(game, full, cell))), 5.0)
    (odd,) = [
        event.cells if isinstance(event, Illegal) else event.differs
        for event in events
        if isinstance(event, Illegal | Unclear)
    ]
    assert odd in {(cell,), (game.board.index[cell],)}
    assert [event.name for event in watched.show(scene, 2.0)] == ["restored"]
    over, _ = apply_act(left, AgreeDraw(), 2.0)
    watched = Watched(game, scene, match=over)
    assert "new-game" not in [event.name for event in watched.film([(scene, 2.0), (put(game, full, cell), 5.0)])]
    assert [event.name for event in watched.show(full, 5.0)] == ["new-game", "ready"]
