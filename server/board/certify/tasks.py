"""What a person is asked to do at the board, and how it is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from engine.game import Change, Move, Position
from engine.sentences import Sentence


class TaskKind(Enum):
    """What a task is about."""

    ALTERED = "altered"
    """The start position, but for something: the game must not begin."""
    START = "start"
    """The start position as it should be: the game must begin."""
    PLY = "ply"
    UNLAWFUL = "unlawful"
    BACK = "back"
    """The last lawful position again, after something unlawful."""
    HAND = "hand"
    NUDGE = "nudge"
    LIFT = "lift"
    RETURN = "return"
    LAMP = "lamp"


TASK_SENTENCES: Mapping[str, str] = {
    "gone": "Set up the start position, but leave {cell} empty.",
    "astray": "As if by mistake, put the piece from {start} on {end}.",
    "exchanged": "Exchange the pieces on {start} and {end}.",
    "start": "Now make it right: the start position, every piece on its cell.",
    "ply": "{side}: put the piece from {start} on {end}.",
    "capture": "{side}: put the piece from {start} on {end}, and take off {taken}.",
    "unlawful": "{side} breaks a rule: put the piece from {start} on {end}, and leave it there.",
    "back": "Put it back on {start}.",
    "hand": "Hold your hand over {cell} for five seconds, then take it away.",
    "nudge": "Push the piece on {cell} to the edge of its cell.",
    "lift": "Take the piece from {cell} and lay it beside the board.",
    "return": "Put it back on {cell}.",
    "lamp-off": "Switch a lamp off, and wait.",
    "lamp-on": "Switch the lamp on again, and wait.",
}
"""What each task says; the languages have them all."""


@dataclass(frozen=True)
class CertifyTask:
    """One thing to do. `sentence` is a key of TASK_SENTENCES; `stands` is the placement once it is done."""

    kind: TaskKind
    sentence: str
    stands: bytes
    values: Mapping[str, str] = field(default_factory=dict)
    """For the sentence."""
    cells: tuple[int, ...] = ()
    """Those that it is about: from, to, taken."""
    before: Position | None = None
    """The position before a ply or something unlawful."""
    ply: int = 0
    move: Move | None = None
    change: Change | None = None
    code: str = ""
    """The rule that something unlawful breaks."""

    @property
    def composed_sentence(self) -> Sentence:
        """What is to be done."""
        return Sentence(TASK_SENTENCES[self.sentence], self.values)
