"""The rule that a move breaks, and nothing about the moves that would be lawful: what those hear who are not helped."""

from __future__ import annotations

from collections.abc import Mapping

RULES_ALONE: Mapping[str, str] = {
    "ambiguous": "Several moves lead there: write every landing.",
    "blocked": "The way there is blocked.",
    "castle-moves-used": "This side has made all its castle moves.",
    "check": "The own king could then be captured.",
    "ends-where-it-began": "A canter may not end where it began.",
    "game-over": "The game is over: no more moves.",
    "in-castle": "A piece in the enemy castle ends its move there and never leaves it.",
    "men-cannot-charge": "Only a knight may charge, that is jump after a canter.",
    "must-capture-after-canter": "A knight whose canter lands where it could jump must end its move with a capture.",
    "must-continue": "A piece that can jump on must.",
    "must-jump": "A piece that can jump must.",
    "must-jump-out": "A piece in its own castle that can jump out must.",
    "must-leave-castle": "A piece in its own castle must leave it.",
    "no-piece": "There is no piece on that cell.",
    "not-a-move": "That is no move of this piece.",
    "not-yours": "The piece there is not of the side to move.",
    "occupied": "The cell is occupied: a piece moves to an empty cell.",
    "off-board": "The board has no such cell.",
    "order-canter-then-jump": "A canter may not follow a jump: canters come first, then jumps.",
    "out-of-range": "That is too far for this piece.",
    "own-castle": "The own castle is entered only by a jump.",
    "right-hand-castle": "The castle of the right-hand opponent is never entered.",
    "unreadable": "That cannot be read as a move.",
}
"""Code of a refusal -> its rule, without the pieces, cells and moves that would follow it."""
NO_LAWFUL_MOVE = "That is not a lawful move."
