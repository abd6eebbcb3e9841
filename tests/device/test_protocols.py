"""Protocols without answers: colours of a strip, and the bytes that show them."""

from __future__ import annotations

import re

import pytest

from device.byte_streams import check_url
from device.ledmap import LedMap
from device.lights import LedFrame, Rgb
from device.protocol import LinkLost
from device.protocols import guess_protocol, list_names, load_protocol
from engine.board import Board
from engine.errors import InputError

RED, GREEN, BLUE, DARK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)
TABLE = [
    ("adalight", (RED, GREEN), "41 64 61 00 01 54  ff 00 00  00 ff 00"),
    ("adalight", (BLUE,), "41 64 61 00 00 55  00 00 ff"),
    ("adalight", (DARK,) * 160, "41 64 61 00 9f ca" + " 00" * 480),
    ("adalight", (DARK,) * 257, "41 64 61 01 00 54" + " 00" * 771),
    ("drgb", (RED, GREEN), "02 02  ff 00 00  00 ff 00"),
    ("drgb", (BLUE,), "02 02  00 00 ff"),
    ("drgb", (GREEN,) * 490, "02 02" + " 00 ff 00" * 490),
]


def row_of(cells: int) -> Board:
    names_ = tuple(f"A{i + 1}" for i in range(cells))
    return Board(names_, tuple((0, i, 0) for i in range(cells)), tuple((0.5, i + 0.5) for i in range(cells)), ())


@pytest.mark.parametrize(("name", "colours", "packet"), TABLE)
def test_a_frame_is_sent_as_the_protocol_says(name: str, colours: tuple[Rgb, ...], packet: str) -> None:
    leds = LedMap(row_of(len(colours)), tuple((i,) for i in range(len(colours))), max_milliamps=60_000)
    sent = load_protocol(name, leds).encode_frame(LedFrame(colours), 0.0)
    assert sent == bytes.fromhex(packet)


@pytest.mark.parametrize("name", ["ddp", "drgb"])
def test_what_a_refusal_says_to_write_is_taken(name: str) -> None:
    """A strip in the network at a serial port, and one without the number of its port, are told the same."""
    leds = LedMap(row_of(1), ((0,),))
    with pytest.raises(InputError) as refused:
        load_protocol(name, leds, url="/dev/ttyACM0")
    advised = re.findall(r"udp://\S+", str(refused.value))[-1].replace("host", "10.7.7.20")
    check_url(advised)
    assert guess_protocol(advised) == name and load_protocol(name, leds, url=advised)
    with pytest.raises(InputError, match=f"{name} at {advised.rpartition(':')[2]}"):
        check_url("udp://10.7.7.20")


@pytest.mark.parametrize(
    ("name", "url", "advised"),
    [
        ("drgb", "udp://10.7.7.20:4048", "WLED takes ddp there: name that protocol, or port 21324"),
        ("ddp", "udp://[fe80::1]:21324", "WLED takes drgb there: name that protocol, or port 4048"),
        ("camref", "screen:", "leave the protocol out"),
        ("adalight", "screen:", "leave the protocol out"),
        ("ddp", "screen:", "udp://host:4048"),
        ("screen", "/dev/ttyUSB0", "name the port screen:"),
        ("screen", "udp://10.7.7.20:4048", "name the port screen:"),
    ],
)
def test_a_port_that_takes_another_protocol_is_refused_with_what_to_name(name: str, url: str, advised: str) -> None:
    leds = LedMap(row_of(1), ((0,),))
    with pytest.raises(InputError) as refused:
        load_protocol(name, leds, url=url)
    assert str(refused.value).startswith(f"protocol {name}: ") and str(refused.value).endswith(advised)
    assert url in str(refused.value)


def test_a_port_of_ones_own_takes_either_protocol_of_the_network() -> None:
    for name in ("ddp", "drgb", "null"):
        assert load_protocol(name, LedMap(row_of(1), ((0,),)), url="udp://10.7.7.20:5000")
    assert load_protocol("null", LedMap(row_of(1), ((0,),)), url="udp://10.7.7.20:4048")


def test_every_protocol_is_found_by_its_name() -> None:
    leds = LedMap(row_of(2), ((0,), (1,)))
    for name in list_names():
        protocol = load_protocol(name, leds)
        assert isinstance(protocol.encode_frame(LedFrame((RED, GREEN)), 0.0), bytes)
        if name == "camref":
            with pytest.raises(LinkLost, match="adalight"):
                protocol.receive_data(b"Ada\n", 0.0)
        else:
            assert protocol.receive_data(b"Ada\n", 0.0) == []


def test_an_unknown_protocol_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"adalight, .*null"):
        load_protocol("tpm2", LedMap(row_of(1), ((0,),)))


def test_ddp_is_one_datagram_with_a_counting_sequence() -> None:
    protocol = load_protocol("ddp", LedMap(row_of(2), ((0,), (1,))))
    frame = LedFrame((RED, GREEN))
    assert protocol.encode_frame(frame, 0.0) == bytes.fromhex("41 01 0b 01 00 00 00 00 00 06  ff 00 00  00 ff 00")
    sequences = [protocol.encode_frame(frame, 0.0)[1] for _ in range(15)]
    assert sequences == [*range(2, 16), 1]


@pytest.mark.parametrize(("name", "most"), [("ddp", 480), ("drgb", 490)])
def test_a_strip_that_no_datagram_holds_is_refused(name: str, most: int) -> None:
    load_protocol(name, LedMap(row_of(1), ((0,),) * most))
    with pytest.raises(InputError, match=f"at most {most}"):
        load_protocol(name, LedMap(row_of(1), ((0,),) * (most + 1)))


def test_the_speed_is_one_that_the_protocol_knows() -> None:
    leds = LedMap(row_of(1), ((0,),))
    assert [load_protocol("camref", leds, baud).baud for baud in (None, 500_000, 115_200)] == [
        500_000,
        500_000,
        115_200,
    ]
    assert load_protocol("adalight", leds).baud == 115_200
    with pytest.raises(InputError, match="not a speed of camref: use 500000 or 115200"):
        load_protocol("camref", leds, 9600)
    with pytest.raises(InputError, match="no serial port"):
        load_protocol("drgb", leds, 115_200)
