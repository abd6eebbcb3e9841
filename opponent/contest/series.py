"""Many games: every opening is played once with each participant on each seat in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.game import Game, Move
from engine.text.records import WrittenGame
from engine.text.replay import record_of
from opponent.contest.bout import Bout, play_bout
from opponent.contest.participants import Team
from opponent.vocabulary import Limits


@dataclass(frozen=True)
class SeriesGame:
    """A game of a series: `seating` gives for each seat the number of the participant."""

    number: int
    seating: tuple[int, ...]
    bout: Bout

    def find_points(self, participant: int) -> float:
        """What a participant got of one point."""
        return self.bout.shares[self.seating.index(participant)]


def play_series(
    game: Game,
    team: Team,
    count: int,
    begin: Callable[[int], Sequence[Move]],
    limits: Limits,
    seed: int,
    first: int = 0,
) -> Iterator[SeriesGame]:
    """`count` games one after the other, from the game `first` on; `begin(n)` is the nth opening."""
    seats = len(game.seats)
    for number in range(first, first + count):
        round_, turn = divmod(number, seats)
        seating = tuple((seat + turn) % seats for seat in range(seats))
        engines = [team.prepare_engine(participant, game, seed + number) for participant in seating]
        yield SeriesGame(number, seating, play_bout(game, engines, begin(round_), limits))


def record_series_game(game: Game, names: Sequence[str], played: SeriesGame) -> WrittenGame:
    """The record of a game, with who sat where and how it ended."""
    sides = [(side.capitalize(), names[who]) for side, who in zip(game.seats, played.seating, strict=True)]
    tags = [("Event", "Contest of engines"), ("Round", str(played.number + 1)), *sides]
    ended = [("Termination", played.bout.reason)]
    return record_of(game, played.bout.stands, played.bout.moves, [*tags, *ended], played.bout.result)
