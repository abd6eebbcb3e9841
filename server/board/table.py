"""A table while it is open: record, service, pages and camera, opened in this order and closed in the other."""

from __future__ import annotations

import logging
import queue
import signal
import webbrowser
from contextlib import ExitStack, suppress
from dataclasses import replace

import click

from engine.errors import InputError, Worded
from opponent.contest.participants import participant
from opponent.vocabulary import HIGHEST, Limits
from server.board.computer.companions import Companions
from server.board.computer.kept import computer_of
from server.board.computer.opponents import Opponents
from server.board.computer.tutor import SwitchTutor, Tutor
from server.board.led_setup import palette_of
from server.board.live.camera import Camera, CameraGone, LookDone, RecordingEnded
from server.board.live.narrator import PAUSE, Narrator, read_cues
from server.board.live.notices import RecordWaits
from server.board.live.phone import Phone
from server.board.live.service import Item, Replaced, Service, Stop
from server.board.live.unwritten import UnwrittenError, take_back
from server.board.pages.app import DEMONSTRATED_AT, Running, create_app, demonstrated_games, demonstration_record
from server.board.pages.onward import AGAIN, OTHER_CAMERA, OWN_BOARD
from server.board.pages.own_board import BesideDemonstration
from server.board.pages.phone_page import PhoneLink, Reached, own_page_for_phones, say_to_phone
from server.board.prepared import Prepared, prepared, wanted_of, with_profile
from server.board.publishing import joined
from server.board.resuming import mode_of, resumed, today
from server.board.serve_options import ServeOptions
from server.board.setup.save import Keeper, default_profile
from server.masking import masked
from server.pictures import frames
from server.record import details
from server.record.evidence import PictureEvidence, Store, folder_of
from server.record.journal import told
from server.record.playing import claim, record_at
from server.record.seal import sealer
from server.record.store import open_record
from server.record.traces.trace import Tracer, tracing
from server.spectators.broadcast import Broadcast
from server.spectators.public_feed import PublicFeed
from server.systemd import Systemd
from server.web.feed import Feed
from server.web.preferences import Options
from server.web.site import Site
from vision.frames import Frame, is_live, right_way_round
from vision.watch.aside import Aside
from vision.watch.watcher import Watcher

THINKING_MS = 2000
"""The longest that an engine thinks about a move at the board; weaker levels stop sooner."""

log = logging.getLogger(__name__)


def play(asked: ServeOptions, options: Options) -> ServeOptions | None:
    """Referee until Ctrl-C, or until the system ends it. Where a recording makes way for something else: what is asked
    for then. `options` are shown on the page of settings."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    begun = with_profile(asked)
    if begun is None:
        return None
    try:
        return _refereed(begun, options)
    except UnwrittenError:
        raise
    except (InputError, OSError) as error:
        if not begun.awaited or begun.chosen.profile is not None:
            raise
        log.warning("%s", masked(str(error)))
        return begun.unopened(error if isinstance(error, Worded) else Worded(_plainly(error)), begun.serving.port)


def _refereed(asked: ServeOptions, options: Options) -> ServeOptions | None:
    """The same, of a board that has a profile. InputError and OSError where the game cannot be opened."""
    inbox: queue.Queue[Item] = queue.Queue()
    with suppress(KeyboardInterrupt):
        ready = prepared(asked, inbox.put)
        with ExitStack() as closing:
            table = Table(ready, inbox, closing)
            table.run(options)
            return table.next
    return None


def _plainly(error: OSError) -> str:
    """What the system says of a file, in a line."""
    return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)


class Table:
    """All that is around one board. What is opened is left to `closing`."""

    def __init__(self, ready: Prepared, inbox: queue.Queue[Item], closing: ExitStack) -> None:
        self.next: ServeOptions | None = None
        """What is asked for after this, if anything."""
        self._ready, self._asked, self._inbox, self._closing = ready, ready.asked, inbox, closing
        self._feed, self._spectators = Feed(), Feed()
        folder = self._asked.page.broadcast
        self._public = PublicFeed(folder, ready.match.game.seats) if folder else None
        self._listening = closing.enter_context(self._asked.serving.listen())
        self._port = self._listening.getsockname()[1]
        captions = self._asked.captions
        self._narrator = Narrator(self._feed, read_cues(captions)) if captions else None
        own = wanted_of(self._asked.onward(OWN_BOARD, self._port))
        self._own_board = BesideDemonstration(own, self._asked.serving, self._port, lambda: self._make_way(OWN_BOARD))
        closing.callback(self._own_board.close)
        self._kept = record_at(self._asked.keeping.record)
        closing.enter_context(claim(self._kept))

    def run(self, options: Options) -> None:
        """Open everything else and referee."""
        service = self._service()
        site = self._site(options, service.journal.name)
        here = self._asked.serving.address(site.url)
        camera = self._camera(here)
        click.echo(f"The page is at {here} and the record in {self._kept} ({service.journal.name}).")
        click.echo("Ctrl-C ends it; a game that is not over goes on the next time.")
        if self._asked.page.opened:
            webbrowser.open(site.url)
        manager = Systemd()
        self._feed.vitals.on_beat = manager.alive
        manager.ready()
        self._closing.callback(manager.ending)
        service.run(lambda: self._taken(camera, begun=service.watcher.begun))

    def _service(self) -> Service:
        """The main loop with its record, pictures, opponents and lights."""
        ready, terms, keeping, closing = self._ready, self._asked.terms, self._asked.keeping, self._closing
        game, source = ready.match.game, ready.opened.camera
        record = closing.enter_context(open_record(self._kept))
        record.on_wait = self._waits
        take_back(self._kept, record, sealer(today))
        fresh = terms.fresh or self._asked.chosen.position is not None
        match, journal = resumed(record, ready.match, sealer(today), fresh=fresh)
        said = record.events(journal.name)
        trace = Tracer(closing.enter_context(tracing(keeping.trace)), match, said) if keeping.trace else None
        watcher = Watcher(ready.opened.profile, match, trace)
        palette, before = palette_of(self._asked.lighting, ready.opened), told(said)
        mode = mode_of(said, terms.mode)
        service = Service(self._beside(watcher), journal, self._feed, mode, palette, before, self._inbox, today)
        service.stay, service.live = True, is_live(source)
        files = (self._public.tell, self._public.end) if self._public else ()
        service.broadcast(Broadcast(self._spectators, self._asked.page.delay_min * 60, *files))
        if keeping.pictures_mb:
            store = Store(folder_of(self._kept), keeping.pictures_mb * 1_000_000)
            service.keep(PictureEvidence(store, game.board))
        service.name(ready.named or details.of(said, game.seats), "page" if ready.named else None)
        limits = Limits(movetime_ms=THINKING_MS)
        players = Opponents(game, ready.engines, self._inbox.put, limits, _level, ready.elsewhere)
        tutor = Tutor(game, _level(HIGHEST), self._inbox.put)
        tutors = self._asked.terms.tutors
        tutor.switch(SwitchTutor("best" in tutors, "teach" in tutors, by="page"))
        companions = Companions(players, tutor)
        companions.resume(computer_of(said, game.seats), match)
        service.beside(companions)
        closing.callback(service.close)
        service.use(ready.lights, ready.unlit)
        return service

    def _beside(self, watcher: Watcher) -> Watcher | Aside:
        """The watcher, its looks taken beside the frames where those do not wait."""
        live = is_live(self._ready.opened.camera)
        if not (live or self._asked.realtime):
            return watcher
        return Aside(watcher, lambda: self._inbox.put(LookDone()), begins_alone=not live)

    def _site(self, options: Options, game: str) -> Site:
        """The pages, and the hall that is told of the record from its `game` on."""
        ready, opened, feed = self._ready, self._ready.opened, self._feed
        shown = demonstration_record() if demonstration_record().is_file() else None
        shown = None if shown == self._kept else shown
        running = Running(
            spectators=self._spectators,
            options=options,
            keep=Keeper(
                opened.path,
                opened.profile,
                opened.camera,
                lambda renewed: self._inbox.put(Replaced(renewed)),
                self._turned_back,
            ),
            phone=ready.phone,
            explained=self._narrator is not None,
            watched=lambda what: self._watched(what, site),
            other_camera=self._may_choose,
            demonstration=shown,
            corrected=self._inbox.put,
        )
        visitors = self._asked.serving.visitors
        app = create_app(feed, self._inbox.put, ready.match.game, self._kept, visitors, running)
        self._closing.enter_context(joined(self._asked.hall, self._kept, feed, game, self._inbox.put))
        site = Site(app, self._listening, self._asked.serving.tls)
        if shown:
            site.mount(DEMONSTRATED_AT, demonstrated_games(shown, visitors))
        for closed in (site, feed, self._spectators):
            self._closing.callback(closed.close)
        return site

    def _camera(self, here: str) -> Camera:
        """The camera, whose pictures come from now on; `here` is the address of the page."""
        ready, asked, phone = self._ready, self._asked, self._ready.phone

        def put(item: Frame | CameraGone | RecordingEnded) -> None:
            self._inbox.put(item)
            if isinstance(item, RecordingEnded):
                click.echo(f"The recording is over: play it again, or set up your own board, at {here}")

        source, fps = ready.opened.camera, asked.chosen.fps
        given = (lambda: right_way_round(source, phone.frames())) if phone else ready.opened.guarded
        narrator = self._narrator
        if narrator is not None:
            given = lambda: narrator.play(frames(source, fps))  # noqa: E731
        camera = Camera(source, fps, put, given, ready.opened.profile.size_wh, realtime=asked.realtime)
        self._closing.callback(camera.close)
        if narrator is not None:
            self._closing.callback(narrator.close)
        if phone is not None:
            self._closing.callback(phone.close)
            say_to_phone(self._phone_address(phone))
        camera.start()
        return camera

    def _phone_address(self, phone: Phone) -> str:
        """Where the phone has to go: a page that is served to others encrypted has it, else one is opened for it."""
        at = Reached(self._ready.opened.path.parent, self._port, self._asked.page.phone_at)
        own = own_page_for_phones(self._asked.serving, at)
        if own:
            return own
        link = PhoneLink(phone, at)
        self._closing.callback(link.close)
        return link.url

    def _taken(self, camera: Camera, *, begun: bool) -> None:
        """A frame was refereed: the next may come."""
        if self._narrator is not None:
            self._narrator.taken()
        camera.taken(begun=begun)

    @property
    def _may_choose(self) -> bool:
        """Whether another camera may be chosen on a page: not in the place of one that the command line names."""
        chosen = self._asked.chosen
        return chosen.profile is None and chosen.camera is None and is_live(self._ready.opened.camera)

    def _watched(self, what: str, site: Site) -> str | None:
        """Do with what is watched what a page wants: the page that comes next, "" for the one that asks, None for what
        cannot be done."""
        camera = self._ready.opened.camera
        if what == OTHER_CAMERA and self._may_choose:
            gone = Worded("camera {source}: gives no picture: is it in use elsewhere?", source=camera)
            self.next = replace(self._asked.unopened(gone, self._port), awaited=True)
            self._inbox.put(Stop())
            return ""
        return None if is_live(camera) else self._recording(what, site)

    def _recording(self, what: str, site: Site) -> str | None:
        """Pause the recording, go on or skip, where it is explained; or have it make way for what is named. The page
        that comes next, "" for the one that asks, None for what cannot be done."""
        if what == OWN_BOARD and not default_profile().exists():
            if self._narrator is not None:
                self._narrator.ask(PAUSE)  # who comes back goes on where it was
            return self._own_board.page(site)
        if what in (AGAIN, OWN_BOARD):
            self._make_way(what)
        elif self._narrator is not None:
            self._narrator.ask(what)
        else:
            return None
        return ""

    def _make_way(self, what: str) -> None:
        """End the recording for what is named, on the same port."""
        self.next = self._asked.onward(what, self._port)
        self._inbox.put(Stop())

    def _turned_back(self, camera: str) -> None:
        """The camera's pictures are turned back from now on; what was played before is kept as it was written."""
        begun = bool(self._feed.now.match and self._feed.now.match.moves)
        self.next = self._asked.turned_back(camera, self._port, begun=begun)
        self._inbox.put(Stop())

    def _waits(self, message: str) -> None:
        """Say that another program holds the record: to the log, and to who listens."""
        log.warning("%s", message)
        snapshot = self._feed.snapshot or {}
        self._feed.publish(RecordWaits(float(str(snapshot.get("t", 0.0))), message).to_json())


def _level(level: int) -> tuple[str, ...]:
    """The command of our own engine at a level."""
    return participant(str(level)).command
