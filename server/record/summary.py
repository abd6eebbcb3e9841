"""One line about a game in a record: kept beside its events, so that a list of thousands is there at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from engine.game import BY_RULING
from engine.text.replay import UNFINISHED

RULED_ENDING = BY_RULING
"""Why a game is over that ended otherwise at the board, or did not end there (server.saying)."""

REOPENINGS = frozenset({"move", "takeback", "position"})
"""Events after which a game that was over goes on."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the events of a game say about it. `head` is the hash of the last one: a cut-off end shows."""

    name: str
    game: str = ""
    rules: str = ""
    begun: str = ""
    """Date and time (ISO 8601, UTC) when it was begun, "" for recordings."""
    plies: int = 0
    result: str = UNFINISHED
    events: int = 0
    head: str = ""
    details: str = ""
    """Names, event, round, place and arbiter as JSON (server.record.details), "" where nobody said any."""

    @property
    def is_over(self) -> bool:
        """Whether it has a result."""
        return self.result != UNFINISHED

    def after_event(self, event: Mapping[str, object], head: str) -> Summary:
        """The summary when `event`, whose hash is `head`, is the newest one."""
        known: dict[str, Any] = {"events": self.events + 1, "head": head}
        match event.get("event"):
            case "begin":
                known |= {name: _read_text(event, name) for name in ("game", "rules", "begun")}
            case "move":
                known |= {"plies": _read_number(event, "ply"), "result": UNFINISHED}
            case "takeback":
                known |= {"plies": max(0, self.plies - _read_number(event, "plies")), "result": UNFINISHED}
            case "position":
                known["result"] = UNFINISHED
            case "details":
                known["details"] = json.dumps(event.get("details"), ensure_ascii=False)
            case "result":
                known["result"] = _read_text(event, "result")
        return replace(self, **known)

    def known(self) -> dict[str, str]:
        """Who plays and where, each in a line: "players", "event", "round", "place", "arbiter"; "" for what is not."""
        try:
            said = json.loads(self.details) if self.details else {}
        except (ValueError, RecursionError):  # somebody changed the file; `referee verify` says so
            said = {}
        said = said if isinstance(said, dict) else {}
        players = said.get("players")
        names = " – ".join(str(name) for name in players.values()) if isinstance(players, dict) else ""
        return {"players": names} | {
            field: str(said.get(field, "")) for field in ("event", "round", "place", "arbiter")
        }


SUMMARY_KINDS = tuple(type(getattr(Summary(""), field.name)) for field in fields(Summary))
"""What each column of the list of games holds."""


def parse_summary(row: tuple[Any, ...]) -> Summary:
    """A line of the list of games; sqlite3.DatabaseError where it holds something else than was written."""
    if tuple(map(type, row)) != SUMMARY_KINDS:
        raise sqlite3.DatabaseError("the list of games cannot be read")
    return Summary(*row)


def _read_text(event: Mapping[str, object], key: str) -> str:
    return str(event.get(key, ""))


def _read_number(event: Mapping[str, object], key: str) -> int:
    value = event.get(key)
    return value if isinstance(value, int) else 0
