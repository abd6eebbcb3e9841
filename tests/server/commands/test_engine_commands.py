"""The commands games, legal, perft, why and check: what they print and how they end."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from server.cli import main

GAMES = Path(__file__).parents[2] / "data" / "games"
JUMP = {
    "game": "camelot",
    "rules": "wcf",
    "to_move": "white",
    "cells": {"E8": "WM", "E9": "BM", "A4": "WM", "L4": "BM"},
}


class Told:
    """What a command printed and its exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        self.code = ended.value.code
        self.out, self.err = capsys.readouterr()

    def json(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.out)
        return found


@pytest.fixture
def position(tmp_path: Path) -> str:
    file = tmp_path / "jump.json"
    file.write_text(json.dumps(JUMP))
    return str(file)


def test_legal_lists_each_result_once(capsys: pytest.CaptureFixture[str]) -> None:
    told = Told(capsys, "legal", "camelot", "--json")
    found = told.json()
    turns = found["turns"]
    assert (told.code, found["to_move"], found["outcome"]) == (0, "white", None)
    assert isinstance(turns, list) and len(turns) == 100
    assert {"notation": "E6-C8", "kind": "canter", "from": "E6", "to": "C8", "captured": []} in turns
    assert len(json.loads(Told(capsys, "legal", "camelot", "--paths", "--json").out)["turns"]) == 112
    assert "E6-C8" in Told(capsys, "legal", "camelot").out.splitlines()


def test_legal_of_a_position(
    capsys: pytest.CaptureFixture[str], position: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    jump = {"notation": "E8xE10", "kind": "jump", "from": "E8", "to": "E10", "captured": ["E9"]}
    assert Told(capsys, "legal", "camelot", "--position", position, "--json").json()["turns"] == [jump]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(JUMP).encode())))
    assert Told(capsys, "legal", "camelot", "--position", "-", "--json").json()["turns"] == [jump]


def test_a_game_that_is_over_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "over.json"
    file.write_text(json.dumps({**JUMP, "to_move": "black", "cells": {"F16": "WM", "G16": "WN", "L4": "BM"}}))
    found = Told(capsys, "legal", "camelot", "--position", str(file), "--json").json()
    assert found == {"to_move": "black", "outcome": {"result": "1-0", "reason": "castle"}, "turns": []}


def test_legal_answers_many_positions_line_by_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    start = {"game": "tri-camelot", "cells": {"E4": "BN", "B13": "RN", "J13": "GN"}}
    file.write_text(f"{json.dumps(JUMP)}\n\n{json.dumps(start)}\n")
    told = Told(capsys, "legal", "-", "--positions", str(file))
    assert [len(json.loads(line)["turns"]) for line in told.out.splitlines()] == [1, 6]
    timed = Told(capsys, "legal", "-", "--positions", str(file), "--time").json()
    assert (timed["positions"], timed["results"]) == (2, 7)
    assert set(timed) == {"positions", "results", "seconds", "positions_per_s"}


@pytest.mark.parametrize(("arguments", "last"), [
    (["camelot", "2"], "10038"), (["camelot", "2", "--rules", "wcf"], "10026"),
    (["tri-camelot", "2", "--paths"], "1600"),
    (["cam-3d", "1", "--divide"], "141"), (["camette", "0", "--divide"], "1"),
])  # fmt: skip
def test_perft_ends_with_the_count(capsys: pytest.CaptureFixture[str], arguments: list[str], last: str) -> None:
    lines = Told(capsys, "perft", *arguments).out.splitlines()
    assert lines[-1] == last
    if "--divide" in arguments:
        assert sum(int(line.rpartition(" ")[2]) for line in lines[:-1]) == int(last) or lines[:-1] == []


def test_why_names_the_rule_and_what_to_play_instead(capsys: pytest.CaptureFixture[str], position: str) -> None:
    found = Told(capsys, "why", "camelot", "A4-A5", "--position", position, "--json").json()
    message = "A piece that can jump must: E8 can."
    template = {"text": "A piece that can jump must: {cells} can.", "values": {"cells": "E8"}}
    assert found == {"legal": False, "code": "must-jump", "message": message, "instead": ["E8xE10"], **template}
    for written in ("E6-C8", "e6\u2013c8", "E6 \u2212 C8"):
        assert Told(capsys, "why", "camelot", written, "--json").json()["legal"] is True
    told = Told(capsys, "why", "camelot", "A4-A5", "--position", position)
    assert (told.code, told.out) == (1, "must-jump: A piece that can jump must: E8 can.\n  E8xE10\n")


def test_games_names_all_switches(capsys: pytest.CaptureFixture[str]) -> None:
    found = {game["name"]: game for game in json.loads(Told(capsys, "games", "--json").out)["games"]}
    assert {"camelot", "tri-camelot", "cam-3d", "camblam", "cam", "camette", "chivalry"} <= set(found)
    camelot = found["camelot"]
    assert len(camelot["cells"]) == 160
    assert camelot["rule_sets"]["brainking"]["charge_must_capture"] is False
    assert camelot["rule_sets"]["wcf"]["charge_must_capture"] is True
    assert camelot["start"]["cells"]["C6"] == "WN"
    assert all(switch["meaning"] for game in found.values() for switch in game["switches"])
    text = Told(capsys, "games").out
    assert "charge_must_capture = off (brainking) | on (wcf)" in text


def test_check_names_the_first_unlawful_ply_of_a_record(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good = str(GAMES / "wc2009-g1.pgn")
    assert Told(capsys, "check", good).out == f"{good}: ok, 23 plies, *\n"
    bad = tmp_path / "bad.pgn"
    bad.write_text('[Variant "camelot"]\n\n1. D6-F8 H11-F9 2. C6-C9 *\n')
    told = Told(capsys, "check", str(bad), good)
    assert told.code == 1
    assert told.out.startswith(f"{bad}: ply 3 (white) C6-C9: illegal: not-a-move: ")
    two = tmp_path / "two.pgn"
    two.write_text(bad.read_text().replace("2. C6-C9 ", "") + bad.read_text())
    assert Told(capsys, "check", str(two)).out.startswith(f"{two}: game 2: ply 3 (white)")


def test_check_says_the_result_that_the_rules_give_where_the_record_says_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "left.pgn"
    file.write_text('[Variant "tri-camelot"]\n\n1. F5-H7 {[%left blue resigned]} {[%left red resigned]} *\n')
    assert Told(capsys, "check", str(file)).out == f"{file}: ok, 1 plies, 0-0-1\n"


UNUSABLE = [
    (["legal", "chess"], "'chess'"),
    (["legal", "camelot", "--rules", "x"], "'x'"),
    (["legal", "camelot", "--position", "/nowhere.json"], "/nowhere.json"),
    (["legal", "camelot", "--time"], "--positions FILE"),
    (["legal", "camelot", "--position", "a", "--positions", "b"], "not both"),
    (["legal", "camelot", "--what"], "--what"),
    (["perft", "camelot", "-1"], "-1"),
    (["perft", "camelot", "many"], "many"),
    (["why", "camelot"], "MOVE"),
    (["check"], "FILE"),
    (["check", "/nowhere.pgn"], "/nowhere.pgn"),
]


@pytest.mark.parametrize(("arguments", "named"), UNUSABLE, ids=[" ".join(row[0]) for row in UNUSABLE])
def test_arguments_that_cannot_be_used_get_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    told = Told(capsys, *arguments)
    assert (told.code, told.out) == (2, "")
    assert named in told.err
    assert told.err.count("\n") == 1


BAD_FILES = [b"", b"{", b"[]", b"\xff\xfe", b'{"game": "cam", "cells": {"Z1": "WM"}}', b"[" * 100_000]


@pytest.mark.parametrize("content", BAD_FILES, ids=lambda content: str(content[:20]))
def test_files_that_cannot_be_used_get_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "position.json"
    file.write_bytes(content)
    for arguments in (["legal", "cam", "--position"], ["why", "cam", "A1-B2", "--position"], ["check"]):
        told = Told(capsys, *arguments, str(file))
        assert (told.code, told.out) == (2, "")
        assert str(file) in told.err
        assert told.err.count("\n") == 1
