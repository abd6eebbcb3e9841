"""`referee record`: keep what a camera sees, so that it can be refereed again later."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import click

from engine.match.referee import new_match
from server.board.board_options import ChosenBoard, board_options
from server.exits import DONE
from server.masking import print_line
from server.options import FILE_OR_FOLDER, NumberRange
from server.pictures import read_frames
from server.record.traces import session
from vision.frames import CameraLost
from vision.watch.watcher import Watcher

MEGABYTE = 1_000_000


@click.command(help="Keep a session (pictures, times, profile, events) in a folder; Ctrl-C ends it.")
@board_options()
@click.option("--seconds", type=NumberRange(0, min_open=True), help="End after so much stream time.")
@click.option("--most", "most_mb", default=2000, show_default=True, type=click.IntRange(1), help="End after megabytes.")
@click.option("-o", "--out", required=True, type=FILE_OR_FOLDER, help="Folder to make.")
def command(chosen: ChosenBoard, seconds: float | None, most_mb: int, out: Path) -> int:
    """Exit 0 when the camera, the time, the space or the person ends it; 2 if the input cannot be used."""
    opened = chosen.load_board()
    watcher = Watcher(opened.profile, new_match(opened.game, opened.start))
    session.create_session(out, opened.profile, opened.game, opened.start)
    count, size, ended, tally = 0, 0, "the camera ended", session.GameTally()
    seen = opened.guarded() if opened.guarded else read_frames(opened.camera, chosen.fps)
    with suppress(KeyboardInterrupt), closing(session.record_frames(out, watcher, seen, tally)) as kept:
        try:
            for t, stored in kept:
                count, size = count + 1, size + stored
                if seconds is not None and t >= seconds:
                    ended = f"{seconds:g} s are over"
                    break
                if size >= most_mb * MEGABYTE:
                    ended = f"{most_mb} MB are full (--most)"
                    break
        except CameraLost as error:
            if not count:
                raise
            ended = str(error)
    print_line(f"{out}: {count} pictures, {size / MEGABYTE:.1f} MB, {tally} ({ended}).")
    print_line(f"`referee replay {out}` referees it again.")
    return DONE
