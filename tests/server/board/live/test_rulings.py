"""What the hall's arbiters decide stands in the game that it is about, also when the board is at the next one."""

from __future__ import annotations

from pathlib import Path

from server.board.live.notices import Decision
from server.board.publishing import _has_game
from server.record.verifying import find_record_faults
from tests.server.board.live.test_take_up import FIRST, SECOND, Board, board

__all__ = ["board"]  # a fixture


def test_a_ruling_stands_in_its_game_and_never_in_the_one_on_the_board(board: Board) -> None:
    """It was written into the game of now, whoever played that."""
    before = board.events(SECOND)
    board.act(Decision("ruling-1-1", FIRST, "changed-later", "the sheet says so", "Anna"))
    (ruled,) = (event for event in board.record.read_events(FIRST) if event["event"] == "ruling")
    assert (ruled["game"], ruled["ruling"], ruled["who"]) == (FIRST, "the sheet says so", "Anna")
    assert board.events(SECOND) == before
    assert board.service.journal.name == SECOND
    board.act(Decision("ruling-2-1", SECOND, "doubt", "it stands", "Anna"))
    assert board.events(SECOND) == [*before, "ruling"]
    board.act(Decision("ruling-3-1", "camelot-0077", "doubt", "it stands", "Anna"))
    assert "camelot-0077" not in board.record.event_counts()
    assert find_record_faults(board.record, Path(board.record.where).with_name("pictures")) == ([], 2)


def test_it_is_known_which_games_a_record_has(board: Board, tmp_path: Path) -> None:
    file = Path(board.record.where)
    assert [_has_game(file, game) for game in (FIRST, SECOND, "camelot-0077")] == [True, True, False]
    assert _has_game(tmp_path / "gone" / "games.sqlite3", FIRST), "what cannot be read now may be there later"
