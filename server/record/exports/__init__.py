"""Games as files for others: each module turns the replay of a game into one format."""

from __future__ import annotations

from collections.abc import Callable

from engine import games
from engine.explain.wording import words_of
from server.record.archive import Events, as_jsonl, as_pgn, as_replay
from server.record.decisions import list_decisions
from server.record.exports.film import render_film
from server.record.exports.page import render_page
from server.saying import describe_decision


def _as_pdf(name: str, events: Events) -> bytes:
    """Loading what makes PDF is an eighth of the start of a service, and few ever ask for one."""
    from server.record.exports.sheet import render_sheet  # noqa: PLC0415

    replay = as_replay(name, events)
    words = words_of(games.load(str(replay["game"]), str(replay["rules"])))
    return render_sheet(replay, [describe_decision(one, words) for one in list_decisions(events)])


FORMATS: dict[str, Callable[[str, Events], bytes]] = {
    "pgn": lambda name, events: as_pgn(name, events).encode(),
    "jsonl": lambda name, events: as_jsonl(events).encode(),
    "html": lambda name, events: render_page(as_replay(name, events)).encode(),
    "gif": lambda name, events: render_film(as_replay(name, events)),
    "pdf": _as_pdf,
}
"""Ending of the file -> what makes it out of a game's name and events."""
