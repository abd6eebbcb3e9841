"""What looks cost, and how long no frame was taken, by whatever clock."""

from __future__ import annotations

from vision.watch.stages import Stages


class Clock:
    """A clock that the test sets, in seconds."""

    def __init__(self) -> None:
        self.t = 0.0

    def __call__(self) -> float:
        return self.t


def test_the_costs_of_looks_and_the_longest_gap() -> None:
    clock = Clock()
    stages = Stages(clock=clock)
    for taken in (0.0, 0.05, 0.35, 0.36):
        clock.t = taken
        stages.note_frame()
    for spent in (0.02,) * 99 + (0.3,):
        with stages.time_look():
            clock.t += spent
    costs = stages.look_costs()
    assert costs["longest_gap_ms"] == 300.0
    assert costs["worst_look_ms"] == 300.0
    assert costs["look_p95_ms"] == 20.0
    assert stages.frames == 4


def test_without_a_look_all_costs_are_none() -> None:
    assert Stages().look_costs() == {"look_p95_ms": 0.0, "worst_look_ms": 0.0, "longest_gap_ms": 0.0}
