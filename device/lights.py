"""What the LEDs show: a pure drawing of the match, one colour and one shape for each cell.

| phase    | cells                                    | colour         | shape |
|----------|------------------------------------------|----------------|-------|
| set-up   | every wrong cell at once                 | wrong          | blink |
|          | if a move since the record ended would explain them: its ends | asked | blink |
| playing  | castle of the side to move; last move    | turn; last     | solid |
| playing, after the button "hint", alone: pieces that may move; that capture | target; forced | solid |
| lifted   | where the piece came from                | start          | blink |
|          | if it may not move: those that capture   | forced         | solid |
|          | where it may end; where that captures    | target; forced | solid |
| playing, | an engine's move to carry out, all of it or what is left: where from | start | blink |
| lifted, partial | each landing; what it takes off   | target; wrong | solid; blink |
|          | another piece, if that was lifted        | wrong          | blink |
|          | before, its steps in turn: the piece     | start          | blink |
|          | a leg, and what it takes                 | as for a movement that shows why | |
| trouble, | something else was made of it: wrong cells | wrong        | blink |
| playing  | the move's own: from; to; what comes off | start; target; wrong | blink |
| playing, | alone, both ends of the best three moves, if wanted | best; second; third | solid |
| lifted   | the same of the piece that was lifted    | the same       | solid |
| partial  | what is still to be removed              | wrong          | blink |
|          | where a capture that may go on may end   | target         | blink |
| trouble  | cells that no move explains              | wrong          | blink |
|          | both ends of the lawful alternatives     | target         | solid |
| unclear  | both ends of the moves in question       | asked          | blink |
| blind    | the outermost cells                      | asked          | blink |
| paused,  | last move                                | last           | solid |
| adjourned|                                          |                |       |
| over     | castles (none: the last move); last move | won; last      | blink; solid |
| trouble, | a movement that shows why, step by step: |             |       |
| playing  | what was tried                           | wrong          | blink |
|          | where a piece may go from or to          | target         | solid |
|          | a leg: from; over; to                    | start; last; target | solid; solid; blink |
|          | what it takes                            | wrong          | blink |
| any, if the board is not seen: a cross from corner to corner   | unseen         | blink |
| any but over, if a recording has ended: the same cross         | turn           | solid |
| any, if the referee does not go on: the same cross as if unseen | unseen        | blink |
| any, while it works long at one picture: nothing, and no sound  |               |       |

A colour never stands alone: what wants a hand blinks, what only informs is steady. In trouble, and when the
board is not seen, a buzzer beeps once. In tournament mode the lights point out what is wrong and never what would be
right: no targets, no alternatives, no sound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from device.text import CELL_IN_TEXT, COLUMNS, HALTED_TEXT, compose_text, hides_question, visible_part
from engine.board import Board
from engine.explain.demonstration import Step, StepKind
from engine.explain.entrusted import EntrustedView, WrongCarrying
from engine.game import Move
from engine.match.acts import Mode
from engine.match.buttons import StandingSeen, find_standing
from engine.match.course import find_last_move
from engine.match.events import CAUSES, DueDeed, Illegal, Lifted, Partial, SetUp, Unclear
from engine.match.state import Match, Phase

Rgb = tuple[int, int, int]
DARK: Rgb = (0, 0, 0)

BLINK_S = 0.8
"""One blink, half on and half off: 1.25 a second, below the three flashes a second of WCAG 2.3.1."""

SCREEN_GAMMA = 2.4
"""Colours here are those of a screen; half their light is not half their number."""

PATIENT = "covered"
"""The cause without a sound: a hand that thinks long over the board is no alarm."""

STANDARD = "standard"
PALETTES: Mapping[str, Mapping[str, Rgb]] = {
    STANDARD: {
        "start": (255, 200, 0),
        "target": (0, 230, 60),
        "forced": (0, 190, 255),
        "wrong": (255, 0, 0),
        "last": (70, 60, 255),
        "turn": (170, 170, 180),
        "asked": (255, 110, 0),
        "unseen": (190, 0, 255),
        "won": (255, 255, 255),
        "best": (140, 255, 0),
        "second": (0, 120, 255),
        "third": (255, 0, 190),
    },
    # Searched for the largest of the least differences; tests/device/test_palettes.py has what it must reach.
    "colour-blind": {
        "start": (248, 255, 0),
        "target": (69, 152, 0),
        "forced": (0, 255, 251),
        "wrong": (255, 138, 196),
        "last": (182, 128, 253),
        "turn": (202, 227, 210),
        "asked": (229, 172, 69),
        "unseen": (244, 128, 246),
        "won": (241, 253, 253),
        "best": (56, 253, 234),
        "second": (0, 96, 232),
        "third": (186, 133, 0),
    },
}
"""Colours as a page shows them (sRGB); device.ledmap makes light of them. Between any two that can stand together, and
between each and an unlit cell, CIEDE2000 is 20 or more in a dim and in a bright room: in the standard palette for
people who see all colours, in the other for those with any of the three dichromacies too."""

RANKS = ("best", "second", "third")
"""Colours of the best moves, the best first."""

UNDER_LINE = 0.5
"""Cells: a cell whose middle is no farther from a diagonal lies under it. Raising it makes the cross thick, lowering it
leaves gaps."""

Paint = dict[str, tuple[str, bool]]
"""Cell -> (colour name, whether it blinks). What is painted later covers what was there."""


@dataclass(frozen=True, slots=True)
class LedFrame:
    """One picture: `rgb` has a colour for each cell in board order, `blink` the blinking indices, `text` two lines of
    any length.

    With `beep` a buzzer sounds once when the picture comes up after one without. `turns`: cells that are lit one group
    after another, for one blink each, where they share LEDs and could be mistaken at once; () for all of them.
    `standing`: how the match stands for who reads the text; None where it says nothing of a match.
    """

    rgb: tuple[Rgb, ...]
    blink: frozenset[int] = frozenset()
    text: tuple[str, str] = ("", "")
    beep: bool = False
    turns: tuple[frozenset[int], ...] = ()
    standing: StandingSeen | None = None

    def at_time(self, t: float) -> LedFrame:
        """The frame as it looks `t` seconds after it came up: blinking cells lit, then dark; nothing left to change."""
        if not self.blink and not self.turns and max(map(len, self.text)) <= COLUMNS:
            return self
        text = visible_part(self.text[0], t), visible_part(self.text[1], t)
        on = t % BLINK_S < BLINK_S / 2
        lit = set(self.turns[int(t / BLINK_S) % len(self.turns)] if self.turns else range(len(self.rgb)))
        lit -= set() if on else self.blink
        rgb = tuple(colour if i in lit else DARK for i, colour in enumerate(self.rgb))
        return replace(self, rgb=rgb, blink=frozenset(), text=text, turns=())

    def with_brightness(self, share: float) -> LedFrame:
        """The same with that share of its light, for cameras that would see nothing else."""
        if share >= 1:
            return self
        level = share ** (1 / SCREEN_GAMMA)
        rgb = tuple((round(red * level), round(green * level), round(blue * level)) for red, green, blue in self.rgb)
        return replace(self, rgb=rgb)


def draw_match(
    match: Match,
    mode: Mode = Mode.TRAINING,
    palette: str = "standard",
    unseen: str = "",
    advice: EntrustedView | None = None,
    step: Step | None = None,
    best: Sequence[Move] = (),
    *,
    hint: bool = False,
) -> LedFrame:
    """The lights for a match; see the table above. `palette` is a key of PALETTES.

    `unseen` says why the board is not seen: one of engine.match.events.CAUSES, or anything else when a recording has
    ended. With `hint` somebody asked which pieces may move. `advice` is the move that an engine plays and that is to be
    carried out, or what was made of it; `best` are those that are shown to who learns, the best first; in a tournament
    they are not. `step` is one of a movement that shows why something was refused.
    """
    board, colours, faulty = match.game.board, PALETTES[palette], unseen in CAUSES
    if faulty or (unseen and match.phase is not Phase.OVER):
        paint = _paint_cells(diagonal_cells(board), "unseen" if faulty else "turn", blinks=faulty)
    else:
        paint = _paint_game(match, advice, step, best, hints=mode == Mode.TRAINING, hint=hint)
    lit = {board.index[cell]: style for cell, style in paint.items() if cell in board.index}
    rgb = tuple(colours[lit[i][0]] if i in lit else DARK for i in range(len(board.cells)))
    beep = mode == Mode.TRAINING and (unseen != PATIENT if faulty else match.phase is Phase.TROUBLE)
    blink = frozenset(i for i, (_, blinks) in lit.items() if blinks)
    text = compose_text(match, unseen, advice, hints=mode == Mode.TRAINING)
    standing = find_standing(match, hidden=hides_question(match, unseen, advice))
    return LedFrame(rgb, blink, text, beep=beep, standing=standing)


def draw_halted(
    board: Board,
    mode: Mode = Mode.TRAINING,
    palette: str = "standard",
    text: tuple[str, str] = HALTED_TEXT,
) -> LedFrame:
    """What is lit where the referee does not go on: nothing that was shown before is vouched for any more. In a
    tournament it is silent, as all else."""
    under = {board.index[cell] for cell in diagonal_cells(board)}
    colour = PALETTES[palette]["unseen"]
    rgb = tuple(colour if i in under else DARK for i in range(len(board.cells)))
    return LedFrame(rgb, frozenset(under), text, beep=mode == Mode.TRAINING)


def _paint_game(
    match: Match, advice: EntrustedView | None, step: Step | None, best: Sequence[Move], *, hints: bool, hint: bool
) -> Paint:
    """What is lit where the board is seen."""
    if step is not None and hints:
        return _paint_step(match.game.board, step)
    if advice is not None and (advice.astray or advice.move):
        return _paint_carried(match, advice)
    if hint and match.phase is Phase.PLAYING:
        return _paint_movable(match, hints=hints)
    marked = _paint_best_moves(match, best) if hints else {}
    if marked and match.phase is Phase.PLAYING:
        return marked
    return DRAWINGS[match.phase](match, hints=hints) | marked


def _paint_setup(match: Match, *, hints: bool) -> Paint:
    if not isinstance(match.note, SetUp):
        return {}
    if match.note.options:  # a question: red would say that the piece has to go back
        return _paint_cells(_find_move_ends(match.note.options), "asked", blinks=True)
    return _paint_cells(match.note.wrong, "wrong", blinks=True)


def _paint_playing(match: Match, *, hints: bool) -> Paint:
    return _paint_cells(match.game.board.castles.get(match.side_to_move, ()), "turn", blinks=False) | _paint_last_move(
        match
    )


def _paint_movable(match: Match, *, hints: bool) -> Paint:
    if not hints:
        return _paint_playing(match, hints=hints)
    moves, cells = match.game.moves(match.position), match.game.board.cells
    capturing = {cells[move.origin] for move in moves if move.taken}
    may_move = _paint_cells({cells[move.origin] for move in moves}, "target", blinks=False)
    return may_move | _paint_cells(capturing, "forced", blinks=False)


def _paint_best_moves(match: Match, best: Sequence[Move]) -> Paint:
    """Both ends of each; where two meet the better one is seen. Of a piece in the air its own alone."""
    if match.phase not in {Phase.PLAYING, Phase.LIFTED}:
        return {}
    cells = match.game.board.cells
    lifted = match.note.cell if isinstance(match.note, Lifted) else None
    paint: Paint = {}
    for colour, move in reversed(list(zip(RANKS, best, strict=False))):
        start = cells[move.origin]
        if lifted in {None, start}:
            paint |= _paint_cells((cells[move.target], *(() if lifted else (start,))), colour, blinks=False)
    return paint


def _paint_lifted(match: Match, *, hints: bool) -> Paint:
    if not isinstance(match.note, Lifted):
        return _paint_last_move(match)
    start: Paint = {match.note.cell: ("start", True)}
    if not hints:
        return _paint_last_move(match) | start
    cells = match.game.board.cells
    captures = {
        cells[move.target]
        for move in match.game.moves(match.position)
        if move.taken and cells[move.origin] == match.note.cell
    }
    if not match.note.targets:  # it may not move: those that must capture instead are shown
        must = {cells[move.origin] for move in match.game.moves(match.position) if move.taken}
        return _paint_cells(must, "forced", blinks=False) | start
    plain = _paint_cells(match.note.targets, "target", blinks=False)
    return start | plain | _paint_cells(captures & set(match.note.targets), "forced", blinks=False)


def _paint_carried(match: Match, advice: EntrustedView) -> Paint:
    """The move of an engine: its own move is no help to anybody, so it is shown in every mode."""
    if advice.astray is not None:
        return _paint_astray(match.game.board, advice.astray)
    if advice.step is not None:
        return _paint_step(match.game.board, advice.step)
    return _paint_engine_move(match, advice.rest or advice.move) if advice.move else {}


def _paint_astray(board: Board, found: WrongCarrying) -> Paint:
    """Where something is wrong, and what is still as it was before the move."""
    move, paint = found.move, _paint_cells((board.cells[cell] for cell in found.wrong), "wrong", blinks=True)
    for cell in found.left:
        colour = "start" if cell == move.origin else "wrong" if cell in move.taken else "target"
        paint[board.cells[cell]] = colour, True
    return paint


def _paint_engine_move(match: Match, move: Move) -> Paint:
    cells = match.game.board.cells
    lifted = match.note.cell if isinstance(match.note, Lifted) else cells[move.origin]
    other: Paint = {} if lifted == cells[move.origin] else {lifted: ("wrong", True)}
    landings = _paint_cells({cells[cell] for cell in move.path[1:]}, "target", blinks=False)
    taken = _paint_cells({cells[cell] for cell in move.taken}, "wrong", blinks=True)
    start: Paint = {cells[move.origin]: ("start", True)} if len(move.path) > 1 else {}
    return landings | start | taken | other


def _paint_step(board: Board, step: Step) -> Paint:
    """One step of a movement: nothing else is lit meanwhile."""
    cells = [board.cells[cell] for cell in step.cells]
    match step.deed:
        case StepKind.LEG:
            over = _paint_cells((board.cells[cell] for cell in step.over), "last", blinks=False)
            return over | {cells[0]: ("start", False), cells[-1]: ("target", True)}
        case StepKind.LIFT:
            return _paint_cells(cells, "start", blinks=True)
        case StepKind.MAY:
            return _paint_cells(cells, "target", blinks=False)
        case _:
            return _paint_cells(cells, "wrong", blinks=True)


def _paint_partial(match: Match, *, hints: bool) -> Paint:
    if not isinstance(match.note, Partial) or (match.note.tells_way and not hints):
        return {}
    steps = match.note.todo
    takers = [cell for step in steps if step.deed is DueDeed.CAPTURE_WITH for cell in step.cells]
    # Nobody is to take off all that may be meant.
    surely = [step.cells[0] for step in steps if step.deed is DueDeed.REMOVE and len(step.cells) == 1]
    ahead = _paint_cells(match.note.targets or (), "target", blinks=True)
    return _paint_cells(takers, "start", blinks=True) | ahead | _paint_cells(surely, "wrong", blinks=True)


def _paint_trouble(match: Match, *, hints: bool) -> Paint:
    if not isinstance(match.note, Illegal):
        return {}
    lawful = _paint_cells(_find_move_ends(match.note.instead), "target", blinks=False) if hints else {}
    return lawful | _paint_cells(match.note.cells, "wrong", blinks=True)


def _paint_unclear(match: Match, *, hints: bool) -> Paint:
    if not isinstance(match.note, Unclear):
        return {}
    return _paint_cells(_find_move_ends(match.note.offered_answers) or match.note.differs, "asked", blinks=True)


def _paint_blind(match: Match, *, hints: bool) -> Paint:
    return _paint_cells(outermost_cells(match.game.board), "asked", blinks=True)


def _paint_resting(match: Match, *, hints: bool) -> Paint:
    return _paint_last_move(match)


def _paint_game_over(match: Match, *, hints: bool) -> Paint:
    castles = [cell for cells in match.game.board.castles.values() for cell in cells]
    last = _paint_last_move(match)
    return last | _paint_cells(castles or last, "won", blinks=True)


class _Drawing(Protocol):
    def __call__(self, match: Match, *, hints: bool) -> Paint: ...


DRAWINGS: Mapping[Phase, _Drawing] = {
    Phase.SETUP: _paint_setup,
    Phase.PLAYING: _paint_playing,
    Phase.LIFTED: _paint_lifted,
    Phase.PARTIAL: _paint_partial,
    Phase.TROUBLE: _paint_trouble,
    Phase.UNCLEAR: _paint_unclear,
    Phase.BLIND: _paint_blind,
    Phase.PAUSED: _paint_resting,
    Phase.ADJOURNED: _paint_resting,
    Phase.OVER: _paint_game_over,
}


def outermost_cells(board: Board) -> tuple[str, ...]:
    """On each level the cells farthest out along the diagonals: four on a square board."""
    found = []
    for level in sorted(set(board.levels)):
        here = [i for i, on in enumerate(board.levels) if on == level]
        for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            best = max(here, key=lambda i: sx * board.centres_xy[i][0] + sy * board.centres_xy[i][1])
            found.append(board.cells[best])
    return tuple(dict.fromkeys(found))


def diagonal_cells(board: Board) -> tuple[str, ...]:
    """On each level the cells under the two diagonals of the rectangle around it."""
    found: dict[str, None] = {}
    for level in sorted(set(board.levels)):
        here = [i for i, on in enumerate(board.levels) if on == level]
        xs, ys = ([board.centres_xy[i][axis] for i in here] for axis in (0, 1))
        width, height = max(xs) - min(xs), max(ys) - min(ys)
        for i in here:
            x, y = board.centres_xy[i][0] - min(xs) - width / 2, board.centres_xy[i][1] - min(ys) - height / 2
            if abs(abs(x) * height - abs(y) * width) <= UNDER_LINE * math.hypot(width, height):
                found[board.cells[i]] = None
    return tuple(found)


def _paint_last_move(match: Match) -> Paint:
    cells, move = match.game.board.cells, find_last_move(match)
    if move is None:
        return {}
    return _paint_cells((cells[move.origin], cells[move.target]), "last", blinks=False)


def _find_move_ends(notations: Iterable[str]) -> list[str]:
    found = [CELL_IN_TEXT.findall(word) for notation in notations for word in notation.split()]
    return [cell for cells in found if cells for cell in (cells[0], cells[-1])]


def _paint_cells(cells: Iterable[str], colour: str, *, blinks: bool) -> Paint:
    return dict.fromkeys(cells, (colour, blinks))
