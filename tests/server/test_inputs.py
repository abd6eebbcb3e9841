"""What commands read: every fault names the file, and of many lines the line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from calibration import door
from engine.errors import InputError
from engine.games import load
from engine.text import positions
from server.inputs import read_position, read_positions, read_text

START = positions.to_json(load("camelot", "wcf"), load("camelot", "wcf").start())


def give_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    give_input(monkeypatch, b"\xef\xbb\xbfn\xc3\xa9")
    assert read_text("-") == "né"
    give_input(monkeypatch, b"one\ntwo \xff")
    with pytest.raises(InputError, match="-: line 2: not UTF-8 text at byte 8; save it as UTF-8"):
        read_text("-")
    give_input(monkeypatch, b" " * (door.MOST_TEXT + 1))
    with pytest.raises(InputError, match=r"-: more than .* MB; split it"):
        read_text("-")


def test_a_position_names_its_game_and_without_one_a_game_begins(tmp_path: Path) -> None:
    path = tmp_path / "position.json"
    path.write_text(json.dumps(START), encoding="utf-8")
    game, position = read_position("-", None, str(path))
    assert (game.name, position) == ("camelot", game.start())
    game, position = read_position("camblam", None, None)
    assert (game.name, position) == ("camblam", game.start())
    path.write_text(json.dumps(START | {"to_move": "green"}), encoding="utf-8")
    with pytest.raises(InputError, match=f"^{path}: .*green"):
        read_position("camelot", None, str(path))


def test_of_many_positions_the_line_of_a_fault_is_named(tmp_path: Path) -> None:
    path = tmp_path / "positions.jsonl"
    lines = [json.dumps(START), "", json.dumps({"position": START, "why": "a test"}), "{}"]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = read_positions("camelot", None, str(path))
    assert [next(found)[1], next(found)[1]] == [load("camelot", "wcf").start()] * 2
    with pytest.raises(InputError, match=f"^{path}, line 4: "):
        next(found)
