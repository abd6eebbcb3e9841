"""Rule sets as frozen dataclasses of named switches: listed for people, chosen by text.

A field of such a dataclass is a bool, a whole number or an Enum of texts, and carries its meaning as
`metadata={"meaning": ...}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields, replace
from enum import Enum
from typing import Any, ClassVar, Protocol, TypeVar

from engine.errors import InputError
from engine.game import Switch


class RuleSet(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


R = TypeVar("R", bound=RuleSet)


def listed(rules: RuleSet) -> Mapping[str, Switch]:
    """Every switch by name, values as a person writes them (on and off are True and False)."""
    return {
        item.name: Switch(item.name, _plain_value(getattr(rules, item.name)), item.metadata["meaning"])
        for item in fields(rules)
    }


def choose(sets: Mapping[str, R], text: str) -> R:
    """The rules that "name" or "name,switch=value,..." asks for. InputError names the part that is unknown."""
    name, *settings = text.split(",")
    if name not in sets:
        raise InputError(f"rule set {name!r}: not known here, choose from {', '.join(sets)}")
    rules = sets[name]
    for setting in settings:
        switch, _, value = setting.partition("=")
        if switch not in listed(rules):
            raise InputError(f"switch {switch!r}: not known here, choose from {', '.join(listed(rules))}")
        rules = replace(rules, **{switch: _parse_value(switch, getattr(rules, switch), value)})
    return rules


def _plain_value(value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _parse_value(switch: str, present: object, text: str) -> object:
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
