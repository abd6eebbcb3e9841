"""The bundled game refereed by the service, shown by the real firmware: what each event lights, and a takeback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from calibration import profile as profiles
from device.ledmap import LedMap, milliamps
from device.lights import LedFrame, draw
from device.mapfile import default
from device.port import LedPort
from device.protocols import Pressed
from device.protocols.camref import Protocol
from engine.acts import Correct
from engine.games import load
from engine.match import Match
from engine.referee import act, new_match
from server.camera import RecordingEnded
from server.feed import Feed
from server.journal import Journal
from server.record import Record, open_record
from server.service import Service, Stop
from server.sightings import Watcher
from tests.firmware.board import Build, Seen, SimulatedBoard, colours, stepped
from vision.frames import frames

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
GAME = load("camelot", "wcf")
SUPPLY_MILLIAMPS = 300
"""Less than the 28 red cells of an empty board would draw (560 mA), so that the limit has something to do."""
PRESS_LIMIT_S = 0.050
SLICE_S = 0.001


@pytest.fixture
def leds() -> LedMap:
    return replace(default("camelot", GAME.board), max_milliamps=SUPPLY_MILLIAMPS)


@contextmanager
def service(folder: Path, match: Match) -> Iterator[tuple[Service, Record]]:
    with open_record(folder / "games.sqlite3") as record:
        journal = Journal(record, "camelot-0001")
        journal.begin(match)
        yield Service(Watcher(profiles.load(SESSION / "profile.toml"), match), journal, Feed()), record


def phases(leds: LedMap, frame: LedFrame) -> list[bytes]:
    """What the strip may show of a frame: as it is, and with what blinks dark."""
    blinks = [bytes(3) if i in frame.blink else bytes(rgb) for i, rgb in enumerate(frame.rgb)]
    dark = replace(frame, rgb=colours(b"".join(blinks)))
    return [leds.strip(frame.rgb), leds.strip(dark.rgb)]


class Onlooker:
    """Compares the board with what was drawn, whenever that changes."""

    def __init__(self, board: SimulatedBoard, service: Service, leds: LedMap) -> None:
        self.board, self.service, self.leds = board, service, leds
        self.drawn: list[LedFrame] = []

    def look(self) -> None:
        """If another frame is drawn than before: the board shows it, both halves of a blink, and nothing else."""
        frame = draw(self.service.watcher.match)
        if self.drawn and self.drawn[-1] == frame:
            return
        before = phases(self.leds, self.drawn[-1]) if self.drawn else [bytes(480)]
        self.drawn.append(frame)
        wanted = phases(self.leds, frame)
        for strip in wanted:
            self.board.wait_for(partial(shows, strip, frame))
        for _, strip in self.board.pictures():
            assert strip in (*before, *wanted), f"a picture that nobody drew: {strip.hex()}"


def shows(strip: bytes, frame: LedFrame, seen: Seen) -> bool:
    return seen.rgb == colours(strip) and tuple(line.rstrip() for line in seen.text) == frame.text


def test_the_board_shows_every_state_of_the_bundled_game(tmp_path: Path, leds: LedMap) -> None:
    with SimulatedBoard() as board, service(tmp_path, new_match(GAME, GAME.start())) as (referee, record):
        # Started: before that a greeting overruns the receiver and has to be repeated.
        board.wait_for(lambda seen: "CAMELOT" in seen.text[0])
        referee.use(LedPort(board.path, lambda: Protocol(leds), referee.inbox.put))
        onlooker, film = Onlooker(board, referee, leds), frames(str(SESSION))

        def taken() -> None:
            onlooker.look()
            referee.inbox.put(next(film, RecordingEnded()))

        try:
            referee.inbox.put(next(film))
            referee.run(taken)
            board.tap("undo")
            board.wait_for(lambda _: not referee.inbox.empty())
            referee.inbox.put(Stop())
            referee.run()
            onlooker.look()
        finally:
            referee.close()
        said = [event["event"] for event in record.events("camelot-0001")]
        assert (said.count("move"), said[-1]) == (15, "takeback")
        assert len(referee.watcher.match.moves) == 14
        assert len(onlooker.drawn) > 20
        assert {"ILLEGAL D8 E8"} <= {frame.text[0] for frame in onlooker.drawn}
        seen = board.look()
        assert (seen.pulse_faults, seen.display_faults, seen.overruns) == (0, 0, 0)


def test_no_picture_draws_more_than_the_supply_gives(leds: LedMap) -> None:
    empty_board = LedFrame(((255, 0, 0),) * 160)
    assert milliamps(empty_board.rgb) > SUPPLY_MILLIAMPS
    assert milliamps(colours(leds.strip(empty_board.rgb))) <= SUPPLY_MILLIAMPS


@pytest.mark.parametrize("baud", [500_000, 115_200])
def test_an_undo_is_taken_back_and_shown_within_50_ms(tmp_path: Path, leds: LedMap, baud: int) -> None:
    match, _ = act(new_match(GAME, GAME.start()), Correct(1, "E6-C8"), 0.0)
    with stepped(Build(baud=baud)) as board, service(tmp_path, match) as (referee, record):
        protocol = Protocol(leds)
        protocol.link.baud = baud
        t = board.look().t

        def step(wait_s: float) -> list[Pressed]:
            nonlocal t
            board.send(protocol.due(t))
            t, data = board.run(wait_s)
            return protocol.feed(data, t)

        def show() -> None:
            board.send(protocol.encode(draw(referee.watcher.match).at(0.0), t))

        show()
        for _ in range(300):
            step(SLICE_S)
        board.pictures()
        began, pressed = t, list[Pressed]()
        board.press("undo")
        while not pressed:
            pressed = step(SLICE_S)
        referee.inbox.put(pressed[0])
        referee.inbox.put(Stop())
        referee.run()
        assert record.events("camelot-0001")[-1]["event"] == "takeback"
        show()
        while not (latched := board.pictures()):
            step(SLICE_S)
        assert latched[0][1] == leds.strip(draw(referee.watcher.match).rgb)
        assert latched[0][0] - began <= PRESS_LIMIT_S
