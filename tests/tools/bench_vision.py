"""Figures of vision: every stored recording and some dozens of drawn games, refereed as if from a camera.

`python -m tests.tools.bench_vision` prints a line a sequence and the totals beside those of the last run, and writes
docs/benchmarks.md and docs/benchmarks.json. Seeds from HELD_BACK on are for measuring only: nothing is tuned on them.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import click
import cv2
import numpy as np

from tests.render.script import Recipe
from tests.render.solids import MAN
from tests.render.styles import LIGHTS, LOOKS, SETS, TABLES
from tests.tools.referee_recording import USUAL, Report, recording, referee, rendering, session_folders

ROOT = Path(__file__).parents[2]
SESSIONS = ROOT / "tests" / "data" / "sessions"
PAGE, FIGURES = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "benchmarks.json"
FAILURES = ROOT / "build" / "bench-vision"
HELD_BACK = 14075
"""Seeds before it were looked into while reading was built."""
GAMES = ("camelot", "camelot", "camelot", "tri-camelot", "cam-3d", "camblam")
"""Three in six are the game that most people will play."""
RATES = (5.0, 8.0, 8.0, 15.0, 30.0)
"""Frames a second of the drawn games in turn: webcams give 30 by day, 8 to 15 in the evening, some old ones 5."""
RESTS_S = (USUAL.hands_s, 0.8, USUAL.hands_s, 1.6)
"""How long hands rest in each of their poses, in turn: most go on at once, some hover or keep a finger on the piece."""
PLIES = 12
VERDICT_S = 0.5
"""A move should be said so soon after the board is free of hands and still."""
SIZES = {"cam-3d": (1280, 960)}
USUAL_SIZE = (960, 720)


def drawn_recipe(seed: int) -> Recipe:
    """Board, pieces, light and camera of a held-back game, all by its seed."""
    chance = np.random.default_rng(seed)
    game = GAMES[seed % len(GAMES)]

    def one_of(names: object) -> str:
        choices = sorted(names)  # type: ignore[call-overload]  # any collection of names
        return str(choices[int(chance.integers(len(choices)))])

    return Recipe(
        game=game,
        seed=seed,
        plies=PLIES,
        look=one_of(LOOKS),
        pieces=one_of(SETS),
        shape=one_of(MAN),
        table=one_of(TABLES),
        light=one_of(LIGHTS),
        markers=bool(chance.integers(2)),
        elevation=float(chance.uniform(42, 68)),
        azimuth=float(chance.uniform(-180, 180)),
        size_wh=SIZES.get(game, USUAL_SIZE),
        with_empty=False,
    )


def drawn_pace(seed: int) -> tuple[float, float]:
    """Frames a second of a held-back game, and how long hands rest in it: every game meets every pair."""
    turn = seed // len(GAMES)
    return RATES[turn % len(RATES)], RESTS_S[turn // len(RATES) % len(RESTS_S)]


def reports(
    drawn: int, first: int, jobs: int, fps: float | None, hands_s: float | None
) -> Iterator[tuple[str, Report]]:
    """Every stored recording, then as many drawn games, each with the group that it counts in."""
    seeds = range(first, first + drawn)
    paces = [(USUAL.fps, USUAL.hands_s)] * len(session_folders(SESSIONS)) + [drawn_pace(seed) for seed in seeds]
    chosen = [(rate if fps is None else fps, rest if hands_s is None else hands_s) for rate, rest in paces]
    with ProcessPoolExecutor(jobs) as workers:
        yield from workers.map(_reported, [*session_folders(SESSIONS), *seeds], chosen)


def _reported(what: Path | int, pace: tuple[float, float]) -> tuple[str, Report]:
    """The report of a recording or of the game drawn with a seed, and the group that it counts in."""
    cv2.setNumThreads(1)  # one core each, as the figures say
    fps, hands_s = pace
    if isinstance(what, Path):
        return "path traced", referee(*recording(what), fps=fps, hands_s=hands_s)
    recipe = drawn_recipe(what)
    return f"drawn {recipe.game}", referee(*rendering(recipe), fps=fps, hands_s=hands_s)


def summed(found: list[Report]) -> dict[str, float]:
    """Figures of several reports."""
    delays = [delay for report in found for delay in report.delays_s]
    out: dict[str, float] = {"sequences": len(found), "flawless": sum(r.flawless for r in found)}
    for name in ("plies", "right", "helped", "wrong", "early", "asked", "illegal", "found", "false", "frames"):
        out[name] = sum(getattr(r, name) for r in found)
    out["delay_median_s"] = round(float(np.median(delays)), 2) if delays else 0.0
    out["delay_most_s"] = round(max(delays, default=0.0), 2)
    out["late"] = sum(delay > VERDICT_S for delay in delays)
    out["frame_ms"] = round(float(np.mean([r.frame_ms for r in found])), 1)
    for stage in ("gate_ms", "read_ms", "decide_ms"):
        out[stage] = round(float(np.median([r.stages.get(stage, 0.0) for r in found])), 1)
    return out


def line(name: str, figures: dict[str, float], before: dict[str, float]) -> str:
    """One line of figures, with the last run's beside those that changed."""
    shown = []
    for key, value in figures.items():
        last = before.get(key)
        shown.append(f"{key} {value:g}" + (f" (was {last:g})" if last not in (None, value) else ""))
    return f"{name}: " + ", ".join(shown)


def rate_of(report: Report) -> str:
    """At what rate the frames came."""
    return f"{report.fps:g} frames a second"


def rest_of(report: Report) -> str:
    """How long hands rested."""
    return f"hands rest {report.hands_s:g} s"


def _by_number(pace: str) -> tuple[bool, float]:
    """Rates first, then rests, each by its number."""
    words = pace.split()
    return (True, float(words[-2])) if words[0] == "hands" else (False, float(words[0]))


def page(groups: dict[str, dict[str, float]], remarks: list[str]) -> str:
    """docs/benchmarks.md."""
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    columns = {
        "sequences": "sequences",
        "flawless": "all right",
        "plies": "plies",
        "right": "right",
        "helped": "helped",
        "wrong": "wrong",
        "early": "early",
        "asked": "asked",
        "illegal": "illegal",
        "found": "found",
        "false": "false alarms",
        "delay_median_s": "s to verdict, median",
        "delay_most_s": "most",
        "late": "later than 0.5 s",
        "frame_ms": "ms a frame",
        "gate_ms": "gate",
        "read_ms": "read",
        "decide_ms": "decide",
    }
    rows = [
        "# Figures of vision",
        "",
        f"Measured {day} on {platform.machine()}, Python {platform.python_version()}, OpenCV {cv2.__version__}, by",
        "`make bench-vision`. Every recording is streamed as from a camera (fresh noise and flicker; the stored ones",
        "at 8 frames a second, the drawn ones at 5 to 30, with hands that rest in each of their poses for 0.25 to 1.6",
        "seconds), calibrated by its markers or by corners 3 px off, and refereed from the start position.",
        "",
        "*Right* are plies said right without help, *helped* those that a person had to say: the referee asked, or",
        "refused a lawful move, or was two plies behind. *Wrong* counts moves that were said and never put right,",
        "*early* those said at a pause within a chain and corrected, *asked* questions with options. *Found* are",
        "unlawful placements called with the code of the rule that they break. Seconds to the verdict count from",
        "the first picture without hands, not shaken, that shows the game and nothing fallen, unlawful or half done.",
        "*ms a frame* is processor time over all frames; the stages are medians by the clock over the frames that had",
        "them.",
        "",
        "| | " + " | ".join(columns.values()) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for name, figures in groups.items():
        rows.append(f"| {name} | " + " | ".join(f"{figures[key]:g}" for key in columns) + " |")
    if remarks:
        rows += ["", "## What went wrong", "", *(f"- {remark}" for remark in remarks)]
    return "\n".join(rows) + "\n"


@click.command()
@click.option("--drawn", default=60, show_default=True, help="how many drawn games")
@click.option("--first", default=HELD_BACK, show_default=True, help="seed of the first of them")
@click.option("--jobs", default=1, show_default=True, help="sequences refereed side by side, a core each")
@click.option("--fps", type=float, help="frames a second of all sequences, instead of several rates")
@click.option("--hands", type=float, help="seconds that hands rest in each of their poses, instead of several")
@click.option("--write/--no-write", default=True, help="write docs/benchmarks.*")
def command(drawn: int, first: int, jobs: int, fps: float | None, hands: float | None, write: bool) -> None:
    """Referee everything and print the figures."""
    before = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    found: dict[str, list[Report]] = {}
    paces: dict[str, list[Report]] = {}
    remarks = []
    for group, report in reports(drawn, first, jobs, fps, hands):
        found.setdefault(group, []).append(report)
        for pace in (rate_of(report), rest_of(report)):
            paces.setdefault(pace, []).append(report)
        name = f"{report.name}, {rate_of(report)}, {rest_of(report)}"
        click.echo(line(name, summed([report]) | {"frames": report.frames}, {}))
        for remark in report.remarks:
            click.echo(f"    {remark}")
            remarks.append(f"{name}: {remark}".replace("|", "/"))
        FAILURES.mkdir(parents=True, exist_ok=True)
        for moment, image in report.pictures.items():
            cv2.imwrite(str(FAILURES / f"{report.name}-{moment}.jpg"), image)
    groups = {name: summed(some) for name, some in sorted(found.items())}
    groups |= {pace: summed(paces[pace]) for pace in sorted(paces, key=_by_number)}
    groups["together"] = summed([report for some in found.values() for report in some])
    for name, figures in groups.items():
        click.echo(line(name, figures, before.get(name, {})))
    if write:
        FIGURES.write_text(json.dumps(groups, indent=1) + "\n")
        PAGE.write_text(page(groups, remarks))


if __name__ == "__main__":
    command()
