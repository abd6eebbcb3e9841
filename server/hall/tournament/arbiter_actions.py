"""What arbiters do with a tournament: enter players, pair a round, say results; each a new value, or an InputError."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from engine.errors import InputError, Worded
from server.hall.tournament import pairing_gacrux as fide
from server.hall.tournament import pairing_threes as threes
from server.hall.tournament.event import (
    ABSENCES,
    BY_BOARD,
    MOST_ENTRANTS,
    MOST_ROUNDS,
    NOTHING_ELSEWHERE,
    ROUND_ROBIN,
    TABLES_OF_THREE,
    Absence,
    Elsewhere,
    Entrant,
    Seating,
    Tournament,
    build_double_error,
    check_entrant,
    find_earlier_round,
    fold_name,
)
from server.hall.tournament.results import BYE, check_result

LONGEST_WHO = 100
NO_GAMES: Mapping[str, str] = MappingProxyType({})
MOST_RENUMBERED_NAMED = 5
"""Players with other numbers who are named; the list on the page has all of them."""
ENDS_WITHOUT = {(False, True): "-:+", (True, False): "+:-", (False, False): "-:-"}
"""Who of two has come -> what a game of a round robin ends with at once."""


def enter_players(tournament: Tournament, entrants: Iterable[Entrant]) -> Tournament:
    """Further players. Before the first round they may come in any order; who comes later begins with the next."""
    known = {fold_name(one.name) for one in tournament.entrants}
    made = list(tournament.entrants)
    since = tournament.paired + 1
    for one in entrants:
        if (folded := fold_name(one.name)) in known:
            raise build_double_error(one.name)
        if tournament.system == ROUND_ROBIN and tournament.paired:
            raise InputError("player {name}: a round robin that has begun takes no more players", name=one.name)
        known.add(folded)
        made.append(check_entrant(replace(one, number=len(made) + 1, since=max(since, one.since))))
    if len(made) > MOST_ENTRANTS:
        raise InputError("tournament {name}: at most {most} players", name=tournament.name, most=MOST_ENTRANTS)
    return replace(tournament, entrants=tuple(made))


def withdraw_player(tournament: Tournament, number: int, *, back: bool = False, was: str = "") -> Tournament:
    """Somebody plays no further round, or (`back`) plays again from the next one. Before the first round who withdraws
    is taken off the list, and later numbers close up; so `was`, if given, is the name that stood at the number."""
    one = _require_withdrawable(tournament.find_entrant(number), back=back, was=was)
    until = 0 if back else max(tournament.paired, one.since - 1)
    if not back and not tournament.paired:
        return _remove_player(tournament, number)
    changed = replace(one, until=until)
    absences = tournament.absences
    if back and one.until:
        missed = range(one.until + 1, tournament.paired + 1)
        absences += tuple(Absence(round_, number, "zero") for round_ in missed if _is_free(tournament, round_, number))
    entrants = tuple(changed if other.number == number else other for other in tournament.entrants)
    return replace(tournament, entrants=entrants, absences=absences)


def _require_withdrawable(one: Entrant, *, back: bool, was: str) -> Entrant:
    """The same. InputError where it is somebody else by now, or has done already what is asked for."""
    if was and fold_name(one.name) != fold_name(was):
        raise InputError(
            "player {number}: is {name} by now, not {was}: look again", number=one.number, name=one.name, was=was
        )
    if back and not one.until:
        raise InputError(
            "player {number}: {name} has not withdrawn; who was taken off the list is entered again",
            number=one.number,
            name=one.name,
        )
    if one.until and not back:
        raise InputError(
            "player {number}: {name} has withdrawn already, after round {round}",
            number=one.number,
            name=one.name,
            round=one.until,
        )
    return one


def edit_player(tournament: Tournament, number: int, said: Entrant) -> Tournament:
    """Name, rating, title, federation and FIDE id put right; the number stays: rounds were paired by it."""
    one = tournament.find_entrant(number)
    if fold_name(said.name) in {fold_name(other.name) for other in tournament.entrants if other != one}:
        raise build_double_error(said.name)
    what = {"title": said.title, "federation": said.federation, "fide_id": said.fide_id}
    changed = check_entrant(replace(one, name=said.name, rating=said.rating, **what))  # type: ignore[arg-type]
    return replace(tournament, entrants=tuple(changed if other == one else other for other in tournament.entrants))


def _is_free(tournament: Tournament, round_: int, number: int) -> bool:
    return not any((one.round, one.number) == (round_, number) for one in tournament.absences)


def _remove_player(tournament: Tournament, number: int) -> Tournament:
    """Who is taken off the list before the first round was never there, and the numbers close up."""
    kept = [one for one in tournament.entrants if one.number != number]
    new = {one.number: at for at, one in enumerate(kept, 1)}
    entrants = tuple(replace(one, number=new[one.number]) for one in kept)
    absences = tuple(replace(one, number=new[one.number]) for one in tournament.absences if one.number != number)
    return replace(tournament, entrants=entrants, absences=absences)


def set_absence(tournament: Tournament, number: int, round_: int, worth: str) -> Tournament:
    """Somebody will not play a round, which is worth half a point, nothing or a whole one; "" takes it back. In a round
    robin every pair meets: who is away loses that game, and nothing else could be granted."""
    tournament.find_entrant(number)
    if worth and tournament.system == ROUND_ROBIN:
        raise InputError(
            "bye: a round robin has none, as everybody meets everybody: pair the round, then give the game of whoever "
            "is away as +:- or -:+"
        )
    if worth and worth not in ABSENCES:
        raise InputError("bye: {worth}: one of {choices}", worth=repr(worth[:20]), choices=", ".join(ABSENCES))
    last = tournament.last_round
    if tournament.paired >= last > 0:
        raise InputError(
            "bye: round {round}: all {last} rounds are paired, so no bye can be given any more", round=round_, last=last
        )
    if not tournament.paired < round_ <= last:
        raise InputError(
            "bye: round {round}: one that is to be paired, {first} to {last}",
            round=round_,
            first=tournament.paired + 1,
            last=last,
        )
    kept = tuple(one for one in tournament.absences if (one.round, one.number) != (round_, number))
    return replace(tournament, absences=kept + ((Absence(round_, number, worth),) if worth else ()))


def pair_round(
    tournament: Tournament,
    round_: int,
    after: Mapping[str, str],
    given: Sequence[tuple[int, ...]] | None = None,
    boards: Sequence[str] = (),
    elsewhere: Elsewhere = NOTHING_ELSEWHERE,
) -> Tournament:
    """The next round, with a board for each table as far as there are boards that no other tournament holds.

    `round_` is the one that is meant: whoever was second pairs nothing. `after` has of each board the place of its
    newest game that is over; `given` are pairs that another program made; `boards` stand in where the event names none.
    """
    if round_ != tournament.paired + 1:
        raise InputError(
            "round {round}: {paired} rounds are paired: look again", round=round_, paired=tournament.paired
        )
    if tournament.paired and round_ > tournament.rounds:
        raise InputError("round {round}: the tournament has {rounds} rounds", round=round_, rounds=tournament.rounds)
    if open_ := [table.table for table in tournament.at(round_ - 1) if not table.result]:
        raise InputError(
            "round {round}: results of round {last} are missing at table {table}",
            round=round_,
            last=round_ - 1,
            table=open_[0],
        )
    known = _fit_rounds(number_by_rating(tournament)) if round_ == 1 else tournament
    if len(known.entrants_to_pair(round_)) < len(known.seat_names):
        raise InputError(
            "round {round}: {count} players are too few", round=round_, count=len(known.entrants_to_pair(round_))
        )
    found = _check_given_pairs(known, round_, given) if given is not None else _compute_pairs(known, round_)
    places = [board for board in dict.fromkeys(known.boards or boards) if board not in elsewhere.boards]
    return replace(known, tables=known.tables + _seat_players(known, round_, found, places, after))


def _seat_players(
    tournament: Tournament,
    round_: int,
    found: Sequence[tuple[int, ...]],
    places: list[str],
    after: Mapping[str, str],
) -> tuple[Seating, ...]:
    """The tables of a round, each with the next of these boards where somebody will play."""
    tables = []
    for number, players in enumerate(found, 1):
        if len(players) == 1:
            tables.append(Seating(round_, number, players, result=BYE))
            continue
        result = _forfeit_result(tournament, round_, players)
        board = places.pop(0) if places and not result else ""
        tables.append(Seating(round_, number, players, board, result, after=after.get(board, "")))
    return tuple(tables)


def pairing_notes(
    before: Tournament, after: Tournament, boards: Sequence[str], elsewhere: Elsewhere = NOTHING_ELSEWHERE
) -> list[Worded]:
    """What is to be said of a round that was paired: that a round robin has another number of rounds than was said,
    who plays again whom or has the bye again, which boards were not given out though tables have none, and how many
    players have other numbers than before."""
    said = [
        _describe_again(after, table, earlier)
        for table in after.at(after.paired)
        if (earlier := find_earlier_round(after, table))
    ]
    if before.rounds and before.rounds != after.rounds:
        values = {"count": len(after.entrants), "rounds": after.rounds, "said": before.rounds, "times": after.times}
        said.append(
            Worded(
                "{count} players meet each other once in {rounds} rounds: the tournament has so many, not {said}",
                **values,
            )
            if after.times == 1
            else Worded(
                "{count} players meet each other {times} times in {rounds} rounds: the tournament has so many, "
                "not {said}",
                **values,
            )
        )
    said += describe_renumbered(before, after)
    if any(not table.board and not table.result for table in after.at(after.paired)):
        said += [
            Worded(
                "board {board} is not given out: {holder} has it and no result yet",
                board=one,
                holder=elsewhere.boards[one],
            )
            for one in after.boards or boards
            if one in elsewhere.boards
        ]
    return said


def _describe_again(tournament: Tournament, table: Seating, earlier: int) -> Worded:
    """That those of a table of a Swiss have met in an earlier round, or that who has the bye had it then."""
    names = [tournament.find_entrant(one).name for one in table.players]
    if table.is_bye:
        return Worded(
            "table {table}: {name} had the bye in round {number}", table=table.table, name=names[0], number=earlier
        )
    return Worded(
        "table {table}: {one} and {other} have played each other in round {number}",
        table=table.table,
        one=names[0],
        other=names[1],
        number=earlier,
    )


def describe_renumbered(before: Tournament, after: Tournament) -> list[Worded]:
    """How many players have another number than in the list or report by which they came, and which that was; nothing
    where nobody has."""
    was = {one.name: one.number for one in before.entrants}
    moved = [one for one in after.entrants if was[one.name] != one.number]
    if not moved:
        return []
    named = [f"{one.number} {one.name} ({was[one.name]})" for one in moved[:MOST_RENUMBERED_NAMED]]
    rest = ["…"] if len(moved) > len(named) else []
    return [
        Worded(
            "{count} of {all} players have other numbers than as they were entered or imported, as from round 1 on "
            "numbers go by rating; the former ones in brackets: {named}",
            count=len(moved),
            all=len(after.entrants),
            named=", ".join(named + rest),
        )
    ]


def _fit_rounds(tournament: Tournament) -> Tournament:
    """The same with as many rounds as the players of a round robin need."""
    if tournament.system != ROUND_ROBIN:
        return tournament
    needed = tournament.last_round
    if needed > MOST_ROUNDS:
        raise InputError(
            "round 1: {count} players would need {needed} rounds to meet each other, and there are at most {most}: "
            "make two groups, or a Swiss",
            count=len(tournament.entrants),
            needed=needed,
            most=MOST_ROUNDS,
        )
    return replace(tournament, rounds=needed, times=max(1, needed // max(1, tournament.rounds_to_meet)))


def board_order(board: str) -> tuple[str, int, str]:
    """Where a board stands among others: table-2 before table-10."""
    found = re.search(r"\d+", board)
    return (board[: found.start()], int(found[0]), board) if found else (board, 0, board)


def number_by_rating(tournament: Tournament) -> Tournament:
    """Numbers by rating, as a Swiss wants them; a round robin keeps the numbers that were drawn."""
    if tournament.system == ROUND_ROBIN:
        return tournament
    order = sorted(tournament.entrants, key=lambda one: (-one.rating, one.number))
    new = {one.number: at for at, one in enumerate(order, 1)}
    return replace(
        tournament,
        entrants=tuple(replace(one, number=new[one.number]) for one in order),
        absences=tuple(replace(one, number=new[one.number]) for one in tournament.absences),
    )


def _compute_pairs(tournament: Tournament, round_: int) -> Sequence[tuple[int, ...]]:
    return (
        threes.compute_groups(tournament, round_)
        if tournament.system == TABLES_OF_THREE
        else fide.compute_pairs(tournament, round_)
    )


def _forfeit_result(tournament: Tournament, round_: int, players: tuple[int, ...]) -> str:
    """A game of a round robin that will not be played: its pairs were made before anybody withdrew."""
    present = {one.number for one in tournament.entrants_to_pair(round_)}
    has_come = tuple(number in present for number in players)
    return "" if all(has_come) or tournament.system != ROUND_ROBIN else ENDS_WITHOUT[has_come[0], has_come[1]]


def _check_given_pairs(
    tournament: Tournament, round_: int, given: Sequence[tuple[int, ...]]
) -> Sequence[tuple[int, ...]]:
    """Pairs of another program: everybody who is there, once. Who plays again whom is said (`pairing_notes`)."""
    seated = sorted(number for players in given for number in players)
    there = sorted(one.number for one in tournament.entrants_to_pair(round_))
    if seated != there:
        wrong = sorted(set(seated) ^ set(there)) or [number for number in there if seated.count(number) > 1]
        raise InputError(
            "round {round}: player {number} is not paired exactly once, or is away", round=round_, number=wrong[0]
        )
    most = len(tournament.seat_names)
    for players in given:
        if len(players) not in {1, most}:
            raise InputError(
                "round {round}: {players}: {most} at a table, or one alone",
                round=round_,
                players=str(players),
                most=most,
            )
    return sorted(given, key=len, reverse=True)


def assign_board(tournament: Tournament, round_: int, table: int, board: str, after: str) -> Tournament:
    """Another board for a table, or none; the board is taken from the table that had it."""
    one = _find_table(tournament, round_, table)
    if one.is_bye:
        raise InputError("table {table}: nobody plays there", table=table)
    for other in tournament.at(round_):
        if board and other.board == board:
            tournament = replace_table(tournament, replace(other, board="", after="", game=""))
    return replace_table(
        tournament, replace(one, board=board, after=after, game=one.game if one.board == board else "")
    )


def set_result(
    tournament: Tournament,
    round_: int,
    table: int,
    result: str,
    source: str,
    was: str,
    after: Mapping[str, str] = NO_GAMES,
) -> Tournament:
    """A result by somebody's word, "" to open it again; `was` is what stood there when it was said.

    A game whose result is opened, that came from the board, is no more the table's: the next one is, by `after` as in
    `pair_round`. What was said by hand gives way to what the board says.
    """
    one, where = _find_table(tournament, round_, table), {"table": table, "round": round_}
    if one.is_bye:
        raise InputError("table {table}: a bye has no other result", table=table)
    if result:
        check_result(result, len(one.players))
    if one.result != was:
        if not one.result:
            raise InputError("table {table} of round {round}: its result is open by now: look again", **where)
        raise InputError(
            "table {table} of round {round}: its result is {result} by now: look again", result=one.result, **where
        )
    if not result and round_ < tournament.paired:
        raise InputError("table {table} of round {round}: the next round is paired: give another result", **where)
    if not result and one.source == BY_BOARD:
        one = replace(one, game="", after=after.get(one.board, one.after))
    before = one.result if one.source == BY_BOARD else one.overruled
    who, overruled = (source[:LONGEST_WHO], before) if result else ("", "")
    return replace_table(tournament, replace(one, result=result, source=who, overruled=overruled))


def swap_sides(tournament: Tournament, round_: int, table: int) -> Tournament:
    """Who sits at a table sits there the other way round, as when two began with each other's pieces."""
    one = _require_unplayed(tournament, round_, table)
    if one.is_bye:
        raise InputError("table {table}: nobody plays there", table=table)
    return replace_table(tournament, replace(one, players=(*one.players[1:], one.players[0])))


def exchange_players(tournament: Tournament, round_: int, one: int, other: int) -> Tournament:
    """Two players of a round take each other's seats. Who has come late, and sits nowhere, plays who has the bye."""
    if one == other:
        raise InputError("player {number}: name two", number=one)
    seated = {number: table for table in tournament.at(round_) for number in table.players}
    alone, late = (one, other) if one in seated else (other, one)
    if alone not in seated:
        raise InputError("player {number}: sits at no table of round {round}", number=alone, round=round_)
    table = _require_unplayed(tournament, round_, seated[alone].table)
    if late in seated:
        turned, tables = {one: other, other: one}, (table, _require_unplayed(tournament, round_, seated[late].table))
        for there in tables:
            players = tuple(turned.get(number, number) for number in there.players)
            tournament = replace_table(tournament, replace(there, players=players))
        return tournament
    if not table.is_bye or len(tournament.seat_names) != 2:
        raise InputError(
            "player {number}: sits at no table of round {round}, and plays only who has the bye",
            number=late,
            round=round_,
        )
    entrant = tournament.find_entrant(late)
    come = tuple(replace(who, since=min(who.since, round_)) if who == entrant else who for who in tournament.entrants)
    absences = tuple(said for said in tournament.absences if (said.round, said.number) != (round_, late))
    return replace_table(
        replace(tournament, entrants=come, absences=absences), replace(table, players=(alone, late), result="")
    )


def _require_unplayed(tournament: Tournament, round_: int, table: int) -> Seating:
    """A table of the round that goes on which has no result but a bye."""
    if round_ != tournament.paired:
        raise InputError("round {round}: only the last, {last}, can be changed", round=round_, last=tournament.paired)
    one = _find_table(tournament, round_, table)
    if one.result and not one.is_bye:
        raise InputError("table {table}: it has a result: take that back first", table=table)
    return one


def unpair_round(tournament: Tournament, round_: int) -> Tournament:
    """Take back the last round, while it has no result but byes."""
    if round_ != tournament.paired:
        raise InputError(
            "round {round}: only the last, {last}, can be taken back", round=round_, last=tournament.paired
        )
    if any(table.result and not table.is_bye and table.source for table in tournament.at(round_)):
        raise InputError("round {round}: it has results: take those back first", round=round_)
    rounds = 0 if tournament.system == ROUND_ROBIN and round_ == 1 else tournament.rounds  # as players may still come
    return replace(
        tournament, rounds=rounds, tables=tuple(table for table in tournament.tables if table.round != round_)
    )


def _find_table(tournament: Tournament, round_: int, number: int) -> Seating:
    for one in tournament.at(round_):
        if one.table == number:
            return one
    raise InputError("table {table} of round {round}: there is none", table=number, round=round_)


def replace_table(tournament: Tournament, changed: Seating) -> Tournament:
    """The same with a table as it is now."""
    key = (changed.round, changed.table)
    tables = tuple(changed if (one.round, one.table) == key else one for one in tournament.tables)
    return replace(tournament, tables=tables)
