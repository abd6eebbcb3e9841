"""`referee serve`: the camera, the lights, the record and the page together."""

from __future__ import annotations

import ipaddress
import logging
import os
import webbrowser
from pathlib import Path

import click

from calibration import profile as profiles
from device import protocols
from device.port import LedPort
from engine.errors import InputError
from engine.match import Match
from engine.referee import new_match
from server.app import create_app, serve
from server.camera import Camera
from server.cli import DONE
from server.commands.lights import read_map
from server.feed import Feed
from server.inputs import read_position
from server.journal import Journal, fold, next_name, told, unfinished
from server.record import Record, open_record
from server.service import Service, Stop
from server.sightings import Watcher
from vision.frames import DEFAULT_FPS


def default_record() -> Path:
    """Where games are kept when nothing else is said: the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "camelot-referee" / "games.sqlite3"


@click.command(help="Referee what a camera sees, with page, lights and record.")
@click.option("--profile", "path", required=True, type=click.Path(path_type=Path), help="Profile of the board.")
@click.option("--camera", help="Device, stream URL, video, picture or folder; default: the profile's.")
@click.option("--rules", help="Rule set; default: the profile's, else the game's first.")
@click.option("--position", help="Position (JSON) that the game starts from.")
@click.option("--record", "record_path", type=click.Path(dir_okay=False, path_type=Path), help="Where games are kept.")
@click.option("--new", "fresh", is_flag=True, help="Begin a new game even if the last one is not over.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the page.")
@click.option("--port", default=5000, show_default=True, help="Port of the page.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@click.option("--mode", type=click.Choice(["training", "tournament"]), default="training", show_default=True)
@click.option("--lights", "lights_url", help="Port of the LEDs: /dev/ttyUSB0, udp://host:port, any pyserial URL.")
@click.option("--protocol", default="adalight", show_default=True, help="What the LEDs speak.")
@click.option("--fps", default=DEFAULT_FPS, show_default=True, help="Speed of a folder without times.")
@click.option("--realtime", is_flag=True, help="Play recordings at their own speed.")
def command(
    path: Path,
    camera: str | None,
    rules: str | None,
    position: str | None,
    record_path: Path | None,
    fresh: bool,
    host: str,
    port: int,
    open_page: bool,
    mode: str,
    lights_url: str | None,
    protocol: str,
    fps: float,
    realtime: bool,
) -> int:
    """Run until Ctrl-C."""
    _check_host(host)
    profile = profiles.load(path)
    game, start = read_position(profile.game, rules or profile.rules, position)
    source = camera or profile.source
    if not source:
        raise InputError(f"profile {path}: names no camera; give --camera")
    feed = Feed()
    with open_record(_made(record_path or default_record())) as record:
        match, journal = _begin(record, new_match(game, start), fresh or position is not None)
        leds = lights_url or profile.lights.get("port")
        name = profile.lights.get("protocol", protocol) if lights_url is None else protocol
        service = Service(Watcher(profile, match), journal, feed, mode, told(record.events(journal.name)))
        service.stay = True
        if leds and leds != "screen:":
            led_map = read_map(game, Path(profile.lights["map"]) if "map" in profile.lights else None)
            service.use(LedPort(leds, lambda: protocols.load(name, led_map), service.inbox.put))
        site = serve(create_app(feed, service.inbox.put, game), host, port)
        eye = Camera(source, fps, realtime, service.inbox.put)
        eye.start()
        click.echo(f"The page is at {site.url} and the record in {record_path or default_record()} ({journal.name}).")
        click.echo("Ctrl-C ends it; a game that is not over goes on the next time.")
        if open_page:
            webbrowser.open(site.url)
        try:
            service.run(eye.taken)
        except KeyboardInterrupt:
            service.inbox.put(Stop())
        finally:
            eye.close()
            service.close()
            feed.close()
            site.close()
    return DONE


def _begin(record: Record, fresh_match: Match, fresh: bool) -> tuple[Match, Journal]:
    """Go on with the unfinished game of this kind in the record, or begin a new one."""
    game = fresh_match.game
    name = None if fresh else unfinished(record, game.name, game.rules)
    if name is not None:
        match = fold(record.events(name), name)
        if match.moves:
            click.echo(f"Going on with {name} after {len(match.moves)} plies; --new begins another.")
            return match, Journal(record, name)
    journal = Journal(record, next_name(record, game.name))
    journal.begin(fresh_match)
    return fresh_match, journal


def _made(path: Path) -> Path:
    """`path`, with its folder there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--record {path}: {error.strerror}") from error
    return path


def _check_host(host: str) -> None:
    """Only this machine may be served without accounts."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError as error:
        raise InputError(f"--host {host}: not an address; give 127.0.0.1") from error
    if not local:
        raise InputError(f"--host {host}: the page has no accounts yet and is served on 127.0.0.1 only")
