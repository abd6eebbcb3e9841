"""How strong the levels are, game after game: `make bench-strength` writes the figures into docs/engines.md.

What was played is kept in build/strength.jsonl, so that the games can be played a few minutes at a time: each call goes
on where the last one stopped, with whatever pairing is farthest from the games that are wanted of it.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from engine import games
from opponent.contest.openings import at_random
from opponent.contest.participants import Team, participant
from opponent.contest.series import games_of
from opponent.contest.statistics import share
from opponent.players.levels import NODES
from opponent.vocabulary import Limits

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "strength.jsonl"
PAGE = ROOT / "docs" / "engines.md"
BEGIN, END = "<!-- strength: make bench-strength -->", "<!-- end of strength -->"
GAMES = ("camelot", "tri-camelot", "cam-3d", "camblam")
MEASURES = ("greedy", "random")
CLOCK_MS, INCREMENT_MS = 6_000, 50
"""Of each player against the two that measure: some 0.2 s a move at first. More makes level 10 stronger."""
MOST, FEW, DEAR = 100, 20, 7
"""Games wanted of a pairing, and of one with a level above the third number: such a game takes half a minute."""
PLIES, SEED = 4, 1
"""Of each opening, at random; every opening is played once with each participant on each seat."""


@dataclass(frozen=True)
class Pairing:
    """`who` is one participant a seat; results are those of the first."""

    game: str
    who: tuple[str, ...]
    limits: Limits
    wanted: int

    @property
    def key(self) -> str:
        """What its games are kept under."""
        return f"{self.game}: {' '.join(self.who)}"


@dataclass(frozen=True)
class Result:
    """One game: the share of the point that the first had, plies, and what engines did wrong, as `SIDE KIND`."""

    share: float
    plies: int
    fault: str


def pairings() -> Iterator[Pairing]:
    """All that is measured."""
    for name in GAMES:
        seats = len(games.load(name).seats)
        clocks = Limits(clocks_ms=(CLOCK_MS,) * seats, increments_ms=(INCREMENT_MS,) * seats)
        for other in MEASURES:
            yield Pairing(name, ("10", *(other,) * (seats - 1)), clocks, MOST)
        for level, most in enumerate(NODES, start=1):
            if level > 1 and most is not None:
                others = (str(level - 1),) * (seats - 1)
                yield Pairing(name, (str(level), *others), Limits(nodes=most), FEW if level > DEAR else MOST)


def kept() -> dict[str, list[Result]]:
    """The games that were played before, by pairing."""
    found = defaultdict(list)
    for line in KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else ():
        row = json.loads(line)
        found[row.pop("key")].append(Result(**row))
    return found


def play(pairing: Pairing, first: int, until: float) -> Iterator[Result]:
    """A tenth of the games that are wanted of a pairing, from the game `first` on; none is begun after `until`."""
    game, seats = games.load(pairing.game), len(pairing.who)
    count = max(seats, pairing.wanted // 10)
    with closing(Team([participant(text) for text in pairing.who])) as team:
        begin = partial(at_random, game, PLIES)
        opened = games_of(
            game, team, count, lambda number: begin(SEED * 1_000_003 + number), pairing.limits, SEED, first
        )
        for played in opened:
            fault = played.bout.fault
            said = f"{pairing.who[played.seating[fault[0]]]} {fault[1].kind}" if fault else ""
            yield Result(played.points(0), len(played.bout.moves), said)
            if time.monotonic() > until:
                break


def measure(minutes: float) -> None:
    """Play for so long, or until there are as many games as are wanted."""
    until, found = time.monotonic() + 60 * minutes, kept()
    KEPT.parent.mkdir(exist_ok=True)
    with KEPT.open("a", encoding="utf-8") as file:
        while time.monotonic() < until:
            pairing = min(pairings(), key=lambda one: len(found[one.key]) / one.wanted)
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
    found = share([one.share for one in results])
    return f"{100 * found.mean:.0f} % ({100 * found.low:.0f}–{100 * found.high:.0f}, {found.games})"


def table(found: dict[str, list[Result]]) -> list[str]:
    """The figures in Markdown."""
    rows: dict[str, dict[str, str]] = defaultdict(dict)
    for pairing in pairings():
        first, other = (f"level {text}" if text.isdigit() else text for text in pairing.who[:2])
        rows[f"{first} against {other}"][pairing.game] = cell(found[pairing.key])
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
def command(minutes: float) -> None:
    """Play, and write what came of all games so far into docs/engines.md."""
    measure(minutes)
    lines = table(kept())
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]), encoding="utf-8")
    click.echo("\n".join(lines))


if __name__ == "__main__":
    command()
