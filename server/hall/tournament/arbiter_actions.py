"""What arbiters do with a tournament: enter players, pair a round, say results; each a new value, or an InputError."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from engine.errors import InputError
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
    check_entrant,
    find_earlier_round,
    fold_name,
)
from server.hall.tournament.results import BYE, check_result

LONGEST_WHO = 100
NO_GAMES: Mapping[str, str] = MappingProxyType({})
ENDS_WITHOUT = {(False, True): "-:+", (True, False): "+:-", (False, False): "-:-"}
"""Who of two has come -> what a game of a round robin ends with at once."""


def enter_players(tournament: Tournament, entrants: Iterable[Entrant]) -> Tournament:
    """Further players. Before the first round they may come in any order; who comes later begins with the next."""
    known = {fold_name(one.name) for one in tournament.entrants}
    made = list(tournament.entrants)
    since = tournament.paired + 1
    for one in entrants:
        if (folded := fold_name(one.name)) in known:
            raise InputError(f"player {one.name}: is entered already")
        if tournament.system == ROUND_ROBIN and tournament.paired:
            raise InputError(f"player {one.name}: a round robin that has begun takes no more players")
        known.add(folded)
        made.append(check_entrant(replace(one, number=len(made) + 1, since=max(since, one.since))))
    if len(made) > MOST_ENTRANTS:
        raise InputError(f"tournament {tournament.name}: at most {MOST_ENTRANTS} players")
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
        raise InputError(f"player {one.number}: is {one.name} by now, not {was}: look again")
    if back and not one.until:
        raise InputError(
            f"player {one.number}: {one.name} has not withdrawn; who was taken off the list is entered again"
        )
    if one.until and not back:
        raise InputError(f"player {one.number}: {one.name} has withdrawn already, after round {one.until}")
    return one


def edit_player(tournament: Tournament, number: int, said: Entrant) -> Tournament:
    """Name, rating, title, federation and FIDE id put right; the number stays: rounds were paired by it."""
    one = tournament.find_entrant(number)
    if fold_name(said.name) in {fold_name(other.name) for other in tournament.entrants if other != one}:
        raise InputError(f"player {said.name}: is entered already")
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
    """Somebody will not play a round, which is worth half a point, nothing or a whole one; "" takes it back."""
    tournament.find_entrant(number)
    if worth and worth not in ABSENCES:
        raise InputError(f"bye: {worth[:20]!r}: one of {', '.join(ABSENCES)}")
    last = tournament.last_round
    if not tournament.paired < round_ <= last:
        raise InputError(f"bye: round {round_}: one that is to be paired, {tournament.paired + 1} to {last}")
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
        raise InputError(f"round {round_}: {tournament.paired} rounds are paired: look again")
    if tournament.paired and round_ > tournament.rounds:
        raise InputError(f"round {round_}: the tournament has {tournament.rounds} rounds")
    if open_ := [table.table for table in tournament.at(round_ - 1) if not table.result]:
        raise InputError(f"round {round_}: results of round {round_ - 1} are missing at table {open_[0]}")
    known = _fit_rounds(_number_by_rating(tournament)) if round_ == 1 else tournament
    if len(known.entrants_to_pair(round_)) < len(known.seat_names):
        raise InputError(f"round {round_}: {len(known.entrants_to_pair(round_))} players are too few")
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
) -> list[str]:
    """What is to be said of a round that was paired, a line each: that a round robin has another number of rounds than
    was said, who plays again whom or has the bye again, and which boards were not given out though tables have none."""
    said = [
        f"table {table.table}: {' and '.join(after.find_entrant(one).name for one in table.players)} "
        f"{'had the bye' if table.is_bye else 'have played each other'} in round {earlier}"
        for table in after.at(after.paired)
        if (earlier := find_earlier_round(after, table))
    ]
    if before.rounds and before.rounds != after.rounds:
        meet = "once" if after.times == 1 else f"{after.times} times"
        so_many = f"{len(after.entrants)} players meet each other {meet} in {after.rounds} rounds"
        said.append(f"{so_many}: the tournament has so many, not {before.rounds}")
    if any(not table.board and not table.result for table in after.at(after.paired)):
        held = [board for board in after.boards or boards if board in elsewhere.boards]
        said += [f"board {one} is not given out: {elsewhere.boards[one]} has it and no result yet" for one in held]
    return said


def _fit_rounds(tournament: Tournament) -> Tournament:
    """The same with as many rounds as the players of a round robin need."""
    if tournament.system != ROUND_ROBIN:
        return tournament
    needed = tournament.last_round
    if needed > MOST_ROUNDS:
        raise InputError(
            f"round 1: {len(tournament.entrants)} players would need {needed} rounds to meet each other, and there are "
            f"at most {MOST_ROUNDS}: make two groups, or a Swiss"
        )
    return replace(tournament, rounds=needed, times=max(1, needed // max(1, tournament.rounds_to_meet)))


def board_order(board: str) -> tuple[str, int, str]:
    """Where a board stands among others: table-2 before table-10."""
    found = re.search(r"\d+", board)
    return (board[: found.start()], int(found[0]), board) if found else (board, 0, board)


def _number_by_rating(tournament: Tournament) -> Tournament:
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
        raise InputError(f"round {round_}: player {wrong[0]} is not paired exactly once, or is away")
    most = len(tournament.seat_names)
    for players in given:
        if len(players) not in {1, most}:
            raise InputError(f"round {round_}: {players}: {most} at a table, or one alone")
    return sorted(given, key=len, reverse=True)


def assign_board(tournament: Tournament, round_: int, table: int, board: str, after: str) -> Tournament:
    """Another board for a table, or none; the board is taken from the table that had it."""
    one = _find_table(tournament, round_, table)
    if one.is_bye:
        raise InputError(f"table {table}: nobody plays there")
    for other in tournament.at(round_):
        if board and other.board == board:
            tournament = _replace_table(tournament, replace(other, board="", after="", game=""))
    return _replace_table(
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
    one = _find_table(tournament, round_, table)
    if one.is_bye:
        raise InputError(f"table {table}: a bye has no other result")
    if result:
        check_result(result, len(one.players))
    if one.result != was:
        raise InputError(f"table {table} of round {round_}: its result is {one.result or 'open'} by now: look again")
    if not result and round_ < tournament.paired:
        raise InputError(f"table {table} of round {round_}: the next round is paired: give another result")
    if not result and one.source == BY_BOARD:
        one = replace(one, game="", after=after.get(one.board, one.after))
    return _replace_table(tournament, replace(one, result=result, source=source[:LONGEST_WHO] if result else ""))


def swap_sides(tournament: Tournament, round_: int, table: int) -> Tournament:
    """Who sits at a table sits there the other way round, as when two began with each other's pieces."""
    one = _require_unplayed(tournament, round_, table)
    if one.is_bye:
        raise InputError(f"table {table}: nobody plays there")
    return _replace_table(tournament, replace(one, players=(*one.players[1:], one.players[0])))


def exchange_players(tournament: Tournament, round_: int, one: int, other: int) -> Tournament:
    """Two players of a round take each other's seats. Who has come late, and sits nowhere, plays who has the bye."""
    if one == other:
        raise InputError(f"player {one}: name two")
    seated = {number: table for table in tournament.at(round_) for number in table.players}
    alone, late = (one, other) if one in seated else (other, one)
    if alone not in seated:
        raise InputError(f"player {alone}: sits at no table of round {round_}")
    table = _require_unplayed(tournament, round_, seated[alone].table)
    if late in seated:
        turned, tables = {one: other, other: one}, (table, _require_unplayed(tournament, round_, seated[late].table))
        for there in tables:
            players = tuple(turned.get(number, number) for number in there.players)
            tournament = _replace_table(tournament, replace(there, players=players))
        return tournament
    if not table.is_bye or len(tournament.seat_names) != 2:
        raise InputError(f"player {late}: sits at no table of round {round_}, and plays only who has the bye")
    entrant = tournament.find_entrant(late)
    come = tuple(replace(who, since=min(who.since, round_)) if who == entrant else who for who in tournament.entrants)
    absences = tuple(said for said in tournament.absences if (said.round, said.number) != (round_, late))
    return _replace_table(
        replace(tournament, entrants=come, absences=absences), replace(table, players=(alone, late), result="")
    )


def _require_unplayed(tournament: Tournament, round_: int, table: int) -> Seating:
    """A table of the round that goes on which has no result but a bye."""
    if round_ != tournament.paired:
        raise InputError(f"round {round_}: only the last, {tournament.paired}, can be changed")
    one = _find_table(tournament, round_, table)
    if one.result and not one.is_bye:
        raise InputError(f"table {table}: it has a result: take that back first")
    return one


def unpair_round(tournament: Tournament, round_: int) -> Tournament:
    """Take back the last round, while it has no result but byes."""
    if round_ != tournament.paired:
        raise InputError(f"round {round_}: only the last, {tournament.paired}, can be taken back")
    if any(table.result and not table.is_bye and table.source for table in tournament.at(round_)):
        raise InputError(f"round {round_}: it has results: take those back first")
    rounds = 0 if tournament.system == ROUND_ROBIN and round_ == 1 else tournament.rounds  # as players may still come
    return replace(
        tournament, rounds=rounds, tables=tuple(table for table in tournament.tables if table.round != round_)
    )


def _find_table(tournament: Tournament, round_: int, number: int) -> Seating:
    for one in tournament.at(round_):
        if one.table == number:
            return one
    raise InputError(f"table {number} of round {round_}: there is none")


def _replace_table(tournament: Tournament, changed: Seating) -> Tournament:
    key = (changed.round, changed.table)
    tables = tuple(changed if (one.round, one.table) == key else one for one in tournament.tables)
    return replace(tournament, tables=tables)
