"""The last sign of life of a game: a few bytes beside the record, written over again and again, for the next start.

The record says what was played, and when somebody stops the clock. That somebody was thinking when the program was
killed, and for how long, no event says: without it the time that was thought would be given back.
"""

from __future__ import annotations

import json
import logging
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.errors import InputError
from engine.match.acts import Lose
from engine.match.carried import CarriedOver, carry_over, note_carried, read_carried
from engine.match.clocked_match import counts_time
from engine.match.state import RESTING, Match, Phase
from server.disk import create_private
from server.logs import format_date

log = logging.getLogger(__name__)

SIGN_EVERY_S = 5.0
"""How old the sign may be while a game clock runs: so much of what was thought is counted as time in which nobody
watched. Raising it spares the disk and asks about more, lowering it does the opposite: it is a block every so often."""
SIGN_BYTES = 512
"""Bytes of the file, always: a sector, which a power cut leaves whole."""


@dataclass(frozen=True, slots=True)
class LifeSign:
    """Game, plies and last ply that it is about; the date it was written at; whether a game clock ran; and the rest."""

    game: str
    ply: int
    last: str
    date: float
    running: bool
    carried: CarriedOver

    def is_about(self, game: str, match: Match) -> bool:
        """Whether a match stands where this was written."""
        return (self.game, self.ply, self.last) == (game, len(match.moves), _last_ply(match))


class LifeSigns:
    """Writes the sign beside a record, as frequently as somebody may ask for it. The main loop's. Mutable."""

    def __init__(
        self,
        record: Path,
        date: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path, self._date, self._steady = path_beside(record), date, steady
        self._said: tuple[object, ...] = ()
        self._at = 0.0
        self._newest: tuple[str, Match, float, float] | None = None
        self._trouble = ""

    def keep_sign(self, game: str, match: Match, t: float) -> None:
        """A moment of the game, at `t` of its stream: write it where the last sign does not say the same."""
        now, running = self._steady(), counts_time(match)
        self._newest = (game, match, t, self._date())
        said = (game, len(match.moves), match.moves[-1:], running, match.loose)
        if said == self._said and not (running and now - self._at >= SIGN_EVERY_S):
            return
        self._said, self._at = said, now
        self._write_moment(*self._newest)

    def keep_last(self) -> None:
        """The game is left as it was told last: nothing that was thought until then is asked about."""
        if self._newest is not None:
            self._write_moment(*self._newest)

    def _write_moment(self, game: str, match: Match, t: float, date: float) -> None:
        carried, running = note_carried(match, t), counts_time(match)
        self._write_sign(LifeSign(game, len(match.moves), _last_ply(match), date, running, carried))

    def _write_sign(self, sign: LifeSign) -> None:
        """In its place, on the disk when this returns; a disk that takes nothing is said once, and the game goes on."""
        try:
            create_private(self._path)
            handle = os.open(self._path, os.O_WRONLY)
            try:
                os.pwrite(handle, json.dumps(asdict(sign)).encode().ljust(SIGN_BYTES), 0)
                os.fdatasync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            if self._trouble != (trouble := str(error.strerror)):
                self._trouble = trouble
                log.warning("%s: %s: what is thought is given back if the service is killed", self._path, trouble)
            return
        self._trouble = ""


def path_beside(record: Path) -> Path:
    """Where the sign of the game that is played into a record lies."""
    return record.with_name(f"{record.name}.alive")


def read_sign(record: Path) -> LifeSign | None:
    """The last sign of life beside a record; None where there is none that can be read."""
    path = path_beside(record)
    try:
        with path.open("rb") as file:
            data = json.loads(file.read(SIGN_BYTES))
        game, last, running, date = str(data["game"]), str(data["last"]), data["running"] is True, float(data["date"])
        if not math.isfinite(date):
            raise ValueError("no date")
        return LifeSign(game, int(data["ply"]), last, date, running, read_carried(data["carried"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, OverflowError, InputError) as error:
        log.warning("%s: no sign of life: %s", path, error)
        return None


def recall_match(
    match: Match, game: str, sign: LifeSign | None, date: Callable[[], float] = time.time, *, interrupted: bool = False
) -> tuple[CarriedOver, Lose | None]:
    """What a game that goes on takes over from the last sign of life, and the time lost about which it is to be asked.

    A game that was paused or is over needs neither: its record says how it stands, and what had been thought by then.
    Where it was only `interrupted`, this program has run since.
    """
    if sign is None or match.phase in (*RESTING, Phase.OVER) or not sign.is_about(game, match):
        return CarriedOver(match.clocks[-1].spent_s if match.clocks else 0.0), None
    now = date()
    away_s = now - sign.date
    carried = CarriedOver(sign.carried.spent_s if match.clocks else 0.0, sign.carried.loose)
    if not (sign.running and match.clocks):
        return carried, None
    away = "set-up" if interrupted else "stopped"
    kind = away if away_s >= 0.0 else "set"  # the date that it was shows that it was set back
    return carried, Lose(kind, away_s, format_date(sign.date), format_date(now), by="clock")


def resume_life(
    match: Match, game: str, record: Path, *, interrupted: bool = False
) -> tuple[Match, CarriedOver, Lose | None]:
    """A match that goes on out of a record, as the last sign of life beside it says; and what that was."""
    carried, lost = recall_match(match, game, read_sign(record), interrupted=interrupted)
    return carry_over(match, carried), carried, lost


def _last_ply(match: Match) -> str:
    """The last ply as it is written; empty before the first."""
    return match.game.write(match.positions[-2], match.moves[-1]) if match.moves else ""
