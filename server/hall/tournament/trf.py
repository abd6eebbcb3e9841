"""Tournament reports of FIDE (TRF16), in and out, and the pairings that other programs write for them.

What JaVaFo and bbpPairings add to the format (XXR, XXC) is written too, so that a round may also be paired by them:
they read the report and write a line with the number of pairs, then a line `white black` for each, 0 for a bye.
A name is cut to its column of 33 characters, and the whole of it is a line of comment, `### name 12 Family, Given`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from engine import outside
from engine.errors import InputError
from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament.event import (
    COLOURS_OF_TWO,
    FULL_POINT,
    HALF_POINT,
    LONGEST_SAID,
    NO_POINT,
    ROUND_ROBIN,
    SWISS,
    TABLES_OF_THREE,
    Absence,
    Entrant,
    Seating,
    Tournament,
    check_tournament,
)
from server.hall.tournament.results import BYE, UNPLAYED, WORTH, result_from_letters

PLAYED_LETTERS = {True: {"W": "1", "D": "=", "L": "0"}, False: {"W": "W", "D": "D", "L": "L"}}
"""Whether it is rated -> the library's letter -> that of the report."""
UNPLAYED_LETTERS = {"W": "+", "D": "D"}
ABSENT_FOR = {"D": HALF_POINT, "W": FULL_POINT, "Z": NO_POINT}
LETTER_FOR = {HALF_POINT: "H", FULL_POINT: "F", NO_POINT: "Z"}
WORTH_OF = {letter: worth for worth, letter in LETTER_FOR.items()}
FIRST_ROUND, ROUND_WIDTH = 91, 10
"""Where a player's first round stands in its line, and how wide a round is."""
ROUND_CELL = re.compile(r" *(\d*) ([wbWB -]) (.)")
"""A round in the line of a player: who was played, with which colour, and the letter of the result."""
BOTH_SIDES = frozenset("1+W=D0-L")
"""Letters of those who were paired with somebody."""
STATED_POINTS = re.compile(r"\d{1,3}(?:\.\d)?")
NO_RESULT = " "
BYE_WORTHS = (Fraction(1), Fraction(1, 2), Fraction(0))
"""What the bye that the pairing gives was worth; its letter is U, and older reports do not say."""
SAYS_WORTH = "162"
"""The record that says what results are worth."""
DATE_RECORDS = {"042": "begins", "052": "ends"}
A_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}")
ANNOUNCED_PLAYERS = re.compile(r"062 +(\d{1,4})\b")
"""How many players a report has."""
FULL_NAME = re.compile(r"### name +(\d{1,4}) (.+)")
LARGEST_REPORT = 4 * 1024 * 1024


def write_tournament(tournament: Tournament) -> str:
    """The report after the last round whose results are all known. InputError for tables of three: it has two sides."""
    if tournament.system == TABLES_OF_THREE:
        raise InputError(f"tournament {tournament.name}: FIDE's report has no tables of three: export it as JSON")
    rounds = tournament.complete
    event = fide.build_event(tournament, rounds)
    ranks = {number: rank for rank, number, _ in fide.rank_entrants(tournament, rounds)} if rounds else {}
    for competitor in event["tournaments"][0]["competitors"]:
        competitor["rank"] = ranks.get(competitor["cid"], competitor["cid"])
    asked, left = _find_unavailable(tournament, rounds + 1)
    lines = [_with_next(line.rstrip(), rounds, asked) for line in fide.write_report(event).splitlines()]
    gone = [f"XXZ {' '.join(map(str, left))}"] if left else []
    names = [f"### name {one.number:>4} {one.name}" for one in find_cut(tournament)]
    return "\n".join([*lines, *names, f"XXR {tournament.last_round}", f"XXC {tournament.first}1", *gone, ""])


def find_cut(tournament: Tournament) -> list[Entrant]:
    """Whose names are longer than their column in the report."""
    return [one for one in tournament.entrants if fide.cut_name(one.name) != one.name]


def _find_unavailable(tournament: Tournament, round_: int) -> tuple[dict[int, str], list[int]]:
    """Who is not to be paired for the next round: the letters of those who asked for it, or have not come yet; and who
    has withdrawn."""
    if round_ > tournament.last_round:
        return {}, []
    away = {one.number: one for one in tournament.entrants} | {
        one.number: None for one in tournament.entrants_to_pair(round_)
    }
    left = [number for number, one in away.items() if one is not None and one.until and one.until < round_]
    asked = {number for number, one in away.items() if one is not None} - set(left)
    return {number: LETTER_FOR[tournament.absence_worth(round_, number)] for number in asked}, left


def _with_next(line: str, rounds: int, asked: Mapping[int, str]) -> str:
    """A line of the report, with the column of the next round for a player who is not to be paired for it."""
    letter = asked.get(int(line[4:8])) if line.startswith("001") else None
    return f"{line.ljust(FIRST_ROUND + ROUND_WIDTH * rounds)}0000 - {letter}" if letter else line


def read_tournament(text: str, name: str, game: str, source: str) -> Tournament:
    """The tournament of a report, under a name and for a game. InputError says what cannot be read."""
    if len(text) > LARGEST_REPORT:
        raise InputError(f"{source}: is larger than a tournament report of {LARGEST_REPORT // 1024} KB")
    text = text.removeprefix("\ufeff")
    _check_report(text, source)
    event, asked = _read_event(text, source)
    inner = event["tournaments"][0]
    if inner.get("teamTournament"):
        raise InputError(f"{source}: is a tournament of teams; only single players are taken")
    kind = str(inner.get("tournamentType", "")).lower()
    tables, absences = _build_tables(inner["gameList"])
    paired = max((table.round for table in tables), default=0)
    left = _read_withdrawn(text)
    profiles = {profile["id"]: profile for profile in event["profiles"]}
    entrants = tuple(
        replace(one, until=paired) if one.number in left else one
        for one in _build_entrants(inner["competitors"], profiles, _read_full_names(text), source)
    )
    is_berger = "berger" in inner.get("pairingSystem", []) or "robin" in kind or _all_met(tables, len(entrants))
    tables = _with_free_days(tables, absences, len(entrants)) if is_berger else tables
    info = event.get("eventInfo", {})
    made = Tournament(
        name,
        str(info.get("fullName", "") or name)[:LONGEST_SAID],
        ROUND_ROBIN if is_berger else SWISS,
        max([int(inner.get("numRounds", 0)), *(table.round for table in tables), 1]),
        game,
        place=str(info.get("site", ""))[:LONGEST_SAID],
        federation=str(info.get("federation", ""))[:3],
        begins=_parse_date(info.get("startDate")),
        ends=_parse_date(info.get("endDate")),
        arbiter=_read_line(text, "102"),
        first=COLOURS_OF_TWO[1] if str(inner.get("topColor", "w")).lower() == "b" else COLOURS_OF_TWO[0],
        entrants=entrants,
        absences=tuple(dict.fromkeys((*absences, *asked))),
        tables=_without_unplayed_end(tables),
    )
    return check_tournament(made)


@dataclass(frozen=True, slots=True)
class ReportLine:
    """The line of a player: its number in the text, the player's, the points, and per round opponent, colour, letter;
    the letter is a space while there is no result."""

    line: int
    number: int
    points: str
    rounds: tuple[tuple[int, str, str] | None, ...]


def _check_report(text: str, source: str) -> None:
    """InputError where a report contradicts itself."""
    rows = _read_rows(text, source)
    _check_count(text, rows, source)
    _check_dates(text, source)
    if SAYS_WORTH not in {line[:3] for line in text.splitlines()}:
        _check_points(rows, source)
    _check_both_sides(rows, source)


def _read_rows(text: str, source: str) -> dict[int, ReportLine]:
    """The lines of players that can be told apart. InputError for rounds in other columns than theirs, and for letters
    that are no result."""
    found = {}
    for at, line in enumerate(text.splitlines(), 1):
        if line.startswith("001") and line[4:8].strip().isdecimal():
            cells = [line[start : start + 8] for start in range(FIRST_ROUND, len(line), ROUND_WIDTH)]
            rounds = tuple(_read_cell(cell, f"{source}: line {at}: round {n}") for n, cell in enumerate(cells, 1))
            if int(line[4:8]) in found:
                raise InputError(f"{source}: line {at}: player {int(line[4:8])} has a line already")
            found[int(line[4:8])] = ReportLine(at, int(line[4:8]), line[80:84].strip(), rounds)
    return found


def _read_cell(cell: str, where: str) -> tuple[int, str, str] | None:
    if not cell.strip():
        return None
    if not (read := ROUND_CELL.fullmatch(cell.ljust(8))):
        raise InputError(
            f"{where}: {cell.strip()!r} stands in other columns than the format's: a name before it may have been "
            "padded in another encoding; write the report anew as UTF-8"
        )
    if read[3] != NO_RESULT and read[3].upper() not in WORTH:
        raise InputError(f"{where}: {read[3]!r} is no result: one of {' '.join(WORTH)}")
    return int(read[1] or 0), read[2].lower(), read[3].upper()


def _check_count(text: str, rows: Mapping[int, ReportLine], source: str) -> None:
    """InputError for fewer players than the report says that it has: its end is missing."""
    for at, line in enumerate(text.splitlines(), 1):
        said = ANNOUNCED_PLAYERS.match(line)
        if said and len(rows) < int(said[1]):
            raise InputError(
                f"{source}: line {at}: {said[1]} players are announced, and {len(rows)} are there: is the end missing?"
            )


def _check_dates(text: str, source: str) -> None:
    """InputError for a date that is no day; one that is written otherwise is left out (`list_left_out`)."""
    for at, line in enumerate(text.splitlines(), 1):
        said = line[4:].strip()
        if line[:3] in DATE_RECORDS and A_DATE.fullmatch(said) and not _parse_date(said):
            raise InputError(f"{source}: line {at}: {said}: there is no such day")


def list_left_out(text: str) -> list[str]:
    """What of a report is not taken, a line each."""
    lines = [(line[:3], line[4:].strip()) for line in text.splitlines() if line[:3] in DATE_RECORDS]
    return [
        f"when it {DATE_RECORDS[record]} is left out: {said!r} is not written as 2026/11/24"
        for record, said in lines
        if said and not _parse_date(said)
    ]


def _check_points(rows: Mapping[int, ReportLine], source: str) -> None:
    """InputError where a player has other points than the results make, whatever the pairing's bye was worth. Those of
    a round that nobody is paired for yet may be among them."""
    last = max((len(row.rounds) for row in rows.values()), default=0)
    wrong: list[tuple[ReportLine, Fraction]] = []
    for bye in BYE_WORTHS:
        worth = WORTH | {"U": bye, NO_RESULT: Fraction(0)}
        wrong = []
        for row in rows.values():
            points = [worth[cell[2]] if cell else Fraction(0) for cell in row.rounds]
            may_be = {sum(points, Fraction(0))}
            if len(points) == last and (end := row.rounds[-1]) is not None and end[2] in WORTH_OF:
                may_be.add(sum(points[:-1], Fraction(0)))
            if STATED_POINTS.fullmatch(row.points) and Fraction(row.points) not in may_be:
                wrong.append((row, max(may_be)))
        if not wrong:
            return
    row, made = wrong[0]
    raise InputError(
        f"{source}: line {row.line}: player {row.number} has {row.points} points, and the results make "
        f"{float(made):g}; where they are worth something else, a record {SAYS_WORTH} says so"
    )


def _check_both_sides(rows: Mapping[int, ReportLine], source: str) -> None:
    """InputError where two lines do not say the same of their game."""
    for row in rows.values():
        for round_, cell in enumerate(row.rounds, 1):
            if cell is None or not cell[0]:
                continue
            other = rows.get(cell[0])
            theirs = other.rounds[round_ - 1] if other is not None and len(other.rounds) >= round_ else None
            if theirs is None or other == row or theirs[0] != row.number or not _do_agree(cell, theirs):
                raise InputError(
                    f"{source}: line {row.line}: round {round_}: {_describe_cell(cell)}, and "
                    + (
                        f"line {other.line} of player {cell[0]} has {_describe_cell(theirs)}"
                        if other
                        else "nobody is that"
                    )
                )


def _describe_cell(cell: tuple[int, str, str] | None) -> str:
    return " ".join(map(str, cell)) if cell else "nothing"


def _do_agree(one: tuple[int, str, str], other: tuple[int, str, str]) -> bool:
    """Whether two sides have other colours, both have played or neither, and at most a point together."""
    letters = {one[2], other[2]}
    if NO_RESULT in letters:
        return True
    has_other_colour = one[1] != other[1] or one[1] not in "wb"
    is_same_kind = (one[2] in UNPLAYED) == (other[2] in UNPLAYED)
    return has_other_colour and is_same_kind and WORTH[one[2]] + WORTH[other[2]] <= 1 and not letters - BOTH_SIDES


def _read_event(text: str, source: str) -> tuple[dict[str, Any], tuple[Absence, ...]]:
    """What the library makes of a report, and who has asked not to be paired for the next round."""
    played, asked = _without_next(text)
    try:
        return fide.read_report(text, source), asked
    except InputError:
        if played == text:
            raise
        return fide.read_report(played, source), asked  # its points are those before the next round


def _read_withdrawn(text: str) -> set[int]:
    """Who has withdrawn."""
    return {int(number) for line in text.splitlines() if line.startswith("XXZ") for number in _split_numbers(line[3:])}


def _read_full_names(text: str) -> dict[int, str]:
    """Number -> name, of those whose names are longer than their column."""
    found = filter(None, map(FULL_NAME.fullmatch, text.splitlines()))
    return {int(line[1]): outside.compose_letters(line[2].strip())[:LONGEST_SAID] for line in found}


def _without_next(text: str) -> tuple[str, tuple[Absence, ...]]:
    """A report without the column of a round that nobody is paired for yet, and who has asked not to be."""
    lines = text.splitlines()
    own = {at: line for at, line in enumerate(lines) if line.startswith("001") and line[4:8].strip().isdecimal()}
    last = max((len(line) - FIRST_ROUND + 2 for line in own.values()), default=0) // ROUND_WIDTH
    start = FIRST_ROUND + ROUND_WIDTH * (last - 1)
    cells = {at: line[start:].split() for at, line in own.items() if line[max(0, start) :].strip()}
    asked = [_read_absence(last, int(own[at][4:8]), cell) for at, cell in cells.items()]
    if last < 1 or None in asked:
        return text, ()
    shorter = {at: line[: start - 2] for at, line in own.items()}
    return "\n".join(shorter.get(at, line) for at, line in enumerate(lines)), tuple(filter(None, asked))


def _read_absence(round_: int, number: int, cell: list[str]) -> Absence | None:
    worth = WORTH_OF.get(cell[-1]) if cell[:2] == ["0000", "-"] else None
    return Absence(round_, number, worth) if worth else None


def _build_entrants(
    rows: list[dict[str, Any]], profiles: Mapping[int, Mapping[str, Any]], full_names: Mapping[int, str], source: str
) -> tuple[Entrant, ...]:
    found = []
    for row in sorted(rows, key=lambda row: int(row["cid"])):
        profile = profiles[row["profileId"]]
        name = outside.compose_letters(str(profile.get("fideName", "")).strip()[:LONGEST_SAID]) or f"{row['cid']}"
        full = full_names.get(int(row["cid"]), "")
        birth = str(profile.get("birth", "")).strip().replace("/", "-")
        found.append(
            Entrant(
                int(row["cid"]),
                full if fide.cut_name(full) == name else name,
                int(row["rating"]["rating"]),
                str(profile.get("fideTitle", "")).strip(),
                str(profile.get("sex", "")).strip(),
                str(profile.get("federation", "")).strip(),
                int(profile.get("fideId", 0)),
                birth,
            )
        )
    if [one.number for one in found] != list(range(1, len(found) + 1)):
        raise InputError(f"{source}: the numbers of the players are not 1 to {len(found)}")
    return tuple(found)


def _build_tables(games: list[dict[str, Any]]) -> tuple[tuple[Seating, ...], tuple[Absence, ...]]:
    by_round: dict[int, list[tuple[tuple[bool, int], tuple[int, ...], str]]] = defaultdict(list)
    absences = []
    for game in games:
        white, black = game["white"], game.get("black") or {"cid": 0}
        round_ = int(game["round"])
        if int(white["cid"]) and int(black["cid"]):
            letters = [_report_letter(game, side) for side in ("white", "black")]
            players = (int(white["cid"]), int(black["cid"]))
            by_round[round_].append(
                ((False, int(game.get("board", 0))), players, result_from_letters(letters[0], letters[1]))
            )
        elif (letter := str(white.get("result", "Z"))) == "P":
            by_round[round_].append(((True, 0), (int(white["cid"]),), BYE))
        elif letter in ABSENT_FOR:
            absences.append(Absence(round_, int(white["cid"]), ABSENT_FOR[letter]))
    tables = tuple(
        Seating(round_, number, players, result=result)
        for round_, rows in sorted(by_round.items())
        for number, (_, players, result) in enumerate(sorted(rows), 1)
    )
    paired = max(by_round, default=0)
    return tables, tuple(one for one in absences if one.worth != NO_POINT or one.round > paired)


def _split_numbers(text: str) -> list[str]:
    return [word for word in text.replace(",", " ").split() if word.isdecimal() and len(word) < 6]


def _all_met(tables: tuple[Seating, ...], players: int) -> bool:
    """Whether everybody has met everybody: the report of a round robin may say nothing else about it."""
    return len({frozenset(table.players) for table in tables if not table.is_bye}) == players * (players - 1) // 2 > 1


def _with_free_days(tables: tuple[Seating, ...], absences: Iterable[Absence], players: int) -> tuple[Seating, ...]:
    """The tables of a round robin with who is free in a round: of an odd number the one who sits nowhere."""
    seated = {(table.round, number) for table in tables for number in table.players}
    seated |= {(one.round, one.number) for one in absences}
    found = list(tables)
    for round_ in sorted({table.round for table in tables}):
        free = [number for number in range(1, players + 1) if (round_, number) not in seated]
        if len(free) == 1:
            number = 1 + max(table.table for table in tables if table.round == round_)
            found.append(Seating(round_, number, (free[0],), result=BYE))
    return tuple(sorted(found, key=lambda table: (table.round, table.table)))


def _report_letter(game: Mapping[str, Any], side: str) -> str:
    said = str(game[side].get("result", "Z"))
    return PLAYED_LETTERS[bool(game.get("rated"))].get(said, "-") if game["played"] else UNPLAYED_LETTERS.get(said, "-")


def _without_unplayed_end(tables: tuple[Seating, ...]) -> tuple[Seating, ...]:
    """A last round without any result was paired, and nobody has played it yet: its results are open."""
    last = max((table.round for table in tables), default=0)
    if any(table.result not in {"-:-", BYE} for table in tables if table.round == last):
        return tables
    return tuple(
        replace(table, result="") if table.round == last and table.result == "-:-" else table for table in tables
    )


def _parse_date(said: object) -> str:
    text = str(said or "").strip().replace("/", "-")
    try:
        return text if date.fromisoformat(text).isoformat() == text else ""
    except ValueError:
        return ""


def _read_line(text: str, number: str) -> str:
    found = [line[4:].strip() for line in text.splitlines() if line.startswith(number)]
    return found[0][:LONGEST_SAID] if found else ""


def read_pairs(text: str, source: str) -> list[tuple[int, ...]]:
    """The pairs that JaVaFo or bbpPairings wrote. InputError says in which line there is something else."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    if not rows or len(rows[0]) != 1 or not rows[0][0].isdecimal():
        raise InputError(f"{source}: line 1: the number of pairs alone, then `white black` in a line each")
    found: list[tuple[int, ...]] = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) != 2 or not all(word.isdecimal() and len(word) < 6 for word in row):
            raise InputError(f"{source}: line {number}: two numbers, 0 as the second for a bye")
        found.append(tuple(int(word) for word in row if int(word)))
    if len(found) != int(rows[0][0][:6]):
        raise InputError(f"{source}: {rows[0][0]} pairs are announced, and there are {len(found)}")
    return found
