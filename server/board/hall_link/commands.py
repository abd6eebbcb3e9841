"""What the hall and Home Assistant want a board to do: each command once, in time, and no more than its role may.

The broker lets an account write only below its own role's topic; what else a command says is checked here.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import paho.mqtt.client as mqtt

from device.protocol import NOTICED_S, Pressed
from engine.errors import InputError
from engine.match.acts import Act, Mode, Pause, Resume, StandsSo
from engine.match.buttons import StandingSeen, find_standing
from engine.match.decided import SINCE, DecidedOn
from server.board.live.notices import RULING, Decision
from server.board.live.wishes import Wish, number_in
from server.mqtt import wire
from server.mqtt.wire import COMMANDS, LONGEST_EXPIRY_S, ROLE_ARBITER, ROLE_PLAYER, Command
from server.record.store import Record
from server.web.feed import Feed

log = logging.getLogger(__name__)

BoardOrder = Act | Pressed | Decision | Wish

PRESSABLE = ("undo", "confirm", "pause", "hint")
"""Of a board with a display; also those of Home Assistant."""


def _press_of(button: str) -> Callable[[Command], BoardOrder]:
    return lambda asked: Pressed(asked.expires, button)


ORDERS: Mapping[str, tuple[str, Callable[[Command], BoardOrder]]] = {
    "ruling": (ROLE_ARBITER, lambda asked: Decision(asked.id, asked.game, asked.kind, asked.ruling, asked.who)),
    "stands-so": (ROLE_ARBITER, lambda asked: StandsSo(by=ROLE_ARBITER)),
    "pause": (ROLE_ARBITER, lambda asked: Pause(by=ROLE_ARBITER)),
    "resume": (ROLE_ARBITER, lambda asked: Resume(by=ROLE_ARBITER)),
    **{f"press-{button}": (ROLE_PLAYER, _press_of(button)) for button in PRESSABLE},
}
"""What is to be done -> the least role that may ask for it, and what the main loop is told."""


def command_topic(prefix: str, board: str) -> str:
    """Where commands to a board come, of every role."""
    return wire.build_topic(prefix, board, f"{COMMANDS}/+")


class Commands:
    """Belongs to the thread of the MQTT client."""

    def __init__(
        self,
        prefix: str,
        board: str,
        feed: Feed,
        put: Callable[[Any], object],
        clock: Callable[[], float] = time.time,
        has_game: Callable[[str], bool] = lambda game: True,
    ) -> None:
        """`has_game` says whether the record has a game of that name: a ruling on another cannot be kept here."""
        self._prefix, self._board, self._feed, self._put, self._clock = prefix, board, feed, put, clock
        self._has_game = has_game
        self._had: dict[str, float] = {}
        self._answers: queue.SimpleQueue[dict[str, object]] = queue.SimpleQueue()
        self.refused = 0

    def load_rulings(self, record: Record) -> None:
        """Rulings that the record has are not written again."""
        never = float("inf")
        self._had |= {str(event.get("id")): never for _, _, event in record.find_events(RULING)}

    def drain_answers(self) -> list[dict[str, object]]:
        """What is to be answered to the commands that came since the last time."""
        found: list[dict[str, object]] = []
        with suppress(queue.Empty):
            while True:
                found.append(self._answers.get_nowait())
        return found

    def handle_message(self, message: mqtt.MQTTMessage) -> None:
        """Do what a message says, if it may be done; otherwise the log has a line. Either way it is answered."""
        body, why = bytes(message.payload), ""
        try:
            if message.retain:
                raise InputError(f"{message.topic[:100]!r}: a retained message is no command")
            self._execute_command(wire.read_command(self._prefix, self._board, message.topic, body, self._clock()))
        except InputError as error:
            self.refused += 1
            why = str(error)
            log.warning("refused: %s", error)
        if name := wire.id_of(body):
            self._answers.put({"board": self._board, "id": name, "taken": not why, "why": why[: wire.LONGEST_WHY]})

    def _execute_command(self, asked: Command) -> None:
        now = self._clock()
        self._had = {name: until for name, until in self._had.items() if until > now}
        if asked.id in self._had:
            return  # the broker, or the hall, sent it again
        role, order = ORDERS[asked.do]
        if role == ROLE_ARBITER and asked.role != ROLE_ARBITER:
            raise InputError(f"{asked.do} is the arbiter's, {asked.who} asks as {asked.role}")
        if asked.role == ROLE_PLAYER and (self._feed.newest_snapshot or {}).get("mode") == Mode.TOURNAMENT:
            raise InputError(f"{asked.do}: in a tournament buttons are pressed at the board")
        wanted = order(asked)
        if isinstance(wanted, Decision):
            self._require_game(asked.game)
        if isinstance(wanted, Pressed):
            wanted = replace(wanted, seen=self._find_standing_seen())
        if isinstance(wanted, Act) and asked.game and asked.ply is not None:
            wanted = self._check_in_time(wanted, DecidedOn(asked.game, asked.ply), asked.id)
        self._had[asked.id] = float("inf") if asked.do == RULING else now + LONGEST_EXPIRY_S
        log.info("%s (%s) asks for %s", asked.who, asked.role, asked.do)
        self._put(wanted)

    def _require_game(self, game: str) -> None:
        """InputError where the record has no such game: what was decided on it could be kept nowhere."""
        if not self._has_game(game):
            raise InputError(f"this board's record has no game {game}: keep the decision on paper")

    def _find_standing_seen(self) -> StandingSeen | None:
        """How the match stood for who pressed a button elsewhere: as it was told here, if somebody could take note of
        that and the loop goes on."""
        now = self._feed.current_state
        if now.match is None or self._feed.is_halted or time.monotonic() - now.standing_t < NOTICED_S:
            return None
        return find_standing(now.match)

    def _check_in_time(self, asked: Act, seen: DecidedOn, name: str) -> Wish:
        """What was decided on the game as it stands now. InputError, which says what has happened since, if it was not.

        It is held against the game once more where it is done.
        """
        now = self._feed.newest_snapshot or {}
        if seen.game != now.get("name"):
            raise InputError(SINCE["new-game"])
        played, moves = int(str(now.get("ply", 0))), now.get("moves")
        if played != seen.ply:
            last = moves[-1]["notation"] if isinstance(moves, list) and moves else ""
            raise InputError(SINCE["played" if played > seen.ply else "taken-back"].format(move=last))
        state = number_in(str(now.get("state", "")), self._feed.run)
        return Wish(asked, replace(seen, state=state), name)
