"""The Camelot family in words and drawings: pieces, castles, why games end, and the rules in short."""

from __future__ import annotations

from collections.abc import Sequence

from engine.camelot.rules import Rules
from engine.explain.wording import PieceKind, Topic, Words
from engine.sentences import Sentence

MAN_DRAWING = (
    '<path d="M22.5 7.5a6.2 6.2 0 0 0-4.3 10.7c-2.7 1.2-4.5 2.9-4.5 4.7 0 .7.5 1.1 1.2 1.1h2.4c-.6 4.9-2.9 7.4-6 9.4'
    "-1.1.7-1.7 1.8-1.7 3.1v1.2c0 .7.6 1.3 1.3 1.3h23.2c.7 0 1.3-.6 1.3-1.3v-1.2c0-1.3-.6-2.4-1.7-3.1-3.1-2-5.4-4.5-6"
    '-9.4h2.4c.7 0 1.2-.4 1.2-1.1 0-1.8-1.8-3.5-4.5-4.7a6.2 6.2 0 0 0-4.3-10.7z"/>'
)
KNIGHT_DRAWING = (
    '<path d="M13 39c-.8 0-1.4-.6-1.4-1.4C11.7 32.5 15.5 29.8 19.6 26.3 17.3 26.4 15.7 27.3 14.3 28.6c-.8.8-2.1.9-3 .2'
    "l-2.3-1.8c-1-.8-1.3-2.2-.6-3.300l5.5-9c.7-1.1 1-2.3 1-3.6l.1-5c0-.9 1-1.3 1.6-.7l4.3 4C29.6 10.3 36 18.2 36 28.500"
    'v9c0 .8-.7 1.5-1.5 1.500z"/><path class="detail" d="M24 13.2c5 2.3 7.6 8 7.2 16.3"/>'
    '<circle class="detail dot" cx="18" cy="16.6" r="1.3"/>'
)
CASTLE_DRAWING = '<path d="M2 2h3.4v2.6h2V2h3.2v2.6h2V2H16v5.4l-1.8 1.4V16H3.8V8.8L2 7.4z"/>'
FAMILY_KINDS = {"M": PieceKind("man", "M", MAN_DRAWING), "N": PieceKind("knight", "N", KNIGHT_DRAWING)}
FAMILY_ENDS = {
    "castle": "the enemy castle is taken",
    "captured-all": "every enemy piece is captured",
    "no-moves": "no lawful move is left",
    "material": "too few pieces are left to win",
}
FAMILY_BRIEF = {
    "must-jump": "must jump",
    "must-continue": "must jump on",
    "must-leave-castle": "leave castle",
    "must-jump-out": "must jump out",
    "must-capture-after-canter": "charge: capture",
    "own-castle": "own castle",
}
MOVES = (
    ("Plain move", Sentence("One step to an adjoining empty cell, in any direction.")),
    (
        "Canter",
        Sentence(
            "A leap over an adjoining piece of one's own to the empty cell straight beyond. It may go on with more "
            "canters, nothing is taken, and it may not end where it began."
        ),
    ),
    (
        "Jump",
        Sentence(
            "A leap over an adjoining enemy piece to the empty cell straight beyond; that piece is taken. Whoever can "
            "jump on with the same piece must."
        ),
    ),
    ("Charge", Sentence("Only for a knight: canters first, then jumps, in one move.")),
)


def family_words(title: str, codes: Sequence[str], seats: Sequence[str], rules: Rules) -> Words:
    """What a game of the family says about itself under one rule set; `codes` are those of its pieces."""
    return Words(
        title,
        kinds={code: FAMILY_KINDS[code[1:]] for code in codes},
        ends=FAMILY_ENDS,
        brief=FAMILY_BRIEF,
        castle=CASTLE_DRAWING,
        rules=(
            Topic("", MOVES),
            Topic("What one must do", sentences=tuple(_describe_duties(rules))),
            Topic("Castles", sentences=tuple(_describe_castles(rules, len(seats)))),
            Topic("Who wins", sentences=tuple(_describe_wins(rules))),
        ),
    )


def _describe_duties(rules: Rules) -> list[Sentence]:
    found = [
        Sentence("Who can jump must jump, with any piece, or charge with a knight."),
        Sentence("Before that: a piece in its own castle must leave it, by a jump if it can."),
    ]
    if rules.charge_must_capture:
        found.append(Sentence("A knight whose canter lands where it could jump must end its move with a jump."))
    return found


def _describe_castles(rules: Rules, seats: int) -> list[Sentence]:
    found = [
        Sentence("One's own castle is entered only by a jump."),
        Sentence("A piece in the enemy castle stays there for the rest of the game; entering it ends the move."),
    ]
    if rules.castle_move_limit:
        found.append(
            Sentence(
                "Castle move: from one cell of the enemy castle to the other, {limit} times a game.",
                {"limit": rules.castle_move_limit},
            )
        )
    if seats > len(("one", "the other")):
        found.append(
            Sentence("The castle of the left-hand opponent is the one to reach; the right-hand one is never entered.")
        )
    return found


def _describe_wins(rules: Rules) -> list[Sentence]:
    one = rules.castle_pieces_to_win == 1
    found = [
        Sentence("One piece in the enemy castle wins." if one else "Two pieces in the enemy castle win."),
        Sentence("Taking every enemy piece wins."),
    ]
    if rules.min_pieces_to_win > 1:
        found.append(Sentence("One needs two pieces of one's own left, else it is a draw."))
    return found
