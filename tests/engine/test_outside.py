"""The door for text from outside: what is let in can be written again everywhere, all else is one clear line."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from engine.errors import InputError
from engine.outside import LARGEST_INT, MOST_NESTED, check_text, json_value, parse_json, parse_number, parse_toml

HOSTILE_JSON = [
    ('{"a": "\\ud800"}', "not valid text"),
    ('{"\\udfff": 1}', "not valid text"),
    ('["\\uDC00\\uD83D"]', "not valid text"),
    ('"\ud800"', "not valid text"),
    ("[" * 40 + "]" * 40, "nested more than 32 deep"),
    ("[" * 100_000, "nested more than 32 deep"),
    ('{"a":' * 50_000 + "1" + "}" * 50_000, "nested more than 32 deep"),
    ('{"n": NaN}', "NaN is no number"),
    ('{"n": -Infinity}', "-Infinity is no number"),
    ('{"n": 1e999}', "too large"),
    ('{"n": 9007199254740992}', "of 16 digits is too large"),
    ('{"n": -' + "9" * 100_000 + "}", "of 100000 digits is too large"),
]
HOSTILE_TOML = [
    ("a = " + "[" * 5000 + "]" * 5000, "nested more than 32 deep"),
    ("a = " + "{a = " * 40 + "1" + "}" * 40, "nested more than 32 deep"),
    ("a" + ".a" * 20_000 + " = 1", "line 1: a name of more than 12 parts"),
    ("\n[" + " . ".join(['"a"', "'a'"] * 10_000) + "]", "line 2: a name of more than 12 parts"),
    ('a = [{"a\\"."' + ".b" * 20_000 + " = 1}]", "line 1: a name of more than 12 parts"),
    ("a = 1\n" * 50_000, "is larger than 200 kB"),
    ("a = inf", "a: inf is no number"),
    ("[b]\nc = [1, {d = -nan}]", "b.c[1].d: nan is no number"),
    ("a = " + "9" * 5000, "thousands of digits is too large"),
    ("a = 9007199254740992", "a: a whole number of 16 digits"),
    ('a = "\\ud800"', "not TOML"),
    ("a = 1979-13-41", "not TOML"),
]


@pytest.mark.parametrize(("said", "why"), HOSTILE_JSON, ids=[why for _, why in HOSTILE_JSON])
def test_hostile_json_is_one_line(said: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        parse_json(said, "a.json, line 3")
    assert str(error.value).startswith("a.json, line 3: ")
    assert why in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(("said", "why"), HOSTILE_TOML, ids=[why for _, why in HOSTILE_TOML])
def test_hostile_toml_is_one_line(said: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        parse_toml(said, "profile x")
    assert str(error.value).startswith("profile x: ")
    assert why in str(error.value)


def test_what_toml_may_hold_takes_little_memory() -> None:
    """As much of it, and as deep, as is let in: tomllib takes far more than the text itself."""
    tracemalloc.start()
    parse_toml("\n".join(f"[a{number}" + ".a" * 11 + "]" for number in range(6_500)), "profile x")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200_000_000


def test_what_is_harmless_comes_through() -> None:
    deepest = json.loads("[" * MOST_NESTED + "]" * MOST_NESTED)
    for value in ({"ö": ["👑", "a\u0000b", LARGEST_INT, -1.5, None]}, deepest, "\ufffd", [[]] * 1000):
        for ascii_only in (True, False):
            assert json_value(json.dumps(value, ensure_ascii=ascii_only)) == value
    assert parse_toml('a = [1, 2.5, {b = "ö"}]', "x") == {"a": [1, 2.5, {"b": "ö"}]}
    assert check_text("Ölçüm 👑", "x") == "Ölçüm 👑"


def test_half_characters_in_a_string_are_named() -> None:
    with pytest.raises(InputError, match="--record: not valid text at character 3"):
        check_text("ab\udcff", "--record")


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("-3", -3), ("9" * 15, 10**15 - 1)])
def test_numbers_are_read(text: str, number: int) -> None:
    assert parse_number(text) == number


@pytest.mark.parametrize(
    "text", ["", "-", "--1", "+1", " 1", "1 ", "1_0", "1e5", "1.0", "²", "٣", "９", "9" * 16, "9" * 5000]
)
def test_what_is_no_number_in_plain_digits_is_none(text: str) -> None:
    assert parse_number(text) is None
