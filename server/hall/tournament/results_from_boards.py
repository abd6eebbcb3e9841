"""Results flow from the boards: the game that a board began after its table was paired is that table's game.

Boards have clocks of their own, which may be set back, so no times are compared: a table knows the newest game that was
over at its board, and games come in the order in which they were begun. Names that somebody gave the game must be those
at the table; otherwise nothing is taken, and the arbiters are shown why. What a person said is never written over, nor
what a round was paired by.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import sqlalchemy as sa

from engine.errors import Worded
from server.hall.desk.ledger import Ledger, StoredGame
from server.hall.desk.matters import Distrust
from server.hall.tournament.arbiter_actions import (
    assign_board,
    pair_round,
    pairing_notes,
    replace_table,
    set_result,
)
from server.hall.tournament.event import BY_BOARD, NOTHING_ELSEWHERE, Elsewhere, Seating, Tournament, fold_name
from server.hall.tournament.results import check_result, result_from_board
from server.hall.tournament.tournament_store import HeldElsewhereError, Tournaments
from server.mqtt.wire import EventLink
from server.record.summary import Summary

log = logging.getLogger(__name__)

NEWS = frozenset({"begin", "details", "result", "takeback", "position"})
"""Events by which the game of a table or its result may become another."""
TAKE_AGAIN_S, LOOK_AGAIN_S, CLOSING_S = 1.0, 1.0, 10.0
NAMES_DIFFER, OTHER_GAME, BROKEN, HELD, BEGUN_BEFORE = "names-differ", "other-game", "chain", "held", "begun-before"
"""Why a board's game is not taken; HELD until an arbiter has looked at the board's record."""
UNDER_WAY = " *"
"""At the end of a place: the game was under way when the round was paired."""
SEEN_BY_ARBITER = " ."
"""At the end of a place: an arbiter has opened the table's result, and knows of the games up to there."""
TRUSTED = Distrust()


@dataclass(frozen=True, slots=True)
class TableGame:
    """The game of a table as its board's record has it; `misfit` is why it is not taken, and `can_take` whether it is
    once an arbiter gives the table its board anew. `later` is another that may be meant: an arbiter says which."""

    game: str = ""
    result: str = ""
    misfit: str = ""
    can_take: bool = False
    later: str = ""


def find_newest_finished(ledger: Ledger, tournament: Tournament, *, or_played: bool = False) -> dict[str, str]:
    """Of each board: the place of its newest game that is over, or was a table's before. `or_played` counts one under
    way as well in which somebody has moved, and marks it (UNDER_WAY): who plays while a round is paired plays no game
    of it."""
    found: dict[str, str] = {}
    had = {(table.board, table.game) for table in tournament.tables}
    for key, known in ledger.stored_games().items():
        if known.summary.is_over or key in had:
            found[key[0]] = max(found.get(key[0], ""), known.place)
        elif or_played and known.summary.plies:
            found[key[0]] = max(found.get(key[0], ""), known.place + UNDER_WAY)
    return found


def find_table_game(
    tournament: Tournament,
    table: Seating,
    ledger: Ledger,
    distrust: Distrust = TRUSTED,
    elsewhere: Elsewhere = NOTHING_ELSEWHERE,
) -> TableGame:
    """The game of a table that has a board; never one that is a table's of another tournament."""
    its = _list_board_games(table, ledger, elsewhere)
    later = [known for known in its if known.place > table.after]
    over = [known for known in later if known.summary.is_over]
    played = over or [known for known in reversed(later) if known.summary.plies]
    is_parted = table.board in distrust.parted and not over
    if (offered := _find_offer(tournament, table, its, played, is_parted=is_parted)) is not None:
        return offered
    if is_parted:  # what is played there now is not stored, and what is stored is not played
        return TableGame(table.game, "", HELD if table.board in distrust.held_boards else BROKEN)
    if not later:
        return _find_begun_before(its)
    return _describe_game(tournament, table, (over or later[-1:])[0], distrust, elsewhere)


def _find_offer(
    tournament: Tournament,
    table: Seating,
    its: Sequence[StoredGame],
    played: Sequence[StoredGame],
    *,
    is_parted: bool,
) -> TableGame | None:
    """The game from before the pairing that an arbiter may take; None where there is none, or the one that was `played`
    after it is the table's. One that goes on in a record that has parted never ends."""
    earlier = _find_game_played_before(tournament, table, its) if not (played and table.game) else None
    if earlier is None or (is_parted and not earlier.summary.is_over):
        return None
    if played and not _is_asked_about(tournament, table, earlier, played[0]):
        return None
    later = played[0].summary.name if played else ""
    return TableGame(earlier.summary.name, _final_result(earlier), BEGUN_BEFORE, can_take=True, later=later)


def _describe_game(
    tournament: Tournament, table: Seating, known: StoredGame, distrust: Distrust, elsewhere: Elsewhere
) -> TableGame:
    """The game that a table has, and why it is not taken if so. What is wrong with a board's record by now opens no
    result that was taken before the board was given to another tournament, nor one of a tournament that is over, unless
    it is wrong with this very game."""
    key = (table.board, known.summary.name)
    has_parted, is_held = known.broken_at is not None or key in distrust.games, table.board in distrust.held_boards
    if table.result and table.source == BY_BOARD and table.game == known.summary.name:
        is_over = tournament.complete == tournament.last_round
        if elsewhere.after.get(table.board, "") >= known.place:
            has_parted = is_held = False
        elif is_over and key not in distrust.held:
            is_held = False
    misfit = HELD if is_held else _find_misfit(tournament, table, known, has_parted=has_parted)
    if misfit == NAMES_DIFFER and not _was_played(known):  # those of the round before, until somebody says others
        return TableGame()
    return TableGame(known.summary.name, _final_result(known), misfit)


def _is_asked_about(tournament: Tournament, table: Seating, earlier: StoredGame, later: StoredGame) -> bool:
    """Whether nobody has said yet which of two games counts, one from before the pairing and one begun after it, and
    their details do not say it either."""
    is_answered = bool(table.game or table.source) or table.after.endswith(SEEN_BY_ARBITER)
    is_clear = _says_itself(tournament, table, later) and not _says_itself(tournament, table, earlier)
    return earlier.summary.is_over and not is_answered and not is_clear


def _find_begun_before(its: Sequence[StoredGame]) -> TableGame:
    """A board's newest game, as long as somebody has to know that it is not the table's."""
    if not its or its[-1].summary.is_over or not its[-1].summary.plies:
        return TableGame()
    return TableGame(its[-1].summary.name, "", BEGUN_BEFORE)


def _find_game_played_before(tournament: Tournament, table: Seating, its: Sequence[StoredGame]) -> StoredGame | None:
    """Of a board's games the one that an arbiter may take for the table's although it was begun before the pairing:
    what was under way then, or what is over and says itself that it is of this round and of these players, as after a
    backup was restored in which the round was not paired yet."""
    if (under_way := _find_under_way(tournament, table, its)) is not None:
        return under_way
    had = {(one.board, one.game) for one in tournament.tables if one.game}
    for known in reversed([one for one in its if one.place <= table.after]):
        is_anybodys = (table.board, known.summary.name) in had
        if known.summary.is_over and not is_anybodys and _says_itself(tournament, table, known):
            return known
    return None


def _find_under_way(tournament: Tournament, table: Seating, its: Sequence[StoredGame]) -> StoredGame | None:
    """The game that was under way as the round was paired, unless another was begun and it is none of the table's."""
    for known in its:
        if table.after == known.place + UNDER_WAY:
            may_be = known.summary.is_over and not _find_misfit(tournament, table, known, has_parted=False)
            return known if may_be or known is its[-1] else None
    return None


def _says_itself(tournament: Tournament, table: Seating, known: StoredGame) -> bool:
    """Whether the details of a game name this event, this round, and all who sit at the table by their sides."""
    said = known.summary.known()
    is_this_round = said["round"].partition(".")[0].strip() == str(table.round)
    is_this_event = said["event"] in {"", tournament.name, tournament.title}
    has_everybody = set(players_of(known.summary)) >= set(tournament.seat_names)
    fits = not _find_misfit(tournament, table, known, has_parted=known.broken_at is not None)
    return is_this_round and is_this_event and has_everybody and fits


def give_board(
    tournament: Tournament, round_: int, number: int, board: str, ledger: Ledger, game: str = ""
) -> Tournament:
    """Another board for a table, or none (`assign_board`). Given the one that it has, the table has also the game there
    that was begun before the round was paired and may be taken, or the one that is named."""
    after = find_newest_finished(ledger, tournament).get(board, "")
    for table in tournament.at(round_):
        if (table.table, table.board) != (number, board):
            continue
        found = find_table_game(tournament, table, ledger)
        wanted = game or (found.game if found.can_take else "")
        places = [known.place for known in _list_board_games(table, ledger)]
        taken = [place for place in places if wanted and place.endswith(f" {wanted}")]
        after = max((place for place in places if place < taken[0]), default="") if taken else after
        tournament = replace_table(tournament, replace(table, game=wanted)) if taken else tournament
    return assign_board(tournament, round_, number, board, after)


def give_result(
    tournament: Tournament, round_: int, number: int, result: str, source: str, was: str, ledger: Ledger
) -> Tournament:
    """A result by somebody's word (`set_result`). Whoever gives one when the game is over at its board has decided on
    what the board says then: no more is asked about that, and about another word of the board it is."""
    newest = {board: place + SEEN_BY_ARBITER for board, place in find_newest_finished(ledger, tournament).items()}
    changed = set_result(tournament, round_, number, result, source, was, newest)
    tables = tuple(
        _note_overruled(table, ledger) if result and (table.round, table.table) == (round_, number) else table
        for table in changed.tables
    )
    return replace(changed, tables=tables)


def _note_overruled(table: Seating, ledger: Ledger) -> Seating:
    """A table with a result by hand, and in it what its board says otherwise."""
    known = ledger.find_game(table.board, table.game) if table.game else None
    if known is None or not (says := _final_result(known)):
        return table
    return replace(table, overruled="" if says == table.result else says)


def _list_board_games(table: Seating, ledger: Ledger, elsewhere: Elsewhere = NOTHING_ELSEWHERE) -> list[StoredGame]:
    """The games of a table's board in their order, without those of other tournaments."""
    its = [
        known
        for key, known in ledger.stored_games().items()
        if key[0] == table.board and (key not in elsewhere.games or key[1] == table.game)
    ]
    return sorted(its, key=lambda known: known.place)


def _final_result(known: StoredGame) -> str:
    return result_from_board(known) if known.summary.is_over else ""


def _find_misfit(tournament: Tournament, table: Seating, known: StoredGame, *, has_parted: bool) -> str:
    if has_parted:
        return BROKEN
    summary = known.summary
    if summary.game != tournament.game:
        return OTHER_GAME
    names = players_of(summary)
    for seat, number in zip(tournament.seat_names, table.players, strict=True):
        if seat in names and _normalize_name(names[seat]) != _normalize_name(tournament.find_entrant(number).name):
            return NAMES_DIFFER
    try:
        if summary.is_over:
            check_result(result_from_board(known), len(table.players))
    except ValueError:
        return OTHER_GAME
    return ""


def players_of(summary: Summary) -> Mapping[str, str]:
    """Side -> name, as far as somebody said them at the board."""
    try:
        said = json.loads(summary.details) if summary.details else {}
    except ValueError:
        return {}
    players = said.get("players") if isinstance(said, dict) else None
    return {str(seat): str(name) for seat, name in players.items()} if isinstance(players, dict) else {}


def _normalize_name(name: str) -> str:
    """A name without what people write differently: case, spaces and the comma of `Family, Given`."""
    return "".join(sorted(fold_name(name).replace(",", " ").split()))


def take_results(
    tournament: Tournament,
    ledger: Ledger,
    boards: Collection[str] | None = None,
    distrust: Distrust = TRUSTED,
    elsewhere: Elsewhere = NOTHING_ELSEWHERE,
) -> Tournament:
    """The same with what the boards have told since; of the round that was paired last, and of `boards` if given. A
    result is open again that was taken from a board whose record proves nothing by now. One that an arbiter gave
    before the game had begun stays, and the game is the table's all the same: what its board says is compared with it
    (games_played.find_ruling)."""

    def take_result(table: Seating) -> Seating:
        is_now = table.round == tournament.paired and table.board and not table.is_bye
        if not is_now or (boards is not None and table.board not in boards):
            return table
        is_by_hand = table.source not in {"", BY_BOARD}
        if is_by_hand and (table.game or table.board in elsewhere.boards):
            return table
        found = find_table_game(tournament, table, ledger, distrust, elsewhere)
        if is_by_hand:
            was_played = not found.misfit and _was_played(ledger.find_game(table.board, found.game))
            return replace(table, game=found.game) if was_played else table
        if found.misfit in {HELD, BROKEN} and table.source == BY_BOARD:
            return replace(table, result="", source="")
        if not found.game or found.misfit:
            return table
        return replace(table, game=found.game, result=found.result, source=BY_BOARD if found.result else "")

    return replace(tournament, tables=tuple(map(take_result, tournament.tables)))


def _was_played(known: StoredGame | None) -> bool:
    """Whether there is more of a game than pieces that were put up: those may be for the next round."""
    return known is not None and bool(known.summary.plies or known.summary.is_over)


def change_by_arbiter(
    tournaments: Tournaments, name: str, change: Callable[[Tournament], Tournament], ledger: Ledger, distrust: Distrust
) -> Tournament:
    """What an arbiter changes, and with it what the boards have said of the round as it is then: who is named or seated
    otherwise may be the one whose game is over already."""
    return tournaments.change_tournament(
        name, lambda one: take_results(change(one), ledger, None, distrust, tournaments.find_elsewhere(name))
    )


def build_pairing(
    tournaments: Tournaments,
    ledger: Ledger,
    name: str,
    round_: int,
    boards: Sequence[str],
    given: Sequence[tuple[int, ...]] | None = None,
) -> tuple[Callable[[Tournament], Tournament], list[Worded]]:
    """What pairs the round of a tournament that is changed by it, and the notes on that, which are there afterwards.
    Arguments as those of `pair_round`."""
    notes: list[Worded] = []

    def pair_next(one: Tournament) -> Tournament:
        newest, elsewhere = find_newest_finished(ledger, one, or_played=True), tournaments.find_elsewhere(name)
        paired = pair_round(one, round_, newest, given, boards, elsewhere)
        notes[:] = pairing_notes(one, paired, boards, elsewhere)
        return paired

    return pair_next, notes


def can_change_result(link: EventLink) -> bool:
    """Whether an event may change what a table's result is."""
    return link.event.get("event") in NEWS or bool(link.event.get("corrected"))


class Flow(threading.Thread):
    """Keeps the tournaments up with the boards, beside the thread that stores events; `told` hears which changed,
    whoever changed them: this hall, another on the same database, or somebody on the command line."""

    def __init__(
        self,
        tournaments: Tournaments,
        ledger: Ledger,
        told: Callable[[Sequence[str]], object],
        distrust: Callable[[], Distrust] = Distrust,
        look: Callable[[], object] = lambda: None,
        failed: Callable[[sa.exc.SQLAlchemyError], object] = lambda error: None,
    ) -> None:
        """`distrust` says whose records are not to be believed; `look` is called after all that is new, and at least
        every LOOK_AGAIN_S: others change tournaments too; `failed` hears what the database has not taken or told."""
        super().__init__(name="tournaments", daemon=True)
        self._tournaments, self._ledger, self._told, self._distrust = tournaments, ledger, told, distrust
        self._look, self._failed = look, failed
        self._shown: dict[str, int] = {}
        """The version of each tournament when `told` heard of it last."""
        self._behind = ""
        """What the log was told last of something that cannot be taken over."""
        self._news: queue.SimpleQueue[frozenset[str] | None] = queue.SimpleQueue()
        self._end = threading.Event()

    def note_links(self, links: Iterable[EventLink]) -> None:
        """Events were stored."""
        if boards := frozenset(link.board for link in links if can_change_result(link)):
            self._news.put(boards)

    def recheck_boards(self, boards: Iterable[str]) -> None:
        """Whether the records of these boards may be trusted has changed."""
        self._news.put(frozenset(boards))

    def look_at_changes(self) -> None:
        """Somebody here has changed a tournament, or may have: `told` hears of it at once, not at the next look."""
        self._news.put(frozenset())

    def stop_updating(self) -> None:
        """Take over what was noted, and end."""
        self._end.set()
        self._news.put(None)
        self.join(CLOSING_S)

    def run(self) -> None:
        """The thread. It begins with everything that came while no hall ran."""
        wanted: set[str] | None = None
        while True:
            try:
                if wanted != set():
                    self.update_tournaments(wanted)
                wanted = set()
                self._tell_changes()
            except Exception as error:  # the database is away, or a record is beyond reading: the thread goes on
                self._note_behind("results are behind", error)
                if self._end.wait(TAKE_AGAIN_S):
                    return
                continue
            try:
                self._look()
                self._behind = ""
            except Exception as error:  # the same; what boards say is taken all the same
                self._note_behind("rulings are behind", error)
            news = self._await_news()
            while news is not None:
                wanted |= news
                try:
                    news = self._news.get_nowait()
                except queue.Empty:
                    break
            if self._end.is_set() and not wanted:
                return

    def _tell_changes(self) -> None:
        """Whose versions are others than before has changed; one short question, so it may be asked every second."""
        before, now = self._shown, self._tournaments.list_versions()
        if changed := sorted(name for name in {*before, *now} if before.get(name) != now.get(name)):
            self._told(changed)
        self._shown = now

    def _note_behind(self, what: str, error: Exception) -> None:
        """Into the log, but not the same every second; a database that is away is said once for all parts."""
        if isinstance(error, sa.exc.SQLAlchemyError):
            self._failed(error)
            return
        said = f"{what}: {type(error).__name__} {str(error).partition(chr(10))[0][:300]}"
        if said != self._behind:
            log.warning("%s", said)
        self._behind = said

    def _await_news(self) -> frozenset[str] | None:
        """What is new at which boards; at none where it is time to look again."""
        try:
            return self._news.get(timeout=LOOK_AGAIN_S)
        except queue.Empty:
            return frozenset()

    def update_tournaments(self, boards: Collection[str] | None = None) -> list[str]:
        """Take over what is new at these boards, or at all; the names of the tournaments that changed."""
        changed, held, distrust = [], [], self._distrust()
        for name in self._tournaments.list_names():
            try:
                changed += [name] if self._update_tournament(name, boards, distrust) else []
            except HeldElsewhereError:
                held.append(name)
        for name in held:  # once more: the board's new game is by now the other tournament's
            with suppress(HeldElsewhereError):
                changed += [name] if self._update_tournament(name, boards, distrust) else []
        return changed

    def _update_tournament(self, name: str, boards: Collection[str] | None, distrust: Distrust) -> bool:
        """Whether one of them has changed."""
        before = self._tournaments.load_tournament(name)
        if boards is not None and not set(boards) & {table.board for table in before.at(before.paired)}:
            return False

        def take_over(one: Tournament) -> Tournament:
            return take_results(one, self._ledger, boards, distrust, self._tournaments.find_elsewhere(name))

        return self._tournaments.change_tournament(name, take_over).version != before.version
