"""What a press of a button on the board asks for."""

from __future__ import annotations

from engine.match.acts import Act, Correct, Pause, Press, Resume, Undo
from engine.match.events import SetUp, Unclear
from engine.match.state import RESTING, Match


def asked_by(button: str, match: Match) -> Act | None:
    """The act, or None for what asks nothing of the match: undo takes back, pause rests or goes on, confirm answers the
    question or presses the clock."""
    note = match.note
    if button == "undo":
        return Undo(by="button")
    if button == "confirm" and isinstance(note, Unclear | SetUp) and note.options:
        return Correct(len(match.moves) + 1, note.options[0], by="button")
    if button == "confirm" and match.clocks:
        return Press(by="button")
    if button == "pause":
        return Resume(by="button") if match.phase in RESTING else Pause(by="button")
    return None
