"""What the fields of a game's events must be where they come from elsewhere: numbers that are some, texts of a line.

The service writes no others; a file may say anything. Events of kinds that are not in the table only tell something and
move nothing: of them the time alone is looked at.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence

from engine.errors import InputError
from engine.match.clock import LONGEST_S
from engine.text.records import RESULT

LONGEST_GAME = 100_000
"""Of one game; the longest of the recorded championship games has 164."""
LONGEST_TEXT = 400
"""Characters; the longest chain of captures has 60."""
MOST_CAPTURED = 200
LONGEST_REMARK = 10_000
"""Characters of a comment that is kept: some pages of a book; chosen, not measured. Raising it keeps longer ones,
and makes lines that others may not take (64 KB); lowering it loses more of them."""
REMARK = "remark"
"""The kind of the event that says what people have written after `ply` in a text that was imported: a comment (`text`)
or a numbered mark (`mark`)."""
SPENT = "spent"
"""Field of a move in a text that was imported: the seconds that it took, as the text says (`%emt`)."""
MARK_FORM = re.compile(r"\$\d{1,3}")
DATE_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:$|[T ])")
Check = Callable[[object], bool]
StoredEvent = Mapping[str, object]


def is_date(value: object) -> bool:
    """Whether it is a day of the calendar as ISO 8601 writes it, with or without a time."""
    if not isinstance(value, str) or not DATE_FORM.match(value):
        return False
    try:
        datetime.datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LONGEST_S


def _is_count(value: object) -> bool:
    return _is_count_or_none(value) and value != 0


def _is_count_or_none(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LONGEST_GAME


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT and (value.isprintable() or not value)


def _is_remark(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_REMARK and value.isprintable()


def _is_mark(value: object) -> bool:
    return isinstance(value, str) and MARK_FORM.fullmatch(value) is not None


def _is_cells(value: object) -> bool:
    return isinstance(value, list) and len(value) <= MOST_CAPTURED and all(_is_text(cell) for cell in value)


def _is_result(value: object) -> bool:
    return isinstance(value, str) and RESULT.fullmatch(value) is not None


def _is_details(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    by_side = ("players", "ratings")
    texts = [*(text for key, text in value.items() if key not in by_side)]
    for each in (value.get(key, {}) for key in by_side):
        texts += each.values() if isinstance(each, dict) else [None]
    return all(_is_text(text) for text in texts)


def _is_clocks(value: object) -> bool:
    return isinstance(value, dict) and all(_is_text(side) and _is_seconds(left) for side, left in value.items())


SECONDS_FIELD, NUMBER = (_is_seconds, "a number of seconds"), (_is_seconds, "a number")
COUNT_FIELD, TEXT_FIELD = (
    (_is_count, f"a whole number from 1 to {LONGEST_GAME}"),
    (_is_text, "a short text in one line"),
)
MOVE_LIST = (_is_cells, "a list of moves")
CLOCKS_FIELD = (_is_clocks, "what each side had left, in seconds")
CELLS, OUTCOME = (_is_cells, "a list of cells"), (_is_result, "a result like 1-0")
NEEDED: Mapping[str, Mapping[str, tuple[Check, str]]] = {
    "begin": {"game": TEXT_FIELD, "rules": TEXT_FIELD},
    "move": {
        "t": SECONDS_FIELD,
        "ply": COUNT_FIELD,
        "side": TEXT_FIELD,
        "notation": TEXT_FIELD,
        "from": TEXT_FIELD,
        "to": TEXT_FIELD,
        "captured": CELLS,
        "confidence": NUMBER,
    },
    "ready": {"t": SECONDS_FIELD},
    "takeback": {"plies": (_is_count_or_none, f"a whole number from 0 to {LONGEST_GAME}")},
    "left": {"side": TEXT_FIELD},
    "time-added": {"side": TEXT_FIELD, "seconds": SECONDS_FIELD, "spent": SECONDS_FIELD},
    "details": {"details": (_is_details, "names, event, round, place and arbiter, each a short line")},
    "result": {"result": (_is_text, TEXT_FIELD[1]), "reason": TEXT_FIELD},
    REMARK: {"ply": (_is_count_or_none, f"a whole number from 0 to {LONGEST_GAME}")},
    "paused": {"t": SECONDS_FIELD},
    "adjourned": {"t": SECONDS_FIELD},
}
"""Kind of event -> what it must have."""
ALLOWED: Mapping[str, Mapping[str, tuple[Check, str]]] = {
    "begin": {"begun": TEXT_FIELD, "clock": TEXT_FIELD},
    "move": {"as_played": TEXT_FIELD, "clock": NUMBER, "or": MOVE_LIST, SPENT: NUMBER},
    "evidence": {"ply": COUNT_FIELD, "after": TEXT_FIELD},
    "result": {"result": OUTCOME},
    REMARK: {"text": (_is_remark, "a comment in one line"), "mark": (_is_mark, "a mark like $1")},
    "paused": {"spent": NUMBER},
    "adjourned": {"spent": NUMBER},
}
"""Kind of event -> what it may have, and what that must be."""

OF_ANY: Mapping[str, tuple[Check, str]] = {"t": SECONDS_FIELD, "clocks": CLOCKS_FIELD}
"""What any event may have."""


def check_events(events: Sequence[StoredEvent], where: str) -> None:
    """InputError names `where`, the event and the field that is not what it must be."""
    for number, event in enumerate(events, start=1):
        kind, place = str(event.get("event")), f"{where}: event {number}"
        for field in NEEDED.get(kind, {}):
            if field not in event:
                raise InputError(f"{place}: {field} is missing")
        rules = [*NEEDED.get(kind, {}).items(), *ALLOWED.get(kind, {}).items(), *OF_ANY.items()]
        for field, (is_right, what) in rules:
            if field in event and not is_right(event[field]):
                raise InputError(f"{place}: {field}: {what} is expected, not {_shorten_value(event[field])}")


def _shorten_value(value: object) -> str:
    """The beginning of a value, in a line."""
    said = repr(value)
    return said if len(said) <= 40 else said[:40] + "…"
