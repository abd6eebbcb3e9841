"""A table while it is open: record, service, pages and camera, opened in this order and closed in the other."""

from __future__ import annotations

import logging
import queue
import threading
import webbrowser
from contextlib import ExitStack, suppress
from dataclasses import replace

from engine.errors import InputError, Worded
from opponent.contest.participants import parse_participant
from opponent.vocabulary import HIGHEST, Limits
from server.board.computer.companions import Companions
from server.board.computer.kept import computer_of
from server.board.computer.opponents import Opponents
from server.board.computer.tutor import SwitchTutor, Tutor
from server.board.disk_room import DiskRoom
from server.board.led_setup import palette_of
from server.board.life_sign import LifeSigns, resume_life
from server.board.live.camera import Camera, CameraGone, LookDone, OtherFilmError, RecordingEnded
from server.board.live.narrator import PAUSE, Narrator, read_cues
from server.board.live.notices import RecordWaits, mode_of
from server.board.live.service import Item, Service
from server.board.live.unwritten import UnwrittenError, restore_lines
from server.board.live.wishes import Replaced, Stop
from server.board.pages.app import DEMONSTRATED_AT, Running, create_app, demonstrated_games, demonstration_record
from server.board.pages.onward import AGAIN, CHANGE_GAME, OTHER_CAMERA, OWN_BOARD
from server.board.pages.own_board import BesideDemonstration
from server.board.pages.phone_page import PhoneAddress, open_for_phone, say_to_phone
from server.board.prepared import PreparedTable, prepare_table, wanted_of, with_profile
from server.board.publishing import join_hall
from server.board.resuming import recall_game, resume_game
from server.board.serve_options import ServeOptions
from server.board.setup.save import Keeper, default_profile
from server.exits import take_signals
from server.masking import mask_passwords, print_line
from server.pictures import read_frames
from server.record import details
from server.record.evidence import PictureEvidence, Store, folder_of
from server.record.journal import format_now, read_moves
from server.record.playing import claim_record
from server.record.seal import load_sealer
from server.record.store import open_record, record_at
from server.record.traces.trace import Tracer, open_trace
from server.spectators.broadcast import Broadcast
from server.spectators.public_feed import PublicFeed
from server.systemd import Systemd
from server.web.feed import Feed
from server.web.preferences import Options
from server.web.site import Site
from vision.frames import Frame, is_live, unmirror_frames
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

THINKING_MS = 2000
"""The longest that an engine thinks about a move at the board; weaker levels stop sooner."""

log = logging.getLogger(__name__)


def run_table(asked: ServeOptions, options: Options) -> ServeOptions | None:
    """Referee until Ctrl-C, or until the system ends it. Where a recording makes way for something else: what is asked
    for then. `options` are shown on the page of settings."""
    begun = with_profile(asked)
    if begun is None:
        return None
    try:
        return _referee_board(begun, options)
    except UnwrittenError:
        raise
    except (InputError, OSError) as error:
        if begun.chosen.profile is not None or not (begun.awaited or isinstance(error, OtherFilmError)):
            raise
        log.warning("%s", mask_passwords(str(error)))
        return begun.after_failure(error if isinstance(error, Worded) else Worded(_describe_os_error(error)))


def _referee_board(asked: ServeOptions, options: Options) -> ServeOptions | None:
    """The same, of a board that has a profile. InputError and OSError where the game cannot be opened."""
    inbox: queue.SimpleQueue[Item] = queue.SimpleQueue()
    ended = threading.Event()

    def end_all() -> None:
        """Somebody ends the program: nothing comes after this, whatever a page asked for."""
        ended.set()
        inbox.put(Stop(at_once=True))

    with suppress(KeyboardInterrupt):
        ready = prepare_table(asked, inbox.put)
        with take_signals(end_all), ExitStack() as closing:
            table = Table(ready, inbox, closing)
            table.referee_game(options)
        return None if ended.is_set() else table.next
    return None


def _describe_os_error(error: OSError) -> str:
    """What the system says of a file, in a line."""
    return f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)


class Table:
    """All that is around one board. What is opened is left to `closing`."""

    def __init__(self, ready: PreparedTable, inbox: queue.SimpleQueue[Item], closing: ExitStack) -> None:
        self.next: ServeOptions | None = None
        """What is asked for after this, if anything."""
        self._ready, self._asked, self._inbox, self._closing = ready, ready.asked, inbox, closing
        self._feed, self._spectators = Feed(), Feed()
        folder = self._asked.page.broadcast
        self._public = PublicFeed(folder, ready.match.game.seats) if folder else None
        self._listening = closing.enter_context(self._asked.serving.open_listener())
        self._port = self._listening.getsockname()[1]
        captions = self._asked.captions
        self._narrator = Narrator(self._feed, read_cues(captions)) if captions else None
        own = wanted_of(self._asked.after_recording(OWN_BOARD))
        self._own_board = BesideDemonstration(own, self._asked.serving, self._port, lambda: self._make_way(OWN_BOARD))
        closing.callback(self._own_board.release_devices)
        self._kept = record_at(self._asked.keeping.record)
        self._claim = closing.enter_context(claim_record(self._kept))
        self._feed.vitals.disk = DiskRoom(self._kept).describe_trouble

    def referee_game(self, options: Options) -> None:
        """Open everything else and referee."""
        service = self._open_service()
        site = self._open_site(options, service.journal.name)
        here = self._asked.serving.public_address(site.url)
        camera = self._open_camera(here)
        print_line(f"The page is at {here} and the record in {self._kept} ({service.journal.name}).")
        if self._ready.opened.unnamed_rules:
            print_line(self._ready.opened.unnamed_rules)
        after = (
            "the next time is a new game"
            if self._asked.terms.fresh
            else "a game that is not over goes on the next time"
        )
        print_line(f"Ctrl-C ends it; {after}.")
        if self._asked.page.opened:
            webbrowser.open(site.url)
        manager = Systemd()
        self._feed.vitals.on_beat = manager.notify_alive
        manager.notify_ready()
        self._closing.callback(manager.notify_stopping)
        service.run_loop(lambda: self._request_next_frame(camera, begun=service.watcher.has_begun))

    def _open_service(self) -> Service:
        """The main loop with its record, pictures, opponents and lights."""
        ready, terms, keeping, closing = self._ready, self._asked.terms, self._asked.keeping, self._closing
        game, source = ready.match.game, ready.opened.camera
        record = closing.enter_context(open_record(self._kept))
        self._claim.hold_file()  # it may only have been made now
        record.on_wait, record.on_reopened = self._report_record_waits, self._claim.hold_file
        kept = restore_lines(self._kept, record, load_sealer(format_now))
        known = record if kept is None else kept.as_record()
        live, goes_on = is_live(source), self._asked.interrupted
        fresh = terms.fresh or (self._asked.chosen.position is not None and not goes_on)
        sealer, profile = load_sealer(format_now), ready.opened.path
        match, journal = resume_game(known, ready.match, sealer, fresh=fresh, taken_up=terms.taken_up, profile=profile)
        said = known.read_events(journal.name)
        left = resume_life(match, journal.name, self._kept, interrupted=goes_on) if live else (match, None, None)
        match, carried, lost = left
        trace = (
            Tracer(closing.enter_context(open_trace(keeping.trace)), match, said, carried) if keeping.trace else None
        )
        watcher = Watcher(ready.opened.profile, match, trace)
        palette, before = palette_of(self._asked.lighting, ready.opened), read_moves(said)
        mode = mode_of(said, terms.mode)
        service = Service(
            self._wrap_watcher(watcher), journal, self._feed, mode, palette, before, self._inbox, format_now
        )
        if kept is not None:
            service.write_first(kept)
        service.stay, service.live, self._feed.vitals.is_live = True, live, live
        if live:
            signs = LifeSigns(self._kept)
            service.set_life_signs(signs.keep_sign)
            closing.callback(signs.keep_last)
        if lost is not None:
            self._inbox.put(lost)
        files = (self._public.write_snapshot, self._public.write_ending) if self._public else ()
        service.set_broadcast(Broadcast(self._spectators, self._asked.page.delay_min * 60, *files))
        if keeping.pictures_mb:
            store = Store(folder_of(self._kept), keeping.pictures_mb * 1_000_000)
            service.set_evidence(PictureEvidence(store, game.board))
        service.set_details(
            ready.named or details.find_latest_details(said, game.seats), "page" if ready.named else None
        )
        limits = Limits(movetime_ms=THINKING_MS)
        players = Opponents(game, ready.engines, self._inbox.put, limits, _engine_command, ready.elsewhere)
        tutor = Tutor(game, _engine_command(HIGHEST), self._inbox.put)
        tutors = self._asked.terms.tutors
        tutor.switch_help(SwitchTutor("best" in tutors, "teach" in tutors, by="page"))
        companions = Companions(players, tutor)
        companions.resume_settings(computer_of(said, game.seats), match)
        service.set_companions(companions)
        service.set_recall(lambda name: recall_game(record, name, ready.match, load_sealer(format_now)))
        closing.callback(service.release_all)
        service.use_lights(ready.lights, ready.unlit)
        return service

    def _wrap_watcher(self, watcher: Watcher) -> Watcher | ParallelWatcher:
        """The watcher, its looks taken beside the frames where those do not wait."""
        live = is_live(self._ready.opened.camera)
        if not (live or self._asked.realtime):
            return watcher
        return ParallelWatcher(watcher, lambda: self._inbox.put(LookDone()), begins_alone=not live)

    def _open_site(self, options: Options, game: str) -> Site:
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
                self._restart_unmirrored,
            ),
            phone=ready.phone,
            explained=self._narrator is not None,
            watched=lambda what: self._control_source(what, site),
            other_camera=self._may_choose,
            other_game=is_live(opened.camera),
            demonstration=shown,
            corrected=self._inbox.put,
            profile=opened.path,
        )
        visitors = self._asked.serving.visitors
        app = create_app(feed, self._inbox.put, ready.match.game, self._kept, visitors, running)
        self._closing.enter_context(join_hall(self._asked.hall, self._kept, feed, game, self._inbox.put))
        site = Site(app, self._listening, self._asked.serving.tls)
        if shown:
            site.mount_application(DEMONSTRATED_AT, demonstrated_games(shown, visitors))
        for end in (site.stop_server, feed.end_listeners, self._spectators.end_listeners):
            self._closing.callback(end)
        return site

    def _open_camera(self, here: str) -> Camera:
        """The camera, whose pictures come from now on; `here` is the address of the page."""
        ready, asked, phone, narrator = self._ready, self._asked, self._ready.phone, self._narrator

        def put_item(item: Frame | CameraGone | RecordingEnded) -> None:
            self._inbox.put(item)
            if isinstance(item, RecordingEnded) and not (narrator and narrator.is_stopped):
                print_line(f"The recording is over: play it again, or set up your own board, at {here}")

        source, fps = ready.opened.camera, asked.chosen.fps
        given = (lambda: unmirror_frames(source, phone.read_frames())) if phone else ready.opened.guarded
        if narrator is not None:
            given = lambda: narrator.play_frames(read_frames(source, fps))  # noqa: E731
        camera = Camera(source, fps, put_item, given, ready.opened.profile.size_wh, realtime=asked.realtime)
        self._closing.callback(camera.close)
        if narrator is not None:
            self._closing.callback(narrator.stop_playback)
        if phone is not None:
            self._closing.callback(phone.end_frames)
            at = PhoneAddress(self._ready.opened.path.parent, self._port, asked.page.phone_at)
            say_to_phone(open_for_phone(phone, asked.serving, at, self._closing))
        camera.start_capture()
        return camera

    def _request_next_frame(self, camera: Camera, *, begun: bool) -> None:
        """A frame was refereed: the next may come."""
        if self._narrator is not None:
            self._narrator.mark_frame_done()
        camera.request_next_frame(begun=begun)

    @property
    def _may_choose(self) -> bool:
        """Whether another camera may be chosen on a page: not in the place of one that the command line names."""
        chosen = self._asked.chosen
        return chosen.profile is None and chosen.camera is None and is_live(self._ready.opened.camera)

    def _control_source(self, what: str, site: Site) -> str | None:
        """Do with what is watched what a page wants: the page that comes next, "" for the one that asks, None for what
        cannot be done."""
        camera = self._ready.opened.camera
        if what == OTHER_CAMERA and self._may_choose:
            gone = Worded("camera {source}: gives no picture: is it in use elsewhere?", source=camera)
            self.next = replace(self._asked.after_failure(gone), awaited=True, interrupted=True)
            self._inbox.put(Stop())
            return ""
        if what == CHANGE_GAME and is_live(camera):
            mine = None if self._ready.opened.profile.guarded else camera  # what a visitor named stays guarded
            self.next = self._asked.after_other_game(mine)
            self._inbox.put(Stop())
            return ""
        return None if is_live(camera) else self._control_recording(what, site)

    def _control_recording(self, what: str, site: Site) -> str | None:
        """Pause the recording, go on or skip, where it is explained; or have it make way for what is named. The page
        that comes next, "" for the one that asks, None for what cannot be done."""
        if what == OWN_BOARD and not default_profile().exists():
            if self._narrator is not None:
                self._narrator.control_playback(PAUSE)  # who comes back goes on where it was
            return self._own_board.mount_page(site)
        if what in (AGAIN, OWN_BOARD):
            self._make_way(what)
        elif self._narrator is not None:
            self._narrator.control_playback(what)
        else:
            return None
        return ""

    def _make_way(self, what: str) -> None:
        """End the recording for what is named, on the same port."""
        self.next = self._asked.after_recording(what)
        self._inbox.put(Stop())

    def _restart_unmirrored(self, camera: str) -> None:
        """The camera's pictures are turned back from now on; what was played before is kept as it was written."""
        begun = bool(self._feed.current_state.match and self._feed.current_state.match.moves)
        self.next = self._asked.after_unmirroring(camera, begun=begun)
        self._inbox.put(Stop())

    def _report_record_waits(self, message: str) -> None:
        """Say that another program holds the record: to the log, and to who listens."""
        log.warning("%s", message)
        snapshot = self._feed.newest_snapshot or {}
        self._feed.publish_event(RecordWaits(float(str(snapshot.get("t", 0.0))), message).to_json())


def _engine_command(level: int) -> tuple[str, ...]:
    """The command of our own engine at a level."""
    return parse_participant(str(level)).command
