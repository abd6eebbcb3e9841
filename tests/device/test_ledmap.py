"""LED maps: the order of the strip, every way to write it, and every fault by its name."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest

from device.ledmap import LedMap, build_plain_map, estimate_milliamps
from device.mapfile import format_map, load_default_map, parse_map
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
        (HEAD + '[lattice]\ncols = "4"\nrows = 3', ["lattice: cols = '4': must be a whole number", "and more"]),
        (HEAD + "[frame]\nfiles = true", ["frame: files = True: must be a whole number"]),
        (HEAD + '[[run]]\ncells = ["A1:C1", "A2:C2"]\n[cell]\nA1 = [0, true]', ["cell A1: True is not the number"]),
        (HEAD + "[lattice]\ncols = 3\nrows = 3", ["3 x 3 corners, the board has 4 x 3"]),
        (HEAD + "[frame]\nfiles = 0\nranks = 2", ["files from 0 and ranks from 2 have LEDs in common"]),
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


def test_the_settings_for_wled_are_those_of_the_frame() -> None:
    led = json.loads((Path(__file__).parents[2] / "docs" / "wled.json").read_text(encoding="utf-8"))["hw"]["led"]
    frame = tomllib.loads((resources.files("device") / "maps" / "camelot-frame.toml").read_text(encoding="utf-8"))
    assert ([one["len"] for one in led["ins"]], led["maxpwr"]) == ([frame["leds"]], frame["max_milliamps"])


def test_a_fault_is_a_line_that_can_be_read() -> None:
    with pytest.raises(InputError) as refused:
        parse_map(HEAD + f'[[run]]\ncells = ["{"A" * 100_000}"]', BOARD, "tiny")
    assert len(str(refused.value)) < 250 and "unknown cell" in str(refused.value)


def test_a_map_that_was_written_is_read_again() -> None:
    leds_of = {cell: [5 - i] for i, cell in enumerate(BOARD.cells)}
    assert strip_order(format_map("tiny", leds_of, 6)) == "C2 B2 A2 C1 B1 A1"
