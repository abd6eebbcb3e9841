"""What the two-line text display says: the state of the match in 2 x 16 ASCII characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.explain.entrusted import EntrustedView
from engine.explain.reasons import Reason
from engine.explain.wording import words_of
from engine.game import Move
from engine.match.arbiter import lost_seconds
from engine.match.buttons import find_shown_choice
from engine.match.course import find_last_move, withdraw_said
from engine.match.events import Illegal, Lifted, Partial, SetUp, TimeLost, Unclear
from engine.match.state import RESTING, Match, Phase

COLUMNS = 16
"""The text display of the reference hardware: HD44780, two lines of 16."""

BRIEF_OF_ALL = {"not-yours": "not your piece", "not-a-move": "no such move"}
"""Reason codes of every game in words that fit; a game has `brief` for its own, others have blanks for hyphens."""


NOT_SEEN = {
    "no-picture": "no picture",
    "frozen": "frozen picture",
    "dark": "too dark",
    "noise": "too little light",
    "shake": "picture shakes",
    "blur": "not sharp",
    "turned": "picture turned",
    "moved": "it was moved",
    "small": "cells too small",
    "slow": "camera too slow",
    "behind": "computer is slow",
}
"""The causes of engine.match.events in words that fit, but one."""
COVERED_TEXT = ("Hand over board", "or it is covered")
"""That one need be no fault: somebody may think with the piece in the hand."""


STANDS_S, CHARACTER_S = 1.2, 0.3
"""A line that is too long stands still so long at each end; a character goes by in so much: slower than one reads."""
CELL_IN_TEXT = re.compile(r"\d?[A-Z]\d+")
"""A cell inside a notation or a sentence: `F16`, `2D5`; a piece letter in front of it is left out."""

HALTED_TEXT = ("Referee stopped", "wait, see page")
"""What is said while the program that decides does not go on."""
WORKING_TEXT = ("Working, wait", "reading board")
"""And while it is known to be at work that takes longer than usual, for a first stretch."""
STARTING_TEXT = ("Starting", "one moment")
"""And before the first picture was looked at: nothing was said yet that could be true no more."""
SET_UP_TEXT, READING_TEXT = ("Set up", "the pieces"), ("Reading board", "one moment")
"""And until it was judged how the pieces stand: for a game that is to begin, and for one that goes on, whose pieces may
stand right."""
ROOM_TEXTS = ("disk is full", "disk nearly full")
"""And before the first ply, as the second line, where the disk of the record has no room, or hardly any."""
HELD_TEXTS = {
    "held": ("Record is held", "wait, see page"),
    "full": ("Disk is full", "make room on it"),
    "read-only": ("Disk: read only", "make it writable"),
    "gone": ("Record is gone", "is disk plugged?"),
}
"""And while nothing can be written down, so that nothing is told, by why (server.waits)."""


def compose_text(
    match: Match, unseen: str = "", advice: EntrustedView | None = None, *, hints: bool = True
) -> tuple[str, str]:
    """Two lines of any length; see `visible_part`. `unseen` and `advice` as for device.lights.draw; with `hints`
    they may say what would be right. A choice that somebody asked for with the buttons comes before all else."""
    first, second = _compose_lines(match, hints=hints)
    if not hides_question(match, unseen, advice):
        return first, second
    if advice is not None and advice.move is not None:
        first = f"{words_of(match.game).seats[match.side_to_move]} plays"
        second = match.game.write(match.position, advice.move)
    elif advice is not None and advice.astray is not None:
        cells = match.game.board.cells
        first, second = "Wrong move made", " ".join(cells[cell] for cell in advice.astray.wrong)
    if unseen == "covered":
        first, second = COVERED_TEXT
    elif unseen in NOT_SEEN:
        first, second = "Cannot see board", NOT_SEEN[unseen]
    elif unseen and match.phase is not Phase.OVER:
        first, second = "Recording over", first
    return first, second


def describe_press(match: Match, button: str) -> str:
    """What confirm, undo, or pause where the game rests, would do, in words that fit the second line."""
    if button == "pause":
        return _describe_turn(match)
    if button == "undo":
        return _describe_undone(match)
    asks_first = isinstance(match.note, Unclear) and match.note.resigned  # "White resigned?" / "confirm: yes"
    return compose_text(match)[0 if asks_first else 1]


def _describe_undone(match: Match) -> str:
    """What undo takes back: what was said of the end of the game since the last ply, else that ply; "" for nothing."""
    if withdraw_said(match) is not None:
        out = f"{words_of(match.game).seats[match.leavings[-1].side]} is out" if match.leavings else ""
        return match.outcome.reason.replace("-", " ") if match.outcome else out
    return _write_move(match, match.moves[-1]) if match.moves else ""


def _describe_turn(match: Match) -> str:
    return f"{words_of(match.game).seats[match.side_to_move]} to move"


def _write_move(match: Match, move: Move) -> str:
    cells = match.game.board.cells
    return f"{cells[move.origin]}{'x' if move.taken else '-'}{cells[move.target]}"


def hides_question(match: Match, unseen: str = "", advice: EntrustedView | None = None) -> bool:
    """Whether the text says something else than how the match stands: then confirm takes nothing that it says."""
    if find_shown_choice(match) is not None:
        return False
    carried = advice is not None and (advice.move is not None or advice.astray is not None)
    return carried or unseen in NOT_SEEN or unseen == "covered" or (bool(unseen) and match.phase is not Phase.OVER)


def visible_part(line: str, t: float) -> str:
    """What a display of 16 characters shows of a line `t` seconds after it came: all of it, or a part that moves on.

    It stands at both ends long enough to be read.
    """
    over = len(line) - COLUMNS
    if over <= 0:
        return line
    turn = 2 * STANDS_S + over * CHARACTER_S
    at = min(over, max(0, int((t % turn - STANDS_S) / CHARACTER_S) + 1)) if t % turn > STANDS_S else 0
    return line[at : at + COLUMNS]


def find_capturing_cells(instead: Sequence[str]) -> list[str]:
    """The cells of the pieces that take something in these notations, each once."""
    found = [CELL_IN_TEXT.findall(notation)[:1] for notation in instead if "x" in notation]
    return list(dict.fromkeys(cell for cells in found for cell in cells))


def _compose_lines(match: Match, *, hints: bool) -> tuple[str, str]:
    turn, note = _describe_turn(match), match.note
    if (choice := find_shown_choice(match)) is not None:
        return _describe_question(match), f"{choice.said}?"
    if match.phase is Phase.OVER and match.outcome:
        return match.outcome.result, match.outcome.reason.replace("-", " ")
    if match.phase is Phase.BLIND:
        return "Camera is blind", "check the view"
    if isinstance(note, TimeLost):
        return "Time was lost", "counts? hint" if lost_seconds(match) else turn
    if match.phase in RESTING:
        return match.phase.value.capitalize(), turn
    return _describe_note(match, turn, hints=hints) or _describe_last_move(match, turn)


def _describe_question(match: Match) -> str:
    """What the choices of the buttons are about."""
    if match.phase is Phase.OVER and match.outcome:
        return match.outcome.result
    about = {Phase.PAUSED: "Paused", Phase.ADJOURNED: "Adjourned", Phase.SETUP: "Set up"}
    return about.get(match.phase, "The last game")


def _describe_note(match: Match, turn: str, *, hints: bool) -> tuple[str, str] | None:
    """What has happened on the board, None for nothing special."""
    match match.note:
        case SetUp(options=options) if options:
            return "Was this played?", " ".join(options)
        case SetUp(wrong=wrong) if match.just_left and _list_gone_cells(match).issuperset(wrong):
            return f"{words_of(match.game).seats[match.just_left.side]} is out", f"take off {' '.join(wrong)}"
        case SetUp(wrong=wrong):
            return "Set up: wrong", " ".join(wrong)
        case Illegal() as note:
            return f"ILLEGAL {' '.join(note.cells)}", _explain_illegal(match, note, hints=hints)
        case Partial() as note if note.todo:
            return _describe_unfinished(match, note, hints=hints)
        case Lifted() as lifted:
            return _describe_lifted(match, lifted, turn, hints=hints)
        case Unclear(resigned=side) if side:
            return f"{words_of(match.game).seats[side]} resigned?", "confirm: yes"
        case Unclear(because=Reason(rule="piece-absent"), differs=differs):
            return f"{' '.join(differs)} is missing", "put it back or play it"
        case Unclear(offered_answers=answers, differs=differs):
            return ("Which move?", " ".join(answers)) if answers else ("No move", " ".join(differs))
    return None


def _list_gone_cells(match: Match) -> set[str]:
    """The cells whose pieces are to come off because their side is out, until the next ply."""
    left, game = match.just_left, match.game
    stood = zip(game.board.cells, left.position.placement, strict=True) if left else ()
    return {cell for cell, piece in stood if piece and left and game.seats[game.seat_of[piece]] == left.side}


def _describe_last_move(match: Match, turn: str) -> tuple[str, str]:
    """What is said where nothing special has happened."""
    if match.phase is Phase.SETUP and match.just_left:
        return f"{words_of(match.game).seats[match.just_left.side]} is out", "take pieces off"
    if match.phase is Phase.SETUP:
        return READING_TEXT if match.moves else SET_UP_TEXT
    if match.before is not None and not match.moves:
        return "New game", "last: press hint"
    last = find_last_move(match)
    return turn, _write_move(match, last) if last else ""


def _explain_illegal(match: Match, note: Illegal, *, hints: bool) -> str:
    """Why something is no lawful move, and, where that may be said, which pieces must capture."""
    brief = BRIEF_OF_ALL | dict(words_of(match.game).brief)
    why, pieces = brief.get(note.code, note.code.replace("-", " ")), find_capturing_cells(note.instead) if hints else []
    return f"{why}: {' '.join(pieces)}" if pieces else why


def _describe_unfinished(match: Match, note: Partial, *, hints: bool) -> tuple[str, str]:
    """What is left of a move; a capture under way must go on, or may end where it is as well."""
    side = words_of(match.game).seats[_find_taking_side(match, note)]
    turn = f"{side} to move"
    if not note.tells_way:
        return turn, ", ".join(note.todo)
    if not hints:
        return turn, "not finished"
    return turn if note.may_end_here else f"{side} must go on", ", ".join(note.todo)


def _find_taking_side(match: Match, note: Partial) -> str:
    """Whose move is not finished: that of the last ply, where one of its landings was said as a ply already."""
    game, last = match.game, match.moves[-1] if match.moves else None
    begins = CELL_IN_TEXT.match(note.notation)
    if last is None or begins is None or begins[0] != game.board.cells[last.origin]:
        return match.side_to_move
    stands = game.seat_of[match.position.placement[last.origin]]
    return match.side_to_move if stands == match.position.seat else game.seats[match.positions[-2].seat]


def _describe_lifted(match: Match, note: Lifted, turn: str, *, hints: bool) -> tuple[str, str]:
    """Where a piece in the air may go; if nowhere, why."""
    if note.targets or not hints:
        return turn, f"{note.cell} to ..."
    cells = match.game.board.cells
    pieces = list(dict.fromkeys(cells[move.origin] for move in match.game.moves(match.position) if move.taken))
    if pieces and note.cell not in pieces:
        return f"{note.cell} cannot move", f"{' '.join(pieces)} must capture"
    return f"{note.cell} cannot move", "it has no way"
