"""Rule sets of named switches: what each kind of switch takes, and which part of a text is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import pytest

from engine.errors import InputError
from engine.switches import choose, listed


class _Ending(Enum):
    LAST = "last-piece"
    CASTLE = "castle"


@dataclass(frozen=True)
class _Rules:
    backwards: bool = field(default=False, metadata={"meaning": "men may go back"})
    limit: int = field(default=2, metadata={"meaning": "moves in a castle"})
    ending: _Ending = field(default=_Ending.CASTLE, metadata={"meaning": "what wins"})


SETS = {"house": _Rules(), "old": _Rules(limit=9)}


def test_a_switch_is_listed_with_the_value_that_a_person_writes_and_its_meaning() -> None:
    shown = {name: (switch.value, switch.meaning) for name, switch in listed(SETS["old"]).items()}
    assert shown == {
        "backwards": (False, "men may go back"),
        "limit": (9, "moves in a castle"),
        "ending": ("castle", "what wins"),
    }


def test_every_kind_of_switch_is_set_by_text() -> None:
    assert choose(SETS, "old") == SETS["old"]
    chosen = choose(SETS, "old,backwards=on,limit=0,ending=last-piece")
    assert chosen == _Rules(backwards=True, limit=0, ending=_Ending.LAST)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("new", "rule set 'new': not known here, choose from house, old"),
        ("house,speed=1", "switch 'speed': not known here, choose from backwards, limit, ending"),
        ("house,backwards=yes", "switch backwards=yes: give one of on, off"),
        ("house,ending=", "switch ending=: give one of last-piece, castle"),
        ("house,limit=-1", "switch limit=-1: give a number from 0 up"),
        ("house,limit=²", "switch limit=²: give a number from 0 up"),
        ("house,limit=9999999999", "switch limit=9999999999: give a number from 0 up"),
    ],
)
def test_what_cannot_be_chosen_is_named(text: str, named: str) -> None:
    with pytest.raises(InputError) as refused:
        choose(SETS, text)
    assert str(refused.value) == named
