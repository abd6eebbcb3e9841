"""A record with games in it, for the pages that show them."""

from __future__ import annotations

from pathlib import Path

from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.script import CHAIN, NAME, OPENING, Script

__all__ = ["NAME", "fill"]


def fill(path: Path, begun: int = 0, chain: bool = False) -> None:
    """Write the game NAME into the record at `path`, with the capture CHAIN if asked, and so many without a move."""
    script = Script(Feed())
    start = script.match
    for notation in [*OPENING, *([CHAIN] if chain else [])]:
        script.play(notation)
    with open_record(path) as opened:
        for number in range(2, begun + 2):
            Journal(opened, f"camelot-{number:04}").begin_game(start, "2026-04-01T10:00:00+00:00")
        Journal(opened, NAME).begin_game(start, "2026-05-01T10:00:00+00:00")
        for moved in script.told:
            opened.append_event(NAME, moved.to_json())
