"""What comes from elsewhere does not steer the terminal on which it is printed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import server
from server.exits import DONE
from server.record.details import Details
from server.record.store import open_record
from tests.server.record.test_archive import played, refused, run

ROOT = Path(server.__file__).parent
STEERING = "\x1b]0;owned\x07\u202e"
ESCAPING = {"escape_to_line", "dumps", "str"}
"""What makes a text harmless: the one escape, of questions, JSON's own, and numbers."""
DRAWN = {"phone_page.py: qr_text", "_simulated.py: HOME"}
"""What is to steer it: pictures of our own."""
ONE_WAY = ROOT / "masking.py"


def is_harmless(said: ast.expr) -> bool:
    """Whether what is printed without `server.masking` is our own text, or escaped."""
    if isinstance(said, ast.IfExp):
        return is_harmless(said.body) and is_harmless(said.orelse)
    if isinstance(said, ast.BoolOp):
        return all(map(is_harmless, said.values))
    if isinstance(said, ast.Call) and not any(one.arg == "ensure_ascii" for one in said.keywords):
        return (said.func.attr if isinstance(said.func, ast.Attribute) else getattr(said.func, "id", "")) in ESCAPING
    return isinstance(said, ast.Constant)


def test_all_that_is_printed_is_printed_the_one_way() -> None:
    bare = [
        f"{path.name}:{call.lineno}: {ast.unparse(call.args[0])}"
        for path in sorted({*ROOT.rglob("*.py")} - {ONE_WAY})
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args
        if call.func.attr in {"echo", "confirm"} and getattr(call.func.value, "id", "") == "click"
        if not is_harmless(call.args[0])
        if not any(drawn.split(": ")[0] == path.name and drawn.split(": ")[1] in ast.unparse(call) for drawn in DRAWN)
    ]
    assert bare == []


def test_each_column_of_the_list_of_games_is_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record that came by mail: its names, its result, its rules and its date are somebody else's."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        name = played(record, "camelot", 2, f"camelot-{STEERING}")
        record.append_event(
            name, Details(f"Open {STEERING} [bold]", players=(("white", STEERING),)).to_event(9.0, "page").to_json()
        )
        record.append_event(name, {"event": "result", "result": STEERING, "reason": STEERING, "t": 9.0})
        first = record.read_events(name)[0]
        record.append_event("other", first | {"begun": STEERING, "rules": STEERING})
    status, said = run("games", "list", "--record", file)
    assert status == DONE
    assert not set(STEERING) & set(said) & {"\x1b", "\x07", "\u202e"}
    assert said.count("\\x1b") >= 5
    assert "[bold]" in said, "what looks like markup is text"
    assert not {"\x1b", "\x07", "\u202e"} & set(run("verify", "--record", file)[1])
    assert not {"\x1b", "\x07", "\u202e"} & set(refused(capsys, "games", "show", name, "--record", file))
