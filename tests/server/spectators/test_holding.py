"""What is held back comes in order, not before its time, and nothing is lost by who stops asking."""

from __future__ import annotations

from server.spectators.holding import DelayQueue


class _Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_thing_waits_and_an_older_one_less() -> None:
    clock = _Clock()
    held = DelayQueue[str](60.0, clock)
    held.hold_item("old", age_s=50.0)
    held.hold_item("new")
    assert list(held.take_due()) == []
    clock.now += 10.0
    assert list(held.take_due()) == ["old"]
    clock.now += 50.0
    assert list(held.take_due()) == ["new"]
    assert list(held.take_due()) == []


def test_what_came_before_is_never_told_after() -> None:
    clock = _Clock()
    held = DelayQueue[str](60.0, clock)
    held.hold_item("first")
    held.hold_item("second", age_s=60.0)
    assert list(held.take_due()) == [], "the second is old enough, and waits for the first"
    clock.now += 60.0
    assert list(held.take_due()) == ["first", "second"]


def test_a_thing_is_let_go_when_the_next_is_asked_for_and_of_too_many_the_oldest_go() -> None:
    held = DelayQueue[int](0.0, _Clock(), most=2)
    for number in range(3):
        held.hold_item(number)
    assert next(held.take_due()) == 1
    assert list(held.take_due()) == [1, 2], "who failed with it gets it again"
