"""A hall put together: what comes in from the boards, what watches over it, and the pages that show it."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from flask import Flask

from server.hall.delay import Delay
from server.hall.desk.addresses import Address
from server.hall.desk.database import read_database_name
from server.hall.desk.hall_vitals import HallVitals, faults_to_json
from server.hall.desk.intake import Intake
from server.hall.desk.ledger import Ledger
from server.hall.desk.matters import Matters
from server.hall.desk.monitor import Monitor
from server.hall.desk.orders import Orders
from server.hall.desk.standing import SETTLES_S, Boards, BoardStanding
from server.hall.desk.troubles import CHAIN, DISPUTED, FOR_ARBITERS, NAMED_GAMES, select_for_arbiters
from server.hall.neighbours import Neighbours
from server.hall.pages.hall_app import Desk, Watched, hall_app
from server.hall.pages.joining_page import joining_page
from server.hall.pages.with_tournaments import tell_pages, with_tournaments
from server.hall.probe import Probe
from server.hall.tournament.games_played import ArbiterDecision, Ruling, Rulings
from server.hall.tournament.results_from_boards import Flow, can_change_result
from server.hall.tournament.tournament_store import Tournaments
from server.hall.tournament.under_way import LastRounds, boards_expected, rounds_under_way
from server.mqtt.broker import Broker
from server.mqtt.invitations import Invitations
from server.mqtt.wire import EventLink
from server.spectators.shelf import Shelf
from server.versions import own_version
from server.web.access.visitors import Visitors
from server.web.feed import Feed

log = logging.getLogger(__name__)

KEPT_NEWS = 200
"""Batches that a page may lag behind, some seconds in a busy hall; then it asks for all boards anew."""
MANY_WAITING = 300
"""Messages that wait; beyond it what is missing may be among them, and is not asked for."""


@dataclass(frozen=True, slots=True)
class Open:
    """How boards join by a code."""

    invitations: Invitations
    join: Callable[[str, str], str]
    boards: Callable[[], list[str]]
    host: str
    """Where other computers find the pages."""
    turned_away: Callable[[], Collection[str]] = tuple
    """From where somebody came lately whom the broker does not know."""


class Hall:
    """All parts of a hall on one database; `app` are its pages."""

    def __init__(
        self,
        broker: Broker,
        engine: sa.Engine,
        visitors: Visitors,
        where: Mapping[str, Address],
        spectators: Path | None,
        delay_s: float,
        open_: Open | None = None,
        certificate: Callable[[], str] = str,
    ) -> None:
        """`spectators` is the folder for what they may see, None to tell them nothing; `open_` where boards join by a
        code; `certificate` says what is to be done about the hall's. InputError and OSError as Broker.client."""
        self.feed, self._ledger, self._matters = Feed(KEPT_NEWS), Ledger(engine), Matters(engine)
        self._boards = Boards(self._ledger)
        self.vitals = HallVitals(read_database_name(engine), place=_describe_place(engine.url))
        tournaments = Tournaments(engine)
        self._rulings = Rulings(
            tournaments, self._ledger, distrust=self._matters.find_distrust, played_at=self._find_played
        )
        self._rounds = LastRounds(partial(rounds_under_way, tournaments, self._ledger))
        self._delay = self._create_delay(spectators, delay_s) if spectators else None
        self._boards.add_expected(boards_expected(tournaments, self._ledger))
        self._flow = Flow(
            tournaments,
            self._ledger,
            self._tell_tournaments,
            self._matters.find_distrust,
            self._look_again,
            self.vitals.database_failed,
        )
        self._find_disputes()
        self._intake = Intake(
            broker, self._ledger, self._boards, self.vitals, self._handle_stored, self.vitals.owns_board
        )
        self._orders = Orders(
            self._matters,
            self._boards,
            self._ledger,
            self._intake.send_command,
            self.vitals.owns_board,
            self._queue_changed,
            self.vitals.database_failed,
        )
        self._intake.on_answer = self._orders.handle_answer
        self._monitor = Monitor(
            self._boards,
            self._ledger,
            self.vitals,
            self._intake.mark_changed,
            lambda board, games, whole: self._intake.acknowledge_games(board, games, again=True, whole=whole),
            own_version(),
            self._intake.send_pulse,
            lambda: self._intake.count_waiting() > MANY_WAITING,
            self._queue_changed,
        )
        self._probe = self._create_probe(engine, broker, open_, certificate)
        self._settled_since: float | None = None
        self.app: Flask = self._create_app(tournaments, visitors, where, open_)

    def _create_probe(
        self, engine: sa.Engine, broker: Broker, open_: Open | None, certificate: Callable[[], str]
    ) -> Probe:
        return Probe(
            Neighbours(engine, self.vitals, f"{socket.gethostname()}, {Path.cwd()}, broker {broker}"),
            engine,
            broker,
            self.vitals,
            self._reread_database,
            self._follow_database,
            open_.turned_away if open_ else tuple,
            certificate,
        )

    def _create_delay(self, spectators: Path, delay_s: float) -> Delay:
        shelf, feed, failed = Shelf(spectators), Feed(KEPT_NEWS), self.vitals.database_failed
        return Delay(self._ledger, shelf, feed, delay_s, rulings=self._rulings.find_results, failed=failed)

    def _create_app(
        self, tournaments: Tournaments, visitors: Visitors, where: Mapping[str, Address], open_: Open | None
    ) -> Flask:
        watched = Watched(self._delay.feed, self._delay.shelf.folder) if self._delay else None
        desk = Desk(
            self.feed,
            self._boards,
            self._ledger,
            self._matters,
            self._orders,
            self.vitals,
            self._handle_ruling,
            self._rulings.describe_matter,
            self._rulings.find_players,
            self._decide_result,
        )
        app = hall_app(desk, visitors, where, self._rounds.list_rounds, watched)
        if open_ is not None:
            app.register_blueprint(joining_page(open_.invitations, open_.join, open_.boards, self._is_here, open_.host))
        with_tournaments(
            app,
            self._flow.look_at_changes,
            tournaments,
            self._boards,
            self._ledger,
            where,
            self._matters.find_distrust,
        )
        return app

    def start_parts(self, closing: ExitStack) -> None:
        """Run until `closing`."""
        parts: list[tuple[Callable[[], object], Callable[[], object]]] = [
            (self._flow.start, self._flow.stop_updating),
            (self._intake.start_listening, self._intake.stop_listening),
            (self._orders.start, self._orders.stop_sending),
            (self._probe.start, self._probe.stop_probing),
            (self._monitor.start, self._monitor.stop_checking),
        ]
        if self._delay is not None:
            parts.insert(0, (self._delay.start, self._delay.stop_publishing))
        for begin, end in parts:
            begin()
            closing.callback(end)

    def _handle_stored(self, stored: Sequence[EventLink], changed: Sequence[str]) -> None:
        """What was stored, and which boards are not as they were; in the thread of the intake."""
        names = sorted({*changed, *(link.board for link in stored if can_change_result(link))})
        known = [board for name in names if (board := self._boards.find_board(name)) is not None]
        if self._delay is not None:
            self._delay.hold_back(stored, known)
        new = [board.name for board in known if self._note_troubles(board)]
        try:
            self._orders.mark_written_rulings(stored)
        except sa.exc.SQLAlchemyError as error:
            self.vitals.database_failed(error)
        self.feed.publish_event(
            {
                "event": "hall",
                "boards": [self._boards.board_to_json(board) for board in known],
                "matters": bool(new),
                "stored": [[link.board, link.game, link.sequence] for link in stored],
            }
        )
        if new:
            self._flow.recheck_boards(new)
        self._flow.note_links(stored)

    def _note_troubles(self, board: BoardStanding) -> bool:
        """Whether the queue has changed; a database that is away does not keep the page from being told."""
        if not self.vitals.owns_board(board.name) or (played := self._boards.current_game(board)) is None:
            return False
        try:
            troubles = select_for_arbiters(played, self._boards.list_troubles(board)).difference(NAMED_GAMES)
            named = self._boards.list_game_troubles(board)
            unseen = self._boards.list_unseen(board) if self._has_settled() else FOR_ARBITERS
            news = self._matters.note_troubles(board.name, played["name"], troubles, time.time(), named, unseen=unseen)
            return self._note_fitting(board) or news
        except sa.exc.SQLAlchemyError as error:
            self.vitals.database_failed(error)
            return False

    def _note_fitting(self, board: BoardStanding) -> bool:
        """Whether it is news that a board has the record that is stored. A hall that has just begun has not heard yet
        whether there are two of that name."""
        if (claim := board.claim) is None or not board.is_heard or not self._has_settled() or CHAIN in board.doubts:
            return False
        fits = self._ledger.note_fitting(board.name, claim.game, claim.events, claim.head)
        return fits and self._matters.note_fitting(board.name, claim.game, self._boards.list_troubles(board))

    def _has_settled(self) -> bool:
        """Whether the broker has carried for so long that what is not heard of a board is not there."""
        since = self.vitals.listens_since
        return since is not None and time.monotonic() - since >= SETTLES_S

    def _reread_database(self) -> None:
        """The database may be an earlier one than it was: what is known is what it has now, and boards are asked for
        the rest as by a hall that begins."""
        self._ledger.reread_games()
        names = [board.name for board in self._boards.list_boards()]
        self._flow.recheck_boards(names)
        self._intake.mark_changed(names)

    def _follow_database(self) -> None:
        """Other halls write the queue too: boards whose matters there are not as this hall left them are looked at
        again, and all of them once what is wrong with them is known. Until then nobody knows what has passed."""
        changed = self._matters.reread_lasting()
        since = self.vitals.listens_since if self._has_settled() else None
        if since is not None and since != self._settled_since:
            changed |= {board.name for board in self._boards.list_boards()}
        self._settled_since = since
        if since is not None and self.vitals.may_store_events and self._matters.drop_abandoned(time.time()):
            self._queue_changed()
        if changed:
            self._intake.mark_changed(changed)

    def _look_again(self) -> None:
        """Boards say another result than counts, or no more; or have left the hall, or are here again."""
        counting = self._boards.set_counting(self._rulings.find_results())
        if changed := self._find_disputes() | self._find_departures() | counting:
            self._intake.mark_changed(changed)

    def _find_played(self, name: str) -> str:
        """The game that a board is at, "" where nobody knows."""
        board = self._boards.find_board(name)
        played = self._boards.current_game(board) if board is not None else None
        return str(played["name"]) if played else ""

    def _find_departures(self) -> set[str]:
        """The boards of which it is new that they have left the hall, or have not; who has joined again has not."""
        departed = self._matters.list_departures()
        back = {name for name, at in departed.items() if self._boards.came_after(name, at)}
        self._matters.forget_departures(back)
        return self._boards.set_departures({name: at for name, at in departed.items() if name not in back})

    def _find_disputes(self) -> set[str]:
        """The boards of which it is new that they say so, or no more, or that an arbiter has decided on it."""
        return self._boards.set_disputes(self._rulings.find_disputes(), self._matters.find_decided(DISPUTED))

    def _is_here(self, name: str) -> bool:
        """Whether a board of that name is connected."""
        known = self._boards.find_board(name)
        return known is not None and known.online

    def _queue_changed(self) -> None:
        """Tell the pages that the queue, or how the hall itself is, is not as it was."""
        faults = faults_to_json(self.vitals.current_faults())
        self.feed.publish_event({"event": "hall", "boards": [], "matters": True, "stored": [], "faults": faults})

    def _decide_result(self, board: str, game: str, decision: ArbiterDecision, who: str) -> Ruling:
        """As Rulings.decide_result; the pages of the tournament are told."""
        before = self._rulings.decide_result(board, game, decision, who)
        self._tell_tournaments([before.tournament])
        return before

    def _tell_tournaments(self, names: Sequence[str]) -> None:
        """Tell the pages which tournaments have changed. The rounds are read then: once the database is away, no page
        that is opened could."""
        tell_pages(self.feed, names)
        self._rounds.list_rounds()

    def _handle_ruling(self) -> None:
        """An arbiter has looked at something: results that waited for it go on."""
        self._orders.notify_ruling()
        self._flow.recheck_boards(board.name for board in self._boards.list_boards())


def _describe_place(url: sa.URL) -> str:
    """Where a database is, for who makes room there."""
    return (url.database if url.get_backend_name() == "sqlite" else url.host) or ""
