"""docs/developing/benchmarks.md: the figures of the bench for people, and what each word means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.bench.bench_vision.starts import STARTS
from tests.bench.bench_vision.tasks import BOARDS, ROWS
from tests.bench.referee_recording import START_S
from tests.bench.timeline import DEAF_S, SILENT_S, UNSEEN_S
from tests.render.camera.conditions import STRENGTHS

BY_HAND = "<!-- From here on written by hand; what stands above is written by `make bench-vision`. -->"
PICTURE = "../pictures/bench-matrix.png"
ALL = "all"
WORDS = f"""\
# Figures of vision

`make bench-vision` films short games, refereed from their start position, as cameras, tables and rooms disturb them,
one disturbance at a time ([what each is](camera-model.md)). The games are the same in every row of a board, drawn
from seeds that nothing was tuned on; *path traced* are the recordings of tests/data. The start stands for
{START_S:g} seconds. The board is found by its markers or by corners 3 px off, in the first picture of the film. The
same seeds give the same figures, but for milliseconds.

- *ordinary*: the range in which everything must work; *hard*: about its double; *beyond*: a camera that cannot do it,
  and people must be told so. What comes now and then comes every 12 seconds at least. The row *everything* has all of
  them at once; in the row *view* the camera stands lower.
- *right*: plies said as they were played, without help. *wrong*: moves said, not played and never put right.
- *helped*: plies that a person had to say, because the referee asked, refused a lawful move, or had said nothing of
  them for {SILENT_S:g} seconds. *asked*: questions with options. *early*: said at a pause in a chain, and put right.
- *illegal*: unlawful placements called with the code of the rule that they break, of all that stood. *accusations*:
  plies called unlawful or taken back, or a start called wrong, when it was not so.
- *silent*: plies of which nothing was said when they had stood on a clear board for {SILENT_S:g} seconds, or when a
  person said them, or when the film ended after {DEAF_S:g} seconds at least: no move, no question, and no announcement
  (unlawful, unfinished, start wrong, camera moved, cannot see) stood in that time.
- *deaf*: seconds of film in which a ply has stood for more than {DEAF_S:g} seconds since the board was first clear,
  nobody has said it, and no question or announcement stands. Added are the seconds beyond {UNSEEN_S:g} in which the
  camera shows nothing (no picture, frozen, dark, covered, blurred, moved away) without a `cannot-see`.
- *no ready*: films in which `ready` was not said before the first ply.
- *look*: processor time of the frames at which the board was read, one core; *slowest frame*: the longest that one
  frame kept the camera waiting.
"""


def page(found: dict[str, Any], file: Path) -> str:
    """The whole page. What was written by hand below in `file` stays."""
    parts = [WORDS, _measured(found)]
    if "matrix" in found:
        parts += [f"![Share of plies said right under each disturbance, on each board]({PICTURE})\n"]
        parts += [_strength(strength, found["matrix"]) for strength in STRENGTHS if strength in found["matrix"]]
        parts += [_costs(found["matrix"])]
    if "starts" in found:
        parts.append(_starts(found["starts"]))
    if "clean" in found:
        parts.append(_clean(found["clean"]))
    if found.get("errors"):
        parts.append(
            "## Films that could not be refereed\n\n" + "\n".join(f"- {one}" for one in found["errors"]) + "\n"
        )
    below = file.read_text().partition(BY_HAND)[2] if file.exists() else ""
    return "\n".join(parts) + f"\n{BY_HAND}\n" + (below or "\n")


def _measured(found: dict[str, Any]) -> str:
    lines = [f"- {part}: {found['measured'][part]}" for part in ("matrix", "starts", "clean") if part in found]
    return "Measured:\n\n" + "\n".join(lines) + "\n"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def _strength(strength: str, matrix: dict[str, Any]) -> str:
    """All disturbances at one strength."""
    rows = []
    boards = [board for board in BOARDS if any(board in cells for some in matrix.values() for cells in some.values())]
    for name in ROWS:
        cells = matrix[strength].get(name)
        if cells:
            one = cells[ALL]
            row = [name, *(_right(cells[board]) if board in cells else "" for board in boards), _right(one)]
            row += [_bold(one[word]) for word in ("wrong",)]
            row += [f"{one[word]}" for word in ("asked", "helped", "silent")]
            row += [
                f"{one['deaf_s'] + one['unseen_s']:.0f} of {one['film_s']:.0f}",
                f"{one['found']} of {one['illegal']}",
            ]
            rows.append([*row, f"{one['false']}", f"{one['unready']} of {one['films']}"])
    heads = [
        "",
        *boards,
        "all right",
        "wrong",
        "asked",
        "helped",
        "silent",
        "deaf s",
        "illegal",
        "accusations",
        "no ready",
    ]
    return f"## Plies right: {strength}\n\n" + _table(heads, rows)


def _right(one: dict[str, Any]) -> str:
    wrong = f", **{one['wrong']} wrong**" if one["wrong"] else ""
    return f"{one['right']} of {one['plies']}{wrong}"


def _bold(count: int) -> str:
    return f"**{count}**" if count else "0"


def _costs(matrix: dict[str, Any]) -> str:
    """What looks and frames cost under each disturbance, all boards together."""
    rows = []
    for name in ROWS:
        some = [matrix[strength][name][ALL] for strength in STRENGTHS if name in matrix.get(strength, {})]
        if some:
            shown = [_milliseconds(one) for one in some]
            rows.append([name, *shown, *[""] * (len(STRENGTHS) - len(some))])
    what = "Milliseconds: one look in twenty over / worst look / slowest frame, all boards together."
    return f"## What it costs\n\n{what}\n\n" + _table(["", *STRENGTHS], rows)


def _milliseconds(one: dict[str, Any]) -> str:
    looks = f"{one['look_p95_ms']:g} / {one['look_worst_ms']:g}" if one["look_worst_ms"] else "no look"
    return f"{looks} / {one['slowest_ms']:g}"


def _starts(starts: dict[str, Any]) -> str:
    """False starts, and true ones missed."""
    groups = list(dict.fromkeys(group for tally in starts.values() for group in tally if group != ALL))
    rows = []
    for start in (name for name in STARTS if name in starts):
        some, true = starts[start], start == STARTS[0]
        tally = some[ALL]
        row = [start, *(_ready(some[group], true) if group in some else "" for group in groups), _ready(tally, true)]
        rows.append([*row, *(f"{tally[name]}" for name in ("ready_later", "named", "moves", "accusations"))])
    text = """\
## Starts that are none

What stands is not the position that the referee expects, or a hand with a piece is over the board; four seconds later
somebody plays a ply. Each cell says how often `ready` was said all the same, of how many; for the true start how often
it was not. *later*: `ready` said after the ply; *named*: films in which wrong cells were named or people asked; *moves*
and *accusations* were said of what is not the game's position. Disturbances are ordinary ones.

"""
    return text + _table(["", *groups, "all", "later", "named", "moves", "accusations"], rows)


def _ready(tally: dict[str, int], true: bool) -> str:
    count = tally["shown"] - tally["ready"] if true else tally["ready"]
    return f"{'missed ' if true else ''}{_bold(count)} of {tally['shown']}"


def _clean(clean: dict[str, Any]) -> str:
    """A long set of games by a good camera."""
    columns = {
        **{"films": "films", "flawless": "all right", "plies": "plies", "right": "right", "helped": "helped"},
        **{"wrong": "wrong", "early": "early", "asked": "asked", "silent": "silent", "deaf_s": "deaf s"},
        **{"illegal": "illegal", "found": "found", "false": "accusations", "delay_median_s": "s to verdict, median"},
        **{"delay_most_s": "most", "late": "later than 0.5 s", "look_p95_ms": "look p95 ms", "look_worst_ms": "worst"},
        **{"frame_ms": "ms a frame"},
    }
    rows = [[group, *(f"{one[name]:g}" for name in columns)] for group, one in clean["groups"].items()]
    wrong = "".join(f"- {remark}\n" for remark in clean["remarks"])
    title = """\
## A long set of clean games

Drawn games of 12 plies by a good camera at 5 to 30 frames a second, with hands that rest in each of their poses for
0.25 to 1.6 seconds, and the stored recordings whole, at 8. Seconds to the verdict count from the first clear picture.

"""
    return title + _table(["", *columns.values()], rows) + (f"\nWhat went wrong:\n\n{wrong}" if wrong else "")
