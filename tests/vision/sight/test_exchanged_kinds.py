"""Two pieces of one side that stand in each other's places, in scores that are made up."""

from __future__ import annotations

from vision.sight.exchanged_kinds import (
    FITS_BETTER_NATS,
    LEAST_OF_KIND,
    are_exchanged,
    exchange_pieces,
    list_likely_exchanges,
)

MAN, KNIGHT, OTHER = 1, 2, 3
LOOK_OF = (0, 1, 1, 1)
PLACED = bytes([MAN] * 6 + [KNIGHT] * 4 + [0] * 2)


def scores(like: dict[int, int], placed: bytes = PLACED, apart: float = 4.0) -> dict[int, dict[int, float]]:
    """What each piece scores: by `apart` more as what it is `like`, by default as what is placed there."""
    cells = [cell for cell, piece in enumerate(placed) if piece]
    return {
        cell: {kind: -apart * (kind != like.get(cell, placed[cell])) for kind in set(placed) - {0}} for cell in cells
    }


def test_two_that_look_like_each_others_kind_are_likely_exchanged() -> None:
    assert list(list_likely_exchanges(scores({}), PLACED, LOOK_OF)) == []
    assert list(list_likely_exchanges(scores({2: KNIGHT}), PLACED, LOOK_OF)) == []  # a man has another kind for a twin
    assert list(list_likely_exchanges(scores({2: KNIGHT, 8: MAN}), PLACED, LOOK_OF)) == [(2, 8)]


def test_of_few_pieces_or_of_many_kinds_nothing_is_said() -> None:
    few = bytes([MAN] * 6 + [KNIGHT] * (LEAST_OF_KIND - 1))
    assert list(list_likely_exchanges(scores({2: KNIGHT, 6: MAN}, few), few, LOOK_OF)) == []
    many = PLACED[:-2] + bytes([OTHER] * LEAST_OF_KIND)
    assert list(list_likely_exchanges(scores({2: KNIGHT, 8: MAN}, many), many, LOOK_OF)) == []


def test_they_are_exchanged_if_all_of_the_side_fit_better_so() -> None:
    after = exchange_pieces(PLACED, (2, 8))
    assert (after[2], after[8]) == (KNIGHT, MAN)
    seen = {2: KNIGHT, 8: MAN}
    assert are_exchanged(scores(seen), scores(seen, after), PLACED, (2, 8))
    assert not are_exchanged(scores({}), scores({2: MAN, 8: KNIGHT}, after), PLACED, (2, 8))
    hardly = FITS_BETTER_NATS / 2 - 0.1
    assert not are_exchanged(scores(seen, apart=hardly), scores(seen, after, apart=hardly), PLACED, (2, 8))
