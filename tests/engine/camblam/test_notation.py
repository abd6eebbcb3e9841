"""Camblam on paper, both ways, and the reason for a change on the board that no move makes."""

from __future__ import annotations

import pytest

from engine.game import Change, Move
from tests.engine.camblam.setting import camblam, stood

BOARD = camblam().board


@pytest.mark.parametrize(
    ("pieces", "text", "path", "taken", "kind", "becomes"),
    [
        ("WPE4", "E4-E7", "E4 E7", "", "move", ""),
        ("WPE4 BNF5", "E4xF5", "E4 F5", "F5", "capture", ""),
        ("WNB2", "NB2-A7", "B2 A7", "", "move", ""),
        ("WRD4 BPD8 BPD9", "RD4xD8xD9", "D4 D8 D9", "D8 D9", "run", ""),
        ("WAD4 BPD8", "AD4*D8", "D4 D4", "D8", "shot", ""),
        ("WPE11", "E11-E12=Q", "E11 E12", "", "move", "WQ"),
        ("WPE11 BRF12", "E11xF12=N", "E11 F12", "F12", "capture", "WN"),
        ("WRA1 BKL12", "RA1-A12+", "A1 A12", "", "move", ""),
        ("WRA11 WRB1 BKL12", "RB1-B12#", "B1 B12", "", "move", ""),
    ],
)
def test_a_move_is_written_and_read_back(
    pieces: str, text: str, path: str, taken: str, kind: str, becomes: str
) -> None:
    move = Move(
        tuple(BOARD.index[cell] for cell in path.split()),
        tuple(BOARD.index[cell] for cell in taken.split()),
        kind,
        camblam().codes.index(becomes),
    )
    position = stood(pieces)
    assert move in camblam().moves(position)
    assert camblam().write(position, move) == text
    assert camblam().read(position, text) == move
    for loosely in (
        text.lower(),
        f" {text}!?",
        text.rstrip("+#") + "+",
        text[1:] if text[1].isalpha() else text,
    ):
        assert camblam().read(position, loosely) == move


@pytest.mark.parametrize(
    ("pieces", "change", "code", "instead"),
    [
        ("WRD4 BPD6 BPD7", "D4 D7 D7", "not-a-move", "RD4xD6xD7"),
        ("WRD4 BPD6 BPD7", "D4 D6 D7", "not-a-move", "RD4xD6"),
        ("WRD4 BPD6 BPD8", "D4 D8 D6 D8", "blocked", "RD4xD6"),
        ("WRD4 BPG7", "D4 D9 G7", "not-a-move", "RD4-D9"),
        ("WAD4 BPD6", "D4 D6 D6", "occupied", "AD4*D6"),
        ("WAD4 BPD11", "- - D11", "out-of-range", "AD4-D5"),
        ("WAD4 BPD6 BPD8", "- - D8", "blocked", "AD4*D6"),
        ("WAA1 WAD4 BPD11", "- - D11", "out-of-range", "AD4-D5"),
        ("WAD4 BPD6 BPD8", "- - D6 D8", "not-a-move", ""),
        ("WRD4 BPD6", "- - D6", "not-a-move", ""),
        ("WRD4 BPD6", "- -", "not-a-move", ""),
        ("WKD1 WRD4 BRD9", "D4 E4", "check", "RD4-D5"),
        ("WPD3 WKA1", "D3 D4 =WQ", "not-a-move", "D3-D4"),
        ("WPD11 WKA1", "D11 D12 =WK", "not-a-move", "D11-D12=Q"),
        ("WKA1 BRA12 BRB12 BKL12", "A1 A2", "game-over", ""),
    ],
)
def test_change_on_the_board(pieces: str, change: str, code: str, instead: str) -> None:
    words = change.split()
    cells = [-1 if word == "-" else BOARD.index[word] for word in words if not word.startswith("=")]
    becomes = camblam().codes.index(words[-1][1:]) if words[-1].startswith("=") else 0
    refusal = camblam().refuse(stood(pieces), Change(cells[0], cells[1], tuple(sorted(cells[2:])), becomes))
    assert refusal.code == code, refusal
    assert instead in (refusal.instead or ("",))


@pytest.mark.parametrize(
    ("pieces", "text", "left"),
    [
        ("WKD1 WRD4 BRD9 BPE4", "RD4xE4", "WKD1 WRE4 BRD9"),
        ("WRD4 BPD6 BPD8", "RD4xD6xD8", "WRD8"),
        ("WAD4 BPD11", "AD4*D11", "WAD4"),
        ("WPD3", "D3-D12=Q", "WQD12"),
        ("WPD3", "E3-E4", None),
        ("WPD3", "nonsense", None),
        ("WPD3", "D3-D3", None),
    ],
)
def test_an_illegal_move_that_stood(pieces: str, text: str, left: str | None) -> None:
    game, before = camblam(), stood(pieces)
    move = game.overrule(before, text)
    assert (move and game.play(before, move)) == (stood(left, "black") if left else None)
