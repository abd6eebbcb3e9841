"""A record played through: the game it names, every position, and where it breaks the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine import games
from engine.errors import InputError
from engine.game import (
    BY_RULING,
    FORFEITS,
    RESIGNED,
    Game,
    Move,
    Outcome,
    Position,
    Refusal,
    build_refusal,
    has_pieces,
    leave_side_out,
    lost_by_all,
    refuse_further_move,
    result_text,
)
from engine.outside import parse_json
from engine.text import positions
from engine.text.records import (
    LEFT,
    NOT_KNOWN,
    Comment,
    Glyph,
    Ply,
    Variation,
    WrittenGame,
    list_commands,
    normalise_result,
)

PASSED = "--"
"""Stands in a column of a player who was passed over, so that the columns stay the players'."""
AS_PLAYED = "as-played"
"""Comment command after a move that stood although it was illegal; its value is the reason code."""
UNFINISHED = "*"
TERMINATION, ADJUDICATED = "Termination", "adjudication"
"""The tag and its value by which, as PGN has it, an arbiter has given the result, whatever the last position is."""

USUAL_SETUP = "0"
"""The value of the tag SetUp that says, as PGN has it, that a game begins as usual."""
FOREIGN_POSITION = (
    "the tags SetUp and FEN give a position as chess programs write it: take both out if the game begins as usual, "
    "or write its position in a tag Position instead"
)


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
    game = games.load(variant, record.find_tag("Rules"))
    text = record.find_tag("Position")
    setup = record.find_tag("Setup")
    if text is None and (record.find_tag("FEN") is not None or (setup == "1" and setup not in game.setups)):
        raise InputError(FOREIGN_POSITION)
    if text is None:
        start = game.start(None if setup == USUAL_SETUP else setup)
        if record.first_seat >= len(game.seats):
            raise InputError(f"record: the numbering begins with player {record.first_seat + 1} of {len(game.seats)}")
        return game, replace(start, seat=record.first_seat) if record.first_seat else start
    position = positions.from_json(parse_json(text, "record: the tag Position"), game)[1]
    if record.first_seat not in {0, position.seat}:
        raise InputError(
            f"record: {game.seats[position.seat]} is to move in the tag Position, another begins the moves"
        )
    return game, position


@dataclass(frozen=True, slots=True)
class _Stand:
    """What stands after a ply, and how the game is over if a side has ended it by going out."""

    position: Position
    ended: Outcome | None = None


def replay_record(record: WrittenGame) -> Replay:
    """Plays a record through with its variations, to its end or the first fault."""
    game, position = read_opening(record)
    texts: list[str] = []
    begun = _apply_leavings(game, _Stand(position), record.before)
    if isinstance(begun, Refusal):
        return Replay(game, (position,), (), None, RecordFault(0, "", record.result, begun))
    stands, last = [begun.position], begun
    numbers = _Numbers(record)
    for ply, (entry, after, found) in enumerate(_play_plies(game, begun, record.plies), start=1):
        wrong = numbers.check_number(entry, last.position.seat) or found
        fault = _build_fault(game, ply, entry, last, wrong) or _find_variation_fault(game, ply, entry, last)
        if fault:
            return Replay(game, tuple(stands), tuple(texts), None, fault)
        if entry.text != PASSED:
            stands.append(after.position)
            texts.append(entry.text)
        stands[-1], last = after.position, after
    outcome = last.ended or game.outcome(last.position)
    if outcome is not None and record.result != UNFINISHED and is_adjudicated(record):
        outcome = Outcome(record.result, BY_RULING)
    return Replay(game, tuple(stands), tuple(texts), outcome, _find_result_fault(record, game, outcome))


class _Numbers:
    """The numbers of the moves while they are played, as the page counts them too. Mutable.

    A round ends when a seat comes up that has moved in it, whether or not PASSED stands for those passed over. Where it
    does, its number is that of the round which ends there or of the one which begins.
    """

    def __init__(self, record: WrittenGame) -> None:
        whole = record.find_tag("Position") is None and record.find_tag("Setup") is None
        self._due, self._column = 1 if whole else record.first_number, record.first_seat - 1
        self._passed = list[str]()

    def check_number(self, entry: Ply, seat: int) -> Refusal | None:
        """Why the number of the next entry, which `seat` plays unless it is PASSED, is not the one that it should have:
        moves may be missing there."""
        if entry.text == PASSED:
            self._passed.append(entry.number)
            return None
        begun, self._due, self._column = self._due, self._due + (seat <= self._column), seat
        written, self._passed = [*((one, {begun, self._due}) for one in self._passed), (entry.number, {self._due})], []
        wrong = next((one for one, due in written if one and one.lstrip("0") not in map(str, due)), None)
        if wrong is None:
            return None
        text = "Number {number} stands where {due} should: is a move missing?"
        return build_refusal("number", text, number=wrong[:40], due=self._due)


def _play_plies(game: Game, start: _Stand, plies: Iterable[Ply]) -> Iterator[tuple[Ply, _Stand, Refusal | None]]:
    """Each ply with what stands after it, until one is refused."""
    stand = start
    for ply in plies:
        moved = _play_ply(game, stand, ply)
        after = moved if isinstance(moved, Refusal) else _apply_leavings(game, moved, ply.after)
        if isinstance(after, Refusal):
            yield ply, stand, after
            return
        stand = after
        yield ply, stand, None


def list_leavings(notes: Iterable[Comment | Glyph | Variation]) -> list[tuple[str, str]]:
    """The sides that went out of the game there, each with the reason."""
    said = (value.lower().partition(" ") for name, value in list_commands(notes) if name == LEFT)
    return [(side, why.strip() or RESIGNED) for side, _, why in said]


def _apply_leavings(game: Game, stand: _Stand, notes: Iterable[Comment | Glyph | Variation]) -> _Stand | Refusal:
    for side, why in list_leavings(notes):
        written = f"[%{LEFT} {side} {why}]"
        if side not in game.seats or why not in {RESIGNED, *FORFEITS}:
            sides, reasons = ", ".join(game.seats), ", ".join((RESIGNED, *FORFEITS))
            text = "{text}: a side ({sides}) and a reason ({reasons}) stand there."
            return build_refusal(LEFT, text, text=written, sides=sides, reasons=reasons)
        if stand.ended or game.outcome(stand.position) or not has_pieces(game, stand.position, side):
            text = "{text}: {side} is out of the game already, or it is over."
            return build_refusal(LEFT, text, text=written, side=side.title())
        after = leave_side_out(game, stand.position, side, why)
        stand = _Stand(stand.position, after) if isinstance(after, Outcome) else _Stand(after)
    return stand


def _play_ply(game: Game, stand: _Stand, ply: Ply) -> _Stand | Refusal:
    if ply.text == PASSED:
        return stand
    if refusal := refuse_further_move(stand.ended):
        return refusal
    position = stand.position
    found = game.read(position, ply.text)
    if isinstance(found, Move):
        return _Stand(game.play(position, found))
    stood = game.overrule(position, ply.text) if AS_PLAYED in ply.parse_commands() else None
    return _Stand(game.play(position, stood)) if stood else found


def _build_fault(game: Game, ply: int, entry: Ply, stand: _Stand, found: Refusal | None) -> RecordFault | None:
    return RecordFault(ply, game.seats[stand.position.seat], entry.text, found) if found else None


def _find_variation_fault(game: Game, ply: int, entry: Ply, stand: _Stand) -> RecordFault | None:
    """The first fault in the variations that replace `entry`; `ply` counts on along each."""
    for line in (note for note in entry.after if isinstance(note, Variation)):
        before = stand
        for number, (inner, after, found) in enumerate(_play_plies(game, stand, line.plies), start=ply):
            fault = _build_fault(game, number, inner, before, found) or _find_variation_fault(
                game, number, inner, before
            )
            if fault:
                return fault
            before = after
    return None


def is_adjudicated(record: WrittenGame) -> bool:
    """Whether a record says that an arbiter has given its result."""
    return (record.find_tag(TERMINATION) or "").strip().lower() == ADJUDICATED


def mark_adjudicated(record: WrittenGame) -> WrittenGame:
    """The same, which says that an arbiter has given its result where the last position has another, and only there."""
    tags = tuple((name, value) for name, value in record.tags if name != TERMINATION)
    outcome = replay_record(plain := replace(record, tags=tags)).outcome
    if outcome is None or record.result in {outcome.result, UNFINISHED}:
        return plain
    return replace(record, tags=(*tags, (TERMINATION, ADJUDICATED)))


def _find_result_fault(record: WrittenGame, game: Game, outcome: Outcome | None) -> RecordFault | None:
    """How the result of a record is none of its game, or contradicts its tag or the end of its moves."""
    tag = record.find_tag("Result")
    if record.result not in {*(known := list_results(game)), UNFINISHED}:
        text = "A game of {game} ends with {results}, or * where it is not over."
        found = build_refusal("result", text, game=game.name, results=", ".join(known))
    elif tag is not None and tag.strip() not in NOT_KNOWN and normalise_result(tag) != record.result:
        text = 'The tag Result says "{tag}", the moves end with "{result}".'
        found = build_refusal("result", text, tag=tag, result=record.result)
    elif outcome is not None and record.result not in {outcome.result, UNFINISHED}:
        ruled = f'[{TERMINATION} "{ADJUDICATED}"]'
        text = "The last position is {result} ({reason}); an arbiter's result has a tag {text}."
        found = build_refusal("result", text, result=outcome.result, reason=outcome.reason, text=ruled)
    else:
        return None
    return RecordFault(0, "", record.result, found)


def list_results(game: Game) -> tuple[str, ...]:
    """How a game may end, as records write it: won by each side, drawn, by two of three where one is out, and lost by
    all."""
    seats = len(game.seats)
    by_two = ("1/2-1/2-0", "1/2-0-1/2", "0-1/2-1/2") if seats > 2 else ()
    return (*(result_text(seats, winner) for winner in (*range(seats), None)), *by_two, lost_by_all(seats))


def fill_columns(plies: Iterable[tuple[int, Ply]], seats: int, first: int) -> tuple[Ply, ...]:
    """Plies with the seats that played them, and PASSED for each seat between them; `first` is due first."""
    filled, due = list[Ply](), first
    for seat, ply in plies:
        filled += [Ply(PASSED)] * ((seat - due) % seats)
        filled.append(ply)
        due = (seat + 1) % seats
    return tuple(filled)


def record_of(
    game: Game, stands: Sequence[Position], moves: Sequence[Move], tags: Iterable[tuple[str, str]], result: str
) -> WrittenGame:
    """The record of play: `stands` has one entry more than `moves`. Tags for game, rules and start are added."""
    turns = ((at.seat, Ply(game.write(at, move))) for at, move in zip(stands, moves, strict=False))
    plies = fill_columns(turns, len(game.seats), stands[0].seat)
    named = {"Variant": game.name, "Rules": game.rules}
    if stands[0] != game.start():
        named["Position"] = json.dumps(positions.to_json(game, stands[0]))
    kept = [(name, value) for name, value in tags if name not in {*named, "Result"}]
    return WrittenGame((*kept, *named.items(), ("Result", result)), (), plies, result, 1, stands[0].seat)
