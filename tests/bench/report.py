"""What came of a refereed film: its figures, and how moves, calls and the start are judged."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.match.events import Event, Illegal, Moved, SetUp, Takeback, Unclear
from tests.bench.takes import Take
from vision.frames import Frame
from vision.ground import Image
from vision.watch.watcher import Watcher

BEFORE_S, AFTER_S = 0.3, 0.5
"""An illegal placement may be called this much before and after its picture was held."""


@dataclass
class Report:
    """What the referee made of a take. Times in seconds of the stream, costs in milliseconds of the processor."""

    name: str
    plies: int = 0
    right: int = 0
    """Plies that it said as they were played, without help, the last time it said them."""
    wrong: int = 0
    """Moves that were said, not played, and never put right."""
    early: int = 0
    """Moves said at a pause within a chain, and corrected."""
    helped: int = 0
    """Plies that a person had to say: the referee asked, refused them, or was silent."""
    asked: int = 0
    illegal: int = 0
    """Unlawful placements that the film shows; in a hurried one some are not seen at all."""
    found: int = 0
    """Unlawful placements called with the code of the rule that they break."""
    false: int = 0
    """Accusations without a cause: unlawful, taken back or wrongly set up, when it was not so."""
    silent: int = 0
    deaf_s: float = 0.0
    unseen_s: float = 0.0
    unready: int = 0
    """1 if `ready` was not said while the start position stood."""
    film_s: float = 0.0
    delays_s: list[float] = field(default_factory=list)
    """From the first clear picture that shows a ply to the moment when it is said."""
    frames: int = 0
    frame_ms: float = 0.0
    """Mean of all frames."""
    slowest_ms: float = 0.0
    """The longest that one frame has kept the camera waiting."""
    looks_ms: list[float] = field(default_factory=list)
    """Of the frames in which the board was looked at."""
    stages: dict[str, float] = field(default_factory=dict)
    calibration: str = ""
    remarks: list[str] = field(default_factory=list)
    pictures: dict[str, Image] = field(default_factory=dict)
    """Frames at which something went wrong, by a name."""

    @property
    def flawless(self) -> bool:
        """Whether all plies are right and nothing was said that was not so."""
        return self.right == self.plies and self.found == self.illegal and not (self.wrong or self.false or self.asked)


@dataclass
class Clock:
    """Processor time of each frame that a watcher took, and of those at which it looked at the board."""

    frames_ms: list[float] = field(default_factory=list)
    looks_ms: list[float] = field(default_factory=list)

    def timed(self, watcher: Watcher, frame: Frame) -> tuple[Event, ...]:
        """Give it a frame."""
        before, begun = watcher.reading, time.process_time()
        events = watcher.take_frame(frame)
        self.frames_ms.append(round((time.process_time() - begun) * 1e3, 2))
        if watcher.reading is not before:
            self.looks_ms.append(self.frames_ms[-1])
        return events

    def note(self, report: Report) -> None:
        """Write it into a report."""
        report.frames, report.looks_ms = len(self.frames_ms), self.looks_ms
        report.frame_ms = round(sum(self.frames_ms) / max(report.frames, 1), 2)
        report.slowest_ms = max(self.frames_ms, default=0.0)


Spans = dict[int, tuple[float, float]]
"""Number of a recorded picture -> seconds from when until when it was in the stream."""


def judge_moves(report: Report, take: Take, spans: Spans, told: Sequence[Event]) -> None:
    """Every move that was said against the one that was played, and how soon it was said."""
    moves = [e for e in told if isinstance(e, Moved)]
    right = set()
    for n, event in enumerate(moves):
        said = (event.from_, event.to, tuple(sorted(event.captured)))
        index = event.ply - 1
        if index < len(take.moves) and said == take.moves[index]:
            right.add(event.ply)
            shown = [i for i, clear in enumerate(take.clear) if clear and take.plies[i] >= event.ply and i in spans]
            if shown:
                report.delays_s.append(round(max(0.0, event.t - spans[shown[0]][0]), 3))
            continue
        right.discard(event.ply)
        if any(later.ply == event.ply and later.corrected for later in moves[n + 1 :]):
            report.early += 1
        else:
            report.wrong += 1
            report.remarks.append(f"{event.t:.2f} s: said ply {event.ply} {event.notation}")
    report.right = len(right)


def judge_calls(report: Report, take: Take, spans: Spans, told: Sequence[Event]) -> None:
    """Illegal placements found, questions, and accusations without a cause."""
    due = {i: (spans[i][0] - BEFORE_S, spans[i][1] + AFTER_S) for i, _ in take.illegal if i in spans}
    codes = dict(take.illegal)
    report.illegal = len(due)
    for number, (begin, end) in due.items():
        said = [e.code for e in told if isinstance(e, Illegal) and begin <= e.t <= end]
        if codes[number] in said:
            report.found += 1
        else:
            what = f"called {said[-1]}" if said else "missed"
            report.remarks.append(f"{begin:.2f} s: illegal placement ({codes[number]}) {what} in picture {number}")
    for event in told:
        called = isinstance(event, Illegal) and any(begin <= event.t <= end for begin, end in due.values())
        report.asked += isinstance(event, Unclear)
        report.false += isinstance(event, Illegal | Takeback | SetUp) and not called
        if isinstance(event, Illegal | Unclear | Takeback | SetUp) and not called:
            report.remarks.append(f"{event.t:.2f} s: {json.dumps(event.to_json())[:160]}")
