"""Help for who learns: the best three moves of the position, and what is said of a move that was made.

An engine of its own is asked, in a process of its own, so that no frame waits for it. What it finds out is help: it is
neither asked for nor shown in a tournament, and spectators are told nothing of it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from engine.game import Game, Move, Position
from engine.match.state import Match
from opponent.engines.client import Engine, Trouble
from opponent.review.lessons import Threat, WeakMove, find_threat, find_weakness
from opponent.review.worth import WorthLine, list_best_lines
from opponent.vocabulary import Limits
from server.board.computer.opponents import AWAITING

SHOWN_BEST = 3
"""Moves that are shown as the best; each has a colour of its own (device.lights)."""
QUESTION = Limits(movetime_ms=250)
"""For each question: three for the best moves, up to four for a lesson, while people think for longer than that."""


@dataclass(frozen=True, slots=True)
class SwitchTutor:
    """Show the best moves (`best`) or explain moves (`teach`) from now on, or no more; None leaves it as it is."""

    best: bool | None
    teach: bool | None
    by: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked when `ply` moves had been made: `last` is the position before the last of them, and that move."""

    ply: int
    position: Position
    best: bool
    last: tuple[Position, Move] | None
    blames: bool
    """Whether the last move is to be judged: those of the computer are not."""


@dataclass(frozen=True, slots=True)
class TutorAnswer:
    """The answer; `trouble` says why there is none."""

    ply: int
    position: Position
    best: tuple[WorthLine, ...] = ()
    weak: WeakMove | None = None
    threat: Threat | None = None
    trouble: str = ""


class Tutor:
    """Asks in a thread of its own; answers go to `put`, and come back by `store_answer` in the loop that owns
    the match."""

    def __init__(self, game: Game, command: Sequence[str], put: Callable[[TutorAnswer], object]) -> None:
        self._game, self._command, self._put = game, tuple(command), put
        self.best = self.teach = False
        self._engine: Engine | None = None
        self._asked: tuple[object, ...] | None = None
        self._heard: TutorAnswer | None = None
        self._weak: tuple[int, Move, WeakMove] | None = None
        self._questions: queue.Queue[Question | None] = queue.Queue()
        self._closed = False
        self._thread = threading.Thread(target=self._answer_questions, daemon=True)
        self._thread.start()

    def switch_help(self, asked: SwitchTutor) -> None:
        """Help from now on in the ways that are named."""
        self.best = self.best if asked.best is None else asked.best
        self.teach = self.teach if asked.teach is None else asked.teach
        self._asked = None

    def ask_position(self, match: Match, computer: Callable[[int], bool]) -> None:
        """Asks about a position if it is new; `computer` tells the seats that it plays. Does not wait."""
        shows = self.best and not computer(match.position.seat)
        key = (len(match.moves), match.position, shows, self.teach)
        if match.phase not in AWAITING or key == self._asked or not (shows or self.teach):
            return
        self._asked = key
        last = (match.positions[-2], match.moves[-1]) if self.teach and match.moves else None
        blames = last is not None and not computer(last[0].seat)
        self._questions.put(Question(len(match.moves), match.position, best=shows, last=last, blames=blames))

    def store_answer(self, answer: TutorAnswer, match: Match) -> None:
        """Keeps an answer about the position that stands now; one about another is late and forgotten."""
        if answer.ply != len(match.moves) or answer.position != match.position:
            return
        self._heard = answer
        if answer.weak is not None:
            self._weak = answer.ply, match.moves[-1], answer.weak

    def best_moves(self, match: Match) -> tuple[Move, ...]:
        """The best moves, the best first, while one is awaited."""
        answer = self._current_answer(match)
        return tuple(line.move for line in answer.best) if answer and self.best and match.phase in AWAITING else ()

    def describe_state(self, match: Match) -> dict[str, object]:
        """What pages say of it: JSON."""
        answer = self._current_answer(match)
        cells, game = match.game.board.cells, match.game
        mover = game.seats[match.positions[-2].seat] if match.moves else ""
        return {
            "best": self.best,
            "teach": self.teach,
            "moves": [
                {"move": line.text, "from": cells[line.move.origin], "to": cells[line.move.target], "score": line.score}
                for line in (answer.best if answer and self.best else ())
            ],
            "weak": self._describe_weak_move(match),
            "threat": {"side": mover} | asdict(answer.threat) if answer and answer.threat and self.teach else None,
            "trouble": answer.trouble if answer else "",
        }

    def _current_answer(self, match: Match) -> TutorAnswer | None:
        answer = self._heard
        if match.outcome is not None:
            return None  # nobody has to move any more
        fits = answer is not None and (answer.ply, answer.position) == (len(match.moves), match.position)
        return answer if fits else None

    def _describe_weak_move(self, match: Match) -> dict[str, object] | None:
        """What was weak, until that side has moved again or the move was taken back."""
        if self._weak is None or not self.teach or match.outcome is not None:
            return None
        ply, move, weak = self._weak
        stands = len(match.moves) >= ply and match.moves[ply - 1] == move
        if not stands or len(match.moves) >= ply + len(match.game.seats):
            return None
        return {"ply": ply, "side": match.game.seats[match.positions[ply - 1].seat]} | asdict(weak)

    def stop_engine(self) -> None:
        """Ends the engine; one that is thinking is not waited for."""
        self._closed = True
        self._questions.put(None)
        if self._engine is not None:
            self._engine.close()

    def _answer_questions(self) -> None:
        while (question := self._questions.get()) is not None:
            if self._questions.empty():  # else the board has gone on
                self._put(self._answer_question(question))

    def _answer_question(self, question: Question) -> TutorAnswer:
        try:
            return self._ask_engine(question)
        except (OSError, ValueError, RuntimeError) as error:  # of starting it: the game goes on without its help
            return TutorAnswer(question.ply, question.position, trouble=f"the engine cannot be asked: {error}")

    def _ask_engine(self, question: Question) -> TutorAnswer:
        ply, position, game = question.ply, question.position, self._game
        engine = self._ensure_engine()
        if isinstance(engine, Trouble):
            return TutorAnswer(ply, position, trouble=engine.message)
        shown = list_best_lines(engine, game, position, QUESTION, SHOWN_BEST) if question.best else ()
        weak = find_weakness(engine, game, *question.last, QUESTION) if question.last and question.blames else None
        threatened = find_threat(engine, game, position, question.last[0].seat, QUESTION) if question.last else None
        for found in (shown, weak, threatened):
            if isinstance(found, Trouble):
                return TutorAnswer(ply, position, trouble=found.message)
        return TutorAnswer(
            ply,
            position,
            () if isinstance(shown, Trouble) else shown,
            weak if isinstance(weak, WeakMove) else None,
            threatened if isinstance(threatened, Threat) else None,
        )

    def _ensure_engine(self) -> Engine | Trouble:
        engine = self._engine
        if engine is None or engine.trouble is not None:
            engine = self._engine = Engine(self._command)
            trouble = engine.prepare_game(self._game)
            if self._closed:  # it was being started in the meantime
                engine.close()
            if trouble is not None:
                return trouble
        return engine
