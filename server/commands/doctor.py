"""`referee doctor`: everything that must be right before a game, each with what to do if it is not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from calibration import profile as profiles
from calibration.profile import Profile
from device import protocols
from device.ledmap import LedMap
from device.port import LedPort
from engine.errors import InputError
from engine.games import load
from opponent.core.compiled import import_core
from server.board.board_options import cameras_at_option
from server.board.led_setup import parse_baud, read_map, read_profile_map
from server.board.serve_options import Lighting
from server.board.setup.checkup import (
    check_camera,
    check_led_map,
    check_machine,
    check_packages,
    check_palette,
    check_port,
)
from server.board.setup.checkup_picture import Finding
from server.board.setup.save import default_profile
from server.board.setup.way_round import match_way_round
from server.exits import ANSWER_IS_NO, DONE
from server.masking import mask_passwords, print_text
from server.options import FILE_OR_FOLDER

NOT_ASKED = Lighting(None, None, None, None, None, typed=False)
SIGNS = {"ok": "ok   ", "note": "note ", "wrong": "WRONG"}


@click.command(help="Check camera, picture, board, port, LED map, disk and clock, and say what to do.")
@click.option("--profile", "path", type=FILE_OR_FOLDER, help="Profile of the board; default: your own.")
@click.option("--camera", help="Device, stream URL, video, picture or folder; default: the profile's.")
@cameras_at_option
@click.option("--lights", "--port", "port", help="Where the LEDs are, as for `serve`; default: the profile's.")
@click.option("--protocol", help="What the LEDs speak; default: the profile's, else what is usual at such a port.")
@click.option("--baud", type=int, help="Speed of the LEDs' serial port; default: the profile's, else the protocol's.")
@click.option("--map", "map_file", type=FILE_OR_FOLDER, help="LED map; default: the profile's, else the game's own.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(
    path: Path | None,
    camera: str | None,
    cameras_at: tuple[str, ...],
    port: str | None,
    protocol: str | None,
    baud: int | None,
    map_file: Path | None,
    *,
    as_json: bool,
) -> int:
    """Exit 1 when something is wrong; notes alone are none."""
    own = path is None and camera is None and port is None
    asked = Lighting(port, protocol, baud, map_file, None, typed=port is not None)
    findings = collect_findings(default_profile() if own else path, camera, cameras_at, asked)
    ok = all(finding.state != "wrong" for finding in findings)
    if as_json:
        print_text(mask_passwords(json.dumps({"ok": ok, "checks": [finding.to_json() for finding in findings]})))
    else:
        for finding in findings:
            advice = f": {finding.advice}" if finding.advice else ""
            print_text(mask_passwords(f"{SIGNS[finding.state]} {finding.check}: {finding.message}{advice}"))
    return DONE if ok else ANSWER_IS_NO


def collect_findings(
    path: Path | None, camera: str | None = None, cameras_at: Sequence[str] = (), asked: Lighting = NOT_ASKED
) -> list[Finding]:
    """All that is found with the profile at `path`, or a camera and lights that are `asked` for; without a profile yet,
    where to begin."""
    findings, profile = _check_profile(path) if path is not None else ([], None)
    source = camera or (profile.source if profile else "")
    if profile is not None:
        source, profile = match_way_round(source, profile)
    if source:
        findings += check_camera(source, profile, cameras_at)
    url = asked.url or (profile.lights.get("port", "") if profile else "")
    if url or asked.map_file or (profile is not None and profile.lights):
        findings += _check_lights(url, asked, profile, path)
    return [*findings, *check_machine(Path.home()), check_packages(), _check_engine_core()]


def _check_profile(path: Path) -> tuple[list[Finding], Profile | None]:
    """What is found about the profile, and the profile itself where it can be read."""
    if path == default_profile() and not path.exists():
        said = f"no board has been set up yet ({path})"
        return [Finding("profile", "note", said, "start `referee serve`, which leads through it")], None
    try:
        profile = profiles.load_profile(path)
    except InputError as error:
        return [Finding("profile", "wrong", str(error).removeprefix("profile "))], None  # it says itself what to do
    return [Finding("profile", "ok", f"{path}: {profile.game}")], profile


def _check_lights(url: str, asked: Lighting, profile: Profile | None, path: Path | None) -> Iterator[Finding]:
    """What is found about the lights, as a game with that profile and what is `asked` for would use them."""
    game, lights = load(profile.game if profile else "camelot"), profile.lights if profile else {}
    from_file = asked.map_file is not None or profile is None or path is None
    leds, of_map = check_led_map(
        game.board,
        lambda: read_map(game, asked.map_file) if from_file else read_profile_map(game, lights, path or Path()),
    )
    if url:
        yield _check_led_port(url, asked, lights if lights.get("port") == url else {}, leds)
    if profile is not None or asked.map_file is not None:
        yield of_map
    of_palette = check_palette(profile) if profile is not None else None
    if of_palette is not None:
        yield of_palette


def _check_led_port(url: str, asked: Lighting, told: Mapping[str, str], leds: LedMap) -> Finding:
    """Whether the lights there open and answer, in the way that is `asked` for, else as the profile has `told`."""
    try:
        name = asked.protocol or told.get("protocol") or protocols.guess_protocol(url)
        baud = asked.baud if asked.baud is not None or "baud" not in told else parse_baud(told["baud"])
        port = LedPort(url, lambda: protocols.load_protocol(name, leds, baud, url=url), lambda _: None)
        return check_port(port, len(leds.board.cells))
    except InputError as error:
        return Finding("port", "wrong", str(error), "in the profile's [lights]" if told else "")


def _check_engine_core() -> Finding:
    """Whether the computer plays by compiled code. Without it all works: it is no fault."""
    if import_core() is not None:
        return Finding("engine", "ok", "the opponent's search is compiled")
    advice = "to make it stronger install a C compiler, then the program again"
    return Finding("engine", "note", "the opponent's search is not compiled: it plays in Python, and weaker", advice)
