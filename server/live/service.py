"""The main loop: takes frames and wishes from one queue, owns the match, and hands what follows to the sinks.

The record is written first and is the only sink that may stop the game; page and lights are told afterwards and their
troubles are theirs. Broken hardware arrives here as a value (CameraGone) and in no other place.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from calibration.profile import Profile
from device.lights import draw
from device.port import NOT_OPENED, LedPort
from device.protocol import Pressed
from engine.errors import InputError
from engine.game import Position
from engine.match.acts import Act, Correct, NewGame, Pause, Press, Resume, Undo
from engine.match.events import CAUSES, Event, Moved, SetUp, Unclear
from engine.match.state import RESTING, Match, Phase
from engine.reasons import Reason
from server.live.beside.companions import Companion, Companions
from server.live.beside.opponents import Advised, SetComputer
from server.live.beside.tutor import SwitchTutor, Tutored
from server.live.broadcast import Broadcast
from server.live.camera import CameraGone, LookDone, RecordingEnded
from server.live.camera_view import CameraView
from server.live.feed import Feed
from server.live.hints import TOURNAMENT, SwitchMode, without, without_any
from server.live.notices import CameraLost, ModeSwitched, RecordingOver, Refused
from server.live.snapshot import snapshot
from server.live.stream_time import SILENCE_LOOK_S, StreamTime
from server.live.unseen import Unseen
from server.masking import masked
from server.record.details import Details, SetDetails
from server.record.evidence import EVIDENCE, Evidence
from server.record.journal import Journal
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


Wished = Act | SetDetails | SwitchMode | Companion
Item = Frame | CameraGone | RecordingEnded | LookDone | Pressed | Replaced | Stop | Wished


class Service:
    """One camera, one board, one match."""

    def __init__(
        self,
        watcher: Watcher | Aside,
        journal: Journal,
        feed: Feed,
        mode: str = "training",
        palette: str = "standard",
        told: Sequence[Moved] = (),
        inbox: queue.Queue[Item] | None = None,
        today: Callable[[], str] = str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.watcher = watcher
        self.journal = journal
        self.inbox: queue.Queue[Item] = queue.Queue() if inbox is None else inbox
        self.stay = False
        """Whether to go on answering the page after a recording has ended."""
        self.live = False
        """Whether the frames come from a camera: if none comes for long, that is said."""
        self.frames = 0
        self._unseen, self._time = Unseen(), StreamTime(clock)
        self._ended = self._over = False
        self._feed, self._mode, self._palette, self._today = feed, mode, palette, today
        self._hinted: Position | None = None
        self._port: LedPort | None = None
        self._unlit = ""
        self._evidence: Evidence | None = None
        self._broadcast: Broadcast | None = None
        self._companions = Companions()
        self._told, self._details = list(told), Details()
        self._t = 0.0
        self._shown_t = self._waits_t = -1.0
        self._waits: Sequence[Reason] = ()
        self._shown: Mapping[str, object] = {}
        self._camera_view = CameraView(feed)

    def use(self, port: LedPort | None, unlit: str = "") -> None:
        """Show the lights on `port` from now on; without one `unlit` says why there are none, if there should be."""
        self._port, self._unlit = port, unlit
        if port is not None:
            port.start()
        self.show()

    def keep(self, evidence: Evidence) -> None:
        """Store pictures from now on."""
        self._evidence = evidence

    def broadcast(self, broadcast: Broadcast) -> None:
        """Tell spectators too from now on."""
        self._broadcast = broadcast

    def beside(self, companions: Companions) -> None:
        """Let engines play some of the seats, and help players, from now on."""
        self._companions = companions
        self.show()

    def close(self) -> None:
        """Let go of the lights, of engines, and of a look that still runs."""
        self._companions.close()
        if isinstance(self.watcher, Aside):
            self.watcher.close()
        if self._port is not None:
            self._port.close()

    def run(self, taken: Callable[[], object] = lambda: None) -> None:
        """Loop until the recording ends or a Stop arrives; `taken` is called after each frame.

        InputError if the frames cannot be used.
        """
        self.show()
        while True:
            item = self._next()
            if item is None:
                continue
            if isinstance(item, Stop | RecordingEnded):
                self._looked()
            if isinstance(item, Stop) or (isinstance(item, RecordingEnded) and not self.stay):
                return
            self._take(item)
            if isinstance(item, Frame):
                taken()

    def _next(self) -> Item | None:
        """What comes next; None after a while in which nothing came, and where silence means something."""
        try:
            return self.inbox.get(timeout=SILENCE_LOOK_S if self.live or self._ended else None)
        except queue.Empty:
            self._idle()
            return None

    def _idle(self) -> None:
        """Nothing has come: the clocks of the game and of the spectators go on, and silence is said."""
        if self._broadcast is not None and self._ended:
            self._broadcast.tell(self._time.now())
        t = self._time.silent() if self.live else None
        if t is None:
            return
        self._t = t
        before, cause = self.watcher.match, self._unseen.cause
        self._tell(self._unseen.silent(t, (*self.watcher.tick(t), *self.watcher.silence(t))))
        self._after(before, cause)

    def _frame(self, frame: Frame) -> None:
        """Referee one frame."""
        frame, age_s = self._time.frame(frame)
        self._t = frame.t
        self.frames += 1
        before, cause = self.watcher.match, self._unseen.cause
        self._tell(self._unseen.heard(self.watcher.tick(frame.t)))
        self._over = self.watcher.match.phase is Phase.OVER
        events = self.watcher.frame(frame)
        self._begun_anew()
        self._tell(self._unseen.frame(frame.t, events, age_s))
        self._after(before, cause)
        self._camera_view.show(self.watcher, frame)
        if self._evidence is not None:
            self._evidence.see(frame, self.watcher.views)

    def _begun_anew(self) -> None:
        """Where the last game was over and another one stands on the board, what is told from now on belongs to it."""
        if self._over and self.watcher.match.phase is not Phase.OVER:
            self._new_game()
        self._over = self.watcher.match.phase is Phase.OVER

    def _looked(self) -> None:
        """A look beside the frames is over: what follows from it, and from all that came meanwhile."""
        if isinstance(self.watcher, Watcher) or not self.watcher.busy:
            return
        before, cause = self.watcher.match, self._unseen.cause
        for events in self.watcher.finish():
            self._begun_anew()
            self._tell(self._unseen.heard(events))
        self._after(before, cause)

    def _after(self, before: Match, cause: str) -> None:
        """Show what is new since the match was `before` and the board was not seen for `cause`; spectators later."""
        clocked = bool(self.watcher.match.clocks) and self._t - self._shown_t >= CLOCKS_EVERY_S
        if self.watcher.match is not before or self._unseen.cause != cause or clocked:
            self.show()
        else:
            self._wait()
        self._feed.unseen(self._unseen.seconds(self._t))
        if self._broadcast is not None:
            self._broadcast.tell(self._t)

    def _lost(self, message: str) -> None:
        """The camera is gone, and is being looked for."""
        log.warning("%s", message)
        self._feed.publish(CameraLost(self._t, message).to_json())
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
        t = self._t
        match item:
            case Frame():
                self._frame(item)
            case LookDone():
                self._looked()
            case CameraGone(message=message, final=final):
                if final:
                    raise InputError(message)
                self._lost(message)
            case Pressed() | Replaced() | SetDetails() | Act() if isinstance(self.watcher, Aside) and self.watcher.busy:
                self.watcher.later(lambda: self._take_then(item, t))
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
            case SwitchMode():
                self._switch(item)
            case Stop():
                return
            case _:
                self._asked(item)

    def name(self, details: Details, by: str | None = None) -> None:
        """Show who plays and where; where somebody said so just now (`by`) the record says it too."""
        self._details = details
        if by is not None:
            named = details.noted(self._t, by)
            self.journal.note(named)
            self._feed.publish(named.to_json())
        self.show()

    def _switch(self, asked: SwitchMode) -> None:
        """Help the players from now on, or help them no more; the record says since when."""
        if asked.mode == TOURNAMENT and self._evidence is None:
            message = "mode: in a tournament pictures are kept; start again with --pictures"
            self._feed.publish(Refused(self._t, message).to_json())
            return
        self._mode = asked.mode
        switched = ModeSwitched(self._t, asked.mode, by=asked.by)
        self.journal.note(switched)
        self._feed.publish(switched.to_json())
        self.show()

    def _accompany(self, item: Companion) -> None:
        """What an engine answered, or what people wish of the computer."""
        try:
            self._companions.take(item, self.watcher.match, self._mode != TOURNAMENT)
        except InputError as error:
            self._feed.publish(Refused(self._t, str(error)).to_json())
        self.show()

    def _asked(self, asked: Act) -> None:
        try:
            events = self.watcher.asked(asked, self._t)
        except InputError as error:
            self._feed.publish(Refused(self._t, str(error)).to_json())
            return
        if isinstance(asked, NewGame):
            self._new_game()
        self._tell(events)
        self.show()

    def _new_game(self) -> None:
        """What is told from now on belongs to another game."""
        self._told.clear()
        self._over = False
        self.journal = self.journal.following(self.watcher.match.game.name)
        self.journal.begin(self.watcher.match, self._today())
        if self._details != Details():
            self.journal.note(self._details.noted(self._t, "page"))

    def _pressed(self, button: str) -> None:
        """A button on the board: undo takes back, pause rests or goes on, confirm answers the question or the clock.

        Hint shows which pieces may move until the position is another one, or it is pressed again.
        """
        match = self.watcher.match
        note = match.note
        if button == "undo":
            self._asked(Undo(by="button"))
        elif button == "confirm" and isinstance(note, Unclear | SetUp) and note.options:
            self._asked(Correct(len(match.moves) + 1, note.options[0], by="button"))
        elif button == "confirm" and match.clocks:
            self._asked(Press(by="button"))
        elif button == "hint":
            self._hinted = None if self._hinted == match.position else match.position
            self.show()
        elif button == "pause":
            self._asked(Resume(by="button") if match.phase in RESTING else Pause(by="button"))

    def _tell(self, events: Sequence[Event]) -> None:
        self.journal.write(events)
        for event in events:
            if isinstance(event, Moved):
                self._told.append(event)
            said = event.to_json()
            self._feed.publish(without(said) if self._mode == TOURNAMENT else said)
            if self._broadcast is not None:
                self._broadcast.publish(self._t, said)
        if self._evidence is not None:
            watcher = self.watcher
            for note in self._evidence.keep(events, watcher.last, watcher.views, watcher.reading):
                self.journal.note(note)
                if note.name != EVIDENCE:
                    self._feed.publish(note.to_json())
            self._evidence.clear()

    def show(self) -> None:
        """Draw the match for page and lights."""
        self._shown_t = self._t
        match = self.watcher.match
        helps = self._mode != TOURNAMENT
        self._companions.ask(match, helps)
        advice, best = self._companions.advice(match, helps), self._companions.best(match, helps)
        hint = self._hinted == match.position
        frame = draw(match, self._mode, self._palette, self._unseen.cause, hint, advice, best)
        if self._port is not None:
            self._port.show(frame)
        self._waits, self._waits_t = self._waited_for(), self._t
        shown = snapshot(match, frame, self.watcher.fit, self._t, self._told, self._waits, self._unseen.to_json())
        shown |= {"name": self.journal.name, "mode": self._mode, "lights": self._lights()}
        shown |= {"details": self._details.to_json(), **self._companions.told(match)}
        self._shown = without_any(shown) if self._mode == TOURNAMENT else shown
        self._feed.show(self._shown, match)
        if self._broadcast is not None:
            self._broadcast.show(self._t, shown | {"lights": None})

    def _lights(self) -> str | None:
        """What is wrong with the lights, None for nothing."""
        problem = self._unlit if self._port is None else self._port.problem
        return masked(problem) if problem and problem != NOT_OPENED else None

    def _wait(self) -> None:
        """Tell the pages why nothing is said just now, if that is news; nothing else has changed."""
        waits = self._waited_for()
        new = [reason.rule for reason in waits] != [reason.rule for reason in self._waits]
        if new or (waits != self._waits and self._t - self._waits_t >= WAITS_EVERY_S):
            self._waits, self._waits_t = waits, self._t
            said = {"waits": [reason.to_json() for reason in waits], "t": round(self._t, 3)}
            self._shown = dict(self._shown) | said
            self._feed.show(self._shown)

    def _waited_for(self) -> tuple[Reason, ...]:
        """Why nothing is said just now, first that the board is not seen."""
        cause = self._unseen.cause
        blind = (Reason(f"cannot-see-{cause}"),) if cause in CAUSES else ()
        return (*blind, *(reason for reason in self.watcher.waits if reason not in blind))
