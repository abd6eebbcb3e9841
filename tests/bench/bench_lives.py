"""Is the next game a new one? `python -m tests.bench.bench_lives` plays two games on a table, with all that is between.

Each scene is a film with hands: some plies, the pieces put up again, some more. The real service watches it and writes
a record. Counted is in how many scenes the first game stands in the record as it was played, and the second whole.
Events of the first may follow what stood in its record before, as when hands that put pieces up seemed to play, and
that was taken back: they are counted too. With `--one-by-one` the plies are taken back instead, each by itself: then
there is one game, which goes on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from calibration.profile import Profile
from engine.match.acts import Resign
from engine.match.referee import new_match
from engine.match.state import Match
from server.board.live.camera import RecordingEnded
from server.board.live.service import Service
from server.record.journal import Journal, fold_events
from server.record.store import open_record
from server.web.feed import Feed
from tests.render.lives import Evening, evening
from tests.render.script import Recipe
from tests.vision.pictures import true_views
from vision.watch.watcher import Watcher

BOARDS = {
    "green": Recipe(look="green", pieces="white_red", light="office"),
    "lines": Recipe(look="lines", pieces="ivory_brown", light="day"),
}
THEN = 4
"""Plies of the second game."""


@dataclass(frozen=True)
class Kept:
    """What stands in the record afterwards."""

    games: tuple[tuple[str, ...], ...]
    """The plies of each game, as its record says in the end."""
    asked: int
    """How many times something was asked or refused while the pieces were put up."""
    news: tuple[str, ...]
    """What every new game came after."""
    taken_back: int
    """How many plies were taken back."""


def refereed(shown: Evening, folder: Path, with_result: bool = False) -> Kept:
    """Watch an evening with the real service; `with_result` Black resigns by button before the pieces are put up."""
    over = sum(count for _, count in shown.shown[: shown.ended]) - 1
    stage = shown.stage
    profile = Profile(stage.game.name, tuple(true_views(shown.shown[0][0])), (97,), "drawn")
    feed = Feed()
    with open_record(folder / "games.sqlite3") as record:
        journal = Journal(record, "camelot-0001")
        match = new_match(stage.game)
        journal.begin_game(match)
        service = Service(Watcher(profile, match), journal, feed)
        for number, frame in enumerate(shown.frames()):
            service.inbox.put(frame)
            if with_result and number == over:
                service.inbox.put(Resign("black", by="button"))
        service.inbox.put(RecordingEnded())
        service.run_loop()
        events = {name: record.read_events(name) for name in record.played_games()}
    told = list(_told(feed))
    games = tuple(_plies(fold_events(one, name)) for name, one in events.items())
    kinds = Counter(str(event["event"]) for event in told)
    news = tuple(str(event["after"]) for event in told if event["event"] == "new-game")
    taken_back = sum(int(str(event["plies"])) for event in told if event["event"] == "takeback")
    return Kept(games, kinds["unclear"] + kinds["illegal"], news, taken_back)


def _plies(match: Match) -> tuple[str, ...]:
    pairs = zip(match.positions, match.moves, strict=False)
    return tuple(match.game.write(position, move) for position, move in pairs)


def _told(feed: Feed) -> Iterator[dict[str, object]]:
    messages, _, _ = feed.read_news(0)
    yield from (json.loads(message.text) for message in messages if message.kind == "event")


@click.command()
@click.option("--scenes", default=3, show_default=True, help="of each row")
@click.option("--plies", default="1,4,10,60", show_default=True)
@click.option("--board", type=click.Choice(list(BOARDS)), multiple=True, default=tuple(BOARDS))
@click.option("--one-by-one", is_flag=True, help="Take the plies back instead of putting the pieces up again.")
@click.option("--with-result", is_flag=True, help="The first game is over before the pieces are put up again.")
def command(scenes: int, plies: str, board: tuple[str, ...], one_by_one: bool, with_result: bool) -> None:
    """Print a row for each board and number of plies."""
    for name in board:
        for count in map(int, plies.split(",")):
            right = again = asked = 0
            for seed in range(scenes):
                shown = evening(replace(BOARDS[name], seed=seed, plies=count), THEN, one_by_one)
                with TemporaryDirectory() as folder:
                    kept = refereed(shown, Path(folder), with_result)
                games = (shown.second,) if one_by_one else (shown.first, shown.second)
                good = kept.games == games and (not one_by_one or kept.taken_back == count)
                good &= not with_result or kept.news == ("1-0",)
                right += good
                again += not one_by_one and kept.taken_back > 0
                asked += kept.asked
                if not good:
                    click.echo(f"  {name} {count} seed {seed}: {kept} instead of {shown.first} {shown.second}")
            click.echo(
                f"{name}, {count} plies: {right} of {scenes}"
                + (f", in {again} by taking back what hands did" if again else "")
                + (f", {asked} times something was asked or refused" if asked else "")
            )


if __name__ == "__main__":
    command()
