"""Games from files: what was exported comes back the same, what does not hold is refused whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.match.events import Result
from server.exits import ANSWER_IS_NO
from server.record.imports import parse_games
from server.record.playing import claim_record
from server.record.store import open_record
from tests.server.commands.test_serve import PROFILE, SESSION
from tests.server.record.test_archive import FAMILY, PLIES, played, refused, run


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("exported") / "games.sqlite3"
    with open_record(path) as record:
        for name in FAMILY:
            played(record, name)
        played(record, "camelot", name="ended")
        record.append_event("ended", Result(99.0, "1-0", "resigned").to_json())
        played(record, "camelot", name="lost-by-both")
        record.append_event("lost-by-both", Result(99.0, "0-0", "rules").to_json())
    yield path


@pytest.mark.parametrize("kind", ["pgn", "jsonl"])
@pytest.mark.parametrize("name", [*(f"{game}-0001" for game in FAMILY), "ended", "lost-by-both"])
def test_what_was_exported_comes_back_the_same(file: Path, tmp_path: Path, name: str, kind: str) -> None:
    other, first, second = tmp_path / "other.sqlite3", tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
    run("games", "export", name, "--record", file, "-o", first)
    code, said = run("games", "import", first, "--record", other)
    assert (code, said.split(": ")[1]) == (0, f"{_name_in(other)}, {PLIES} plies\n")
    run("games", "export", _name_in(other), "--record", other, "-o", second)
    assert _without_name(second.read_text(encoding="utf-8")) == _without_name(first.read_text(encoding="utf-8"))
    assert run("verify", "--record", other)[0] == 0
    result = {"ended": "1-0", "lost-by-both": "0-0"}.get(name, "*")
    assert run("check", first) == (0, f"{first}: ok, {PLIES} plies, {result}\n")


def _name_in(file: Path) -> str:
    with open_record(file) as record:
        (name,) = record.event_counts()
        return name


def _without_name(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("[Event"))


def test_a_name_that_is_taken_gives_way(file: Path, tmp_path: Path) -> None:
    text, other = tmp_path / "ended.pgn", tmp_path / "other.sqlite3"
    run("games", "export", "ended", "--record", file, "-o", text)
    for _ in range(2):
        run("games", "import", text, "--record", other)
    with open_record(other) as record:
        assert set(record.event_counts()) == {"ended", "camelot-0001"}
        assert {summary.result for summary in record.list_summaries()} == {"1-0"}


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.pgn", '[Variant "camelot"]\n\n1. E6-E2 *', "a.pgn, game 1: line 3: ply 1 (white) E6-E2: illegal"),
        ("a.pgn", '[Variant "camelot"]\n[TimeControl "soon"]\n\n*', "'soon' is no stage"),
        ("a.pgn", '[Variant "camelot"]\n\n1. E6-E5 { [%clk x:y] } *', "not a time like"),
        ("a.jsonl", "{", "a.jsonl, line 1: no JSON"),
        ("a.jsonl", "[]", "a.jsonl, line 1: not an event"),
        ("a.jsonl", '{"event": "ready"}', "the first event of a game is 'begin'"),
        ("a.jsonl", '{"event": "begin", "game": "camelot"}', "game 1: event 1: rules is missing"),
    ],
)
def test_what_does_not_hold_is_refused_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, why: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert why in refused(capsys, "games", "import", tmp_path / name, "--record", tmp_path / "none.sqlite3")
    assert not (tmp_path / "none.sqlite3").exists()


def test_lines_that_contradict_the_rules_are_refused(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "a.jsonl"
    run("games", "export", "ended", "--record", file, "-o", lines)
    events = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    events[3]["notation"] = "D10-F2"
    lines.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    why = "game 1: event 4: D10-F2: illegal: not-a-move: "
    assert why in refused(capsys, "games", "import", lines, "--record", tmp_path / "none.sqlite3")
    status, said = run("check", lines)
    assert status == ANSWER_IS_NO
    assert said.startswith(f"{lines}: {why}")


def test_a_running_game_is_not_deleted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with claim_record(file):
        assert "being played" in refused(capsys, "games", "delete", "camelot-0001", "--yes", "--record", file)
        arguments = ("serve", "--profile", PROFILE, "--camera", SESSION, "--record", file, "--port", 0)
        assert "another referee is playing into it" in refused(capsys, *arguments)
        assert run("games", "delete", "ended", "--yes", "--record", file) == (0, "ended: deleted\n")
    run("games", "delete", "camelot-0001", "--yes", "--record", file)


TWO = '[Event "Friday"]\n\n1. D6 \u2013 F8 H11\u2013F9 \u00bd-\u00bd\n\n[Event "Saturday"]\n\n1. D6-F8 H11-F9 *\n'


def test_all_games_of_a_text_without_variants_are_taken() -> None:
    found = parse_games(TWO, Path("two.pgn"))
    assert [name for name, _ in found] == ["Friday", "Saturday"]
    results = [[event["result"] for event in events if event["event"] == "result"] for _, events in found]
    assert results == [["1/2-1/2"], []]


def test_an_option_says_which_game_a_text_holds() -> None:
    ((_, events),) = parse_games("1. C4-C6 *", Path("a.pgn"), "cam", None)
    assert events[0]["game"] == "cam"
    with pytest.raises(InputError, match="line 1: ply 1"):
        parse_games("1. H11-F9 *", Path("a.pgn"), "cam", None)
