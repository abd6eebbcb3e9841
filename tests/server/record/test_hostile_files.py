"""Games and profiles from files that somebody made to do harm: one clear line, nothing half taken, nothing let in."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pypdfium2
import pytest

from calibration.profile import load_profile
from engine import games
from engine.errors import InputError
from engine.match.referee import new_match
from engine.text.positions import to_json
from server.cli import main
from server.record import exports
from server.record.archive import as_jsonl, as_pgn, as_replay, read_game_events
from server.record.exports import FORMATS
from server.record.exports.sheet import render_sheet
from server.record.store import open_record
from tests.server.commands.test_serve import PROFILE
from tests.server.record.reading import read_games
from tests.server.record.test_archive import FAMILY, played, refused

MUTATIONS = int(os.environ.get("MUTATIONS", "250"))
"""Of imports and of profiles; `make attack` asks for thousands."""
BEGIN = {
    "event": "begin",
    "game": "camelot",
    "rules": "wcf",
    "position": to_json(games.load("camelot", "wcf"), new_match(games.load("camelot", "wcf")).position),
}
MOVE = {
    "t": 1.0, "event": "move", "ply": 1, "side": "white", "notation": "E6-E5", "from": "E6", "to": "E5",
    "captured": [], "confidence": 1.0,
}  # fmt: skip
HUGE = 10**400
LINES = [
    ([BEGIN | {"begun": "nonsense"}, MOVE], "line 3: begun 'nonsense': write it like 2026-11-29"),
    ([BEGIN | {"begun": "2026-02-30"}, MOVE], "line 3: begun '2026-02-30': write it like 2026-11-29"),
    ([BEGIN | {"begun": "2026-W48-7"}, MOVE], "line 3: begun '2026-W48-7': write it like 2026-11-29"),
    ([BEGIN, MOVE | {"t": None}], "event 2: t: a number of seconds"),
    ([BEGIN, {k: v for k, v in MOVE.items() if k != "t"}], "event 2: t is missing"),
    ([BEGIN, MOVE | {"t": "soon"}], "event 2: t: a number of seconds"),
    ([BEGIN, MOVE | {"t": True}], "event 2: t: a number of seconds"),
    ([BEGIN, MOVE | {"t": 1e12}], "event 2: t: a number of seconds"),
    ([BEGIN, MOVE | {"t": float("inf")}], "Infinity is no number"),
    ([BEGIN, MOVE | {"t": HUGE}], "of 401 digits is too large"),
    ([BEGIN, MOVE | {"ply": HUGE}], "of 401 digits is too large"),
    ([BEGIN, MOVE | {"ply": 2**52}], "event 2: ply: a whole number from 1"),
    ([BEGIN, MOVE | {"ply": 0}], "event 2: ply: a whole number from 1"),
    ([BEGIN, MOVE | {"ply": 7}], "event 2: ply 7 after 0 moves"),
    ([BEGIN, MOVE | {"confidence": None}], "event 2: confidence: a number"),
    ([BEGIN, MOVE | {"captured": "E5"}], "event 2: captured: a list"),
    ([BEGIN, MOVE | {"captured": [["E5"]]}], "event 2: captured: a list"),
    ([BEGIN, MOVE | {"notation": ["E6-E5"]}], "event 2: notation: a short text"),
    ([BEGIN, MOVE | {"notation": "E6-E5" + "x" * 1000}], "event 2: notation: a short text"),
    ([BEGIN, MOVE | {"clock": None}], "event 2: clock: a number"),
    ([BEGIN, {"t": 2.0, "event": "takeback", "plies": 99}], "event 2: 99 plies are taken back of 0"),
    ([BEGIN, {"t": 2.0, "event": "paused", "t2": 1, "spent": "x"}], "event 2: spent: a number"),
    ([BEGIN, {"t": 2.0, "event": "result", "result": "1-0", "reason": None}], "event 2: reason: a short text"),
    ([BEGIN, {"t": 2.0, "event": "result", "result": "1-0\n[Evil]", "reason": "x"}], "event 2: result: a short text"),
    ([BEGIN, {"t": 2.0, "event": "result", "result": "nonsense", "reason": "x"}], "event 2: result"),
    ([BEGIN | {"begun": {"a": 1}}], "event 1: begun: a short text"),
    ([BEGIN | {"clock": 7}], "event 1: clock: a short text"),
    ([BEGIN, {"event": "note", "text": "\ud800"}], "not valid text"),
    ([BEGIN, {"event": "\udfff"}], "not valid text"),
]


@pytest.mark.parametrize(("events", "why"), LINES, ids=[f"{n} {why}"[:40] for n, (_, why) in enumerate(LINES)])
def test_hostile_lines_are_refused_in_a_line_and_nothing_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], events: list[dict[str, object]], why: str
) -> None:
    good, bad, record = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "games.sqlite3"
    good.write_text(as_jsonl([BEGIN, MOVE]))
    bad.write_text("".join(json.dumps(event) + "\n" for event in [BEGIN, MOVE, *events]))
    said = refused(capsys, "games", "import", good, bad, "--record", record)
    assert why in said
    assert str(bad) in said
    assert len(said) < 400
    assert not record.exists()
    assert refused(capsys, "check", bad).count("\n") == 1


NESTED = "[" * 50_000
TEXTS = [
    '[Variant "camelot"]\n\n1. E6-E5 {[%emt inf]} *',
    '[Variant "camelot"]\n\n1. E6-E5 {[%emt 1e308]} *',
    '[Variant "camelot"]\n\n1. E6-E5 {[%emt nan]} *',
    f'[Variant "camelot"]\n\n1. E6-E5 {{[%clk {"9" * 400}:00:00]}} *',
    f'[Variant "camelot"]\n\n1. E6-E5 {{[%clk {"9" * 5000}:00:00]}} *',
    '[Variant "camelot"]\n\n1. E6-E5 {[%clk 0:00:inf]} *',
    '[Variant "camelot"]\n\n1. E6-E5 {[%clk 0:00:nan]} *',
    '[Variant "camelot"]\n[Position "' + NESTED + '"]\n\n*',
    '[Variant "camelot"]\n[Position "{\\"cells\\": {\\"\\\\ud800\\": \\"WN\\"}}"]\n\n*',
    '[Variant "camelot"]\n\n1. E6-E5 ' + "(" * 5000 + " *",
    '[Variant "camelot"]\n\n1. E6-E5 {[%as-played ' + "x" * 5000 + "]} *",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_hostile_games_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Refused in a line, or taken in a form that every export can show."""
    file, record = tmp_path / "a.pgn", tmp_path / "games.sqlite3"
    file.write_text(text)
    try:
        found = read_games(file)
    except InputError:
        assert refused(capsys, "games", "import", file, "--record", record).count("\n") == 1
        assert not record.exists()
        return
    for name, events in found:
        json.dumps(events, allow_nan=False)
        assert all(FORMATS[kind](name or "a", events) for kind in ("pgn", "pdf", "html", "jsonl"))


def test_lines_end_where_lines_end(tmp_path: Path) -> None:
    """Characters at which Python ends a line too are part of a text."""
    file = tmp_path / "a.jsonl"
    file.write_text(as_jsonl([BEGIN, {"event": "note", "text": "a\u2028b\u0085c\x0cd"}, MOVE]), encoding="utf-8")
    ((_, events),) = read_games(file)
    assert events[1]["text"] == "a\u2028b\u0085c\x0cd"


def test_a_disk_that_fails_in_the_middle_takes_nothing_over(tmp_path: Path) -> None:
    with open_record(tmp_path / "games.sqlite3") as record:
        with pytest.raises(UnicodeEncodeError):
            record.import_games([("a", [BEGIN, MOVE]), ("b", [BEGIN, {"event": "\ud800"}])])
        assert record.event_counts() == {}
        assert record.list_all_names() == []


EVIL = (
    '<img src="{picture}" width="100" height="100"/>',
    "<b>bold",
    "</para><para>",
    "&nbsp;&#0;&bogus;",
    '<a href="file:///etc/passwd">x</a>',
    "<<<>>>",
    "\x00\x01\x1b[31m",
)


@pytest.mark.parametrize("evil", EVIL)
def test_a_score_sheet_shows_what_was_written_and_no_more(tmp_path: Path, evil: str) -> None:
    """A reason with markup in it could embed any picture of this machine into the sheet."""
    picture = tmp_path / "secret.png"
    picture.write_bytes((Path(exports.__file__).parents[3] / "docs" / "pictures" / "belief.png").read_bytes())
    said = evil.format(picture=picture)
    replay = as_replay("name", [BEGIN, MOVE, {"t": 2.0, "event": "result", "result": "1-0", "reason": said}])
    for changed in (replay, replay | {"name": said}, replay | {"game": said, "begun": said}):
        pdf = pypdfium2.PdfDocument(render_sheet(changed))
        objects = [found.type for page in pdf for found in page.get_objects()]
        text = "".join(page.get_textpage().get_text_range() for page in pdf)
        pdf.close()
        assert pypdfium2.raw.FPDF_PAGEOBJ_IMAGE not in objects
        assert "".join(said.split())[:8].replace("\x00", "") in "".join(text.split()) or not said.isprintable()


def test_a_record_that_took_such_events_before_is_said_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Older versions let them in; the chain holds, and they still cannot be shown."""
    file = tmp_path / "games.sqlite3"
    for number, (events, _) in enumerate(LINES):
        if "NaN" in (said := json.dumps(events)) or "Infinity" in said or "9" * 50 in said or "\\ud" in said:
            continue
        with open_record(file) as record:
            for event in events:
                if len(str(event.get("ply", ""))) < 300:
                    record.append_event(f"game-{number}", event)
        for kind in FORMATS:
            with pytest.raises(SystemExit) as stopped:
                out = tmp_path / f"{number}.{kind}"
                main(["games", "export", f"game-{number}", "--record", str(file), "-o", str(out)])
            assert stopped.value.code in {0, 2}
            assert capsys.readouterr().err.count("\n") == (stopped.value.code == 2)


def mutated(text: str, chance: random.Random) -> str:
    """A few values or characters changed for what nobody expects."""
    values = ["null", "NaN", "-1", "9" * 30, "1e400", '"\\ud800"', "[]", "{}", "true", '""', "[" * 40 + "]" * 40, "inf"]
    for _ in range(chance.randint(1, 3)):
        if chance.random() < 0.5:
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(["\x00", '"', "\u2028", "{", "}", "9", "-", "ö", ""]) + text[at + 1 :]
        else:
            parts = text.split(" ")
            parts[chance.randrange(len(parts))] = chance.choice(values)
            text = " ".join(parts)
    return text


@pytest.mark.parametrize("kind", ["pgn", "jsonl"])
def test_mutated_imports_are_refused_or_can_be_shown(tmp_path: Path, kind: str) -> None:
    with open_record(tmp_path / "games.sqlite3") as record:
        whole = [FORMATS[kind](name, read_game_events(record, played(record, name, 6))).decode() for name in FAMILY]
    chance, taken = random.Random(kind), 0
    for _ in range(MUTATIONS):
        file = tmp_path / f"a.{kind}"
        file.write_text(mutated(chance.choice(whole), chance), encoding="utf-8", errors="surrogatepass")
        try:
            found = read_games(file)
        except InputError as error:
            assert "\n" not in str(error).replace(str(file), "")[:300]
            continue
        taken += 1
        for name, events in found:
            json.dumps(list(events), allow_nan=False)
            assert as_pgn(name or "a", events) and as_replay(name or "a", events)
            assert render_sheet(as_replay(name or "a", events))
    assert 0 < taken < MUTATIONS


def test_mutated_profiles_are_refused_in_a_line_or_used(tmp_path: Path) -> None:
    whole, chance = PROFILE.read_text(), random.Random(9)
    for _ in range(MUTATIONS):
        (tmp_path / "a.toml").write_text(mutated(whole, chance), encoding="utf-8", errors="surrogatepass")
        try:
            profile = load_profile(tmp_path / "a.toml")
        except InputError as error:
            assert len(str(error)) < 1000
        else:
            assert profile.size_wh[0] > 0


def test_a_date_that_is_none_is_not_exported(tmp_path: Path) -> None:
    """An import of an earlier version took it."""
    for begun, date in (("nonsense", "????.??.??"), ("2026-11-29T19:30:00+00:00", "2026.11.29")):
        assert f'[Date "{date}"]' in as_pgn("game", [BEGIN | {"begun": begun}, MOVE])


@pytest.mark.parametrize("text", ["1. E6-E5 H11-H10 {}. E5-E4", "${} 1. E6-E5", "{}. E6-E5"])
def test_a_number_of_thousands_of_digits_is_not_said_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[Variant "camelot"]\n[Rules "wcf"]\n\n' + text.format("9" * 50_000) + " *\n", encoding="utf-8")
    for command in ("check", "games import"):
        more = ("--record", str(tmp_path / "games.sqlite3")) if command != "check" else ()
        with pytest.raises(SystemExit) as ended:
            main([*command.split(), str(path), *more])
        said = capsys.readouterr()
        assert ended.value.code in {1, 2} and 20 < len(said.out + said.err) < 500


def test_a_list_of_games_without_their_events_is_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.sqlite3"
    with open_record(path) as record:
        played(record, "camelot", 2)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE events")
        db.commit()
    assert "damaged: no such table: events" in refused(capsys, "games", "list", "--record", path)
