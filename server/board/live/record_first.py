"""What the service tells: into the record first, then to all who listen; late, and in order, while it takes nothing.

The page shows nothing that is not in the record: while something waits for it the pages stand still, and say so.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from engine.errors import TROUBLE_OVER, InputError
from engine.match.acts import AS_UNFINISHED, Act, Adjourn, ClaimDraw, Mode, Resume, Settle
from engine.match.clocked_match import tell_clocks
from engine.match.events import AnotherGame, Event, Moved, Settled
from engine.match.state import Match, Phase
from server.board.live.notices import ClaimRefused, Decision, Noted, RecordWaits, TakenUp, mode_of
from server.board.live.unwritten import (
    RecordInMemory,
    UnwrittenError,
    UnwrittenEvent,
    is_beside,
    save_lines,
    write_lines,
)
from server.board.live.wishes import TakeUp, state_of
from server.board.upkeep.held import Steps
from server.record.details import Details, find_latest_details
from server.record.evidence import EVIDENCE, PictureEvidence
from server.record.journal import GameBook, Journal, LaterResult, read_moves
from server.spectators.broadcast import Broadcast
from server.spectators.withheld import event_without_hints
from server.web.feed import Feed
from vision.watch.parallel_watcher import ParallelWatcher
from vision.watch.watcher import Watcher

log = logging.getLogger(__name__)

FOR_A_TIME = " (the record's folder takes no file: start again before this computer is switched off)"
"""Said of a file that lies among temporary files, which are gone then on many systems."""
Recall = Callable[[str], tuple[Match, Journal]]
"""From its name to a game of the record that was put away, and where it is written. InputError if it cannot go on."""


class Telling:
    """Writes and tells for the main loop, which owns it. Mutable."""

    def __init__(self, book: GameBook, feed: Feed, mode: Mode, told: Sequence[Moved], now: Callable[[], Match]) -> None:
        """`now` is the match on the board: notes that decide something say what its clocks have left."""
        self._now = now
        self.mode = mode
        self.details = Details()
        self.moves = list(told)
        """Those of this game that are in the record, for their times and how sure they were."""
        self.evidence: PictureEvidence | None = None
        self.broadcast: Broadcast | None = None
        self.recall: Recall | None = None
        self.trouble: str | None = None
        """Why nothing is told just now, if that lasts."""
        self._feed, self._t, self._book = feed, 0.0, book
        self._steps = Steps(self._record_waits)
        self._kept: RecordInMemory | None = None
        self._ends = False  # what is written from then on is kept for the next start, and told to nobody

    @property
    def journal(self) -> Journal:
        """The record of the game that is told."""
        return self._book.journal

    @property
    def may_help(self) -> bool:
        """Whether players may be helped: it is no tournament."""
        return self.mode != Mode.TOURNAMENT

    @property
    def has_waiting(self) -> bool:
        """Whether something is still to be written."""
        return self._steps.waiting_count > 0

    @property
    def waiting_state(self) -> tuple[str, int]:
        """Why something is still to be written (held, full, read-only, gone), and how many things are."""
        return self._steps.kind, self._steps.waiting_count

    def record_events(self, events: Sequence[Event], t: float, watcher: Watcher | ParallelWatcher) -> None:
        """Events of the game, and the pictures that belong to them."""
        self._t = t
        for event in events:
            self._steps.do_step(partial(self._write_event, event, t, watcher.match))
        if self.evidence is not None:
            notes = self.evidence.store_pictures(events, watcher.last, watcher.views, watcher.reading)
            for note in notes:
                self.record_note(note, told=note.name != EVIDENCE)
            if notes:  # a step at each frame would fill what is kept in memory within minutes
                self._steps.do_step(self._clear_evidence)

    def record_note(self, note: Event, *, told: bool = True) -> None:
        """What is no event of the game but belongs to its record; unless `told` nobody else hears it."""
        self._steps.do_step(partial(self._write_note, tell_clocks(self._now(), note), told=told))

    def update_spectators(self, t: float) -> None:
        """It is `t` for those who see the game later."""
        if self.broadcast is not None:
            self.broadcast.publish_due(t)

    def take_up_game(
        self, asked: TakeUp, t: float, watcher: Watcher | ParallelWatcher
    ) -> Sequence[Mapping[str, object]]:
        """Go on with a game that was put away, which the record says in both; the one on the board is put away where it
        is not over. What was said of it so far; InputError where it cannot go on, or the record takes nothing."""
        by, account, match = asked.by, asked.account, watcher.match
        if self.has_waiting or self.recall is None:
            raise InputError("The record takes nothing just now. Take the game up when it does.")
        if asked.game == self.journal.name:
            raise InputError("{name} is on the board already.", name=asked.game)
        recalled, taken = self.recall(asked.game)
        said = taken.record.read_events(taken.name)
        if match.before is not None:
            self.record_events(watcher.perform_act(Settle(AS_UNFINISHED, by=by, account=account), t), t, watcher)
        if match.moves and match.phase not in (Phase.ADJOURNED, Phase.OVER):
            self.record_events(watcher.perform_act(Adjourn(by=by, account=account), t), t, watcher)
        self.record_note(TakenUp(t, asked.game, by=by, account=account), told=False)
        self._steps.do_step(partial(self._switch_game, taken, said, match.game.seats))
        self.record_note(TakenUp(t, asked.game, by=by, account=account))
        watcher.replace_match(recalled)
        if recalled.phase is Phase.ADJOURNED:
            self.record_events(watcher.perform_act(Resume(by=by, account=account), t), t, watcher)
        return said

    def note_refusal(self, asked: Act, error: InputError, t: float, match: Match) -> None:
        """A draw that was claimed wrongly is kept: an arbiter may rule on it."""
        if isinstance(asked, ClaimDraw) and match.phase is not Phase.OVER:
            self.record_note(ClaimRefused(t, match.side_to_move, str(error), by=asked.by, account=asked.account))

    def record_item(self, item: Noted | LaterResult, t: float) -> None:
        """What is to stand in the record, or stands in that of a game of before already. A decision stands in the game
        that it is about: the board may be at the next one by now."""
        if isinstance(item, Decision):
            self._steps.do_step(partial(self._write_decision, item, t))
        elif isinstance(item, Noted):
            self.record_note(item.to_event(t))
        elif self.broadcast is not None:
            self.broadcast.hold_ending(t, item)

    def describe_game(self, match: Match) -> dict[str, object]:
        """What the pages have of the game besides the match: its name, the number of its state, who plays and how."""
        head = {"name": self.journal.name, "state": state_of(self._feed.run, match), "mode": self.mode}
        return {**head, "before": self._book.unsettled_game, "record": None, "details": self.details.to_json()}

    def retry_waiting(self) -> bool:
        """Try again what waits; whether the last of it was told."""
        done = self._steps.retry_steps()
        if not self.has_waiting:
            self._steps.do_step(self._look_after_record)
        if done and self.trouble is not None:
            log.log(TROUBLE_OVER, "the record is written again: all that was kept in memory is in it")
        if done:
            self.trouble = None
        return done

    def finish_waiting(self) -> None:
        """Wait until all is told."""
        self._steps.finish_steps()

    def write_first(self, kept: RecordInMemory) -> None:
        """Before anything else write what was kept at an earlier end; what the start has said since is in it too."""
        self._kept = kept
        self._book.switch_record(kept.beneath)
        kept.beneath.disable_waiting()
        self._steps.do_step(partial(self._write_kept, kept))

    def save_unwritten(self) -> None:
        """Try what waits once more. UnwrittenError where the record does not take it, which says where it is kept."""
        if self._steps.try_once_more():
            return
        kind = self.waiting_state[0]
        where, lines = Path(self.journal.record.where), self._collect_unwritten()
        if not lines:
            return
        said = f"the record takes nothing ({kind}): the last {len(lines)} things said are not in it"
        earlier = self._kept.files if self._kept is not None else []
        file = save_lines(where, lines)
        if file is None:
            but = f", but for what {', '.join(map(str, earlier))} has of an earlier time" if earlier else ""
            raise UnwrittenError(f"{said} and are lost: they could be kept in no file either{but}")
        if self._kept is not None:
            self._kept.remove_files()
        there = "" if is_beside(file, where) else FOR_A_TIME
        raise UnwrittenError(f"{said}, they are kept in {file}{there}: the next start writes them into the record")

    def _collect_unwritten(self) -> list[UnwrittenEvent]:
        """All that waits, as it would be written."""
        kept = RecordInMemory(self.journal.record)
        self._book.switch_record(kept.as_record())
        self._ends = True
        for step in self._steps.drain_steps():
            step()
        return kept.lines

    def _write_kept(self, kept: RecordInMemory) -> None:
        write_lines(self.journal.record, kept.lines, kept.seal)
        if not self._ends:
            log.warning("the %d things said last time that the record took nothing of are in it now", len(kept.lines))
            kept.remove_files()

    def _write_event(self, event: Event, t: float, match: Match) -> None:
        before = self._book.unsettled_game
        self._book.write_event(event, match)
        if self._ends:
            return
        if isinstance(event, Moved):
            self.moves.append(event)
        if isinstance(event, AnotherGame):
            self.moves.clear()
            if self.details != Details():
                self.journal.write_note(self.details.to_event(t, "page"))
        said = event.to_json()
        self._feed.publish_event(event_without_hints(said) if self.mode == Mode.TOURNAMENT else said)
        if self.broadcast is not None:
            if isinstance(event, Settled) and before is not None:
                self.broadcast.hold_ending(t, LaterResult(before, event.result, event.why))
            self.broadcast.hold_event(t, said)

    def _write_note(self, note: Event, *, told: bool) -> None:
        self.journal.write_note(note)
        if told and not self._ends:
            self._feed.publish_event(note.to_json())

    def _write_decision(self, decision: Decision, t: float) -> None:
        """Write it when its turn comes: another game may have begun while the record took nothing."""
        note = decision.to_event(t)
        if decision.game == self.journal.name:
            self._write_note(tell_clocks(self._now(), note), told=True)
        elif decision.game in self.journal.record.event_counts():
            self.journal.open_other(decision.game).write_note(note)
        else:
            log.warning("the ruling on %s is not written: the record has no such game", decision.game)

    def _look_after_record(self) -> None:
        """Notice a record that is not in its place while nothing is written."""
        if not self._ends:
            self.journal.record.check_place(self.journal.name)

    def _clear_evidence(self) -> None:
        """Remove the pictures that made room, once the record names all of them: only where this is the last step."""
        if self.evidence is not None and self._steps.waiting_count <= 1 and not self._ends:
            self.evidence.remove_surplus()

    def _switch_game(self, taken: Journal, said: Sequence[Mapping[str, object]], seats: Sequence[str]) -> None:
        self._book.take_up(taken)
        self.moves[:] = read_moves(said)
        self.details, self.mode = find_latest_details(said, seats), mode_of(said, self.mode)

    def _record_waits(self, message: str) -> None:
        log.warning("%s", message)
        self.trouble = message
        self._feed.publish_event(RecordWaits(self._t, message).to_json())
