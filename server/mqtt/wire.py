"""What boards say to a hall: topics, payloads, and the one door through which payloads come in.

The schemas in schemas.json are the documentation (docs/hall.md) and the check at once: what does not fit is no message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, cast

import fastjsonschema

from engine import outside
from engine.errors import InputError
from server.record import chain

EVENTS, STATE, HEALTH, AVAILABLE = "events", "state", "health", "available"
PULSE, ANSWERS = "pulse", "answers"
"""The last level of the topics under `<prefix>/<board>/`. A pulse goes at QoS 0: no broker keeps it for later, so that
whoever hears one knows that the board lives now, and what its clock says now."""
HALL = "hall"
"""In the place of a board: what halls say of themselves. No board has this name."""
HALL_PULSE, STORED = "hall-pulse", "stored"
"""A hall lives, `<prefix>/hall/pulse`; how far it has the games of a board, `<prefix>/<board>/stored`."""
PULSE_EVERY_S = 1.0
"""Of boards. Twice as often costs twice the messages (200 boards are 200 a second); less often, and what is
wrong is not said within 5 s."""
HALL_PULSE_EVERY_S = 0.25
"""Halls are few, and from their pulses those that share a database know of each other."""
NOT_HEARD_S = 3.5
"""Who was not heard for so long is said not to be: three pulses. Fewer would take a busy machine for a dead one, more
would tell of it later than 5 s after the last sign."""
ONLINE, OFFLINE = "online", "offline"
LARGEST_MESSAGE = 64 * 1024
"""Bytes of a payload. The largest in the games of this program, a position of Tri-Camelot, has 2 KB."""
LONGEST_PLAYER_NAME = 100
"""Characters of a player's name in a state, as its schema has it."""
KEPT = {EVENTS: "event", STATE: "state", HEALTH: "health", AVAILABLE: "available", ANSWERS: "answer"}
"""What boards say to the hall at QoS 1."""
SCHEMA_OF = KEPT | {PULSE: "pulse"}
"""What boards say to the hall."""
COMMANDS = "commands"
"""Under `<prefix>/<board>/commands/` a level for each of COMMANDERS: an account writes its own only."""
COMMAND_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")
LONGEST_WHY = 300
COMMANDERS = ROLE_ARBITER, ROLE_PLAYER = ("arbiter", "player")
LONGEST_EXPIRY_S = 3600.0
"""A command holds no longer; so long a board remembers which it had."""
FAR_MOVES = "moves"
"""Retained, and read by another board alone: the moves of a game that is played at both."""
ALL_SCHEMAS = {**SCHEMA_OF, COMMANDS: "command", FAR_MOVES: "moves", HALL_PULSE: "hall-pulse", STORED: "stored"}


@dataclass(frozen=True, slots=True)
class Command:
    """What somebody elsewhere wants a board to do."""

    id: str
    expires: float
    """Seconds since 1970; afterwards it is not done any more."""
    role: str
    """One of COMMANDERS."""
    who: str
    do: str
    game: str = ""
    kind: str = ""
    ruling: str = ""
    """Of a ruling: in which game, on what, and what was decided."""
    ply: int | None = None
    """Of another order: how many plies `game` had when it was decided; None where that is not said."""

    def to_payload(self) -> bytes:
        """As it is published. InputError when it does not fit its own schema."""
        said = {key: value for key, value in asdict(self).items() if value not in {"", None}}
        return build_payload(COMMANDS, said)


@dataclass(frozen=True, slots=True)
class EventLink:
    """One event of a record on its way to the hall."""

    board: str
    game: str
    """The game's name in the board's record."""
    sequence: int
    """Its number in the game, counted from 1."""
    previous: str
    hash: str
    event: Mapping[str, object]
    text: str = field(default="", compare=False, repr=False)
    """The event as its hash was made of it; empty where it was not read from the wire."""

    def to_payload(self) -> bytes:
        """As it is published."""
        return chain.encode_event({name: getattr(self, name) for name in LINK_FIELDS}).encode()


LINK_FIELDS = tuple(one.name for one in fields(EventLink) if one.name != "text")
"""A newer board may say more beside them; the event itself is kept whole, whatever is in it."""


def build_topic(prefix: str, board: str, kind: str) -> str:
    """Where a board publishes messages of a kind; "+" for every board."""
    return f"{prefix}/{board}/{kind}"


def build_payload(kind: str, said: Mapping[str, object]) -> bytes:
    """A state or health message, as it is published. InputError when it does not fit its own schema."""
    _check_schema(kind, said)
    return chain.encode_event(said).encode()


def read_command(prefix: str, board: str, sent_on: str, body: bytes, now: float) -> Command:
    """A command to `board` that can be done at `now`; InputError, which names the topic, for any other."""
    try:
        if len(body) > LARGEST_MESSAGE:
            raise InputError(f"{len(body)} bytes, at most {LARGEST_MESSAGE} are taken")
        said = outside.json_value(body)
        _check_schema(COMMANDS, said)
        command = Command(**cast(dict[str, Any], said))
        if not (command.who + command.ruling).isprintable():
            raise InputError("control characters in a name or a ruling")
        if sent_on != build_topic(prefix, board, f"{COMMANDS}/{command.role}"):
            raise InputError(f"is no topic for the role {command.role}")
        if not now < command.expires <= now + LONGEST_EXPIRY_S:
            raise InputError(f"command {command.id} holds until {command.expires:.0f}, here it is {now:.0f}")
    except ValueError as error:  # InputError is one
        raise InputError(f"{sent_on[:100]!r}: {str(error)[:300]}") from None
    return command


def id_of(body: bytes) -> str:
    """The id of a command, also of one that does not fit; empty where it has none that can be answered."""
    try:
        said = outside.json_value(body[:LARGEST_MESSAGE])
    except ValueError:
        return ""
    name = said.get("id") if isinstance(said, dict) else None
    return name if isinstance(name, str) and COMMAND_ID.fullmatch(name) else ""


def read_body(kind: str, who: str, body: bytes) -> Mapping[str, Any]:
    """What `who` says on a topic that has one kind of message, as an object that fits it; InputError otherwise."""
    if len(body) > LARGEST_MESSAGE:
        raise InputError(f"{len(body)} bytes, at most {LARGEST_MESSAGE} are taken")
    try:
        said = outside.json_value(body)
        _check_schema(kind, said)
    except ValueError as error:  # InputError is one
        raise InputError(f"{kind} of {who}: {str(error)[:300]}") from None
    return cast(Mapping[str, Any], said)


def read_moves(board: str, body: bytes) -> Mapping[str, Any]:
    """What `board` says of a game that is played at two boards; InputError for anything else."""
    moves = read_body(FAR_MOVES, board, body)
    if moves["board"] != board:
        raise InputError(f"moves of {board}: are about the board {moves['board']}")
    return moves


def read_link(board: str, said: object) -> EventLink:
    """An event that `board` sent; InputError when it is none, is another board's, or was changed on the way."""
    _check_schema(EVENTS, said)
    named = cast(dict[str, Any], said)
    link = EventLink(**{name: named[name] for name in LINK_FIELDS}, text=chain.encode_event(named["event"]))
    if link.board != board:
        raise InputError(f"board {board} sent an event of {link.board}")
    if chain.hash_event(link.previous, link.text) != link.hash:
        raise InputError(f"board {board}: event {link.sequence} of {link.game} was changed on the way")
    return link


def read_message(prefix: str, sent_on: str, body: bytes) -> tuple[str, str, object]:
    """Board, kind and content of a message: a Link, a dict that fits its schema, or ONLINE or OFFLINE.

    InputError, which names the topic, for what is not as documented.
    """
    board, _, kind = sent_on.removeprefix(f"{prefix}/").partition("/")
    try:
        if kind not in SCHEMA_OF:
            raise InputError("no topic of a board")
        if len(body) > LARGEST_MESSAGE:
            raise InputError(f"{len(body)} bytes, at most {LARGEST_MESSAGE} are taken")
        said: object = body.decode() if kind == AVAILABLE else outside.json_value(body)
        if kind == EVENTS:
            return board, kind, read_link(board, said)
        _check_schema(kind, said)
        for side, name in cast(dict[str, Any], said).get("players", {}).items() if kind == STATE else ():
            outside.check_line(name, f"player of {side}", LONGEST_PLAYER_NAME)  # as the board's own page has it
    except ValueError as error:  # InputError is one
        raise InputError(f"{sent_on[:100]!r}: {str(error)[:300]}") from None
    if isinstance(said, dict) and said["board"] != board:
        raise InputError(f"{sent_on[:100]!r}: is about the board {said['board']}")
    return board, kind, said


def fields_of(kind: str) -> Collection[str]:
    """The fields of a kind of message that this version knows."""
    return tuple(_load_schemas()[ALL_SCHEMAS[kind]]["properties"])


def _check_schema(kind: str, said: object) -> None:
    try:
        _compile_checks()[kind](said)
    except fastjsonschema.JsonSchemaException as error:
        raise InputError(str(error)) from None


@cache
def _compile_checks() -> Mapping[str, Callable[[object], object]]:
    return {kind: fastjsonschema.compile(_load_schemas()[name]) for kind, name in ALL_SCHEMAS.items()}


@cache
def _load_schemas() -> Mapping[str, Any]:
    schemas: Mapping[str, Any] = json.loads(Path(__file__).with_name("schemas.json").read_text(encoding="utf-8"))
    return schemas
