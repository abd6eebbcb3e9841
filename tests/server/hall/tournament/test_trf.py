"""FIDE's reports: real ones and exercises read, written and read again; other programs' pairs taken."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from server.cli import main
from server.hall.desk.database import open_database
from server.hall.tournament import arbiter_actions as running
from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament import trf
from server.hall.tournament.event import Absence, Entrant, Tournament
from server.hall.tournament.tournament_store import Tournaments
from tests.server.full_disk import files_of_at_most
from tests.server.hall.tournament.events import made, through

REPORTS = Path(__file__).parents[3] / "data" / "reports"
FILES = sorted(REPORTS.glob("*.trf"))


def read(path: Path) -> Tournament:
    return trf.read_tournament(path.read_text(encoding="utf-8"), "event", "camelot", path.name)


def players(text: str) -> list[tuple[object, ...]]:
    """Number, name, rating, points and rounds of each line, without what is written in two ways: blanks and zeros."""
    found = []
    for line in text.splitlines():
        if line.startswith("001"):
            cells = [line[at : at + 10].split() for at in range(89, len(line.rstrip()), 10)]
            rounds = ["".join(cell).lstrip("0-") for cell in cells]
            while rounds and rounds[-1] in {"", "Z"}:
                rounds.pop()
            plain = tuple("" if one == "Z" else one for one in rounds)
            found.append((line[4:8].strip(), line[14:47].strip(), line[48:52].strip(), line[80:84].strip(), plain))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_report_comes_back_as_it_was(path: Path) -> None:
    one, text = read(path), path.read_text(encoding="utf-8")
    again = trf.write_tournament(one)
    assert players(again) == players(text)
    assert one.paired == one.rounds == int((re.search(r"^XXR (\d+)", text, re.MULTILINE) or [""])[1])
    twice = trf.read_tournament(again, "event", "camelot", "again")
    plain = [replace(table, table=0) for table in one.tables]
    assert sorted(plain, key=str) == sorted((replace(table, table=0) for table in twice.tables), key=str)
    assert replace(twice, tables=one.tables) == one


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_library_itself_takes_a_report_in_and_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert players(fide.write_report(fide.read_report(text, "report"))) == players(text)


def test_everything_that_is_known_of_a_player_is_in_the_report() -> None:
    one = made(4, 3, place="Town", arbiter="Doe, Jane", federation="ENG", ends="2026-11-25", first="black")
    one = replace(
        one, entrants=(Entrant(1, "Muster, Änne", 2100, "FM", "w", "GER", 12345678, "1990-02-03"),) + one.entrants[1:]
    )
    one = replace(through(one, random.Random(2), 2), absences=(Absence(3, 2, "half"),))
    back = trf.read_tournament(trf.write_tournament(one), "open", "camelot", "report")
    assert back.entrants == one.entrants
    assert (back.place, back.arbiter, back.federation, back.begins, back.ends, back.first) == (
        *("Town", "Doe, Jane", "ENG", "2026-11-24", "2026-11-25", "black"),
    )
    assert back.absences == one.absences, "what was asked for the next round"
    assert trf.write_tournament(back) == trf.write_tournament(one)


def test_a_tournament_goes_on_from_its_report() -> None:
    whole = through(made(11, 5), random.Random(4), 3)
    back = trf.read_tournament(trf.write_tournament(whole), "open", "camelot", "report")
    plain = [table.players for table in running.pair_round(whole, 4, {}).at(4)]
    assert [table.players for table in running.pair_round(back, 4, {}).at(4)] == plain


def test_who_is_away_in_the_next_round_is_so_in_its_report_too() -> None:
    """Somebody who has left, two who asked for a bye, one who comes later: all are paired by nobody who reads it."""
    whole = running.withdraw_player(through(made(12, 5), random.Random(4), 3), 2)
    for number, worth in ((5, "half"), (6, "zero")):
        whole = running.set_absence(whole, number, 4, worth)
    back = trf.read_tournament(trf.write_tournament(whole), "open", "camelot", "report")
    ours, theirs = running.pair_round(whole, 4, {}), running.pair_round(back, 4, {})
    assert [table.players for table in theirs.at(4)] == [table.players for table in ours.at(4)]
    assert {2, 5, 6}.isdisjoint(number for table in theirs.at(4) for number in table.players)
    assert [one.until for one in back.entrants] == [one.until for one in whole.entrants]
    assert {one.number for one in theirs.entrants_to_pair(5)} == {one.number for one in ours.entrants_to_pair(5)}
    assert trf.write_tournament(back) == trf.write_tournament(whole)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no 001"),
        ("001 nonsense\n", "report"),
        ("012 x\n001    1\n001    3      A" + " " * 80 + "\n", "report"),
    ],
)
def test_what_is_no_report_is_said_in_a_line(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as fault:
        trf.read_tournament(text, "event", "camelot", "report")
    assert "\n" not in str(fault.value)


def test_a_report_in_which_somebody_plays_twice_in_a_round_is_refused() -> None:
    """It was taken, with a table at which one sat against herself."""
    text = trf.write_tournament(through(made(6, 3), random.Random(1), 1))
    line = next(line for line in text.splitlines() if line.startswith("001    1"))
    other = line[91:95]
    with pytest.raises(InputError, match="line 13: round 1: 1 w 1, and line 13 of player 1 has 1 w 1"):
        trf.read_tournament(text.replace(line, line.replace(f"  {other} ", "     1 ", 1)), "open", "camelot", "x")


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (" w 1", " b 1", r"line \d+: round 1: \d b 1, and line \d+ of player \d has 1 b 0"),
        (" b 0", " b 1", "line .*has 0.0 points, and the results make 1"),
        (" w 1", " w =", "line .*has 1.0 points, and the results make 0.5"),
        (" 1.0 ", " 0.0 ", "line .*has 0.0 points, and the results make 1"),
        (" w 1", " w Q", "line .*round 1: 'Q' is no result"),
        ("Family01, Given ", "Family01, Given", "line .*round 1: .*other columns.*UTF-8"),
        ("042 2026/11/24", "042 2026/13/44", "line 2: 2026/13/44: there is no such day"),
    ],
)
def test_a_report_that_says_two_things_is_refused_with_its_line(was: str, now: str, said: str) -> None:
    text = trf.write_tournament(through(made(6, 3), random.Random(3), 1))
    text = "\n".join(line for line in text.splitlines() if not line.startswith("162"))
    assert was in text, text
    with pytest.raises(InputError, match=said):
        trf.read_tournament(text.replace(was, now, 1), "open", "camelot", "report")


def test_a_report_without_its_end_is_refused_before_the_first_round_too() -> None:
    """It was taken as a tournament of fewer players, the last of them with half a name."""
    text = trf.write_tournament(made(6, 3))
    last = next(line for line in text.splitlines() if line.startswith("001    5"))
    cut = text[: text.index(last) + 20]
    with pytest.raises(InputError, match=r"line .*: 6 players are announced, and 5 are there"):
        trf.read_tournament(cut, "open", "camelot", "report")
    assert len(trf.read_tournament(text, "open", "camelot", "report").entrants) == 6


def test_both_sides_of_a_game_must_agree_whatever_results_are_worth() -> None:
    text = trf.write_tournament(through(made(6, 3), random.Random(3), 1))
    assert "\n162 " in text and " b 0" in text
    for letters in ("1", "=", "-"):
        with pytest.raises(InputError, match="and line"):
            trf.read_tournament(text.replace(" b 0", f" b {letters}", 1), "open", "camelot", "report")


def test_a_date_that_is_written_otherwise_is_left_out_and_said() -> None:
    path = next(path for path in FILES if path.stem.startswith("lichess"))
    left = trf.list_left_out(path.read_text(encoding="utf-8"))
    assert left == [
        f"when it {what} is left out: 'May 29, 2020' is not written as 2026/11/24" for what in ("begins", "ends")
    ]


def test_changed_reports_are_read_or_refused() -> None:
    chance, texts = random.Random(7), [path.read_text(encoding="utf-8") for path in FILES]
    refused = 0
    for _ in range(150):
        letters = list(chance.choice(texts))
        for _ in range(chance.randint(1, 8)):
            letters[chance.randrange(len(letters))] = chance.choice("0159 -=wb+HUZ\nXä\x00")
        try:
            trf.read_tournament("".join(letters), "event", "camelot", "report")
        except InputError:
            refused += 1
    assert refused > 10


def test_pairs_of_other_programs_are_taken_as_they_wrote_them() -> None:
    one = made(5, 3)
    given = trf.read_pairs("3\n4 1\n2 5\n3 0\n", "pairs")
    after = running.pair_round(one, 1, {}, given)
    assert [(table.players, table.is_bye) for table in after.at(1)] == [((4, 1), False), ((2, 5), False), ((3,), True)]
    for text in ("", "2\n1 2\n", "1\n1 2 3\n", "1\nx y\n"):
        with pytest.raises(InputError, match="pairs"):
            trf.read_pairs(text, "pairs")
    for wrong in ([(1, 2), (3, 4)], [(1, 2), (3, 4), (1, 5)], [(1, 2), (3, 4), (9,)]):
        with pytest.raises(InputError, match="not paired exactly once"):
            running.pair_round(one, 1, {}, wrong)


def test_pairs_that_were_there_before_are_taken_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = str(tmp_path / "hall.sqlite3")
    one = running.pair_round(made(5, 3), 1, {}, [(4, 1), (2, 5), (3,)])
    for table in (1, 2):
        one = running.set_result(one, 1, table, "+:-" if table == 2 else "1-0", "Doe", "")
    Tournaments(engine := open_database(database)).add_tournament(one)
    engine.dispose()
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("3\n1 4\n2 5\n3 0\n", encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["tournament", "pair", "open", "2", "--pairs", str(pairs), "--database", database])
    assert left.value.code == 0
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "table 1: Family01, Given and Family04, Given have played each other in round 1",
        "table 3: Family03, Given had the bye in round 1",
        "no board for table 1, 2: only boards with a stored game are known here; pair on the hall's page, which knows "
        "all that are connected, or: referee tournament board open 2 TABLE BOARD",
    ], "a game that was not played is none"


@pytest.mark.parametrize("asked", [("enter", "open", "--player", "New"), ("result", "open", "1", "1", "1-0")])
def test_a_full_disk_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: tuple[str, ...]) -> None:
    database = tmp_path / "hall.sqlite3"
    Tournaments(engine := open_database(str(database))).add_tournament(running.pair_round(made(4, 3), 1, {}))
    engine.dispose()
    with files_of_at_most(1024), pytest.raises(SystemExit) as left:
        main(["tournament", *asked, "--database", str(database)])
    said = capsys.readouterr()
    assert (left.value.code, said.out) == (2, "")
    assert re.fullmatch(r"referee: database .*(full|disk I/O error): .*\n", said.err), said.err


def test_a_name_longer_than_its_column_moves_no_other_and_comes_back_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Our own import refused such a report, and other programs read wrong opponents in it."""
    long = "Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine, dem Älteren"[:60]
    one = made(7, 4)
    whole = (replace(one.entrants[0], name=long), replace(one.entrants[1], name="X" * 60), *one.entrants[2:])
    one = running.set_absence(through(replace(one, entrants=whole), random.Random(3), 2), 4, 3, "half")
    text = trf.write_tournament(one)
    lines = [line for line in text.splitlines() if line.startswith("001")]
    assert [line[14:47].rstrip() for line in lines[:2]] == [long[:33], "X" * 33]
    assert all(line[47] == " " and line[80:84].strip().replace(".", "").isdecimal() for line in lines)
    assert all(line[at] in "wb-" for line in lines for at in (96, 106))
    assert trf.read_tournament(text, "open", "camelot", "report").entrants == one.entrants
    other = text.replace("### name    1 W", "### name    1 Somebody else W")
    assert trf.read_tournament(other, "open", "camelot", "report").entrants[0].name == long[:33], "of somebody else"
    database = str(tmp_path / "hall.sqlite3")
    Tournaments(engine := open_database(database)).add_tournament(one)
    engine.dispose()
    with pytest.raises(SystemExit):
        main(["tournament", "report", "open", "--database", database])
    said = capsys.readouterr()
    assert said.out == text
    assert said.err == "note: FIDE's column has 33 characters for a name, those of 1, 2 are cut\n"


def test_numbers_that_an_import_or_the_first_pairing_changes_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The starting numbers of a report were others after the first pairing, and nobody had said so."""
    listed = made(7, 3)
    odd = tuple(replace(one, rating=1000 + 10 * one.number if one.number < 7 else 900) for one in listed.entrants)
    report, database = tmp_path / "open.trf", ["--database", str(tmp_path / "hall.sqlite3")]
    report.write_text(trf.write_tournament(replace(listed, entrants=odd)), encoding="utf-8")
    line = (
        "6 of 7 players have other numbers than as they were entered or imported, as from round 1 on numbers go by "
        "rating; the former ones in brackets: 1 Family06, Given (6), 2 Family05, Given (5), 3 Family04, Given (4), "
        "4 Family03, Given (3), 5 Family02, Given (2), …"
    )
    for asked in (["import", str(report), "open"], ["pair", "open", "1"]):
        with pytest.raises(SystemExit) as left:
            main(["tournament", *asked, *database])
        assert left.value.code == 0 and line in capsys.readouterr().err
    report.write_text(trf.write_tournament(listed), encoding="utf-8")
    for asked in (["import", str(report), "sorted"], ["pair", "sorted", "1"]):
        with pytest.raises(SystemExit):
            main(["tournament", *asked, *database])
        assert "other numbers" not in capsys.readouterr().err
