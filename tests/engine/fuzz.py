"""Random text and random positions through everything that judges: only documented errors, and none slow.

`python -m tests.engine.fuzz [STRINGS [POSITIONS]]` runs 100,000 strings and 10,000 position files.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from time import process_time

from engine import games
from engine.errors import InputError
from engine.game import Game, Position, Refusal
from engine.text import positions
from engine.text.records import read_pgn
from engine.text.replay import replay_record
from server.commands.legal import legal_moves_to_json

SLOWEST_S = 1.0
"""Nothing a user gives may take longer."""
CODES = frozenset(
    """
    unreadable no-piece not-yours occupied off-board not-a-move must-jump must-continue must-leave-castle
    must-jump-out must-capture-after-canter own-castle right-hand-castle in-castle castle-moves-used
    ends-where-it-began men-cannot-charge order-canter-then-jump check blocked out-of-range game-over ambiguous
    """.split()  # noqa: SIM905  # a list of so many strings hides the words
)
"""Every reason code there is."""
ALPHABET = 'ABCDEFGHIJKLMNabcdefx0123456789-x^*=+#!?.(){}[]$%;"\\ \n\t\0é♞'
WORDS = ("E6-C8", "D6-F8", "1.", "1...", "{", "}", "(", ")", "1-0", "*", "--", "$1", "[%clk 1:0:0]")
TAG = '[Variant "camelot"]\n'


def text_of(chance: random.Random) -> str:
    """Noise, or words of records in any order."""
    if chance.random() < 0.5:
        return "".join(chance.choice(ALPHABET) for _ in range(chance.randrange(40)))
    return chance.choice((TAG, "")) + " ".join(chance.choice(WORDS) for _ in range(chance.randrange(30)))


def move_of(chance: random.Random, game: Game) -> str:
    """Cells of the board (rarely not) joined by signs."""
    cells = [
        chance.choice(game.board.cells) if chance.random() < 0.95 else "Z99" for _ in range(chance.randrange(1, 6))
    ]
    return "".join(sign + cell for sign, cell in zip(["", *chance.choices("-x^*=", k=9)], cells, strict=False))


def position_of(chance: random.Random, game: Game) -> object:
    """JSON of a placement with any number of any pieces, now and then with something broken in it."""
    codes = game.codes[1:]
    count = chance.choice((0, 1, 2, 4, 8, 16, 24, 32, len(game.board.cells)))
    cells: dict[str, object] = {chance.choice(game.board.cells): chance.choice(codes) for _ in range(count)}
    data: dict[str, object] = {"game": game.name, "to_move": chance.choice(game.seats), "cells": cells}
    if chance.random() < 0.3:
        key = chance.choice(("game", "rules", "to_move", "cells", "castle_moves", "colour", "A99"))
        broken = chance.choice((None, 7, "x", [], {}, {"A99": "WM"}, {"white": -1}, {"C6": 3}, True, 1e400))
        (cells if key == "A99" else data)[key] = broken
    return data


def judge(game: Game, position: Position, text: str) -> None:
    """Reads a move as `referee why` does; a refusal has a known code and a sentence."""
    verdict = game.read(position, text)
    if isinstance(verdict, Refusal) and (verdict.code not in CODES or not verdict.message.endswith(".")):
        raise AssertionError(f"{game.name}: {text!r}: {verdict}")


def timed(action: Callable[[], object], what: object) -> None:
    """Does it; an InputError of one line is an answer, slowness is not."""
    begun = process_time()
    try:
        action()
    except InputError as error:
        if "\n" in str(error):
            raise AssertionError(f"{what!r}: more than one line: {error}") from error
    spent = process_time() - begun
    if spent > SLOWEST_S:
        raise AssertionError(f"{what!r}: took {spent:.1f} s")


def run(strings: int, files: int, seed: int = 1) -> None:
    """`strings` texts as moves and as records, `files` positions listed and judged."""
    chance = random.Random(seed)
    every = [games.load(name) for name in games.names()]
    for _ in range(strings):
        game, text = chance.choice(every), text_of(chance)
        timed(lambda game=game, text=text: judge(game, game.start(), text), text)
        written = move_of(chance, game)
        timed(lambda game=game, written=written: judge(game, game.start(), written), written)
        timed(lambda text=text: [replay_record(record) for record in read_pgn(text)], text)
    for _ in range(files):
        game = chance.choice(every)
        data = position_of(chance, game)
        timed(lambda game=game, data=data: _through(chance, game, json.dumps(data)), data)


def _through(chance: random.Random, game: Game, text: str) -> None:
    found, position = positions.from_json(json.loads(text))
    legal_moves_to_json(found, position)
    for _ in range(5):
        judge(found, position, move_of(chance, game))


if __name__ == "__main__":
    counts = [int(argument) for argument in sys.argv[1:3]]
    run(*(counts + [100_000, 10_000][len(counts) :]))
    print("only documented errors, nothing slow")
