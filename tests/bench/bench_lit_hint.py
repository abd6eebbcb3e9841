"""From a lifted piece to light under its targets, and from its being put back to their going out:
`python -m tests.bench.bench_lit_hint [--games 6] [--fps 15]`.

The whole chain in real time: a drawn film of pieces that are lifted and held beside the board, the service with its
looks beside the frames, the port's thread, and the real firmware on the simulated board. Time counts from the first
picture in which the hand rests to the moment when the strip has the hint; what else is busy counts too.
"""

from __future__ import annotations

import queue
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path

import click
import numpy as np

from calibration.profile import Profile
from calibration.solve import solve_by_corners
from device.ledmap import LedMap
from device.lights import draw_match
from device.mapfile import load_default_map
from device.port import LedPort
from device.protocols.camref import CamrefProtocol
from engine.match.events import Lifted
from engine.match.state import Match, Phase
from server.board.live.camera import LiveFrame, LookDone
from server.board.live.service import Item, Service, Stop
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.bench.bench_lifted import staged
from tests.bench.bench_vision.draws import HELD_BACK
from tests.bench.takes import true_corners
from tests.firmware.board import Build, SimulatedBoard
from tests.render import cheap
from tests.render.camera.conditions import Conditions
from tests.render.camera.film import film
from tests.render.truth import HAND_LABEL, hidden
from vision.frames import Frame
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

POLL_S = 0.004
HELD_S = 3.0
"""So long a piece is held: on a busy machine a look may take a second."""
PATIENCE_S = 120.0
"""For the board to be learned, before the first piece is lifted."""


@dataclass
class Waits:
    """Lifts beside the board whose cell the camera can see, and seconds to the hint of each that was lit; seconds from
    the picture in which a piece stands again and no hand is seen to the end of its hint."""

    lifts: int = 0
    lit_s: list[float] = field(default_factory=list)
    gone_s: list[float] = field(default_factory=list)
    stale: int = 0
    """Hints that stood until the next piece was taken."""


@dataclass(frozen=True)
class Filmed:
    """A game that is lifted in: what the camera takes, with the numbers of the pictures, and the lifts by number."""

    match: Match
    profile: Profile
    frames: list[tuple[int, Frame]]
    lifts: dict[int, str]


def filmed(seed: int, fps: float) -> Filmed:
    """The game number `seed`."""
    match, stage, lifts = staged(seed)
    drawn = [cheap.render(frame.scene) for frame in stage.frames]
    kinds = ["quiet" if frame.kind == "quiet" or frame.note == "beside" else "moving" for frame in stage.frames]
    shots = list(zip(kinds, (shot.image for shot in drawn), strict=True))
    corners = true_corners(stage)
    views = [solve_by_corners(stage.game.board, shots[0][1], list(rim), level) for level, rim in enumerate(corners)]
    profile = Profile(match.game.name, tuple(v.view for v in views), tuple(v.fit for v in views))
    frames = list(film(iter(shots), Conditions(fps=fps, quiet_s=HELD_S), seed, np.array(corners)))
    beside = (one for one in lifts if one.where == "beside")
    seen = {
        one.picture: one.cell
        for one in beside
        if one.cell not in hidden(stage, stage.frames[one.picture], drawn[one.picture], HAND_LABEL)
    }
    return Filmed(match, profile, frames, seen)


def hint(leds: LedMap, match: Match, cell: str) -> bytes:
    """What the strip shows when that piece is lifted."""
    cells = match.game.board.cells
    targets = sorted({cells[m.target] for m in match.game.moves(match.position) if cells[m.origin] == cell})
    return leds.encode_strip(draw_match(replace(match, phase=Phase.LIFTED, note=Lifted(0.0, cell, tuple(targets)))).rgb)


def measured(taken: Filmed, waits: Waits) -> None:
    """The lifts of one game, in real time."""
    waits.lifts += len(taken.lifts)
    match, inbox = taken.match, queue.SimpleQueue[Item]()
    leds = load_default_map(match.game.name, match.game.board)
    aside = ParallelWatcher(Watcher(taken.profile, match), lambda: inbox.put(LookDone()))
    with (
        tempfile.TemporaryDirectory() as folder,
        SimulatedBoard(Build(leds=len(leds.owners))) as board,
        open_record(Path(folder) / "games.sqlite3") as record,
    ):
        journal = Journal(record, f"{match.game.name}-0001")
        journal.begin_game(match)
        service = Service(aside, journal, Feed(), inbox=inbox)
        service.live = True
        service.use_lights(LedPort(board.path, lambda: CamrefProtocol(leds), inbox.put))
        camera = threading.Thread(target=_films, args=(taken, service, board, leds, waits))
        camera.start()
        try:
            service.run_loop()
        finally:
            camera.join()
            service.release_all()


def _films(taken: Filmed, service: Service, board: SimulatedBoard, leds: LedMap, waits: Waits) -> None:
    """Put each frame in at its time, once the board is learned, and watch the strip meanwhile."""
    inbox, first = service.inbox, taken.frames[0][0]
    before = cycle(frame.image for number, frame in taken.frames if number == first)
    start, step = time.monotonic(), taken.frames[1][1].t - taken.frames[0][1].t
    while not service.watcher.has_begun and time.monotonic() - start < PATIENCE_S:
        inbox.put(LiveFrame(time.monotonic() - start, next(before), time.monotonic()))
        time.sleep(step)
    began = time.monotonic() + step - taken.frames[0][1].t
    lifted_t: dict[int, float] = {}
    wanted: tuple[int, bytes] | None = None
    stands: tuple[float, bytes] | None = None
    for number, frame in taken.frames:
        while (now := time.monotonic()) < began + frame.t:
            shown = b"".join(map(bytes, board.read_signals().rgb))
            if wanted is not None and shown == wanted[1]:
                waits.lit_s.append(time.monotonic() - lifted_t[wanted[0]])
                stands, wanted = (0.0, shown), None
            if stands is not None and stands[0] and service.watcher.match.phase is Phase.PLAYING and shown != stands[1]:
                waits.gone_s.append(time.monotonic() - stands[0])
                stands = None
            time.sleep(POLL_S)
        if number in taken.lifts and number not in lifted_t:
            waits.stale += stands is not None
            lifted_t[number], stands = now, None
            wanted = number, hint(leds, taken.match, taken.lifts[number])
        elif number not in taken.lifts:
            wanted = None
            if stands is not None and not stands[0]:
                stands = now, stands[1]
        inbox.put(LiveFrame(now - start, frame.image, now))
    inbox.put(Stop())


@click.command()
@click.option("--games", "count", default=6, show_default=True)
@click.option("--first", default=HELD_BACK, show_default=True, help="Seed of the first game.")
@click.option("--fps", default=15.0, show_default=True)
def command(count: int, first: int, fps: float) -> None:
    """Draw, lift, watch and time."""
    waits = Waits()
    for seed in range(first, first + count):
        measured(filmed(seed, fps), waits)
    lit = np.array(waits.lit_s)
    late = f"{np.median(lit):.2f} s, p95 {np.quantile(lit, 0.95):.2f} s, most {lit.max():.2f} s"
    click.echo(f"{len(lit)} of {waits.lifts} lifted pieces were lit, after {late}")
    gone = np.array(waits.gone_s)
    after = f"{np.median(gone):.2f} s, most {gone.max():.2f} s, {(gone > 1).sum()} after 1 s" if len(gone) else "never"
    click.echo(f"of {len(gone) + waits.stale} put back {waits.stale} stayed lit; the others were dark after {after}")


if __name__ == "__main__":
    command()
