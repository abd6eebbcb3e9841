"""Who plays in a contest: our levels and measuring players by name, any other engine by its command."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.game import Game
from engine.outside import own_module
from opponent.engines.client import Engine, Trouble
from opponent.players.choosing import PLAYER_NAMES
from opponent.vocabulary import HIGHEST, LOWEST


@dataclass(frozen=True, slots=True)
class Participant:
    """`own`: one of ours, told a seed so that no two games are the same, and to find its openings by itself."""

    name: str
    command: tuple[str, ...]
    own: bool


def parse_participant(text: str) -> Participant:
    """A level ("7"), a player of ours ("greedy") or the command of an engine. InputError for what is none."""
    ours = (*own_module("server"), "engine")
    if text.isascii() and text.isdigit():
        if len(text) > 3 or not LOWEST <= int(text) <= HIGHEST:
            raise InputError(f"level {text[:20]}: give one from {LOWEST} to {HIGHEST}")
        return Participant(f"level {int(text)}", (*ours, "--level", str(int(text))), own=True)
    if text in PLAYER_NAMES:
        return Participant(text, (*ours, "--player", text), own=True)
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"engine {text[:40]!r}: {error}") from None
    if not command:
        raise InputError("engine: give a level, a player's name or a command")
    if shutil.which(command[0]) is None:  # else it would lose every game, and that be told as the other's strength
        raise InputError(f"engine {text[:40]!r}: neither a level, a player's name nor a program that is here")
    return Participant(text, command, own=False)


class Team:
    """The processes of all participants: kept from game to game, started anew after trouble."""

    def __init__(self, participants: Sequence[Participant]) -> None:
        self.participants = participants
        self._engines: list[Engine | None] = [None] * len(participants)

    def prepare_engine(self, number: int, game: Game, seed: int) -> Engine | Trouble:
        """The engine of that participant, set to a new game."""
        who = self.participants[number]
        engine = self._engines[number]
        if engine is None or engine.trouble is not None:
            engine = self._engines[number] = Engine(who.command)
        trouble = engine.prepare_game(game, options=[("seed", str(seed)), ("OwnBook", "false")] if who.own else [])
        return trouble or engine

    def close(self) -> None:
        """Ends all processes."""
        for engine in self._engines:
            if engine is not None:
                engine.close()
