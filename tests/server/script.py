"""A game told to the web page without camera or main loop: each line of the script is one state of the match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from device.lights import draw_match
from engine.belief.opinion import NO_MOVE
from engine.explain.reasons import Reason
from engine.game import Game, Move, Outcome, Position, Refusal
from engine.games import load
from engine.match.course import begin_next_game
from engine.match.events import (
    Adjourned,
    CameraMoved,
    CannotSee,
    DueDeed,
    DueStep,
    Event,
    Illegal,
    Lifted,
    Moved,
    Partial,
    Paused,
    Ready,
    Result,
    SeenAgain,
    SetUp,
    TimeLost,
    Unclear,
)
from engine.match.lifted import ABSENT_S
from engine.match.state import Match, Phase, Undecided
from engine.text.positions import to_json
from server.board.live.hints import STEP_S, Showing
from server.board.live.snapshot import build_snapshot
from server.board.live.visibility import Visibility
from server.web.feed import Feed

OPENING = ("J6-K6", "J11-H9", "F7-F5", "G10-G9", "E7-F8")
"""Black must jump now; the longest of the jumps is CHAIN."""
NAME = "camelot-0001"
CHAIN = "H9-F9xF7xH5xJ7xL5"

TOO_NEAR, NOTHING_FITS = Reason("not-sure", 71.25, 98.0), Reason("unlawful", 99.9, 95.0)


class Script:
    """A match that is moved on by the test, with its feed."""

    def __init__(self, feed: Feed, game: Game | None = None, begun: Position | None = None) -> None:
        self.feed, self.game = feed, game or load("camelot", "wcf")
        self.match = Match(self.game, (begun or self.game.start(),), phase=Phase.PLAYING)
        self.told: list[Moved] = []
        self.waits: tuple[Reason, ...] = ()
        self.unseen = Visibility()
        self.details: dict[str, object] = {}
        self.advice: dict[str, object] | None = None
        self.showing, self.shown_t = Showing(), 0.0
        self.computer: dict[str, int] = {}
        self.tutor: dict[str, object] | None = None
        self.mode = "training"
        self.before: str | None = None
        self.t = 0.0
        self.name, self.state, self.shows = NAME, "", 0
        """Its number, as the page has it."""
        self.show()

    def show(self) -> None:
        self.showing.follow_match(self.match)
        self.shows += 1
        self.state = f"{self.feed.run}-{self.shows}"
        showing = self.showing.to_json(self.match, self.shown_t)
        shown = build_snapshot(
            self.match,
            draw_match(
                self.match,
                unseen=self.unseen.current_cause,
                step=self.showing.current_step(self.shown_t),
                best=self._best(),
            ),
            97,
            self.t,
            self.told,
            self.waits,
            self.unseen.to_json(),
        )
        self.feed.update_snapshot(
            shown
            | {
                "name": self.name,
                "before": self.before,
                "state": self.state,
                "mode": self.mode,
                "details": self.details,
                "advice": self.advice,
                "tutor": self.tutor,
                "showing": showing,
                "computer": self.computer,
            },
            self.match,
        )

    def _best(self) -> list[Move]:
        """The moves that the tutor shows, for the lights."""
        moves = (self.tutor or {}).get("moves") or []
        read = [self.match.game.read(self.match.position, one["move"]) for one in moves]
        return [move for move in read if isinstance(move, Move)]

    def tell(self, phase: Phase, note: Event, outcome: Outcome | None = None) -> None:
        """The match comes into `phase`, explained by `note`."""
        self.match, self.waits = replace(self.match, phase=phase, note=note, outcome=outcome), ()
        self.feed.publish_event(note.to_json())
        self.show()

    def play(self, notation: str, confidence: float = 0.998) -> None:
        self.t += 4.2
        position, cells = self.match.position, self.game.board.cells
        move = self.game.read(position, notation)
        assert not isinstance(move, Refusal), f"{notation}: {move.message}"
        self.told.append(
            Moved(
                self.t,
                len(self.match.moves) + 1,
                self.match.side_to_move,
                self.game.write(position, move),
                cells[move.origin],
                cells[move.target],
                tuple(cells[cell] for cell in move.taken),
                confidence,
            )
        )
        positions = (*self.match.positions, self.game.play(position, move))
        self.match = replace(
            self.match, positions=positions, moves=(*self.match.moves, move), phase=Phase.PLAYING, note=None
        )
        self.feed.publish_event(self.told[-1].to_json())
        self.show()

    def leave_open(self, other: str) -> None:
        """The last ply may have been another one as well."""
        match = self.match
        move = self.game.read(match.positions[-2], other)
        assert not isinstance(move, Refusal), f"{other}: {move.message}"
        self.match = replace(match, undecided=(Undecided(len(match.moves), (match.moves[-1], move)),))
        self.show()

    def waiting(self, *reasons: Reason) -> None:
        """Nothing is said just now; the reasons why, by default a hand over the board."""
        self.match = replace(self.match, phase=Phase.PLAYING, note=None)
        self.waits = reasons or (Reason("cells-not-seen", 31, 0),)
        self.show()

    def lifted(self, cell: str = "H9") -> None:
        cells = self.game.board.cells
        ends = {cells[move.target] for move in self.game.moves(self.match.position) if cells[move.origin] == cell}
        self.tell(Phase.LIFTED, Lifted(self.t, cell, tuple(sorted(ends))))

    def wrong(self) -> None:
        """A man steps forward although his side must jump."""
        game, position = self.game, self.match.position
        refusal = game.read(position, "E10-E9")
        assert isinstance(refusal, Refusal)
        self.tell(
            Phase.TROUBLE,
            Illegal(self.t, ("E10", "E9"), refusal.code, refusal.message, refusal.instead, because=NOTHING_FITS),
        )

    def show_why(self, number: int = 1) -> None:
        """Step `number` of the movement that shows why it is wrong."""
        if number == 1:
            self.showing.begin_showing(self.match, self.shown_t, self.mode)
        else:
            self.shown_t += STEP_S
        self.show()

    def partial(self) -> None:
        move = self.game.read(self.match.position, CHAIN)
        assert not isinstance(move, Refusal)
        todo = tuple(DueStep(DueDeed.REMOVE, self.game.board.cells[cell]) for cell in move.taken)
        self.tell(Phase.PARTIAL, Partial(self.t, CHAIN, todo))

    def unclear(
        self,
        because: Reason = TOO_NEAR,
        corrections: tuple[str, ...] = (),
        options: tuple[str, ...] = ("H9-F9xF7", CHAIN),
    ) -> None:
        self.tell(Phase.UNCLEAR, Unclear(self.t, options, corrections=corrections, because=because))

    def unexplained(self) -> None:
        """No line of play explains the board: there is nothing to choose but how to go on."""
        stands = to_json(self.game, self.match.position)
        self.tell(Phase.UNCLEAR, Unclear(self.t, (), stands, ("E5", "E6"), because=NOTHING_FITS))

    def missed(self) -> None:
        """A piece has been off its square for long, and no hand holds it."""
        stands = to_json(self.game, self.match.position)
        self.tell(Phase.UNCLEAR, Unclear(self.t, (NO_MOVE,), stands, ("E6",), because=Reason("piece-absent", ABSENT_S)))

    def given_up(self) -> None:
        """White's pieces are all taken off."""
        stands = to_json(self.game, self.match.position)
        self.tell(Phase.UNCLEAR, Unclear(self.t, (), stands, ("C6", "D6"), "white", because=NOTHING_FITS))

    def put_up_again(self) -> None:
        """The pieces stand for another game while this one was under way."""
        under_way = replace(self.match, phase=Phase.PLAYING, outcome=None)
        begun, events = begin_next_game(under_way, self.match.positions[0], self.t)
        self.told.clear()
        self.match = replace(begun, phase=Phase.PLAYING, ready=True)
        self.say((*events, Ready(self.t, 97)))

    def wrongly_set_up(self, *options: str) -> None:
        self.tell(Phase.SETUP, SetUp(self.t, ("C6", "D7", "J11"), options))

    def blind(self) -> None:
        self.tell(Phase.BLIND, CameraMoved(self.t))

    def cannot_see(self, cause: str = "shake") -> None:
        """The board is not seen any more."""
        self.say(self.unseen.take_frame(self.t, (CannotSee(self.t, cause),)))

    def seen_again(self) -> None:
        self.t += 1.0
        self.say(self.unseen.take_frame(self.t, (SeenAgain(self.t),)))

    def camera_lost(self, detail: str) -> None:
        self.say(self.unseen.report_camera_lost(self.t, detail))

    def ended(self) -> None:
        """The recording is over."""
        self.unseen.mark_ended(self.t)
        self.show()

    def say(self, events: Iterable[Event]) -> None:
        for event in events:
            self.feed.publish_event(event.to_json())
        self.feed.update_unseen_time(self.unseen.unseen_seconds(self.t))
        self.show()

    def paused(self) -> None:
        self.tell(Phase.PAUSED, Paused(self.t))

    def time_lost(self) -> None:
        """The computer slept for an hour."""
        lost = TimeLost(self.t, "slept", 3671.0, "2026-11-25T20:00:00+00:00", "2026-11-25T21:01:11+00:00", 4.0)
        self.tell(Phase.PAUSED, lost)

    def adjourned(self) -> None:
        self.tell(Phase.ADJOURNED, Adjourned(self.t))

    def over(self) -> None:
        self.tell(Phase.OVER, Result(self.t, "1-0", "castle"), Outcome("1-0", "castle"))


def states(script: Script) -> Iterator[str]:
    """Leads the script through every phase, and names each one reached."""
    yield "start"
    for notation in OPENING:
        script.play(notation)
    yield "playing"
    for name in ("lifted", "wrong", "partial", "unclear", "wrongly_set_up", "blind", "paused", "adjourned", "over"):
        getattr(script, name)()
        yield name
