"""What happens on the evening, step by step: hands on the stage, people at buttons and page, and what is promised."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.game import Game, Move
from tests.bench.evening.expected import Promise, lit, your_turn
from tests.bench.evening.room import Room
from tests.render.direct import LAMP_OFF, Director
from tests.render.lives import put_up
from tests.render.play import Turn, Wrong
from tests.render.scene import cell_xy, extent, middle
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage

RECIPE = Recipe(
    rules="wcf",
    seed=48,
    look="walnut",
    pieces="white_black",
    table="darkwood",
    light="evening",
    markers=False,
    elevation=50,
    azimuth=-84,
    hfov=46,
    size_wh=(640, 480),
    with_empty=False,
)
FIRST = ("E7-D8", "D11-D12", "G7-F8", "D12-E12", "D7-D9xD11xF13", "J11-K11", "I7-G7-E9", "E10xE8xC8", "F13-F14",
         "F11-F12", "F7-F9")  # fmt: skip
"""The beginning of the demonstration's game."""
SECOND = ("E6-E5", "H10-H9", "G6-G5", "D10-C10")
BESIDE_CELLS = 1.0


@dataclass(frozen=True)
class Step:
    """`acts` is what people do at buttons and page, `does` what hands do on the stage; then all is as promised."""

    name: str
    promise: Promise
    does: Callable[[], object] = lambda: None
    acts: Callable[[Room], object] = lambda room: None


class Story:
    """The steps of an evening; the stage remembers what was done."""

    def __init__(self) -> None:
        self.stage: Stage = bare_stage(RECIPE)
        self.director = Director(self.stage)
        self.game: Game = self.stage.game
        self.played: list[list[str]] = []
        self._position, self._ply = self.game.start(), 0
        self._last: Move | None = None
        self._held = ""
        self.stage.empty()

    # --- what is true ---

    def _turn(self, notation: str, style: str = "", wrong: Wrong | None = None) -> Turn:
        move = self.game.read(self._position, notation)
        assert isinstance(move, Move), f"{notation}: {move.message}"
        after = self.game.play(self._position, move)
        return Turn(self._ply + 1, self._position, move, notation, after, style, (), wrong)

    def _now(self, *said: dict[str, object], may: frozenset[str] = frozenset()) -> Promise:
        notation = self._written(self.played[-1][-1]) if self._last else ""
        return replace(your_turn(self.game, self._position, self._last, self._ply, notation), said=said, may=may)

    def _written(self, notation: str) -> str:
        """The last move as the page says it, with what it took."""
        assert self._last is not None
        taken = ", ".join(self.game.board.cells[cell] for cell in self._last.taken)
        return f"{notation}, takes {taken}" if taken else notation

    def _made(self, turn: Turn) -> dict[str, object]:
        cells = self.game.board.cells
        self._position, self._last, self._ply = turn.after, turn.move, turn.number
        self.played[-1].append(turn.notation)
        return {
            "event": "move",
            "ply": turn.number,
            "side": self.game.seats[turn.before.seat],
            "notation": turn.notation,
            "captured": [cells[cell] for cell in turn.move.taken],
        }

    # --- what is done ---

    def ply(self, notation: str) -> Step:
        """A move, by hand, captured pieces off at once."""
        turn = self._turn(notation)
        return Step(f"{turn.number}. {notation}", self._now(self._made(turn)), lambda: self.director.play(turn))

    def steps(self) -> Iterator[Step]:
        """The evening."""
        yield from self._begun()
        yield from map(self.ply, FIRST[:1])
        yield from self._thought(FIRST[1])
        yield from map(self.ply, FIRST[1:4])
        yield from self._late(FIRST[4])
        yield from self._taken_back(FIRST[5])
        yield from map(self.ply, FIRST[5:7])
        yield from self._must_jump(FIRST[7])
        yield from map(self.ply, FIRST[7:8])
        yield from self._lamp(FIRST[8])
        yield from self._bump()
        yield from map(self.ply, FIRST[9:10])
        yield from self._power_cut()
        yield from map(self.ply, FIRST[10:])
        yield from self._resigned()
        yield from self._put_up()
        yield from map(self.ply, SECOND)
        yield from self._drawn()

    def _begun(self) -> Iterator[Step]:
        game, start = self.game, self.game.start()
        cells = [game.board.cells[cell] for cell, piece in enumerate(start.placement) if piece]
        yield Step(
            "an empty board",
            Promise(
                ({"event": "set-up", "wrong": cells},),
                lit(cells, "wrong", True),
                ("Set up: wrong", " ".join(cells)),
                ("Set up the board", f"{len(cells)} cells are not as expected"),
            ),
        )

        def put() -> None:
            self.stage.set_up(start)
            self.stage.quiet("start")

        self.played.append([])
        yield Step("the pieces are put up", self._now({"event": "ready"}, may=frozenset({"set-up"})), put)

    def _thought(self, notation: str) -> Iterator[Step]:
        """A piece is held beside the board, and put back."""
        turn, cells = self._turn(notation), self.game.board.cells
        origin = turn.move.origin
        moves = [move for move in self.game.moves(self._position) if move.origin == origin]
        ends = {cells[move.target] for move in moves}
        side = self.game.seats[self._position.seat].capitalize()
        out = self.stage.seat_axis(self._position.seat)
        half = np.array(extent(self.game.board)) / 2
        beside = np.array(middle(self.game.board)) + out * (np.abs(out) @ half + BESIDE_CELLS)

        def lift() -> None:
            self.stage.moving("beside", turn.before.seat, beside, held=self.stage.at(origin))
            self._held = next(name for name, place in self.stage.where.items() if place == "held")

        def back() -> None:
            self.stage.put(self._held, origin)
            self.stage.quiet("put back")

        yield Step(
            f"{cells[origin]} is held beside the board",
            Promise(
                (),
                lit(ends, "target") | lit([cells[origin]], "start", True),
                (f"{side} to move", f"{cells[origin]} to ..."),
                (f"{side} to move", f"{cells[origin]} is in the air."),
                self._ply,
            ),
            lift,
        )
        yield Step("and put back", self._now(may=frozenset({"restored"})), back)

    def _late(self, notation: str) -> Iterator[Step]:
        """Captured pieces stay on the board until the hand has gone."""
        turn, stage, cells = self._turn(notation), self.stage, self.game.board.cells
        taken = [cells[cell] for cell in turn.move.taken]
        side = self.game.seats[turn.before.seat].capitalize()
        todo = [f"remove {cell}" for cell in taken]

        def moved() -> None:
            piece = stage.at(turn.move.origin)
            stage.moving("carry", turn.before.seat, np.array(cell_xy(self.game.board, turn.move.target)), held=piece)
            stage.put(piece, turn.move.target)
            stage.quiet("captured pieces still stand")

        def cleared() -> None:
            for cell in turn.move.taken:
                name = stage.at(cell)
                stage.moving("capture", turn.before.seat, np.array(cell_xy(self.game.board, cell)), held=name)
                stage.take_off(name, turn.before.seat)
            stage.agree(turn.after)
            stage.quiet(f"after {notation}")

        yield Step(
            f"{turn.number}. {notation}, captured pieces left",
            Promise(
                ({"event": "partial", "notation": notation, "todo": todo},),
                lit(taken, "wrong", True),
                (f"{side} to move", ", ".join(todo)),
                (f"{side} is not finished", notation),
                self._ply,
            ),
            moved,
        )
        yield Step("they are taken off", self._now(self._made(turn), may=frozenset({"partial"})), cleared)

    def _taken_back(self, notation: str) -> Iterator[Step]:
        before, turn, stage = (self._position, self._last, self._ply), self._turn(notation), self.stage
        yield self.ply(notation)
        self._position, self._last, self._ply = before
        self.played[-1].pop()

        def back() -> None:
            piece = stage.at(turn.move.target)
            stage.moving(
                "take back", turn.before.seat, np.array(cell_xy(self.game.board, turn.move.origin)), held=piece
            )
            stage.put(piece, turn.move.origin)
            stage.agree(turn.before)
            stage.quiet("taken back")

        yield Step("it is taken back by hand", self._now({"event": "takeback", "plies": 1}), back)

    def _must_jump(self, notation: str) -> Iterator[Step]:
        """A plain move although Black must jump."""
        index, stage = self.game.board.index, self.stage
        origin, target, seat = index["H10"], index["H9"], self._position.seat
        refusal = self.game.read(self._position, "H10-H9")
        assert not isinstance(refusal, Move)
        ends = {cell for text in refusal.instead for cell in (text.split("x")[0], text.split("x")[-1])}
        must = dict.fromkeys(text.split("x")[0] for text in refusal.instead)

        def go(come_from: int, to: int, note: str) -> None:
            piece = stage.at(come_from)
            stage.moving("carry", seat, np.array(cell_xy(self.game.board, to)), held=piece)
            stage.put(piece, to)
            stage.quiet(note)

        yield Step(
            "H10-H9, which is not lawful",
            Promise(
                ({"event": "illegal", "code": "must-jump", "cells": ["H9", "H10"], "instead": list(refusal.instead)},),
                lit(ends, "target") | lit(["H9", "H10"], "wrong", True),
                ("ILLEGAL H9 H10", f"must jump: {' '.join(must)}"),
                ("Not a lawful move", "Black to move. Put the pieces back, or play one of these."),
                self._ply,
            ),
            lambda: go(origin, target, "illegal"),
        )
        yield Step("it is put back", self._now({"event": "restored"}), lambda: go(target, origin, "put back"))

    def _lamp(self, notation: str) -> Iterator[Step]:
        stage, light, may = self.stage, self.stage.light, frozenset({"light-changed", "cannot-see", "seen-again"})

        def off() -> None:
            stage.light = replace(light, **{name: getattr(light, name) * by for name, by in LAMP_OFF.items()})
            stage.quiet("lamp off")

        def on() -> None:
            stage.light = light
            stage.quiet("lamp on")

        yield Step("the lamp goes off", self._now(may=may), off)
        yield self.ply(notation)
        yield Step("the lamp goes on", self._now(may=may), on)

    def _bump(self) -> Iterator[Step]:
        def bump() -> None:
            self.stage.bump()
            self.stage.quiet("bumped", shaken=True)
            self.stage.quiet("after the bump")

        may = frozenset({"camera-moved", "camera-found", "cannot-see", "seen-again"})
        yield Step("the camera is bumped", self._now(may=may), bump)

    def _power_cut(self) -> Iterator[Step]:
        yield Step(
            "the power is cut",
            Promise((), {}, ("HOST LOST", "no signal for 2s"), plies=self._ply, stale=True),
            acts=lambda room: room.cut(),
        )
        yield Step("and comes back", self._now({"event": "ready"}), acts=lambda room: room.start())

    def _resigned(self) -> Iterator[Step]:
        cells, board = self.game.board.cells, self.game.board
        side = self.game.seats[self._position.seat].capitalize()
        assert self._last is not None
        last = lit([cells[self._last.origin], cells[self._last.target]], "last")
        paused = Promise(
            ({"event": "paused"},), last, ("Paused", f"{side} to move"), ("Paused", f"{side} to move."), self._ply
        )
        yield Step("pause is pressed", paused, acts=lambda room: room.board.tap("pause"))
        for times, choice in enumerate(("draw", "White resigns"), start=1):
            offered = replace(paused, said=(), text=("Paused", f"{choice}?"))
            yield Step(f"hint is pressed, {times}", offered, acts=lambda room: room.board.tap("hint"))
        castles = [cell for own in board.castles.values() for cell in own]
        over = Promise(
            ({"event": "left", "side": "white"}, {"event": "result", "result": "0-1", "reason": "resigned"}),
            last | lit(castles, "won", True),
            ("0-1", "resigned"),
            ("Black wins", "0-1, by resignation"),
            self._ply,
        )
        yield Step("confirm is pressed: White resigns", over, acts=lambda room: room.board.tap("confirm"))

    def _put_up(self) -> Iterator[Step]:
        self._position, self._last, self._ply = self.game.start(), None, 0
        self.played.append([])

        def put() -> None:
            put_up(self.stage)
            self.stage.ply = 0

        promise = self._now({"event": "new-game", "after": "0-1"}, {"event": "ready"})
        yield Step("the pieces are put up for the next game", promise, put)

    def _drawn(self) -> Iterator[Step]:
        cells, board = self.game.board.cells, self.game.board
        assert self._last is not None

        def agree(room: Room) -> None:
            room.js("document.querySelector('[data-ask=draw]').click()")
            time.sleep(0.5)
            room.js("document.getElementById('ask-do').click()")

        last = lit([cells[self._last.origin], cells[self._last.target]], "last")
        castles = [cell for own in board.castles.values() for cell in own]
        yield Step(
            "a draw is agreed on the page",
            Promise(
                ({"event": "result", "result": "1/2-1/2", "reason": "agreement"},),
                last | lit(castles, "won", True),
                ("1/2-1/2", "agreement"),
                ("Drawn", "1/2-1/2, by agreement"),
                self._ply,
            ),
            acts=agree,
        )
