"""What counts as silent and as deaf, on films of a few seconds made by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bench.timeline import Moment, deaf_s, first_clear, silent

FPS = 4
Says = Callable[[float], Moment]


def filmed(seconds: float, says: Says) -> list[Moment]:
    """A moment every quarter of a second."""
    return [says(n / FPS) for n in range(round(seconds * FPS) + 1)]


def one_ply(
    said_at: float = 99.0, known_at: float = 99.0, word: tuple[float, float] = (99.0, 99.0), clear_at: float = 1.0
) -> Says:
    """A ply is played at 0.5 s and clear from `clear_at` on; when it is said, known, and while a word stands."""

    def says(t: float) -> Moment:
        return Moment(
            t,
            played=int(t >= 0.5),
            clear=t < 0.5 or t >= clear_at,
            known=int(t >= min(said_at, known_at)),
            said=(1,) if t == said_at else (),
            word=word[0] <= t < word[1],
        )

    return says


@pytest.mark.parametrize(
    ("says", "lost"),
    [
        (one_ply(), (1,)),
        (one_ply(said_at=1.5), ()),
        (one_ply(said_at=0.75), ()),  # in the moment before the hand was gone
        (one_ply(said_at=5.75), ()),
        (one_ply(said_at=6.25), (1,)),  # too late
        (one_ply(known_at=4.0), (1,)),  # a person had to say it
        (one_ply(word=(3.0, 4.0)), ()),  # asked
        (one_ply(word=(0.0, 0.75)), (1,)),  # something earlier, settled before
        (one_ply(word=(0.0, 2.0)), ()),  # something earlier that stands still
        (one_ply(word=(3.0, 4.0), known_at=2.0), (1,)),  # only after a person had said it
        (one_ply(clear_at=99.0), ()),  # nobody could see it
    ],
)
def test_plies_that_go_by_in_silence_are_counted(says: Says, lost: tuple[int, ...]) -> None:
    assert silent(filmed(8.0, says)) == lost


def test_silent_at_the_end() -> None:
    """A film that ends before people wonder: what was not said until then was not said."""
    assert silent(filmed(4.0, one_ply())) == (1,)
    assert silent(filmed(4.0, one_ply(said_at=4.0))) == ()
    assert silent(filmed(2.75, one_ply())) == ()  # nobody could have said it yet


def test_a_ply_that_is_played_over_is_clear_with_the_next() -> None:
    moments = [Moment(0.0, 0), Moment(1.0, 1, clear=False), Moment(2.0, 2, clear=False), Moment(3.0, 2), Moment(5.0, 3)]
    assert first_clear(moments) == {1: 3.0, 2: 3.0, 3: 5.0}
    assert silent(moments) == (1, 2)


@pytest.mark.parametrize(
    ("says", "deaf"),
    [
        (one_ply(), 4.75),  # clear at 1 s: from after 3 s to the end at 8
        (one_ply(said_at=2.75), 0.0),
        (one_ply(said_at=5.0), 1.75),
        (one_ply(known_at=5.0), 1.75),
        (one_ply(word=(4.0, 99.0)), 0.75),
        (one_ply(word=(4.0, 5.0)), 3.75),  # what was asked was settled, and the ply was not said
        (one_ply(clear_at=99.0), 0.0),
    ],
)
def test_seconds_deaf_without_a_word_are_counted(says: Says, deaf: float) -> None:
    assert deaf_s(filmed(8.0, says)) == (deaf, 0.0)


@pytest.mark.parametrize(
    ("told_at", "seen_again", "unseen"),
    [(99.0, 99.0, 6.75), (2.0, 99.0, 0.0), (6.0, 99.0, 2.75), (99.0, 2.0, 0.0), (99.0, 7.0, 3.75)],
)
def test_a_camera_that_sees_nothing(told_at: float, seen_again: float, unseen: float) -> None:
    def says(t: float) -> Moment:
        told = told_at <= t
        return Moment(t, 0, clear=t >= seen_again, word=told, seeable=t >= seen_again, told=told)

    assert deaf_s(filmed(10.0, says)) == (0.0, unseen)


def test_a_second_counts_once() -> None:
    """A ply waits, and the camera does not see either."""
    ply = one_ply()

    def says(t: float) -> Moment:
        moment = ply(t)
        return Moment(t, moment.played, moment.clear and t < 2.0, seeable=t < 2.0)

    deaf, unseen = deaf_s(filmed(8.0, says))
    assert (deaf, unseen) == (2.0, 2.75)  # from after 3 s to 5; from after 5 s to 8
