"""Sums of what many films gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tests.bench.bench_vision.tasks import CLEAN, MATRIX, STARTS, Task

Figures = dict[str, Any]
Results = Sequence[tuple[Task, Figures]]

COUNTED = (
    *("plies", "right", "helped", "wrong", "early", "asked", "illegal", "found", "false", "silent", "unready"),
    *("flawless", "frames"),
)
LATE_S = 0.5
"""A move should be said so soon after the board is free of hands and still."""


def summed(found: Iterable[Figures]) -> Figures:
    """Figures of several films together: counts are sums, of costs the worst and those that one look in 20 exceeds."""
    films = [figures for figures in found if "error" not in figures]
    out: Figures = {"films": len(films)} | {name: sum(int(one[name]) for one in films) for name in COUNTED}
    looks = [ms for one in films for ms in one["looks_ms"]]
    delays = [delay for one in films for delay in one["delays_s"]]
    for name in ("deaf_s", "unseen_s", "film_s"):
        out[name] = round(sum(one[name] for one in films), 1)
    out["delay_median_s"] = round(float(np.median(delays)), 2) if delays else 0.0
    out["delay_most_s"] = round(max(delays, default=0.0), 2)
    out["late"] = sum(delay > LATE_S for delay in delays)
    out["look_p95_ms"] = round(float(np.percentile(looks, 95))) if looks else 0
    out["look_worst_ms"] = round(max(looks, default=0.0))
    out["frame_ms"] = round(float(np.mean([one["frame_ms"] for one in films])), 1) if films else 0.0
    out["slowest_ms"] = round(max((one["slowest_ms"] for one in films), default=0.0))
    return out


def matrix(results: Results) -> dict[str, dict[str, dict[str, Figures]]]:
    """strength -> disturbance -> board -> figures; the board "all" has all of them together."""
    cells: dict[tuple[str, str, str], list[Figures]] = {}
    for task, found in results:
        if task.part == MATRIX:
            for board in (task.board, "all"):
                cells.setdefault((task.strength, task.disturbance, board), []).append(found)
    out: dict[str, dict[str, dict[str, Figures]]] = {}
    for (strength, disturbance, board), some in cells.items():
        out.setdefault(strength, {}).setdefault(disturbance, {})[board] = summed(some)
    return out


def starts(results: Results) -> dict[str, dict[str, Figures]]:
    """start -> board or disturbance -> how many were shown, how often `ready` was said, and what came of it.

    Boards are counted under all disturbances together, disturbances on all boards together.
    """
    out: dict[str, dict[str, Figures]] = {}
    for task, found in results:
        if task.part != STARTS or "error" in found:
            continue
        for group in (task.board, f"under {task.disturbance}", "all"):
            tally = out.setdefault(task.what, {}).setdefault(group, {"shown": 0} | dict.fromkeys(SAID, 0))
            tally["shown"] += 1
            for name in SAID:
                tally[name] += int(found[name])
    return out


SAID = ("ready", "ready_later", "named", "moves", "accusations")


def clean(results: Results) -> dict[str, Figures]:
    """Group -> figures: each board, each rate of frames, how long hands rested, and all together."""
    groups: dict[str, list[Figures]] = {}
    for task, found in results:
        if task.part == CLEAN:
            pace = (f"{task.conditions.fps:g} frames/s", f"hands rest {task.conditions.hands_s:g} s")
            for group in (task.board, *pace, "together"):
                groups.setdefault(group, []).append(found)
    last = {"together": 2} | {group: 1 for group in groups if group[0] == "h" or group[0].isdigit()}
    order = sorted(groups, key=lambda group: (last.get(group, 0), group[0] == "h", _number(group), group))
    return {group: summed(groups[group]) for group in order}


def _number(group: str) -> float:
    numbers = [float(word) for word in group.split() if word.replace(".", "").isdigit()]
    return numbers[0] if numbers else 0.0


def remarks(results: Results, part: str) -> list[str]:
    """What went wrong in the films of a part, a line each."""
    out = []
    for task, found in results:
        for remark in found.get("remarks", ()) if task.part == part else ():
            pace = f"{task.conditions.fps:g} frames/s, hands rest {task.conditions.hands_s:g} s"
            out.append(f"{found['name']}, {pace}: {remark}".replace("|", "/"))
    return out


def errors(results: Results) -> list[str]:
    """Films that could not be refereed, and why."""
    return [f"{task.key}: {found['error']}" for task, found in results if "error" in found]
