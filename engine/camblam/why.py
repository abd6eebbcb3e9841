"""Why a Camblam move is not lawful, and what is: the reason is the rule of the piece that was moved."""

from __future__ import annotations

from dataclasses import replace

from engine.camblam.lawful import FoundMove, Lawful, apply_landing, as_move, landing_of
from engine.camblam.notation import Attempt, piece_number
from engine.camblam.rays import find_line_between
from engine.camblam.reach import Landing
from engine.camblam.rules import KIND_OF, NAMES, PAWN_REACH, PROMOTES_TO, SEAT_OF, SEATS, Readings
from engine.game import Change, Move, Position, Refusal, build_refusal
from engine.sentences import Sentence

MOST_INSTEAD = 12
"""Alternatives named in one refusal: more do not fit on a line of the display."""


class Reasons:
    """Judges attempts against the lawful moves of a position. The game must not be over."""

    def __init__(self, lawful: Lawful, readings: Readings) -> None:
        self._lawful = lawful
        self._cells = lawful.board.cells
        self._rules = piece_rules(readings)
        self._range = readings.archer_range

    def judge_attempt(self, position: Position, attempt: Attempt) -> Move | Refusal:
        """The lawful move that was written, or why there is none."""
        piece = position.placement[attempt.origin]
        where = self._cells[attempt.origin]
        if not piece:
            return build_refusal("no-piece", "There is no piece on {cell}.", cell=where)
        if SEAT_OF[piece] != position.seat:
            owner, side = SEATS[SEAT_OF[piece]], SEATS[position.seat]
            text = "The piece on {cell} is {owner}'s; it is {side}'s turn."
            return build_refusal("not-yours", text, cell=where, owner=owner, side=side)
        kind = KIND_OF[piece]
        if attempt.kind not in ("", kind):
            text = "{cell} holds a {kind}, not a {other}."
            return build_refusal("no-piece", text, cell=where, kind=NAMES[kind], other=NAMES[attempt.kind])
        wanted = (attempt.target, attempt.taken)
        found = [move for move in self._list_piece_moves(position, attempt.origin) if landing_of(move) == wanted]
        if not found:
            return self._refuse_landing(position, attempt.origin, wanted)
        if not found[0][3]:
            if attempt.becomes:
                texts = self._format_moves(position, found)
                return build_refusal("not-a-move", "Only a pawn on the last rank promotes.", texts)
            return as_move(found[0])
        return self._resolve_promotion(position, attempt, found)

    def explain_change(self, position: Position, change: Change) -> Refusal:
        """Why no lawful move makes that change of the placement."""
        if change.origin < 0:
            return self._refuse_shot(position, change.lost)
        found = self._list_piece_moves(position, change.origin)
        same = [move for move in found if move[1] == change.target and tuple(sorted(move[2])) == change.lost]
        if same:
            never = "A pawn on the last rank becomes another piece but never a king."
            text = never if same[0][3] else "Only pawns promote."
            return build_refusal("not-a-move", text, self._format_moves(position, same))
        taken = change.lost
        for target, order in self._lawful.reach.list_landings(position.placement, change.origin):
            if target == change.target and tuple(sorted(order)) == change.lost:
                taken = order
        return self._refuse_landing(position, change.origin, (change.target, taken))

    def _resolve_promotion(self, position: Position, attempt: Attempt, found: list[FoundMove]) -> Move | Refusal:
        texts = self._format_moves(position, found)
        if not attempt.becomes:
            return build_refusal("ambiguous", "A pawn on the last rank must promote: write what it becomes.", texts)
        if attempt.becomes not in PROMOTES_TO:
            kind = NAMES[attempt.becomes]
            return build_refusal("not-a-move", "A pawn never becomes a {kind}.", texts, kind=kind)
        becomes = piece_number(position.seat, attempt.becomes)
        return next(as_move(move) for move in found if move[3] == becomes)

    def _refuse_landing(self, position: Position, origin: int, wanted: Landing) -> Refusal:
        """The refusal of a landing of an own piece that is not lawful, what is nearest to it first among the others."""
        landings = self._lawful.reach.list_landings(position.placement, origin)
        if wanted in landings:
            return self._refuse_check(position, origin, wanted)
        target, taken = wanted
        same = [landing for landing in landings if landing[0] == target != origin]
        if same:
            return self._refuse_captures(position, origin, same[0])

        def rank_unlike(move: FoundMove) -> tuple[bool, bool]:
            return move[1] != target, not set(taken).intersection(move[2])

        explain = self._explain_no_shot if target == origin else self._explain_no_way
        moves = sorted(self._list_piece_moves(position, origin), key=rank_unlike)
        return replace(explain(position, origin, wanted), instead=self._format_moves(position, moves))

    def _explain_no_way(self, position: Position, origin: int, wanted: Landing) -> Refusal:
        """Why the piece cannot come to the target at all."""
        placement, seat = position.placement, position.seat
        target, taken = wanted
        name, there, kind = self._cells[target], placement[target], KIND_OF[placement[origin]]
        if SEAT_OF[there] == seat:
            return build_refusal("occupied", "{cell} is occupied by a piece of the same side.", cell=name)
        if taken and not there:
            return build_refusal("not-a-move", "There is nothing to capture on {cell}.", cell=name)
        why = self._rules[kind]
        if there and self._can_reach(empty_cell(placement, target), origin, target):
            text = "{cell} is occupied by a piece that cannot be taken this way: {why}."
            return build_refusal("occupied", text, cell=name, why=why)
        if self._can_reach(bytes(p if c in (origin, target) else 0 for c, p in enumerate(placement)), origin, target):
            return self._refuse_block(placement, origin, target)
        if kind == "P" and target in self._lawful.reach.files[seat][origin][PAWN_REACH:]:
            return build_refusal("out-of-range", "{cell} is too far: {why}.", cell=name, why=why)
        said = {"cell": self._cells[origin], "end": name, "kind": NAMES[kind], "why": why}
        return build_refusal("not-a-move", "{cell} to {end} is no move of the {kind}: {why}.", **said)

    def _can_reach(self, placement: bytes, origin: int, target: int) -> bool:
        return any(to == target for to, _ in self._lawful.reach.list_landings(placement, origin))

    def _refuse_check(self, position: Position, origin: int, wanted: Landing) -> Refusal:
        after = bytes(apply_landing(position.placement, origin, *wanted))
        by = self._lawful.find_attackers(after, position.seat)
        names = ", ".join(self._cells[cell] for cell in by)
        found = self._list_piece_moves(position, origin) or list(self._lawful.list_legal_landings(position))
        text = "The own king could then be captured from {cells}."
        return build_refusal("check", text, self._format_moves(position, found), cells=names)

    def _refuse_captures(self, position: Position, origin: int, landing: Landing) -> Refusal:
        target, taken = landing
        name = self._cells[target]
        found = [move for move in self._list_piece_moves(position, origin) if move[1] == target]
        texts = self._format_moves(position, found)
        if not taken:
            return build_refusal("not-a-move", "Nothing is captured on the way to {cell}.", texts, cell=name)
        names = ", ".join(self._cells[cell] for cell in taken)
        text = "To end on {cell} this piece captures {cells}, no more and no less."
        return build_refusal("not-a-move", text, texts, cell=name, cells=names)

    def _refuse_block(self, placement: bytes, origin: int, target: int) -> Refusal:
        between = find_line_between(self._lawful.board, origin, target)
        first = next((cell for cell in between if placement[cell]), None)
        name = self._cells[target]
        if first is None or first == target:
            why = self._rules[KIND_OF[placement[origin]]]
            return build_refusal("blocked", "Every way to {cell} is blocked: {why}.", cell=name, why=why)
        text = "The way to {cell} is blocked by the piece on {over}."
        return build_refusal("blocked", text, cell=name, over=self._cells[first])

    def _explain_no_shot(self, position: Position, origin: int, wanted: Landing) -> Refusal:
        """Why the piece does not shoot that."""
        placement, taken = position.placement, wanted[1]
        if KIND_OF[placement[origin]] != "A":
            return build_refusal("not-a-move", "Only an archer shoots.")
        if len(taken) != 1:
            return build_refusal("not-a-move", "A shot takes exactly one piece.")
        (victim,) = taken
        name = self._cells[victim]
        if SEAT_OF[placement[victim]] != 1 - position.seat:
            return build_refusal("not-a-move", "There is no enemy piece on {cell} to shoot.", cell=name)
        way = find_line_between(self._lawful.board, origin, victim)
        if not way:
            text = "{cell} does not lie on a line from {origin}."
            return build_refusal("not-a-move", text, cell=name, origin=self._cells[origin])
        if any(placement[cell] for cell in way[:-1]):
            return self._refuse_block(placement, origin, victim)
        text = "{cell} is {far} cells away: an archer shoots at most {limit}."
        return build_refusal("out-of-range", text, cell=name, far=len(way), limit=self._range)

    def _refuse_shot(self, position: Position, lost: tuple[int, ...]) -> Refusal:
        """The reason why pieces may not vanish although no piece of the side to move has moved."""
        archers = [cell for cell, piece in enumerate(position.placement) if piece == piece_number(position.seat, "A")]
        if len(lost) != 1 or not archers:
            text = "Pieces vanished that no move captures." if lost else "No piece has moved."
            return build_refusal("not-a-move", text)
        wanted = lost[0]

        def rank_archer(archer: int) -> tuple[bool, int]:
            way = find_line_between(self._lawful.board, archer, wanted)
            return not way, sum(position.placement[cell] != 0 for cell in way)

        archer = min(archers, key=rank_archer)
        return self._refuse_landing(position, archer, (archer, lost))

    def _list_piece_moves(self, position: Position, origin: int) -> list[FoundMove]:
        return [move for move in self._lawful.list_legal_landings(position) if move[0] == origin]

    def _format_moves(self, position: Position, found: list[FoundMove]) -> tuple[str, ...]:
        return tuple(self._lawful.format_move(position, as_move(move)) for move in found[:MOST_INSTEAD])


def empty_cell(placement: bytes, cell: int) -> bytes:
    """The placement with that cell emptied."""
    return placement[:cell] + b"\0" + placement[cell + 1 :]


def piece_rules(readings: Readings) -> dict[str, Sentence]:
    """The rule of each kind of piece, under these readings."""
    run = "captures the whole run" if readings.run_capture_whole else "captures a run of adjoining enemies"
    leg = "any number of" if readings.first_legs(2) == (1, 2) else readings.knight_first_leg.value
    stages = "either may be left out" if readings.prince_zero_stages else "neither may be left out"

    def describe_stepper(kind: str, text: str) -> Sentence:
        takes = "or captures" if readings.step_captures(kind) else "without capturing"
        return Sentence(text, {"run": run, "takes": takes})

    pawn = "a pawn goes 1-{limit} cells straight forward over empty cells and captures one diagonally forward"
    knight = (
        "a knight goes {leg} cells orthogonally then 1 diagonally, or 4 diagonally then 1 orthogonally, "
        "passing enemies but never pieces of its own side"
    )
    catapult = "a catapult slides along its file and {run} there, or goes {takes} one cell sideways"
    archer = "an archer moves as a queen, captures nothing so, and shoots the nearest within {limit}"
    prince = "a prince slides orthogonally then diagonally ({stages}) and captures on its last cell only"
    return {
        "P": Sentence(pawn, {"limit": PAWN_REACH}),
        "N": Sentence(knight, {"leg": leg}),
        "C": describe_stepper("C", catapult),
        "A": Sentence(archer, {"limit": readings.archer_range}),
        "R": describe_stepper("R", "a rook slides orthogonally and {run} there, or goes {takes} one cell diagonally"),
        "B": describe_stepper("B", "a bishop slides diagonally and {run} there, or goes {takes} one cell orthogonally"),
        "I": Sentence(prince, {"stages": stages}),
        "Q": Sentence("a queen slides in all directions and {run}", {"run": run}),
        "K": Sentence("a king goes one cell in any direction"),
    }
