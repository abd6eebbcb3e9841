"""Game records as text: tags, moves, comments, clocks, variations; read into values and written back.

Reading and writing keep everything but the spacing: `read(write(record)) == record`. Moves are kept as they were
written; whether they are lawful is a question for engine/text/replay.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.errors import InputError

DEPTH_LIMIT = 50
"""Variations within variations; records of real games have two or three."""
LINE_WIDTH = 100

TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
RESULT = re.compile(r"\*|[01]-[01](?:-[01])?|1/2-1/2|1/3-1/3-1/3")
"""How a game may end in a record; * is for one that has not."""
COMMAND = re.compile(r"\[%(\S+)\s+([^\]]*)\]")
TOKEN = re.compile(
    rf"""\s*(?:
    (?P<comment>\{{[^}}]*\}}|;[^\n]*)
    |(?P<open>\() |(?P<close>\))
    |(?P<number>\d+\.+)
    |(?P<glyph>\$\d+)
    |(?P<result>(?:{RESULT.pattern})(?=[\s){{;]|$))
    |(?P<tag>\[)
    |(?P<move>[^\s{{}}();\[]+)
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

    def commands(self) -> dict[str, str]:
        """The values of `[%clk 2:29:58]` and its like in the comments."""
        texts = (note.text for note in self.after if isinstance(note, Comment))
        return {name: value.strip() for text in texts for name, value in COMMAND.findall(text)}


@dataclass(frozen=True, slots=True)
class Record:
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
        return tuple(Ply(text, tuple(notes)) for text, notes in zip(self.texts, self.notes, strict=True))


def read(text: str, source: str = "record") -> tuple[Record, ...]:
    """All games in `text`. InputError says `source`, the line and what is wrong with it."""
    records = []
    at = _space(text, 0)
    while at < len(text):
        record, at = _read_one(text, at, source)
        records.append(record)
        at = _space(text, at)
    if not records:
        raise InputError(f"{source}: holds no game")
    return tuple(records)


def _space(text: str, at: int) -> int:
    """The next place that is not white space (a byte order mark counts as such)."""
    while at < len(text) and (text[at].isspace() or text[at] == "\ufeff"):
        at += 1
    return at


def _read_one(text: str, at: int, source: str) -> tuple[Record, int]:
    """The game that begins at `at`, and where it ends."""
    tags, at = _read_tags(text, at, source)
    lines, result, first = [_Line()], "", ""
    while at < len(text) and not result:
        token = _token(text, at, source)
        if token is None or token.lastgroup == "tag":
            break
        kind, word = str(token.lastgroup), token[token.lastgroup or 0]
        if kind == "number" and not first and not lines[0].texts:
            first = word
        if fault := _take(lines, kind, word):
            raise _error(text, token.start(kind), source, fault)
        result = word if kind == "result" else ""
        at = token.end()
    if len(lines) > 1:
        raise _error(text, at, source, "a variation in parentheses does not end")
    tag_result = next((value for key, value in tags if key == "Result"), "*")
    return Record(tuple(tags), tuple(lines[0].before), lines[0].plies(), result or tag_result, *_turn(first)), at


def _token(text: str, at: int, source: str) -> re.Match[str] | None:
    """The next token; None at the end of the text."""
    token = TOKEN.match(text, at)
    if token is None and text[at:].strip():
        raise _error(text, at, source, "a comment in braces does not end" if "{" in text[at:] else "unreadable")
    return token


def _turn(number: str) -> tuple[int, int]:
    """The number and the seat that the first move's number tells: `7.` or, for the seats after the first, `7...`."""
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


def _take(lines: list[_Line], kind: str, word: str) -> str:
    """Adds a token to the innermost line; what is wrong with it, or ""."""
    line = lines[-1]
    if kind == "comment":
        line.note(Comment((word[1:-1] if word[0] == "{" else word[1:]).strip()))
    elif kind == "glyph" and not line.note(Glyph(word)):
        return f"{word} stands before any move"
    elif kind == "move":
        line.texts.append(word)
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


def _error(text: str, at: int, source: str, fault: str) -> InputError:
    return InputError(f"{source}: line {text.count(chr(10), 0, at) + 1}: {fault}: {text[at : at + 30].strip()!r}")


def write(record: Record, seats: int = 2) -> str:
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
