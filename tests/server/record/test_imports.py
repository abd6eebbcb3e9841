"""Games from files: what was exported comes back the same, what does not hold is refused whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.games import load
from engine.match.acts import AsPlayed, Resign
from engine.match.arbiter import apply_act
from engine.match.events import Result
from engine.match.referee import new_match
from engine.match.state import Phase
from engine.text import prose, records
from engine.text.positions import to_json
from engine.text.records import read_pgn
from engine.text.replay import replay_record
from server.exits import ANSWER_IS_NO
from server.record.archive import as_pgn
from server.record.imports import add_games, parse_text
from server.record.journal import fold_events
from server.record.playing import claim_record
from server.record.store import open_record
from tests.server.commands.test_serve import PROFILE, SESSION
from tests.server.full_disk import files_of_at_most
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
    open_end = "; it has no result, so it counts as not finished" if kind == "jsonl" and "-0001" in name else ""
    assert (code, said.split(": ")[1]) == (0, f"{_name_in(other)}, {PLIES} plies{open_end}\n")
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
        ("a.pgn", '[Variant "camelot"]\n[TimeControl "soon"]\n\n*', "'soon' is not a stage"),
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
        assert "another referee is using it" in refused(capsys, *arguments)
        assert run("games", "delete", "ended", "--yes", "--record", file) == (0, "ended: deleted\n")
    run("games", "delete", "camelot-0001", "--yes", "--record", file)


TWO = '[Event "Friday"]\n\n1. D6 \u2013 F8 H11\u2013F9 \u00bd-\u00bd\n\n[Event "Saturday"]\n\n1. D6-F8 H11-F9 *\n'


def test_all_games_of_a_text_without_variants_are_taken() -> None:
    found = parse_text(TWO, Path("two.pgn")).games
    assert [name for name, _ in found] == ["Friday", "Saturday"]
    results = [[event["result"] for event in events if event["event"] == "result"] for _, events in found]
    assert results == [["1/2-1/2"], []]


def test_an_option_says_which_game_a_text_holds() -> None:
    ((_, events),) = parse_text("1. C4-C6 *", Path("a.pgn"), "cam", None).games
    assert events[0]["game"] == "cam"
    with pytest.raises(InputError, match="line 1: ply 1"):
        parse_text("1. H11-F9 *", Path("a.pgn"), "cam", None)


def taken(tmp_path: Path, text: str) -> tuple[str, str]:
    """What import says of a game in a text, and how it is exported again."""
    first, other, second = tmp_path / "a.pgn", tmp_path / "r.sqlite3", tmp_path / "b.pgn"
    first.write_text(text, encoding="utf-8")
    code, said = run("games", "import", first, "--record", other)
    assert code == 0
    run("games", "export", _name_in(other), "--record", other, "-o", second)
    return said.partition(": ")[2].strip(), second.read_text(encoding="utf-8")


def plies_of(text: str) -> str:
    return " ".join(text.split("\n\n")[1].split())


def test_comments_and_marks_are_kept_and_what_is_not_is_counted(tmp_path: Path) -> None:
    text = (
        '[Variant "camelot"]\n[Rules "brainking"]\n\n'
        "{Played in\nthe rain} 1. D6-D5! $14 {[%clk 0:59:00] A quiet [%eval 0.1] start}\n"
        "(1. E6-E5 {or so} (1. F6-F5)) D11-D12 ; as in the book\n2. E6-E5?? {" + "x" * 20000 + "} *\n"
    )
    said, again = taken(tmp_path, text)
    assert said == "camelot-0001, 3 plies; not kept: 2 variations, 2 comments"
    assert plies_of(again) == (
        "{Played in the rain} 1. D6-D5! {[%clk 0:59:00]} $14 {A quiet [%eval 0.1] start} "
        "1... D11-D12 {as in the book} 2. E6-E5?? *"
    )
    (tmp_path / "again").mkdir()
    said, third = taken(tmp_path / "again", again)
    assert (said, plies_of(third)) == ("camelot-0001, 3 plies", plies_of(again)), "nothing more is lost"


@pytest.mark.parametrize("written", ["C6-G12", "c6xg12", "c6-e8-g8xi10xg12", "C6^E8^G8xI10xG12", "C6-G12!?"])
@pytest.mark.parametrize("head", ["", '[Variant "camelot"]\n\n'])
def test_a_move_is_written_in_full_however_the_text_had_it(head: str, written: str) -> None:
    ((_, events),) = parse_text(f"{head}1. f6-f8 i10-h9 2. {written} *", Path("a.txt")).games
    full = ["F6-F8", "I10-H9", f"C6-E8-G8xI10xG12{written[len(written.rstrip('!?')) :]}"]
    assert [event["notation"] for event in events if event["event"] == "move"] == full
    assert plies_of(as_pgn("g", events)) == f"1. {full[0]} {full[1]} 2. {full[2]} *"


def test_a_move_that_stood_is_written_in_full_and_stands_again() -> None:
    text = '[Variant "camelot"]\n\n1. e6-e4 {[%as-played not-a-move]} D10-D9 *'
    ((_, events),) = parse_text(text, Path("a.pgn")).games
    assert plies_of(as_pgn("g", events)) == "1. E6-E4 {[%as-played not-a-move]} 1... D10-D9 *"


def test_a_comment_on_a_move_that_was_taken_back_is_not_exported() -> None:
    ((_, events),) = parse_text('[Variant "camelot"]\n\n1. D6-D5 {one} D11-D12 {two} *', Path("a.pgn")).games
    assert "{one}" in as_pgn("g", events) and "{two}" in as_pgn("g", events)
    text = as_pgn("g", [*events, {"t": 1.0, "event": "takeback", "plies": 1}])
    assert "{one}" in text and "{two}" not in text


def nearly_drawn() -> str:
    """A game of Camette of which one move leaves nobody enough to win with."""
    cells = {"C3": "WM", "C4": "BM", "A3": "BM"}
    position = {"game": "camette", "rules": load("camette").rules, "to_move": "white", "cells": cells}
    quoted = json.dumps(position).replace('"', '\\"')
    return f'[Variant "camette"]\n[Position "{quoted}"]\n[Result "*"]\n\n1. C3xC5 *\n'


def test_a_game_that_is_over_by_the_rules_gets_their_result(tmp_path: Path) -> None:
    said, again = taken(tmp_path, nearly_drawn())
    assert said.startswith("camette-0001, 1 plies; over by the rules, ") and said.endswith("so that is its result")
    (read,) = read_pgn(again)
    assert read.result != "*" and replay_record(read).fault is None


def test_lines_that_were_cut_off_before_a_result_are_said_to_have_none(file: Path, tmp_path: Path) -> None:
    lines, other = tmp_path / "a.jsonl", tmp_path / "other.sqlite3"
    run("games", "export", "lost-by-both", "--record", file, "-o", lines)
    whole = lines.read_text(encoding="utf-8").splitlines(keepends=True)
    assert run("games", "import", lines, "--record", other)[1].endswith(f"camelot-0001, {PLIES} plies\n")
    cut, adjourned = whole[: PLIES // 2], json.dumps({"t": 99.0, "event": "adjourned"}) + "\n"
    lines.write_text("".join([*cut, *cut, adjourned, *whole]), encoding="utf-8")
    changes = parse_text(lines.read_text(encoding="utf-8"), lines).list_changes()
    assert [bool(change) for change in changes] == [True, False, False]
    said = run("games", "import", lines, "--record", other)[1].splitlines()
    assert [line.endswith("; it has no result, so it counts as not finished") for line in said] == [True, False, False]


def test_lines_that_verify_would_find_fault_with_are_refused_or_put_right(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One game that was taken over so kept the whole record from being copied."""
    lines, other = tmp_path / "a.jsonl", tmp_path / "other.sqlite3"
    run("games", "export", "lost-by-both", "--record", file, "-o", lines)
    whole = lines.read_text(encoding="utf-8").splitlines(keepends=True)
    lines.write_text("".join([*whole[:5], whole[4], *whole[5:]]), encoding="utf-8")
    assert "game 1: event 6: ply 3 after 3, and no correction" in refused(
        capsys, "games", "import", lines, "--record", other
    )
    ((_, events),) = parse_text(nearly_drawn(), Path("a.pgn")).games
    lines.write_text("".join(json.dumps(one) + "\n" for one in events if one["event"] != "result"), encoding="utf-8")
    assert run("games", "import", lines, "--record", other)[1].endswith("so that is its result\n")
    assert run("verify", "--record", other)[0] == 0


def test_verify_names_a_game_out_of_a_file_that_is_over_and_has_no_result(tmp_path: Path) -> None:
    ((_, events),) = parse_text(nearly_drawn(), Path("a.pgn")).games
    ((_, left),) = parse_text(TWO_LEFT, Path("b.pgn")).games
    with open_record(tmp_path / "r.sqlite3") as record:
        add_games(record, [("old", [one for one in events if one["event"] != "result"]), ("new", events)])
        add_games(record, [("left", [one for one in left if one["event"] != "result"])])
    code, said = run("verify", "--record", tmp_path / "r.sqlite3")
    assert code == ANSWER_IS_NO and said.count("over by the rules") == 2
    assert "old: over by the rules" in said and "left: over by the rules, 0-0-1 (resigned)" in said


TWO_LEFT = '[Variant "tri-camelot"]\n\n1. F5-H7 {[%left blue resigned]} {[%left red resigned]} *\n'


def test_a_second_side_that_leaves_ends_the_game_and_stays_what_it_is(tmp_path: Path) -> None:
    said, again = taken(tmp_path, TWO_LEFT)
    assert "over by the rules, 0-0-1 (resigned)" in said
    assert plies_of(again) == "1. F5-H7 {[%left blue resigned] [%left red resigned]} 0-0-1"


def test_of_three_any_side_resigns_in_words(tmp_path: Path) -> None:
    said, again = taken(tmp_path, '[Variant "tri-camelot"]\n\n1. F5-H7 Red resigns I14-G16 Green lost on time\n')
    assert "over by the rules, 1-0-0" in said
    assert plies_of(again) == "1. F5-H7 {[%left red resigned]} 1... -- I14-G16 {[%left green time]} 1-0-0"


@pytest.mark.parametrize("passed", ["", "-- ", "1... -- ", "1... "])
def test_after_a_side_has_left_moves_are_numbered_as_the_page_does(passed: str) -> None:
    """With or without what stands in the column of whoever is out."""
    head = '[Variant "tri-camelot"]\n\n1. F5-H7 {[%left red resigned]} '
    ((_, events),) = parse_text(f"{head}{passed}I14-G16 2. E4-E2 *", Path("a.pgn")).games
    assert [one["notation"] for one in events if one["event"] == "move"] == ["F5-H7", "I14-G16", "E4-E2"]
    with pytest.raises(InputError, match="Number 3 stands where 2 should"):
        parse_text(f"{head}{passed}I14-G16 3. E4-E2 *", Path("a.pgn"))
    if "." in passed:
        with pytest.raises(InputError, match="Number 4 stands where 1 should"):
            parse_text(f"{head}{passed.replace('1', '4')}I14-G16 2. E4-E2 *", Path("a.pgn"))


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("side", ["blue", "red", "green"])
@pytest.mark.parametrize("after", range(5))
def test_a_game_of_three_is_read_from_its_text_whoever_left_and_when(first: int, side: str, after: int) -> None:
    """A time or a remark stands after each move, so that each has a number before it, also where nobody moved."""
    game = load("tri-camelot")
    match = replace(new_match(game, replace(game.start(), seat=first)), phase=Phase.PLAYING)
    begin = {"event": "begin", "game": game.name, "rules": game.rules, "position": to_json(game, match.position)}
    events: list[Mapping[str, object]] = [begin, {"t": 0.0, "event": "ready", "fit": 99}]
    for number in range(10):
        lawful = sorted(game.write(match.position, move) for move in game.moves(match.position))
        asked = Resign(side) if number == after else AsPlayed(lawful[7 * number % len(lawful)])
        match, said = apply_act(match, asked, 2.0 + 2.0 * number)
        events += [{key: value for key, value in event.to_json().items() if key != "by"} for event in said]  # as seen
    exported = as_pgn("tri-camelot-0001", events)
    assert exported.count("%emt") == 9
    ((_, taken),) = parse_text(exported, Path("game.pgn")).games
    assert fold_events(taken, "taken").positions == match.positions
    assert as_pgn("tri-camelot-0001", taken) == exported


@pytest.mark.parametrize(
    ("control", "clock"),
    [("300+3", "300s+3s"), ("600", "600s"), ("40/7200:600+5", "40/7200s,600s+5s"), ("5m+3s", "5m+3s")],
)
def test_time_controls_of_other_programs_are_understood_where_they_are_plain(control: str, clock: str) -> None:
    ((_, events),) = parse_text(f'[Variant "camelot"]\n[TimeControl "{control}"]\n\n*', Path("a.pgn")).games
    assert events[0]["clock"] == clock


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        ('[TimeControl "60+5"]', "line 2: clock '60+5': write 60s+5s or 60m+5s, or take the tag TimeControl out"),
        ('[TimeControl "soon"]', "5m delay 3s; or take the tag TimeControl out"),
        ('[Date "29.11.2026"]', "line 2: date '29.11.2026': write it like 2026.11.29, or .{10} where"),
        ('[Date "2026.13.45"]', "line 2: date '2026.13.45': there is no such day"),
        ('[SetUp "1"]\n[FEN "8/8 w - - 0 1"]', "line 2: the tags SetUp and FEN .*: take both out"),
        ('[FEN "8/8 w - - 0 1"]', "line 2: the tags SetUp and FEN .*: take both out"),
    ],
)
def test_tags_of_other_programs_are_refused_with_what_to_do(tags: str, why: str) -> None:
    with pytest.raises(InputError, match=why.replace("+", "[+]")):
        parse_text(f'[Variant "camelot"]\n{tags}\n\n1. D6-D5 *', Path("a.pgn"))
    parse_text('[Variant "camelot"]\n[SetUp "0"]\n\n1. D6-D5 *', Path("a.pgn"))


@pytest.mark.parametrize(
    ("text", "reader"),
    [('[Variant "camelot"]\n\n1. D6-F8 *\n', "records.read_pgn"), ("We began.\n1. D6-F8 H11-F9\n", "prose.read_prose")],
)
def test_a_text_is_read_once_whatever_is_said_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reader: str
) -> None:
    path, reads = tmp_path / "a.pgn", list[str]()
    path.write_text(text, encoding="utf-8")
    read = {"records.read_pgn": records.read_pgn, "prose.read_prose": prose.read_prose}[reader]

    def note_reading(text: str, source: str) -> object:
        reads.append(source)
        return read(text, source)

    monkeypatch.setattr(f"server.record.imports.{reader}", note_reading)
    code, said = run("games", "import", path, "--record", tmp_path / "r.sqlite3")
    assert code == 0 and ("--rules" in said or "no result" in said)
    assert reads == [str(path)]


@pytest.mark.parametrize("text", ['[Variant "cam"]\n\n*\n', "We began.\n1. D6-F8 H11-F9 *\n"])
def test_a_record_from_standard_input_is_judged_as_one_from_a_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(text, encoding="utf-8")
    code, said = run("check", "-", typed=text)
    assert (code, said.replace("-: ", f"{path}: ")) == run("check", path)


@pytest.mark.parametrize(
    ("date", "begun"),
    [
        ("2026.11.29", "2026-11-29"),
        ("2026-11-29", "2026-11-29"),
        ("2026.??.??", None),
        ("????.??.??", None),
        ("2026", None),
    ],
)
def test_a_day_that_is_not_known_is_left_open(date: str, begun: str | None) -> None:
    ((_, events),) = parse_text(f'[Variant "camelot"]\n[Date "{date}"]\n\n*', Path("a.pgn")).games
    assert events[0].get("begun") == begun


@pytest.mark.parametrize("size", [0, 4096, 20_000, 33_000, 40_000])
def test_a_full_disk_leaves_no_new_record_and_every_old_file(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], size: int
) -> None:
    text, new = tmp_path / "games.jsonl", tmp_path / "new" / "games.sqlite3"
    new.parent.mkdir()
    run("games", "export", "lost-by-both", "--record", file, "-o", text)
    before = text.read_bytes()
    with files_of_at_most(size):
        refused(capsys, "games", "import", text, "--record", new)
    assert list(new.parent.iterdir()) == []
    text.write_bytes(before * 100)
    with files_of_at_most(40_000):
        said = refused(
            capsys, "games", "export", "lost-by-both", "--record", file, "-o", text, "--force", "--format", "html"
        )
    assert str(text) in said and "what was there before still is" in said
    assert text.read_bytes() == before * 100


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"players": {"white": "Anna"}, "ratings": {"white": "--"}}, "rating of white: a whole number from 1 to 9999"),
        ({"players": {"white": "A" * 200}}, "players of white 'AAA"),
        ({"players": {"white": "Anna"}, "event": "A" * 81}, "event 'AAAA"),
        ({"players": {"green": "Anna"}}, "players: each by its side, the sides are white, black"),
        ({"umpire": "Anna"}, "details: unknown umpire"),
    ],
)
def test_names_that_could_not_be_read_back_are_refused_with_their_line(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], said: dict[str, object], why: str
) -> None:
    """They were taken over, and all names of the game were gone from the text that was exported."""
    lines = tmp_path / "a.jsonl"
    run("games", "export", "lost-by-both", "--record", file, "-o", lines)
    first, *rest = lines.read_text(encoding="utf-8").splitlines()
    named = json.dumps({"t": 0.0, "event": "details", "by": "arbiter", "details": said})
    lines.write_text("\n".join([first, named, *rest]) + "\n", encoding="utf-8")
    heard = refused(capsys, "games", "import", lines, "--record", tmp_path / "none.sqlite3")
    assert f"{lines}, line 2: {why}" in heard and len(heard) < 400
    assert not (tmp_path / "none.sqlite3").exists()


LONG = "A" * 70_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.pgn", f'[Variant "camelot"]\n\n1. D6-F8{LONG} *'),
        ("a.pgn", f'[Variant "camelot{LONG}"]\n\n1. D6-F8 *'),
        ("a.pgn", f'[Variant "camelot"]\n[Date "{LONG}"]\n\n1. D6-F8 *'),
        ("a.pgn", f'[Variant "camelot"]\n[TimeControl "{LONG}"]\n\n1. D6-F8 *'),
        ("a.jsonl", json.dumps({"event": "begin", "game": "camelot", "rules": LONG[:400], "position": LONG})),
    ],
)
def test_what_is_quoted_of_a_text_is_bounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    """A line of 70,000 characters was said to be wrong by a line as long."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(refused(capsys, "games", "import", tmp_path / name, "--record", tmp_path / "none.sqlite3")) < 1500
