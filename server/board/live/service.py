"""The main loop: takes frames and wishes from one queue, owns the match, and hands what follows to the sinks.

The record is written first and is the only sink that may stop the game; page and lights are told afterwards and their
troubles are theirs. Broken hardware arrives here as a value (CameraGone) and in no other place.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from calibration.profile import Profile
from device.lights import draw
from device.port import LedPort
from device.protocol import Pressed
from engine.errors import InputError
from engine.explain.reasons import Reason
from engine.game import Position
from engine.match.acts import Act, Lose, Mode, StandsSo
from engine.match.buttons import asked_by
from engine.match.clocked_match import RUNNING
from engine.match.events import Event, Moved
from engine.match.state import Match
from server.board.computer.companions import Companion, Companions
from server.board.computer.opponents import Advised, SetComputer
from server.board.computer.tutor import SwitchTutor, Tutored
from server.board.live.camera import SILENCE_LOOK_S, CameraGone, LookDone, RecordingEnded, StreamTime
from server.board.live.camera_view import CameraView
from server.board.live.heart import Heart
from server.board.live.hints import Showing, ShowWhy, SwitchMode
from server.board.live.notices import CameraLostNotice, ModeSwitched, Noted, RecordingOver, RefusedNotice
from server.board.live.record_first import Telling
from server.board.live.snapshot import snapshot
from server.board.live.visibility import Visibility
from server.board.live.wishes import Wish, Wished
from server.board.upkeep.lost_time import CLOCKS, LostTime, TimeSources
from server.record.details import Details, SetDetails
from server.record.evidence import PictureEvidence
from server.record.journal import GameBook, Journal, LaterResult
from server.spectators.broadcast import Broadcast
from server.spectators.withheld import without_any
from server.web.feed import Feed
from vision.frames import Frame
from vision.watch.aside import Aside
from vision.watch.watcher import Watcher

log = logging.getLogger(__name__)

WAITS_EVERY_S = 0.5
"""How old the figure may be of what is waited for; another reason is shown at once."""
CLOCKS_EVERY_S = 1.0
"""How old the clocks may be that a page gets when it is opened; it counts on by itself."""


@dataclass(frozen=True)
class Stop:
    """End the loop."""


@dataclass(frozen=True)
class Replaced:
    """The board was found anew by a person: from now on `profile` says where it is."""

    profile: Profile


Item = Frame | CameraGone | RecordingEnded | LookDone | Pressed | Replaced | Noted | LaterResult | Stop | Wish | Wished


class Service:
    """One camera, one board, one match."""

    def __init__(
        self,
        watcher: Watcher | Aside,
        journal: Journal,
        feed: Feed,
        mode: Mode = Mode.TRAINING,
        palette: str = "standard",
        told: Sequence[Moved] = (),
        inbox: queue.Queue[Item] | None = None,
        today: Callable[[], str] = str,
        clocks: TimeSources = CLOCKS,
    ) -> None:
        self.watcher = watcher
        self.inbox: queue.Queue[Item] = queue.Queue() if inbox is None else inbox
        self.stay = False
        """Whether to go on answering the page after a recording has ended."""
        self.live = False
        """Whether the frames come from a camera: if none comes for long, that is said."""
        self.frames = 0
        self._unseen, self._time = Visibility(), StreamTime(clocks.steady)
        self._lost_time = LostTime(clocks)
        self._ended = self._over = False
        self._feed, self._palette = feed, palette
        self._telling = Telling(GameBook(journal, today), feed, mode, told)
        feed.vitals.waiting = lambda: self._telling.waiting
        self._hinted: Position | None = None
        self._showing, self._step = Showing(), (0, 0)
        self._heart = Heart(feed, palette)
        self._wish: str | None = None
        self._companions = Companions()
        self._t = 0.0
        self._shown_t, self._waits_t, self._waits = -1.0, -1.0, tuple[Reason, ...]()
        self._shown: Mapping[str, object] = {}
        self._camera_view = CameraView(feed)

    @property
    def journal(self) -> Journal:
        """The record of the game that is told."""
        return self._telling.journal

    def use(self, port: LedPort | None, unlit: str = "") -> None:
        """Show the lights on `port` from now on; without one `unlit` says why there are none, if there should be."""
        self._heart.use(port, unlit, self.watcher)
        self.show()

    def keep(self, evidence: PictureEvidence) -> None:
        """Store pictures from now on."""
        self._telling.evidence = evidence

    def broadcast(self, broadcast: Broadcast) -> None:
        """Tell spectators too from now on."""
        self._telling.broadcast = broadcast

    def beside(self, companions: Companions) -> None:
        """Let engines play some of the seats, and help players, from now on."""
        self._companions, companions.note = companions, self._telling.note
        self.show()

    def close(self) -> None:
        """Let go of the lights, of engines, and of a look that still runs; what waits for the record is tried again.
        UnwrittenError where the record does not take it."""
        with closing(self._heart), closing(self._companions):
            if isinstance(self.watcher, Aside):
                self.watcher.close()
            self._telling.close()

    def run(self, taken: Callable[[], object] = lambda: None) -> None:
        """Loop until the recording ends or a Stop arrives; `taken` is called after each frame.

        InputError if the frames cannot be used.
        """
        self._telling.journal.record.in_a_loop()
        self.show()
        while True:
            item = self._next()
            self._go_on()
            if item is None:
                continue
            if isinstance(item, Stop | RecordingEnded):
                self._looked()
            if isinstance(item, Stop) or (isinstance(item, RecordingEnded) and not self.stay):
                self._telling.finish()
                return
            self._take(item)
            if isinstance(item, Frame):
                taken()

    def _next(self) -> Item | None:
        """What comes next; None after a while in which nothing came."""
        try:
            return self.inbox.get(timeout=SILENCE_LOOK_S)
        except queue.Empty:
            self._idle()
            return None

    def _go_on(self) -> None:
        """The record may take again what waits, or has taken nothing for so long that this is to be shown."""
        lost = self._lost_time.found()
        timed = self.live and self.watcher.match.clocks and self.watcher.match.phase in RUNNING
        if lost is not None and timed:
            self._take(Lose(lost.kind, lost.seconds, lost.before, lost.now, by="clock"))
        trouble = self._telling.trouble
        news = self._heart.beat(self.watcher, record_waits=trouble is not None)
        if self._telling.go_on():
            self.show()
        elif self._telling.trouble != trouble or news:
            self._shown = dict(self._shown) | {"record": self._telling.trouble} | self._heart.troubles()
            if self._telling.trouble not in {None, trouble}:
                self._shown |= self._heart.hold(self.watcher.match.game.board)
            self._feed.show(self._shown)

    def _idle(self) -> None:
        """Nothing has come: the clocks of the game and of the spectators go on, and silence is said."""
        if self._ended:
            self._telling.spectators(self._time.now())
        if self._ended and self._stepped():
            self.show()
        t = self._time.silent() if self.live else None
        if t is None:
            return
        self._t = t
        seen = self.watcher.match, self._unseen.cause
        self._tell(self._unseen.silent(t, (*self.watcher.tick(t), *self.watcher.silence(t))))
        self._after(*seen)

    def _frame(self, frame: Frame) -> None:
        """Referee one frame."""
        self.watcher.lit = self._heart.lit(frame)
        self._heart.dim(self.watcher.own.bearable)
        frame, age_s = self._time.frame(frame)
        self._t, self.frames = frame.t, self.frames + 1
        self._feed.vitals.frame(age_s)
        before, cause = self.watcher.match, self._unseen.cause
        self._tell(self._unseen.heard(self.watcher.tick(frame.t)))
        self._tell(self._unseen.frame(frame.t, self.watcher.frame(frame), age_s))
        self._after(before, cause)
        self._camera_view.show(self.watcher, frame)
        if self._telling.evidence is not None:
            self._telling.evidence.see(frame, self.watcher.views)

    def _looked(self) -> None:
        """A look beside the frames is over: what follows from it, and from all that came meanwhile."""
        if isinstance(self.watcher, Watcher) or not self.watcher.busy:
            return
        before, cause = self.watcher.match, self._unseen.cause
        for events in self.watcher.finish():
            self._tell(self._unseen.heard(events))
        self._after(before, cause)

    def _after(self, before: Match, cause: str) -> None:
        """Show what is new since the match was `before` and the board was not seen for `cause`; spectators later."""
        clocked = bool(self.watcher.match.clocks) and self._t - self._shown_t >= CLOCKS_EVERY_S
        if self.watcher.match is not before or self._unseen.cause != cause or clocked or self._stepped():
            self.show()
        else:
            self._wait()
        self._feed.unseen(self._unseen.seconds(self._t))
        self._telling.spectators(self._t)

    def _stepped(self) -> bool:
        """Whether a movement that is shown has gone on."""
        now = self._time.now()
        return (self._showing.number(now), self._companions.step(now)) != self._step

    def _lost(self, message: str, *, final: bool) -> None:
        """The camera is gone, and is being looked for; InputError if it is no more."""
        if final:
            raise InputError(message)
        log.warning("%s", message)
        self._feed.publish(CameraLostNotice(self._t, message).to_json())
        self._tell(self._unseen.lost(self._t, message))
        self.show()

    def _end(self) -> None:
        """A recording is over, but the page still answers."""
        self._ended = True
        self._unseen.ended(self._t)
        self._feed.publish(RecordingOver(self._t).to_json())
        self.show()

    def _take_then(self, item: Item, t: float) -> None:
        """Take what came at `t`, while a look ran."""
        now, self._t = self._t, t
        self._take(item)
        self._t = now

    def _take(self, item: Item) -> None:
        t, aside = self._t, self.watcher
        match item:
            case Frame():
                self._frame(item)
            case LookDone():
                self._looked()
            case CameraGone(message=message, final=final):
                self._lost(message, final=final)
            case Pressed() | Replaced() | SetDetails() | Act() | Wish() if isinstance(aside, Aside) and aside.busy:
                aside.later(lambda: self._take_then(item, t))
            case Wish():
                self._wished(item)
            case Pressed(button=button):
                self._pressed(button)
            case RecordingEnded():
                self._end()
            case Replaced(profile=profile):
                self._tell(self.watcher.replace(profile, self._t))
                self.show()
            case SetDetails(details=details, by=by):
                self.name(details, by)
            case Advised() | SetComputer() | Tutored() | SwitchTutor():
                self._accompany(item)
            case Noted() | LaterResult():
                self._telling.take(item, t)
            case SwitchMode():
                self._switch(item)
            case Stop():
                return
            case _:
                self._asked(item)

    def _wished(self, wish: Wish) -> None:
        """Take what was asked for, unless something has happened since it was decided."""
        late = wish.too_late(self.watcher.match, self._telling.journal.name, self._t)
        if late is not None:
            self._feed.publish(late.to_json())
            return
        self._wish = wish.name
        self._take(wish.asked)
        self._wish = None

    def _refuse(self, message: str) -> None:
        """Tell that the wish which is being taken cannot be granted."""
        self._feed.publish(RefusedNotice(self._t, message, self._wish).to_json())

    def name(self, details: Details, by: str | None = None) -> None:
        """Show who plays and where; where somebody said so just now (`by`) the record says it too."""
        self._telling.details = details
        if by is not None:
            self._telling.note(details.noted(self._t, by))
        self.show()

    def _switch(self, asked: SwitchMode) -> None:
        """Help the players from now on, or help them no more; the record says since when."""
        if asked.mode == Mode.TOURNAMENT and self._telling.evidence is None:
            self._refuse(
                "mode: in a tournament pictures are kept: give them space on the page of settings, and start again"
            )
            return
        self._telling.mode = asked.mode
        self._telling.note(ModeSwitched(self._t, asked.mode, by=asked.by))
        self.show()

    def _accompany(self, item: Companion) -> None:
        """What an engine answered, or what people wish of the computer."""
        self._granted(lambda: self._companions.take(item, self.watcher.match, self._t, helps=self._telling.helps))

    def _granted(self, wish: Callable[[], object]) -> None:
        """Do what was wished and show it, or say why not."""
        try:
            wish()
        except InputError as error:
            self._refuse(str(error))
        self.show()

    def _asked(self, asked: Act | ShowWhy) -> None:
        if isinstance(asked, ShowWhy):
            self._granted(lambda: self._showing.begin(self.watcher.match, self._time.now(), self._telling.mode))
            return
        asked = self._companions.meant(asked, self.watcher.match, helps=self._telling.helps)
        try:
            events = self.watcher.asked(asked, self._t)
        except InputError as error:
            self._refuse(str(error))
            return
        self._tell(events)
        self.show()

    def _pressed(self, button: str) -> None:
        """A button on the board. Hint shows which pieces may move until it is pressed again or a move is made."""
        match = self.watcher.match
        asked = asked_by(button, match)
        if isinstance(asked, StandsSo) and self._telling.mode == Mode.TOURNAMENT:
            self._refuse("stands-so: in a tournament the arbiter says that the board stands as it should")
        elif asked is not None:
            self._asked(asked)
        elif button == "hint":
            self._hinted = None if self._hinted == match.position else match.position
            self.show()

    def _tell(self, events: Sequence[Event]) -> None:
        self._telling.tell(events, self._t, self.watcher)

    def show(self) -> None:
        """Draw the match for page and lights; not before all that led to it is in the record."""
        self._shown_t = self._t
        if self._telling.waits:
            return
        match, told = self.watcher.match, self._telling
        helps, now = told.helps, self._time.now()
        self._companions.ask(match, self._t, helps=helps)
        carried, best = self._companions.carried(match, now, helps=helps), self._companions.best(match, helps=helps)
        hint = self._hinted == match.position
        self._showing.hear(match)
        self._step = self._showing.number(now), self._companions.step(now)
        step = self._showing.step(now)
        frame = draw(match, told.mode, self._palette, self._unseen.cause, carried, step, best, hint=hint)
        self._heart.show(frame)
        self._waits, self._waits_t = self._unseen.reasons(self.watcher.waits), self._t
        shown = snapshot(match, frame, self.watcher.fit, self._t, told.moves, self._waits, self._unseen.to_json())
        shown |= told.head(match) | self._heart.troubles() | {"showing": self._showing.to_json(match, now)}
        shown |= self._companions.told(match, now)
        self._shown = without_any(shown) if told.mode == Mode.TOURNAMENT else shown
        self._feed.show(self._shown, match)
        if told.broadcast is not None:
            told.broadcast.show(self._t, shown | {"lights": None, "hall": None})

    def _wait(self) -> None:
        """Tell the pages why nothing is said just now, if that is news; nothing else has changed."""
        waits = self._unseen.reasons(self.watcher.waits)
        new = [reason.rule for reason in waits] != [reason.rule for reason in self._waits]
        if new or (waits != self._waits and self._t - self._waits_t >= WAITS_EVERY_S):
            self._waits, self._waits_t = waits, self._t
            said = {"waits": [reason.to_json() for reason in waits], "t": round(self._t, 3)}
            self._shown = dict(self._shown) | said
            self._feed.show(self._shown)
