"""Tournament reports of FIDE (TRF16), in and out, and the pairings that other programs write for them.

What JaVaFo and bbpPairings add to the format (XXR, XXC) is written too, so that a round may also be paired by them:
they read the report and write a line with the number of pairs, then a line `white black` for each, 0 for a bye.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.errors import InputError
from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament.event import (
    COLOURS_OF_TWO,
    FULL_POINT,
    HALF_POINT,
    LONGEST_SAID,
    ROUND_ROBIN,
    SWISS,
    TABLES_OF_THREE,
    Absence,
    Entrant,
    Table,
    Tournament,
    checked,
)
from server.hall.tournament.results import BYE, of_letters

PLAYED_LETTERS = {True: {"W": "1", "D": "=", "L": "0"}, False: {"W": "W", "D": "D", "L": "L"}}
"""Whether it is rated -> the library's letter -> that of the report."""
UNPLAYED_LETTERS = {"W": "+", "D": "D"}
ABSENT_FOR = {"D": HALF_POINT, "W": FULL_POINT}
LARGEST_REPORT = 4 * 1024 * 1024


def written(tournament: Tournament) -> str:
    """The report after the last round whose results are all known. InputError for tables of three: it has two sides."""
    if tournament.system == TABLES_OF_THREE:
        raise InputError(f"tournament {tournament.name}: FIDE's report has no tables of three: export it as JSON")
    rounds = tournament.complete
    event = fide.structure(tournament, rounds)
    ranks = {number: rank for rank, number, _ in fide.ranked(tournament, rounds)} if rounds else {}
    for competitor in event["tournaments"][0]["competitors"]:
        competitor["rank"] = ranks.get(competitor["cid"], competitor["cid"])
    lines = [line.rstrip() for line in fide.report(event).splitlines()]
    return "\n".join([*lines, f"XXR {tournament.rounds}", f"XXC {tournament.first}1", ""])


def read(text: str, name: str, game: str, source: str) -> Tournament:
    """The tournament of a report, under a name and for a game. InputError says what cannot be read."""
    if len(text) > LARGEST_REPORT:
        raise InputError(f"{source}: is larger than a tournament report of {LARGEST_REPORT // 1024} KB")
    event = fide.read_report(text.removeprefix("\ufeff"), source)
    inner = event["tournaments"][0]
    if inner.get("teamTournament"):
        raise InputError(f"{source}: is a tournament of teams; only single players are taken")
    kind = str(inner.get("tournamentType", "")).lower()
    entrants = _entrants(inner["competitors"], {profile["id"]: profile for profile in event["profiles"]}, source)
    tables, absences = _tables(inner["gameList"])
    is_berger = "berger" in inner.get("pairingSystem", []) or "robin" in kind or _all_met(tables, len(entrants))
    info = event.get("eventInfo", {})
    made = Tournament(
        name,
        str(info.get("fullName", "") or name)[:LONGEST_SAID],
        ROUND_ROBIN if is_berger else SWISS,
        max([int(inner.get("numRounds", 0)), *(table.round for table in tables), 1]),
        game,
        place=str(info.get("site", ""))[:LONGEST_SAID],
        federation=str(info.get("federation", ""))[:3],
        begins=_date(info.get("startDate")),
        ends=_date(info.get("endDate")),
        arbiter=_line(text, "102"),
        first=COLOURS_OF_TWO[1] if str(inner.get("topColor", "w")).lower() == "b" else COLOURS_OF_TWO[0],
        entrants=entrants,
        absences=absences,
        tables=_without_unplayed_end(tables),
    )
    return checked(made)


def _entrants(
    rows: list[dict[str, Any]], profiles: Mapping[int, Mapping[str, Any]], source: str
) -> tuple[Entrant, ...]:
    found = []
    for row in sorted(rows, key=lambda row: int(row["cid"])):
        profile = profiles[row["profileId"]]
        birth = str(profile.get("birth", "")).strip().replace("/", "-")
        found.append(
            Entrant(
                int(row["cid"]),
                str(profile.get("fideName", "")).strip()[:LONGEST_SAID] or f"{row['cid']}",
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


def _tables(games: list[dict[str, Any]]) -> tuple[tuple[Table, ...], tuple[Absence, ...]]:
    by_round: dict[int, list[tuple[tuple[bool, int], tuple[int, ...], str]]] = defaultdict(list)
    absences = []
    for game in games:
        white, black = game["white"], game.get("black") or {"cid": 0}
        round_ = int(game["round"])
        if int(white["cid"]) and int(black["cid"]):
            letters = [_letter(game, side) for side in ("white", "black")]
            players = (int(white["cid"]), int(black["cid"]))
            by_round[round_].append(((False, int(game.get("board", 0))), players, of_letters(letters[0], letters[1])))
        elif (letter := str(white.get("result", "Z"))) == "P":
            by_round[round_].append(((True, 0), (int(white["cid"]),), BYE))
        elif letter in ABSENT_FOR:
            absences.append(Absence(round_, int(white["cid"]), ABSENT_FOR[letter]))
    tables = tuple(
        Table(round_, number, players, result=result)
        for round_, rows in sorted(by_round.items())
        for number, (_, players, result) in enumerate(sorted(rows), 1)
    )
    return tables, tuple(absences)


def _all_met(tables: tuple[Table, ...], players: int) -> bool:
    """Whether everybody has met everybody: the report of a round robin may say nothing else about it."""
    return len({frozenset(table.players) for table in tables if not table.is_bye}) == players * (players - 1) // 2 > 1


def _letter(game: Mapping[str, Any], side: str) -> str:
    said = str(game[side].get("result", "Z"))
    return PLAYED_LETTERS[bool(game.get("rated"))].get(said, "-") if game["played"] else UNPLAYED_LETTERS.get(said, "-")


def _without_unplayed_end(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """A last round without any result was paired, and nobody has played it yet: its results are open."""
    last = max((table.round for table in tables), default=0)
    if any(table.result not in {"-:-", BYE} for table in tables if table.round == last):
        return tables
    return tuple(
        replace(table, result="") if table.round == last and table.result == "-:-" else table for table in tables
    )


def _date(said: object) -> str:
    text = str(said or "").strip().replace("/", "-")
    return text if len(text) == 10 and text[:4].isdecimal() else ""


def _line(text: str, number: str) -> str:
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
