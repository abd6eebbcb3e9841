"""A game out of a page of prose: numbered moves among sentences, as the World Camelot Federation's pages have them.

A text of moves alone is read as one with tags is, by engine/text/records.py. In others `2.C6-E8-G8 2....J11-H11` and
`2. C6-E8-G8 J11-H11` are both read, with marks, and with `^` for a canter; so is `2)`. What stands in parentheses or
braces is an aside. A move counts when its number is the next one; what looks like one and does not count is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.errors import InputError
from engine.text.records import (
    CELL,
    CROSSES,
    DASH,
    DEPTH_LIMIT,
    IN_WORDS,
    NO_COMMENT_BEGUN,
    NO_END_OF_COMMENT,
    NO_END_OF_VARIATION,
    Ply,
    Variation,
    WrittenGame,
    build_error,
    normalise_result,
    plain_move,
    read_pgn,
    result_in_words,
)

MOVE_SIGNS = f"{DASH}{CROSSES}xX^:"
MOVE = rf"{CELL}(?:\s?[{MOVE_SIGNS}]\s?{CELL})+[!?]*(?![{DASH}{CROSSES}^\w])"
PLAIN_MOVE = re.compile(rf"{CELL}(?:[-x^]{CELL})+[!?]*")
ASIDE_SIGN = "\x01"
"""Stands for every letter of what stands aside: between a number and its move there is nothing of that."""
NUMBERED = re.compile(
    rf"(?m)(?:(?<![\w.])(?P<number>\d{{1,3}})(?:\s*(?P<dots>\.{{1,4}}|…)\s*|\)\s*)|^[^\S\n]*(?P<row>\d{{1,3}})[^\S\n]+)"
    rf"(?P<first>{MOVE})(?:[,;]?[\s{ASIDE_SIGN}]+(?:\.\.\.\s*)?(?P<second>{MOVE}))?"
)
"""A number and what follows it; without a dot or a parenthesis only where a line begins, as on a score sheet."""
ASIDE = re.compile(r"\([^()]*\)|\{[^{}]*\}")
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
LIKE_A_MOVE = rf"(?<!\w){CELL}(?:\s?[^\w\s.,;()]{{1,3}}\s?)?{CELL}(?!\w)"
"""What people may have meant for a move."""
PART_OF_A_MOVE = re.compile(
    rf"{LIKE_A_MOVE}|(?<!\w){CELL}(?:[{DASH}{CROSSES}^]|[xX](?!\w))|(?:[{DASH}{CROSSES}^]\s*|\b[xX]){CELL}(?!\w)"
)
"""... and what is left of one that something stands within."""
NEXT = re.compile(rf"\s*(?:\d{{1,3}}\s*(?:\.{{1,4}}|…)\s*|(?:\.\.\.|…)?\s*){CELL}(?!\w)")
"""Where the next move would stand, right after the last one or after its number, a cell begins one."""
HIDDEN_MOVE = re.compile(rf"(?m)(?:;|^%)[^\n]*?{LIKE_A_MOVE}")
"""A semicolon may begin a comment or part two moves; with tags it begins a comment."""


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
    signed = _replace_asides(text, source)
    flat = signed.replace(ASIDE_SIGN, " ")
    if (plain := _read_plain(text, flat, source)) is not None:
        return plain
    plies: list[Ply] = []
    lines: list[int] = []
    end = 0

    def add_ply(move: str, at: int) -> None:
        plies.append(Ply(plain_move(move.replace(":", "x"))))
        lines.append(text.count("\n", 0, at) + 1)

    for found in NUMBERED.finditer(signed):
        number, seat = divmod(len(plies), 2)
        written = found["number"] or found["row"]
        is_second = found["dots"] not in {None, "."}
        if int(written) > number + 1:
            _check_unread(flat, end, found.start(), len(plies), source)
            fault = InputError("move {written} comes without move {due} before it", written=written, due=number + 1)
            raise build_error(text, found.start("first"), source, fault)
        if int(written) != number + 1 or is_second != bool(seat):
            continue
        _check_unread(flat, end, found.start(), len(plies), source)
        add_ply(found["first"], found.start("first"))
        end = found.end("first")
        if found["second"] and not is_second:
            add_ply(found["second"], found.start("second"))
            end = found.end("second")
    _check_unread(flat, end, len(flat), len(plies), source)
    if not plies:
        raise InputError("{where}: holds no game: neither tags nor numbered moves like 1. D6-F8 H11-F9", where=source)
    _check_end(flat, end, len(plies), source)
    result, words = RESULT_IN_PROSE.search(flat, end), LAST_WORDS.fullmatch(flat, end)
    tags = [(name, value.replace('"', "'")) for name, value in NAMED.findall(text)]
    said = normalise_result(result[0]) if result else result_in_words(words[1]) if words else "*"
    says_result = bool(result or words or NOT_OVER.search(flat, end))
    return Prose(WrittenGame(tuple(tags), (), tuple(plies), said), tuple(lines), says_result)


def _replace_asides(text: str, source: str) -> str:
    """`text` with signs for what stands in braces or parentheses. InputError where one is not closed."""
    signed, last = text.replace(ASIDE_SIGN, " "), ""
    for _ in range(DEPTH_LIMIT):
        if signed == last:
            break
        signed, last = ASIDE.sub(lambda found: re.sub(r"\S", ASIDE_SIGN, found[0]), signed), signed
    open_one = re.search(r"[({}]", signed)
    if open_one:
        faults = {"(": NO_END_OF_VARIATION, "{": NO_END_OF_COMMENT, "}": NO_COMMENT_BEGUN}
        raise build_error(text, open_one.start(), source, faults[open_one[0]])
    return signed


def _read_plain(text: str, flat: str, source: str) -> Prose | None:
    """A text of one game of nothing but moves, and what may stand beside them where there are tags; None for others."""
    if HIDDEN_MOVE.search(flat):
        return None
    try:
        record, *others = read_pgn(text, source)
    except InputError:
        return None
    begins = record.first_number == 1 and not record.first_seat
    if others or not begins or not record.plies or not _are_moves(record.plies):
        return None
    if record.result != "*" and not RESULT_IN_PROSE.fullmatch(record.result):
        return None
    return Prose(record, tuple(ply.line for ply in record.plies), says_result="" in record.lines)


def _are_moves(plies: Iterable[Ply]) -> bool:
    """Whether each has the form of a move, in variations too."""
    return all(
        PLAIN_MOVE.fullmatch(ply.text)
        and all(_are_moves(note.plies) for note in ply.after if isinstance(note, Variation))
        for ply in plies
    )


def _check_unread(text: str, begins: int, ends: int, plies: int, source: str) -> None:
    """InputError if from `begins` to `ends` there is what looks like a move or a part of one; `plies` were read."""
    unread = PART_OF_A_MOVE.search(text, begins, ends)
    if unread:
        raise _build_unread_error(text, unread, plies, source)


def _check_end(text: str, end: int, plies: int, source: str) -> None:
    """InputError if after the last move that was read, at `end`, a move or a result begins that cannot be read."""
    unread = NEXT.match(text, end)
    if unread:
        raise _build_unread_error(text, unread, plies, source)
    score = LIKE_A_RESULT.match(text, end)
    if score and not score[1].isdecimal() and not RESULT_IN_PROSE.match(text, score.start(1)):
        fault = "not readable as a result; write 1-0, 0-1, 1/2-1/2, or * for a game that is not over"
        raise build_error(text, score.start(1), source, fault)


def _build_unread_error(text: str, unread: re.Match[str], plies: int, source: str) -> InputError:
    text_of_fault = "not readable as a move here; moves are written like {number}. D6-F8 H11-F9, remarks in braces"
    fault = InputError(text_of_fault, number=plies // 2 + 1)
    at = unread.end() - len(unread[0].lstrip())
    return build_error(text, at, source, fault)
