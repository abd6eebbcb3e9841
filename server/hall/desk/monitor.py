"""What only time shows: who falls silent, what does not come, whose clock or record is wrong; and asks for what lacks.

Looks several times a second at how boards stand. It says nothing of boards while the hall itself hears nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from statistics import median

import sqlalchemy as sa

from server.hall.desk.hall_vitals import PART_ENDS_S, HallVitals
from server.hall.desk.ledger import Ledger, StoredGame
from server.hall.desk.standing import CLOCK_OFF_S, Boards, BoardStanding, Claim
from server.hall.desk.troubles import (
    CHAIN,
    MISSING,
    NEWER,
    NOT_CONNECTED,
    SHORTER,
    SILENT,
    TWINS,
    WRONG_CLOCK,
    GameTrouble,
)
from server.mqtt.wire import HALL_PULSE_EVERY_S, NOT_HEARD_S

log = logging.getLogger(__name__)

STILL_COMING_S = 0.6
"""What is missing for less may still be on its way; then the board is asked for it."""
ASK_AGAIN_S, LONGEST_ASK_AGAIN_S = 1.0, 60.0
"""A board that was asked for what is missing and sends nothing is asked again after this, then after twice as long."""
MISSING_S = 2.5
"""What is missing for so long although it was asked for is said to be. Shorter says it of what is only late."""
SHORTER_S = 2.0
"""A record that goes less far than what is stored, for so long, was not only told of late: a state follows its events
within 0.2 s, and a pulse says it anew every second."""
NOT_CONNECTED_S = 1.0
"""A board is not connected when it was not for so long. Two of one name take turns faster, and a line that is tried
again is back sooner."""
TWINS_S = 4.5
"""So long after a program spoke again as a board that another had spoken as, there are two. Two take the broker's one
place for the name from each other at least once a second."""
MOST_LISTED = 300
"""Games that a board is told by name that the hall has them; it sends the others again."""

COUNTS_DIFFER_S, FEWER_S = 2.0, 4.0
"""A board that says for so long that all its games have more or fewer events than are stored is told which games are
here, and sends what is not; where it still has fewer after FEWER_S, games have gone from its record, until it has said
for as long that it has as many."""
NOTHING = "0" * 64
"""In the place of a hash, of a game of which nothing is stored."""

GameKey = tuple[str, str]


class Monitor(threading.Thread):
    """`changed` hears which boards are not as they were, `ask` what to ask a board for: how far its games are stored,
    and whether these are all. `pulse` is called several times a second, `faulty` when the hall's own faults change;
    while it `is_busy`, much of what is missing has come already."""

    def __init__(
        self,
        boards: Boards,
        ledger: Ledger,
        vitals: HallVitals,
        changed: Callable[[Iterable[str]], object],
        ask: Callable[[str, Mapping[str, tuple[int, str]], bool], object],
        version: str,
        pulse: Callable[[], object] = lambda: None,
        is_busy: Callable[[], bool] = lambda: False,
        faulty: Callable[[], object] = lambda: None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(name="monitor", daemon=True)
        self._boards, self._ledger, self._vitals, self._changed, self._ask = boards, ledger, vitals, changed, ask
        self._version, self._pulse, self._faulty, self._steady = version_numbers(version), pulse, faulty, steady
        self._is_busy = is_busy
        self._end = threading.Event()
        self._since: dict[GameKey, tuple[int, float]] = {}
        self._asked: dict[str, tuple[float, float]] = {}
        self._short: dict[str, tuple[tuple[str, int], float]] = {}
        """Boards whose newest game goes less far than what is stored of it -> the game and how far, and since when."""
        self._differ: dict[str, tuple[int, float]] = {}
        """Boards whose games have in all another number of events than is stored -> that number, and since when."""
        self._hashes: dict[tuple[str, str, int], str] = {}
        self._fewer: set[str] = set()
        """Boards from whose records games have gone."""
        self._whole: dict[str, float] = {}
        """Of these the ones that say now that nothing lacks, and since when."""

    def stop_checking(self) -> None:
        """Look no more."""
        self._end.set()
        self.join(PART_ENDS_S)

    def run(self) -> None:
        """The thread."""
        while not self._end.wait(HALL_PULSE_EVERY_S):
            try:
                self._pulse()
                self.check_boards()
            except sa.exc.SQLAlchemyError as error:
                self._vitals.database_failed(error)
            except Exception:
                log.exception("how boards stand cannot be looked at just now")

    def check_boards(self) -> None:
        """Once."""
        boards = self._boards.list_boards()
        if self._vitals.update_faults(_find_clock_fault(boards)):
            self._faulty()
        listens_since, now = self._vitals.listens_since, self._steady()
        if listens_since is None:
            return
        missing = self._update_missing(now)
        self._compare_counts(boards, now)
        late = {game for game, seconds in missing.items() if seconds >= MISSING_S}
        changed = []
        for board in boards:
            games = frozenset(self._find_game_doubts(board, late, now))
            doubts = frozenset(self._find_doubts(board, now, listens_since)) | {kind for kind, _ in games}
            if (doubts, games) != (board.doubts, board.doubted_games):
                self._boards.set_doubts(board.name, doubts, games)
                changed.append(board.name)
        if changed:
            self._changed(changed)
        if not self._is_busy():
            self._request_missing(boards, missing, now)

    def _update_missing(self, now: float) -> dict[GameKey, float]:
        """Games of which something is missing -> for how long nothing more of them has come."""
        first = self._boards.find_missing()
        self._since = {
            key: self._since[key] if self._since.get(key, (0, 0.0))[0] == number else (number, now)
            for key, number in first.items()
        }
        return {key: now - since for key, (_, since) in self._since.items()}

    def _find_game_doubts(self, board: BoardStanding, late: Collection[GameKey], now: float) -> Iterable[GameTrouble]:
        """What troubles one of its games; `late` are those of all boards of which something is missing."""
        if (record := self._judge_record(board, now)) and board.claim is not None:
            yield GameTrouble(record, board.claim.game)
        yield from (GameTrouble(MISSING, game) for name, game in late if name == board.name)

    def _find_doubts(self, board: BoardStanding, now: float, since: float) -> Iterable[str]:
        yield from self._find_pulse_doubts(board, now, since)
        if not board.online and now - max(board.left_s or since, since) >= (
            NOT_CONNECTED_S if board.left_s else NOT_HEARD_S
        ):
            yield NOT_CONNECTED
        if board.health and version_numbers(str(board.health.get("version", ""))) > self._version:
            yield NEWER

    def _find_pulse_doubts(self, board: BoardStanding, now: float, since: float) -> Iterable[str]:
        last = max(board.pulse_s or since, since)
        speaks = board.pulse_s is not None or bool(board.claim and board.claim.head)
        if board.online and speaks and now - last >= NOT_HEARD_S:
            yield SILENT
        if board.returned_s is not None and now - board.returned_s < TWINS_S:
            yield TWINS
        if board.online and abs(board.clock_skew) > CLOCK_OFF_S and not _find_clock_fault(self._boards.list_boards()):
            yield WRONG_CLOCK

    def _judge_record(self, board: BoardStanding, now: float) -> str:
        """CHAIN or SHORTER if the record that a board has is not what was stored of it; empty if it is."""
        return self._judge_game(board, now) or (SHORTER if board.name in self._fewer else "")

    def _judge_game(self, board: BoardStanding, now: float) -> str:
        """As `_judge_record`, by the game alone that is played now."""
        claim = board.claim
        known = self._ledger.find_game(board.name, claim.game) if claim else None
        if claim is None or known is None or not claim.head:
            return CHAIN if known is not None and known.broken_at is not None else ""
        summary = known.summary
        if claim.events == summary.events and claim.head != summary.head:
            return CHAIN
        if known.broken_at is not None and claim.events > summary.events:
            return CHAIN
        if claim.events >= known.summary.events:
            self._short.pop(board.name, None)
            return ""
        return self._judge_short_record(board, claim, known.summary.events, now)

    def _judge_short_record(self, board: BoardStanding, claim: Claim, stored: int, now: float) -> str:
        """What a board said before its events were stored proves nothing, however long ago: what it says next does."""
        key = (claim.game, stored)
        if self._short.get(board.name, (None, 0.0))[0] != key:
            self._short[board.name] = (key, now)
        since = self._short[board.name][1]
        if not board.online or now - since < SHORTER_S or claim.at_s <= since:
            return ""
        at = (board.name, claim.game, claim.events)
        if at not in self._hashes:
            self._hashes = {at: self._ledger.hash_at(*at)} | dict(list(self._hashes.items())[:MOST_LISTED])
        return SHORTER if self._hashes[at] == claim.head else CHAIN

    def _request_missing(self, boards: list[BoardStanding], missing: Mapping[GameKey, float], now: float) -> None:
        """Ask boards for what is missing for long enough, and tell those that count otherwise what is here."""
        due: dict[str, list[str]] = {}
        for (name, game), late in missing.items():
            if late >= STILL_COMING_S:
                due.setdefault(name, []).append(game)
        for board in boards:
            lacks, differs = board.name in due, now - self._differ.get(board.name, (0, now))[1] >= COUNTS_DIFFER_S
            if not board.online or not self._vitals.owns_board(board.name) or not (lacks or differs):
                self._asked.pop(board.name, None)
                continue
            again, pause = self._asked.get(board.name, (now, ASK_AGAIN_S))
            if now >= again:
                self._asked[board.name] = (now + pause, min(LONGEST_ASK_AGAIN_S, 2 * pause))
                self._ask(board.name, self._collect_heads(board.name, due.get(board.name)), not lacks)

    def _compare_counts(self, boards: list[BoardStanding], now: float) -> None:
        """Note since when boards count otherwise than the hall does."""
        stored: dict[str, int] = {}
        for (name, _), known in self._ledger.stored_games().items():
            stored[name] = stored.get(name, 0) + known.summary.events
        differ: dict[str, tuple[int, float]] = {}
        for board in boards:
            here = stored.get(board.name, 0)
            if board.online and board.told is not None and board.told != here:
                before = self._differ.get(board.name, (-1, now))
                differ[board.name] = before if before[0] == here else (here, now)
        self._differ = differ
        self._whole = {
            board.name: self._whole.get(board.name, now)
            for board in boards
            if board.name in self._fewer and board.online and board.told == stored.get(board.name, 0)
        }
        self._fewer = {board.name for board in boards if self._has_fewer(board, now)}

    def _has_fewer(self, board: BoardStanding, now: float) -> bool:
        """Whether games have gone from a board's record. Whatever it plays is on its way for a moment, and a line that
        is cut says nothing: what was so is so until the contrary has been said for long enough."""
        is_known, pulse_s = board.name in self._fewer, board.pulse_s or 0.0
        here, since = (-1, self._whole.get(board.name, now)) if is_known else self._differ.get(board.name, (-1, now))
        if now - since < FEWER_S or pulse_s <= since:
            return is_known
        return not is_known and (board.told or 0) < here

    def _collect_heads(self, board: str, games: Iterable[str] | None) -> dict[str, tuple[int, str]]:
        """How far these games are stored, or the newest of all that are."""
        if games is not None:
            known: dict[str, StoredGame | None] = {game: self._ledger.find_game(board, game) for game in games}
        else:
            known = {game: at for (name, game), at in sorted(self._ledger.stored_games().items()) if name == board}
        heads = {game: (at.summary.events, at.summary.head) if at else (0, NOTHING) for game, at in known.items()}
        return dict(list(heads.items())[-MOST_LISTED:])


def version_numbers(version: str) -> tuple[int, ...]:
    """A version's numbers, for comparing; empty if it has none."""
    return tuple(int(part) for part in version.split("+", maxsplit=1)[0].split(".") if part.isdecimal())


def _find_clock_fault(boards: list[BoardStanding]) -> str:
    """What is wrong with the hall's own clock; empty while it goes as most boards' do."""
    skews = [board.clock_skew for board in boards if board.online and board.skews]
    if len(skews) < 3 or abs(middle := median(skews)) <= CLOCK_OFF_S:
        return ""
    if sum(abs(skew - middle) <= CLOCK_OFF_S for skew in skews) * 2 <= len(skews):
        return ""
    return f"it is {abs(middle):.0f} s {'behind' if middle > 0 else 'ahead of'} most boards'"
