"""How every board stands: what it said last, and what troubles it, worst first."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from server.hall import wire
from server.hall.desk.ledger import Ledger

BOARD_TROUBLES = ("offline", "chain", "missing", "cannot-see", "doubt", "refused", "flag", "lights")
"""What an arbiter may have to go for, the most urgent first: `doubt` is a question of the referee, `refused` a move."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board as far as it is known; nobody changes it."""

    name: str
    online: bool = False
    state: Mapping[str, Any] | None = None
    health: Mapping[str, Any] | None = None
    heard_s: float = 0.0
    """When its state came, by the hall's own clock (time.time): clocks are counted down from there."""

    def claims(self) -> dict[str, int]:
        """The games it told of -> how many events they have."""
        claimed = dict(self.health["records"]) if self.health else {}
        if self.state:
            claimed[self.state["name"]] = max(self.state["events"], claimed.get(self.state["name"], 0))
        return claimed


class Boards:
    """Every board that was heard of: at most MOST of them. Written by one thread, read by any."""

    MOST = 2000
    """One broker and one hall carry some hundred; names beyond this are somebody's mistake, or malice."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._lock = ledger, threading.Lock()
        self._boards: dict[str, Board] = {}

    def take(self, board: str, kind: str, said: object) -> bool:
        """Note a message that came through the door; whether there was room for the board."""
        with self._lock:
            if board not in self._boards and len(self._boards) >= self.MOST:
                return False
            before = self._boards.get(board, Board(board))
            if kind == wire.AVAILABLE:
                after = replace(before, online=said == wire.ONLINE)
            elif kind == wire.STATE and isinstance(said, Mapping):
                after = replace(before, state=said, heard_s=time.time())
            elif kind == wire.HEALTH and isinstance(said, Mapping):
                after = replace(before, health=said)
            else:
                after = before
            self._boards[board] = after
            return True

    def all(self) -> list[Board]:
        """Every board, by name."""
        with self._lock:
            return [self._boards[name] for name in sorted(self._boards)]

    def one(self, name: str) -> Board | None:
        """One board, None if nobody heard of it."""
        with self._lock:
            return self._boards.get(name)

    def missing(self) -> dict[tuple[str, str], int]:
        """Games that a board has more of than is stored -> the first number that is missing."""
        found = {}
        for board in self.all():
            for game, events in board.claims().items():
                known = self._ledger.known(board.name, game)
                stored = known.summary.events if known else 0
                if stored < events and (known is None or known.broken_at is None):
                    found[board.name, game] = stored + 1
        return found

    def shown(self, board: Board) -> dict[str, object]:
        """A board as the pages draw it."""
        return {
            "board": board.name,
            "online": board.online,
            "state": board.state,
            "health": board.health,
            "heard": round(board.heard_s, 3),
            "troubles": self.troubles(board),
        }

    def troubles(self, board: Board) -> list[str]:
        """Of BOARD_TROUBLES those that it has, in their order."""
        state, health = board.state or {}, board.health or {}
        name = state.get("name")
        known = self._ledger.known(board.name, str(name)) if name else None
        clocks = state.get("clocks") or {}
        has = {
            "offline": not board.online,
            "chain": known is not None and known.broken_at is not None,
            "missing": bool(state) and (known.summary.events if known else 0) < state["events"],
            "cannot-see": state.get("cannot_see") is not None
            or health.get("camera", "ok") != "ok"
            or state.get("phase") == "blind",
            "doubt": state.get("phase") == "unclear",
            "refused": state.get("phase") == "trouble",
            "flag": not state.get("result") and any(left <= 0 for left in clocks.get("left", {}).values()),
            "lights": bool(health.get("lights")),
        }
        return [name for name in BOARD_TROUBLES if has[name]]


def by_trouble(shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Boards with troubles first, the worst of them at the top; otherwise by name."""
    return sorted(
        shown,
        key=lambda one: (min(map(BOARD_TROUBLES.index, one["troubles"]), default=len(BOARD_TROUBLES)), one["board"]),
    )
