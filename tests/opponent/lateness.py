"""Whether frames come late while the computer thinks: `python -m tests.opponent.lateness`.

`referee serve` looks at a drawn board through a network camera. By turns nobody thinks, and level 10 thinks without a
pause; how long after the camera gave it each frame was taken is read from the program's own signs of life.
"""

from __future__ import annotations

import json
import os
import time
import urllib.request
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from tests.opponent.drawn_table import Referee, drawn_table, refereed
from tests.patience import PATIENCE_S
from tests.render.script import Recipe

RECIPE = Recipe(game="camelot", look="green", pieces="white_red", light="office", seed=3)
LOOK_S = 0.03
AGAIN_S = 1.8
"""Level 10 is asked anew before its two seconds are over, so that it never rests."""


def ask(referee: Referee, level: int | None) -> None:
    """Let the computer play White, or people again."""
    body = json.dumps({"side": "white", "level": level}).encode()
    request = urllib.request.Request(  # noqa: S310  # our own address
        f"{referee.url}api/v1/opponent", body, {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request, timeout=PATIENCE_S).close()  # noqa: S310


def lags(referee: Referee, thinks: bool, seconds: float) -> list[float]:
    """How late frames were, in milliseconds, each time that was asked."""
    end, asked, found = time.monotonic() + seconds, 0.0, []
    while time.monotonic() < end:
        if thinks and time.monotonic() - asked > AGAIN_S:
            ask(referee, 10)
            asked = time.monotonic()
        with urllib.request.urlopen(f"{referee.url}healthz", timeout=PATIENCE_S) as answer:  # noqa: S310
            found.append(1000 * json.load(answer)["lag_s"])
        time.sleep(LOOK_S)
    ask(referee, None)
    return found


@click.command()
@click.option("--seconds", default=20.0, show_default=True, help="Of each turn.")
@click.option("--turns", default=3, show_default=True, help="Of each kind.")
def command(seconds: float, turns: int) -> None:
    """Measure, and print how late frames were."""
    found = defaultdict(list)
    with TemporaryDirectory() as name, drawn_table(RECIPE) as table, refereed(table, Path(name)) as referee:
        referee.until(lambda now: now["phase"] == "playing")
        for _ in range(turns):
            for thinks in (False, True):
                found[thinks] += lags(referee, thinks, seconds)
    for thinks, late in found.items():
        middle, most, worst = np.percentile(late, [50, 95, 100])
        who = "level 10 thinks" if thinks else "nobody thinks"
        click.echo(f"{who}: {middle:.0f} ms late, 95 % within {most:.0f}, at most {worst:.0f} ({len(late)} looks)")
    click.echo(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    command()
