"""`referee serve`: the camera, the lights, the record and the page together."""

from __future__ import annotations

import logging
import queue
import signal
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from calibration import profile as profiles
from calibration.profile import Profile
from device import protocols
from device.lights import PALETTES
from device.port import LedPort
from device.protocol import Pressed
from engine import games
from engine.errors import InputError
from engine.game import Game
from engine.match.clock import parse
from engine.match.referee import new_match
from engine.match.state import Match
from engine.match.timing import with_clock
from opponent.contest.participants import participant
from opponent.vocabulary import HIGHEST, Limits
from server.access.serving import Serving, options
from server.commands import _naming, _publishing
from server.commands.lights import read_map
from server.exits import DONE
from server.http.site import Site
from server.inputs import read_game
from server.live.broadcast import Broadcast
from server.live.camera import Camera, CameraGone, LookDone, RecordingEnded, usable
from server.live.companions import Companions
from server.live.feed import Feed
from server.live.hints import TOURNAMENT
from server.live.notices import RecordWaits
from server.live.opponents import Opponents
from server.live.phone import Phone
from server.live.service import Item, Replaced, Service, Stop
from server.live.tutor import SwitchTutor, Tutor
from server.record import details
from server.record.evidence import Evidence, Store, folder_of
from server.record.journal import Journal, fold, next_name, told, unfinished
from server.record.playing import claim
from server.record.seal import sealer
from server.record.store import Record, Seal, default_path, made, open_record
from server.settings import shown
from server.setup.save import default_profile, keeper
from server.traces.trace import Tracer, tracing
from server.web.app import create_app
from server.web.onward import AGAIN, OWN_BOARD
from server.web.wizard import set_up
from vision.frames import DEFAULT_FPS, PHONE, Frame, is_live
from vision.watch.aside import Aside
from vision.watch.watcher import Watcher

THINKING_MS = 2000
"""The longest that an engine thinks about a move at the board; weaker levels stop sooner."""

log = logging.getLogger(__name__)


@click.command(help="Referee what a camera sees, with page, lights and record.")
@click.option(
    "--profile",
    "path",
    type=click.Path(path_type=Path),
    help="Profile of the board; default: your own, made on a page the first time.",
)
@click.option("--camera", help="Device, stream URL, video, picture or folder; default: the profile's.")
@click.option("--rules", help="Rule set; default: the profile's, else the game's first.")
@click.option("--position", help="Position (JSON) that the game starts from.")
@click.option("--record", "record_path", type=click.Path(dir_okay=False, path_type=Path), help="Where games are kept.")
@click.option("--new", "fresh", is_flag=True, help="Begin a new game even if the last one is not over.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@click.option("--mode", type=click.Choice(["training", "tournament"]), default="training", show_default=True)
@click.option(
    "--palette",
    type=click.Choice(list(PALETTES)),
    default="standard",
    show_default=True,
    help="Colours of the LEDs.",
)
@click.option("--clock", help="Time control, like 60m+30s, 5m delay 3s or 40/150m,60m+30s; default: no clock.")
@click.option(
    "--delay",
    "delay_min",
    type=click.FloatRange(0, 600),
    default=0.0,
    show_default=True,
    help="Minutes by which the spectators' page, /spectator, is behind the board.",
)
@click.option("--lights", "lights_url", help="Port of the LEDs: auto, /dev/ttyUSB0, udp://host:port, any URL.")
@click.option("--protocol", default="adalight", show_default=True, help="What the LEDs speak.")
@click.option("--baud", type=int, help="Speed of the LEDs' serial port; default: the protocol's.")
@click.option("--fps", default=DEFAULT_FPS, show_default=True, help="Speed of a folder without times.")
@click.option(
    "--pictures",
    "pictures_mb",
    type=click.IntRange(min=0),
    default=2000,
    show_default=True,
    help="Megabytes of pictures of the plies to keep beside the record, the oldest go first; 0: keep none.",
)
@click.option(
    "--trace",
    "trace_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a line for each look here: what was seen, what it was taken for, why, what is waited for.",
)
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="SIDE=LEVEL",
    help="Let the computer play a side: black=5, or a UGI engine's command in place of the level.",
)
@click.option(
    "--tutor",
    "tutors",
    multiple=True,
    type=click.Choice(["best", "teach"]),
    help="Show the best three moves; explain weak moves and threats. Not in a tournament.",
)
@click.option("--realtime", is_flag=True, help="Play recordings at their own speed.")
@_naming.options
@_publishing.options
@options
def command(*, serving: Serving, **asked: Any) -> int:
    """Run until Ctrl-C, or until the system ends it: then lights go off and the record is closed all the same."""
    while (onward := _play(serving=serving, **asked)) is not None:
        what, port = onward
        serving = replace(serving, port=port)
        asked |= {"open_page": False, "fresh": what == AGAIN}
        if what == OWN_BOARD:
            asked |= dict.fromkeys(("path", "camera", "rules", "position", "record_path"))
            asked |= {"naming": {}, "opponents": ()}
    return DONE


def _play(
    path: Path | None,
    camera: str | None,
    rules: str | None,
    position: str | None,
    record_path: Path | None,
    fresh: bool,
    open_page: bool,
    mode: str,
    palette: str,
    clock: str | None,
    delay_min: float,
    lights_url: str | None,
    protocol: str,
    baud: int | None,
    fps: float,
    realtime: bool,
    pictures_mb: int,
    trace_path: Path | None,
    opponents: tuple[str, ...],
    tutors: tuple[str, ...],
    naming: Mapping[str, object],
    hall: _publishing.Hall | None,
    serving: Serving,
) -> tuple[str, int] | None:
    """Referee one source of pictures; where a recording makes way for something else that, and the port of the page."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if mode == TOURNAMENT:
        _check_tournament((*opponents, *tutors), pictures_mb)
    if path is None:
        ready = set_up(default_profile(), serving, fps, camera or "", open_page)
        if ready is None:
            return None
        path, serving = ready
    profile = profiles.load(path)
    control = parse(clock) if clock else None
    game, start = read_game(path, profile, rules, position)
    named = _naming.naming_of(naming, game.seats)
    commands = _commands(game, opponents)
    source = usable(camera or "", fps, profile)
    phone = Phone(profile.size_wh) if source == PHONE else None
    inbox: queue.Queue[Item] = queue.Queue()
    lights, unlit = _lights(path, profile, lights_url, protocol, baud, inbox.put)
    feed, spectators = Feed(), Feed()
    onward: list[tuple[str, int]] = []

    def make_way(what: str) -> None:
        onward.append((what, listening.getsockname()[1]))
        inbox.put(Stop())

    with ExitStack() as closing, suppress(KeyboardInterrupt):
        listening = closing.enter_context(serving.listen())
        # What can be found unusable has been found by now: nothing was written yet.
        kept = made(record_path or default_path())
        closing.enter_context(claim(kept))
        record = closing.enter_context(open_record(kept))
        record.on_wait = lambda message: _waits(feed, message)
        begun = with_clock(new_match(game, start), control) if control else new_match(game, start)
        match, journal = _begin(record, begun, fresh or position is not None, sealer(today))
        said = record.events(journal.name)
        trace = None if trace_path is None else Tracer(closing.enter_context(tracing(trace_path)), match, said)
        watcher = Watcher(profile, match, trace)
        beside = _beside(watcher, inbox.put, source, realtime)
        service = Service(beside, journal, feed, mode, palette, told(said), inbox, today)
        service.stay, service.live = True, is_live(source)
        service.broadcast(Broadcast(spectators, delay_min * 60))
        if pictures_mb:
            folder = folder_of(kept)
            service.keep(Evidence(Store(folder, pictures_mb * 1_000_000), game.board))
        service.name(named or details.of(said, game.seats), "page" if named else None)
        tutor = Tutor(game, _level(HIGHEST), inbox.put)
        tutor.switch(SwitchTutor("best" in tutors, "teach" in tutors, by="page"))
        players = Opponents(game, commands, inbox.put, Limits(movetime_ms=THINKING_MS), _level)
        service.beside(Companions(players, tutor))
        closing.callback(service.close)
        service.use(lights, unlit)
        app = create_app(
            feed,
            inbox.put,
            game,
            serving.names,
            spectators,
            kept,
            serving.door,
            serving.secure,
            serving.behind_proxy,
            options=shown(click.get_current_context()),
            keep=keeper(path, profile, lambda renewed: inbox.put(Replaced(renewed))),
            phone=phone,
            make_way=None if is_live(source) else make_way,
            embed_on=serving.sites,
        )
        closing.enter_context(_publishing.joined(hall, kept, feed, journal.name))
        site = Site(app, listening, serving.tls)
        closing.callback(site.close)
        closing.callback(feed.close)
        closing.callback(spectators.close)
        here = serving.address(site.url)

        def put(item: Frame | CameraGone | RecordingEnded) -> None:
            inbox.put(item)
            if isinstance(item, RecordingEnded):
                click.echo(f"The recording is over: play it again, or set up your own board, at {here}")

        eye = Camera(source, fps, realtime, put, phone.frames if phone else None)
        closing.callback(eye.close)
        if phone is not None:
            closing.callback(phone.close)
            click.echo(f"Open {here}phone on the phone.")
        eye.start()
        click.echo(f"The page is at {here} and the record in {kept} ({journal.name}).")
        click.echo("Ctrl-C ends it; a game that is not over goes on the next time.")
        if open_page:
            webbrowser.open(site.url)
        service.run(lambda: eye.taken(service.watcher.begun))
    return onward[0] if onward else None


def _check_tournament(helped: tuple[str, ...], pictures_mb: int) -> None:
    """InputError for what there is not in a tournament."""
    if helped:
        raise InputError("--opponent, --tutor: in a tournament nobody is told a move; use --mode training")
    if not pictures_mb:
        raise InputError("--pictures 0: in a tournament pictures are kept; name another limit, or --mode training")


def _beside(watcher: Watcher, put: Callable[[Item], object], source: str, realtime: bool) -> Watcher | Aside:
    """The watcher, its looks taken beside the frames where those do not wait."""
    if not (is_live(source) or realtime):
        return watcher
    return Aside(watcher, lambda: put(LookDone()), not is_live(source))


def _level(level: int) -> tuple[str, ...]:
    """The command of our own engine at a level."""
    return participant(str(level)).command


def _commands(game: Game, said: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """The engine of each seat that one plays. InputError for a side that is none."""
    commands = {}
    for text in said:
        side, _, who = text.partition("=")
        if side not in game.seats or not who:
            raise InputError(f"--opponent {text[:40]!r}: write SIDE=LEVEL, with a side of {', '.join(game.seats)}")
        commands[game.seats.index(side)] = participant(who).command
    return commands


def _lights(
    path: Path, profile: Profile, url: str | None, protocol: str, baud: int | None, put: Callable[[Pressed], object]
) -> tuple[LedPort | None, str]:
    """The port of the lights that the command line names, else the profile; None for none but the page's, and why.

    InputError only for what was typed just now: a bad port in a file must not keep its owner from the game.
    """
    name = profile.lights.get("protocol", protocol) if url is None else protocol
    typed = click.get_current_context().get_parameter_source("lights_url") is ParameterSource.COMMANDLINE
    url = url or profile.lights.get("port")
    if not url or url == "screen:":
        return None, ""
    try:
        map_file = path.parent / profile.lights["map"] if "map" in profile.lights else None
        leds = read_map(games.load(profile.game), map_file)
        return LedPort(url, lambda: protocols.load(name, leds, baud), put), ""
    except InputError as error:
        if typed:
            raise
        log.warning("no lights: %s; the game goes on without them", error)
        return None, str(error)


def _waits(feed: Feed, message: str) -> None:
    """Say that another program holds the record: to the log, and to who listens."""
    log.warning("%s", message)
    snapshot = feed.snapshot or {}
    feed.publish(RecordWaits(float(str(snapshot.get("t", 0.0))), message).to_json())


def _begin(record: Record, fresh_match: Match, fresh: bool, seal: Seal | None = None) -> tuple[Match, Journal]:
    """Go on with the unfinished game of this kind in the record, or begin a new one."""
    game = fresh_match.game
    name = None if fresh else unfinished(record, game.name, game.rules)
    if name is not None:
        match = fold(record.events(name), name)
        if match.moves:
            click.echo(f"Going on with {name} after {len(match.moves)} plies; --new begins another.")
        if match.moves or _alike(match, fresh_match):
            return match, Journal(record, name, seal)
    other = next(iter(record.summaries()), None)
    if not fresh and other is not None and (other.game, other.rules) != (game.name, game.rules):
        kinds = f"{other.game} ({other.rules}), this profile is for {game.name} ({game.rules})"
        click.echo(f"The last game in the record, {other.name}, is {kinds}: a new game begins.")
    journal = Journal(record, next_name(record, game.name), seal)
    journal.begin(fresh_match, today())
    return fresh_match, journal


def _alike(one: Match, other: Match) -> bool:
    """Whether two games that have no moves yet began in the same way."""
    clocks = [match.clocks[0].control if match.clocks else None for match in (one, other)]
    return one.positions == other.positions and clocks[0] == clocks[1]


def today() -> str:
    """Date and time to write above a game."""
    return datetime.now(UTC).isoformat(timespec="seconds")
