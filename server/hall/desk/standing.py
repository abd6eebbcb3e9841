"""How every board stands: what it said last, when, by which clock, and how far its record goes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from server.hall.desk.ledger import Ledger
from server.hall.desk.troubles import (
    BOARD_TROUBLES,
    CHAIN,
    MISSING,
    OF_WHO_IS_AWAY,
    REPORTED,
    SHORTER,
    TWINS,
    WRONG_CLOCK,
    GameTrouble,
    find_reported_troubles,
)
from server.mqtt import wire
from server.record.summary import Summary

SKEWS_COMPARED = 4
"""Of so many pulses the one that came fastest tells how far a board's clock is off. More are steadier, and notice later
that a clock was set right."""
ALONE_S = 30.0
"""Two of one name take turns about once a second; on a busy computer one may have the line for longer than it takes to
say no more that there are two. Less believes the wrong one, more leaves a ruling in the queue for longer."""
CLOCK_OFF_S = 30.0
"""From here on a board's clock is called wrong. Nothing rests on less: commands allow for the difference, and rounds
are further apart. A slow line makes a clock seem late by as much as it is slow."""
RUNS_KNOWN = 3
"""Programs of one name that are told apart."""
SETTLES_S = 8.0
"""What is wrong with a board is known so long after the broker has begun to carry, or after its line was cut: what the
broker keeps has come, and it is known who is silent (3.5 s) and which records count otherwise than is stored (6 s).
Until then no matter passes by itself for what is not seen. Less lets matters go that are there still, and with them who
has taken them or what was decided; more lets what is over stand in the queue for longer after each start."""


@dataclass(frozen=True, slots=True)
class Claim:
    """How far a board says that its newest game goes, the hash of the last event, and when it said so (monotonic)."""

    game: str
    events: int
    head: str
    at_s: float


@dataclass(frozen=True, slots=True)
class BoardStanding:
    """A board as far as it is known; nobody changes it."""

    name: str
    online: bool = False
    state: Mapping[str, Any] | None = None
    health: Mapping[str, Any] | None = None
    heard_s: float = 0.0
    """When its state came, by the hall's own clock (time.time): clocks are counted down from there."""
    pulse_s: float | None = None
    """When it was heard to live (monotonic); None for one that never said so, as older boards do not."""
    runs: tuple[str, ...] = ()
    """The programs that spoke as this board, the last one last."""
    run_games: Mapping[str, str] = field(default_factory=dict)
    """Of each of them the game that it said last."""
    returned_s: float | None = None
    """When a program spoke again after another had spoken as this board (monotonic): there are two of the name."""
    skews: tuple[float, ...] = ()
    """By how many seconds its clock was ahead of the hall's, at its newest pulses."""
    claim: Claim | None = None
    told: int | None = None
    """How many events all its games have that a hall is told."""
    doubts: frozenset[str] = frozenset()
    """Troubles that show only in the course of time (server.hall.desk.monitor)."""
    doubted_games: frozenset[GameTrouble] = frozenset()
    """Of which games those of `doubts` are that are of a game."""
    left_s: float | None = None
    """When it was last heard that it is not connected (monotonic); None while it is, or was never heard of."""

    departed: float | None = None
    """When somebody said that it has left the hall for good (time.time); None while it has not, or is here again."""
    came: float = 0.0
    """When it was last heard that it is connected (time.time), however short it was."""

    @property
    def is_heard(self) -> bool:
        """Whether it is connected, and lives: a broker that lost power may call one connected that is not there."""
        return self.online and self.pulse_s is not None

    @property
    def clock_skew(self) -> float:
        """By how many seconds its clock is ahead of the hall's; a slow line makes it seem behind, never ahead."""
        return max(self.skews, default=0.0)

    @property
    def games_spoken_of(self) -> list[str]:
        """The games of the two programs that spoke last as this board, in an order that is not that of their turns."""
        return sorted({self.run_games[run] for run in self.runs[-2:] if run in self.run_games})

    def claimed_events(self) -> dict[str, int]:
        """The games it told of -> how many events they have."""
        claimed = dict(self.health["records"]) if self.health else {}
        if self.claim:
            claimed[self.claim.game] = max(self.claim.events, claimed.get(self.claim.game, 0))
        return claimed


class Boards:
    """Every board that was heard of: at most MOST of them. Written by one thread, read by any."""

    MOST = 2000
    """One broker and one hall carry some hundred; names beyond this are somebody's mistake, or malice."""

    def __init__(self, ledger: Ledger, steady: Callable[[], float] = time.monotonic) -> None:
        self._ledger, self._steady, self._lock = ledger, steady, threading.Lock()
        self._boards: dict[str, BoardStanding] = {}
        self._disputes: frozenset[tuple[str, GameTrouble]] = frozenset()
        self._decided: frozenset[tuple[str, GameTrouble]] = frozenset()
        self._counting: Mapping[tuple[str, str], str] = {}

    def note_message(
        self, board: str, kind: str, said: object, at: float | None = None, *, is_old: bool = False
    ) -> bool:
        """Note a message that came through the door at that time (time.time); whether there was room for the board.

        `is_old`: the broker had kept it, nobody knows for how long.
        """
        at = time.time() if at is None else at
        with self._lock:
            if board not in self._boards and len(self._boards) >= self.MOST:
                return False
            self._boards[board] = self._apply_message(
                self._boards.get(board, BoardStanding(board)), kind, said, at, is_old=is_old
            )
            return True

    def _apply_message(
        self, before: BoardStanding, kind: str, said: object, at: float, *, is_old: bool
    ) -> BoardStanding:
        if kind == wire.AVAILABLE:
            if said == wire.ONLINE:
                return replace(before, online=True, left_s=None, departed=None, came=at)
            return replace(before, online=False, left_s=before.left_s or self._steady())
        if not isinstance(said, Mapping):
            return before
        if kind == wire.STATE:
            claim = Claim(said["name"], said["events"], said.get("head", ""), self._steady())
            return replace(before, state=said, heard_s=at, claim=claim)
        if kind == wire.HEALTH:
            return replace(before, health=said)
        if kind == wire.PULSE and not is_old:
            return self._apply_pulse(before, said, at)
        return before

    def _apply_pulse(self, before: BoardStanding, said: Mapping[str, Any], at: float) -> BoardStanding:
        """After a pulse."""
        run, now = str(said["run"]), self._steady()
        is_back = run in before.runs[:-1]
        runs = (*[other for other in before.runs if other != run], run)[-RUNS_KNOWN:]
        same = before.runs[-1:] == (run,)
        after = replace(
            before,
            pulse_s=now,
            runs=runs,
            returned_s=now if is_back else before.returned_s,
            told=said.get("told", before.told),
            skews=(*(before.skews if same else ()), float(said["at"]) - at)[-SKEWS_COMPARED:],
        )
        if "name" in said and "events" in said:
            games = {other: game for other, game in before.run_games.items() if other in runs}
            claim = Claim(said["name"], said["events"], said.get("head", ""), now)
            after = replace(after, claim=claim, run_games=games | {run: said["name"]})
        return after

    def add_expected(self, names: Iterable[str]) -> None:
        """Boards that are known from before: who of them is not heard of is missing, and not forgotten."""
        with self._lock:
            self._boards = {name: BoardStanding(name) for name in names} | self._boards

    def set_doubts(self, name: str, doubts: frozenset[str], doubted_games: frozenset[GameTrouble]) -> None:
        """What time has shown of a board, and of which of its games."""
        with self._lock:
            self._boards[name] = replace(self._boards[name], doubts=doubts, doubted_games=doubted_games)

    def came_after(self, name: str, at: float) -> bool:
        """Whether a board of that name was connected after a time (time.time)."""
        known = self.find_board(name)
        return known is not None and known.came > at

    def set_departures(self, departures: Mapping[str, float]) -> set[str]:
        """Which boards have left the hall for good, these and no others, and since when; those of which it is new."""
        with self._lock:
            known = {name: board for name, board in self._boards.items() if not board.online}
            changed = {name for name, board in known.items() if board.departed != departures.get(name)}
            self._boards |= {name: replace(known[name], departed=departures.get(name)) for name in changed}
        return changed

    def set_disputes(
        self, disputes: Collection[tuple[str, GameTrouble]], decided: Collection[tuple[str, GameTrouble]]
    ) -> set[str]:
        """Of which games boards say another result than counts (troubles.DISPUTED), of these and no others, and on
        which of that an arbiter has `decided`; the boards of which something of it is new."""
        before = self._disputes, self._decided
        self._disputes, self._decided = frozenset(disputes), frozenset(decided)
        return {board for board, _ in (before[0] ^ self._disputes) | (before[1] ^ self._decided)}

    def set_counting(self, counting: Mapping[tuple[str, str], str]) -> set[str]:
        """Of which games (board, name) the board's own result does not count, of these and no others, and which does
        ("" for none); the boards of which it is new."""
        before, self._counting = self._counting, dict(counting)
        return {board for (board, _), _ in before.items() ^ self._counting.items()}

    def list_game_troubles(self, board: BoardStanding) -> set[GameTrouble]:
        """What the hall has found of games of a board, of the one on it or of any before."""
        return {one for name, one in self._disputes if name == board.name} | board.doubted_games

    def list_boards(self) -> list[BoardStanding]:
        """Every board, by name."""
        with self._lock:
            known = [self._boards[name] for name in sorted(self._boards)]
        return [self._hide_old_state(board) for board in known]

    def find_board(self, name: str) -> BoardStanding | None:
        """One board, None if nobody heard of it."""
        with self._lock:
            known = self._boards.get(name)
        return self._hide_old_state(known) if known else None

    def _hide_old_state(self, board: BoardStanding) -> BoardStanding:
        """Without a state of a game that is older than what is stored, as a broker has it that lost power: it writes
        what it keeps once in a while. A board that is heard says itself where it is."""
        if board.is_heard or board.state is None or not self._ledger.was_left(board.name, board.state["name"]):
            return board
        return replace(board, state=None)

    def is_alone(self, board: BoardStanding) -> bool:
        """Whether one program speaks as a board, and has for so long that no other waits for its turn."""
        return board.returned_s is None or self._steady() - board.returned_s >= ALONE_S

    def find_missing(self) -> dict[tuple[str, str], int]:
        """Games that a board has more of than is stored -> the first number that is missing."""
        found = {}
        for board in self.list_boards():
            for game, events in board.claimed_events().items():
                known = self._ledger.find_game(board.name, game)
                stored = known.summary.events if known else 0
                if stored < events and (known is None or known.broken_at is None):
                    found[board.name, game] = stored + 1
        return found

    def board_to_json(self, board: BoardStanding) -> dict[str, object]:
        """A board as the pages draw it; `counts` only where its game is over by its own word and that does not count,
        or where it is decided on: the result that does, "" for none."""
        counts = self._counting.get((board.name, board.state["name"])) if board.state else None
        has_counting = counts is not None and bool(counts or (board.state or {}).get("result"))
        return {
            "board": board.name,
            "online": board.online,
            "left": board.departed,
            "state": board.state,
            "health": board.health,
            "heard": round(board.heard_s, 3),
            "skew": round(board.clock_skew),
            "result": counts if has_counting else self.current_result(board),
            "troubles": self.list_troubles(board),
        } | ({"counts": counts} if has_counting else {})

    def current_game(self, board: BoardStanding) -> Mapping[str, Any] | None:
        """`name`, `ply` and `result` of its game: as the board says, or as it is stored where it has said nothing, or
        no more than the broker had kept."""
        last = self._ledger.last_played(board.name)
        if board.state is not None and not (last and _is_kept_from_before(board, board.state, last)):
            return board.state
        return {"name": last.name, "ply": last.plies, "result": _final_result(last)} if last else None

    def list_unseen(self, board: BoardStanding) -> set[str]:
        """The troubles that a board may still have although they do not show: of one that is away or has just come it
        is not known yet. So what was decided on them stands through a cut of its line, and a new start of the hall."""
        last, unseen = self._ledger.last_played(board.name), set[str]()
        if board.departed is not None:
            return unseen
        if board.state is None or (last and _is_kept_from_before(board, board.state, last)):
            unseen |= REPORTED
        if not board.is_heard or time.time() - board.came < SETTLES_S:
            unseen |= {TWINS, SHORTER, WRONG_CLOCK} | ({MISSING} if board.claim is None else set())
        if not self.is_alone(board):
            unseen.add(TWINS)
        if abs(board.clock_skew) > CLOCK_OFF_S:  # and the hall's own is called wrong
            unseen.add(WRONG_CLOCK)
        if CHAIN in board.doubts:  # which is the worse of the two, and the only one that is said
            unseen.add(SHORTER)
        return unseen

    def current_result(self, board: BoardStanding) -> str:
        """Of its game, or of the one before where that has not begun; "" while it is played. What is stored counts
        where the board's state is older, or is none: a broker may have lost it, or kept one of yesterday."""
        state, last = board.state, self._ledger.last_played(board.name)
        if state is not None and _has_begun(state) and not _is_behind(board, state, last):
            return str(state["result"] or "")
        return _final_result(last) if last is not None else ""

    def list_troubles(self, board: BoardStanding) -> list[str]:
        """Of BOARD_TROUBLES those that it has, in their order; of one that has left the hall, what stays to decide."""
        has = {*find_reported_troubles(board.state or {}, board.health or {}), *board.doubts}
        has |= {one.kind for name, one in self._disputes - self._decided if name == board.name}
        may_have = BOARD_TROUBLES if board.departed is None else OF_WHO_IS_AWAY
        return [name for name in may_have if name in has]


def _final_result(summary: Summary) -> str:
    return summary.result if summary.is_over else ""


def _has_begun(state: Mapping[str, Any]) -> bool:
    """Whether somebody has moved, or the clocks run, or it is over."""
    return bool(state["result"] or state["ply"] or (state.get("clocks") or {}).get("running"))


def _is_behind(board: BoardStanding, state: Mapping[str, Any], last: Summary | None) -> bool:
    """Whether a state says nothing that is not stored; one that was kept by the broker may say less. A board that is
    connected may have gone back to an earlier game, or to less of this one, as from a copy: its pulses say so too."""
    if last is None:
        return False
    claim = board.claim
    if board.is_heard and claim is not None:
        return (claim.game, claim.events) != (state["name"], state["events"])
    return bool(state["name"] == last.name and state["events"] <= last.events)


def _is_kept_from_before(board: BoardStanding, state: Mapping[str, Any], last: Summary) -> bool:
    """Whether a state says less of its game than is stored, and the board that may have gone back is not heard."""
    return bool(not board.is_heard and state["name"] == last.name and state["events"] < last.events)


def sort_by_trouble(shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Boards with troubles first, the worst of them at the top; otherwise by name."""
    return sorted(
        shown,
        key=lambda one: (min(map(BOARD_TROUBLES.index, one["troubles"]), default=len(BOARD_TROUBLES)), one["board"]),
    )
