"""One evening, and what came of each promise: `python -m tests.bench.evening [--runs 10]`; exit 1 where one was broken.

Two games on one board, by the real parts (room.py): pieces put up, hints, a capture left standing, a takeback, an
unlawful move, a lamp, a bump, a power cut, a resignation by button, the next game by putting the pieces up, a draw on
the page, and the score sheets. Each step is shown until all that is promised has come, or PATIENCE_S are over.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from server.record.evidence import EVIDENCE
from server.record.journal import fold_events
from server.record.store import open_record
from tests.bench.evening.expected import Look, brief, without_passing
from tests.bench.evening.room import GLOW, Room, furnished
from tests.bench.evening.story import Step, Story

MOVING_S, QUIET_S, SHAKEN_S = 0.4, 1.0, 0.3
"""So long a picture with a hand is shown, one without, one that shakes."""
PATIENCE_S = 25.0
"""A promise that is not kept by then is broken: a crowded machine takes a few seconds."""
SETTLES_S, NOTHING_S = 1.2, 3.0
"""Nothing else may come within the first after all has: a blink and a half. Where nothing is to be said, what is
promised must hold after the second."""
LOOK_S = 0.1
HOPELESS = 3


@dataclass
class Evening:
    """What came of one."""

    rows: list[tuple[str, float, str]] = field(default_factory=list)
    """Each step, the seconds until all had come, and what had not."""
    said: list[str] = field(default_factory=list)
    """Everything that was said, but what hands happen to show."""
    sheets: str = ""

    @property
    def kept(self) -> int:
        """How many steps went as promised."""
        return sum(not broken for _, _, broken in self.rows)


def play(folder: Path, glow: float, pictures: Path | None = None, films: bool = False) -> Evening:
    """One evening, given up where HOPELESS steps in a row were broken."""
    story, evening = Story(), Evening()
    folder.mkdir(parents=True, exist_ok=True)
    with furnished(folder, story.game, story.stage.frames[-1].scene, glow) as room:
        if films:
            room.film.keeps = folder / "film"
            room.film.keeps.mkdir()
        room.start()
        room.see_page()
        for step in story.steps():
            since = len(room.told)
            took, broken = taken(room, story, step)
            evening.rows.append((step.name, took, broken))
            click.echo(f"  {'broken' if broken else 'kept':7}{took:5.1f} s  {step.name}")
            if broken:
                click.echo(broken)
                click.echo(f"      told: {room.told[since:]}")
            if pictures is not None and room.driver is not None:
                room.driver.save_screenshot(str(pictures / f"{len(evening.rows):02}.png"))
            if all(broken for _, _, broken in evening.rows[-HOPELESS:]) and len(evening.rows) >= HOPELESS:
                break
        evening.said = [brief(event) for event in without_passing(room.told)]
        room.cut()
        evening.sheets = sheets(room, story.played)
    return evening


def taken(room: Room, story: Story, step: Step) -> tuple[float, str]:
    """A step: the seconds from its last picture until all had come, and what had not, line by line."""
    since, before = len(room.told), len(story.stage.frames)
    step.acts(room)
    step.does()
    new = story.stage.frames[before:]
    for frame in new[:-1]:
        room.film.scene = frame.scene
        time.sleep(SHAKEN_S if frame.scene.shake_px else MOVING_S if frame.kind == "moving" else QUIET_S)
    if new:
        room.film.scene = new[-1].scene
    if not step.promise.said:
        time.sleep(NOTHING_S)
    began, look = time.monotonic(), Look(room, step.promise, since)
    while not look.again().kept and time.monotonic() - began < PATIENCE_S:
        time.sleep(LOOK_S)
    took, settled = time.monotonic() - began, time.monotonic() + SETTLES_S
    while look.seen.kept and time.monotonic() < settled:
        look.again()
        time.sleep(LOOK_S)
    while not look.again().kept and time.monotonic() < settled + SETTLES_S:  # a display that is just being written
        time.sleep(LOOK_S)
    wanted, seen = step.promise, look.seen
    rows = (
        ("record", "; ".join(map(brief, wanted.said)) or "nothing", seen.record),
        (
            "lights",
            ", ".join(f"{cell} {name}{' blinks' * blinks}" for cell, (name, blinks) in wanted.lights.items()),
            seen.lights,
        ),
        ("text", " / ".join(wanted.text), seen.text),
        ("page", "stale" if wanted.stale else f"{' | '.join(wanted.page)} | {wanted.plies} plies", seen.page),
    )
    return took, "\n".join(
        f"      {name}: expected {promised}\n{'':13}came {came}" for name, promised, came in rows if came
    )


def sheets(room: Room, played: list[list[str]]) -> str:
    """What is wrong with the record afterwards, and the files made of it; "" for nothing."""
    faults = []
    with open_record(room.record) as record:
        names = sorted(record.event_counts())
        games = {name: [event for event in record.read_events(name) if event["event"] != EVIDENCE] for name in names}
    for name, plies in zip(names, played, strict=False):
        match = fold_events(games[name], name)
        kept = [match.game.write(p, m) for p, m in zip(match.positions, match.moves, strict=False)]
        if kept != plies or match.outcome is None:
            faults.append(f"{name}: {' '.join(kept)}, {match.outcome}")
        for ending in ("pgn", "pdf", "html"):
            faults += _ran(room, "games", "export", name, "--record", str(room.record), "-o", f"{name}.{ending}")
        faults += _ran(room, "check", f"{name}.pgn")
    if len(names) != len(played):
        faults.append(f"{len(names)} games in the record")
    return "\n".join(faults + _ran(room, "verify", "--record", str(room.record)))


def _ran(room: Room, *command: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "server", *command], cwd=room.folder, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[3]), "HOME": str(room.folder), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return [f"{' '.join(command)}: {done.stdout}{done.stderr}".strip()] if done.returncode else []


@click.command()
@click.option("--runs", default=1, show_default=True)
@click.option("--glow", default=GLOW, show_default=True, help="Levels of the picture for a level of an LED.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Folder for record, traces and film.")
@click.option("--pictures", type=click.Path(file_okay=False, path_type=Path), help="Folder for what the page showed.")
def command(runs: int, glow: float, keep: Path | None, pictures: Path | None) -> None:
    """Play, compare, and say."""
    first: list[str] | None = None
    bad = False
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    for run in range(1, runs + 1):
        click.echo(f"evening {run}")
        with TemporaryDirectory() as folder:
            evening = play(Path(folder) if keep is None else keep / f"{run}", glow, pictures, keep is not None)
        first = evening.said if first is None else first
        same = evening.said == first
        slowest = max(evening.rows, key=lambda row: row[1])
        click.echo(
            f"evening {run}: {evening.kept} of {len(evening.rows)} steps as promised, slowest {slowest[1]:.1f} s "
            f"({slowest[0]}); the record and its sheets {'are right' if not evening.sheets else 'are NOT right'}; "
            f"{'the same events as the first' if same else 'OTHER events than the first'}"
        )
        if evening.sheets:
            click.echo(evening.sheets)
        if not same:
            click.echo("\n".join(f"  {a}  |  {b}" for a, b in zip(first, evening.said, strict=False) if a != b))
        bad |= evening.kept < len(evening.rows) or bool(evening.sheets) or not same
    sys.exit(bad)


if __name__ == "__main__":
    command()
