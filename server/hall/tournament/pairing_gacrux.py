"""Swiss pairings by FIDE's Dutch system, round robins by Berger's tables, tie-breaks and tournament reports: by gacrux.

That library (MIT, by the secretary of FIDE's technical commission) does all four on one structure, JSON for chess; this
is the only file that speaks with it.
"""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import ModuleType
from typing import Any

from engine.errors import InputError
from server.hall.desk.extras import install_command, is_installed
from server.hall.tournament.event import FULL_POINT, HALF_POINT, ROUND_ROBIN, Entrant, Tournament
from server.hall.tournament.results import WORTH, report_letters

LIBRARY = "gacrux"
TIE_BREAKS = {"swiss": ("BH/C1", "BH", "SB", "WIN"), ROUND_ROBIN: ("DE", "SB", "WIN", "KS")}
"""Where nobody says others: Buchholz without the worst, Buchholz, Sonneborn-Berger, wins; by direct encounter first."""
OURS = {"1": "W", "0": "L", "=": "D", "+": "W", "-": "Z", "W": "W", "L": "L", "D": "D"}
"""Letters of a report -> the library's letters."""
OVER_THE_BOARD, RATED = frozenset("10=WLD"), frozenset("10=")
BYE_LETTERS = {HALF_POINT: "D", FULL_POINT: "W"}
"""What a round that is not played is worth -> the library's letter; anything else is Z, nothing."""
NAME_WIDTH = 33
"""Characters of a name in a tournament report."""
COLOUR = {"white": "w", "black": "b"}


def import_part(name: str) -> ModuleType:
    """A module of the library. InputError where it is not installed."""
    try:
        return importlib.import_module(f"{LIBRARY}.{name}")
    except ImportError as error:
        raise InputError(
            "tournament: {why}: pairing needs a library: {command}", why=str(error), command=install_command(LIBRARY)
        ) from error


def missing_library() -> str:
    """What to type where the library is not installed; "" where it is."""
    return "" if is_installed(LIBRARY) else install_command(LIBRARY)


def compute_pairs(tournament: Tournament, round_: int) -> list[tuple[int, ...]]:
    """Who plays whom in the next round, first side first, in the order of the tables; one number alone has the bye.

    InputError when no lawful pairing is left.
    """
    is_berger = tournament.system == ROUND_ROBIN
    name = "berger" if is_berger else "dutch"
    engine = getattr(import_part(f"pairing{name}"), f"pairing_{name}")
    event = build_event(tournament, round_ - 1, next_round=None if is_berger else round_)
    inner = event["tournaments"][0]
    inner["currentRound"] = round_
    params = {"experimental": [], "verbose": 0, "is_rr": is_berger, "top_color": COLOUR[tournament.first]}
    fault = import_part("gacruxexeptions").GacruxError
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            brackets = engine(inner, round_, params).compute_pairing(checkonly=False)
    except fault as error:
        raise InputError(
            "tournament {name}: round {round} cannot be paired: {why}",
            name=tournament.name,
            round=round_,
            why=str(error),
        ) from error
    found = [pair for bracket in brackets for pair in bracket["pairs"]]
    found.sort(key=lambda pair: (pair["b"] == 0, pair.get("board") or 0))
    return [(int(pair["w"]), int(pair["b"])) if pair["b"] else (int(pair["w"]),) for pair in found]


def rank_entrants(tournament: Tournament, round_: int) -> list[tuple[int, int, list[str]]]:
    """After a round: rank, number and the values of points and tie-breaks, the first rank first."""
    inner = build_event(tournament, round_)["tournaments"][0]
    params = {
        "tiebreak": ["PTS", *tie_break_names(tournament)],
        "check": False,
        "pre_determined": False,
        "swiss": False,
    }
    params["pre_determined" if tournament.system == ROUND_ROBIN else "swiss"] = True
    with contextlib.redirect_stdout(io.StringIO()):
        said = import_part("tiebreak").tiebreak(inner, round_, params).compute_tiebreaks(inner, params)
    rows = [
        (int(row["rank"]), int(row["cid"]), [_format_value(value) for value in row["tiebreakScore"]])
        for row in said["competitors"]
    ]
    return sorted(rows)


def tie_break_names(tournament: Tournament) -> tuple[str, ...]:
    """The tie-breaks by FIDE's names, in their order."""
    return tournament.tie_breaks or TIE_BREAKS.get(tournament.system, ())


def check_tie_breaks(names: Sequence[str]) -> None:
    """InputError names the first that the library does not know."""
    known = import_part("tiebreak").tiebreak(None, 0, None).tiebreaklist
    for name in names:
        if name.partition("/")[0].partition(":")[0].upper() not in known:
            raise InputError("tie-break {name}: by FIDE's names, as BH/C1, BH, SB, DE, WIN", name=repr(name[:20]))


def build_event(tournament: Tournament, rounds: int, next_round: int | None = None) -> dict[str, Any]:
    """The event as the library has it, with the results of so many rounds; `next_round`: who is away is left out."""
    chess = import_part("chessjson").chessjson()
    inner = chess.add_tournament(1, team=False, numRounds=tournament.last_round)
    system = ["berger"] if tournament.system == ROUND_ROBIN else ["dutch"]
    kind = "Individual: Round-Robin" if tournament.system == ROUND_ROBIN else "Individual: Swiss-System"
    inner |= {"currentRound": rounds, "topColor": COLOUR[tournament.first], "pairingSystem": system}
    inner |= {"tournamentType": kind, "rankOrder": ["PTS", *tie_break_names(tournament)]}
    inner["tournamentInfo"] = {"startDate": tournament.begins} if tournament.begins else {}
    event: dict[str, Any] = chess.get_event()
    event["eventInfo"] = {
        "fullName": tournament.title,
        "site": tournament.place,
        "federation": tournament.federation,
        "startDate": tournament.begins,
        "endDate": tournament.ends,
        "arbiters": {"chiefArbiter": _add_arbiter(chess, tournament.arbiter)},
    }
    scores = dict.fromkeys((one.number for one in tournament.entrants), Decimal(0))
    for game in _build_games(tournament, rounds):
        chess.append_result(inner["gameList"], game)
    for number in scores:
        scores[number] = Decimal(str(float(sum_points(tournament, number, rounds))))
    present = {one.number for one in tournament.entrants_to_pair(next_round)} if next_round else set(scores)
    inner["competitors"] = [
        _build_competitor(chess, one, scores[one.number], present=one.number in present) for one in tournament.entrants
    ]
    return event


def sum_points(tournament: Tournament, number: int, rounds: int) -> Any:
    """Points after so many rounds."""
    return sum(
        WORTH[letter] for letter in (letter_of(tournament, number, round_)[2] for round_ in range(1, rounds + 1))
    )


def letter_of(tournament: Tournament, number: int, round_: int) -> tuple[int, str, str]:
    """Opponent, colour and letter of somebody's round as a tournament report has them; the opponent 0 for none."""
    for table in tournament.at(round_):
        if number not in table.players:
            continue
        if table.is_bye:
            return 0, "-", "Z" if tournament.system == ROUND_ROBIN else "U"
        at = table.players.index(number)
        letter = report_letters(table.result)[at] if table.result else "Z"
        return table.players[1 - at], "wb"[at], letter
    return 0, "-", {HALF_POINT: "H", FULL_POINT: "F"}.get(tournament.absence_worth(round_, number), "Z")


def _build_games(tournament: Tournament, rounds: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for round_ in range(1, rounds + 1):
        seated: set[int] = set()
        for table in tournament.at(round_):
            seated |= set(table.players)
            if table.is_bye:
                is_free = tournament.system == ROUND_ROBIN  # Berger's tables: a day without a game is worth nothing
                who = (table.players[0], "Z" if is_free else "P")
                found.append(_build_game(round_, who, None, played=not is_free, rated=False))
            elif table.result:
                first, second = report_letters(table.result)
                white, black = zip(table.players, (OURS[first], OURS[second]), strict=True)
                found.append(_build_game(round_, white, black, played=first in OVER_THE_BOARD, rated=first in RATED))
        for one in tournament.entrants:
            if one.number not in seated:
                letter = BYE_LETTERS.get(tournament.absence_worth(round_, one.number), "Z")
                found.append(_build_game(round_, (one.number, letter), None, played=False, rated=False))
    return found


def _build_game(
    round_: int, white: tuple[int, str], black: tuple[int, str] | None, *, played: bool, rated: bool
) -> dict[str, Any]:
    sides = [{"cid": side[0], "result": side[1]} if side else None for side in (white, black)]
    return {"id": 0, "round": round_, "white": sides[0], "black": sides[1], "played": played, "rated": rated}


def _build_competitor(chess: Any, one: Entrant, points: Decimal, *, present: bool) -> dict[str, Any]:
    name = cut_name(one.name)  # else every column after it is moved
    last, _, first = name.partition(",")
    profile = {
        "id": 0,
        "fideId": one.fide_id,
        "lastName": last.strip(),
        "firstName": first.strip(),
        "fideName": name,
        "sex": one.sex,
        "birth": one.birth.replace("-", "/"),
        "federation": one.federation,
        "fideTitle": one.title,
    }
    competitor = {"cid": one.number, "profileId": chess.append_profile(profile), "present": present}
    competitor |= {"gamePoints": points, "rank": one.number, "orgrank": one.number}
    return competitor | {"rating": {"list": "TRF", "rating": one.rating}}


def cut_name(name: str) -> str:
    """A name as the column of a tournament report holds it."""
    return name if len(name) <= NAME_WIDTH else name[:NAME_WIDTH].rstrip(" ,")


def _add_arbiter(chess: Any, name: str) -> int:
    if not name:
        return 0
    last, _, first = name.partition(",")
    profile = {"id": 0, "fideId": 0, "lastName": last.strip(), "firstName": first.strip(), "fideName": name, "sex": ""}
    return int(chess.append_profile(profile | {"federation": ""}))


def _format_value(value: object) -> str:
    """A value of a tie-break as it is shown; a Decimal without zeros that say nothing."""
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def write_report(event: Mapping[str, Any]) -> str:
    """The structure as a tournament report (TRF)."""
    writer = import_part("trf2json").trf2json()
    text: str = writer.output_file(dict(event), 1, verbose=False)
    if not text or writer.get_status():
        said = "; ".join(map(str, writer.chessjson["status"]["error"]))
        raise InputError(f"tournament report: it cannot be written: {said}")
    return text


def read_report(text: str, source: str) -> dict[str, Any]:
    """A tournament report as the structure. InputError says what is wrong with it."""
    reader = import_part("trf2json").trf2json()
    fault = import_part("gacruxexeptions").GacruxError
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            reader.parse_file(text, verbose=False)
    except (fault, ValueError, KeyError, IndexError, TypeError, ArithmeticError) as error:
        raise InputError(f"{source}: is no tournament report (TRF16): {error}") from error
    if reader.get_status() not in {0, 467, 472}:
        raise InputError(f"{source}: {'; '.join(map(str, reader.chessjson['status']['error']))[:300]}")
    event: dict[str, Any] = reader.get_event()
    for competitor in event["tournaments"][0]["competitors"]:
        competitor["rating"] = competitor.get("rating") or {"list": "TRF", "rating": 0}  # else it cannot write it again
    return event
