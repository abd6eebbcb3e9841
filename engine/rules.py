"""The switches of the Camelot family: every point on which its texts differ or leave room, with the reading chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Any, get_type_hints

from engine.errors import InputError
from engine.game import Switch


class NoMoves(Enum):
    """What happens to a player who has pieces but no lawful move."""

    LOSES = "loses"
    LOSES_TO_TWO = "loses-to-two"
    """Loses to an opponent with two or more pieces, else the game is drawn."""
    PASSES = "passes"
    """The next player moves; if nobody can, the game is drawn."""


class Blocked(Enum):
    """What happens when no piece can leave its own castle although one must."""

    ANOTHER_MOVES = "another-moves"
    NO_MOVES = "no-moves"


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set. A game file names those of its game; `name,switch=value,...` sets a switch otherwise."""

    charge_must_capture: Annotated[bool, "a knight whose canter lands where it could jump must end by capturing"] = True
    own_castle_jump_first: Annotated[bool, "a piece in its own castle must jump out if it can"] = True
    blocked_castle_piece: Annotated[
        Blocked, "when no piece can leave its own castle: another-moves (the duty stays) or no-moves"
    ] = Blocked.ANOTHER_MOVES
    castle_move_limit: Annotated[int, "moves within the enemy castle that a player has in a game"] = 2
    castle_pieces_to_win: Annotated[int, "own pieces in the enemy castle that win the game"] = 2
    min_pieces_to_win: Annotated[int, "own pieces needed to win by capturing all others, else a draw"] = 1
    one_each_draws: Annotated[bool, "one piece left to each side is a draw"] = True
    no_moves: Annotated[NoMoves, "a player without a lawful move: loses, loses-to-two or passes"] = NoMoves.LOSES
    repetition_claim: Annotated[int, "occurrences of a position that let a player claim a draw, 0 for none"] = 3
    quiet_claim: Annotated[int, "moves by each side without capture or castle entry that let one claim a draw"] = 50


def switches(rules: Rules) -> Mapping[str, Switch]:
    """Every switch by name, values as a person writes them (on and off are True and False)."""
    return {
        name: Switch(name, _plain(getattr(rules, name)), hint.__metadata__[0])
        for name, hint in get_type_hints(Rules, include_extras=True).items()
    }


def choose(sets: Mapping[str, Rules], text: str) -> Rules:
    """The rules that "name" or "name,switch=value,..." asks for. InputError names the part that is unknown."""
    name, *settings = text.split(",")
    if name not in sets:
        raise InputError(f"rule set {name!r}: not known here, choose from {', '.join(sets)}")
    rules = sets[name]
    for setting in settings:
        switch, _, value = setting.partition("=")
        if switch not in switches(rules):
            raise InputError(f"switch {switch!r}: not known here, choose from {', '.join(switches(rules))}")
        rules = replace(rules, **{switch: _value(switch, getattr(rules, switch), value)})
    return rules


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _value(switch: str, present: object, text: str) -> Any:
    """`text` read as the kind of value that `present` is."""
    if isinstance(present, bool):
        choices: dict[str, object] = {"on": True, "off": False}
    elif isinstance(present, Enum):
        choices = {member.value: member for member in type(present)}
    elif text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    else:
        raise InputError(f"switch {switch}={text}: give a number from 0 up")
    if text not in choices:
        raise InputError(f"switch {switch}={text}: give one of {', '.join(choices)}")
    return choices[text]
