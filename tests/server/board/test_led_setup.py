"""Which lights a game gets, on the port of a real strip: those of the command line, else those of the profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from calibration import profile as profiles
from device import mapfile
from engine import games
from server.board.board_options import Opened
from server.board.led_setup import PORT_MISSING, lights_of
from server.board.serve_options import Lighting
from tests.server.board.setup.test_doctor import wled_on_usb

SESSION = Path(__file__).parents[2] / "data" / "sessions" / "camelot_a"
FRAME = Path(mapfile.__file__).with_name("maps") / "camelot-frame.toml"


def opened(game_name: str = "camelot", lights: Mapping[str, str] | None = None) -> Opened:
    path, game = SESSION / "profile.toml", games.load(game_name)
    profile = replace(profiles.load_profile(path), lights=lights or {})
    return Opened(path, profile, game, game.start(), str(SESSION), None)


def test_a_map_can_be_named_where_the_lights_are_named() -> None:
    """The demonstration has a profile of its own: the frame of 28 LEDs could not be tried with it."""
    for map_file, problem in ((FRAME, None), (None, "the LED map has 160")):
        with wled_on_usb(leds=28) as port:
            lights, unlit = lights_of(Lighting(port, "adalight", None, map_file, None, typed=True), opened(), print)
            assert lights is not None and not unlit
            lights.start_connecting()
            try:
                lights.wait_for_answer()
                assert (problem or "") in (lights.known_problem or "")
                assert bool(lights.known_problem) == bool(problem)
            finally:
                lights.close_port()


def test_a_map_of_another_board_keeps_nobody_from_the_game() -> None:
    """Another game may be chosen on the page at any time."""
    asked = Lighting("loop://", "adalight", None, FRAME, None, typed=True)
    lights, unlit = lights_of(asked, opened("cam-3d"), print)
    assert lights is None and "the game is 'cam-3d'" in unlit


def test_lights_without_a_port_are_said_to_be_missing(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever wrote what they speak wanted some."""
    asked = Lighting(None, None, None, None, None, typed=False)
    assert lights_of(asked, opened(lights={"protocol": "ddp"}), print) == (None, PORT_MISSING)
    (warning,) = caplog.records
    assert warning.getMessage() == f"no lights: {PORT_MISSING}; the game goes on without them"
    assert lights_of(asked, opened(lights={"palette": "okabe"}), print) == (None, "")
    assert len(caplog.records) == 1
