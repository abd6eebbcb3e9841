"""Seats that are not played at this board: by engines, or by people at another board.

An engine is asked when its turn comes; a move from another board comes by itself. People carry it out here, and the
referee judges it.

An engine only ever advises: match and record are those of the board, whatever it does. Spectators and tournaments are
told nothing of it. What was played at another board is no advice, and is told to everybody.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.game import Game, Move, Position, result_of
from engine.match.clock import seconds_left
from engine.match.course import is_position_set
from engine.match.state import Match, Phase
from engine.sentences import Sentence
from opponent.engines.client import Engine, Trouble
from opponent.vocabulary import HIGHEST, LONGEST_LINE, LOWEST, Limits

COMPUTER_LEVELS = range(LOWEST, HIGHEST + 1)
"""Of our own engine."""
CARRIED_OUT_S = 5.0
"""What people need to make an engine's move for it, on its clock: less loses games on time, more plays faster than it
need."""
LONGEST_THOUGHT_MS = 30_000
"""An engine's time for a move under a clock at most, however much the clock shows: people wait for it, and one that
hangs is found out after that."""
MOST_HISTORY = LONGEST_LINE // 2
"""Characters of moves that an engine is told; of a longer game it is told the end."""
AWAITING = {Phase.PLAYING, Phase.LIFTED}
"""Phases in which a move is awaited."""


@dataclass(frozen=True, slots=True)
class EngineAdvice:
    """What an engine answered when `ply` moves had been made; `trouble` says why there is no move."""

    ply: int
    position: Position
    move: Move | None
    trouble: str = ""
    """Between two boards a Sentence."""
    far: bool = False
    """Whether it was played at another board."""


@dataclass(frozen=True, slots=True)
class _Question:
    """The positions and moves so far, and what the clocks say; the last position is asked about."""

    positions: tuple[Position, ...]
    moves: tuple[Move, ...]
    limits: Limits

    @property
    def position_key(self) -> tuple[int, Position]:
        return len(self.moves), self.positions[-1]


@dataclass(frozen=True, slots=True)
class SetComputer:
    """From now on the computer plays `side` at this level, or with None people do; `by` is one of
    engine.match.acts.WHO."""

    side: str
    level: int | None
    by: str


class Opponents:
    """One engine a seat, asked in a thread of their own; what they answer goes to `put`."""

    def __init__(
        self,
        game: Game,
        commands: Mapping[int, Sequence[str]],
        put: Callable[[EngineAdvice], object],
        limits: Limits,
        of_level: Callable[[int], Sequence[str]] = lambda level: (),
        elsewhere: Collection[int] = (),
    ) -> None:
        """`of_level` gives the command of our own engine at a level; `elsewhere` are seats played at another board."""
        self._elsewhere = frozenset(elsewhere)
        self._game, self._put, self._limits, self._of_level = game, put, limits, of_level
        self._commands = {seat: tuple(command) for seat, command in commands.items()}
        self._levels: dict[int, int] = {}
        self._engines: dict[int, tuple[tuple[str, ...], Engine]] = {}
        self._asked: tuple[int, Position] | None = None
        self._questions: queue.Queue[_Question | None] = queue.Queue()
        self._history = History(game)
        self._closed = False
        self._thread = threading.Thread(target=self._answer_questions, daemon=True)
        self._thread.start()

    def ask_move(self, match: Match, t: float) -> None:
        """Asks for a move if at `t` it is an engine's turn and it was not asked yet. Does not wait."""
        question = len(match.moves), match.position
        if match.phase in AWAITING and match.position.seat in self._commands and question != self._asked:
            self._asked = question
            self._questions.put(_Question(match.positions, match.moves, limits_at(match, t, self._limits)))

    def set_seat_level(self, seat: int, level: int | None) -> None:
        """From now on the computer plays the seat at this level, or with None people do."""
        command = () if level is None else self._of_level(level)
        self._levels = {one: other for one, other in self._levels.items() if one != seat}
        self._levels |= {} if level is None else {seat: level}
        others = {one: other for one, other in self._commands.items() if one != seat}
        self._commands = others | ({seat: tuple(command)} if command else {})
        self._asked = None

    def is_away_seat(self, seat: int) -> bool:
        """Whether an engine, or somebody at another board, plays the seat."""
        return self.is_engine_seat(seat) or seat in self._elsewhere

    def is_engine_seat(self, seat: int) -> bool:
        """Whether an engine plays the seat."""
        return seat in self._commands

    def engine_levels(self) -> dict[str, int]:
        """Side -> level, where people seated our own engine."""
        return {self._game.seats[seat]: level for seat, level in sorted(self._levels.items())}

    def describe_levels(self) -> dict[str, int]:
        """Side -> level of our own engine that plays it, whoever seated it."""
        level_of = {tuple(self._of_level(level)): level for level in COMPUTER_LEVELS}
        found = sorted(self._commands.items())
        return {self._game.seats[seat]: level_of[command] for seat, command in found if command in level_of}

    def stop_engines(self) -> None:
        """Ends the engines; one that is thinking is not waited for."""
        self._closed = True
        self._questions.put(None)
        for _, engine in list(self._engines.values()):
            engine.close()

    def _answer_questions(self) -> None:
        while (question := self._questions.get()) is not None:
            if not self._questions.empty():
                continue  # the board has gone on
            ply, position = question.position_key
            found = self._find_move(question)
            if isinstance(found, Trouble):
                self._put(EngineAdvice(ply, position, None, found.message))
            else:
                self._put(EngineAdvice(ply, position, found))

    def _find_move(self, question: _Question) -> Move | Trouble:
        try:
            return self._ask_engine(question)
        except (OSError, ValueError, RuntimeError) as error:  # of starting it: the game goes on without its advice
            return Trouble("not-there", f"the engine cannot be asked: {error}")

    def _ask_engine(self, question: _Question) -> Move | Trouble:
        ply, position = question.position_key
        command = self._commands.get(position.seat, ())
        before, engine = self._engines.get(position.seat, ((), None))
        if not command:
            return Trouble("nobody", "people play this side again")
        began = ply < len(self._game.seats)  # another game: it may play otherwise than in the last
        if engine is None or engine.trouble is not None or before != command:
            if engine is not None:
                engine.close()
            engine = Engine(command)
            self._engines[position.seat] = command, engine
            began = True
        if began:
            trouble = engine.prepare_game(self._game)
            if self._closed:  # it was being started in the meantime
                engine.close()
            if trouble is not None:
                return trouble
        start, texts = self._history.build_line(question.positions, question.moves)
        reply = engine.find_move(start, texts, position, question.limits)
        return reply if isinstance(reply, Trouble) else reply.move


class History:
    """What engines are told of a game: where it began, and the moves since, for the repetitions among them."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._texts: dict[tuple[Position, Move, Position], str] = {}

    def build_line(self, positions: Sequence[Position], moves: Sequence[Move]) -> tuple[Position, tuple[str, ...]]:
        """The first position from which the rules lead on to the last, and the moves from there.

        A ruling may have let an unlawful move stand, or taken a side out: an engine is told what came after that.
        """
        known, self._texts = self._texts, {}
        texts: list[str] = []
        for ply in reversed(range(len(moves))):
            before, move, after = step = positions[ply], moves[ply], positions[ply + 1]
            text = known[step] if step in known else self._write_move(before, move, after)
            self._texts[step] = text
            texts.append(text)
            if not text or sum(map(len, texts)) + len(texts) > MOST_HISTORY:
                texts.pop()
                break
        return positions[len(moves) - len(texts)], tuple(reversed(texts))

    def _write_move(self, before: Position, move: Move, after: Position) -> str:
        """The move as engines read it, "" for one that does not lead there by the rules."""
        text = self._game.write(before, move)
        found = self._game.read(before, text)
        return text if isinstance(found, Move) and self._game.play(before, found) == after else ""


def limits_at(match: Match, t: float, otherwise: Limits) -> Limits:
    """How long an engine may think at `t`: by the clocks of the game, or `otherwise` where it has none."""
    if not match.clocks:
        return otherwise
    clock, seat = match.clocks[-1], match.position.seat
    rest = [seconds - (CARRIED_OUT_S if one == seat else 0.0) for one, seconds in enumerate(seconds_left(clock, t))]
    more = round(clock.control.find_stage(clock.made[seat])[0].bonus_s * 1000)
    return Limits(
        movetime_ms=LONGEST_THOUGHT_MS,
        clocks_ms=tuple(round(max(0.0, seconds) * 1000) for seconds in rest),
        increments_ms=(more,) * len(rest),
    )


def seat_computer(opponents: Opponents | None, game: Game, asked: SetComputer, *, helps: bool) -> None:
    """Seat an engine, or people again. InputError in a tournament, where nobody is helped."""
    if opponents is None or not helps:
        raise InputError("opponent: the computer does not play in a tournament")
    opponents.set_seat_level(game.seats.index(asked.side), asked.level)


def find_awaited_move(advice: EngineAdvice | None, match: Match, *, helps: bool = True) -> Move | None:
    """The move while it is still to be carried out; where nobody is helped (not `helps`) only another board's."""
    if advice is None or match.phase not in AWAITING or len(match.moves) != advice.ply or not (helps or advice.far):
        return None
    return advice.move if match.position == advice.position else None


def is_set_otherwise(match: Match, made: int) -> bool:
    """Whether people have set another position after the ply that was `made` when an engine was to move, 0 where there
    is none yet: then nothing is to be put right."""
    return made > 0 and is_position_set(match, len(match.moves))


def describe_advice(advice: EngineAdvice | None, match: Match) -> dict[str, object] | None:
    """What pages say of it: {"side", "move", "played", "trouble", "far", "said"}; `played` where another was made."""
    made = len(match.moves) - (advice.ply if advice else 0)
    if advice is None or made not in {0, 1} or match.positions[advice.ply] != advice.position:
        return None  # or the game has gone on with what was made instead
    if not advice.far and (match.outcome is not None or is_set_otherwise(match, made)):
        return None  # nobody has to move any more, or people have said what stands in its place
    game, played = match.game, ""
    if made:
        move = match.moves[advice.ply]
        if advice.move is None or result_of(move) == result_of(advice.move):
            return None
        played = game.write(advice.position, move)
    return {
        "side": game.seats[advice.position.seat],
        "move": game.write(advice.position, advice.move) if advice.move else "",
        "played": played,
        "trouble": advice.trouble,
        "far": advice.far,
        "said": advice.trouble.to_json() if isinstance(advice.trouble, Sentence) else None,
    }
