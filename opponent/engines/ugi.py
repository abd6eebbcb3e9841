"""The engine's side of UGI: one thread reads commands, another carries them out in their order and thinks.

Who reads never waits for who thinks, so that `stop`, `isready` and `quit` are heard whatever is being done.
"""

from __future__ import annotations

import contextlib
import queue
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from engine import games
from engine.errors import InputError
from engine.game import Game, Move, Outcome, Position, result_of
from opponent.players.book import FROM_LEVEL, OpeningBook
from opponent.players.choosing import PLAYER_NAMES, create_player
from opponent.players.levels import level_of, limit_to_level
from opponent.players.simple import GreedyPlayer
from opponent.players.thinking import Task
from opponent.vocabulary import AMONG, HIGHEST, LONGEST_LINE, LOWEST, read_limits, read_position

IDENTITY = ("id name camelot-referee", "id author the camelot-referee project")
SEEDS = 2**31
DEFAULT_GAME = "camelot"
MOST_COMMANDS = 1_000
"""Commands that wait while the engine thinks. Who sends more is told so: more would only fill memory."""


@dataclass
class _Heard:
    """A command that was read; `stop` is not 0 as soon as what it makes the engine think is wanted now."""

    word: str
    rest: Sequence[str]
    stop: bytearray = field(default_factory=lambda: bytearray(1))

    @property
    def is_endless(self) -> bool:
        """Whether it thinks until it is told to stop."""
        return "infinite" in self.rest


class Ugi:
    """One engine: the game it is set to and the position it was given, which only the thread that thinks looks at."""

    def __init__(self, write: Callable[[str], None], kind: str = "search", level: int = HIGHEST) -> None:
        self._write = write
        self._said = threading.Lock()
        self._heard: queue.Queue[_Heard | None] = queue.Queue()
        self._searches: list[_Heard] = []  # what was asked with `go` and not answered yet; under the lock
        self._lock = threading.Lock()
        self._options = {
            "game": DEFAULT_GAME,
            "ruleset": "",
            "setup": "",
            "player": kind,
            "level": str(level),
            "seed": "0",
            "ownbook": "true",
        }
        create_player(kind)
        self._game = games.load(DEFAULT_GAME)
        self._history: list[Position] = [self._game.start()]
        self._book, self._drawn = OpeningBook(self._game), 0

    def serve_lines(self, lines: Iterable[str]) -> None:
        """Answers until `quit` or the end of the lines; after `quit` at once, else when all has been carried out."""
        carrying = threading.Thread(target=self._run_commands, daemon=True)
        carrying.start()
        for line in lines:
            words = line[:LONGEST_LINE].split()
            if words[:1] == ["quit"]:
                self._stop_searches()
                break
            if words:
                self._accept_command(_Heard(words[0], words[1:]))
        self._stop_searches(only_endless=True)
        self._heard.put(None)
        carrying.join()

    def _accept_command(self, command: _Heard) -> None:
        """What is said to who thinks is done at once, all else in its order. Does not wait."""
        if command.word == "stop":
            self._stop_searches()
            return
        if command.word == "isready" and self._is_thinking():
            self._send_line("readyok")
            return
        if self._heard.qsize() >= MOST_COMMANDS:
            self._send_line(f"info string error: {command.word[:40]!r}: {MOST_COMMANDS} commands wait already")
            return
        if command.word != "isready":
            self._stop_searches(only_endless=True)  # or what was said would never be carried out
        if command.word == "go":
            with self._lock:
                self._searches.append(command)
        self._heard.put(command)

    def _is_thinking(self) -> bool:
        """Whether it was asked for a move that need not be there soon."""
        with self._lock:
            return any(not search.stop[0] for search in self._searches)

    def _stop_searches(self, *, only_endless: bool = False) -> None:
        """The moves that it was asked for are wanted now."""
        with self._lock:
            for search in self._searches:
                search.stop[0] |= search.is_endless or not only_endless

    def _run_commands(self) -> None:
        while (command := self._heard.get()) is not None:
            try:
                self._answer_command(command)
            except InputError as error:
                self._send_line(f"info string error: {error}")
            except Exception as error:  # whatever it is, who asked waits for an answer
                self._send_line(f"info string error: {_describe_error(error)}")
                if command.word == "go":
                    self._send_line("bestmove none")
            finally:
                with self._lock:
                    self._searches = [search for search in self._searches if search is not command]

    def _answer_command(self, command: _Heard) -> None:
        commands: dict[str, Callable[[Sequence[str]], None]] = {
            "ugi": self._send_identity,
            "isready": lambda _: self._send_line("readyok"),
            "setoption": self._set_option,
            "uginewgame": self._new_game,
            "position": self._set_position,
            "go": lambda rest: self._start_search(rest, command.stop),
            "query": self._answer_query,
        }
        if command.word not in commands:
            raise InputError(f"command {command.word[:40]!r}: not known")
        commands[command.word](command.rest)

    def _send_line(self, line: str) -> None:
        with self._said, contextlib.suppress(OSError):  # nobody listens any more: what is read will end too
            self._write(line)

    def _send_identity(self, _: Sequence[str]) -> None:
        for line in IDENTITY:
            self._send_line(line)
        choices = " ".join(f"var {name}" for name in games.names())
        self._send_line(f"option name game type combo default {DEFAULT_GAME} {choices}")
        self._send_line("option name ruleset type string default <the game's first>")
        self._send_line("option name setup type string default <the game's first>")
        self._send_line(
            f"option name player type combo default search {' '.join(f'var {name}' for name in PLAYER_NAMES)}"
        )
        self._send_line(f"option name level type spin default {HIGHEST} min {LOWEST} max {HIGHEST}")
        self._send_line(f"option name seed type spin default 0 min 0 max {SEEDS - 1}")
        self._send_line("option name OwnBook type check default true")
        self._send_line("ugiok")

    def _set_option(self, words: Sequence[str]) -> None:
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise InputError("setoption: write `setoption name NAME value VALUE`")
        name, value = words[1].lower(), words[3]
        if name not in self._options:
            raise InputError(f"option {name[:40]!r}: not known, choose from {', '.join(self._options)}")
        changed = {**self._options, name: value}
        if name == "game":
            changed |= {"ruleset": "", "setup": ""}
        _check_option(name, value)
        create_player(changed["player"])
        game = games.load(changed["game"], changed["ruleset"] or None)
        start = game.start(changed["setup"] or None)
        self._options = changed
        if name in {"game", "ruleset", "setup"}:
            self._game, self._history, self._book = game, [start], OpeningBook(game)

    def _new_game(self, _: Sequence[str]) -> None:
        self._drawn = random.randrange(SEEDS)
        self._history = [self._game.start(self._options["setup"] or None)]

    def _set_position(self, words: Sequence[str]) -> None:
        at = words.index("moves") if "moves" in words else len(words)
        head, moves = list(words[:at]), words[at + 1 :]
        if head == ["startpos"]:
            position = self._game.start(self._options["setup"] or None)
        elif head[:1] == ["fen"]:
            position = read_position(self._game, head[1:])
        else:
            raise InputError("position: write `position startpos` or `position fen ...`, then `moves ...`")
        history = [position]
        for number, text in enumerate(moves, start=1):
            move = self._game.read(history[-1], text)
            if not isinstance(move, Move):
                raise InputError(f"position: move {number}, {text[:40]}: {move.code}: {move.message}")
            history.append(self._game.play(history[-1], move))
        self._history = history

    def _start_search(self, words: Sequence[str], stop: bytearray) -> None:
        at = words.index(AMONG) if AMONG in words else len(words)
        limits = read_limits(words[:at], len(self._game.seats))
        among = self._find_named_moves(words[at + 1 :])
        if self._find_outcome() is not None:
            self._send_line("bestmove none")
            return
        task = Task(
            self._game,
            tuple(self._history),
            limits,
            seed=int(self._options["seed"]) or self._drawn,
            stop=stop,
            say=lambda info: self._send_line(info.format_line()),
            among=among,
        )
        try:
            move = self._find_move(task)
        except Exception as error:  # a search that fails is no reason for a game to stand still
            self._send_line(f"info string error: {_describe_error(error)}")
            move = GreedyPlayer().choose_move(task)
        self._send_line(f"bestmove {task.game.write(task.position, move)}")

    def _find_named_moves(self, texts: Sequence[str]) -> tuple[Move, ...]:
        """The lawful moves that lead where those named do. InputError for one that is not lawful."""
        wanted = set()
        for text in texts:
            move = self._game.read(self._history[-1], text)
            if not isinstance(move, Move):
                raise InputError(f"go: {AMONG}: {text[:40]}: {move.code}: {move.message}")
            wanted.add(result_of(move))
        return tuple(move for move in self._game.moves(self._history[-1]) if result_of(move) in wanted)

    def _find_move(self, task: Task) -> Move:
        known = None
        if self._options["player"] == "search":
            level = int(self._options["level"])
            if self._options["ownbook"] == "true" and level >= FROM_LEVEL:
                known = self._book.find_reply(task)
            task = limit_to_level(task, level_of(task.game, level))
        return known or create_player(self._options["player"]).choose_move(task)

    def _find_outcome(self) -> Outcome | None:
        return self._game.outcome(self._history[-1])

    def _answer_query(self, words: Sequence[str]) -> None:
        what = " ".join(words)
        seat = self._history[-1].seat
        outcome = self._find_outcome()
        if what == "gameover":
            answer = "true" if outcome else "false"
        elif what == "result":
            answer = result_word(outcome)
        elif what == "turn":
            answer = f"p{seat + 1}"
        elif what in list_turn_queries(self._game):
            answer = "true" if what == f"p{seat + 1}turn" else "false"
        else:
            known = ", ".join((*list_turn_queries(self._game), "turn", "gameover", "result"))
            raise InputError(f"query {what[:40]!r}: not known, ask {known}")
        self._send_line(f"response {answer}")


def list_turn_queries(game: Game) -> tuple[str, ...]:
    """The queries that ask whose turn it is."""
    return tuple(f"p{seat + 1}turn" for seat in range(len(game.seats)))


def result_word(outcome: Outcome | None) -> str:
    """ "p1win", "draw" or "none" for a game that goes on."""
    if outcome is None:
        return "none"
    shares = outcome.result.split("-")
    return f"p{shares.index('1') + 1}win" if "1" in shares else "draw"


def _describe_error(error: Exception) -> str:
    """What went wrong, in a line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def _check_option(name: str, value: str) -> None:
    """InputError for a value that the option cannot have."""
    if name == "ownbook" and value not in {"true", "false"}:
        raise InputError(f"option OwnBook {value[:20]!r}: give true or false")
    highest = {"level": HIGHEST, "seed": SEEDS - 1}.get(name)
    if highest and not (value.isascii() and value.isdigit() and len(value) < 11 and int(value) <= highest):
        raise InputError(f"option {name} {value[:20]!r}: give a whole number up to {highest}")
    if name == "level" and int(value) < LOWEST:
        raise InputError(f"option level {value!r}: give one from {LOWEST} to {HIGHEST}")
