"""Two boards as one game: of each side the board at which it is played has the say, and the other follows it.

Each board publishes the moves of its game as they stand, retained: after a cut of any length the newest list is there.
What the far side has played and this board has not is told and lit here, and checked when somebody makes it; where this
board has something else for a move of the far side, it is corrected, and the referee asks for the pieces to be put so.
Which games belong together stands in both records.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any

import paho.mqtt.client as mqtt

from engine.errors import InputError
from engine.game import Move, lost_by_all
from engine.match.acts import Act, Correct, Forfeit, Resign
from engine.match.state import Match, Phase
from engine.sentences import Sentence
from engine.text.positions import to_json
from server.board.computer.opponents import EngineAdvice
from server.board.live.notices import PAIRED, Pairing
from server.mqtt import wire
from server.record.store import Record
from server.web.feed import Feed

log = logging.getLogger(__name__)

FAR = "far"
OVER_THERE = ("time", "absence", "rules")
"""Why a side has lost that neither moved nor gave up."""
ANOTHER_GAME = "The other board plays another game, other rules or another start: begin the same one."
BEGUN_ANEW = "The other board has begun another game: begin a new one here too."
DRAWN_THERE = "The other board says that a draw is agreed: if it is, agree to it here too."
ENDED_THERE = "The other board says {result} ({reason}), and only this board can say so: an arbiter decides it here."
UNLAWFUL_THERE = "The other board has {move}, which is not lawful here: {why}"
FAR_SENTENCES = (ANOTHER_GAME, BEGUN_ANEW, DRAWN_THERE, ENDED_THERE, UNLAWFUL_THERE)
"""What is said of two boards that do not agree; pages translate it."""


class FarBoard:
    """What is known of the other board.

    `exchange_moves` belongs to the publisher's thread, `handle_message` to the MQTT client's.
    """

    def __init__(
        self, prefix: str, board: str, other: str, sides: Collection[str], feed: Feed, put: Callable[[Any], object]
    ) -> None:
        """`sides` are those that are played at the board `other`; what follows from its moves goes to `put`."""
        self._board, self._other, self._sides, self._feed, self._put = board, other, frozenset(sides), feed, put
        self.topic = wire.build_topic(prefix, other, wire.FAR_MOVES)
        self._lock = threading.Lock()
        self._said: Mapping[str, Any] | None = None
        self._games: dict[str, str] = {}
        self._done: object = None

    def load_pairings(self, record: Record) -> None:
        """Which games belong together, as the record says."""
        for game, _, event in record.find_events(PAIRED):
            if event.get("board") == self._other:
                self._games[game] = str(event.get("game"))

    def handle_message(self, message: mqtt.MQTTMessage) -> None:
        """The other board's moves as they stand."""
        try:
            said = wire.read_moves(self._other, bytes(message.payload))
        except InputError as error:
            log.warning("not taken: %s", error)
            return
        with self._lock:
            self._said = said

    def exchange_moves(self) -> dict[str, object] | None:
        """Tell the main loop what follows from both lists, each thing once; then this board's list, for the other."""
        match, name = self._current_match()
        if match is None:
            return None
        with self._lock:
            said = self._said
        if said is not None:
            following = self._find_consequence(match, name, said)
            done = (name, len(match.moves), match.phase, following)
            if following is not None and done != self._done:
                self._done = done
                self._put(following)
        outcome = match.outcome
        return {
            "board": self._board,
            "name": name,
            "with": self._games.get(name, ""),
            **_describe_game(match),
            "moves": _write_moves(match),
            "result": outcome.result if outcome else None,
            "reason": outcome.reason if outcome else None,
        }

    def _current_match(self) -> tuple[Match | None, str]:
        now = self._feed.current_state
        name = (now.snapshot or {}).get("name")
        return (now.match, str(name)) if name and now.match is not None else (None, "")

    def _find_consequence(self, match: Match, name: str, said: Mapping[str, Any]) -> object:
        if {key: said[key] for key in ("game", "rules", "start")} != _describe_game(match):
            return self._build_trouble(match, ANOTHER_GAME)
        if name not in self._games:
            return self._pair_games(match, name, said)
        if self._games[name] != said["name"]:
            return None if match.phase is Phase.OVER else self._build_trouble(match, BEGUN_ANEW)
        mine, theirs = _write_moves(match), said["moves"]
        for ply, (one, other) in enumerate(zip(mine, theirs, strict=False)):
            if one != other:
                is_far = self._is_far(match, ply)
                return Correct(ply + 1, other, by=FAR) if is_far else None  # if not, the other follows this board
        if len(theirs) > len(mine):
            return self._advise_move(match, len(mine), theirs[len(mine)])
        if said["result"] and len(theirs) == len(mine) and match.phase is not Phase.OVER:
            return self._choose_ending(match, str(said["result"]), str(said["reason"]))
        return None

    def _pair_games(self, match: Match, name: str, said: Mapping[str, Any]) -> Pairing | None:
        """The games that belong together are both begun, one of them without a move, and neither with a third."""
        fresh = not (match.moves and said["moves"]) and not said["result"] and match.phase is not Phase.OVER
        if said["with"] != name and (said["with"] or not fresh):
            return None
        self._games[name] = said["name"]
        return Pairing(self._other, said["name"])

    def _advise_move(self, match: Match, ply: int, notation: str) -> EngineAdvice | None:
        if not self._is_far(match, ply) or match.phase is Phase.OVER:
            return None
        move = match.game.read(match.position, notation)
        if isinstance(move, Move):
            return EngineAdvice(ply, match.position, move, far=True)
        return self._build_trouble(match, UNLAWFUL_THERE, move=notation[:100], why=move.message, code=move.code)

    def _choose_ending(self, match: Match, result: str, reason: str) -> Act | EngineAdvice | None:
        """What ended the game there without a move; what a move ends it ends here too.

        For its own side the other board has the say. A draw, or that a side of this board gave up, it can only tell:
        whoever has its account must not end this board's game.
        """
        if reason == "agreement":
            return self._build_trouble(match, DRAWN_THERE)
        if result == lost_by_all(len(match.game.seats)):
            return self._build_trouble(match, ENDED_THERE, result=result, reason=reason)
        won = result.split("-").index("1") if "1" in result.split("-") else None
        if won is None or len(match.game.seats) != 2 or reason not in {"resigned", *OVER_THERE}:
            return None
        loser = match.game.seats[1 - won]
        if loser not in self._sides:
            return self._build_trouble(match, ENDED_THERE, result=result, reason=reason)
        return Resign(loser, by=FAR) if reason == "resigned" else Forfeit(loser, reason, by=FAR)

    def _is_far(self, match: Match, ply: int) -> bool:
        return match.game.seats[match.positions[ply].seat] in self._sides

    def _build_trouble(self, match: Match, text: str, **values: str) -> EngineAdvice:
        return EngineAdvice(len(match.moves), match.position, None, Sentence(text, values), far=True)


def _describe_game(match: Match) -> dict[str, str]:
    """What two boards must have in common to play one game."""
    start = json.dumps(to_json(match.game, match.positions[0]), sort_keys=True)
    return {"game": match.game.name, "rules": match.game.rules, "start": hashlib.sha256(start.encode()).hexdigest()}


def _write_moves(match: Match) -> list[str]:
    return [match.game.write(position, move) for position, move in zip(match.positions, match.moves, strict=False)]
