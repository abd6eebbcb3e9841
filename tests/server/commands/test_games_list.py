"""`referee games list` on a narrow terminal: the name of a game is never cut, as every other command needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.games import load
from engine.match.referee import new_match
from server.cli import main
from server.record.details import Details
from server.record.journal import Journal
from server.record.store import open_record


@pytest.mark.parametrize("columns", ["40", "80"])
@pytest.mark.parametrize("name", ["camelot-0001", "chivalry-of-the-long-night-0001", "n" * 80])
def test_names_of_games_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, columns: str
) -> None:
    match, file = new_match(load("camelot")), tmp_path / "games.sqlite3"
    players = tuple((seat, "W" * 80) for seat in match.game.seats)
    with open_record(file) as record:
        journal = Journal(record, name)
        journal.begin_game(match, "2026-11-25T20:00:00")
        journal.write_note(Details(event="E" * 80, players=players).to_event(0.0, "page"))
    monkeypatch.setenv("COLUMNS", columns)
    with pytest.raises(SystemExit) as left:
        main(["games", "list", "--record", str(file)])
    assert left.value.code == 0
    assert name in capsys.readouterr().out
