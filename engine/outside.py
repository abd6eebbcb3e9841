"""The one door for text from outside: what comes in is valid Unicode, of bounded depth and finite numbers, or refused.

Python's own readers let more in than can be written again: half characters (lone surrogates), numbers that are none
(NaN, Infinity), whole numbers that no other program can hold, nesting that ends a recursion much later.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from engine.errors import InputError

RUN_MODULE = (
    "import runpy, sys; root, name = sys.argv[1:3]; del sys.argv[1:3]; sys.path.append(root); "
    "runpy.run_module(name, run_name='__main__', alter_sys=True)"
)
MOST_NESTED = 32
"""Objects and lists within one another. What this program writes has seven; a few hundred would end its recursions."""
LARGEST_INT = 2**53 - 1
"""The largest whole number that every program reads as it was written (RFC 8259, section 6)."""
MOST_DIGITS = 15
"""Of a number that is typed or asked for; all of them are within LARGEST_INT. Raising it lets in numbers that others
round, lowering it refuses some that may be meant."""
LONGEST_INT = 400
"""Digits that are turned into a number at all, to say that it is too large: longer ones cost time by their square."""
MOST_TOML = 200_000
"""Characters of a TOML text; tomllib takes up to 700 bytes of memory for each. Raising it lets a file fill the memory
of a small machine, lowering it refuses maps of large boards."""
MOST_PARTS = 12
"""Of the name of one value or table in it: this program reads four at most. Raising it costs time by its square, and
lowering it gains nothing."""
KEY_TWICE = re.compile(r"Cannot (overwrite a value|declare .* twice|mutate .*?)(?= \(|$)")
"""What the reader of TOML says of a key, or a table, that was given before."""
DEEP_KEY = re.compile(
    rf"""(?<![\w-])(?:(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*){{{MOST_PARTS}}}""", re.ASCII
)
"""A name of more parts, as TOML writes them: to read one takes tomllib time and memory by the square of its parts, a
gigabyte and a minute for 40 kB."""
HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""How half a character is written in JSON; two that belong together are one whole."""


def check_text(value: str, where: str) -> str:
    """`value`, if it is valid Unicode; InputError says where it is not."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{where}: not valid text at character {error.start + 1}: write it in UTF-8") from None
    return value


def compose_letters(text: str) -> str:
    """`text` with each letter and its marks as one character where there is one (Unicode's NFC): what looks the same is
    written the same, and compared like that."""
    return unicodedata.normalize("NFC", text)


def check_line(text: str, where: str, longest: int) -> str:
    """`text` composed, if it is one line of at most so many characters that show; InputError names what does not."""
    text = compose_letters(text)
    if len(text) > longest:
        raise InputError(f"{where} {text[:20]!r}: one line of at most {longest} characters")
    for at, one in enumerate(text, 1):
        if not one.isprintable():
            raise InputError(
                f"{where} {text[:20]!r}: character {at} is U+{ord(one):04X}, which does not show: leave it out"
            )
    return text


def parse_number(text: str) -> int | None:
    """A whole number in ASCII digits, None for anything else: int() takes digits of every script, spaces and
    underscores, and fails where there are thousands of digits."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS else None


def json_value(said: str | bytes) -> object:
    """The value in a JSON text. ValueError if it is no JSON; InputError if it is, and cannot be taken."""
    said = said if isinstance(said, str) else said.decode()
    try:
        value: object = json.loads(said, parse_constant=_refuse_number, parse_int=_parse_int, parse_float=_parse_float)
    except RecursionError:
        raise InputError(f"nested more than {MOST_NESTED} deep") from None
    if said.count("[") + said.count("{") > MOST_NESTED:
        _check_depth(value)
    if HALF.search(said) or not said.isascii():
        check_text(json.dumps(value, ensure_ascii=False), "text")
    return value


def parse_json(said: str, where: str) -> object:
    """The value in a JSON text that a person gave; InputError names `where`."""
    try:
        return json_value(said)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except ValueError as error:
        raise InputError(f"{where}: no JSON: {error}") from None


def parse_toml(said: str, where: str) -> dict[str, object]:
    """The tables of a TOML text that a person gave; InputError names `where`."""
    if len(said) > MOST_TOML:
        raise InputError(f"{where}: is larger than {MOST_TOML / 1000:g} kB")
    if (deep := DEEP_KEY.search(said)) is not None:
        line = said.count("\n", 0, deep.start()) + 1
        raise InputError(f"{where}: line {line}: a name of more than {MOST_PARTS} parts")
    try:
        tables = tomllib.loads(said)
        _check_depth(tables)
        _check_numbers(tables.items())
    except RecursionError:
        raise InputError(f"{where}: nested more than {MOST_NESTED} deep") from None
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        said_twice = KEY_TWICE.sub("a key stands there twice, leave one of them out", str(error))
        raise InputError(f"{where}: not TOML: {said_twice}") from error
    except ValueError as error:  # what int() says of thousands of digits is for programmers
        raise InputError(f"{where}: a whole number of thousands of digits is too large") from error
    return tables


def _check_depth(value: object) -> None:
    """InputError for more than MOST_NESTED; walks level by level, so that no depth ends it."""
    level, depth = [value], 0
    while level := [within for item in level for within in _list_items(item)]:
        depth += 1
        if depth > MOST_NESTED:
            raise InputError(f"nested more than {MOST_NESTED} deep")


def _list_items(value: object) -> Iterable[object]:
    """What a list or an object holds; nothing for other values."""
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _check_numbers(items: Iterable[tuple[object, object]], path: str = "") -> None:
    """InputError names the first value that no number can be."""
    for key, value in items:
        where = f"{path}{key}"
        if isinstance(value, Mapping):
            _check_numbers(value.items(), f"{where}.")
        elif isinstance(value, list):
            _check_numbers(((f"[{number}]", item) for number, item in enumerate(value)), where)
        elif isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{where}: {value} is no number that can be used")
        elif isinstance(value, int) and abs(value) > LARGEST_INT:
            raise InputError(f"{where}: a whole number of {len(str(value))} digits is too large")


def _refuse_number(name: str) -> object:
    raise InputError(f"{name} is no number that can be used")


def _parse_int(digits: str) -> int:
    if len(digits) > LONGEST_INT or abs(value := int(digits)) > LARGEST_INT:
        raise InputError(f"a whole number of {len(digits.lstrip('-'))} digits is too large")
    return value


def _parse_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InputError(f"the number {digits[:20]} is too large")
    return value


def parse_address(url: str, what: str = "address") -> SplitResult:
    """The parts of an address, whose host and port can be read. InputError names it, and what it is."""
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError:
        raise InputError("{what} {address}: not a valid address", what=what, address=repr(url[:200])) from None
    return parts


def own_module(name: str) -> tuple[str, ...]:
    """The command that runs a module of this program as a process of its own. Nothing of the current folder is run in
    place of what the program is made of: a file `click.py` there is somebody's own."""
    return (sys.executable, "-P", "-c", RUN_MODULE, str(Path(__file__).parents[1]), name)
