"""Game records as text: tags, moves, comments, clocks, variations; read into values and written back.

Reading and writing keep everything but the spacing: `read(write(record)) == record`. Moves are kept as they were
written; whether they are lawful is a question for engine/text/replay.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from engine.errors import InputError

DEPTH_LIMIT = 50
"""Variations within variations; records of real games have two or three."""
LINE_WIDTH = 100

TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
RESULT = re.compile(r"\*|[01]-[01](?:-[01])?|1/2-1/2|1/3-1/3-1/3")
"""How a game may end in a record; * is for one that has not."""
COMMAND = re.compile(r"\[%(\S+)\s+([^\]]*)\]")
DASH = "-\u2010\u2011\u2012\u2013\u2014\u2212"
"""The hyphen, and what word processors and web pages write in its place."""
CROSSES = "\u00d7\u2715"
CELL = r"\d?[A-Za-z]\d{1,2}"
SIGN = rf"[ \t]*[{DASH}{CROSSES}xX][ \t]*"
GLYPHS = {
    **{"!": 1, "?": 2, "!!": 3, "\u203c": 3, "??": 4, "\u2047": 4, "!?": 5, "\u2049": 5, "?!": 6, "\u2048": 6},
    **{"=": 10, "\u221e": 13, "\u2a72": 14, "\u2a71": 15, "\u00b1": 16, "\u2213": 17, "+-": 18, "-+": 19},
}
"""Signs that annotators write after a move, and the numbers that PGN has for them."""
ANNOTATED = "|".join(re.escape(sign) for sign in sorted(GLYPHS, key=len, reverse=True))
TOKEN = re.compile(
    rf"""\s*(?:
    (?P<comment>\{{[^}}]*\}}|;[^\n]*|(?<![^\n])%[^\n]*)
    |(?P<open>\() |(?P<close>\))
    |(?P<number>\d+(?:\.+|\u2026))
    |(?P<glyph>(?:\$\d+|{ANNOTATED})(?=[\s){{;]|$))
    |(?P<result>(?:\*|(?:[01]|1/[23]|\u00bd)(?:[ ]?[{DASH}][ ]?(?:[01]|1/[23]|\u00bd)){{1,2}})(?=[\s){{;]|$))
    |(?P<tag>\[)
    |(?P<move>{CELL}(?:{SIGN}{CELL})+[^\s{{}}();\[]*|[^\s{{}}();\[]+)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Comment:
    """Text in braces."""

    text: str


@dataclass(frozen=True, slots=True)
class Glyph:
    """A numbered mark, `$1`."""

    text: str


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves instead of the one that they follow; `before` stands ahead of the first."""

    before: tuple[Comment, ...]
    plies: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Ply:
    """One move as written, and what stands after it, in order."""

    text: str
    after: tuple[Comment | Glyph | Variation, ...] = ()
    line: int = field(default=0, compare=False)
    """Where it was read, counted from 1; 0 for one that was not."""

    def commands(self) -> dict[str, str]:
        """The values of `[%clk 2:29:58]` and its like in the comments."""
        texts = (note.text for note in self.after if isinstance(note, Comment))
        return {name: value.strip() for text in texts for name, value in COMMAND.findall(text)}


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """One game. `first_number` and `first_seat` say where the numbering begins: 1 and 1 for `1... H11-F9`."""

    tags: tuple[tuple[str, str], ...]
    before: tuple[Comment, ...]
    plies: tuple[Ply, ...]
    result: str
    first_number: int = 1
    first_seat: int = 0

    def tag(self, name: str) -> str | None:
        """The value of the first tag of that name."""
        return next((value for key, value in self.tags if key == name), None)


class _Line:
    """A line of moves while it is being read."""

    def __init__(self) -> None:
        self.before: list[Comment] = []
        self.texts: list[str] = []
        self.lines: list[int] = []
        self.notes: list[list[Comment | Glyph | Variation]] = []

    def note(self, note: Comment | Glyph | Variation) -> bool:
        """Adds what stands after the last move; False where only a comment may stand."""
        if self.notes:
            self.notes[-1].append(note)
        elif isinstance(note, Comment):
            self.before.append(note)
        else:
            return False
        return True

    def plies(self) -> tuple[Ply, ...]:
        read = zip(self.texts, self.notes, self.lines, strict=True)
        return tuple(Ply(text, tuple(notes), line) for text, notes, line in read)


def read(text: str, source: str = "record") -> tuple[WrittenGame, ...]:
    """All games in `text`. InputError says `source`, the line and what is wrong with it."""
    records: list[WrittenGame] = []
    at, counted, line = _space(text, 0), 0, 1
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        record, at = _read_one(text, at, source, line)
        if records and not record.tags and not record.plies and record.before:
            records[-1] = _remarked(records[-1], record.before)  # a remark after the result is no game
        else:
            records.append(record)
        at = _space(text, at)
    if not records:
        raise InputError(f"{source}: holds no game")
    return tuple(records)


def _remarked(record: WrittenGame, remarks: tuple[Comment, ...]) -> WrittenGame:
    """The record with remarks after its last move."""
    if not record.plies:
        return replace(record, before=(*record.before, *remarks))
    last = replace(record.plies[-1], after=(*record.plies[-1].after, *remarks))
    return replace(record, plies=(*record.plies[:-1], last))


def _space(text: str, at: int) -> int:
    """The next place that is not white space (a byte order mark counts as such)."""
    while at < len(text) and (text[at].isspace() or text[at] == "\ufeff"):
        at += 1
    return at


def _read_one(text: str, at: int, source: str, number: int) -> tuple[WrittenGame, int]:
    """The game that begins at `at`, in line `number`, and where it ends."""
    counted = at
    above, at = _above(text, at)
    tags, at = _read_tags(text, at, source)
    lines, result, first = [_Line()], "", ""
    while at < len(text) and not result:
        token = _token(text, at, source)
        if token is None or token.lastgroup == "tag":
            break
        kind, word = str(token.lastgroup), token[token.lastgroup or 0]
        if kind == "number" and not first and not lines[0].texts:
            first = word
        number, counted = number + text.count("\n", counted, token.start(kind)), token.start(kind)
        if fault := _take(lines, kind, word, number):
            raise _error(text, token.start(kind), source, fault)
        result = result_of(word) if kind == "result" else ""
        at = token.end()
    if len(lines) > 1:
        raise _error(text, at, source, "a variation in parentheses does not end")
    tag_result = next((value for key, value in tags if key == "Result"), "*")
    tag_result = result_of(tag_result)
    return WrittenGame(
        tuple(tags), (*above, *lines[0].before), lines[0].plies(), result or tag_result, *_turn(first)
    ), at


def result_of(text: str) -> str:
    """A result as records have it, of one with other dashes, spaces or a half in one sign."""
    return re.sub(rf"\s*[{DASH}]\s*", "-", text.strip()).replace("\u00bd", "1/2")


def _comment(word: str) -> Comment:
    return Comment((word[1:-1] if word[0] == "{" else word[1:]).strip())


def _above(text: str, at: int) -> tuple[list[Comment], int]:
    """The comments above the tags, and where they end; lines that begin with % are other programs' own."""
    above: list[Comment] = []
    while (token := TOKEN.match(text, at)) and token.lastgroup == "comment":
        if not token["comment"].startswith("%"):
            above.append(_comment(token["comment"]))
        at = _space(text, token.end())
    return above, at


def _token(text: str, at: int, source: str) -> re.Match[str] | None:
    """The next token; None at the end of the text."""
    token = TOKEN.match(text, at)
    if token is None and text[at:].strip():
        raise _error(text, at, source, "a comment in braces does not end" if "{" in text[at:] else "unreadable")
    return token


def _turn(number: str) -> tuple[int, int]:
    """The number and the seat that the first move's number tells: `7.` or, for the seats after the first, `7...`."""
    number = number.replace("\u2026", "...")
    return (int(number.rstrip(".")[:9]), max(0, number.count(".") - 2)) if number else (1, 0)


def _read_tags(text: str, at: int, source: str) -> tuple[list[tuple[str, str]], int]:
    """The tags that begin at `at`, and where they end."""
    tags = []
    while text.startswith("[", at):
        tag = TAG.match(text, at)
        if tag is None:
            raise _error(text, at, source, 'a tag is written [Name "value"]')
        tags.append((tag[1], re.sub(r"\\(.)", r"\1", tag[2])))
        at = _space(text, tag.end())
    return tags, at


def _take(lines: list[_Line], kind: str, word: str, number: int) -> str:
    """Adds a token of line `number` to the innermost line of moves; what is wrong with it, or ""."""
    line = lines[-1]
    if kind == "comment":
        if word[0] != "%":
            line.note(_comment(word))
    elif kind == "glyph" and not line.note(Glyph(f"${GLYPHS[word]}" if word in GLYPHS else word)):
        return f"{word} stands before any move"
    elif kind == "move":
        line.texts.append(_plain(word))
        line.lines.append(number)
        line.notes.append([])
    elif kind == "result" and len(lines) > 1:
        return "a variation has no result"
    elif kind == "open":
        if not line.texts:
            return "a variation stands before any move"
        if len(lines) > DEPTH_LIMIT:
            return f"more than {DEPTH_LIMIT} variations within each other"
        lines.append(_Line())
    elif kind == "close":
        if len(lines) == 1:
            return "a parenthesis closes that was not opened"
        done = lines.pop()
        lines[-1].note(Variation(tuple(done.before), done.plies()))
    return ""


def _plain(move: str) -> str:
    """A move with the signs that the notation has, and no spaces around them."""
    return re.sub(rf"[{CROSSES}]", "x", re.sub(rf"[{DASH}]", "-", re.sub(r"\s+", "", move)))


def _error(text: str, at: int, source: str, fault: str) -> InputError:
    return InputError(f"{source}: line {text.count(chr(10), 0, at) + 1}: {fault}: {text[at : at + 30].strip()!r}")


def write(record: WrittenGame, seats: int = 2) -> str:
    """The text of one game of `seats` players, ending with a line break."""
    tags = [f'[{name} "{_escaped(value)}"]' for name, value in record.tags]
    first = record.first_number * seats + record.first_seat
    words = [f"{{{_braced(note.text)}}}" for note in record.before]
    words += [*_words(record.plies, first, seats), record.result]
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > LINE_WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".lstrip()
    return "\n".join([*tags, "", *lines, line, ""]).lstrip("\n")


def _words(plies: Iterable[Ply], first: int, seats: int) -> Iterator[str]:
    """The words of a line of moves; `first` is the turn of its first move, number times seats plus seat."""
    broken = True
    for turn, ply in enumerate(plies, start=first):
        number, seat = divmod(turn, seats)
        if not seat or broken:
            yield f"{number}." + "." * (seat + 1 if seat else 0)
        yield ply.text
        for note in ply.after:
            if isinstance(note, Variation):
                inner = [f"{{{_braced(comment.text)}}}" for comment in note.before]
                yield f"({' '.join([*inner, *_words(note.plies, turn, seats)])})"
            else:
                yield f"{{{_braced(note.text)}}}" if isinstance(note, Comment) else note.text
        broken = any(not isinstance(note, Glyph) for note in ply.after)


def _braced(text: str) -> str:
    """`text` as it may stand in braces."""
    return text.replace("}", ")")


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
