"""Transcripts that a person can read: what happens (`> `) and what the referee says to it.

python -m tests.bench.transcripts writes the answers in tests/data/transcripts anew from the lines with `> `.

  > 3.0 move F7-F5 G6-     pieces are moved on the board (or taken off), and the board is looked at until patience ends
  > 3.0 look               only that; `put back` lets the last lawful position stand first
  > 3.0 doubt F7-F5 G7-G5  the reader cannot tell these apart
  > 3.0 undo 2             what people ask for: undo, correct, as-played, position, draw, claim, resign, forfeit, ...
  > 3.0 camera moved       or found; `tick` lets only time go by
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from engine.belief.opinion import Opinion
from engine.belief.verdicts import Doubtful
from engine.errors import InputError
from engine.match import acts
from engine.match.arbiter import apply_act, check_flag_fall
from engine.match.clock import format_time, parse_control, seconds_left
from engine.match.clocked_match import with_clock
from engine.match.course import MatchStep
from engine.match.events import Event
from engine.match.referee import DOUBT_S, apply_opinion, camera_found, camera_moved, new_match
from engine.match.state import Match
from engine.text.positions import to_json
from server.record.traces.refold import SAID_AGAIN
from tests.engine.sights import GIVEN, changed, explain, seen
from tests.engine.stand import stand

FOLDER = Path(__file__).parents[1] / "data" / "transcripts"
FIT = 97


class Table:
    """A match and the real board beside it."""

    def __init__(self, game: str, side: str, pieces: str, clock: str) -> None:
        self.game = game
        found, position = stand(game, side, pieces)
        self.match = new_match(found, position if pieces else None)
        if clock:
            self.match = with_clock(
                self.match, parse_control(clock.removesuffix(" held")), held=clock.endswith(" held")
            )
        self.board = self.match.position.placement

    def do(self, t: float, word: str, rest: str) -> tuple[Event, ...]:
        """One line of a transcript."""
        if word == "move":
            self.board = changed(self.match.game, self.board, rest)
        if word == "put":
            self.board = self.match.position.placement
        happens: dict[str, Callable[[float], MatchStep]] = {
            "tick": lambda t: check_flag_fall(self.match, t),
            "camera": lambda t: camera_moved(self.match, t) if rest == "moved" else camera_found(self.match, t, FIT),
        }
        if word in {"move", "put", "look"}:
            return self._look(t, lambda: self._explained(t))
        if word == "doubt":
            return self._look(t, lambda: Opinion(Doubtful(tuple(rest.split())), 0.5, reason=GIVEN))
        self.match, events = happens[word](t) if word in happens else apply_act(self.match, self._asked(word, rest), t)
        return events

    def _look(self, t: float, opinion: Callable[[], Opinion]) -> tuple[Event, ...]:
        self.match, early = apply_opinion(self.match, opinion(), t, FIT)
        self.match, late = apply_opinion(self.match, opinion(), t + DOUBT_S, FIT)
        return (*early, *late)

    def _explained(self, t: float) -> Opinion:
        match = self.match
        return explain(match.game, match.positions, match.moves, seen(match.game, self.board, t, patient=True))

    def _asked(self, word: str, rest: str) -> acts.Act:
        first, _, second = rest.partition(" ")
        wishes: dict[str, Callable[[], acts.Act]] = {
            "undo": lambda: acts.Undo(int(rest), by="player"),
            "correct": lambda: acts.Correct(int(first), second, by="arbiter"),
            "as-played": lambda: acts.AsPlayed(rest, by="arbiter"),
            "position": lambda: acts.SetPosition(
                to_json(*stand(f"{self.match.game.name} {self.match.game.rules}", first, second)), by="arbiter"
            ),
            "draw": lambda: acts.AgreeDraw(by="player"),
            "claim": lambda: acts.ClaimDraw(by="player"),
            "resign": lambda: acts.Resign(rest, by="player"),
            "forfeit": lambda: acts.Forfeit(first, second, by="arbiter"),
            "pause": lambda: acts.Pause(by="arbiter"),
            "press": lambda: acts.Press(rest or None, by="clock"),
            "adjourn": lambda: acts.Adjourn(by="arbiter"),
            "lose": lambda: acts.Lose(first, float(second), "20:00", "21:00", by="clock"),
            "count-lost": lambda: acts.CountLost(by="arbiter"),
            "add-time": lambda: acts.AddTime(first, float(second), by="arbiter"),
            "resume": lambda: acts.Resume(by="arbiter"),
            "bring-back": lambda: acts.BringBack(by="arbiter"),
            "stands-so": lambda: acts.StandsSo(by="arbiter"),
            "put-back": acts.PutBack,
            "new-game": acts.NewGame,
            "settle": lambda: acts.Settle(rest, by="player"),
        }
        return wishes[word]()


NOT_SHOWN = {"t", "event", "position"} | SAID_AGAIN
"""Fields of events: what stands elsewhere in a transcript, and what its messages were made of."""


def told(text: str) -> str:
    """The transcript with the answers as the referee gives them today. Its head is `game`, `clock`, `position`."""
    lines = text.splitlines()
    head = dict(line.split(" ", 1) for line in lines if line.startswith(("game ", "clock ", "position ")))
    side, _, pieces = head.get("position", "white").partition(" ")
    table = Table(head["game"], side if pieces else _first(head["game"]), pieces, head.get("clock", ""))
    out: list[str] = []
    for line in lines:
        if line.startswith("> "):
            out += [line, *_answer(table, line)]
        elif not line.startswith("    "):
            out.append(line)
    return "\n".join(out) + "\n"


def _first(game: str) -> str:
    return stand(game, "blue" if game.startswith("tri") else "white", "")[0].seats[0]


def _answer(table: Table, line: str) -> Iterator[str]:
    t, word, *rest = line[2:].split(" ")
    try:
        events: Iterable[Event] = table.do(float(t), word, " ".join(rest))
    except InputError as error:
        yield f"    refused: {error}"
        return
    for event in events:
        said = {key: value for key, value in event.to_json().items() if key not in NOT_SHOWN}
        yield "    " + " ".join([event.name, *(f"{key}={_short(value)}" for key, value in said.items())])
    yield f"    -- {_state(table.match, float(t))}"


def _short(value: object) -> str:
    if isinstance(value, dict) and "cells" in value:
        return f"{len(value['cells'])} pieces"
    if isinstance(value, dict) and "rule" not in value:  # what the clocks had left
        return ",".join(f"{side}:{left:g}" for side, left in value.items())
    if isinstance(value, dict):  # what decided: the rule, and the figure against the limit
        figures = "/".join(f"{value[name]:g}" for name in ("measured", "limit") if value[name] is not None)
        return f"{value['rule']} {figures}".strip()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _state(match: Match, t: float) -> str:
    if match.outcome:
        return f"{match.phase.value}: {match.outcome.result}, {match.outcome.reason}"
    clock = "".join(f", {seat} {format_time(seconds)}" for seat, seconds in _clocks(match, t))
    return f"{match.phase.value}: {match.side_to_move} to move after {len(match.moves)} plies{clock}"


def _clocks(match: Match, t: float) -> list[tuple[str, float]]:
    return list(zip(match.game.seats, seconds_left(match.clocks[-1], t), strict=True)) if match.clocks else []


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.txt")):
        path.write_text(told(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)
