"""What people read and see of a game: names, letters, drawings, and its rules in short. A game brings them itself.

All texts are English. Pages translate those that `server/languages` knows; a game from outside brings its translations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.game import Game
from engine.sentences import Sentence


class Topic(NamedTuple):
    """A part of the rules in short: a heading ("" for none), terms with their meaning, sentences."""

    heading: str
    terms: tuple[tuple[str, Sentence], ...] = ()
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class PieceKind:
    """A kind of piece: its name, the letter of its token, and its drawing: SVG shapes in a box of 45 x 45 units.

    Without a drawing it is shown as a round token with its letter. Shapes of the class "detail" take the second colour.
    """

    name: str
    letter: str
    drawing: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """All that a game says about itself. What is left out is made from its codes."""

    title: str
    kinds: Mapping[str, PieceKind] = field(default_factory=dict)
    """Piece code -> its kind."""
    seats: Mapping[str, str] = field(default_factory=dict)
    """Seat -> what it is called."""
    initials: Mapping[str, str] = field(default_factory=dict)
    """Seat -> the letter that stands for it where three colours may look alike."""
    looks: Mapping[str, str] = field(default_factory=dict)
    """Look -> what it is called."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """Reason of an outcome -> why the game is over."""
    brief: Mapping[str, str] = field(default_factory=dict)
    """Code of a refusal -> at most 16 characters for a text display."""
    castle: str = ""
    """Drawing of what marks a castle's cells, SVG shapes in a box of 18 x 18 units."""
    rules: tuple[Topic, ...] = ()
    """The rules in short."""
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Language (BCP 47) -> English text -> translation, for what `server/languages` does not know."""


def words_of(game: Game) -> Words:
    """What `game` says about itself, complete: also for a game that says nothing."""
    own = getattr(game, "words", None) or Words(game.name.replace("-", " ").title())
    return Words(
        title=own.title,
        kinds={code: own.kinds.get(code) or PieceKind(code[1:], code[1:]) for code in game.codes[1:]},
        seats={seat: own.seats.get(seat, seat.capitalize()) for seat in game.seats},
        initials={seat: own.initials.get(seat, seat[0].upper()) for seat in game.seats},
        looks={look: own.looks.get(look, look) for look in game.looks},
        ends=own.ends,
        brief=own.brief,
        castle=own.castle,
        rules=own.rules,
        texts=own.texts,
    )


def side_of(game: Game, code: str) -> str:
    """The seat whose piece has that code."""
    return game.seats[game.seat_of[game.codes.index(code)]]


def find_counters(game: Game) -> Mapping[str, str]:
    """Seat -> code of the piece it has most of at the start: what stands for the seat as a whole."""
    start = [game.codes[piece] for piece in game.start().placement if piece]
    return {seat: max((c for c in game.codes[1:] if side_of(game, c) == seat), key=start.count) for seat in game.seats}
