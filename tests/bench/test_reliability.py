"""What measures the belief: opinions against the truth, numbers moved, and groups left out of a fit."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain, pairwise
from pathlib import Path

from engine.belief.numbers import Numbers, load_default_numbers
from tests.bench.corpus import SUFFIX
from tests.bench.fit import left_out, readings
from tests.bench.reliability import EDGES, Held, held, picture, table
from tests.bench.sensitivity import figures, moved

CORPUS = Path(__file__).parents[1] / "data" / "corpus"
CLEAN = next(CORPUS.rglob("*clean*" + SUFFIX))


def test_on_a_clean_film_what_is_surely_believed_is_true() -> None:
    found = held(CLEAN)
    sure = [one for one in found if one.probability >= EDGES[-2]]
    assert len(sure) > 10
    assert all(one.true for one in sure)


def test_classes_of_probability_hold_every_opinion_once() -> None:
    some = [Held(p / 20, p % 2 == 0, "drawn", "test", f"film {p}") for p in range(21)]
    rows = list(table(some))
    assert sum(looks for _, _, looks, _, _, _ in rows) == len(some)
    assert all(low <= mean < high and 0 <= true <= 1 for low, high, _, _, mean, true in rows)
    assert all(one[1] <= other[0] for one, other in pairwise(rows))
    assert picture(some).size[0] > 0


def test_each_number_is_moved_both_ways_and_probabilities_stay_such() -> None:
    shipped = asdict(load_default_numbers())
    others = [asdict(other) for _, other in moved(0.3)]
    assert len(others) == 2 * len(shipped)
    for name in shipped:
        values = {other[name] for other in others} - {shipped[name]}
        assert len(values) == 2, name
        assert min(values) < shipped[name] < max(values)
    assert all(0 < other[name] < 1 for other in others for name in ("say", "at_once", "accuse"))


def test_other_numbers_give_other_figures() -> None:
    shipped = load_default_numbers()
    assert figures(CLEAN, shipped)[1]["right"] > 0
    never = Numbers(**(asdict(shipped) | {"say": 1.1, "at_once": 1.1}))
    assert figures(CLEAN, never)[1]["right"] == 0
    assert figures(CLEAN, shipped)[1]["right"] > 0


def test_a_fit_without_a_group_has_read_nothing_of_it() -> None:
    reads = list(chain.from_iterable(map(readings, sorted(CORPUS.rglob("*" + SUFFIX)))))
    for group, count, _ in left_out(reads, "disturbance"):
        assert count == sum(one.disturbance != group for one in reads)
        assert count < len(reads)
