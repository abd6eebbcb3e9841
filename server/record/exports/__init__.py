"""Games as files for others: each module turns the replay of a game into one format."""

from __future__ import annotations

from collections.abc import Callable

from server.record.archive import Events, as_jsonl, as_pgn, as_replay
from server.record.exports.film import render_film
from server.record.exports.page import render_page
from server.record.exports.sheet import render_sheet

FORMATS: dict[str, Callable[[str, Events], bytes]] = {
    "pgn": lambda name, events: as_pgn(name, events).encode(),
    "jsonl": lambda name, events: as_jsonl(events).encode(),
    "html": lambda name, events: render_page(as_replay(name, events)).encode(),
    "gif": lambda name, events: render_film(as_replay(name, events)),
    "pdf": lambda name, events: render_sheet(as_replay(name, events)),
}
"""Ending of the file -> what makes it out of a game's name and events."""
