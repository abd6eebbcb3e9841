"""`referee watch`: a camera in, one JSON object a line out."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click

from calibration import profile as profiles
from engine.match.referee import new_match
from server.commands import _naming
from server.exits import DONE
from server.inputs import read_game
from server.live.camera import usable
from server.live.watching import watched
from server.record.journal import Journal, next_name
from server.record.seal import sealer
from server.record.store import open_record
from server.traces.trace import Tracer, tracing
from vision.frames import DEFAULT_FPS
from vision.watch.watcher import Watcher


@click.command(help="Referee what a camera sees and write the events to standard output.")
@click.option("--profile", "path", required=True, type=click.Path(path_type=Path), help="Profile of the board.")
@click.option("--camera", help="Device, stream URL, video, picture or folder; default: the profile's.")
@click.option("--rules", help="Rule set; default: the profile's, else the game's first.")
@click.option("--position", help="Position (JSON) that the game starts from.")
@click.option("--fps", default=DEFAULT_FPS, show_default=True, help="Speed of a folder without times.")
@click.option("--realtime", is_flag=True, help="Play recordings at their own speed.")
@click.option(
    "--record", "record_path", type=click.Path(dir_okay=False, path_type=Path), help="Keep the game here too."
)
@click.option(
    "--trace",
    "trace_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a line for each look here: what was seen, what it was taken for, why, what is waited for.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line (the default).")
@_naming.options
def command(
    path: Path,
    camera: str | None,
    rules: str | None,
    position: str | None,
    fps: float,
    realtime: bool,
    record_path: Path | None,
    trace_path: Path | None,
    as_json: bool,
    naming: Mapping[str, object],
) -> int:
    """Exit 0 at the end of the recording, 2 if the input cannot be used."""
    profile = profiles.load(path)
    game, start = read_game(path, profile, rules, position)
    source = usable(camera or "", fps, profile)
    named = _naming.naming_of(naming, game.seats)
    match = new_match(game, start)
    begun = time.perf_counter()
    with ExitStack() as open_files:
        trace = None if trace_path is None else Tracer(open_files.enter_context(tracing(trace_path)), match)
        watcher = Watcher(profile, match, trace)
        journal = None
        if record_path is not None:
            record = open_files.enter_context(open_record(record_path))
            journal = Journal(record, next_name(record, game.name), sealer())
            journal.begin(watcher.match)
        if named is not None:
            said = named.noted(0.0, "page")
            if journal is not None:
                journal.note(said)
            click.echo(json.dumps(said.to_json()))
        for events in watched(watcher, source, fps, realtime):
            # What is said has been written: a power cut loses no reported move.
            if journal is not None:
                journal.write(events)
            for event in events:
                click.echo(json.dumps(event.to_json()))
    spent = time.perf_counter() - begun
    last = {
        "event": "end",
        "plies": len(watcher.match.moves),
        "frames": watcher.stages.frames,
        "seconds": round(spent, 3),
    }
    click.echo(json.dumps(last | watcher.stages.costs() | {"stages": watcher.stages.medians()}))
    return DONE
