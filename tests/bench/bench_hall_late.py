"""Boards that have played before there was a hall, and a hall whose disk is lost: how soon everything is stored.

    python -m tests.bench.bench_hall_late [--boards 50] [--events 18000] [--postgresql]

Real records and publishers, as in `tests.bench.hall_load`; the hall has not been asked for anything by hand.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.bench.hall_load import Figures, Run, compare
from tests.server.hall.parts import Postgres, mosquitto

EVENTS_A_SECOND = 300.0


def lose_disk(run: Run) -> None:
    """The hall is killed, and its database gone."""
    run.kill_hall()
    if run.postgres:
        run.postgres.close()
        run.postgres = Postgres()
        run.database = run.postgres.url
    for file in run.folder.glob("hall.sqlite3*"):
        file.unlink()


def main() -> None:
    """Both, and the figures in a line each. AssertionError if anything is not stored, or stored otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=50)
    parser.add_argument("--events", type=int, default=18_000)
    parser.add_argument("--postgresql", action="store_true")
    asked = parser.parse_args()
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        broker = closing.enter_context(mosquitto(folder))
        run = Run(folder, broker, Postgres() if asked.postgresql else None, asked.boards)
        closing.callback(lambda: run.postgres.close() if run.postgres else None)
        closing.callback(run.close)
        lose_disk(run)
        run.start_boards(EVENTS_A_SECOND, asked.events / EVENTS_A_SECOND)
        assert set(run.said()) == {"done"}
        for what in ("a hall that starts last", "a hall whose disk was lost"):
            begun = time.monotonic()
            run.start_hall(0)
            started = time.monotonic() - begun
            stored, figures = run.catches_up(), Figures()
            compare(run, figures)
            said = f"{figures.events} events, {figures.lost} lost, {figures.doubled} doubled"
            print(f"{what}: {said}, {started + stored:.1f} s, {started:.1f} of them its start", flush=True)
            lose_disk(run)
        run.start_hall(0)


if __name__ == "__main__":
    main()
