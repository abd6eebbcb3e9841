"""What the two-line text display says: the state of the match in 2 x 16 ASCII characters."""

from __future__ import annotations

from engine.entrusted import Carried
from engine.match.buttons import offered
from engine.match.events import Illegal, Lifted, Partial, SetUp, Unclear
from engine.match.state import RESTING, Match, Phase
from engine.wording import words_of

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
    "covered": "it is covered",
    "moved": "it was moved",
    "small": "cells too small",
    "behind": "computer is slow",
}
"""The causes of engine.match.events in words that fit."""


def words(match: Match, unseen: str = "", advice: Carried | None = None) -> tuple[str, str]:
    """Two lines, each cut to 16 characters. `unseen` and `advice` as for device.lights.draw."""
    first, second = _lines(match)
    if advice is not None and advice.move is not None:
        first = f"{words_of(match.game).seats[match.side]} plays"
        second = match.game.write(match.position, advice.move)
    elif advice is not None and advice.astray is not None:
        cells = match.game.board.cells
        first, second = "Wrong move made", " ".join(cells[cell] for cell in advice.astray.wrong)
    if unseen in NOT_SEEN:
        first, second = "Cannot see board", NOT_SEEN[unseen]
    elif unseen and match.phase is not Phase.OVER:
        first, second = "Recording over", first
    return first[:COLUMNS], second[:COLUMNS]


def _lines(match: Match) -> tuple[str, str]:
    said = words_of(match.game)
    turn = f"{said.seats[match.side]} to move"
    note = match.note
    if (choice := offered(match)) is not None:
        return ("Paused" if match.resting else "The last game"), f"{choice.said}?"
    if match.phase is Phase.OVER and match.outcome:
        return match.outcome.result, match.outcome.reason.replace("-", " ")
    if match.phase is Phase.BLIND:
        return "Camera is blind", "check the view"
    if match.phase in RESTING:
        return match.phase.value.capitalize(), turn
    if isinstance(note, SetUp):
        return "Set up: wrong", " ".join(note.wrong)
    if isinstance(note, Illegal):
        brief = BRIEF_OF_ALL | dict(said.brief)
        return f"ILLEGAL {' '.join(note.cells)}", brief.get(note.code, note.code.replace("-", " "))
    if isinstance(note, Partial) and note.todo:
        return turn, note.todo[0]
    if isinstance(note, Lifted):
        return turn, f"{note.cell} to ..."
    if isinstance(note, Unclear):
        return ("Which move?", " ".join(note.options)) if note.options else ("No move", " ".join(note.differs))
    return _without_a_note(match, turn)


def _without_a_note(match: Match, turn: str) -> tuple[str, str]:
    """What is said where nothing special has happened."""
    if match.phase is Phase.SETUP:
        return "Set up", "the pieces"
    if match.before is not None and not match.moves:
        return "New game", "last: press hint"
    last = match.moves[-1] if match.moves else None
    cells = match.game.board.cells
    return turn, f"{cells[last.origin]}-{cells[last.target]}" if last else ""
