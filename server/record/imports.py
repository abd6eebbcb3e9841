"""Games out of files into a record: the text that `games export` writes (and others write like it), lines of JSON.

Everything in a file is played through first; nothing of it is taken over unless all of it holds.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from engine import games
from engine.errors import InputError
from engine.game import Game, Move, Outcome, Position, Refusal, leave_side_out
from engine.match.clock import TimeControl, parse_control, parse_time
from engine.match.course import advance_ply, build_move_event, let_side_leave
from engine.match.events import Left, Result
from engine.match.referee import new_match
from engine.match.state import Phase
from engine.outside import parse_json
from engine.text import prose, records
from engine.text.positions import to_json
from engine.text.records import COMMAND, LEFT, Comment, Glyph, Ply, Variation
from engine.text.replay import AS_PLAYED, PASSED, UNFINISHED, list_leavings, list_results, read_opening, replay_record
from server.disk import WHOLE_DATABASE
from server.record import details
from server.record.archive import as_pgn
from server.record.event_fields import LONGEST_REMARK, REMARK, SPENT, StoredEvent, check_events, is_date
from server.record.evidence import EVIDENCE, LOST, REMOVED
from server.record.journal import BEGIN, UnlawfulError, fold_events, next_free_name
from server.record.playing import is_file_held
from server.record.seal import SEALED
from server.record.store import Record, open_record
from server.record.summary import Summary
from server.record.verifying import find_course_faults, find_untold_end

Note = Comment | Glyph | Variation
DATE = re.compile(r"(\d{4})([.-])(\d\d)\2(\d\d)")
"""A day as PGN has it, or as ISO 8601 does: who begins with the year means one day only."""
UNKNOWN_DATE = re.compile(r"\s*|-|[\d?.]*\?[\d?.]*|\d{4}(\.\d\d)?")
"""A day of which a part is not known: it has question marks, or is left away."""
HAS_VARIANT = re.compile(r'\[\s*Variant\s+"', re.IGNORECASE)
"""Every text that this program wrote says which game it is."""
CAMELOT, BRAINKING, FEDERATION = "camelot", "brainking", "wcf"
OF_BRAINKING = re.compile(r"brainking\.com|^\W*(site|event)\W.*brainking", re.IGNORECASE | re.MULTILINE)
"""A page or record of that server: its address, or its name as the place."""
LOST_LETTER = "\ufffd"
"""What a browser puts in the place of a letter that it cannot read."""
LINE_ENDS = re.compile(r"\r\n?")
READ_OUT = frozenset({"clk", "emt", AS_PLAYED, LEFT})
"""Commands in comments that become events of their own."""
PGN_STAGE = re.compile(r"(?:(?P<moves>\d{1,3})/)?(?P<main>\d{1,6})(?:\+(?P<bonus>\d{1,4}))?")
"""A stage of a time control as PGN has it: seconds, without a unit."""
SURELY_SECONDS = 180
"""From so many on the numbers of such a stage are seconds, as PGN has them: below, people also write minutes (`90+30`).
Three minutes is a usual blitz game, and stages of three hours are not played. Raising it asks about more games, and
lowering it takes minutes for seconds."""
WITHOUT = frozenset({EVIDENCE, REMOVED, LOST, SEALED})
"""Events about pictures and seals, which stay with the record that they belong to."""


class NoVariantError(InputError):
    """A game that does not say which it is, among others that do."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f'{where}: no tag [Variant "..."]; add one of {", ".join(games.names())}, or say it with --variant'
        )
        self.where = where


@dataclass(frozen=True)
class ParsedText:
    """The games of a text, which was read once: name (may be empty) and events of each."""

    games: list[tuple[str, list[StoredEvent]]]
    written: tuple[records.WrittenGame, ...] = ()
    """Of a text of moves what is written there, each with tags that say what it is; none of lines of JSON."""
    ends: tuple[Outcome | None, ...] = ()
    """Of lines of JSON, how each game is over by the rules of which no result is written there."""
    lacks_result: bool = False
    """Whether it has no tags, and no result was found in it, so that its game is not finished."""

    def find_default_rules(self) -> Game | None:
        """The game, by the rules that hold then, of which there is one that names no rules."""
        names = (one.find_tag("Variant") for one in self.written if one.find_tag("Rules") is None)
        return next((games.load(name) for name in names if name and _has_choice(name)), None)

    def list_changes(self) -> list[Changes]:
        """What of each game is otherwise in the record."""
        if self.written:
            return [_find_changes(record) for record in self.written]
        now = (fold_events(events, name) for name, events in self.games)
        return [
            Changes(
                result=end.result if end else "",
                reason=end.reason if end else "",
                unfinished=match.outcome is None and match.phase is not Phase.ADJOURNED,
            )
            for match, end in zip(now, self.ends, strict=True)
        ]


def parse_text(text: str, path: Path, variant: str | None = None, rules: str | None = None) -> ParsedText:
    """Every game in the text of a file, which is called `path`. InputError names the first that does not hold.

    `variant` and `rules` say which game those are that do not say so themselves.
    """
    if LOST_LETTER in text:
        line = text.count("\n", 0, text.index(LOST_LETTER)) + 1
        raise InputError(f"{path}: line {line}: not UTF-8 text; save it as UTF-8")
    if path.suffix.lower() == ".jsonl":
        return _parse_json_lines(text, path)
    text = LINE_ENDS.sub("\n", text)
    if is_prose(text, variant):
        return _parse_prose(text, path, _assume_rules(text, rules)[1])
    return _parse_tagged(text, path, variant, rules)


def describe_assumption(path: Path, taken: tuple[str, str]) -> str:
    """One line about a file whose games do not say which game they are, for a command that has `--variant`."""
    said = "was taken as {} by the rules {}; --variant and --rules say otherwise".format(*taken)
    return f"{path}: does not say which game it is, {said}"


def assumed_in(text: str, path: Path, rules: str | None = None) -> tuple[str, str] | None:
    """The game and the rules that those games of a file's text are taken for that do not say what they are."""
    return None if path.suffix.lower() == ".jsonl" or HAS_VARIANT.search(text) else _assume_rules(text, rules)


def describe_no_result(path: Path) -> str:
    """One line about a file whose text lacks a result."""
    advice = "write 1-0, 0-1 or 1/2-1/2 behind its last move if it is"
    return f"{path}: no result was found, the game is not finished; {advice}"


def is_prose(text: str, variant: str | None) -> bool:
    """Whether it is a page that people wrote, of Camelot, and not a text with tags."""
    without_tags = not text.lstrip("\ufeff \n\r\t").startswith(("[", "{", ";", "%"))
    return variant in {None, CAMELOT} and without_tags and not HAS_VARIANT.search(text)


def _assume_rules(text: str, rules: str | None) -> tuple[str, str]:
    return CAMELOT, rules or (BRAINKING if OF_BRAINKING.search(text) else FEDERATION)


def add_game_tags(record: records.WrittenGame, variant: str | None, rules: str | None) -> records.WrittenGame:
    """A record that says which game it is and by which rules, where it did not and the `variant` and `rules` say it."""
    own = record.find_tag("Variant")
    said = [("Variant", variant)] if variant and own is None else []
    if rules and record.find_tag("Rules") is None and (said or (own and _has_choice(own))):
        said.append(("Rules", rules))
    return replace(record, tags=(*record.tags, *said))


def _has_choice(variant: str) -> bool:
    """Whether a game can be played by several rule sets; a name that is not known is told of elsewhere."""
    try:
        return len(games.find(variant).rule_sets) > 1
    except InputError:
        return False


def add_games(record: Record, games: Sequence[tuple[str, Sequence[StoredEvent]]]) -> list[str]:
    """Write games into the record, all or none, each under its name or the next free one; the names they got."""
    taken, chosen = set(record.event_counts()), list[str]()
    for name, events in games:
        free = name not in taken and details.GAME_NAME.fullmatch(name)
        chosen.append(name if free else next_free_name(taken, str(events[0]["game"])))
        taken.add(chosen[-1])
    record.import_games(zip(chosen, (events for _, events in games), strict=True))
    return chosen


def add_games_to_file(path: Path, games: Sequence[tuple[str, Sequence[StoredEvent]]]) -> list[Summary]:
    """The same into the record at `path`, which is begun if there is none; what each became. InputError where the disk
    does not take them: then there is no record either if there was none."""
    is_new, names = not os.path.lexists(path), list[str]()
    try:
        with open_record(path) as record:
            names = add_games(record, games)
            return [record.find_summary(name) or Summary(name) for name in names]
    except (InputError, OSError):
        if is_new and not names and not is_file_held(path):
            for ending in WHOLE_DATABASE:
                Path(f"{path}{ending}").unlink(missing_ok=True)
        raise


def _parse_json_lines(text: str, path: Path) -> ParsedText:
    found, ends = _split_json_lines(text, path), list[Outcome | None]()
    for number, (events, lines) in enumerate(found, start=1):
        where = f"{path}, game {number}"
        check_events(events, where)
        if (begun := events[0].get("begun")) and not is_date(begun):
            raise InputError(f"{path}, line {lines[0]}: begun {str(begun)[:40]!r}: write it like 2026-11-29")
        _check_results(events, lines, path)
        _check_details(events, lines, path)
        as_pgn(where, events)
        if faults := find_course_faults(where, events):  # the record would be called changed
            raise InputError(faults[0])
        ends.append(end := find_untold_end(where, events))
        if end is not None:
            events.append(Result(float(str(events[-1].get("t", 0.0))), end.result, end.reason).to_json())
    return ParsedText([("", events) for events, _ in found], ends=tuple(ends))


def _split_json_lines(text: str, path: Path) -> list[tuple[list[StoredEvent], list[int]]]:
    """The events of each game, and the lines where they stand."""
    games: list[tuple[list[StoredEvent], list[int]]] = []
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        event = parse_json(line, f"{path}, line {number}")
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise InputError(f'{path}, line {number}: not an event; one is an object with "event"')
        if event["event"] == BEGIN:
            games.append(([], []))
        if not games:
            raise InputError(f"{path}, line {number}: the first event of a game is {BEGIN!r}")
        if event["event"] not in WITHOUT:
            games[-1][0].append(event)
            games[-1][1].append(number)
    return games


def _check_results(events: Sequence[StoredEvent], lines: Sequence[int], path: Path) -> None:
    """InputError with the line of a result that the game cannot have."""
    game = games.load(str(events[0]["game"]), str(events[0]["rules"]))
    known = {*list_results(game), UNFINISHED}
    for event, line in zip(events, lines, strict=True):
        if event["event"] == Result.name and event["result"] not in known:
            raise InputError(
                f"{path}, line {line}: result {event['result']}: a game of {game.name} has {', '.join(sorted(known))}"
            )


def _check_details(events: Sequence[StoredEvent], lines: Sequence[int], path: Path) -> None:
    """InputError with the line of names and ratings that could not be read back: all of them would be left out."""
    seats = games.load(str(events[0]["game"]), str(events[0]["rules"])).seats
    for event, line in zip(events, lines, strict=True):
        if event["event"] == details.DETAILS:
            try:
                details.parse_details(event["details"], seats)
            except InputError as error:
                raise InputError(f"{path}, line {line}: {error}") from None


def _parse_tagged(text: str, path: Path, variant: str | None, rules: str | None) -> ParsedText:
    out, written = list[tuple[str, list[StoredEvent]]](), list[records.WrittenGame]()
    for number, known in enumerate(_read_known_records(text, path, variant, rules), start=1):
        try:
            events = _build_events(known)
            check_events(events, "")
        except InputError as error:
            raise InputError("{where}, game {number}: {why}", where=str(path), number=number, why=error) from None
        out.append((known.find_tag("GameId") or known.find_tag("Event") or "", events))
        written.append(known)
    return ParsedText(out, tuple(written))


def _read_known_records(text: str, path: Path, variant: str | None, rules: str | None) -> Iterator[records.WrittenGame]:
    """The games of a text with tags, each of which says what it is."""
    if variant in {None, CAMELOT} and not HAS_VARIANT.search(text):
        variant, rules = _assume_rules(text, rules)
    for number, record in enumerate(records.read_pgn(text, str(path)), start=1):
        known = add_game_tags(record, variant, rules)
        if known.find_tag("Variant") is None:
            raise NoVariantError(f"{path}, game {number}")
        yield known


def _parse_prose(text: str, path: Path, rules: str) -> ParsedText:
    """A game of Camelot from a page that people wrote."""
    found = prose.read_prose(text, str(path))
    record = add_game_tags(found.record, CAMELOT, rules)
    fault = replay_record(record).fault
    if fault and 0 < fault.ply <= len(found.lines):
        raise UnlawfulError(
            "{where}: {why}", where=str(path), why=_in_line(found.lines[fault.ply - 1], fault.build_error())
        )
    try:
        events = _build_events(record)
        check_events(events, "")
    except InputError as error:
        raise InputError("{where}: {why}", where=str(path), why=error) from None
    return ParsedText([("", events)], (record,), lacks_result=not found.says_result)


def _in_line(line: int, error: InputError) -> InputError:
    """An error with the line that it is in, if that is known."""
    return InputError("line {line}: {why}", line=line, why=error) if line else error


@contextmanager
def _at_tag(record: records.WrittenGame, *names: str) -> Iterator[None]:
    """Where something is wrong, the line of the first of these tags that the record has stands before it."""
    try:
        yield
    except InputError as error:
        line = next((line for name in names for tag, line in record.lines.items() if tag.lower() == name.lower()), 0)
        raise _in_line(line, error) from None


def _read_opening(record: records.WrittenGame) -> tuple[Game, Position]:
    with _at_tag(record, "Variant"):
        games.load(record.find_tag("Variant") or CAMELOT)
    with _at_tag(record, "Position", "Setup", "FEN", "Rules", "Variant"):
        return read_opening(record)


def _build_events(record: records.WrittenGame) -> list[StoredEvent]:
    game, start = _read_opening(record)
    found = replay_record(record)
    if found.fault:
        line = record.plies[found.fault.ply - 1].line if found.fault.ply else record.lines.get("", 0)
        with _at_tag(record, *(() if line else ("Result",))):
            raise _in_line(line, found.fault.build_error())
    begin: dict[str, object] = {"event": BEGIN, "game": game.name, "rules": game.rules}
    begin["position"] = to_json(game, start)
    control = record.find_tag("TimeControl")
    if control and control not in {"-", "?"}:
        with _at_tag(record, "TimeControl"):
            begin["clock"] = _read_control(control).text
    with _at_tag(record, "Date"):
        begun = _read_date(record.find_tag("Date"))
    if begun:
        begin["begun"] = begun
    known = details.parse_tags(record, game)
    named = [known.to_event(0.0, "import").to_json()] if known != details.Details() else []
    events: list[StoredEvent] = [begin, *named, *_build_play_events(game, start, record)]
    result = record.result if found.outcome is None or record.result != UNFINISHED else found.outcome.result
    if result != UNFINISHED:
        t = float(str(events[-1].get("t", 0.0)))
        reason = found.outcome.reason if found.outcome else "recorded"
        events.append(Result(t, result, reason).to_json())
    return events


def _read_date(text: str | None) -> str:
    """A day of PGN's as ISO 8601 writes it; empty where it is not known, or not whole. InputError for what is none."""
    if text is None or UNKNOWN_DATE.fullmatch(text):
        return ""
    date = DATE.fullmatch(text)
    if date is None:
        said = {"date": repr(text), "form": "2026.11.29", "unknown": "????.??.??"}
        raise InputError("date {date}: write it like {form}, or {unknown} where it is not known", **said)
    try:
        return datetime.date(*map(int, date.group(1, 3, 4))).isoformat()
    except ValueError:
        raise InputError("date {date}: there is no such day", date=repr(text)) from None


def _read_control(text: str) -> TimeControl:
    """A time control as this program writes it, or as PGN does, in seconds. InputError for what is neither, and where
    the numbers may as well be minutes."""
    stages = [PGN_STAGE.fullmatch(part.strip()) for part in text.split(":")]
    known = [stage for stage in stages if stage is not None]
    if len(known) < len(stages):
        try:
            return parse_control(text)
        except InputError as error:
            raise InputError("{why}; or take the tag {tag} out", why=error, tag="TimeControl") from None
    in_seconds, in_minutes = (",".join(_write_stage(stage, unit) for stage in known) for unit in "sm")
    if any(int(stage["main"]) < SURELY_SECONDS for stage in known):
        said = {"control": repr(text), "seconds": in_seconds, "minutes": in_minutes, "tag": "TimeControl"}
        raise InputError("clock {control}: write {seconds} or {minutes}, or take the tag {tag} out", **said)
    return parse_control(in_seconds)


def _write_stage(stage: re.Match[str], unit: str) -> str:
    """A stage of PGN as this program writes it."""
    moves, bonus = (f"{stage['moves']}/" if stage["moves"] else ""), stage["bonus"]
    return f"{moves}{stage['main']}{unit}{f'+{bonus}s' if bonus else ''}"


def _build_play_events(game: Game, start: Position, record: records.WrittenGame) -> list[StoredEvent]:
    """The moves of a record that holds, and the sides that went out of the game."""
    match, t, out = new_match(game, start), 0.0, list[StoredEvent]()
    for ply in (Ply(PASSED, record.before), *record.plies):
        if ply.text != PASSED:
            said = ply.parse_commands()
            spent = _parse_seconds(said["emt"]) if "emt" in said else None
            t = round(t + (spent or 0.0), 3)
            found = game.read(match.position, ply.text)
            move = game.overrule(match.position, ply.text) if isinstance(found, Refusal) else found
            if not isinstance(move, Move):
                raise InputError(f"move {ply.text}: cannot be played")
            clock = parse_time(said["clk"]) if "clk" in said else None
            event = replace(build_move_event(match, move, t, 1.0), as_played=said.get(AS_PLAYED), clock=clock)
            marks = ply.text[len(ply.text.rstrip("!?")) :]
            in_full = {"notation": event.notation + marks}
            out.append(event.to_json() | in_full | ({} if spent is None else {SPENT: spent}))
            match = advance_ply(match, move)
        out += _build_remarks(ply.after, len(match.moves), t)
        for side, why in list_leavings(ply.after):
            out.append(Left(t, side, why).to_json())
            end = leave_side_out(game, match.position, side, why)
            match = match if isinstance(end, Outcome) else let_side_leave(match, side, end, why)
    return out


def _build_remarks(notes: Sequence[Note], ply: int, t: float) -> Iterator[StoredEvent]:
    """What people have written after a ply, but for what is kept otherwise or not at all."""
    for note in notes:
        said = {} if isinstance(note, Variation) else {"mark": note.text}
        if isinstance(note, Comment):
            said = {"text": _plain_remark(note)}
        if all(0 < len(text) <= LONGEST_REMARK for text in said.values()) and said:
            yield {"t": t, "event": REMARK, "ply": ply, **said}


def _plain_remark(comment: Comment) -> str:
    """A comment in a line, without what the program reads out of it."""
    text = COMMAND.sub(lambda found: "" if found[1] in READ_OUT else found[0], comment.text)
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())


@dataclass(frozen=True, slots=True)
class Changes:
    """What of a game in a file is otherwise in the record."""

    variations: int = 0
    """How many are not kept."""
    comments: int = 0
    """How many are not kept: they are too long, or stand in those."""
    result: str = ""
    """By the rules, where the file says that the game is not finished, and why; "" where it says so itself."""
    reason: str = ""
    unfinished: bool = False
    """Whether lines of JSON end without a result, or that the game was adjourned: the file may have been cut off."""

    def __bool__(self) -> bool:
        return self != Changes()

    def __str__(self) -> str:
        """For the end of a line about the game."""
        counted = ((self.variations, "variation"), (self.comments, "comment"))
        lost = ", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in counted if count)
        told = f"; over by the rules, {self.result} ({self.reason}), so that is its result" if self.result else ""
        open_end = "; it has no result, so it counts as not finished" if self.unfinished else ""
        return f"{f'; not kept: {lost}' if lost else ''}{told}{open_end}"


def _find_changes(record: records.WrittenGame) -> Changes:
    notes = _list_notes(record)
    comments = sum(isinstance(note, Comment) and len(_plain_remark(note)) > LONGEST_REMARK for note in notes)
    lines = [note for note in notes if isinstance(note, Variation)]
    for line in lines:  # grows: variations stand within variations
        inner = _list_notes(line)
        lines += [note for note in inner if isinstance(note, Variation)]
        comments += sum(isinstance(note, Comment) for note in inner)
    outcome = replay_record(record).outcome if record.result == UNFINISHED else None
    return Changes(len(lines), comments, *((outcome.result, outcome.reason) if outcome else ()))


def _list_notes(line: records.WrittenGame | Variation) -> list[Note]:
    """All that stands between the moves of a line."""
    return [*line.before, *(note for ply in line.plies for note in ply.after)]


def _parse_seconds(text: str) -> float:
    """Seconds of `[%emt 4.0]`, or of h:mm:ss as other programs write it; InputError for what is neither."""
    try:
        return max(0.0, parse_time(text) if ":" in text else parse_time(f"0:0:{text}"))
    except InputError:
        raise InputError(f"%emt {text[:40]!r}: neither seconds nor a time like 1:29:58") from None
