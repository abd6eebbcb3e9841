"""The computer at a drawn board, through the whole program: its reply on simulated LEDs, made, and made wrongly."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from device.lights import PALETTES
from device.mapfile import load_default_map
from engine.game import Game, Move, Position
from tests.firmware.board import SignalsSeen, SimulatedBoard
from tests.opponent.drawn_table import Referee, another, drawn_table, out_of_reach, refereed
from tests.render.script import Recipe

RECIPE = Recipe(game="camelot", look="green", pieces="white_red", light="office", seed=3)
COLOURS = PALETTES["standard"]


def lit(game: Game, cells: set[int], colour: str, seen: SignalsSeen) -> bool:
    """Whether the strip has these cells in this colour, however much it was dimmed for its supply."""
    owners = load_default_map(game.name, game.board).owners
    leds = [led for led, of in enumerate(owners) if cells & set(of)]
    wanted = [channel > 0 for channel in COLOURS[colour]]
    return bool(leds) and all([channel > 0 for channel in seen.rgb[led]] == wanted for led in leds)


def replied(referee: Referee, game: Game, position: Position, ply: int) -> Move:
    """What the computer wants once so many moves were made."""
    now = referee.until(
        lambda now: now["ply"] == ply and now["phase"] == "playing" and (now["advice"] or {}).get("move")
    )
    assert now["advice"]["trouble"] == "" and now["advice"]["steps"][0]["deed"] == "lift"
    move = game.read(position, now["advice"]["move"])
    assert isinstance(move, Move)
    return move


def test_its_reply_is_lit_step_by_step_and_what_was_made_wrongly_is_shown_where(tmp_path: Path) -> None:
    with SimulatedBoard() as board, drawn_table(RECIPE) as table:
        lights = ("--lights", board.path, "--protocol", "camref", "--opponent", "black=2")
        with refereed(table, tmp_path, *lights) as referee:
            game, position = table.game, table.game.start()
            referee.until(lambda now: now["phase"] == "playing")
            own = game.read(position, "D6-D5")
            assert isinstance(own, Move)
            table.make(position, own)
            position = game.play(position, own)
            move = replied(referee, game, position, 1)
            # step by step: the piece alone, then each leg from its start to its end
            board.wait_for(partial(lit, game, {move.origin}, "start"))
            board.wait_for(partial(lit, game, {move.path[1]}, "target"))
            assert board.wait_for(lambda seen: seen.text[0].startswith("Black plays")).text[1].strip()

            # a lawful move, but another: said with its cells, lit, and put right
            other = another(game, position, move)
            table.make(position, other)
            now = referee.until(lambda now: now["ply"] == 2 and (now["advice"] or {}).get("wrong"))
            cells = game.board.cells
            assert now["advice"]["played"] == game.write(position, other)
            assert set(now["advice"]["wrong"]) == {cells[other.origin], cells[other.target]}
            assert set(now["advice"]["left"]) == {cells[move.origin], cells[move.target]}
            board.wait_for(partial(lit, game, {other.target, other.origin}, "wrong"))
            board.wait_for(partial(lit, game, {move.target}, "target"))
            table.shift(position.seat, (other.target, other.origin))
            referee.until(lambda now: now["ply"] == 1 and now["phase"] == "playing" and now["advice"]["steps"])

            # no move at all: the right piece on a cell that it cannot reach
            far = out_of_reach(game, position)
            table.shift(position.seat, (move.origin, far))
            now = referee.until(lambda now: now["phase"] == "trouble")
            assert now["advice"]["wrong"] == [cells[far]] and now["advice"]["left"] == [cells[move.target]]
            board.wait_for(partial(lit, game, {far}, "wrong"))
            board.wait_for(partial(lit, game, {move.target}, "target"))
            table.shift(position.seat, (far, *move.path[1:]), move.taken)
            now = referee.until(lambda now: now["ply"] == 2 and now["phase"] == "playing")
            assert now["advice"] is None and now["moves"][-1]["notation"] == game.write(position, move)
            assert (board.read_signals().pulse_faults, board.read_signals().display_faults) == (0, 0)
