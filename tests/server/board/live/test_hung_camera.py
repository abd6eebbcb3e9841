"""A camera that is pulled out, hangs and comes back, and a machine that is too slow, as the service tells of them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration import profile as profiles
from device.ledmap import build_plain_map
from device.lights import diagonal_cells, draw_match
from device.port import LedPort
from device.protocols import load_protocol as protocol
from engine import games
from engine.errors import InputError, Worded
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.live.camera import Camera, CameraGone, LiveFrame, RecordingEnded
from server.board.live.service import Item, Service, Stop
from server.board.live.watching import watch_source
from server.board.upkeep.lost_time import TimeSources
from server.record.journal import Journal, fold_events
from server.record.store import Record, open_record
from server.spectators.broadcast import Broadcast
from server.web.feed import Feed
from tests.device.test_port import Plug
from vision.frames import CameraLost, Frame, load_picture
from vision.ground import Image
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
START = SESSION / "frame_0001.jpg"
"""All pieces stand where the game begins."""
GAME = games.load("camelot", "wcf")
LOST = "camera 0: gives no more pictures; check the cable or the network"
FPS = 8.0
TIMES = 30
SEEING = ("cannot-see", "seen-again")
ADALIGHT_HEADER = 6
PATIENCE_S = 20


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.t = 100.0

    def __call__(self) -> float:
        return self.t


class Inbox(queue.SimpleQueue[Item]):
    """The loop's inbox; where it is `silent` the loop is told once that nothing came, and then to stop."""

    silent = False

    def get(self, block: bool = True, timeout: float | None = None) -> Item:
        if self.silent:
            self.silent = False
            self.put(Stop())
            raise queue.Empty
        return super().get(block, timeout)


class Film:
    """A still board with the noise of a camera, so that no picture is like the one before."""

    def __init__(self) -> None:
        self._dice = np.random.default_rng(1)
        self._still = load_picture(START)

    def picture(self) -> Image:
        noise = self._dice.normal(0.0, 2.0, self._still.shape[:2])[..., None]
        return np.clip(self._still + noise, 0, 255).astype(np.uint8)


class Stand:
    """A service whose camera is the test; `told` are the events since the last question."""

    def __init__(self, record: Record, clock: Clock) -> None:
        match = new_match(GAME)
        self.journal = Journal(record, "camelot-0001")
        self.journal.begin_game(match)
        self.clock, self.feed, self.inbox, self.film = clock, Feed(), Inbox(), Film()
        watcher = Watcher(profiles.load_profile(SESSION / "profile.toml"), match)
        self.service = Service(
            watcher, self.journal, self.feed, inbox=self.inbox, clocks=TimeSources(clock, clock, clock)
        )
        self.service.live = self.service.stay = True
        self._seen = 0

    def give(self, *items: Item) -> None:
        """The loop takes these."""
        for item in items:
            self.inbox.put(item)
        self.inbox.put(Stop())
        self.service.run_loop()

    def frames(self, seconds: float, age_s: float = 0.0) -> None:
        """The camera works for so long."""
        for _ in range(round(seconds * FPS)):
            self.clock.t += 1 / FPS
            self.give(LiveFrame(self.clock.t - 100.0, self.film.picture(), self.clock.t - age_s))

    def silence(self, seconds: float) -> None:
        """Nothing comes for so long; the loop is let look once more."""
        self.clock.t += seconds
        self.inbox.silent = True
        self.service.run_loop()

    @property
    def cause(self) -> object:
        unseen = (self.feed.newest_snapshot or {})["cannot_see"]
        return unseen and unseen["cause"]

    def told(self) -> list[tuple[object, object]]:
        """(event, cause) of each event about seeing since the last call."""
        with_names = self.journal.record.read_events("camelot-0001")
        new, self._seen = with_names[self._seen :], len(with_names)
        return [(e["event"], e.get("cause")) for e in new if e["event"] in SEEING]


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    with open_record(tmp_path / "games.sqlite3") as record:
        yield Stand(record, Clock())


def test_a_hung_camera_is_said_by_the_clock_alone_and_its_end_by_a_frame(stand: Stand) -> None:
    stand.frames(1.0)
    stand.silence(1.9)
    assert (stand.cause, stand.told()) == (None, [])
    stand.silence(0.3)
    assert (stand.cause, stand.told()) == ("no-picture", [("cannot-see", "no-picture")])
    stand.silence(60.0)
    assert stand.told() == []
    assert stand.feed.current_state.unseen_s == pytest.approx(60.0, abs=0.1)
    stand.frames(0.5)
    assert (stand.cause, stand.told()) == (None, [("seen-again", None)])
    times = [float(str(e["t"])) for e in stand.journal.record.read_events("camelot-0001")[1:]]
    assert times == sorted(times)


def test_a_camera_that_never_gives_a_picture_is_said(stand: Stand) -> None:
    stand.silence(2.1)
    assert (stand.cause, stand.told()) == ("no-picture", [("cannot-see", "no-picture")])
    stand.frames(0.5)
    assert (stand.cause, stand.told()) == (None, [("seen-again", None)])


def test_pulled_out_hung_and_back_thirty_times_the_game_goes_on(stand: Stand) -> None:
    stand.frames(4.0)
    stand.told()
    ready = stand.service.watcher.match
    assert ready.phase is Phase.PLAYING
    for number in range(TIMES):
        if number % 2:
            stand.give(CameraGone(LOST))
            assert (stand.feed.newest_snapshot or {})["cannot_see"]["detail"] == LOST
        stand.silence(2.5 + number)
        assert (stand.cause, stand.told()) == ("no-picture", [("cannot-see", "no-picture")])
        stand.frames(0.25)
        assert (stand.cause, stand.told()) == (None, [("seen-again", None)])
    assert (stand.service.watcher.match.phase, stand.service.watcher.match.positions) == (ready.phase, ready.positions)
    events = stand.journal.record.read_events("camelot-0001")
    assert len([e for e in events if e["event"] in SEEING]) == 2 * TIMES
    assert not stand.service.watcher.match.moves
    assert fold_events(events, "all") == fold_events([e for e in events if e["event"] not in SEEING], "without")


def test_frames_that_are_taken_late_are_said_after_two_seconds(stand: Stand) -> None:
    stand.frames(1.0)
    stand.frames(1.5, age_s=1.2)
    assert (stand.cause, stand.told()) == (None, [])
    stand.frames(1.0, age_s=1.2)
    assert (stand.cause, stand.told()) == ("behind", [("cannot-see", "behind")])
    stand.frames(0.5)
    assert (stand.cause, stand.told()) == (None, [("seen-again", None)])


def test_after_a_recording_nothing_is_missed_and_spectators_are_told_in_their_time(stand: Stand) -> None:
    spectators = Feed()
    stand.service.live = False
    stand.service.set_broadcast(Broadcast(spectators, 60.0))
    stand.give(Frame(0.0, stand.film.picture()), RecordingEnded())
    stand.silence(59.0)
    assert (stand.cause, stand.told()) == ("recording-ended", [])
    assert (spectators.newest_snapshot or {}).get("cannot_see") is None
    stand.silence(2.0)
    assert (spectators.newest_snapshot or {})["cannot_see"]["cause"] == "recording-ended"


def shown(match: Match, cause: str) -> list[tuple[tuple[int, int, int], ...]]:
    """What a strip without text may show: lit and, where it blinks, dark."""
    frame = draw_match(match, unseen=cause)
    return [build_plain_map(GAME.board).cell_colours(frame.at_time(t).rgb) for t in (0.0, 0.5)]


class BoardPlug(Plug):
    """A plug that takes the pictures of a whole board."""

    size = ADALIGHT_HEADER + 3 * len(GAME.board.cells)


def test_the_lights_of_a_real_port_show_the_cross_until_the_camera_is_back(stand: Stand, tmp_path: Path) -> None:
    plug = BoardPlug(tmp_path / "ttyLights")
    plug.put_in()
    port = LedPort(str(plug.path), lambda: protocol("adalight", build_plain_map(GAME.board)), stand.inbox.put)
    stand.service.use_lights(port)
    try:
        stand.frames(1.0)
        stand.silence(2.2)
        lit, dark = shown(stand.service.watcher.match, "no-picture")
        plug.until(lit)
        plug.until(dark)
        assert {GAME.board.cells[i] for i, rgb in enumerate(lit) if any(rgb)} == set(diagonal_cells(GAME.board))
        stand.frames(0.25)
        plug.until(shown(stand.service.watcher.match, "")[0])
    finally:
        stand.service.release_all()


def test_the_time_of_a_camera_that_was_away_goes_on_by_the_clock() -> None:
    """What is said while it is away has a time; the frames after it have later ones."""
    put: queue.SimpleQueue[Item] = queue.SimpleQueue()
    grey = np.zeros((4, 4, 3), np.uint8)
    back, over = threading.Event(), threading.Event()

    def opened() -> Iterator[Frame]:
        if not back.is_set():
            yield Frame(0.0, grey)
            raise CameraLost(LOST)
        yield Frame(0.0, grey)
        over.wait()

    camera = Camera("0", FPS, put.put, opened, realtime=False)
    camera.start_capture()
    before, gone = put.get(timeout=PATIENCE_S), put.get(timeout=PATIENCE_S)
    camera.request_next_frame()
    back.set()
    after = put.get(timeout=PATIENCE_S)
    over.set()
    camera.close()
    assert isinstance(before, LiveFrame) and isinstance(gone, CameraGone) and isinstance(after, LiveFrame)
    assert before.t == 0.0
    assert after.t == pytest.approx(after.at - before.at, abs=1e-6)


def test_a_recording_that_breaks_off_leaves_its_page_and_says_why(stand: Stand) -> None:
    """The whole service ended, and the page with it."""
    stand.service.live = False
    stand.give(Frame(0.0, stand.film.picture(), left_out=Worded("{path} cannot be read", path="7.jpg")))
    damaged = InputError("camera {source}: the film is damaged from {seconds} s on", source="a", seconds=3)
    stand.give(CameraGone(damaged.said, final=True))
    unseen = (stand.feed.newest_snapshot or {})["cannot_see"]
    assert (unseen["cause"], unseen["detail"]) == ("no-picture", str(damaged))
    assert unseen["message"] == "The camera gives no picture: the film is damaged from 3 s on."


def test_the_stream_of_watch_tells_of_a_camera_that_hangs_and_of_one_that_is_pulled_out() -> None:
    film, back, out = Film(), threading.Event(), threading.Event()

    def opened() -> Iterator[Frame]:
        for number in range(2):
            yield Frame(number / FPS, film.picture())
        if out.is_set():
            return
        back.wait()
        yield Frame(60.0, film.picture())
        out.set()
        raise CameraLost(LOST)

    said: list[tuple[str, object]] = []
    watcher = Watcher(profiles.load_profile(SESSION / "profile.toml"), new_match(GAME))
    for events in watch_source(watcher, "0", FPS, opened, realtime=False):
        said += [(event.name, getattr(event, "cause", None)) for event in events if event.name in SEEING]
        if said:
            back.set()
    told = [("cannot-see", "no-picture"), ("seen-again", None)]
    assert len(said) >= 2 * len(told), "a machine that is slow itself makes a pause more"
    assert said == told * (len(said) // len(told))


def test_watch_refuses_a_camera_that_gives_nothing() -> None:
    def opened() -> Iterator[Frame]:
        raise CameraLost(LOST)
        yield Frame(0.0, np.zeros((4, 4, 3), np.uint8))

    watcher = Watcher(profiles.load_profile(SESSION / "profile.toml"), new_match(GAME))
    with pytest.raises(InputError, match=LOST):
        list(watch_source(watcher, "0", FPS, opened, realtime=False))
