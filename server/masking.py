"""What text from elsewhere must not do where people read it: tell a password, or steer their terminal.

All that is printed is printed here: no name from elsewhere can steer the terminal.

Passwords in addresses, like rtsp://name:password@camera/, are masked wherever somebody else may read them.
"""

from __future__ import annotations

import re
import unicodedata

import click

from engine.sentences import Sentence

LOGIN = re.compile(r"(?<=://)[^\s'\"]*@")
"""Up to the last @: a password may have a slash or an @ of its own, and a path that has one loses little."""
QUERY = re.compile(r"([?&](?:pass\w*|pwd|pw|token|auth\w*|\w*key|secret|user\w*|usr|login)=)[^&\s'\"]+", re.IGNORECASE)
"""What cameras of some makers take in its place."""


def mask_passwords(text: str) -> str:
    """The text without what opens anything."""
    return QUERY.sub(r"\1…", LOGIN.sub("…@", text))


def mask_sentence(said: Sentence) -> Sentence:
    """The same without what opens anything."""
    values = {name: mask_passwords(str(value)) for name, value in said.values.items()}
    return Sentence(mask_passwords(said.text), values)


def escape_controls(text: str) -> str:
    """The text for a terminal: what would steer it (escapes, bells, marks that turn the direction) is written out."""
    if text.isprintable():
        return text
    return "".join(
        one if one in "\n\t" or not _is_control(one) else one.encode("unicode_escape").decode() for one in text
    )


def escape_to_line(text: str) -> str:
    """The same where each line is a statement of ours: a name with a line break in it must not make one of its own."""
    return escape_controls(text).replace("\n", "\\n").replace("\t", "\\t")


def print_line(text: str, *, err: bool = False) -> None:
    """Print a statement of ours, on one line; with `err` where errors are told."""
    click.echo(escape_to_line(text), err=err)


def print_text(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text, which may have several lines; unless `nl` without a line break after it."""
    click.echo(escape_controls(text), err=err, nl=nl)


def _is_control(one: str) -> bool:
    return unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
