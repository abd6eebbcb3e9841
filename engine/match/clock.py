"""Clocks: how much time each side has left. Pure values; every time comes in, in seconds.

`40/150m,60m+30s` is 40 moves in 150 minutes, then an hour with 30 seconds more for each move (Fischer). `delay` and
`bronstein` in place of the `+` are the two that give no time away: `5m delay 3s` counts only from the fourth second of
a turn on, `5m bronstein 3s` gives back what the turn took, 3 seconds at most. A last stage with moves begins anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from engine.errors import InputError

STAGE = re.compile(
    r"(?:(?P<moves>\d{1,3})/)?(?P<main>\d{1,6})(?P<unit>[hms])"
    r"(?:\s*(?P<kind>\+|\bdelay\b|\bbronstein\b)\s*(?P<bonus>\d{1,4})(?P<bonus_unit>[ms]))?"
)
WITHOUT_UNIT = re.compile(
    r"((?:\d{1,3}/)?(\d{1,6}))([hms]?)(?:(\s*(?:\+|\bdelay\b|\bbronstein\b)\s*)(\d{1,4})([ms]?))?"
)
"""The same, where a unit may have been left out."""
PRESS_HOLDS_S = 5.0
"""So long before a move is accepted its side may have pressed the clock: for so long its time stands and the other's
runs. Raising it lets whoever presses without having moved use up the other's time, lowering it counts against a player
what the referee takes to see a move. Moves are accepted one to three seconds after the hand has left."""
NO_STAGE = "clock {clock}: {part} is not a stage; write 60m, 40/150m, 60m+30s or 5m delay 3s"
NO_NUMBER_OF_MOVES = "clock {clock}: every stage but the last needs its number of moves, like 40/150m"
NO_UNIT = "clock {clock}: {number} has no unit; write {right}"
TOO_LONG = "clock {clock}: {part} is longer than {hours} hours; write a shorter time"
LONGEST_STAGE_H = 100
"""The longest stage of a clock that is asked for, and the longest bonus. Raising it takes a slip of the keyboard for a
wish, lowering it refuses slow games: tournaments give up to 7 hours, and nobody sits at a board for 100."""
LONGEST_S = 1e8
"""No clock shows more; what does is no time."""
SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0}


@dataclass(frozen=True, slots=True)
class Stage:
    """`moves` to be made in `main_s` (0: all the rest); `kind` "+", "delay" or "bronstein" says what `bonus_s` is."""

    moves: int
    main_s: float
    kind: str = "+"
    bonus_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control and the text that says it."""

    text: str
    stages: tuple[Stage, ...]

    def find_stage(self, made: int) -> tuple[Stage, bool]:
        """The stage after so many moves, and whether it begins there."""
        for stage in self.stages[:-1]:
            if made < stage.moves:
                return stage, made == 0
            made -= stage.moves
        last = self.stages[-1]
        return last, made % last.moves == 0 if last.moves else made == 0


@dataclass(frozen=True, slots=True)
class Clock:
    """The clocks of all sides in one turn; `left_s` is what play alone left each when the turn began, `added_s` what
    people have given it in this game besides, below zero where they took time away: its face shows both together.

    `seat` is on turn since `since` (stream time; None: stopped) and has used `spent_s` of the turn before that. It
    pressed its clock at `pressed`, if it did so before its move was accepted; `following` is on turn then.
    """

    control: TimeControl
    left_s: tuple[float, ...]
    made: tuple[int, ...]
    added_s: tuple[float, ...]
    seat: int = 0
    since: float | None = None
    spent_s: float = 0.0
    pressed: float | None = None
    following: int = 0
    held: bool = False
    """Whether it waits for the first move, or for somebody to start it."""


def parse_control(text: str) -> TimeControl:
    """The time control that `text` says. InputError if it says none."""
    stages = []
    for part in text.split(","):
        found = STAGE.fullmatch(part.strip())
        if found is None or int(found["main"]) == 0 or found["moves"] in {"0", "00", "000"}:
            raise _refuse_stage(text, part.strip())
        bonus = int(found["bonus"] or 0) * SECONDS[found["bonus_unit"] or "s"]
        main = int(found["main"]) * SECONDS[found["unit"]]
        stages.append(Stage(int(found["moves"] or 0), main, found["kind"] or "+", bonus))
    if any(stage.moves == 0 for stage in stages[:-1]):
        raise InputError(NO_NUMBER_OF_MOVES, clock=repr(text))
    return TimeControl(text, tuple(stages))


def choose_control(text: str) -> TimeControl:
    """The same, of a clock that is asked for now: InputError too for a time that nobody means. Records keep theirs."""
    control = parse_control(text)
    for part, stage in zip(text.split(","), control.stages, strict=True):
        if max(stage.main_s, stage.bonus_s) > LONGEST_STAGE_H * SECONDS["h"]:
            raise InputError(TOO_LONG, clock=repr(text), part=part.strip(), hours=LONGEST_STAGE_H)
    return control


def _refuse_stage(text: str, part: str) -> InputError:
    """What is wrong with a `part` that says no stage."""
    found = WITHOUT_UNIT.fullmatch(part)
    if found is None or int(found[2]) == 0 or part.startswith(("0/", "00/", "000/")):
        return InputError(NO_STAGE, clock=repr(text), part=repr(part))
    main, number, unit, kind, bonus, bonus_unit = found.groups("")
    right = f"{main}{unit or 'm'}{kind}{bonus}{(bonus_unit or 's') if bonus else ''}"
    return InputError(NO_UNIT, clock=repr(text), number=bonus if unit else number, right=right)


def create_clock(control: TimeControl, seats: int, seat: int = 0, *, held: bool = False) -> Clock:
    """All clocks full and stopped, `seat` to move. With an increment the first move has its own already."""
    first, _ = control.find_stage(0)
    full = first.main_s + (first.bonus_s if first.kind == "+" else 0.0)
    return Clock(control, (full,) * seats, (0,) * seats, (0.0,) * seats, seat, held=held)


def turn_seconds(clock: Clock, t: float) -> float:
    """Seconds that the present turn has taken; it takes no more once the clock was pressed."""
    t = t if clock.pressed is None else min(t, clock.pressed)
    return clock.spent_s + (max(0.0, t - clock.since) if clock.since is not None else 0.0)


def seconds_left(clock: Clock, t: float) -> tuple[float, ...]:
    """Seconds that each side has left at `t`; below zero once the flag has fallen."""
    stage, _ = clock.control.find_stage(clock.made[clock.seat])
    taken = turn_seconds(clock, t)
    if stage.kind == "delay":
        taken = max(0.0, taken - stage.bonus_s)
    gone = {clock.seat: taken}
    if clock.pressed is not None:
        gone[clock.following] = min(max(0.0, t - clock.pressed), PRESS_HOLDS_S)
    given = zip(clock.left_s, clock.added_s, strict=True)
    return tuple(left + added - gone.get(seat, 0.0) for seat, (left, added) in enumerate(given))


def stated_seconds(clock: Clock, seat: int) -> float:
    """What the face of a side showed when the turn began."""
    return round(clock.left_s[seat] + clock.added_s[seat], 3)


def add_seconds(clock: Clock, seat: int, seconds: float) -> Clock:
    """The clock with so many seconds more for a side."""
    added = [round(s + seconds, 3) if seat == i else s for i, s in enumerate(clock.added_s)]
    return replace(clock, added_s=tuple(added))


def seconds_to_flag(clock: Clock) -> float:
    """How long the side on turn may take until its flag falls."""
    stage, _ = clock.control.find_stage(clock.made[clock.seat])
    return stated_seconds(clock, clock.seat) + (stage.bonus_s if stage.kind == "delay" else 0.0)


def running_seat(clock: Clock) -> int | None:
    """The seat whose time runs, None while the clock is stopped."""
    if clock.since is None:
        return None
    return clock.seat if clock.pressed is None else clock.following


def has_flag_fallen(clock: Clock, t: float) -> bool:
    """Whether the side on turn has no time left."""
    return clock.since is not None and seconds_left(clock, t)[clock.seat] <= 0.0


def seconds_after_move(clock: Clock, t: float) -> float:
    """What play alone leaves the side on turn after its move at `t`, with what it gets for it, to the millisecond."""
    rest, made = seconds_left(clock, t)[clock.seat] - clock.added_s[clock.seat], clock.made[clock.seat]
    stage, _ = clock.control.find_stage(made)
    if stage.kind == "bronstein":
        rest += min(stage.bonus_s, turn_seconds(clock, t))
    following, begins = clock.control.find_stage(made + 1)
    if begins:
        rest += following.main_s
    if following.kind == "+":
        rest += following.bonus_s
    return round(rest, 3)


def seconds_for_move(before: Clock, left_s: float) -> float | None:
    """What the move took, as its clock counted it, that began with `before` and left its side `left_s` by play alone.

    None where that is not known: the clock waited, or a delay hid all of it.
    """
    made = before.made[before.seat]
    (stage, _), (following, begins) = before.control.find_stage(made), before.control.find_stage(made + 1)
    given = (following.main_s if begins else 0.0) + (following.bonus_s if following.kind == "+" else 0.0)
    gone = round(before.left_s[before.seat] + given - left_s, 3)
    if before.held or gone < 0.0:
        return None
    if stage.kind == "+":
        return gone
    return round(gone + stage.bonus_s, 3) if gone > 0.0 else None


def build_next_turn(clock: Clock, left_s: float, following: int) -> Clock:
    """The next turn, stopped: the side on turn has moved and play alone leaves it `left_s`; `following` is to move."""
    seats = range(len(clock.left_s))
    return Clock(
        clock.control,
        tuple(left_s if seat == clock.seat else clock.left_s[seat] for seat in seats),
        tuple(clock.made[seat] + (seat == clock.seat) for seat in seats),
        clock.added_s,
        following,
    )


def start_clock(clock: Clock, t: float) -> Clock:
    """The clock running from `t` on; one that runs goes on, and one that is held stands."""
    return replace(clock, since=t) if clock.since is None and not clock.held else clock


def stop_clock(clock: Clock, t: float) -> Clock:
    """The clock stopped at `t`."""
    return replace(clock, since=None, spent_s=round(turn_seconds(clock, t), 3), pressed=None)


def format_time(seconds: float) -> str:
    """h:mm:ss as in records and on faces; what has begun counts as a whole second."""
    whole = max(0, int(-(-seconds // 1)))
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def parse_time(text: str) -> float:
    """What `format_time` wrote, in seconds. InputError for what is not h:mm:ss."""
    parts = text.split(":")
    try:
        hours, minutes, rest = ["0", "0", *parts][-3:]
        value = round(int(hours) * 3600 + int(minutes) * 60 + float(rest), 3)
        if not -LONGEST_S <= value <= LONGEST_S:  # nor is NaN
            raise ValueError
        return value
    except (ValueError, OverflowError):
        raise InputError(f"clock {text[:40]!r}: not a time like 1:29:58") from None
