"""Draws what the lights say in each state of a game, for docs/lights.md: python -m tests.bench.light_states [FOLDER].

Every picture is the LedFrame that the program itself draws for a match reached by play; nothing is painted by hand.
A cell filled with a colour is lit, a ring in it means that it blinks.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from device.lights import DARK, LedFrame, Rgb, draw_match
from engine.game import Change, Game, Move
from engine.games import load
from engine.match.acts import Adjourn, Correct, Pause, Resign
from engine.match.arbiter import apply_act
from engine.match.events import CameraMoved, DueDeed, DueStep, Event, Illegal, Lifted, Partial, SetUp, Unclear
from engine.match.referee import new_match
from engine.match.state import Match, Phase

FOLDER = Path(__file__).parents[2] / "docs" / "pictures" / "lights"
GAMES = {"camelot": "wcf", "tri-camelot": None, "cam-3d": None, "camblam": None}
STATES = (
    "set-up",
    "playing",
    "lifted",
    "capture",
    "partial",
    "wrong",
    "unclear",
    "camera-moved",
    "cannot-see",
    "recording-ended",
    "paused",
    "adjourned",
    "over",
    "tournament-wrong",
)
UNSEEN = {"cannot-see": "shake", "recording-ended": "recording-ended"}
LONGEST_PLAY, PLAYS = 60, 40
"""Plies and tries within which play at random has shown every kind of move."""

CELL_PX, FINER = 20, 4
"""Pixels of a cell in the file; it is drawn finer and then reduced."""
TABLE, UNLIT, LINE, RING = (40, 36, 34), (82, 74, 68), (56, 50, 46), (255, 255, 255)
GLOW = 0.45
"""Exponent between an LED's power and how bright it looks on a screen: the dim ones are well seen on a board."""
SIDES = {
    "white": (235, 238, 240),
    "black": (25, 25, 25),
    "blue": (200, 90, 30),
    "red": (40, 40, 200),
    "green": (60, 140, 40),
}
LCD, INK = (60, 110, 30), (200, 255, 190)
LCD_CELLS = 2.2

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Shown:
    """One picture: the match, in which mode it is drawn, and why the board is not seen."""

    match: Match
    mode: str = "training"
    unseen: str = ""

    @property
    def frame(self) -> LedFrame:
        """Its lights."""
        return draw_match(self.match, self.mode, unseen=self.unseen)


def shown(game: Game, state: str) -> Shown:
    """A match of that game in that state."""
    quiet, busy = _after(game, _plies(4)), _after(game, _capture)
    mode = "tournament" if state.startswith("tournament") else "training"
    return Shown({**_calm(quiet), **_play(quiet, busy)}[state], mode, UNSEEN.get(state, ""))


def _calm(match: Match) -> dict[str, Match]:
    """The states that have nothing to do with a certain move."""
    over = match
    while over.phase is not Phase.OVER:
        over, _ = apply_act(over, Resign(over.side_to_move), 0.0)
    begun = new_match(match.game, match.game.start())
    cells = [cell for cell, piece in zip(match.game.board.cells, begun.position.placement, strict=True) if piece]
    return {
        "set-up": _in(begun, Phase.SETUP, SetUp(0.0, (cells[0], cells[len(cells) // 2], cells[-1]))),
        "playing": match,
        "cannot-see": match,
        "recording-ended": match,
        "camera-moved": _in(match, Phase.BLIND, CameraMoved(0.0)),
        "paused": apply_act(match, Pause(), 0.0)[0],
        "adjourned": apply_act(match, Adjourn(), 0.0)[0],
        "over": over,
    }


def _play(quiet: Match, busy: Match) -> dict[str, Match]:
    """The states around a move: `busy` has one that captures."""
    capture = _capture(busy)
    assert capture is not None
    cells = busy.game.board.cells
    todo = tuple(DueStep(DueDeed.REMOVE, cells[cell]) for cell in capture.taken)
    wrong = _in(busy, Phase.TROUBLE, _illegal(busy))
    return {
        "lifted": _in(quiet, Phase.LIFTED, _lifted(quiet, _freest(quiet))),
        "capture": _in(busy, Phase.LIFTED, _lifted(busy, capture.origin)),
        "partial": _in(busy, Phase.PARTIAL, Partial(0.0, busy.game.write(busy.position, capture), todo)),
        "wrong": wrong,
        "unclear": _in(quiet, Phase.UNCLEAR, Unclear(0.0, _rivals(quiet))),
        "tournament-wrong": wrong,
    }


def _in(match: Match, phase: Phase, note: Event) -> Match:
    return replace(match, phase=phase, note=note)


def _after(game: Game, wanted: Callable[[Match], object]) -> Match:
    """A match played at random until `wanted` says yes."""
    for seed in range(PLAYS):
        dice, match = random.Random(seed), replace(new_match(game, game.start()), phase=Phase.PLAYING)
        while match.phase is not Phase.OVER and len(match.moves) < LONGEST_PLAY:
            if match.moves and wanted(match):
                return match
            move = dice.choice(game.moves(match.position))
            match, _ = apply_act(match, Correct(len(match.moves) + 1, game.write(match.position, move)), 0.0)
    raise LookupError(f"{game.name}: no such position in {PLAYS} games")


def _plies(count: int) -> Callable[[Match], object]:
    return lambda match: len(match.moves) >= count


def _capture(match: Match) -> Move | None:
    """A move that takes a piece by moving, if there is one; a charge may be left, so it is no good example."""
    moves = match.game.moves(match.position)
    return next((move for move in moves if move.taken and move.origin != move.target and move.kind != "charge"), None)


def _freest(match: Match) -> int:
    """The cell of the piece with the most targets."""
    origins = [move.origin for move in match.game.moves(match.position)]
    return max(origins, key=origins.count)


def _lifted(match: Match, origin: int) -> Lifted:
    cells, moves = match.game.board.cells, match.game.moves(match.position)
    return Lifted(0.0, cells[origin], tuple(sorted({cells[move.target] for move in moves if move.origin == origin})))


def _illegal(match: Match) -> Illegal:
    """A step that no rule allows, judged by the game; one with lawful alternatives if there is any."""
    found = sorted(_unlawful(match), key=lambda illegal: not illegal.instead)
    return found[0]


def _unlawful(match: Match) -> Iterator[Illegal]:
    game, board, position = match.game, match.game.board, match.position
    lawful = {(move.origin, move.target) for move in game.moves(position)}
    for origin, piece in enumerate(position.placement):
        if game.seat_of[piece] != position.seat:
            continue
        for target in (*board.steps[origin], *board.leaps[origin]):
            if target >= 0 and not position.placement[target] and (origin, target) not in lawful:
                refusal = game.refuse(position, Change(origin, target, ()))
                cells = (board.cells[origin], board.cells[target])
                yield Illegal(0.0, cells, refusal.code, refusal.message, refusal.instead[:2])


def _rivals(match: Match) -> tuple[str, ...]:
    """Two moves that end on the same cell."""
    moves = match.game.moves(match.position)
    pairs = ((a, b) for i, a in enumerate(moves) for b in moves[i + 1 :] if a.target == b.target)
    return tuple(match.game.write(match.position, move) for move in next(pairs))


def picture(match: Match, frame: LedFrame) -> Image:
    """Board, pieces, lights and the two lines of text, BGR."""
    board, px = match.game.board, CELL_PX * FINER
    width, height = board.size_wh
    levels = max(board.levels) + 1
    size = (round((height + LCD_CELLS + 1.2) * px), round((levels * (width + 0.6) + 0.6) * px))
    image = np.full((*size, 3), TABLE, np.uint8)
    for i, (x, y) in enumerate(board.centres_xy):
        middle = np.array([(board.levels[i] * (width + 0.6) + 0.6 + x) * px, (height - y + 0.6) * px])
        outline = np.array([middle + px * 0.94 * np.array((dx, -dy)) for dx, dy in board.outline_xy])
        cv2.fillPoly(image, [outline.astype(np.int32)], _glow(frame.rgb[i]) if frame.rgb[i] != DARK else UNLIT)
        cv2.polylines(image, [outline.astype(np.int32)], True, LINE, FINER)
        _piece(image, match, i, middle)
        if i in frame.blink:
            cv2.circle(image, _at(middle), round(0.42 * px), LINE, round(0.1 * px), cv2.LINE_AA)
            cv2.circle(image, _at(middle), round(0.42 * px), RING, round(0.05 * px), cv2.LINE_AA)
    _lcd(image, frame)
    return np.asarray(cv2.resize(image, None, fx=1 / FINER, fy=1 / FINER, interpolation=cv2.INTER_AREA), np.uint8)


def _glow(rgb: Rgb) -> list[float]:
    """The colour on a screen, BGR: the hue stays, dim ones are lifted."""
    lift = (max(rgb) / 255) ** (GLOW - 1)
    return [channel * lift for channel in reversed(rgb)]


def _piece(image: Image, match: Match, cell: int, middle: npt.NDArray[np.float64]) -> None:
    """A disc in the colour of its side; other pieces than men carry their letter."""
    piece = match.position.placement[cell]
    if not piece:
        return
    side, px = match.game.seats[match.game.seat_of[piece]], CELL_PX * FINER
    cv2.circle(image, _at(middle), round(0.25 * px), SIDES[side], -1, cv2.LINE_AA)
    letter = match.game.codes[piece][1:]
    if letter not in ("M", "P"):
        ink = SIDES["black"] if side == "white" else SIDES["white"]
        corner = middle + np.array((-0.13, 0.14)) * px
        cv2.putText(image, letter, _at(corner), cv2.FONT_HERSHEY_SIMPLEX, px / 74, ink, FINER * 2, cv2.LINE_AA)


def _lcd(image: Image, frame: LedFrame) -> None:
    """The text display, two lines of 16, centred under the board."""
    px = CELL_PX * FINER
    height, width = image.shape[:2]
    left, top = round(width / 2 - 4.4 * px), round(height - (LCD_CELLS + 0.3) * px)
    cv2.rectangle(image, (left, top), (width - left, round(height - 0.4 * px)), LCD, -1)
    for row, line in enumerate(frame.text):
        for column, letter in enumerate(line):
            corner = (left + round((0.25 + 0.53 * column) * px), top + round((0.85 + 0.95 * row) * px))
            cv2.putText(image, letter, corner, cv2.FONT_HERSHEY_SIMPLEX, px / 45, INK, FINER * 2, cv2.LINE_AA)


def _at(point: npt.NDArray[np.float64]) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


def main() -> None:
    """Write docs/pictures/lights/<board>-<state>.png, or into the folder named."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, rules in GAMES.items():
        game = load(name, rules)
        for state in STATES:
            what = shown(game, state)
            image = picture(what.match, what.frame)
            cv2.imwrite(str(folder / f"{name}-{state}.png"), image, [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    main()
