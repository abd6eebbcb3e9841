"""A game out of a page of prose: numbered moves among sentences, as the World Camelot Federation's pages have them.

`2.C6-E8-G8 2....J11-H11` and `2. C6-E8-G8 J11-H11` are both read, with marks, and with `^` for a canter; so is `2)`.
What stands in parentheses is an aside. A move counts when its number is the next one; all else is prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import InputError
from engine.text.records import (
    CELL,
    CROSSES,
    DASH,
    IN_WORDS,
    Ply,
    WrittenGame,
    normalise_result,
    plain_move,
    result_in_words,
)

MOVE_SIGNS = f"{DASH}{CROSSES}xX^:"
MOVE = rf"{CELL}(?:\s?[{MOVE_SIGNS}]\s?{CELL})+[!?]*"
NUMBERED = re.compile(
    rf"(?m)(?:(?<![\w.])(?P<number>\d{{1,3}})(?:\s*(?P<dots>\.{{1,4}}|…)\s*|\)\s*)|^[^\S\n]*(?P<row>\d{{1,3}})[^\S\n]+)"
    rf"(?P<first>{MOVE})(?:[,;]?\s+(?:\.\.\.\s*)?(?P<second>{MOVE}))?"
)
"""A number and what follows it; without a dot or a parenthesis only where a line begins, as on a score sheet."""
ASIDE = re.compile(r"\([^()]*\)")
NAMED = re.compile(r"(?m)^\s*(White|Black|Event|Site|Date|Round)\s*:\s*(\S.*?)\s*$")
HALF_A_POINT = r"(?:1/2|½|0[.,]5)"
RESULT_IN_PROSE = re.compile(
    rf"(?<![{DASH}\w/.,])(?:1\s?[{DASH}:]\s?0|0\s?[{DASH}:]\s?1|{HALF_A_POINT}\s?[{DASH}:]\s?{HALF_A_POINT})(?![{DASH}\w/]|[.,:]\d)"
)
LIKE_A_RESULT = re.compile(rf"\s*((?:[\d½+/]|[{DASH}]\s?:)(?:\s?[{DASH}\d½+/:]|[.,](?=\d))*)(?!\w)")
"""A run of digits and signs: right after the last move people mean the result by it."""
LAST_WORDS = re.compile(rf"[\s.,;:]*({IN_WORDS})\s*")
"""All that a page says after the last move: other words about the end are not judged."""
NOT_OVER = re.compile(r"(?<!\S)\*(?!\S)")
LIKE_A_MOVE = rf"{CELL}(?:\s?[^\w\s.,;()]{{1,3}}\s?)?{CELL}"
"""What people may have meant for a move."""
NEXT = re.compile(rf"\s*(?:\d{{1,3}}\s*(?:\.{{1,4}}|…)\s*|(?:\.\.\.|…)?\s*){LIKE_A_MOVE}")
"""... where the next move would stand: right after the last one, or after its number."""


@dataclass(frozen=True, slots=True)
class Prose:
    """The game, and the line in which each of its plies stands, counted from 1.

    `says_result` is false where neither a result nor `*` was found after the last move, nor only words that say one.
    """

    record: WrittenGame
    lines: tuple[int, ...]
    says_result: bool


def read_prose(text: str, source: str) -> Prose:
    """The first game in `text`, of two players. InputError names the line of a move or a result that is not read."""
    flat = ASIDE.sub(lambda found: re.sub(r"\S", " ", found[0]), text)
    plies: list[Ply] = []
    lines: list[int] = []
    end = 0

    def add_ply(move: str, at: int) -> None:
        plies.append(Ply(plain_move(move.replace(":", "x"))))
        lines.append(text.count("\n", 0, at) + 1)

    for found in NUMBERED.finditer(flat):
        number, seat = divmod(len(plies), 2)
        written = found["number"] or found["row"]
        is_second = found["dots"] not in {None, "."}
        if int(written) > number + 1:
            line = text.count("\n", 0, found.start("first")) + 1
            raise InputError(f"{source}: line {line}: move {written} comes, move {number + 1} was not found before it")
        if int(written) != number + 1 or is_second != bool(seat):
            continue
        add_ply(found["first"], found.start("first"))
        end = found.end("first")
        if found["second"] and not is_second:
            add_ply(found["second"], found.start("second"))
            end = found.end("second")
    if not plies:
        raise InputError(f"{source}: holds no game: neither tags nor numbered moves like 1. D6-F8 H11-F9")
    _check_end(flat, end, len(plies), source)
    result, words = RESULT_IN_PROSE.search(flat, end), LAST_WORDS.fullmatch(flat, end)
    tags = [(name, value.replace('"', "'")) for name, value in NAMED.findall(text)]
    said = normalise_result(result[0]) if result else result_in_words(words[1]) if words else "*"
    says_result = bool(result or words or NOT_OVER.search(flat, end))
    return Prose(WrittenGame(tuple(tags), (), tuple(plies), said), tuple(lines), says_result)


def _check_end(text: str, end: int, plies: int, source: str) -> None:
    """InputError if after the last move that was read, at `end`, a move or a result stands that cannot be read."""
    number = plies // 2 + 1
    numbered = re.compile(rf"(?<![\w.]){number}(?:\s*(?:\.{{1,4}}|[…):])\s*|\s+){LIKE_A_MOVE}")
    unread = NEXT.match(text, end) or numbered.search(text, end)
    if unread:
        line = text.count("\n", 0, unread.end()) + 1
        said = f"{unread[0].strip()[:30]!r}; moves are written like {number}. D6-F8 H11-F9"
        raise InputError(f"{source}: line {line}: no move that can be read: {said}")
    score = LIKE_A_RESULT.match(text, end)
    if score and not score[1].isdecimal() and not RESULT_IN_PROSE.match(text, score.start(1)):
        line = text.count("\n", 0, score.start(1)) + 1
        said = f"{score[1][:30]!r}; write 1-0, 0-1, 1/2-1/2, or * for a game that is not over"
        raise InputError(f"{source}: line {line}: no result that can be read: {said}")
