"""What the referee said and did not say, frame by frame: which plies went by in silence, how long it was deaf.

A *word* is anything that tells people more than that all is well: a question, an unlawful placement or an unfinished
move named, wrong cells of the start position named, the camera said to have moved or not to see. It stands from when it
was said until it is settled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

SILENT_S = 5.0
"""A ply about which nothing was said for so long has gone by in silence: people look up and wonder by then."""
DEAF_S = 2.0
"""A ply on a clear board that has not been said for so long: from here on the referee is deaf."""
UNSEEN_S = 3.0
"""So long may a camera that sees nothing go unmentioned."""


@dataclass(frozen=True)
class Moment:
    """One frame, after the referee has seen it."""

    t: float
    played: int
    """Plies that have been played, by the picture that this frame shows."""
    clear: bool = True
    """Whether it shows the game and no more: no hands, nothing fallen, unlawful or half done, and it can be seen."""
    known: int = 0
    """Plies that the referee knows, whoever said them."""
    said: tuple[int, ...] = ()
    """Plies that it said by itself at this frame."""
    word: bool = False
    """Whether a word stands."""
    seeable: bool = True
    """Whether the camera shows the board at all."""
    told: bool = False
    """Whether it stands said that the camera does not see."""


def first_clear(moments: Iterable[Moment]) -> dict[int, float]:
    """When each ply was first on a clear board: ply -> seconds. A ply played over at once stands with the next."""
    out: dict[int, float] = {}
    for moment in moments:
        if moment.clear:
            for ply in range(max(out, default=0) + 1, moment.played + 1):
                out[ply] = moment.t
    return out


def silent(moments: Sequence[Moment]) -> tuple[int, ...]:
    """Plies that went by in silence.

    The referee has not said them when they have stood on a clear board for SILENT_S, or when a person says them, or at
    the end of the film; nor did any word stand in that time. A ply that was not clear for DEAF_S before the film ended
    is not judged.
    """
    out = []
    for ply, begin in first_clear(moments).items():
        heard = moments[-1].t - begin < DEAF_S
        for moment in moments:
            if moment.t > begin + SILENT_S:
                break
            heard |= ply in moment.said or (moment.t >= begin and moment.word)
            if heard or (moment.t >= begin and moment.known >= ply):
                break  # what people have said needs no word any more
        if not heard:
            out.append(ply)
    return tuple(out)


def deaf_s(moments: Sequence[Moment]) -> tuple[float, float]:
    """Seconds of the film in which the referee is deaf to a ply, and in which it does not say that it sees nothing.

    Deaf: a ply has been on the board for more than DEAF_S since it was first clear, nobody has said it, and no word
    stands. Unseen: the camera has not shown the board for more than UNSEEN_S, and that is not said.
    A second counts once.
    """
    since = first_clear(moments)
    deaf = unseen = 0.0
    dark: float | None = None
    for moment, following in pairwise(moments):
        dark = None if moment.seeable else moment.t if dark is None else dark
        lasts = following.t - moment.t
        waits = since.get(moment.known + 1)
        if dark is not None and moment.t - dark > UNSEEN_S and not moment.told:
            unseen += lasts
        elif waits is not None and moment.t - waits > DEAF_S and not moment.word:
            deaf += lasts
    return round(deaf, 2), round(unseen, 2)
