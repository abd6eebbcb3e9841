"""`kill -9` in mid-game: every line that was printed before is in the record, and none is there twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server.record.journal import fold_events
from server.record.store import open_record
from tests.programs import started
from tests.server.bundled import SESSION, cut_film

PICTURES = 16
"""So much of the recording has four moves, one of them half-finished for a while."""
KILLS = int(os.environ.get("POWER_CUTS", "2"))
"""`make soak` asks for 50."""
LONGEST_DELAY_S = 0.15
"""About what passes between two lines, so that the kill falls anywhere: while looking, writing, printing."""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first part of the bundled recording."""
    return cut_film(tmp_path_factory.mktemp("film"), end=PICTURES)


def watch(film: Path, record: Path, lines: int | None = None, delay_s: float = 0.0) -> list[dict[str, object]]:
    """What it prints; with `lines` it is killed that long after so many lines, and what still came is taken along."""
    profile = str(SESSION / "profile.toml")
    command = [sys.executable, "-m", "server", "watch", "--profile", profile, "--camera", str(film)]
    with started([*command, "--record", str(record)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = [process.stdout.readline() for _ in range(lines or 0)]
        if lines is not None:
            time.sleep(delay_s)
            process.kill()
        printed += process.stdout.readlines()
    whole = [line for line in printed if line.endswith("\n")]
    return [json.loads(line) for line in whole]


def test_what_was_printed_before_the_power_went_is_in_the_record_once(film: Path, tmp_path: Path) -> None:
    file, dice = tmp_path / "games.sqlite3", random.Random(9)
    everything = watch(film, file)[:-1]
    assert sum(event["event"] == "move" for event in everything) >= 4
    for number in range(2, KILLS + 2):
        printed = watch(film, file, dice.randrange(1, len(everything)), dice.uniform(0, LONGEST_DELAY_S))
        with open_record(file) as record:
            name = f"camelot-{number:04}"
            kept = record.read_events(name)
            assert record.find_broken_event(name) is None
        assert kept[1 : len(printed) + 1] == printed == everything[: len(printed)]
        assert kept[1:] == everything[: len(kept) - 1]
        moves = sum(event["event"] == "move" for event in kept)
        assert len(fold_events(kept, name).moves) == moves
