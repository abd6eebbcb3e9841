"""A recording filmed and refereed as if it came from a camera, and what came of it against what was played."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from calibration.markers import detect_markers, marker_places
from calibration.profile import Profile
from calibration.solve import MARKED_FIT, Solution, solve_by_corners, solve_by_markers
from engine.errors import InputError
from engine.match.acts import Correct
from engine.match.events import Event, Moved, SetUp, Takeback, Unclear
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from tests.bench.report import Clock, Report, Spans, judge_calls, judge_moves
from tests.bench.takes import Take
from tests.bench.timeline import SILENT_S
from tests.bench.watched import Watched
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film, placed, unseeable
from tests.render.camera.timing import Shot
from vision.frames import Frame
from vision.ground import Image
from vision.watch.watcher import Watcher

CORNERS_OFF_PX = 3.0
"""How far from the true corners a person clicks."""
CLICKED_AGAIN = 5
"""How often a person clicks them who is told that they do not fit."""
GOOD = Conditions()
"""A good camera by day."""
START_S = 3.0
"""Nobody plays the first move sooner after the pieces were set up."""
LINGER_S = SILENT_S + 0.5
PATIENCE_S = 0.8
"""When people turn to a referee that asks or refuses: enough of the picture is left to see that it agrees then."""


Film = Callable[[Iterable[Shot], Conditions, int, Any], Iterable[tuple[int, Frame]]]
"""What makes frames, each with the number of the recorded picture that it shows, as tests.render.camera.film does."""


class Followed(NamedTuple):
    """What came of a film, when each recorded picture was in it, and the referee moment by moment."""

    report: Report
    spans: Spans
    watched: Watched


def referee(take: Take, shots: Iterable[Shot], conditions: Conditions = GOOD, seed: int = 0) -> Report:
    """Film a take under conditions, referee it, and compare; see `followed`."""
    return followed(take, shots, conditions, seed).report


def followed(
    take: Take,
    shots: Iterable[Shot],
    conditions: Conditions = GOOD,
    seed: int = 0,
    watch: Callable[[Profile, Match], Watcher] = Watcher,
    filmed: Film = film,
) -> Followed:
    """Film a take under conditions, by `filmed`, referee it by what `watch` makes, and compare.

    The start position stays for START_S at least; the end until every ply is said as played, LINGER_S at most.
    """
    report = Report(take.name, plies=len(take.moves))
    conditions = replace(conditions, start_s=START_S, end_s=LINGER_S)
    clock, watched = Clock(), Watched()
    spans: Spans = {}
    stated: set[int] = set()
    watcher: Watcher | None = None
    for number, frame in filmed(shots, conditions, seed, take.rim_px):
        spans[number] = (spans.get(number, (frame.t, 0.0))[0], frame.t + 1 / conditions.fps)
        stood_s = frame.t - spans[number][0]
        if watcher is None:
            if take.kinds[number] == "empty":
                continue
            watcher = watch(calibrated(take, frame.image, conditions, seed, report), new_match(take.game))
        watched.gap(watcher, frame.t)
        events = clock.timed(watcher, frame)
        hidden = unseeable(conditions, seed, frame.t, frame.image.shape[1])
        watched.frame(watcher, events, frame.t, take.plies[number], take.clear[number] and not hidden, not hidden)
        if len(watcher.match.moves) < len(take.moves):
            stated |= _help(watcher, take, number, stood_s, watched)
        elif number == len(take.kinds) - 1 and stood_s >= conditions.quiet_s and _followed(watcher, take):
            break
        _keep_pictures(report, take, events, frame.image)
    assert watcher is not None
    clock.note(report)
    watched.note(report)
    report.stages, report.helped = watcher.stages.stage_medians(), len(stated)
    judge_moves(report, take, spans, watched.told)
    judge_calls(report, take, spans, watched.told)
    return Followed(report, spans, watched)


def _followed(watcher: Watcher, take: Take) -> bool:
    """Whether the moves that the referee knows are those that were played: a pause in a chain may be put right yet."""
    cells = take.game.board.cells
    known = [(cells[m.origin], cells[m.target], tuple(sorted(cells[c] for c in m.taken))) for m in watcher.match.moves]
    return known == list(take.moves)


def _help(watcher: Watcher, take: Take, shown: int, stood_s: float, watched: Watched) -> set[int]:
    """What people do when the referee does not follow while picture `shown` stands; the plies that they said.

    When it asks or refuses they say what was played; when it says nothing, only what has stood for SILENT_S: until then
    nobody looks up.
    """
    match, played, t = watcher.match, take.plies[shown], watched.moments[-1].t
    if take.kinds[shown] != "quiet" or played <= len(match.moves):
        return set()
    stuck = match.phase in {Phase.UNCLEAR, Phase.TROUBLE} and not any(n == shown for n, _ in take.illegal)
    out: set[int] = set()
    for ply in range(len(match.moves) + 1, played + 1):
        if not (stuck and stood_s >= PATIENCE_S) and t - watched.since.get(ply, t) <= SILENT_S:
            break
        try:
            watcher.perform_act(Correct(ply, take.notations[ply - 1], by="player"), t)
        except InputError:  # an earlier ply was said wrong: that is counted, and nobody can help any more
            break
        out.add(ply)
    return out


def calibrated(take: Take, image: Image, conditions: Conditions, seed: int, report: Report) -> Profile:
    """By markers where they are seen, else by corners that are a little off, clicked again where set-up refuses them.

    InputError when it refuses them to the end: nobody referees with such a board.
    """
    board = take.game.board
    chance = np.random.default_rng([seed, 5])
    fit = placed(conditions, take.size_wh)
    solutions: list[Solution] = []
    for level, corners in enumerate(take.corners_px):
        known = marker_places(board, level)
        if take.markers and len(set(detect_markers(image)) & set(known)) >= 2:
            solutions.append(solve_by_markers(board, image, known, level))
            continue
        tried: list[Solution] = []
        while len(tried) < CLICKED_AGAIN and not (tried and tried[-1].fit >= MARKED_FIT):
            off = chance.normal(0, 1, (4, 2))
            off *= CORNERS_OFF_PX / np.linalg.norm(off, axis=1, keepdims=True)
            clicked = [(float(x), float(y)) for x, y in fit.corners(corners) + off]
            tried.append(solve_by_corners(board, image, clicked, level))
        if tried[-1].fit < MARKED_FIT:
            raise InputError(f"set-up refuses level {level}: fit {max(one.fit for one in tried)}")
        solutions.append(tried[-1])
    report.calibration = f"{solutions[0].by}, fit {min(s.fit for s in solutions)}"
    return Profile(take.game.name, tuple(s.view for s in solutions), tuple(s.fit for s in solutions))


def _keep_pictures(report: Report, take: Take, events: tuple[Event, ...], image: Image) -> None:
    for event in events:
        wrong = isinstance(event, Unclear | Takeback | SetUp) or (
            isinstance(event, Moved)
            and (event.from_, event.to, tuple(sorted(event.captured))) not in take.moves[event.ply - 1 : event.ply]
        )
        if wrong:
            report.pictures[f"{event.t:07.2f}-{event.name}"] = image
