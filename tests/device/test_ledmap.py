"""LED maps: the order of the strip, every way to write it, and every fault by its name."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from importlib import resources
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.ledmap import LedMap, build_plain_map, estimate_milliamps
from device.mapfile import _Reader, format_map, load_default_map, parse_map
from engine.board import Board
from engine.errors import InputError
from engine.games import load

FILES, RANKS = "ABC", 2
LATTICE = tuple((f, r, 0) for r in range(RANKS) for f in range(len(FILES)))
BOARD = Board(
    tuple(f"{FILES[f]}{r + 1}" for f, r, _ in LATTICE), LATTICE, tuple((f + 0.5, r + 0.5) for f, r, _ in LATTICE), ()
)
HEAD = 'board = "tiny"\nleds = 6\n'
RED, DIM = (255, 0, 0), (10, 10, 10)


def strip_order(text: str) -> str:
    owners = parse_map(text, BOARD, "tiny").owners
    return " ".join("+".join(BOARD.cells[cell] for cell in cells) or "-" for cells in owners)


@pytest.mark.parametrize(
    ("body", "order"),
    [
        ('[[run]]\ncells = ["A1:C1", "A2:C2"]', "A1 B1 C1 A2 B2 C2"),
        ('[[run]]\nserpentine = true\ncells = ["A1:C1", "A2:C2"]', "A1 B1 C1 C2 B2 A2"),
        ('[[run]]\nstart = 3\ncells = ["c1:a1"]\n[[run]]\ncells = ["A2:C2"]', "A2 B2 C2 C1 B1 A1"),
        ('[[run]]\ncells = ["A1:A2", "B2:B1", "C1", "C2"]', "A1 A2 B2 B1 C1 C2"),
        ('[[run]]\ncells = ["A1:C1", "A2:C2"]\n[cell]\nA1 = 5\nC2 = [0]', "C2 B1 C1 A2 B2 A1"),
    ],
)
def test_the_order_of_the_strip(body: str, order: str) -> None:
    assert strip_order(HEAD + body) == order


def test_a_row_that_is_written_twice_is_named_before_the_cells_without_leds() -> None:
    text = (resources.files("device") / "maps" / "camelot.toml").read_text(encoding="utf-8")
    assert '"A9:L9"' in text
    with pytest.raises(InputError) as refused:
        parse_map(text.replace('"A9:L9"', '"A8:L8"'), load("camelot").board, "camelot", "strip.toml")
    assert str(refused.value) == (
        "strip.toml: run 1: 'A8:L8' repeats A8, B8, C8 and 9 more cells, "
        "and there is no LED for A9, B9, C9 and 9 more cells"
    )


def test_a_cell_may_be_named_again_for_a_second_led() -> None:
    assert strip_order('board = "tiny"\nleds = 9\n[[run]]\ncells = ["A1:C1", "A1:C1", "A2:C2"]').startswith(
        "A1 B1 C1 A1"
    )


def test_leds_between_and_several_in_a_cell() -> None:
    text = 'board = "tiny"\nleds = 14\n[[run]]\nper_cell = 2\ncells = ["A1:C1", "-", "-", "A2:C2"]'
    assert strip_order(text) == "A1 A1 B1 B1 C1 C1 - - A2 A2 B2 B2 C2 C2"


def test_a_lattice_has_leds_at_the_corners() -> None:
    order = strip_order('board = "tiny"\nleds = 12\n[lattice]\ncols = 4\nrows = 3')
    assert order == "A1 A1+B1 B1+C1 C1 A1+A2 A1+B1+A2+B2 B1+C1+B2+C2 C1+C2 A2 A2+B2 B2+C2 C2"


def test_a_frame_has_an_led_a_file_and_one_a_rank() -> None:
    assert strip_order('board = "tiny"\nleds = 6\n[frame]\nranks = 3') == "A1+A2 B1+B2 C1+C2 A1+B1+C1 A2+B2+C2 -"


def test_an_led_between_two_cells_shows_the_brighter() -> None:
    assert LedMap(BOARD, ((0, 1),)).encode_strip([DIM, RED]) == bytes(RED)


def test_the_receiver_gets_its_own_colour_order() -> None:
    assert LedMap(BOARD, ((0,),), "GRB").encode_strip([(255, 0, 188)]) == bytes((0, 255, 128))


def test_the_strip_never_draws_more_than_the_supply_gives() -> None:
    white = [(255, 255, 255)] * 160
    assert estimate_milliamps(white) == 9600
    dimmed = LedMap(BOARD, tuple((i,) for i in range(160)), max_milliamps=2000).encode_strip(white)
    assert 1900 < sum(dimmed) * 20 / 255 <= 2000
    assert build_plain_map(BOARD).encode_strip([RED] * 6) == bytes(RED) * 6


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (HEAD + '[[run]]\ncells = ["A1:C1", "A2:Z2"]', ["unknown cell Z2"]),
        (HEAD + '[[run]]\ncells = ["a1-C1", "A2:C2"]', ["run 1: 'a1-C1': write \"A1:C1\" for the cells from one"]),
        (HEAD + '[[run]]\ncells = ["A1 .. C1"]', ["run 1: 'A1 .. C1': write \"A1:C1\" for the cells from one"]),
        (HEAD + '[[run]]\ncells = ["A1-C9"]', ["run 1: unknown cell A1-C9 in 'A1-C9'"]),
        (
            HEAD + '[[run]]\ncells = ["A1:C1", "C1:A1"]',
            ["run 1: 'C1:A1' repeats C1, B1, A1, and there is no LED for A2, B2, C2"],
        ),
        (
            HEAD + '[[run]]\ncells = ["A1:C1"]\n[[run]]\nstart = 3\ncells = ["B2", "B1", "-"]',
            ["run 2: 'B1' repeats B1, and there is no LED for A2, C2"],
        ),
        (HEAD + '[[run]]\ncells = ["C1:A2"]', ["run 1: 'C1:A2': its ends do not lie on a straight line"]),
        (HEAD + '[[run]]\ncells = ["A1:C1", "A2:C2"]\n[[run]]\ncells = ["A1"]', ["LED 0: given to A1 and to A1"]),
        (HEAD + '[[run]]\nstart = 4\ncells = ["A1:C1"]', ["LED 6 of C1: out of range, the strip has 0 to 5"]),
        (HEAD + '[[run]]\ncells = ["A1:C1", "A2:C2"]\n[cell]\nQ9 = 1', ["cell Q9: unknown cell"]),
        (HEAD + '[[run]]\ncells = ["A1:C1", "A2:C2"]\n[cell]\nA1 = "x"', ["cell A1: 'x' is not the number"]),
        ('board = "camelot"\ncolour = 3', ["unknown key 'colour'", "and more"]),
        (HEAD + 'color_order = "RGBW"', ["color_order = 'RGBW'"]),
        (HEAD + 'color_order = ["R", "G", "B"]', ["color_order = ['R', 'G', 'B']: must be the letters"]),
        (HEAD + '[[run]]\nserpentine = "yes"\ncells = ["A1:C1", "A2:C2"]', ["run 1: serpentine = 'yes': must be true"]),
        (HEAD + '[[run]]\nserpentine = 1\ncells = ["A1:C1", "A2:C2"]', ["run 1: serpentine = 1: must be true"]),
        (HEAD + '[[run]]\nstart = "0"\ncells = ["A1:C1", "A2:C2"]', ["run 1: start = '0': must be a whole number"]),
        (HEAD + '[[run]]\nper_cell = 1.0\ncells = ["A1:C1", "A2:C2"]', ["run 1: per_cell = 1.0: must be a whole"]),
        (HEAD + '[run]\ncells = ["A1:C1", "A2:C2"]', ["run must be a list of tables"]),
        (HEAD + 'max_milliamps = "2000"', ["max_milliamps = '2000': must be a whole number"]),
        (HEAD + '[lattice]\ncols = "4"\nrows = 3', ["lattice: cols = '4': must be a whole number"]),
        (HEAD + "[frame]\nfiles = true", ["frame: files = True: must be a whole number"]),
        (HEAD + '[[run]]\ncells = ["A1:C1", "A2:C2"]\n[cell]\nA1 = [0, true]', ["cell A1: True is not the number"]),
        (HEAD + "[lattice]\ncols = 3\nrows = 3", ["3 x 3 corners, the board has 4 x 3"]),
        (HEAD + "[frame]\nfiles = 0\nranks = 2", ["files from 0 and ranks from 2 have LEDs in common"]),
        ('board = "tiny"\nleds = 4\n[frame]', ["frame: 3 files and 2 ranks need 5 LEDs, leds is 4"]),
        ('board = "tiny"\nleds = 1\n[frame]\nfiles = 0', ["frame: 3 files and 2 ranks need 5 LEDs, leds is 1"]),
        (HEAD + "[frame]\nranks = 5", ["frame: ranks = 5: must be a whole number from 0 to 4"]),
        ('board = "tiny"\nleds = 0\n[lattice]\ncols = 4', ["leds = 0: must be a whole number from 1 to 65536"]),
        (HEAD + '[[run]]\nper_cell = 65536\ncells = ["A1:C1", "A2:C2"]', ["LED 6 of A1: out of range"]),
        (HEAD + '[cell]\n"a\\nb" = 3', ["cell a b: unknown cell"]),
        (HEAD + "[frame]\n[lattice]", ["lattice and frame exclude each other"]),
        (HEAD + "[frame]\nfiles = 9", ["frame: files = 9: must be a whole number from 0 to 3"]),
        (HEAD + "max_milliamps = 0", ["max_milliamps = 0: must be a whole number from 1"]),
        (HEAD + "[[run]]\nstart = true\ncells = 3", ["start = True: must be", "and more"]),
        ("board = ", ["not TOML"]),
        (HEAD + "max_milliamps = " + "9" * 5000, ["a whole number of thousands of digits is too large"]),
    ],
)
def test_a_wrong_map_is_one_line_with_its_first_fault(text: str, faults: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        parse_map(text, BOARD, "tiny", "strip.toml")
    message = str(caught.value)
    assert message.startswith("strip.toml: ")
    assert faults[0] in message
    assert message.count("\n") == 0
    assert ("more)" in message) == ("and more" in faults)


@pytest.mark.parametrize(
    ("game", "leds", "begins"),
    [
        ("camelot", 160, "F1 G1 J2 I2"),
        ("tri-camelot", 73, "F1 G2 E2 D3"),
        ("cam-3d", 84, "1C1 1D2 1C2 1B2"),
        ("camblam", 144, "A1 B1 C1 D1"),
    ],
)
def test_every_board_comes_with_a_map(game: str, leds: int, begins: str) -> None:
    board = load(game).board
    led_map = load_default_map(game, board)
    names = ["+".join(board.cells[cell] for cell in owners) for owners in led_map.owners]
    assert (len(names), " ".join(names[:4])) == (leds, begins)
    assert {cell for owners in led_map.owners for cell in owners} == set(range(len(board.cells)))
    of_cell = Counter(cell for owners in led_map.owners for cell in owners)
    assert set(of_cell.values()) == {1}


def test_a_strip_as_it_is_laid_never_jumps() -> None:
    board = load("cam-3d").board
    way = [board.centres_xy[owners[0]] for owners in load_default_map("cam-3d", board).owners[:28]]
    assert max(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in pairwise(way)) <= 3


def test_every_map_that_comes_along_can_be_read() -> None:
    for file in (resources.files("device") / "maps").iterdir():
        text = file.read_text(encoding="utf-8")
        game = tomllib.loads(text)["board"]
        parse_map(text, load(game).board, game, file.name)


def test_the_build_guide_says_how_few_leds_each_game_can_do_with() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([A-Z][\w -]+) \| (\d+) \| (\d+|-) \|$", guide)
    assert len(rows) == 7
    for title, cells, framed in rows:
        name = title.lower().replace(" ", "-")
        board = load(name).board
        assert len(board.cells) == int(cells)
        assert framed != "-" or max(board.levels) or board.size_wh[0] % 1
        if framed != "-":
            said = f'board = "{name}"\nleds = {{}}\n[frame]'
            assert len(parse_map(said.format(framed), board, name).owners) == int(framed)
            with pytest.raises(InputError, match=f"need {framed} LEDs"):
                parse_map(said.format(int(framed) - 1), board, name)
    own = re.search(r'(?m)^    board = "camette"\n(?:(?:    .*)?\n)+', guide)
    assert own is not None and len(parse_map(dedent(own[0]), load("camette").board, "camette").owners) == 16


def test_the_settings_for_wled_are_those_of_the_frame() -> None:
    led = json.loads((Path(__file__).parents[2] / "docs" / "wled.json").read_text(encoding="utf-8"))["hw"]["led"]
    frame = tomllib.loads((resources.files("device") / "maps" / "camelot-frame.toml").read_text(encoding="utf-8"))
    assert ([one["len"] for one in led["ins"]], led["maxpwr"]) == ([frame["leds"]], frame["max_milliamps"])


def test_a_fault_is_a_line_that_can_be_read() -> None:
    with pytest.raises(InputError) as refused:
        parse_map(HEAD + f'[[run]]\ncells = ["{"A" * 100_000}"]', BOARD, "tiny")
    assert len(str(refused.value)) < 250 and "unknown cell" in str(refused.value)


@pytest.mark.parametrize("leds", [1, 27])
def test_a_strip_too_short_for_a_frame_is_a_fault_of_the_map(leds: int) -> None:
    """As whoever cut a strip one LED too short wrote it into the map that comes along."""
    text = (resources.files("device") / "maps" / "camelot-frame.toml").read_text(encoding="utf-8")
    said = f"frame: 12 files and 16 ranks need 28 LEDs, leds is {leds}"
    with pytest.raises(InputError, match=said):
        parse_map(text.replace("leds = 28", f"leds = {leds}"), load("camelot").board, "camelot")


NUMBERS = st.integers(-3, 40) | st.integers() | st.sampled_from([0, 1, 5, 6, 12, 27, 28, 65536, 65537])
ANYTHING = NUMBERS | st.booleans() | st.floats() | st.text(max_size=5) | st.lists(st.integers(0, 7), max_size=3)
ENTRIES = st.sampled_from(["A1:C1", "A2:C2", "C2:A2", "A1", "B2", "-", "A1:C2", "Z9", "A1-C1", ":", "A1:B1:C1"])
RUNS = st.fixed_dictionaries(
    {},
    optional={
        "start": ANYTHING,
        "per_cell": ANYTHING,
        "serpentine": ANYTHING,
        "cells": st.lists(ENTRIES | st.text(max_size=5), max_size=6) | ANYTHING,
    },
)
MAPS = st.fixed_dictionaries(
    {"board": st.just("tiny") | ANYTHING},
    optional={
        "leds": ANYTHING,
        "color_order": st.sampled_from(["RGB", "grb", "RRB"]) | ANYTHING,
        "max_milliamps": ANYTHING,
        "run": st.lists(RUNS, max_size=3) | ANYTHING,
        "lattice": st.fixed_dictionaries({}, optional={"cols": ANYTHING, "rows": ANYTHING}) | ANYTHING,
        "frame": st.fixed_dictionaries({}, optional={"files": ANYTHING, "ranks": ANYTHING}) | ANYTHING,
        "cell": st.dictionaries(st.sampled_from(["A1", "a1", "B2", "Q9"]) | st.text(max_size=3), ANYTHING, max_size=4)
        | ANYTHING,
    },
)


@settings(max_examples=600, deadline=None)
@given(data=MAPS)
def test_whatever_a_map_says_it_is_read_or_refused_in_a_line(data: dict[str, object]) -> None:
    reader = _Reader(BOARD, data)
    led_map = reader.read_map("tiny")
    assert (led_map is None) == bool(reader.faults)
    if led_map is not None:
        assert len(led_map.encode_strip([RED] * len(BOARD.cells))) == 3 * len(led_map.owners)
        assert {cell for cells in led_map.owners for cell in cells} == set(range(len(BOARD.cells)))


def test_a_map_that_was_written_is_read_again() -> None:
    leds_of = {cell: [5 - i] for i, cell in enumerate(BOARD.cells)}
    assert strip_order(format_map("tiny", leds_of, 6)) == "C2 B2 A2 C1 B1 A1"
