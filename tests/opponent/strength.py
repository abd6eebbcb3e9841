"""How strong the levels are, game after game: `make bench-strength` writes the figures into docs/engines.md.

What was played is kept in build/strength.jsonl, so that the games can be played a few minutes at a time: each call goes
on where the last one stopped, with whatever pairing is farthest from the games that are wanted of it. Games of a level
that was changed since are left out.

Levels that are bounded by nodes play here, without a process of their own: the moves are the same, and the games take a
tenth of the time. What is bounded by time is played by engines, as at a board.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

import click

from engine import games
from engine.game import Game, Move, Position
from opponent.contest.bout import Bout
from opponent.contest.bout import play_bout as bout
from opponent.contest.openings import draw_opening
from opponent.contest.participants import Team, parse_participant
from opponent.contest.series import play_series
from opponent.contest.statistics import estimate_share
from opponent.engines.client import Reply
from opponent.players.deep import Deep, new_core
from opponent.players.levels import level_of, limit_to_level
from opponent.players.thinking import Task
from opponent.vocabulary import HIGHEST, Limits

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "strength.jsonl"
PAGE = ROOT / "docs" / "engines.md"
BEGIN, END = "<!-- strength: make bench-strength -->", "<!-- end of strength -->"
GAMES = ("camelot", "tri-camelot", "cam-3d", "camblam")
MEASURES = ("greedy", "random")
MOVE_MS = 1_000
"""A move of level 10 against the two that measure."""
SECOND_NODES = {"tri-camelot": 400_000}
SLOW_SECOND_NODES = 100_000
"""What level 10 looks at in place of a second when it plays level 9, and itself with a tenth of it: about what a single
slow core does in a second, the first for games where that is more. More makes it stronger."""
CHEAP, DEAR, DEAREST = 200, 40, 20
"""Games wanted of a pairing, of one with a level above DEAR_FROM, and of one that is played by the clock."""
OF_THREE = 120
"""Games wanted of each step at a game of three, whose levels are quick."""
DEAR_FROM = 7
PLIES, SEED = 4, 1
"""Of each opening, at random; every opening is played once with each participant on each seat."""
PARTS = 10
"""In so many parts the games of a pairing are played, by turns with those of others."""


@dataclass(frozen=True)
class Pairing:
    """`who` is one participant a seat; results are those of the first. `name` is said of it in the table."""

    name: str
    game: str
    who: tuple[str, ...]
    limits: tuple[Limits, ...]
    wanted: int

    @property
    def key(self) -> str:
        """What its games are kept under: other levels and limits are another pairing."""
        return f"{self.game}: {', '.join(map(self._written, self.who, self.limits))}"

    def _written(self, who: str, limits: Limits) -> str:
        level = astuple(level_of(games.load(self.game), int(who))) if who.isdigit() else None
        return " ".join(str(part) for part in (who, level, limits.format_limits()) if part)


@dataclass(frozen=True)
class Result:
    """One game: the share of the point that the first had, plies, and what engines did wrong, as `SIDE KIND`."""

    share: float
    plies: int
    fault: str


def pairings() -> Iterator[Pairing]:
    """All that is measured."""
    for game in GAMES:
        nodes = SECOND_NODES.get(game, SLOW_SECOND_NODES)
        a_second, a_tenth = Limits(nodes=nodes), Limits(nodes=nodes // 10)
        others = len(games.load(game).seats) - 1
        for other in MEASURES:
            limits = (Limits(movetime_ms=MOVE_MS),) * (others + 1)
            yield Pairing(f"level 10 against {other}", game, ("10", *(other,) * others), limits, DEAREST)
        for level in range(2, HIGHEST + 1):
            limits = (a_second if level == HIGHEST else Limits(),) + (Limits(),) * others
            who = (str(level), *(str(level - 1),) * others)
            wanted = OF_THREE if others > 1 else DEAR if level > DEAR_FROM else CHEAP
            yield Pairing(f"level {level} against level {level - 1}", game, who, limits, wanted)
        who, limits = (str(HIGHEST),) * (others + 1), (a_second, *(a_tenth,) * others)
        yield Pairing("level 10 against itself with a tenth of the nodes", game, who, limits, DEAR)


class Inside:
    """A participant without a process of its own: the same player with the same limits, whatever is asked of it."""

    def __init__(self, game: Game, name: str, limits: Limits) -> None:
        core = new_core(game)
        if core is None:
            raise SystemExit("no compiled core: run `pip install -e .` where a compiler is")
        self._game, self._limits, self._level = game, limits, level_of(game, int(name))
        self._player, self._seed, self._way = Deep(core), 0, [game.start()]

    def begin(self, seed: int) -> None:
        """Another game."""
        self._seed, self._way = seed, [self._game.start()]

    def find_move(self, start: Position, moves: Sequence[str], position: Position, limits: Limits) -> Reply:
        """What the engine would answer; it has followed the game so far."""
        for text in moves[len(self._way) - 1 :]:
            move = self._game.read(self._way[-1], text)
            assert isinstance(move, Move)
            self._way.append(self._game.play(self._way[-1], move))
        task = Task(self._game, tuple(self._way), self._limits, self._seed)
        return Reply(self._player.choose_move(limit_to_level(task, self._level)), "", 0.0)


def kept() -> dict[str, list[Result]]:
    """The games that were played before, by pairing."""
    found = defaultdict(list)
    for line in KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else ():
        row = json.loads(line)
        found[row.pop("key")].append(Result(**row))
    return found


def play(pairing: Pairing, first: int, until: float) -> Iterator[Result]:
    """Some of the games that are wanted of a pairing, from the game `first` on; none is begun after `until`."""
    count = max(len(pairing.who), pairing.wanted // PARTS)
    for played, seating in _by_engines(pairing, first, count) if _timed(pairing) else _here(pairing, first, count):
        fault = f"{pairing.who[seating[played.fault[0]]]} {played.fault[1].kind}" if played.fault else ""
        yield Result(played.shares[seating.index(0)], len(played.moves), fault)
        if time.monotonic() > until:
            break


def _timed(pairing: Pairing) -> bool:
    return pairing.limits[0].movetime_ms is not None


def _opening(game: Game, round_: int) -> tuple[Move, ...]:
    return draw_opening(game, PLIES, SEED * 1_000_003 + round_)


def _by_engines(pairing: Pairing, first: int, count: int) -> Iterator[tuple[Bout, tuple[int, ...]]]:
    game = games.load(pairing.game)
    with closing(Team([parse_participant(text) for text in pairing.who])) as team:
        for played in play_series(game, team, count, partial(_opening, game), pairing.limits[0], SEED, first):
            yield played.bout, played.seating


def _here(pairing: Pairing, first: int, count: int) -> Iterator[tuple[Bout, tuple[int, ...]]]:
    game, seats = games.load(pairing.game), len(pairing.who)
    team = [Inside(game, name, limits) for name, limits in zip(pairing.who, pairing.limits, strict=True)]
    for number in range(first, first + count):
        round_, turn = divmod(number, seats)
        seating = tuple((seat + turn) % seats for seat in range(seats))
        for seat, one in enumerate(team):
            one.begin(SEED + number * seats + seat)
        yield bout(game, [team[who] for who in seating], _opening(game, round_), Limits()), seating


def measure(minutes: float, only: str) -> None:
    """Play pairings with `only` in their names for so long, or until there are as many games as are wanted."""
    until, found = time.monotonic() + 60 * minutes, kept()
    KEPT.parent.mkdir(exist_ok=True)
    chosen = [one for one in pairings() if only in f"{one.game}: {one.name}"]
    with KEPT.open("a", encoding="utf-8") as file:
        while time.monotonic() < until:
            pairing = min(chosen, key=lambda one: len(found[one.key]) / one.wanted)
            if len(found[pairing.key]) >= pairing.wanted:
                break
            for result in play(pairing, len(found[pairing.key]), until):
                found[pairing.key].append(result)
                file.write(json.dumps({"key": pairing.key, **vars(result)}) + "\n")
                file.flush()


def cell(results: Sequence[Result]) -> str:
    """A share with the interval that holds the true one 95 times in 100, and of how many games."""
    if not results:
        return "–"
    found = estimate_share([one.share for one in results])
    return f"{100 * found.mean:.0f} % ({100 * found.low:.0f}–{100 * found.high:.0f}, {found.games})"


def table(found: dict[str, list[Result]]) -> list[str]:
    """The figures in Markdown."""
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for pairing in pairings():
        rows[pairing.name][pairing.game] = cell(found[pairing.key])
    played = [one for pairing in pairings() for one in found[pairing.key]]
    faults = [one.fault for one in played if one.fault]
    late = sum(fault.endswith(" time") for fault in faults)
    return [
        "| share of the points | " + " | ".join(GAMES) + " |",
        "|---|" + "---|" * len(GAMES),
        *(f"| {name} | " + " | ".join(row.get(game, "–") for game in GAMES) + " |" for name, row in rows.items()),
        "",
        "In brackets: the interval that holds the true share 95 times in 100, and the games. "
        f"In all {len(played)} games:",
        f"{len(faults) - late} with an unlawful move or another fault, {late} lost on time.",
    ]


@click.command()
@click.option("--minutes", type=float, default=9.0, show_default=True, help="How long to go on playing; 0: only write.")
@click.option("--only", default="", help="Play only pairings with this in `GAME: NAME`, as in `camelot: level 3`.")
def command(minutes: float, only: str) -> None:
    """Play, and write what came of all games so far into docs/engines.md."""
    measure(minutes, only)
    lines = table(kept())
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]), encoding="utf-8")
    click.echo("\n".join(lines))


if __name__ == "__main__":
    command()
