"""Game records as text: tags, moves, comments, clocks, variations; read into values and written back.

Reading and writing keep everything but the spacing: `read(write(record)) == record`. Moves are kept as they were
written; whether they are lawful is a question for engine/text/replay.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from engine.errors import InputError, Worded

DEPTH_LIMIT = 50
"""Variations within variations; records of real games have two or three."""
LONGEST_TEXT_LINE, MOST_WORDS = 1_000_000, 50_000
"""Characters of a line, and moves, numbers and comments of a game, that are read: ten times the longest that was ever
written. Without a bound a file of one line takes minutes before anything is said of it; lower ones would refuse games
with very long remarks."""
LINE_WIDTH = 100

TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]++|\\.)*+)"\s*\]')
RESULT = re.compile(r"\*|[01]-[01](?:-[01])?|1/2-1/2(?:-0)?|1/2-0-1/2|0-1/2-1/2|1/3-1/3-1/3")
"""How a game may end in a record; * is for one that has not."""
NOT_KNOWN = frozenset({"", "?"})
"""What stands in a tag whose value nobody knows."""
COMMAND = re.compile(r"\[%(\S+)\s+([^\]]*)\]")
DASH = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
"""The hyphen, and what word processors and web pages write in its place."""
CROSSES = "\u00d7\u2715\u2716"
INVISIBLE_LETTERS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""What programs put between letters that nobody sees."""
CELL = r"\d?[A-Za-z]\d{1,2}"
SIGN = rf"(?:[^\S\n]|[{INVISIBLE_LETTERS}])*[{DASH}{CROSSES}xX](?:\s|[{INVISIBLE_LETTERS}])*"
GLYPHS = {
    **{"!": 1, "?": 2, "!!": 3, "\u203c": 3, "??": 4, "\u2047": 4, "!?": 5, "\u2049": 5, "?!": 6, "\u2048": 6},
    **{"=": 10, "\u221e": 13, "\u2a72": 14, "\u2a71": 15, "\u00b1": 16, "\u2213": 17, "+-": 18, "-+": 19},
    **{"+=": 14, "=+": 15, "+/-": 16, "-/+": 17, "\u25a1": 7},
}
"""Signs that annotators write after a move, and the numbers that PGN has for them."""
ANNOTATED = "|".join(re.escape(sign) for sign in sorted(GLYPHS, key=len, reverse=True))
EVALUATIONS = "|".join(re.escape(sign) for sign in sorted(GLYPHS, key=len, reverse=True) if sign[0] not in "!?")
GLUED = re.compile(rf"(?<=[\w!?])(\$\d+|{EVALUATIONS})$")
"""A mark right after its move; `!` and `?` stay with it."""
SCORE = r"(?:[01]|1/[23]|\u00bd|0[.,]5)"
IN_WORDS = (
    r"(?i:(?:white|black)\s+(?:resign(?:s|ed)|los(?:es|t)|w(?:ins|on))|(?:a\s+)?draw(?:n|\s+agreed)?"
    r"|remise?|(?:partie\s+)?nulle|empate|unentschieden|tablas|patta)"
    r"(?:\s+(?:by|on)\s+\w+)?[.!]?"
)
"""How a game of two ended, in words, where no others stand beside it."""
LEAVES = r"(?i:[^\W\d_]{2,}\s+(?:resign(?:s|ed)|los(?:es|t)\s+on\s+time))[.!]?"
"""That a side of any game went out of it, in words."""
LEFT = "left"
"""Comment command after the move with which, or before the first before which, a side went out of the game, and why:
`[%left red resigned]`."""
WHOLE_MOVE = re.compile(rf"{CELL}{SIGN}{CELL}")
WORD = re.compile(r"(?<!\S)[^\W\d_]{2,}(?!\S)")
TOKEN = re.compile(
    rf"""[\s{INVISIBLE_LETTERS}]*(?:
    (?P<comment>\{{[^}}]*\}}|;[^\n]*|(?<![^\n])%[^\n]*)
    |(?P<open>\() |(?P<close>\))
    |(?P<result>(?:\*|{SCORE}(?:[^\S\n]?[{DASH}:][^\S\n]?{SCORE}){{1,2}})(?=[\s){{;]|$))
    |(?P<number>\d+[^\S\n]*[.\u2026]+(?:[^\S\n]+(?:\.{{2,}}|\u2026))*|\.{{2,}}|\u2026
        |\d{{1,3}}(?:\)|[^\S\n](?=\s*{CELL}{SIGN}))(?=\s*(?:\.{{2,}}|\u2026|{CELL})))
    |(?P<glyph>(?:\$\d+|{ANNOTATED})(?=[\s){{;]|$))
    |(?P<tag>\[)
    |(?P<said>{IN_WORDS}(?=[\s){{;]|$))
    |(?P<leaves>{LEAVES}(?=[\s){{;]|$))
    |(?P<move>{CELL}(?:{SIGN}{CELL})+[^\s{{}}();\[]*|[^\s{{}}();\[]+)
    )""",
    re.VERBOSE,
)

NO_END_OF_COMMENT, NO_COMMENT_BEGUN = "a comment in braces is never closed", "a closing brace has no opening one"
NO_END_OF_VARIATION = "a variation in parentheses is never closed"
NO_VARIATION_BEGUN = "a closing parenthesis has no opening one"
RESULT_OF_VARIATION, VARIATION_OF_NOTHING = "a variation has no result", "a variation stands before any move"
UNREADABLE = "unreadable"
TEXT_FAULTS = (
    *(NO_END_OF_COMMENT, NO_COMMENT_BEGUN, NO_END_OF_VARIATION, NO_VARIATION_BEGUN),
    *(RESULT_OF_VARIATION, VARIATION_OF_NOTHING, UNREADABLE),
)
"""What may be wrong with a text, as people are told in any language."""


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
    number: str = field(default="", compare=False)
    """The number that was written before it, "" for none."""

    def parse_commands(self) -> dict[str, str]:
        """The values of `[%clk 2:29:58]` and its like in the comments."""
        return dict(list_commands(self.after))


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """One game. `first_number` and `first_seat` say where the numbering begins: 1 and 1 for `1... H11-F9`."""

    tags: tuple[tuple[str, str], ...]
    before: tuple[Comment, ...]
    plies: tuple[Ply, ...]
    result: str
    first_number: int = 1
    first_seat: int = 0
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Where each tag was read, and under "" the result."""

    def find_tag(self, name: str) -> str | None:
        """The value of the first tag of that name, in small letters or capitals."""
        return next((value for key, value in self.tags if key.lower() == name.lower()), None)


def list_commands(notes: Iterable[Comment | Glyph | Variation]) -> list[tuple[str, str]]:
    """Names and values of `[%clk 2:29:58]` and its like in the comments, in order."""
    texts = (note.text for note in notes if isinstance(note, Comment))
    return [(name, value.strip()) for text in texts for name, value in COMMAND.findall(text)]


class _Line:
    """A line of moves while it is being read."""

    def __init__(self) -> None:
        self.before: list[Comment] = []
        self.texts: list[str] = []
        self.lines: list[int] = []
        self.numbers: list[str] = []
        self.number = ""
        """The one that was read before the move that comes."""
        self.notes: list[list[Comment | Glyph | Variation]] = []

    def add_note(self, note: Comment | Glyph | Variation) -> bool:
        """Adds what stands after the last move; False where only a comment may stand."""
        if self.notes:
            self.notes[-1].append(note)
        elif isinstance(note, Comment):
            self.before.append(note)
        else:
            return False
        return True

    def add_comments(self, comments: Iterable[Comment]) -> None:
        """Adds what people wrote, which may stand anywhere."""
        for comment in comments:
            self.add_note(comment)

    def build_plies(self) -> tuple[Ply, ...]:
        read = zip(self.texts, self.notes, self.lines, self.numbers, strict=True)
        return tuple(Ply(text, tuple(notes), line, number) for text, notes, line, number in read)

    def add_move(self, word: str, line: int) -> None:
        """Adds a move, and the mark that stands right after it."""
        text = plain_move(word)
        marked = GLUED.search(text)
        self.texts.append(text[: marked.start()] if marked else text)
        self.notes.append([_build_glyph(marked[1])] if marked else [])
        self.lines.append(line)
        self.numbers.append(self.number)
        self.number = ""


class _Ending:
    """How a game ends while it is being read: `said` in words, and by its `result`, with which it is over."""

    def __init__(self) -> None:
        self.said = self.result = ""
        self.where = dict[str, int]()

    def add_token(self, kind: str, word: str, number: int, lines: list[_Line]) -> str:
        """Takes a token of line `number`; how the game's own line contradicts the words, or ""."""
        if len(lines) > 1:
            return ""
        if kind == "said":
            self.said = result_in_words(word)
        elif kind == "result":
            self.result = normalise_result(word)
        if kind == "result" or (kind == "said" and lines[0].texts):
            self.where[""] = number
        told_otherwise = self.said and (kind == "move" or self.result not in {"", self.said})
        return f"the game was said to have ended {self.said}" if told_otherwise else ""

    def find_result(self, tags: Iterable[tuple[str, str]]) -> str:
        """The result: what stands after the moves, else what the tag says."""
        tagged = next((value for key, value in tags if key.lower() == "result"), "")
        return self.result or self.said or normalise_result(tagged)


def read_pgn(text: str, source: str = "record") -> tuple[WrittenGame, ...]:
    """All games in `text`. InputError says `source`, the line and what is wrong with it."""
    _check_lines(text, source)
    records: list[WrittenGame] = []
    at, counted, line = _skip_space(text, 0), 0, 1
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        record, at = _read_one(text, at, source, line)
        if record.tags or record.plies or record.lines:
            records.append(record)
        elif records:
            if record.result not in {"*", records[-1].result}:
                raise build_error(text, counted, source, f"the game ended {records[-1].result}")
            records[-1] = _append_remarks(records[-1], record.before)  # a remark after the result is no game
        at = _skip_space(text, at)
    if not records:
        raise InputError("{where}: holds no game", where=source)
    return tuple(records)


def _check_lines(text: str, source: str) -> None:
    """InputError for a line that is longer than any of a game."""
    begins = number = 0
    while begins <= len(text):
        end = text.find("\n", begins)
        end, number = len(text) if end < 0 else end, number + 1
        if end - begins > LONGEST_TEXT_LINE:
            raise InputError(f"{source}: line {number}: is longer than {LONGEST_TEXT_LINE} characters; no game is")
        begins = end + 1


def _append_remarks(record: WrittenGame, remarks: tuple[Comment, ...]) -> WrittenGame:
    """The record with remarks after its last move."""
    if not remarks:
        return record
    if not record.plies:
        return replace(record, before=(*record.before, *remarks))
    last = replace(record.plies[-1], after=(*record.plies[-1].after, *remarks))
    return replace(record, plies=(*record.plies[:-1], last))


def _skip_space(text: str, at: int) -> int:
    """The next place that is not white space (what is unseen counts as such)."""
    while at < len(text) and (text[at].isspace() or text[at] in INVISIBLE_LETTERS):
        at += 1
    return at


def _read_one(text: str, at: int, source: str, number: int) -> tuple[WrittenGame, int]:
    """The game that begins at `at`, in line `number`, and where it ends."""
    counted = at
    tags, above, where, at = _read_head(text, at, source, number)
    lines, ending, first, words = [_Line()], _Ending(), "", 0
    while at < len(text) and not ending.result:
        token = _next_token(text, at, source)
        if token is None or token.lastgroup == "tag":
            break
        kind, word, words = str(token.lastgroup), token[token.lastgroup or 0], words + 1
        if words > MOST_WORDS:
            raise build_error(text, at, source, f"a game of more than {MOST_WORDS} moves, numbers and comments")
        if kind == "number" and not first and not lines[0].texts:
            first = word
        number, counted = number + text.count("\n", counted, token.start(kind)), token.start(kind)
        if fault := _add_token(lines, kind, word, number) or ending.add_token(kind, word, number, lines):
            raise build_error(text, token.start(kind), source, fault)
        at = token.end()
    if len(lines) > 1:
        raise build_error(text, at, source, NO_END_OF_VARIATION)
    comments = (*above, *lines[0].before)
    return WrittenGame(
        tuple(tags),
        comments,
        lines[0].build_plies(),
        ending.find_result(tags),
        *_parse_first_turn(first),
        where | ending.where,
    ), at


def normalise_result(text: str) -> str:
    """A result as records have it, of one with other dashes, a colon, spaces or another half; `?` and none are `*`."""
    plain = re.sub(rf"\s*[{DASH}:]\s*", "-", text.strip())
    return re.sub("\u00bd|0[.,]5", "1/2", plain) if plain not in NOT_KNOWN else "*"


def result_in_words(text: str) -> str:
    """The result that IN_WORDS says."""
    side, _, verb = text.lower().partition(" ")
    if side not in {"white", "black"}:
        return "1/2-1/2"
    return "1-0" if (side == "white") is verb.lstrip().startswith("w") else "0-1"


def _build_comment(word: str) -> Comment:
    return Comment((word[1:-1] if word[0] == "{" else word[1:]).strip())


def _list_comments(kind: str, word: str) -> list[Comment]:
    """What is kept of a remark: of a line that begins with % nothing, of words that a side went out what says it."""
    if kind == "said":
        return [Comment(word)]
    if kind == "leaves":
        side, _, verb = word.lower().partition(" ")
        return [Comment(f"[%{LEFT} {side} {'time' if verb.lstrip().startswith('l') else 'resigned'}]")]
    return [_build_comment(word)] if word[0] != "%" else []


def _build_glyph(sign: str) -> Glyph:
    return Glyph(f"${GLYPHS[sign]}" if sign in GLYPHS else sign)


def _read_head(
    text: str, at: int, source: str, number: int
) -> tuple[list[tuple[str, str]], list[Comment], dict[str, int], int]:
    """The tags from `at` in line `number` on, the comments above and between them, the line of each, where they end."""
    tags, comments, where = list[tuple[str, str]](), list[Comment](), dict[str, int]()
    said = dict[str, str]()
    counted, ended = at, -1
    while ended != at:
        above, at = _read_comments_above(text, at)
        comments += above
        ended = at
        while (found := _read_tag(text, at, source)) is not None:
            number, counted = number + text.count("\n", counted, at), at
            name, value = found[0]
            if said.setdefault(name.lower(), value) != value:
                raise build_error(text, at, source, f"the tag {name} stands twice, and says two things")
            where.setdefault(name, number)
            tags.append((name, value))
            at = _skip_space(text, found[1])
    return tags, comments, where, at


def _read_comments_above(text: str, at: int) -> tuple[list[Comment], int]:
    """The comments above the tags, and where they end; lines that begin with % are other programs' own."""
    above: list[Comment] = []
    while (token := TOKEN.match(text, at)) and token.lastgroup == "comment":
        if not token["comment"].startswith("%"):
            above.append(_build_comment(token["comment"]))
        at = _skip_space(text, token.end())
    return above, at


def _next_token(text: str, at: int, source: str) -> re.Match[str] | None:
    """The next token; None at the end of the text."""
    token = TOKEN.match(text, at)
    if token is None and text[at:].strip():
        at = _skip_space(text, at)
        unended = NO_END_OF_COMMENT if "{" in text[at:] else UNREADABLE
        raise build_error(text, at, source, NO_COMMENT_BEGUN if text[at] == "}" else unended)
    return token


def _parse_first_turn(number: str) -> tuple[int, int]:
    """The number and the seat that the first move's number tells: `7.` or, for the seats after the first, `7...`."""
    digits, dots = re.sub(r"\D", "", number), number.replace("\u2026", "...").split()
    return int(digits[:9] or 1), max(0, dots[-1].count(".") - 2) if dots else 0


def _read_tag(text: str, at: int, source: str) -> tuple[tuple[str, str], int] | None:
    """The tag that begins at `at`, and where it ends; None where none does."""
    if not text.startswith("[", at):
        return None
    tag = TAG.match(text, at)
    if tag is None:
        raise build_error(text, at, source, 'a tag is written [Name "value"]')
    value = re.sub(r"\\(.)", r"\1", tag[2])
    if tag[1].lower() == "result" and not RESULT.fullmatch(normalise_result(value)):
        raise build_error(text, at, source, "a result is 1-0, 0-1, 1/2-1/2, or * for a game that is not over")
    return (tag[1], value), tag.end()


def _add_token(lines: list[_Line], kind: str, word: str, number: int) -> str:
    """Adds a token of line `number` to the innermost line of moves; what is wrong with it, or ""."""
    line = lines[-1]
    if kind in {"said", "leaves", "comment"}:
        line.add_comments(_list_comments(kind, word))
    elif kind == "glyph" and not line.add_note(_build_glyph(word)):
        return f"{word[:40]} stands before any move"
    elif kind == "number":
        line.number = re.sub(r"\D", "", word)
    elif kind == "move":
        line.add_move(word, number)
    elif kind == "result" and len(lines) > 1:
        return RESULT_OF_VARIATION
    elif kind == "open":
        if not line.texts:
            return VARIATION_OF_NOTHING
        if len(lines) > DEPTH_LIMIT:
            return f"more than {DEPTH_LIMIT} variations within each other"
        lines.append(_Line())
    elif kind == "close":
        if len(lines) == 1:
            return NO_VARIATION_BEGUN
        done = lines.pop()
        lines[-1].add_note(Variation(tuple(done.before), done.build_plies()))
    return ""


def plain_move(move: str) -> str:
    """A move with the signs that the notation has, and nothing around them."""
    plain = re.sub(rf"[{DASH}]", "-", re.sub(rf"[\s{INVISIBLE_LETTERS}]+", "", move))
    return re.sub(rf"[{CROSSES}]|(?<=\d)X", "x", plain)


def typed_move(text: str) -> str:
    """What a person typed for a move, in capitals and as `plain_move` has it; as it is where words stand in it. Several
    whole moves stay apart, as a question offers plies one after another, and so do cells with no sign between them."""
    if WORD.search(text):
        return text.strip()
    words = text.upper().split()
    are_apart = all(map(WHOLE_MOVE.search, words)) or all(re.fullmatch(CELL, word) for word in words)
    return (" " if are_apart else "").join(map(plain_move, words))


def build_error(text: str, at: int, source: str, fault: str | Worded) -> InputError:
    """`fault` with the line of `at`, and what stands there."""
    line, there = text.count("\n", 0, at) + 1, repr(text[at : at + 30].strip())
    return InputError("{where}: line {line}: {fault}: {there}", where=source, line=line, fault=fault, there=there)


def write_pgn(record: WrittenGame, seats: int = 2) -> str:
    """The text of one game of `seats` players, ending with a line break."""
    tags = [f'[{name} "{_escape_tag(value)}"]' for name, value in record.tags]
    first = record.first_number * seats + record.first_seat
    words = [f"{{{_escape_braces(note.text)}}}" for note in record.before]
    words += [*_list_words(record.plies, first, seats), record.result]
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > LINE_WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".lstrip()
    return "\n".join([*tags, "", *lines, line, ""]).lstrip("\n")


def _list_words(plies: Iterable[Ply], first: int, seats: int) -> Iterator[str]:
    """The words of a line of moves; `first` is the turn of its first move, number times seats plus seat."""
    broken = True
    for turn, ply in enumerate(plies, start=first):
        number, seat = divmod(turn, seats)
        if not seat or broken:
            yield f"{number}." + "." * (seat + 1 if seat else 0)
        yield ply.text
        for note in ply.after:
            if isinstance(note, Variation):
                inner = [f"{{{_escape_braces(comment.text)}}}" for comment in note.before]
                yield f"({' '.join([*inner, *_list_words(note.plies, turn, seats)])})"
            else:
                yield f"{{{_escape_braces(note.text)}}}" if isinstance(note, Comment) else note.text
        broken = any(not isinstance(note, Glyph) for note in ply.after)


def _escape_braces(text: str) -> str:
    """`text` as it may stand in braces."""
    return text.replace("}", ")")


def _escape_tag(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
