"""`referee match`: engines play each other, and what the results prove."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from engine import games
from engine.errors import InputError
from engine.game import Game, Move
from engine.text import records
from opponent.contest.openings import draw_opening, list_recorded_openings
from opponent.contest.participants import Team, parse_participant
from opponent.contest.series import SeriesGame, play_series, record_series_game
from opponent.contest.statistics import decide_test, elo_difference, estimate_share
from opponent.vocabulary import Limits
from server.disk import set_existing_aside
from server.inputs import read_text
from server.masking import print_line
from server.options import OUT_FILE, gather_options
from server.saying import describe_default_rules


@dataclass(frozen=True, slots=True)
class Pace:
    """How long engines may think; what is None is not limited."""

    nodes: int | None
    movetime: int | None
    clock: int | None
    increment: int

    def build_limits(self, seats: int) -> Limits:
        """The same for each seat."""
        clocks, increments = ((self.clock,) * seats, (self.increment,) * seats) if self.clock else ((), ())
        return Limits(self.nodes, self.movetime, None, clocks, increments)


@dataclass(frozen=True, slots=True)
class Openings:
    """How games begin: by the first plies of the records in `source`, or without it by plies at random."""

    source: str | None
    plies: int

    def load_openings(self, game: Game, seed: int) -> Callable[[int], Sequence[Move]]:
        """The nth opening."""
        if self.source is None:
            return lambda number: draw_opening(game, self.plies, seed * 1_000_003 + number)
        found = list_recorded_openings(game, records.read_pgn(read_text(self.source), self.source), self.plies)
        return lambda number: found[number % len(found)]


pace_options = gather_options(
    "pace",
    Pace,
    click.option("--nodes", type=click.IntRange(1), help="Nodes a move."),
    click.option("--movetime", type=click.IntRange(1), help="Milliseconds a move."),
    click.option("--clock", type=click.IntRange(1), help="Milliseconds a game and player."),
    click.option("--increment", type=click.IntRange(0), default=0, help="Milliseconds added after each move."),
)
openings_options = gather_options(
    "openings",
    Openings,
    click.option(
        "--openings",
        "source",
        metavar="FILE",
        help="Records whose first plies begin the games; default: plies at random.",
    ),
    click.option("--plies", type=click.IntRange(0, 60), default=4, show_default=True, help="Plies of an opening."),
)


@click.command
@click.argument("engines", nargs=-1, required=True, metavar="A B [C]")
@click.option("--game", "name", default="camelot", show_default=True, help="What is played.")
@click.option("--rules", help="Rule set, with switches as in `wcf,castle_move_limit=3`.")
@click.option(
    "--games", "count", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many games."
)
@pace_options
@openings_options
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="For openings and players.")
@click.option(
    "--sprt", type=(float, float), metavar="LOW HIGH", help="Stop once A is HIGH Elo points better, or only LOW."
)
@click.option("--record", "kept", type=OUT_FILE, help="Write the games to this file, as text.")
def command(
    engines: tuple[str, ...],
    name: str,
    rules: str | None,
    count: int,
    pace: Pace,
    openings: Openings,
    seed: int,
    sprt: tuple[float, float] | None,
    kept: Path | None,
) -> None:
    """Let engines play: each a level (7), a player (random, greedy, playouts) or the command of a UGI engine in quotes.

    Every opening is played with each engine on each seat. Results are those of A.
    """
    game = games.load(name, rules)
    seats = len(game.seats)
    limits = pace.build_limits(seats)
    _check_options(name, seats, len(engines), sprt, limits)
    team = Team([parse_participant(text) for text in engines])
    begin = openings.load_openings(game, seed)
    if rules is None and (said := describe_default_rules("This match", game)):
        print_line(f"referee: {said}", err=True)
    played: list[SeriesGame] = []
    try:
        course = play_series(game, team, count, begin, limits, seed)
        with click.progressbar(course, count, file=sys.stderr, item_show_func=lambda _: _format_score(played)) as bar:
            for found in bar:
                played.append(found)
                _append_record(kept, game, [who.name for who in team.participants], found)
                if sprt and decide_test([one.find_points(0) for one in played], *sprt):
                    break
    finally:
        team.close()
    for line in _summarize_results(game, [who.name for who in team.participants], played, sprt):
        print_line(line)


def _check_options(name: str, seats: int, engines: int, sprt: tuple[float, float] | None, limits: Limits) -> None:
    """InputError for what does not go together."""
    if engines != seats:
        raise InputError(f"match: {name} is played by {seats}, {engines} engines are named")
    if sprt is not None and (seats != 2 or sprt[0] >= sprt[1]):
        raise InputError("match: --sprt LOW HIGH is for two players, LOW below HIGH")
    if limits == Limits():
        raise InputError("match: give --nodes, --movetime or --clock")


def _append_record(path: Path | None, game: Game, names: Sequence[str], played: SeriesGame) -> None:
    if path is None:
        return
    if played.number == 0:
        set_existing_aside(path)
    with path.open("w" if played.number == 0 else "a", encoding="utf-8") as file:
        file.write(records.write_pgn(record_series_game(game, names, played), len(game.seats)) + "\n")


def _format_score(played: Sequence[SeriesGame]) -> str:
    return f"{sum(one.find_points(0) for one in played):g} of {len(played)}"


def _summarize_results(
    game: Game, names: Sequence[str], played: Sequence[SeriesGame], sprt: tuple[float, float] | None
) -> list[str]:
    """The result of A with its error bar, how games ended, and what engines did wrong."""
    results = [one.find_points(0) for one in played]
    found = estimate_share(results)
    won, lost = sum(result == 1 for result in results), sum(result == 0 for result in results)
    lines = [
        f"{names[0]} against {', '.join(names[1:])}, {game.name} {game.rules}: "
        f"{won} won, {len(results) - won - lost} drawn, {lost} lost",
        f"share {100 * found.mean:.1f} % (95 % between {100 * found.low:.1f} and {100 * found.high:.1f})",
    ]
    if len(names) == 2:
        lines[-1] += (
            f", {elo_difference(found.mean):+.0f} Elo points"
            f" ({elo_difference(found.low):+.0f} to {elo_difference(found.high):+.0f})"
        )
    if sprt:
        lines.append(f"test {sprt[0]:g} to {sprt[1]:g} points: {decide_test(results, *sprt) or 'not decided yet'}")
    ends = Counter(one.bout.reason for one in played)
    plies = sum(len(one.bout.moves) for one in played) / max(len(played), 1)
    lines.append(f"ended by {', '.join(f'{why} {n}' for why, n in ends.most_common())}; {plies:.0f} plies a game")
    faults = Counter(
        (names[one.seating[one.bout.fault[0]]], one.bout.fault[1].message) for one in played if one.bout.fault
    )
    lines += [f"{who}: {what} ({n} games)" for (who, what), n in faults.most_common(10)]
    return lines
