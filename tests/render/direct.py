"""Turns a game into pictures: hands reach, carry, put down and take off, and troubles come between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.render.play import Turn, Wrong
from tests.render.scene import Floats, Light, cell_xy
from tests.render.stage import Stage

Entry = dict[str, Any]

REACH_SHOWN, RELEASE_SHOWN = 0.4, 0.6
"""How often a hand is seen reaching and letting go; carrying is always seen."""
DARK_PLIES = 2
LAMP_OFF = {"main": 0.25, "around": 0.85, "gain": 1.3}
"""What is left of the light when the lamp goes off; the camera makes up for some of it."""
DRIFT_STEPS, DRIFT_TO = 4, 0.72


class Director:
    """Plays turns on a stage; `moves` and `events` are the entries of truth.json."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.moves: list[Entry] = []
        self.events: list[Entry] = []
        self._settled = 0
        self._dark: tuple[int, Light] | None = None
        """The ply before which the lamp goes on again, and the light then."""

    def begin(self, turn: Turn, with_empty: bool) -> None:
        """The start position, before it perhaps the empty board."""
        if with_empty:
            self.stage.empty()
        self.stage.set_up(turn.before)
        self._settled = self.stage.quiet("start")

    def play(self, turn: Turn) -> None:
        """One ply with everything around it."""
        happen = {"knock": self._knock, "topple": self._topple, "bump": self._bump, "cup": self._cup,
                  "dark": self._lamp_off, "drift": self._drift}  # fmt: skip
        for trouble in turn.troubles:
            happen[trouble](turn)
        if self._dark and turn.number >= self._dark[0]:
            self._lamp_on(turn)
        if turn.wrong:
            self._go_wrong(turn, turn.wrong)
        self._move(turn)

    def _event(self, kind: str, turn: Turn, **more: Any) -> None:
        self.events.append({"kind": kind, "ply": turn.number, "frame": len(self.stage.frames) - 1, **more})

    # --- moves ---

    def _move(self, turn: Turn) -> None:
        stage, move, seat = self.stage, turn.move, turn.before.seat
        piece = stage.at(move.origin)
        taken = [stage.at(cell) for cell in move.taken]
        before = self._settled
        if stage.rng.random() < REACH_SHOWN:
            stage.moving("reach", seat, self._xy(move.origin))
        if turn.style == "pause":
            self._pause(turn, piece)
        path = (move.path[-2], move.target) if turn.style == "pause" else (move.origin, move.target)
        share = stage.rng.uniform(0.25, 0.85)
        stage.moving("carry", seat, (1 - share) * self._xy(path[0]) + share * self._xy(path[1]), held=piece)
        stage.put(piece, move.target)
        if stage.rng.random() < RELEASE_SHOWN:
            stage.moving("release", seat, self._xy(move.target))
        if taken and turn.style == "late":
            self._settled = stage.quiet("captured piece still on the board")
            self._event("captured_left_on_board", turn, cells=self._names(move.taken), notation=turn.notation)
        if taken:
            for name in taken[:-1]:
                stage.take_off(name, seat)
            stage.moving(
                "late capture" if turn.style == "late" else "capture", seat, self._xy(move.taken[-1]), held=taken[-1]
            )
            stage.take_off(taken[-1], seat)
        stage.ply = turn.number
        stage.agree(turn.after)
        if turn.style != "fast":
            self._settled = stage.quiet(f"after {turn.notation}")
        self._record(turn, before)

    def _pause(self, turn: Turn, piece: str) -> None:
        """The player stops on a landing cell and takes the hand away; captured pieces still stand."""
        stage, path = self.stage, turn.move.path
        stop = path[int(stage.rng.integers(1, len(path) - 1))]
        if any(place == stop for name, place in stage.where.items() if name != piece):
            return  # the chain runs over a cell that is only free once a capture is taken off
        share = stage.rng.uniform(0.3, 0.8)
        xy = (1 - share) * self._xy(turn.move.origin) + share * self._xy(stop)
        stage.moving("carry", turn.before.seat, xy, held=piece)
        stage.put(piece, stop)
        self._settled = stage.quiet("pause in the middle of a move")
        self._event("leg_pause", turn, cell=self.stage.game.board.cells[stop], notation=turn.notation)

    def _record(self, turn: Turn, before: int) -> None:
        game = self.stage.game
        entry = {
            "ply": turn.number,
            "side": game.codes[turn.before.placement[turn.move.origin]][0],
            "notation": turn.notation,
            "kind": turn.move.kind,
            "path": self._names(turn.move.path),
            "captured": self._names(turn.move.taken),
            "frame_before": before,
            "frame_after": self._settled if turn.style != "fast" else None,
        }
        self.moves.append(entry)
        if turn.style != "fast":
            for earlier in reversed(self.moves[:-1]):  # plies played too fast share the next quiet picture
                if earlier["frame_after"] is not None:
                    break
                earlier["frame_after"] = self._settled

    def finish(self) -> None:
        """A last quiet picture, if the last ply was a fast one."""
        if self.moves and self.moves[-1]["frame_after"] is None:
            self._settled = self.stage.quiet("end")
            for entry in self.moves:
                entry["frame_after"] = self._settled if entry["frame_after"] is None else entry["frame_after"]

    def _go_wrong(self, turn: Turn, wrong: Wrong) -> None:
        stage, seat, board = self.stage, turn.before.seat, self.stage.game.board
        names = board.cells
        piece = stage.at(wrong.origin)
        gone = {cell: stage.at(cell) for cell in wrong.taken}
        beside = dict(stage.beside)
        stage.moving("carry", seat, (self._xy(wrong.origin) + self._xy(wrong.target)) / 2, held=piece)
        for name in gone.values():
            stage.take_off(name, seat)
        stage.put(piece, wrong.target)
        text = f"{names[wrong.origin]}{'x' if wrong.taken else '-'}{names[wrong.target]}"
        stage.quiet(f"illegal move {text}")
        side = stage.game.codes[next(c for c in turn.before.placement if c and stage.game.seat_of[c] == seat)][0]
        self._event("illegal_move", turn, notation=text, reason=wrong.reason, side=side)
        stage.moving("retract", seat, (self._xy(wrong.origin) + self._xy(wrong.target)) / 2, held=piece)
        stage.put(piece, wrong.origin)
        for cell, name in gone.items():
            stage.put(name, cell)
        stage.beside = beside
        self._settled = stage.quiet("retracted")
        self._event("retracted", turn, notation=text)

    # --- troubles between moves ---

    def _knock(self, turn: Turn) -> None:
        self._brush(turn, topple=False)

    def _topple(self, turn: Turn) -> None:
        self._brush(turn, topple=True)

    def _brush(self, turn: Turn, topple: bool) -> None:
        stage, seat = self.stage, turn.before.seat
        others = [n for n, place in stage.where.items() if isinstance(place, int) and place != turn.move.origin]
        name = str(stage.rng.choice(sorted(others)))
        cell = int(stage.where[name])
        stage.moving("hand brushes a piece", seat, self._xy(cell))
        stage.knock(name, topple)
        self._settled = stage.quiet("topple" if topple else "knock")
        kind = "piece_toppled" if topple else "piece_knocked"
        self._event(kind, turn, cell=stage.game.board.cells[cell], piece=name)
        if topple or stage.rng.random() < 0.5:
            stage.put(name, cell)
            stage.moving("piece set upright" if topple else "piece recentred", seat, self._xy(cell))
            self._settled = stage.quiet("upright again" if topple else "recentred")
            self._event("piece_set_upright" if topple else "piece_recentred", turn, cell=stage.game.board.cells[cell])

    def _bump(self, turn: Turn) -> None:
        shift = self.stage.bump()
        self.stage.quiet("camera bumped (shaken frame)", shaken=True)
        self._event("camera_bump", turn, shift_px=shift)
        self._settled = self.stage.quiet("after bump")

    def _cup(self, turn: Turn) -> None:
        self.stage.place_cup()
        self._settled = self.stage.quiet("cup put down beside the board")
        self._event("cup_placed", turn)

    def _lamp_off(self, turn: Turn) -> None:
        light = self.stage.light
        self._dark = (turn.number + DARK_PLIES, light)
        self.stage.light = replace(light, **{name: getattr(light, name) * v for name, v in LAMP_OFF.items()})
        self._settled = self.stage.quiet("light off")
        self._event("light_off", turn)

    def _lamp_on(self, turn: Turn) -> None:
        if self._dark:
            self.stage.light, self._dark = self._dark[1], None
            self._settled = self.stage.quiet("light on")
            self._event("light_on", turn)

    def _drift(self, turn: Turn) -> None:
        """Clouds: the light goes down in small steps and stays there."""
        gain = self.stage.light.gain
        for step in range(1, DRIFT_STEPS + 1):
            self.stage.relight(gain=gain * (1 - (1 - DRIFT_TO) * step / DRIFT_STEPS))
            self._settled = self.stage.quiet("light fading")
        self._event("light_drift", turn)

    def _xy(self, cell: int) -> Floats:
        return np.array(cell_xy(self.stage.game.board, cell))

    def _names(self, cells: tuple[int, ...]) -> list[str]:
        return [self.stage.game.board.cells[cell] for cell in cells]
