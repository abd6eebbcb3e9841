"""Files that strangers made: documents of each format with a few parts changed for what nobody expects.

An edit is a place, what is done there, and a value; hypothesis finds the fewest edits that do harm.
"""

from __future__ import annotations

import copy
import json
import math
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

OUTSIDE = "/tmp/outside-of-the-test"  # noqa: S108  # nothing is ever there: no part of the program may look
VALUES: list[Any] = [
    None, True, -1, 0, 1, 3.5, 2**31, 2**53, 10**30, -(10**400), 1e308, -1e-308, math.nan, math.inf,
    "", "x" * 5000, "0" * 64, "f" * 64, "\ud800", "\x1b]0;owned\x07", "a\nb", "\x00", "É\u202e",
    "WN", "E6", "E6-E5", "1-0",
    "../../outside-of-the-test", OUTSIDE, "/dev/zero", "/proc/self/mem", "file:///etc/passwd",
    f"spy://loop://?file={OUTSIDE}", f"SPY:///dev/null?file={OUTSIDE}&all=1", "alt:///dev/null?class=VTIMESerial",
    "udp://127.0.0.1:1", "hwgrep://.*", "http://127.0.0.1:1/", "rtsp://[", "camelot", "camette", "cam", "chivalry",
    "begin", "move", "result", "takeback", "evidence", "details", "position", "sealed", "paused",
    [], {}, [[]], [None], {"": None}, ["x"] * 50, [[0, 0]] * 4, [[math.inf, 1e300]] * 4,
    json.loads("[" * 40 + "]" * 40),
]  # fmt: skip
DONE = ("put", "drop", "twice", "name", "deeper")
Edit = tuple[int, str, Any]
edits = st.lists(
    st.tuples(
        st.integers(0, 100_000),
        st.sampled_from(DONE),
        st.sampled_from(VALUES) | st.text(max_size=20) | st.floats() | st.integers(),
    ),
    min_size=1,
    max_size=4,
)


def edited(document: Any, changes: Sequence[Edit]) -> Any:
    """A copy of lists, objects and values with these changes."""
    made = copy.deepcopy(document)
    for place, what, value in changes:
        holders = [(holder, key) for holder, key in _places(made)]
        if not holders:
            return made
        holder, key = holders[place % len(holders)]
        if what == "drop":
            del holder[key]
        elif what == "twice" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif what == "name" and isinstance(holder, dict):
            holder[str(value)[:200]] = holder.pop(key)
        elif what == "deeper":
            holder[key] = [holder[key]]
        else:
            holder[key] = copy.deepcopy(value)
    return made


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    within = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in within:
        yield value, key
        yield from _places(item)


def lines_edited(text: str, changes: Sequence[Edit], between: str = " ") -> str:
    """The same for a text whose words stand between blanks."""
    return between.join(str(word) for word in edited(text.split(between), changes))


def as_lines(lines: object) -> str:
    """Values as JSON, one a line."""
    return "".join(json.dumps(line) + "\n" for line in (lines if isinstance(lines, list) else [lines]))


def as_toml(table: object) -> str:
    """A TOML text; what it cannot say is left out."""
    if not isinstance(table, Mapping):
        return f"value = {_toml(table)}\n"
    return "".join(f"{json.dumps(str(key))} = {_toml(value)}\n" for key, value in table.items() if value is not None)


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        inside = (f"{json.dumps(str(key))} = {_toml(item)}" for key, item in value.items() if item is not None)
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value if item is not None) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return str(value) if isinstance(value, int) else json.dumps(str(value), ensure_ascii=True)


TOUCHED: list[str] = []
LOOKING = threading.Event()
OTHERS: set[int | None] = set()
"""Threads of tests before this one that still end."""


def _noticed(event: str, about: tuple[Any, ...]) -> None:
    if not LOOKING.is_set() or threading.get_native_id() in OTHERS:
        return
    if event in {"open", "os.remove", "os.rename", "os.mkdir", "shutil.copyfile"}:
        TOUCHED.extend(str(one) for one in about[:2] if isinstance(one, str | Path))


sys.addaudithook(_noticed)


@contextmanager
def kept_to(*folders: Path) -> Iterator[None]:
    """Fail where Python opens, removes or renames a file that is neither in these folders nor one of the program."""
    TOUCHED.clear()
    OTHERS.clear()
    OTHERS.update(one.native_id for one in threading.enumerate() if one is not threading.current_thread())
    LOOKING.set()
    try:
        yield
    finally:
        LOOKING.clear()
    own = (
        *map(str, folders),
        os.environ["XDG_DATA_HOME"],
        os.environ["XDG_CONFIG_HOME"],
        str(Path(sys.prefix).resolve()),
        sys.prefix,
        sys.base_prefix,
        str(Path(__file__).parents[1]),
        "/usr",
        "/dev/null",
    )
    # A link to itself, or a name within the folder that leads out of it, is resolved first.
    strange = [name for name in TOUCHED if not str(Path(name).resolve()).startswith(own) and name.startswith("/")]
    assert not strange, f"opened {strange}"
    assert not Path(OUTSIDE).exists()
