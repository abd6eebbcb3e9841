"""The main loop: takes frames and wishes from one queue, owns the match, and hands what follows to the sinks.

The record is written first and is the only sink that may stop the game; page and lights are told afterwards and their
troubles are theirs. Broken hardware arrives here as a value (CameraGone) and in no other place.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

from device.lights import draw_match
from device.port import LedPort
from device.protocol import Pressed
from engine.errors import TROUBLE_OVER, InputError
from engine.explain.reasons import Reason
from engine.game import Position
from engine.match.acts import Act, AgreeDraw, Lose, Mode
from engine.match.clocked_match import counts_time
from engine.match.decided import SINCE
from engine.match.events import Event, Moved
from engine.match.state import Match, Phase
from server.board.computer.companions import Companion, Companions
from server.board.computer.kept import computer_of
from server.board.computer.opponents import EngineAdvice, SetComputer
from server.board.computer.tutor import SwitchTutor, TutorAnswer
from server.board.live.camera import SILENCE_LOOK_S, CameraGone, LookDone, RecordingEnded, StreamTime
from server.board.live.camera_view import CameraView
from server.board.live.heart import Heart
from server.board.live.hints import Showing, ShowWhy, SwitchMode
from server.board.live.notices import (
    CameraLostNotice,
    DrawDeclined,
    DrawOffered,
    ModeSwitched,
    Noted,
    PictureLeftOut,
    RecordingOver,
    RefusedNotice,
)
from server.board.live.record_first import Recall, Telling
from server.board.live.snapshot import build_snapshot
from server.board.live.unwritten import RecordInMemory
from server.board.live.visibility import Visibility
from server.board.live.wishes import (
    DeclineDraw,
    DrawOffer,
    Presses,
    Replaced,
    Stop,
    TakeUp,
    Wish,
    Wished,
    check_player,
    find_offer,
)
from server.board.upkeep.lost_time import CLOCKS, LostTime, TimeSources
from server.record.details import Details, SetDetails, merge_details
from server.record.evidence import PictureEvidence
from server.record.journal import GameBook, Journal, LaterResult
from server.spectators.broadcast import Broadcast
from server.spectators.withheld import refusal_without_hints, snapshot_without_hints
from server.web.feed import Feed
from vision.frames import Frame
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

log = logging.getLogger(__name__)

WAITS_EVERY_S = 0.5
"""How old the figure may be of what is waited for; another reason is shown at once."""
CLOCKS_EVERY_S = 1.0
"""How old the clocks may be that a page gets when it is opened; it counts on by itself."""


Item = Frame | CameraGone | RecordingEnded | LookDone | Pressed | Replaced | Noted | LaterResult | Stop | Wish | Wished


class Service:
    """One camera, one board, one match."""

    def __init__(
        self,
        watcher: Watcher | ParallelWatcher,
        journal: Journal,
        feed: Feed,
        mode: Mode = Mode.TRAINING,
        palette: str = "standard",
        told: Sequence[Moved] = (),
        inbox: queue.SimpleQueue[Item] | None = None,
        today: Callable[[], str] = str,
        clocks: TimeSources = CLOCKS,
    ) -> None:
        self.watcher = watcher
        self.inbox: queue.SimpleQueue[Item] = queue.SimpleQueue() if inbox is None else inbox
        self.stay = False
        """Whether to go on answering the page after a recording has ended."""
        self.live = False
        """Whether the frames come from a camera: if none comes for long, that is said."""
        self.frames = 0
        self._unseen, self._time, self._lost_time = Visibility(), StreamTime(clocks.steady), LostTime(clocks)
        self._keep_sign: Callable[[str, Match, float], object] | None = None
        self._ended = self._over = self._camera_is_gone = self._runs = False
        self._feed, self._palette, self._heart = feed, palette, Heart(feed, palette, lambda: self._telling.mode)
        self._telling = Telling(GameBook(journal, today), feed, mode, told, lambda: self.watcher.match)
        feed.vitals.waiting = lambda: self._telling.waiting_state
        self._hinted: Position | None = None
        self._showing, self._presses, self._step = Showing(), Presses(), (0, 0, False)
        self._companions, self._camera_view = Companions(), CameraView(feed)
        self._wish: str | None = None
        self._offer = find_offer(journal, watcher.match)
        self._t, self._shown_t, self._waits_t, self._waits = 0.0, -1.0, -1.0, tuple[Reason, ...]()
        self._shown: Mapping[str, object] = {}

    @property
    def journal(self) -> Journal:
        """The record of the game that is told."""
        return self._telling.journal

    def use_lights(self, port: LedPort | None, unlit: str = "") -> None:
        """Show the lights on `port` from now on; without one `unlit` says why there are none, if there should be."""
        self._heart.use_port(port, unlit, self.watcher)
        self.show_match()

    def write_first(self, kept: RecordInMemory) -> None:
        """Go on from what was kept at an earlier end and is still to be written; `journal` has written into it."""
        self._telling.write_first(kept)

    def set_evidence(self, evidence: PictureEvidence) -> None:
        """Store pictures from now on."""
        self._telling.evidence = evidence

    def set_life_signs(self, keep: Callable[[str, Match, float], object]) -> None:
        """Have `keep` told, as frequently as the loop goes round, how the game stands."""
        self._keep_sign = keep

    def set_broadcast(self, broadcast: Broadcast) -> None:
        """Tell spectators too from now on."""
        self._telling.broadcast = broadcast

    def set_companions(self, companions: Companions) -> None:
        """Let engines play some of the seats, and help players, from now on."""
        self._companions, companions.note = companions, self._telling.record_note
        self.show_match()

    def set_recall(self, recall: Recall) -> None:
        """Let games that were put away be taken up from now on."""
        self._telling.recall = recall

    def release_all(self) -> None:
        """Let go of the lights, of engines, and of a look that still runs; what waits for the record is tried again.
        UnwrittenError where the record does not take it."""
        with closing(self._heart), closing(self._companions):
            self.watcher.close()
            self._telling.save_unwritten()

    def run_loop(self, taken: Callable[[], object] = lambda: None) -> None:
        """Loop until the recording ends or a Stop arrives; `taken` is called after each frame. InputError if
        the frames cannot be used."""
        self._telling.journal.record.disable_waiting()
        self.show_match()
        self._runs = True
        while True:
            item = self._next_item()
            self._retry_record()
            self._keep_life_sign()
            if item is None:
                self._handle_idle()
                continue
            if isinstance(item, Stop | RecordingEnded):
                self._finish_look(ends=isinstance(item, Stop), concludes=isinstance(item, RecordingEnded))
            if isinstance(item, Stop) or (isinstance(item, RecordingEnded) and not self.stay):
                if not (isinstance(item, Stop) and item.at_once):
                    self._telling.finish_waiting()
                return
            self._handle_item(item)
            if isinstance(item, Frame):
                taken()

    def _next_item(self) -> Item | None:
        """What comes next; None after a while in which nothing came."""
        try:
            return self.inbox.get(timeout=SILENCE_LOOK_S)
        except queue.Empty:
            return None

    def _retry_record(self) -> None:
        """The record may take again what waits, or has taken nothing for so long that this is to be shown.

        First of all, time may have been lost: the game clock stands where it was when this was asked before.
        """
        lost = self._lost_time.find_lost_span()
        if lost is not None and self.live and counts_time(self.watcher.match):
            self._handle_item(Lose(lost.kind, lost.seconds, lost.before, lost.now, by="clock"))
        trouble = self._telling.trouble
        news = self._heart.mark_alive(self.watcher, record_waits=trouble is not None)
        if self._telling.retry_waiting():
            self.show_match()
        elif self._telling.trouble != trouble or news:
            self._shown = dict(self._shown) | {"record": self._telling.trouble} | self._heart.list_troubles()
            if self._telling.trouble not in {None, trouble}:
                self._shown |= self._heart.show_halted(self.watcher.match.game.board, self._telling.waiting_state[0])
            self._feed.update_snapshot(self._shown)

    def _keep_life_sign(self) -> None:
        """The next start is to know what no event says; what the record does not have yet it would not find there."""
        if self._keep_sign is not None and not self._telling.has_waiting:
            self._keep_sign(self.journal.name, self.watcher.match, self._time.current_time())

    def _handle_idle(self) -> None:
        """Nothing has come: the clocks of the game and of the spectators go on, and silence is said."""
        if self._ended:
            self._telling.update_spectators(self._time.current_time())
        if self._ended and self._has_stepped():
            self.show_match()
        t = self._time.check_silence() if self.live else None
        if t is None:
            return
        self._t = t
        seen = self.watcher.match, self._unseen.current_cause
        self._record_events(
            self._unseen.report_silence(t, (*self.watcher.advance_time(t), *self.watcher.report_silence(t)))
        )
        self._show_news(*seen)

    def _referee_frame(self, frame: Frame) -> None:
        """Referee one frame, if it is known which light the board's own LEDs gave it."""
        if (lit := self._heart.light_during_frame(frame)) is None:
            return
        self.watcher.lit = lit
        self._heart.limit_brightness(self.watcher.own.bearable)
        frame, age_s = self._time.stamp_frame(frame)
        self._t, self.frames = frame.t, self.frames + 1
        self._heart.mark_begun()
        if self._camera_is_gone:
            log.log(TROUBLE_OVER, "camera: over, it gives pictures again")
            self._camera_is_gone = False
        if (out := frame.left_out) is not None:
            log.warning("%s", out)
            self._feed.publish_event(PictureLeftOut(frame.t, out.said).to_json())
        self._feed.vitals.note_frame(age_s)
        before, cause = self.watcher.match, self._unseen.current_cause
        self._record_events(self._unseen.translate_events(self.watcher.advance_time(frame.t)))
        self._record_events(self._unseen.take_frame(frame.t, self.watcher.take_frame(frame), age_s))
        self._show_news(before, cause)
        self._camera_view.update_picture(self.watcher, frame)
        if self._telling.evidence is not None:
            self._telling.evidence.remember_frame(frame, self.watcher.views)

    def _finish_look(self, *, ends: bool = False, concludes: bool = False) -> None:
        """A look beside the frames is over, or to be once somebody `ends` all: what follows from it and all since.
        `concludes`: no frame follows; what the last one leaves open as well."""
        if not (self.watcher.is_busy or concludes):
            return
        before, cause = self.watcher.match, self._unseen.current_cause
        for events in self.watcher.finish_look(soon=ends):
            self._record_events(self._unseen.translate_events(events))
        if concludes:
            self._record_events(self._unseen.translate_events(self.watcher.conclude_recording()))
        self._show_news(before, cause)

    def _show_news(self, before: Match, cause: str) -> None:
        """Show what is new since the match was `before` and the board was not seen for `cause`; spectators later."""
        clocked = bool(self.watcher.match.clocks) and self._t - self._shown_t >= CLOCKS_EVERY_S
        if self.watcher.match is not before or self._unseen.current_cause != cause or clocked or self._has_stepped():
            self.show_match()
        else:
            self._show_waits()
        self._feed.update_unseen_time(self._unseen.unseen_seconds(self._t))
        self._telling.update_spectators(self._t)

    def _has_stepped(self) -> bool:
        """Whether a movement that is shown has gone on."""
        return self._find_step(self._time.current_time()) != self._step

    def _find_step(self, now: float) -> tuple[int, int, bool]:  # of what is shown for a time only
        return self._showing.step_number(now), self._companions.step_number(now), self._presses.is_telling(now)

    def _handle_camera_gone(self, gone: CameraGone) -> None:
        """The camera is gone, and is being looked for; InputError if it is no more."""
        if gone.final and not (self.stay and self.frames):  # a page that is open stays
            raise InputError(gone.message)
        log.warning("%s", gone.message)
        self._camera_is_gone = True
        self._feed.publish_event(CameraLostNotice(self._t, gone.message).to_json())
        self._record_events(self._unseen.report_camera_lost(self._t, gone.message, gone.cause))
        self.show_match()

    def _handle_recording_end(self) -> None:
        """A recording is over, but the page still answers."""
        self._ended = True
        self._unseen.mark_ended(self._t)
        self._feed.publish_event(RecordingOver(self._t).to_json())
        self.show_match()

    def _handle_item_late(self, item: Item, t: float) -> None:
        """Take what came at `t`, while a look ran."""
        now, self._t = self._t, t
        self._handle_item(item)
        self._t = now

    def _handle_item(self, item: Item) -> None:
        t, busy = self._t, self.watcher.is_busy
        match item:
            case Frame():
                self._referee_frame(item)
            case LookDone():
                self._finish_look()
                self.watcher.begin_missed_look()  # after what the last one found is shown
            case CameraGone():
                self._handle_camera_gone(item)
            case Pressed() | Replaced() | SetDetails() | Act() | DeclineDraw() | TakeUp() | Wish() if busy:
                self.watcher.call_after_look(lambda: self._handle_item_late(item, t))
            case Wish():
                self._grant_wish(item)
            case Pressed():
                self._handle_button(item)
            case RecordingEnded():
                self._handle_recording_end()
            case Replaced(profile=profile):
                self._record_events(self.watcher.replace_profile(profile, self._t))
                self.show_match()
            case SetDetails() | SwitchMode() | DeclineDraw() | TakeUp():
                self._take_word(item)
            case EngineAdvice() | SetComputer() | TutorAnswer() | SwitchTutor():
                self._handle_companion(item)
            case Noted() | LaterResult():
                self._telling.record_item(item, t)
            case Stop():
                return
            case _:
                self._perform_act(item)

    def _take_word(self, asked: SetDetails | SwitchMode | DeclineDraw | TakeUp) -> None:
        """Something that people say beside the acts of the game."""
        match asked:
            case SetDetails():
                self._change_details(asked)
            case SwitchMode():
                self._switch_mode(asked)
            case DeclineDraw():
                self._try_and_show(lambda: self._decline_draw(asked))
            case TakeUp():
                self._try_and_show(lambda: self._take_up_game(asked))

    def _grant_wish(self, wish: Wish) -> None:
        """Take what was asked for, unless something has happened since it was decided."""
        late = wish.too_late(self.watcher.match, self._telling.journal.name, self._t)
        if late is not None:
            self._feed.publish_event(late.to_json())
            return
        self._wish, match, told = wish.name, self.watcher.match, self._telling
        try:
            check_player(wish, match, told.details, tournament=told.mode == Mode.TOURNAMENT)
            if wish.player is not None and isinstance(wish.asked, AgreeDraw) and match.phase is not Phase.OVER:
                self._offer_draw(wish.asked, wish.player)
            else:
                self._handle_item(wish.asked)
        except InputError as error:
            self._publish_refusal(error)
        self._wish = None

    def _offer_draw(self, asked: AgreeDraw, player: str) -> None:
        """A player offers a draw, or takes one that is offered. InputError where he has offered it already."""
        match = self.watcher.match
        self._offer = self._offer.in_position(match, self._telling.journal.name).with_account(player)
        if self._offer.is_agreed(match):
            self._perform_act(asked)
            return
        self._telling.record_note(DrawOffered(self._t, by=asked.by, account=player))
        self.show_match()

    def _decline_draw(self, asked: DeclineDraw) -> None:
        """The offer of a draw ends. InputError where there is none."""
        if not self._offer.in_position(self.watcher.match, self._telling.journal.name).accounts:
            raise InputError("No draw is offered.")
        self._offer = DrawOffer()
        self._telling.record_note(DrawDeclined(self._t, by=asked.by, account=asked.account))

    def _take_up_game(self, asked: TakeUp) -> None:
        """Go on with a game that was put away, in the place of the one on the board. InputError if that cannot be."""
        said, match = self._telling.take_up_game(asked, self._t, self.watcher), self.watcher.match
        self._companions.resume_settings(computer_of(said, match.game.seats), match)

    def _publish_refusal(self, error: InputError) -> None:
        """Tell that the wish which is being taken cannot be granted."""
        said = error.said if self._telling.may_help else refusal_without_hints(error.said)
        self._feed.publish_event(RefusedNotice(self._t, said, self._wish).to_json())

    def set_details(self, details: Details, by: str | None = None) -> None:
        """Show who plays and where; where somebody said so just now (`by`) the record says it too."""
        self._telling.details = details
        if by is not None:
            self._telling.record_note(details.to_event(self._t, by))
        self.show_match()

    def _change_details(self, asked: SetDetails) -> None:
        """Say from now on who plays and where, unless somebody else has said the same otherwise meanwhile."""
        merged = merge_details(self._telling.details, asked, self.watcher.match.game.seats)
        if merged is None:
            self._feed.publish_event(RefusedNotice(self._t, SINCE["named"], self._wish, "named").to_json())
            return
        self.set_details(merged, asked.by)

    def _switch_mode(self, asked: SwitchMode) -> None:
        """Help the players from now on, or help them no more; the record says since when."""
        if asked.mode == Mode.TOURNAMENT and self._telling.evidence is None:
            needed = "In a tournament pictures are kept: give them space on the page of settings, and start again."
            self._publish_refusal(InputError(needed))
            return
        self._telling.mode = asked.mode
        self._telling.record_note(ModeSwitched(self._t, asked.mode, by=asked.by))
        self.show_match()

    def _handle_companion(self, item: Companion) -> None:
        """What an engine answered, or what people wish of the computer."""
        self._try_and_show(
            lambda: self._companions.handle_item(item, self.watcher.match, self._t, helps=self._telling.may_help)
        )

    def _try_and_show(self, wish: Callable[[], object]) -> None:
        """Do what was wished and show it, or say why not."""
        try:
            wish()
        except InputError as error:
            self._publish_refusal(error)
        self.show_match()

    def _perform_act(self, asked: Act | ShowWhy) -> None:
        if isinstance(asked, ShowWhy):
            self._try_and_show(
                lambda: self._showing.begin_showing(self.watcher.match, self._time.current_time(), self._telling.mode)
            )
            return
        asked = self._companions.interpret_act(asked, self.watcher.match, helps=self._telling.may_help)
        try:
            events = self.watcher.perform_act(asked, self._t)
        except InputError as error:
            self._telling.note_refusal(asked, error, self._t, self.watcher.match)
            self._publish_refusal(error)
            return
        self._record_events(events)
        self.show_match()

    def _handle_button(self, pressed: Pressed) -> None:
        """A button on the board. Hint shows which pieces may move until it is pressed again or a move is made."""
        match, now = self.watcher.match, self._time.current_time()
        asked, refusal = self._presses.find_act(pressed, match, self._telling.mode, now)
        if asked is not None:
            self._perform_act(asked)
            self._presses.note_outcome(pressed.button, now, changed=self.watcher.match is not match)
        elif refusal is not None:
            self._publish_refusal(refusal)
        elif pressed.button == "hint":
            self._hinted = None if self._hinted == match.position else match.position
        self.show_match()

    def _record_events(self, events: Sequence[Event]) -> None:
        self._telling.record_events(events, self._t, self.watcher)

    def show_match(self) -> None:
        """Draw the match for page and lights; once the loop runs, not before all that led to it is in the record."""
        self._shown_t = self._t
        if self._telling.has_waiting and self._runs:
            return
        self._keep_life_sign()  # a ply that is shown may be taken back by whoever pulls the plug now
        match, told = self.watcher.match, self._telling
        helps, now = told.may_help, self._time.current_time()
        self._companions.ask_engines(match, self._t, helps=helps)
        carried = self._companions.update_carried_move(match, now, helps=helps)
        best = self._companions.best_moves(match, helps=helps)
        hint = self._hinted == match.position
        self._showing.follow_match(match)
        self._step = self._find_step(now)
        step = self._showing.current_step(now)
        frame = draw_match(match, told.mode, self._palette, self._unseen.current_cause, carried, step, best, hint=hint)
        self._heart.show_leds(self._presses.tell_uncounted(frame, match, now), match)
        self._waits, self._waits_t = self._unseen.list_reasons(self.watcher.waiting_reasons), self._t
        shown = build_snapshot(match, frame, self.watcher.fit, self._t, told.moves, self._waits, self._unseen.to_json())
        shown |= (
            told.describe_game(match) | self._heart.list_troubles() | {"showing": self._showing.to_json(match, now)}
        )
        shown |= self._companions.describe_state(match, now)
        self._offer = self._offer.in_position(match, told.journal.name)
        shown["draw_offered_by"] = list(self._offer.accounts)
        self._shown = snapshot_without_hints(shown) if told.mode == Mode.TOURNAMENT else shown
        self._feed.update_snapshot(self._shown, match)
        if told.broadcast is not None:
            told.broadcast.hold_snapshot(self._t, shown | {"lights": None, "hall": None, "disk": None})

    def _show_waits(self) -> None:
        """Tell the pages why nothing is said just now, if that is news; nothing else has changed."""
        waits = self._unseen.list_reasons(self.watcher.waiting_reasons)
        new = [reason.rule for reason in waits] != [reason.rule for reason in self._waits]
        if new or (waits != self._waits and self._t - self._waits_t >= WAITS_EVERY_S):
            self._waits, self._waits_t = waits, self._t
            self._shown = {**self._shown, "waits": [reason.to_json() for reason in waits], "t": round(self._t, 3)}
            self._feed.update_snapshot(self._shown)
