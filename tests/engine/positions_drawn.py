"""Positions for properties: reached by play, or set up at random, castles included."""

from __future__ import annotations

from hypothesis import strategies as st

from engine import games
from engine.game import Game, Position

FAMILY = (
    "camelot brainking",
    "camelot wcf",
    "tri-camelot wcf",
    "cam-3d wcf",
    "cam wcf",
    "camette wcf",
    "chivalry wcf",
)


def load(name: str) -> Game:
    """The game of an entry of FAMILY."""
    return games.load(*name.split())


@st.composite
def played(draw: st.DrawFn, game: Game, longest: int = 30) -> Position:
    """A position that play can reach, not over."""
    position = game.start()
    for choice in draw(st.lists(st.integers(0, 10_000), max_size=longest)):
        moves = game.moves(position)
        following = game.play(position, moves[choice % len(moves)])
        if not game.results(following):
            return position
        position = following
    return position


@st.composite
def scattered(draw: st.DrawFn, game: Game) -> Position:
    """Up to sixteen pieces anywhere, also in castles."""
    cells = st.integers(0, len(game.board.cells) - 1)
    codes = st.integers(1, len(game.codes) - 1)
    placement = bytearray(len(game.board.cells))
    for cell, code in draw(st.dictionaries(cells, codes, min_size=2, max_size=16)).items():
        placement[cell] = code
    return Position(bytes(placement), draw(st.integers(0, len(game.seats) - 1)), game.start().memory)


def positions(game: Game) -> st.SearchStrategy[Position]:
    """Both kinds."""
    return st.one_of(played(game), scattered(game))
