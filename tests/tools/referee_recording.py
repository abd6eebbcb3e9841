"""A recording refereed as if it came from a camera, and what came of it against what was played."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.markers import detect, places
from calibration.profile import Profile
from calibration.solve import Solution, by_corners, by_markers
from engine import games
from engine.acts import Correct
from engine.errors import InputError
from engine.events import Event, Illegal, Moved, SetUp, Takeback, Unclear
from engine.game import Game, Move
from engine.match import Phase
from engine.referee import new_match
from engine.why import why_placement
from server.sightings import Watcher
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.camera.timing import Shot
from tests.render.scene import level_origin
from tests.render.script import Recipe, stage_of
from tests.render.stage import Stage
from tests.render.stream import drawn, recorded
from vision.ground import Image

USUAL = Conditions()
"""A good webcam by day."""
CORNERS_OFF_PX = 3.0
"""How far from the true corners a person clicks."""
UNSETTLED = ("shaken", "topple")
"""In the note of a picture that was taken while the camera moved, or in which a piece lies in its cell."""
BEFORE_S, AFTER_S = 0.3, 0.5
"""An illegal placement may be called this much before and after its picture was held."""

Result = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True)
class Take:
    """What was recorded: kind and ply of every picture, the moves, illegal placements (picture, code of the rule)."""

    name: str
    game: Game
    kinds: tuple[str, ...]
    plies: tuple[int, ...]
    clear: tuple[bool, ...]
    """Pictures without hands, not shaken, in which the board shows the game and no more: nothing has fallen over, is
    unlawful or half done."""
    moves: tuple[Result, ...]
    notations: tuple[str, ...]
    illegal: tuple[tuple[int, str], ...]
    corners_px: tuple[tuple[tuple[float, float], ...], ...]
    """Four corners a level, in the first quiet picture."""
    markers: bool


@dataclass
class Report:
    """What the referee made of a take. Times in seconds of the stream from the first quiet picture after a move."""

    name: str
    fps: float
    hands_s: float
    """How long hands rested in each of their poses."""
    plies: int = 0
    right: int = 0
    wrong: int = 0
    early: int = 0
    helped: int = 0
    """Plies that a person had to say: the referee asked, refused them, or was two behind."""
    asked: int = 0
    illegal: int = 0
    found: int = 0
    false: int = 0
    delays_s: list[float] = field(default_factory=list)
    frames: int = 0
    frame_ms: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    calibration: str = ""
    remarks: list[str] = field(default_factory=list)
    pictures: dict[str, Image] = field(default_factory=dict)
    """Frames at which something went wrong, by a name."""

    @property
    def flawless(self) -> bool:
        """Whether all plies are right and nothing was said that was not so."""
        return self.right == self.plies and self.found == self.illegal and not (self.wrong or self.false)


def recording(folder: Path) -> tuple[Take, Iterator[Shot]]:
    """A recording on disk, from its truth.json."""
    truth: dict[str, Any] = json.loads((folder / "truth.json").read_text())
    frames = truth["frames"]
    first = next(f for f in frames if f["kind"] == "quiet")
    last = frames[-1]["ply"]
    game = games.load(truth["game"], truth.get("rules", "wcf" if truth["game"] == "camelot" else None))
    notations = tuple(m["notation"] for m in truth["moves"] if m["ply"] <= last)
    take = Take(
        name=folder.name,
        game=game,
        kinds=tuple(f["kind"] for f in frames),
        plies=tuple(f["ply"] for f in frames),
        clear=tuple(_clear(f["kind"], f["note"], f["board"] == f["logical_board"]) for f in frames),
        moves=tuple(_result(m) for m in truth["moves"] if m["ply"] <= last),
        notations=notations,
        illegal=_illegal(game, truth["events"], notations, [f["board"] for f in frames]),
        corners_px=_corners(truth["cameras"][first["camera"]]),
        markers=bool(truth.get("aruco")),
    )
    return take, recorded(folder)


def rendering(recipe: Recipe) -> tuple[Take, Iterator[Shot]]:
    """A recording that is drawn now."""
    stage, director = stage_of(recipe)
    notations = tuple(m["notation"] for m in director.moves if m["ply"] <= stage.frames[-1].ply)
    take = Take(
        name=f"{recipe.game}-{recipe.seed}-{recipe.look}-{recipe.pieces}-{recipe.light}",
        game=stage.game,
        kinds=tuple(frame.kind for frame in stage.frames),
        plies=tuple(frame.ply for frame in stage.frames),
        clear=tuple(_clear(frame.kind, frame.note, frame.cells == frame.logical) for frame in stage.frames),
        moves=tuple(_result(m) for m in director.moves if m["ply"] <= stage.frames[-1].ply),
        notations=notations,
        illegal=_illegal(stage.game, director.events, notations, [frame.cells for frame in stage.frames]),
        corners_px=true_corners(stage),
        markers=recipe.markers,
    )
    return take, drawn(recipe)


def referee(
    take: Take, shots: Iterator[Shot], seed: int = 0, fps: float = USUAL.fps, hands_s: float = USUAL.hands_s
) -> Report:
    """Stream a take at so many frames a second with hands that rest for `hands_s`, referee it, and compare."""
    report = Report(take.name, fps, hands_s, plies=len(take.moves), illegal=len(take.illegal))
    spans: dict[int, tuple[float, float]] = {}
    told: list[Event] = []
    watcher: Watcher | None = None
    spent = 0.0
    for number, frame in film(shots, replace(USUAL, fps=fps, hands_s=hands_s), seed, np.array(take.corners_px)):
        begin, _ = spans.get(number, (frame.t, 0.0))
        spans[number] = (begin, frame.t + 1 / fps)
        if watcher is None:
            if take.kinds[number] == "empty":
                continue
            watcher = Watcher(_calibrated(take, frame.image, seed, report), new_match(take.game))
        begun = time.process_time()
        events = watcher.frame(frame)
        spent += time.process_time() - begun
        report.frames += 1
        told += events
        if frame.t - spans[number][0] >= PATIENCE_S:
            report.helped += _help(watcher, take, number, frame.t)
        _keep_pictures(report, take, events, frame.image)
    assert watcher is not None
    report.frame_ms = round(1e3 * spent / max(report.frames, 1), 2)
    report.stages = watcher.stages.medians()
    _judge_moves(report, take, spans, told)
    _judge_calls(report, take, spans, told)
    return report


PATIENCE_S = 0.8
"""When people turn to the referee: enough of the picture is left to see that it agrees then."""
BEHIND = 2
"""So many plies ahead of the page players stop and look what is the matter."""


def _help(watcher: Watcher, take: Take, shown: int, t: float) -> int:
    """What people do when the referee does not follow while picture `shown` stands: they say what was played.

    A ply that was played so fast that the next one is on the board already is left to the referee.
    """
    match, played = watcher.match, take.plies[shown]
    behind = played - len(match.moves)
    stuck = match.phase in {Phase.UNCLEAR, Phase.TROUBLE} and not any(n == shown for n, _ in take.illegal)
    if take.kinds[shown] != "quiet" or behind <= 0 or not (stuck or behind >= BEHIND):
        return 0
    for ply in range(len(match.moves) + 1, played + 1):
        try:
            watcher.asked(Correct(ply, take.notations[ply - 1], by="player"), t)
        except InputError:  # an earlier ply was said wrong: that is counted, and nobody can help any more
            return ply - len(match.moves) - 1
    return behind


def _calibrated(take: Take, image: Image, seed: int, report: Report) -> Profile:
    """By markers where they are seen, else by corners that are a little off."""
    board = take.game.board
    chance = np.random.default_rng([seed, 5])
    solutions: list[Solution] = []
    for level, corners in enumerate(take.corners_px):
        known = places(board, level)
        if take.markers and len(set(detect(image)) & set(known)) >= 2:
            solutions.append(by_markers(board, image, known, level))
            continue
        off = chance.normal(0, 1, (4, 2))
        off *= CORNERS_OFF_PX / np.linalg.norm(off, axis=1, keepdims=True)
        clicked = [(float(x), float(y)) for x, y in np.array(corners) + off]
        solutions.append(by_corners(board, image, clicked, level))
    report.calibration = f"{solutions[0].by}, fit {min(s.fit for s in solutions)}"
    return Profile(take.game.name, tuple(s.view for s in solutions), tuple(s.fit for s in solutions))


def _judge_moves(report: Report, take: Take, spans: dict[int, tuple[float, float]], told: list[Event]) -> None:
    """Every move that was said against the one that was played, and how soon it was said."""
    moves = [e for e in told if isinstance(e, Moved)]
    for n, event in enumerate(moves):
        said = (event.from_, event.to, tuple(sorted(event.captured)))
        index = event.ply - 1
        if index < len(take.moves) and said == take.moves[index]:
            report.right += 1
            shown = [i for i, clear in enumerate(take.clear) if clear and take.plies[i] >= event.ply and i in spans]
            if shown:
                report.delays_s.append(max(0.0, event.t - spans[shown[0]][0]))
        elif any(later.ply == event.ply and later.corrected for later in moves[n + 1 :]):
            report.early += 1
        else:
            report.wrong += 1
            report.remarks.append(f"{event.t:.2f} s: said ply {event.ply} {event.notation}")


def _judge_calls(report: Report, take: Take, spans: dict[int, tuple[float, float]], told: list[Event]) -> None:
    """Illegal placements found, questions, and calls without a cause."""
    due = {i: (spans[i][0] - BEFORE_S, spans[i][1] + AFTER_S) for i, _ in take.illegal if i in spans}
    codes = dict(take.illegal)
    for number, (begin, end) in due.items():
        said = [e.code for e in told if isinstance(e, Illegal) and begin <= e.t <= end]
        if codes[number] in said:
            report.found += 1
        else:
            what = f"called {said[-1]}" if said else "missed"
            report.remarks.append(f"{begin:.2f} s: illegal placement ({codes[number]}) {what} in picture {number}")
    for event in told:
        if isinstance(event, Unclear):
            report.asked += 1
        called = isinstance(event, Illegal) and any(begin <= event.t <= end for begin, end in due.values())
        at_first = isinstance(event, SetUp) and event.t < USUAL.quiet_s
        if isinstance(event, Illegal | Unclear | Takeback | SetUp) and not called and not at_first:
            report.false += 1
            report.remarks.append(f"{event.t:.2f} s: {json.dumps(event.to_json())[:160]}")


def _keep_pictures(report: Report, take: Take, events: tuple[Event, ...], image: Image) -> None:
    for event in events:
        wrong = isinstance(event, Unclear | Takeback | SetUp) or (
            isinstance(event, Moved)
            and (event.from_, event.to, tuple(sorted(event.captured))) not in take.moves[event.ply - 1 : event.ply]
        )
        if wrong:
            report.pictures[f"{event.t:07.2f}-{event.name}"] = image


def _clear(kind: str, note: str, as_played: bool) -> bool:
    """Whether a picture shows the game and no more."""
    return kind == "quiet" and as_played and not any(word in note for word in UNSETTLED)


def _result(entry: dict[str, Any]) -> Result:
    return (entry["path"][0], entry["path"][-1], tuple(sorted(entry["captured"])))


def _illegal(
    game: Game, events: list[dict[str, Any]], notations: tuple[str, ...], boards: list[dict[str, str]]
) -> tuple[tuple[int, str], ...]:
    """The pictures of illegal placements, each with the code of the rule that what stands there breaks."""
    positions = [game.start()]
    for notation in notations:
        move = game.read(positions[-1], notation)
        assert isinstance(move, Move), f"{notation}: {move}"
        positions.append(game.play(positions[-1], move))
    out = []
    for event in events:
        if event["kind"] == "illegal_move" and event["frame"] < len(boards):
            stands = boards[event["frame"]]
            placement = bytes(game.codes.index(stands[c]) if c in stands else 0 for c in game.board.cells)
            out.append((event["frame"], why_placement(game, positions[event["ply"] - 1], placement).code))
    return tuple(out)


def _corners(camera: dict[str, Any]) -> tuple[tuple[tuple[float, float], ...], ...]:
    levels = camera.get("level_corners_px", [camera["grid_corners_px"]])
    return tuple(tuple((float(x), float(y)) for x, y in corners) for corners in levels)


def true_corners(stage: Stage) -> tuple[tuple[tuple[float, float], ...], ...]:
    board = stage.game.board
    w, h = board.size_wh
    out = []
    for level in range(max(board.levels) + 1):
        x, y = level_origin(board, level)
        rim = np.array([[x, y, 0], [x + w, y, 0], [x + w, y + h, 0], [x, y + h, 0]])
        out.append(tuple((float(px), float(py)) for px, py in stage.cameras[0].project(rim)))
    return tuple(out)


def session_folders(root: Path) -> list[Path]:
    """Folders of recordings under `root`, by name. InputError if there are none."""
    found = sorted(path.parent for path in root.glob("*/truth.json"))
    if not found:
        raise InputError(f"recordings {root}: none there")
    return found
