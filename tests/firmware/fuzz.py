"""Random and damaged bytes through both decoders: `python -m tests.firmware.fuzz [cases] [seed]`.

Both must take exactly the packets that are there: a stretch between two zeros that is what `stuff` makes of some data
with a right CRC. What is there by chance, one string in 65,536 that are stuffed rightly, no decoder can tell.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from device.codec import (
    CRC_BYTES,
    MESSAGE_HEADER_BYTES,
    Decoder,
    Packet,
    PacketKind,
    compute_crc,
    decode_cobs,
    decode_packet,
    encode_cobs,
    encode_packet,
)
from tests.firmware.board import BUILD, FIRMWARE

BATCH = 20_000
LONGEST_CASE = 80
DEVICE_CAPACITY = 486
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def build_decoder() -> Path:
    """Compile the firmware's decoder for this machine, with everything checked while it runs."""
    program, source = BUILD / "decoder", Path(__file__).parent / "decoder.c"
    BUILD.mkdir(exist_ok=True)
    warnings = ("-Wall", "-Wextra", "-Werror", "-std=c11", "-O1", "-g")
    subprocess.run(
        ["gcc", *warnings, *SANITIZE, "-I", FIRMWARE, "-o", program, source, FIRMWARE / "codec.c"], check=True
    )
    return program


def random_cases(dice: random.Random) -> Iterator[bytes]:
    """Random strings, each with its closing zero."""
    while True:
        yield dice.randbytes(dice.randrange(LONGEST_CASE)) + b"\0"


def damaged_cases(dice: random.Random) -> Iterator[bytes]:
    """Two packets of either side with up to three faults: a bit flipped, a byte lost, doubled or put in."""
    kinds = list(PacketKind)
    while True:
        case = bytearray()
        for _ in range(2):
            body = bytes(dice.choice((0, dice.randrange(256))) for _ in range(dice.choice((0, 1, 3, 8, 20, 300))))
            case += encode_packet(Packet(dice.choice(kinds), dice.randrange(256), body))
        for _ in range(dice.randrange(4)):
            at = dice.randrange(len(case))
            match dice.randrange(4):
                case 0:
                    case[at] ^= 1 << dice.randrange(8)
                case 1:
                    del case[at]
                case 2:
                    case.insert(at, case[at])
                case 3:
                    case.insert(at, dice.randrange(256))
        yield bytes(case)


def packets_in(case: bytes) -> list[bytes]:
    """The data with CRC of every packet that is there, told by stuffing it again."""
    found = []
    for piece in case.split(b"\0")[:-1]:
        data = decode_cobs(piece)
        if data is None or len(data) < MESSAGE_HEADER_BYTES + CRC_BYTES or encode_cobs(data) != piece:
            continue
        if compute_crc(data[:-CRC_BYTES]) == int.from_bytes(data[-CRC_BYTES:], "big"):
            found.append(data)
    return found


def taken_by_firmware(program: Path, cases: list[bytes]) -> dict[int, list[bytes]]:
    """Case number -> what the firmware's decoder took."""
    stream = b"".join(len(case).to_bytes(2, "little") + case for case in cases)
    done = subprocess.run([program], input=stream, capture_output=True, check=True)
    taken: dict[int, list[bytes]] = {}
    for line in done.stdout.decode("ascii").splitlines():
        number, data = line.split()
        taken.setdefault(int(number), []).append(bytes.fromhex(data))
    return taken


def taken_by_host(case: bytes, dice: random.Random) -> list[Packet]:
    """What the host's decoder takes when the case comes in two pieces."""
    decoder, cut = Decoder(), dice.randrange(len(case) + 1)
    return decoder.decode_bytes(case[:cut]) + decoder.decode_bytes(case[cut:])


def fuzz(n_cases: int, seed: int) -> Counter[str]:
    """Half of the cases random, half damaged packets; AssertionError for a case that is taken wrongly."""
    dice, program, counts = random.Random(seed), build_decoder(), Counter[str]()
    for name, source in (("random", random_cases(dice)), ("damaged", damaged_cases(dice))):
        for begin in range(0, n_cases, BATCH):
            cases = [next(source) for _ in range(min(BATCH, n_cases - begin))]
            taken = taken_by_firmware(program, cases)
            for number, case in enumerate(cases):
                there = packets_in(case)
                assert taken.get(number, []) == [data for data in there if len(data) <= DEVICE_CAPACITY], case.hex()
                wanted = [packet for piece in case.split(b"\0")[:-1] if piece and (packet := decode_packet(piece))]
                got = taken_by_host(case, dice)
                assert got == wanted, case.hex()
                assert {encode_packet(packet) for packet in got} <= {encode_cobs(data) + b"\0" for data in there}, (
                    case.hex()
                )
                counts[f"{name}: strings"] += 1
                counts[f"{name}: packets there"] += len(there)
                counts[f"{name}: taken by the host"] += len(got)
    return counts


def main() -> None:
    """Print what was counted."""
    arguments = [int(argument) for argument in sys.argv[1:]]
    n_cases, seed = (arguments + [1_000_000, 1][len(arguments) :])[:2]
    for name, count in fuzz(n_cases, seed).items():
        print(f"{name:28} {count:9,}")


if __name__ == "__main__":
    main()
