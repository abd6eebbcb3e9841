"""The bundled game refereed by the service, shown by the real firmware: what each event lights, and a takeback."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from calibration import profile as profiles
from device.ledmap import LedMap, estimate_milliamps
from device.lights import LedFrame, draw_match
from device.mapfile import load_default_map
from device.port import LedPort
from device.protocol import NOTICED_S, Pressed, split_colours
from device.protocols.camref import CamrefProtocol
from device.workbench.simulated import SignalsSeen
from engine.games import load
from engine.match.acts import Correct
from engine.match.arbiter import apply_act
from engine.match.events import Illegal
from engine.match.referee import new_match
from engine.match.state import Phase
from server.board.live.camera import RecordingEnded
from server.board.live.service import Service, Stop
from server.board.setup.checkup import check_port, describe_held_port
from server.board.setup.checkup_picture import Finding
from server.record.journal import Journal
from server.record.store import Record, open_record
from server.web.feed import Feed
from tests.firmware.board import Build, SimulatedBoard, stepped
from tests.patience import wait_until
from tests.programs import started
from tests.server.board.live.seen_once import SeenOnce, film
from tests.server.board.live.test_buttons import Lit
from tests.server.commands.test_serve import events_until, serving
from vision.watch.watcher import Watcher

SESSION = Path(__file__).parents[1] / "data" / "sessions" / "camelot_a"
GAME = load("camelot", "wcf")
SUPPLY_MILLIAMPS = 300
"""Less than the 28 red cells of an empty board would draw (560 mA), so that the limit has something to do."""
PRESS_LIMIT_S = 0.050
SLICE_S = 0.001
HELD_S, STOOD_S = 0.08, 0.3
"""How long a finger presses, and the program stands still after it."""
SETTLED_S = 0.4
"""Greeting, limit, picture, text and a whole beep take less."""


@pytest.fixture
def leds() -> LedMap:
    return replace(load_default_map("camelot", GAME.board), max_milliamps=SUPPLY_MILLIAMPS)


@contextmanager
def service(folder: Path, watcher: Watcher) -> Iterator[tuple[Service, Record]]:
    with open_record(folder / "games.sqlite3") as record:
        journal = Journal(record, "camelot-0001")
        journal.begin_game(watcher.match)
        yield Service(watcher, journal, Feed()), record


def phases(leds: LedMap, frame: LedFrame) -> list[bytes]:
    """What the strip may show of a frame: as it is, and with what blinks dark."""
    blinks = [bytes(3) if i in frame.blink else bytes(rgb) for i, rgb in enumerate(frame.rgb)]
    dark = replace(frame, rgb=split_colours(b"".join(blinks)))
    return [leds.encode_strip(frame.rgb), leds.encode_strip(dark.rgb)]


class Onlooker:
    """Compares the board with what was drawn, whenever that changes."""

    def __init__(self, board: SimulatedBoard, service: Service, leds: LedMap) -> None:
        self.board, self.service, self.leds = board, service, leds
        self.drawn: list[LedFrame] = []

    def look(self) -> None:
        """If another frame is drawn than before: the board shows it, both halves of a blink, and nothing else."""
        frame = draw_match(self.service.watcher.match)
        if self.drawn and self.drawn[-1] == frame:
            return
        before = phases(self.leds, self.drawn[-1]) if self.drawn else [bytes(480)]
        self.drawn.append(frame)
        wanted = phases(self.leds, frame)
        for strip in wanted:
            self.board.wait_for(partial(shows, strip, frame))
        for _, strip in self.board.latched_pictures():
            assert strip in (*before, *wanted), f"a picture that nobody drew: {strip.hex()}"


def shows(strip: bytes, frame: LedFrame, seen: SignalsSeen) -> bool:
    told = all(part.strip() in whole for part, whole in zip(seen.text, frame.text, strict=True))
    return told and seen.rgb == split_colours(strip)


def test_the_board_shows_every_state_of_the_bundled_game(tmp_path: Path, leds: LedMap) -> None:
    with SimulatedBoard() as board, service(tmp_path, SeenOnce()) as (referee, record):
        # Started: before that a greeting overruns the receiver and has to be repeated.
        board.wait_for(lambda seen: "CAMELOT" in seen.text[0])
        referee.use_lights(LedPort(board.path, lambda: CamrefProtocol(leds), referee.inbox.put))
        onlooker, frames = Onlooker(board, referee, leds), iter(film())

        def taken() -> None:
            onlooker.look()
            referee.inbox.put(next(frames, RecordingEnded()))

        try:
            referee.inbox.put(next(frames))
            referee.run_loop(taken)
            time.sleep(5 * NOTICED_S)  # somebody reads what it says now
            board.tap("undo")
            board.wait_for(lambda _: not referee.inbox.empty())
            referee.inbox.put(Stop())
            referee.run_loop()
            onlooker.look()
        finally:
            referee.release_all()
        said = [event["event"] for event in record.read_events("camelot-0001")]
        assert {"set-up", "ready", "lifted", "partial", "illegal", "restored"} <= set(said)
        assert (said.count("move"), said[-1]) == (6, "takeback")
        assert len(referee.watcher.match.moves) == 5
        assert len(onlooker.drawn) >= 11
        assert {"ILLEGAL D8 E8"} <= {frame.text[0] for frame in onlooker.drawn}
        seen = board.read_signals()
        assert (seen.pulse_faults, seen.display_faults, seen.overruns) == (0, 0, 0)


def test_the_serve_command_lights_the_board_and_hears_its_buttons(tmp_path: Path) -> None:
    record, empty_board = tmp_path / "games.sqlite3", str(SESSION / "frame_0000.jpg")
    with SimulatedBoard() as board:
        lights = ("--lights", board.path, "--protocol", "camref")
        with serving(record, "--camera", empty_board, *lights) as url:
            board.wait_for(lambda seen: seen.text[0].strip() == "Starting")
            time.sleep(5 * NOTICED_S)  # somebody reads that first
            refused = events_until(url, "refused", lambda: board.tap("undo"))[-1]  # told to who listens
        assert "0 have been played" in str(refused["message"])
        board.wait_for(lambda seen: seen.text[0].strip() == "HOST LOST" and not any(map(any, seen.rgb)))


def test_a_check_beside_a_game_says_what_the_game_knows_of_its_lights(tmp_path: Path, leds: LedMap) -> None:
    """Who only sees that a referee has the port says of a display that hangs that all is well."""
    record, picture = tmp_path / "games.sqlite3", SESSION / "frame_0000.jpg"
    with SimulatedBoard() as board:
        options = {"profile": SESSION / "profile.toml", "camera": picture, "record": record, "port": 0}
        options |= {"lights": board.path, "protocol": "camref"}
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        command = [sys.executable, "-m", "server", "serve", *words]
        with started(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            held = f"{board.path}: a referee that is running has it"
            board.wait_for(lambda seen: seen.text[0].strip() == "Starting")
            found = check_port(LedPort(board.path, lambda: CamrefProtocol(leds), print), 160)
            assert found == Finding("port", "note", f"{held}, as it should during a game")
            board.hang_firmware()  # and between two of its attempts the check finds the port free, and silent
            told = f"{held} and says: the LED board stopped answering"
            wait_until(lambda: describe_held_port(board.path, [Path(f"/proc/{process.pid}")]).message.startswith(told))
            assert describe_held_port(board.path, [Path(f"/proc/{process.pid}")]).state == "wrong"
            board.resume_firmware()


def test_no_picture_draws_more_than_the_supply_gives(leds: LedMap) -> None:
    empty_board = LedFrame(((255, 0, 0),) * 160)
    assert estimate_milliamps(empty_board.rgb) > SUPPLY_MILLIAMPS
    assert estimate_milliamps(split_colours(leds.encode_strip(empty_board.rgb))) <= SUPPLY_MILLIAMPS


class Bench:
    """The protocol on a board whose time only goes on in `step`; nothing waits for this machine."""

    def __init__(self, board: SimulatedBoard, leds: LedMap) -> None:
        self.board, self.protocol = board, CamrefProtocol(leds, board.build.baud)
        self.t = board.read_signals().t

    def show(self, frame: LedFrame) -> None:
        self.board.send_bytes(self.protocol.encode_frame(frame.at_time(0.0), self.t))

    def step(self) -> list[Pressed]:
        self.board.send_bytes(self.protocol.take_due_bytes(self.t))
        self.t, data = self.board.advance_time(SLICE_S)
        return self.protocol.receive_data(data, self.t)

    def wait(self, seconds: float) -> bool:
        """Let time go on; whether the buzzer sounded meanwhile."""
        end, heard = self.t + seconds, False
        while self.t < end:
            self.step()
            heard = heard or self.board.read_signals().buzzer
        return heard


@pytest.mark.parametrize("baud", [500_000, 115_200])
def test_an_undo_is_taken_back_and_shown_within_50_ms(tmp_path: Path, leds: LedMap, baud: int) -> None:
    playing = replace(new_match(GAME, GAME.start()), phase=Phase.PLAYING)
    match, _ = apply_act(playing, Correct(1, "E6-C8"), 0.0)
    watcher = Watcher(profiles.load_profile(SESSION / "profile.toml"), match)
    with stepped(Build(baud=baud)) as board, service(tmp_path, watcher) as (referee, record):
        bench = Bench(board, leds)
        bench.show(draw_match(referee.watcher.match))
        bench.wait(SETTLED_S)
        board.latched_pictures()
        began, pressed = bench.t, list[Pressed]()
        board.press_button("undo")
        while not pressed:
            pressed = bench.step()
        referee.inbox.put(pressed[0])
        referee.inbox.put(Stop())
        referee.run_loop()
        assert record.read_events("camelot-0001")[-1]["event"] == "takeback"
        bench.show(draw_match(referee.watcher.match))
        while not (latched := board.latched_pictures()):
            bench.step()
        assert latched[0][1] == leds.encode_strip(draw_match(referee.watcher.match).rgb)
        assert latched[0][0] - began <= PRESS_LIMIT_S


def test_what_is_pressed_while_the_program_stands_still_takes_no_offer_that_was_not_shown(
    tmp_path: Path, leds: LedMap
) -> None:
    """Stopped by the system, or by load: hint and confirm wait on the board, and come when the offer is on its way."""
    playing = replace(new_match(GAME, GAME.start()), phase=Phase.PAUSED)
    watcher = Watcher(profiles.load_profile(SESSION / "profile.toml"), playing)
    with stepped() as board, service(tmp_path, watcher) as (referee, record):
        bench = Bench(board, leds)
        lit = Lit()
        referee.use_lights(lit)  # type: ignore[arg-type]  # what it is told is all that is asked of it

        def go_on(seconds: float) -> None:
            end = bench.t + seconds
            while bench.t < end:
                for pressed in bench.step():
                    referee.inbox.put(pressed)
                    referee.inbox.put(Stop())
                    referee.run_loop()
                bench.show(lit.frames[-1])

        def press(button: str) -> None:
            board.press_button(button)
            board.advance_time(HELD_S)
            board.release_button(button)

        go_on(SETTLED_S)
        for button in ("hint", "confirm"):
            press(button)
            board.advance_time(STOOD_S)
        bench.t = board.read_signals().t
        go_on(SETTLED_S)
        assert referee.watcher.match.phase is Phase.PAUSED
        assert [line.strip() for line in board.read_signals().text] == ["Confirm again?", "draw?"]
        press("confirm")
        go_on(SETTLED_S)
        assert record.read_events("camelot-0001")[-1]["event"] == "result"


@pytest.mark.parametrize(("mode", "sounds"), [("training", [True, False]), ("tournament", [False, False])])
def test_the_buzzer_sounds_once_and_never_in_a_tournament(leds: LedMap, mode: str, sounds: list[bool]) -> None:
    playing = replace(new_match(GAME, GAME.start()), phase=Phase.PLAYING)
    wrong = Illegal(0.0, ("E8", "D8"), "must-jump", "...", ("E8xE10",))
    with stepped() as board:
        bench = Bench(board, leds)
        bench.show(draw_match(playing, mode))
        bench.wait(SETTLED_S)
        bench.show(draw_match(replace(playing, phase=Phase.TROUBLE, note=wrong), mode))
        assert [bench.wait(SETTLED_S), bench.wait(SETTLED_S)] == sounds
