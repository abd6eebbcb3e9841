"""Draws docs/pictures/wiring-*.svg from the pins in config.h: `python device/firmware/wiring.py docs/pictures`.

The firmware's own header is the only place where pins are written down, and the table of parts in docs/hardware.md the
only one for the supply, so the drawing cannot be older than either.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEADER = Path(__file__).parent / "config.h"
PARTS_LIST = Path(__file__).parents[2] / "docs" / "hardware.md"
BOARDS = {"ATmega328P": "Arduino Uno or Nano (ATmega328P)", "ATmega2560": "Arduino Mega 2560"}
WIRES = {"data": "#16a34a", "display": "#2563eb", "button": "#9333ea", "power": "#dc2626", "ground": "#475569"}
BUTTONS = ("confirm", "undo", "hint", "pause")

ROW, TOP = 26, 96
CONTROLLER_X, CONTROLLER_W = 40, 270
SUPPLY_X, SUPPLY_W = 400, 150
PARTS_X, PARTS_W = 640, 390
WIDTH, HEIGHT = 1070, 880


@dataclass(frozen=True)
class Wire:
    """One wire: what stands at the controller's end and at the part's, and what it carries.

    Without a pin it comes from the supply.
    """

    pin: str
    end: str
    kind: str


@dataclass(frozen=True)
class Part:
    """A box on the right with its wires, and advice under its name."""

    name: str
    advice: str
    wires: tuple[Wire, ...]


def read_pins(chip: str) -> dict[str, str]:
    """Macro -> port pin ("PD6") of a chip, from the header."""
    block = HEADER.read_text(encoding="utf-8").split(f"defined(__AVR_{chip}__)")[1]
    block = re.split(r"#el(?:if|se)", block.split("#endif", 1)[1])[0]
    found = dict(re.findall(r"#define (\w+) (P[A-L]\d)\n", block))
    port = re.findall(r"#define BUTTON_PORT PORT(\w)", block)[0]
    return found | {f"BUTTON_{i}": f"P{port}{i}" for i in range(len(BUTTONS))}


def read_supply() -> str:
    """What the supply of board A gives, from the table of parts: "3 A"."""
    row = re.search(r"^\| supply, 5 V \| ([\d.]+ A) \|", PARTS_LIST.read_text(encoding="utf-8"), re.MULTILINE)
    if row is None:
        raise SystemExit(f"{PARTS_LIST}: the table of parts says nothing of the supply, 5 V")
    return row[1]


def arduino_name(chip: str, pin: str) -> str:
    """What is printed beside the pin on the Arduino: "D6" for PD6 of an ATmega328P."""
    port, bit = pin[1], int(pin[2])
    names = {
        "ATmega328P": {"D": f"D{bit}", "B": f"D{8 + bit}", "C": f"A{bit}"},
        "ATmega2560": {"A": f"D{22 + bit}", "B": f"D{6 + bit}", "F": f"A{bit}"},
    }
    return names[chip][port]


def list_parts(chip: str) -> list[Part]:
    """Everything that hangs on the controller."""
    of = {macro: f"{arduino_name(chip, pin)}  ({pin})" for macro, pin in read_pins(chip).items()}
    display = [("LCD_RS", "RS"), ("LCD_E", "E"), *((f"LCD_D{n}", f"D{n}") for n in range(4, 8))]
    return [
        Part(
            "LED strip, WS2812B",
            "330 Ω in the data wire; 1000 µF across the supply",
            (
                Wire(of["STRIP_BIT"], "DIN", "data"),
                Wire("GND", "GND, together with the supply", "ground"),
                Wire("", "5 V, straight from the supply", "power"),
            ),
        ),
        Part(
            "Text display, HD44780, 16 x 2",
            "RW to GND; V0 to the wiper of 10 kΩ; backlight A over 220 Ω",
            (
                *(Wire(of[macro], end, "display") for macro, end in display),
                Wire("GND", "VSS, RW, K", "ground"),
                Wire("5 V", "VDD, A over 220 Ω", "power"),
            ),
        ),
        Part(
            "Four buttons",
            "no resistors: the firmware turns the pull-ups on",
            (
                *(Wire(of[f"BUTTON_{i}"], name, "button") for i, name in enumerate(BUTTONS)),
                Wire("GND", "the other side of all four", "ground"),
            ),
        ),
        Part(
            "Buzzer with its own oscillator",
            "up to 20 mA straight from the pin",
            (Wire(of["BUZZER_BIT"], "+", "data"), Wire("GND", "-", "ground")),
        ),
    ]


def text_svg(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    """One line of text."""
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" class="{style}">{words}</text>'


def box_svg(x: int, y: int, w: int, h: int) -> str:
    """A rounded box."""
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="10" class="box"/>'


def part_svg(part: Part, y: int) -> Iterator[str]:
    """A part, its pins at both ends, and the wires between."""
    height = 58 + ROW * len(part.wires)
    yield box_svg(PARTS_X, y, PARTS_W, height)
    yield text_svg(PARTS_X + 16, y + 24, part.name, "name")
    yield text_svg(PARTS_X + 16, y + 42, part.advice, "advice")
    for n, wire in enumerate(part.wires):
        at = y + 66 + ROW * n
        left, right = CONTROLLER_X + CONTROLLER_W if wire.pin else SUPPLY_X + SUPPLY_W, PARTS_X
        yield f'<path d="M{left} {at}H{right}" stroke="{WIRES[wire.kind]}" class="wire"/>'
        yield f'<circle cx="{left}" cy="{at}" r="4.5" fill="{WIRES[wire.kind]}"/>'
        yield f'<circle cx="{right}" cy="{at}" r="4.5" fill="{WIRES[wire.kind]}"/>'
        yield text_svg(left - 14, at + 5, wire.pin, "pin", "end")
        yield text_svg(right + 16, at + 5, wire.end, "pin")


def draw_wiring(chip: str) -> str:
    """The SVG for a chip."""
    lines: list[str] = []
    y = TOP
    for part in list_parts(chip):
        lines += part_svg(part, y)
        y += 58 + ROW * len(part.wires) + 18
    style = (
        "text{font:15px system-ui,sans-serif;fill:#0f172a}.title{font-size:22px;font-weight:600}"
        ".name{font-weight:600}.advice{font-size:12px;fill:#475569}.box{fill:#fff;stroke:#94a3b8;stroke-width:1.5}"
        ".wire{stroke-width:3;fill:none}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
            f"<title>Wiring of the referee display, {BOARDS[chip]}</title><style>{style}</style>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f8fafc"/>',
            text_svg(CONTROLLER_X, 48, f"Referee display: {BOARDS[chip]}", "title"),
            text_svg(CONTROLLER_X, 74, "Every wire from its pin to its part; all grounds are one.", "advice"),
            box_svg(CONTROLLER_X, TOP, CONTROLLER_W, y - 18 - TOP),
            text_svg(CONTROLLER_X + 16, TOP + 24, BOARDS[chip].split(" (")[0], "name"),
            text_svg(CONTROLLER_X + 16, TOP + 42, "USB to the computer", "advice"),
            *lines,
            box_svg(SUPPLY_X, TOP + 80, SUPPLY_W, 52),
            text_svg(SUPPLY_X + SUPPLY_W / 2, TOP + 102, "Supply, 5 V", "name", "middle"),
            text_svg(SUPPLY_X + SUPPLY_W / 2, TOP + 120, f"{read_supply()} or more", "advice", "middle"),
            "</svg>\n",
        ]
    )


def file_name(chip: str) -> str:
    """Where the drawing of a chip is kept."""
    return f"wiring-{chip.lower()}.svg"


if __name__ == "__main__":
    to = Path(sys.argv[-1])
    if len(sys.argv) != 2 or not to.is_dir():
        sys.stderr.write(f"{to}: there is no such folder: name the one for the drawings\n")
        sys.exit(2)
    for each in BOARDS:
        (to / file_name(each)).write_text(draw_wiring(each), encoding="utf-8")
