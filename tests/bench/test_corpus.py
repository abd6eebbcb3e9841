"""The stored traces of the corpus judged anew: the same events and figures as when the films were refereed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from engine.match.acts import Correct
from engine.match.events import Moved
from engine.match.judging import Asked, State
from server.record.traces.refold import refold_lines
from server.record.traces.trace import Trace, load_trace
from tests.bench.corpus import FIGURES, LOOKS_OF, SPLITS, SUFFIX, films, grouped
from tests.bench.replay_corpus import figures, judged, still_asked, table
from tests.server.record.traces.refolded import refold_events

CORPUS = Path(__file__).parents[1] / "data" / "corpus"
TRACES = sorted(CORPUS.rglob("*" + SUFFIX), key=lambda path: path.stat().st_size)
"""The shortest first: many tests take any."""


@pytest.mark.parametrize("path", TRACES, ids=[path.name.removesuffix(SUFFIX) for path in TRACES])
def test_a_stored_trace_gives_the_same_events_and_figures(path: Path) -> None:
    trace = load_trace(path)
    assert trace.truth is not None
    lines = list(refold_lines(trace, still_asked))
    for one in lines:
        assert one.is_same, f"at {one.given.t:g} s: {one.recorded_events}, and now {one.current_events}"
    found = figures(path.name.removesuffix(SUFFIX), trace, lines)
    assert found.figures == trace.truth["figures"]
    assert found.looks >= 4 or found.figures["deaf_s"] > 0, "what was not looked at cannot be said"
    assert path.parent.name == found.split


def test_the_stored_part_has_both_splits_and_every_board() -> None:
    stored = {path.name.removesuffix(SUFFIX): path.parent.name for path in TRACES}
    known = {film.name: film for film in films()}
    assert {known[name].split for name in stored} == set(SPLITS)
    assert {known[name].board for name in stored} == {film.board for film in films()}
    assert len({known[name].disturbance for name in stored}) > 3
    assert all(known[name].split == split for name, split in stored.items())
    assert sum(path.stat().st_size for path in TRACES) < 10_000_000


def test_the_whole_corpus_is_large_and_shares_no_set_up() -> None:
    whole = films()
    assert len(whole) >= 300
    assert len({film.name for film in whole}) == len(whole)
    fit, test = ({(film.folder or film.seed) for film in whole if film.split == split} for split in SPLITS)
    drawn = [{key for key in keys if isinstance(key, int)} for keys in (fit, test)]
    assert not drawn[0] & drawn[1]
    assert not LOOKS_OF["fit"] & LOOKS_OF["test"]
    assert sum(len(group) for group in grouped(whole)) == len(whole)


def test_another_judging_gives_other_figures() -> None:
    """With no look left nothing is said by itself; people still say what they said."""
    trace = next(load_trace(path) for path in TRACES if "clean" in path.name)
    blind = dataclasses.replace(trace, lines=tuple(line for line in trace.lines if line["in"] != "look"))
    found = figures("blind", blind, list(refold_lines(blind, still_asked)))
    assert (found.figures["right"], found.figures["unready"]) == (0, 1)
    assert found.figures["silent"] >= found.figures["plies"] - 1  # the last one may stand too shortly to be judged
    assert "blind" not in "".join(table([found]))


def test_people_say_only_what_is_not_known() -> None:
    trace = next(one for one in map(load_trace, TRACES) if moves_of(one))
    begun = trace.initial_match
    first = moves_of(trace)[0]
    asked = Asked(1.0, Correct(1, first.notation))
    assert still_asked(State(begun), asked)
    after = list(refold_lines(trace))[-1].outcome.state
    assert not still_asked(after, asked)


def moves_of(trace: Trace) -> list[Moved]:
    return [event for event in refold_events(trace) if isinstance(event, Moved)]


def test_every_figure_is_in_the_table() -> None:
    rows = list(table([judged(TRACES[0])]))
    assert all(name in rows[0] for name in FIGURES)
    assert rows[-1].startswith("together")
