"""A record played through: the game it names, every position, and where it breaks the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine import games
from engine.errors import InputError
from engine.game import Game, Move, Outcome, Position, Refusal
from engine.outside import parse_json
from engine.text import positions
from engine.text.records import NOT_KNOWN, Ply, Variation, WrittenGame, normalise_result

PASSED = "--"
"""Stands in a column of a player who was passed over, so that the columns stay the players'."""
AS_PLAYED = "as-played"
"""Comment command after a move that stood although it was illegal; its value is the reason code."""
UNFINISHED = "*"


@dataclass(frozen=True, slots=True)
class RecordFault:
    """Where a record breaks the rules: `ply` counts from 1 along the main line, 0 for the result."""

    ply: int
    side: str
    text: str
    refusal: Refusal

    def __str__(self) -> str:
        return str(self.build_error())

    def build_error(self) -> InputError:
        """The same for people who read other languages."""
        why = {"code": self.refusal.code, "why": self.refusal.message}
        if not self.ply:
            return InputError("result {result}: {code}: {why}", result=self.text, **why)
        said = {"ply": self.ply, "side": self.side, "move": self.text, **why}
        return InputError("ply {ply} ({side}) {move}: illegal: {code}: {why}", **said)


@dataclass(frozen=True, slots=True)
class Replay:
    """`positions` has one entry more than `texts`, up to the first fault, if there is one."""

    game: Game
    positions: tuple[Position, ...]
    texts: tuple[str, ...]
    outcome: Outcome | None
    fault: RecordFault | None = None


def read_opening(record: WrittenGame) -> tuple[Game, Position]:
    """The game that a record names and the position it begins with. InputError for what cannot be used."""
    variant = record.find_tag("Variant")
    if variant is None:
        raise InputError(
            f'record: no tag [Variant "..."]; add one of {", ".join(games.names())}, or say it with --variant'
        )
    game = games.load(variant.lower(), record.find_tag("Rules"))
    text = record.find_tag("Position")
    if text is None:
        start = game.start(record.find_tag("Setup"))
        if record.first_seat >= len(game.seats):
            raise InputError(f"record: the numbering begins with player {record.first_seat + 1} of {len(game.seats)}")
        return game, replace(start, seat=record.first_seat) if record.first_seat else start
    position = positions.from_json(parse_json(text, "record: the tag Position"), game)[1]
    if record.first_seat not in {0, position.seat}:
        raise InputError(
            f"record: {game.seats[position.seat]} is to move in the tag Position, another begins the moves"
        )
    return game, position


def replay_record(record: WrittenGame) -> Replay:
    """Plays a record through with its variations, to its end or the first fault."""
    game, position = read_opening(record)
    stands: list[Position] = [position]
    texts: list[str] = []
    missing = _find_missing_ply(game, record)
    for ply, (entry, position, found) in enumerate(_play_plies(game, stands[0], record.plies), start=1):
        wrong = missing[1] if missing and missing[0] == ply else found
        fault = _build_fault(game, ply, entry, stands[-1], wrong) or _find_variation_fault(game, ply, entry, stands[-1])
        if fault:
            return Replay(game, tuple(stands), tuple(texts), None, fault)
        if entry.text != PASSED:
            stands.append(position)
            texts.append(entry.text)
    outcome = game.outcome(stands[-1])
    return Replay(game, tuple(stands), tuple(texts), outcome, _find_result_fault(record, outcome))


def _find_missing_ply(game: Game, record: WrittenGame) -> tuple[int, Refusal] | None:
    """The first ply, counted from 1, whose number is not the one that it should have: moves may be missing there."""
    whole = record.find_tag("Position") is None and record.find_tag("Setup") is None
    turn = (1 if whole else record.first_number) * len(game.seats) + record.first_seat
    for ply, entry in enumerate(record.plies):
        due = (turn + ply) // len(game.seats)
        if entry.number and entry.number.lstrip("0") != str(due):
            return ply + 1, Refusal("number", f"Number {entry.number} stands where {due} should: is a move missing?")
    return None


def _play_plies(game: Game, start: Position, plies: Iterable[Ply]) -> Iterator[tuple[Ply, Position, Refusal | None]]:
    """Each ply with the position after it, until one is refused."""
    position = start
    for ply in plies:
        after = _play_ply(game, position, ply)
        if isinstance(after, Refusal):
            yield ply, position, after
            return
        position = after
        yield ply, position, None


def _play_ply(game: Game, position: Position, ply: Ply) -> Position | Refusal:
    if ply.text == PASSED:
        return position
    found = game.read(position, ply.text)
    if isinstance(found, Move):
        return game.play(position, found)
    stood = game.overrule(position, ply.text) if AS_PLAYED in ply.parse_commands() else None
    return game.play(position, stood) if stood else found


def _build_fault(game: Game, ply: int, entry: Ply, position: Position, found: Refusal | None) -> RecordFault | None:
    return RecordFault(ply, game.seats[position.seat], entry.text, found) if found else None


def _find_variation_fault(game: Game, ply: int, entry: Ply, position: Position) -> RecordFault | None:
    """The first fault in the variations that replace `entry`; `ply` counts on along each."""
    for line in (note for note in entry.after if isinstance(note, Variation)):
        before = position
        for number, (inner, after, found) in enumerate(_play_plies(game, position, line.plies), start=ply):
            fault = _build_fault(game, number, inner, before, found) or _find_variation_fault(
                game, number, inner, before
            )
            if fault:
                return fault
            before = after
    return None


def _find_result_fault(record: WrittenGame, outcome: Outcome | None) -> RecordFault | None:
    """How the result of a record contradicts its tag or the last position."""
    tag = record.find_tag("Result")
    if tag is not None and tag.strip() not in NOT_KNOWN and normalise_result(tag) != record.result:
        message = f'The tag Result says "{tag}", the moves end with "{record.result}".'
    elif outcome is not None and record.result not in {outcome.result, UNFINISHED}:
        message = f"The last position is {outcome.result} ({outcome.reason})."
    else:
        return None
    return RecordFault(0, "", record.result, Refusal("result", message))


def record_of(
    game: Game, stands: Sequence[Position], moves: Sequence[Move], tags: Iterable[tuple[str, str]], result: str
) -> WrittenGame:
    """The record of play: `stands` has one entry more than `moves`. Tags for game, rules and start are added."""
    columns = len(game.seats)
    plies, seat = [], stands[0].seat
    for position, move in zip(stands, moves, strict=False):
        while seat != position.seat:
            plies.append(Ply(PASSED))
            seat = (seat + 1) % columns
        plies.append(Ply(game.write(position, move)))
        seat = (seat + 1) % columns
    named = {"Variant": game.name, "Rules": game.rules}
    if stands[0] != game.start():
        named["Position"] = json.dumps(positions.to_json(game, stands[0]))
    kept = [(name, value) for name, value in tags if name not in {*named, "Result"}]
    return WrittenGame((*kept, *named.items(), ("Result", result)), (), tuple(plies), result, 1, stands[0].seat)
