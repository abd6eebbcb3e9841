"""What one still look at the board means: a frozen value for each answer, compared and remembered by the referee."""

from __future__ import annotations

from dataclasses import dataclass

from engine.game import Move, Refusal


@dataclass(frozen=True, slots=True)
class Verdict:
    """An explanation of what stands on the board."""


@dataclass(frozen=True, slots=True)
class Still(Verdict):
    """The current position stands."""


@dataclass(frozen=True, slots=True)
class Raised(Verdict):
    """One piece of the side to move, or that of the last ply that may go on, is off its cell and nowhere else yet."""

    cell: int


@dataclass(frozen=True, slots=True)
class Unfinished(Verdict):
    """A lawful move with pieces still to be taken off (`remove`) or a way to go (`go_on`: where it ends).

    `replaces` plies before it did not stand: a landing of it was said as a ply. `landing` is the cell before the last
    one that the piece rests on; -1 where it has arrived, has not left, or is in the air. Where it `stands` it has not
    left: another piece that takes the same may be meant.
    """

    move: Move
    remove: tuple[int, ...]
    go_on: int = -1
    replaces: int = 0
    landing: int = -1
    stands: bool = False


@dataclass(frozen=True, slots=True)
class Played(Verdict):
    """Lawful moves, one after another, lead to what stands there. `replaces` plies before them did not stand.

    `others` are, for each ply, the moves that lead to the same position and may have been played as well, the likeliest
    first; () where no ply has any.
    """

    moves: tuple[Move, ...]
    replaces: int = 0
    others: tuple[tuple[Move, ...], ...] = ()

    def list_plies(self) -> list[tuple[Move, tuple[Move, ...]]]:
        """Each ply: the move, and those that may have been played in its place."""
        return list(zip(self.moves, self.others or ((),) * len(self.moves), strict=True))

    def drop_plies(self, count: int) -> Played:
        """What is left after the first plies."""
        return Played(self.moves[count:], 0, self.others[count:])


@dataclass(frozen=True, slots=True)
class Earlier(Verdict):
    """The position of `plies` moves ago stands again."""

    plies: int


@dataclass(frozen=True, slots=True)
class PutUpAgain(Verdict):
    """The start position stands again, whole, and it is not explained by taking plies back: `cleared` where the board
    was seen without its pieces meanwhile."""

    cleared: bool = False


@dataclass(frozen=True, slots=True)
class Wrong(Verdict):
    """Nothing lawful fits what surely stands there; `cells` differ from what would be lawful.

    If the attempt came after a ply that was not seen at rest, `before` are the cells that only that ply changed.
    """

    cells: tuple[int, ...]
    refusal: Refusal
    before: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Doubtful(Verdict):
    """Several explanations fit about equally, or none well: the notation of those worth asking about.

    `read` is the placement that is seen, None where nothing was read, and `differs` are the cells where it is not the
    last lawful one: what people may take as it stands.
    """

    options: tuple[str, ...]
    read: bytes | None = None
    differs: tuple[int, ...] = ()
    given_up: int = -1
    """The seat of the side whose pieces are all off the board, though nothing took them; -1 for none."""
    corrections: tuple[str, ...] = ()
    """What the last ply may have been instead: where a canter was said that goes on as a capture, no option is right.
    """


@dataclass(frozen=True, slots=True)
class Covered(Verdict):
    """Something that is no piece lies over these cells: a hand, a sleeve, a cup.

    `lifted` is the cell that one piece of the side to move has surely left meanwhile, -1 for none.
    """

    cells: tuple[int, ...]
    lifted: int = -1


@dataclass(frozen=True, slots=True)
class Contradicted(Verdict):
    """A person has said what was played, and these cells do not show it."""

    cells: tuple[int, ...]
