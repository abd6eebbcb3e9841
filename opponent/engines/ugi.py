"""The engine's side of UGI: reads commands line by line, thinks in a thread of its own, and writes answers."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Sequence

from engine import games
from engine.errors import InputError
from engine.game import Game, Move, Outcome, Position
from opponent.players.book import FROM_LEVEL, Book
from opponent.players.choosing import PLAYER_NAMES, player
from opponent.players.deep import result_of
from opponent.players.levels import at_level, level_of
from opponent.players.thinking import Task
from opponent.vocabulary import AMONG, HIGHEST, LONGEST_LINE, LOWEST, read_limits, read_position

IDENTITY = ("id name camelot-referee", "id author the camelot-referee project")
SEEDS = 2**31
DEFAULT_GAME = "camelot"


class Ugi:
    """One engine: the game it is set to, the position it was given, and the thread that thinks."""

    def __init__(self, write: Callable[[str], None], kind: str = "search", level: int = HIGHEST) -> None:
        self._write = write
        self._said = threading.Lock()
        self._thinking: threading.Thread | None = None
        self._stop = bytearray(1)
        self._options = {
            "game": DEFAULT_GAME,
            "ruleset": "",
            "setup": "",
            "player": kind,
            "level": str(level),
            "seed": "0",
            "ownbook": "true",
        }
        player(kind)
        self._game = games.load(DEFAULT_GAME)
        self._history: list[Position] = [self._game.start()]
        self._book, self._drawn = Book(self._game), 0

    def run(self, lines: Iterable[str]) -> None:
        """Answers until `quit` or the end of the lines."""
        for line in lines:
            words = line[:LONGEST_LINE].split()
            if not words:
                continue
            if words[0] == "quit":
                break
            try:
                self._answer(words[0], words[1:])
            except InputError as error:
                self._say(f"info string error: {error}")
        self._wait(stopping=True)

    def _answer(self, word: str, rest: Sequence[str]) -> None:
        if word == "isready":
            self._say("readyok")
            return
        if word == "stop":
            self._wait(stopping=True)
            return
        self._wait(stopping=False)
        commands: dict[str, Callable[[Sequence[str]], None]] = {
            "ugi": self._ugi,
            "setoption": self._setoption,
            "uginewgame": self._new_game,
            "position": self._position,
            "go": self._go,
            "query": self._query,
        }
        if word not in commands:
            raise InputError(f"command {word[:40]!r}: not known")
        commands[word](rest)

    def _say(self, line: str) -> None:
        with self._said:
            self._write(line)

    def _wait(self, stopping: bool) -> None:
        """Until nobody thinks any more; `stopping`: asks for the move now."""
        if self._thinking is not None:
            self._stop[0] = stopping
            self._thinking.join()
            self._thinking = None

    def _ugi(self, _: Sequence[str]) -> None:
        for line in IDENTITY:
            self._say(line)
        choices = " ".join(f"var {name}" for name in games.names())
        self._say(f"option name game type combo default {DEFAULT_GAME} {choices}")
        self._say("option name ruleset type string default <the game's first>")
        self._say("option name setup type string default <the game's first>")
        self._say(f"option name player type combo default search {' '.join(f'var {name}' for name in PLAYER_NAMES)}")
        self._say(f"option name level type spin default {HIGHEST} min {LOWEST} max {HIGHEST}")
        self._say(f"option name seed type spin default 0 min 0 max {SEEDS - 1}")
        self._say("option name OwnBook type check default true")
        self._say("ugiok")

    def _setoption(self, words: Sequence[str]) -> None:
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise InputError("setoption: write `setoption name NAME value VALUE`")
        name, value = words[1].lower(), words[3]
        if name not in self._options:
            raise InputError(f"option {name[:40]!r}: not known, choose from {', '.join(self._options)}")
        changed = {**self._options, name: value}
        if name == "game":
            changed |= {"ruleset": "", "setup": ""}
        _check(name, value)
        player(changed["player"])
        game = games.load(changed["game"], changed["ruleset"] or None)
        start = game.start(changed["setup"] or None)
        self._options = changed
        if name in {"game", "ruleset", "setup"}:
            self._game, self._history, self._book = game, [start], Book(game)

    def _new_game(self, _: Sequence[str]) -> None:
        self._drawn = random.randrange(SEEDS)
        self._history = [self._game.start(self._options["setup"] or None)]

    def _position(self, words: Sequence[str]) -> None:
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

    def _go(self, words: Sequence[str]) -> None:
        at = words.index(AMONG) if AMONG in words else len(words)
        limits = read_limits(words[:at], len(self._game.seats))
        among = self._chosen(words[at + 1 :])
        if self._over() is not None:
            self._say("bestmove none")
            return
        self._stop = bytearray(1)
        task = Task(
            self._game,
            tuple(self._history),
            limits,
            seed=int(self._options["seed"]) or self._drawn,
            stop=self._stop,
            say=lambda info: self._say(info.write()),
            among=among,
        )
        self._thinking = threading.Thread(target=self._think, args=(task,), daemon=True)
        self._thinking.start()

    def _chosen(self, texts: Sequence[str]) -> tuple[Move, ...]:
        """The lawful moves that lead where those named do. InputError for one that is not lawful."""
        wanted = set()
        for text in texts:
            move = self._game.read(self._history[-1], text)
            if not isinstance(move, Move):
                raise InputError(f"go: {AMONG}: {text[:40]}: {move.code}: {move.message}")
            wanted.add(result_of(move))
        return tuple(move for move in self._game.moves(self._history[-1]) if result_of(move) in wanted)

    def _think(self, task: Task) -> None:
        known = None
        if self._options["player"] == "search":
            level = int(self._options["level"])
            if self._options["ownbook"] == "true" and level >= FROM_LEVEL:
                known = self._book.reply(task)
            task = at_level(task, level_of(task.game, level))
        move = known or player(self._options["player"]).choose(task)
        self._say(f"bestmove {task.game.write(task.position, move)}")

    def _over(self) -> Outcome | None:
        return self._game.outcome(self._history[-1])

    def _query(self, words: Sequence[str]) -> None:
        what = " ".join(words)
        seat = self._history[-1].seat
        outcome = self._over()
        if what == "gameover":
            answer = "true" if outcome else "false"
        elif what == "result":
            answer = result_word(outcome)
        elif what == "turn":
            answer = f"p{seat + 1}"
        elif what in turns(self._game):
            answer = "true" if what == f"p{seat + 1}turn" else "false"
        else:
            known = ", ".join((*turns(self._game), "turn", "gameover", "result"))
            raise InputError(f"query {what[:40]!r}: not known, ask {known}")
        self._say(f"response {answer}")


def turns(game: Game) -> tuple[str, ...]:
    """The queries that ask whose turn it is."""
    return tuple(f"p{seat + 1}turn" for seat in range(len(game.seats)))


def result_word(outcome: Outcome | None) -> str:
    """ "p1win", "draw" or "none" for a game that goes on."""
    if outcome is None:
        return "none"
    shares = outcome.result.split("-")
    return f"p{shares.index('1') + 1}win" if "1" in shares else "draw"


def _check(name: str, value: str) -> None:
    """InputError for a value that the option cannot have."""
    if name == "ownbook" and value not in {"true", "false"}:
        raise InputError(f"option OwnBook {value[:20]!r}: give true or false")
    highest = {"level": HIGHEST, "seed": SEEDS - 1}.get(name)
    if highest and not (value.isascii() and value.isdigit() and len(value) < 11 and int(value) <= highest):
        raise InputError(f"option {name} {value[:20]!r}: give a whole number up to {highest}")
    if name == "level" and int(value) < LOWEST:
        raise InputError(f"option level {value!r}: give one from {LOWEST} to {HIGHEST}")
