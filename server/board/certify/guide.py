"""Leads through the programme: what is to be done now, and what the referee made of what was done. Pure, but for state.

When a person has done something is measured by the picture alone (server.board.certify.quality), not by the referee
that is judged: a task is over when the referee has said something of it, or has said nothing for long enough since the
picture came to rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from engine.game import Game
from engine.match.acts import Act, Correct, StandsSo, Undo
from engine.match.events import Event, Illegal, Lifted, Moved, Ready, Restored, SetUp, Takeback, Unclear
from engine.match.state import Match
from server.board.certify.tasks import CertifyTask, TaskKind

TASK_SILENT_S = 5.0
"""So long after the picture came to rest nothing was said: people look up and wonder by then."""
SETTLED_S = 2.0
"""What should go by without a word is over when the picture has been at rest for so long, and bad starts are judged."""
SECOND_WORD_S = 2.0
"""So long a move that is not the one asked for may still be put right by the referee itself."""
TASK_LONGEST_S = 120.0
"""A task that nobody does is left out, and not counted."""
BETWEEN_S = 1.0
"""A task is read before anybody reaches out: what stirs sooner belongs to the one before."""
HANDS_GONE_S = 0.7
"""So long after it came to rest a bad start is looked at for the first time."""
SET_UP_S = 12.0
"""Who sets up all pieces rests for less between two of them."""
HAND_HELD_S, HAND_LEFT_S = 3.0, 8.0
"""A hand that is to be held over the board comes and goes; so far apart are the two, or it was never there."""


class TaskOutcome(Enum):
    """What came of a task."""

    RIGHT = "right"
    ASKED = "asked"
    """It asked; a person answers."""
    SILENT = "silent"
    OTHER = "other"
    """Named, but with other cells, or another rule, than those that it was about."""
    REFUSED = "refused"
    """Something lawful, or nothing at all, was called wrong."""
    WRONG = "wrong"
    """Something was written down that was not played, or a game was begun that did not stand there."""
    SKIPPED = "skipped"
    """Not done, or not as asked: it does not count."""


@dataclass(frozen=True)
class Done:
    """A task that is over. `seconds` from when the picture came to rest until it was said, None where nothing was."""

    task: CertifyTask
    outcome: TaskOutcome
    t: float
    seconds: float | None = None
    said: str = ""
    """What was said instead."""


@dataclass
class CurrentTask:
    """The task that is being done: since when, when it first and last stirred, what was said of it."""

    since: float
    first_stir: float | None = None
    last_stir: float | None = None
    told: float | None = None
    """When a person said that it is done."""
    word: tuple[float, TaskOutcome, str] | None = None
    """Something that may still be put right: when it was said, what it would come to, its text."""

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has been done yet."""
        return self.last_stir is None and self.told is None

    def rest_s(self, t: float) -> float:
        """How long it has been at rest, or said to be done; negative before anything was done."""
        done = [at for at in (self.last_stir, self.told) if at is not None]
        return t - max(done) if done else -1.0


@dataclass
class Guide:
    """Given every frame. `wishes` are what to ask the referee for; `anew` whether it has to begin anew."""

    game: Game
    tasks: Sequence[CertifyTask]
    at: int = 0
    done: list[Done] = field(default_factory=list)
    now: CurrentTask | None = None

    @property
    def pending_task(self) -> CertifyTask | None:
        """What is to be done, None when all is done."""
        return self.tasks[self.at] if self.at < len(self.tasks) else None

    def begins_anew(self, t: float) -> bool:
        """Whether the referee is to know nothing yet: until the hands that make a bad start are gone, and where it took
        one for a good start."""
        task, now = self.pending_task, self.now
        if task is not None and task.kind is TaskKind.START and now is None:
            return bool(self.done) and self.done[-1].outcome is TaskOutcome.WRONG
        if task is None or task.kind is not TaskKind.ALTERED:
            return False
        # A film may begin with what is asked for first.
        rest_s = -1.0 if now is None else t - now.since if self.at == 0 and now.is_untouched else now.rest_s(t)
        return rest_s < HANDS_GONE_S

    def judge_frame(
        self, t: float, events: Sequence[Event], match: Match, late_s: float = 0.0, *, stirs: bool
    ) -> tuple[Act, ...]:
        """Take one frame: whether anything moves in it, and what the referee said, `late_s` after its time.

        What to ask of the referee then.
        """
        if self.pending_task is None:
            return ()
        if self.now is None:
            self.now = CurrentTask(t)
        now, task = self.now, self.pending_task
        if stirs and t - now.since >= (BETWEEN_S if self.at else 0.0):
            now.first_stir, now.last_stir, now.told = now.first_stir or t, t, None
        over = self._judge_task(task, now, t, events, match)
        if over is None and t - now.since > TASK_LONGEST_S:
            over = TaskOutcome.SKIPPED, ""
        if over is None:
            return ()
        outcome, said = over
        silent = outcome in (TaskOutcome.SILENT, TaskOutcome.SKIPPED) or now.is_untouched
        seconds = None if silent else max(0.0, min(now.rest_s(t), t - now.since)) + late_s
        self._finish_task(Done(task, outcome, t, seconds, said))
        return _choose_corrections(self.game, task, outcome, match)

    def apply_button(self, what: str, t: float) -> None:
        """A person says that the task is "done", is to be left out ("skip"), or that the last one was a "mistake"."""
        if what == "mistake" and self.done:
            last = self.done[-1]
            self.done[-1] = replace(last, outcome=TaskOutcome.SKIPPED)
        elif self.pending_task is not None and what == "skip":
            self._finish_task(Done(self.pending_task, TaskOutcome.SKIPPED, t))
        elif self.now is not None and what == "done":
            self.now.first_stir, self.now.told = self.now.first_stir or t, t
        elif what == "end":
            self.at = len(self.tasks)

    def _finish_task(self, done: Done) -> None:
        self.done.append(done)
        self.at, self.now = self.at + 1, None

    def _judge_task(
        self, task: CertifyTask, now: CurrentTask, t: float, events: Sequence[Event], match: Match
    ) -> tuple[TaskOutcome, str] | None:
        """What came of a task by this frame; None while it goes on."""
        for event in events if now.first_stir is not None else ():
            JUDGES[task.kind](task, now, event, self.game)
        if (
            task.kind is TaskKind.BACK
            and self.done
            and self.done[-1].outcome not in (TaskOutcome.RIGHT, TaskOutcome.OTHER)
        ):
            # What was not called unlawful cannot be said to be put right: the board is made to stand again, no more.
            return (TaskOutcome.SKIPPED, "") if now.rest_s(t) >= SETTLED_S else None
        if now.word is not None and t >= now.word[0]:
            return now.word[1:]
        return _judge_at_rest(task, now, now.rest_s(t), match)


def _note_outcome(now: CurrentTask, outcome: TaskOutcome, text: str = "", at: float = 0.0) -> None:
    """Something was said of the task; `at`: it may be put right until then."""
    now.word = (at, outcome, text)


def _judge_start(task: CertifyTask, now: CurrentTask, event: Event, game: Game) -> None:
    if isinstance(event, Ready):
        _note_outcome(now, TaskOutcome.WRONG if task.kind is TaskKind.ALTERED else TaskOutcome.RIGHT)


def _judge_ply(task: CertifyTask, now: CurrentTask, event: Event, game: Game) -> None:
    match event:
        case Moved(ply=ply) if ply == task.ply and _is_asked_move(task, event, game):
            asked = now.word is not None and now.word[1] is TaskOutcome.ASKED
            _note_outcome(now, TaskOutcome.ASKED if asked else TaskOutcome.RIGHT)
        case Moved(notation=notation):
            _note_outcome(now, TaskOutcome.WRONG, notation, event.t + SECOND_WORD_S)
        case Unclear(offered_answers=answers):
            _note_outcome(now, TaskOutcome.ASKED, ", ".join(answers))
        case Illegal(code=code):
            _note_outcome(now, TaskOutcome.REFUSED, code)
        case Takeback():
            _note_outcome(now, TaskOutcome.REFUSED, event.name)


def _is_asked_move(task: CertifyTask, event: Moved, game: Game) -> bool:
    """Whether a move that was said is the one that was asked for."""
    move, cells = task.move, game.board.cells
    taken = sorted(cells[cell] for cell in move.taken) if move else []
    said = event.from_, event.to, sorted(event.captured)
    return move is not None and said == (cells[move.origin], cells[move.target], taken)


def _judge_illegal(task: CertifyTask, now: CurrentTask, event: Event, game: Game) -> None:
    match event:
        case Illegal(code=code):
            _note_outcome(now, TaskOutcome.RIGHT if code == task.code else TaskOutcome.OTHER, code)
        case Moved(notation=notation):
            _note_outcome(now, TaskOutcome.WRONG, notation)
        case Unclear(offered_answers=answers):
            _note_outcome(now, TaskOutcome.ASKED, ", ".join(answers))


def _judge_put_back(task: CertifyTask, now: CurrentTask, event: Event, game: Game) -> None:
    match event:
        case Restored():
            _note_outcome(now, TaskOutcome.RIGHT)
        case Moved(notation=notation):
            _note_outcome(now, TaskOutcome.WRONG, notation)


def _judge_undisturbed(task: CertifyTask, now: CurrentTask, event: Event, game: Game) -> None:
    """What should go by without a word about the game."""
    match event:
        case Lifted(cell=cell) if task.kind is TaskKind.LIFT and cell in task.values.values():
            _note_outcome(now, TaskOutcome.RIGHT)
        case Moved(notation=notation):
            _note_outcome(now, TaskOutcome.WRONG, notation)
        case Illegal(code=code):
            _note_outcome(now, TaskOutcome.REFUSED, code)
        case Takeback() | SetUp():
            _note_outcome(now, TaskOutcome.REFUSED, event.name)
        case Unclear(offered_answers=answers) if task.kind is not TaskKind.RETURN:
            # Until a lifted piece is back it may be asked about.
            _note_outcome(now, TaskOutcome.ASKED, ", ".join(answers))


JUDGES: Mapping[TaskKind, Callable[[CertifyTask, CurrentTask, Event, Game], None]] = {
    TaskKind.ALTERED: _judge_start,
    TaskKind.START: _judge_start,
    TaskKind.PLY: _judge_ply,
    TaskKind.UNLAWFUL: _judge_illegal,
    TaskKind.BACK: _judge_put_back,
    TaskKind.HAND: _judge_undisturbed,
    TaskKind.NUDGE: _judge_undisturbed,
    TaskKind.LIFT: _judge_undisturbed,
    TaskKind.RETURN: _judge_undisturbed,
    TaskKind.LAMP: _judge_undisturbed,
}
"""What an event means for a task."""


def _judge_at_rest(task: CertifyTask, now: CurrentTask, rest_s: float, match: Match) -> tuple[TaskOutcome, str] | None:
    """What a task comes to when nothing was said of it for `rest_s`; None while something may still be said."""
    if task.kind is TaskKind.ALTERED:
        return _judge_bad_start(task, now, rest_s, match)
    if task.kind in UNSAID and rest_s >= SETTLED_S and _came_and_went(task, now, rest_s):
        return TaskOutcome.RIGHT, ""
    if rest_s < TASK_SILENT_S or (task.kind is TaskKind.HAND and not _came_and_went(task, now, rest_s)):
        return None
    if task.kind is TaskKind.START and isinstance(match.note, SetUp):
        return TaskOutcome.REFUSED, ", ".join(match.note.wrong)
    return TaskOutcome.SILENT, ""


def _judge_bad_start(
    task: CertifyTask, now: CurrentTask, rest_s: float, match: Match
) -> tuple[TaskOutcome, str] | None:
    """The wrong cells are named, or others, or nothing is said. Who sets up all pieces pauses now and then."""
    named = set(match.note.wrong) if isinstance(match.note, SetUp) else set()
    if named == {match.game.board.cells[cell] for cell in task.cells} and (now.is_untouched or rest_s >= SETTLED_S):
        return TaskOutcome.RIGHT, ""
    if rest_s < (SET_UP_S if task.sentence == "gone" else TASK_SILENT_S):
        return None
    return (TaskOutcome.OTHER, ", ".join(sorted(named))) if named else (TaskOutcome.SILENT, "")


UNSAID = frozenset({TaskKind.HAND, TaskKind.NUDGE, TaskKind.RETURN, TaskKind.LAMP})
"""Tasks after which nothing is to be said of the game."""


def _came_and_went(task: CertifyTask, now: CurrentTask, rest_s: float) -> bool:
    if task.kind is not TaskKind.HAND or now.first_stir is None or now.last_stir is None:
        return True
    return now.last_stir - now.first_stir >= HAND_HELD_S or rest_s >= HAND_LEFT_S


def _choose_corrections(game: Game, task: CertifyTask, outcome: TaskOutcome, match: Match) -> tuple[Act, ...]:
    """What to ask for, so that the referee goes on from what really stands on the board."""
    if outcome is TaskOutcome.RIGHT:
        return ()
    if task.kind is TaskKind.PLY and task.before is not None and task.move is not None:
        return (Correct(task.ply, game.write(task.before, task.move)),)
    if task.kind is TaskKind.START:
        return (StandsSo(),)
    return (Undo(),) if outcome is TaskOutcome.WRONG and match.moves and task.kind is not TaskKind.ALTERED else ()
