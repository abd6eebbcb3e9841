"""The display's figures, each beside its promise: `python -m tests.firmware.bench`; exit code 1 if one fails.

Times are simulated (exact, the same on every machine) except those of the replugs, which are real.
"""

from __future__ import annotations

import random
import sys
from statistics import median

from tests.firmware.board import Build, SimulatedBoard, stepped
from tests.firmware.checks import frames_per_second, hint_latency, no_faults, noisy_session, press_latency
from tests.firmware.session import port_on, random_frame, replug_times, shows

FAST, SLOW = Build(), Build(baud=115_200)
NOISE_SEEDS = 200
REPLUGS = 50


def line(what: str, figure: str, promise: str, kept: bool) -> bool:
    """Print one figure; whether the promise is kept."""
    print(f"{'ok  ' if kept else 'FAIL'} {what:48} {figure:34} promised {promise}", flush=True)
    return kept


def speed() -> list[bool]:
    """Frames a second, hints and presses."""
    fast, slow = frames_per_second(FAST, 60), frames_per_second(SLOW, 40)
    largest = frames_per_second(Build(leds=176), 50)
    hint = hint_latency(SLOW) * 1000
    press = [1000 * delay for delay in press_latency(FAST, 60)]
    press_slow = [1000 * delay for delay in press_latency(SLOW, 30)]
    return [
        line("full frames a second, 160 LEDs, 500,000 baud", f"{fast:.1f}", "75", fast >= 75),
        line("full frames a second, 160 LEDs, 115,200 baud", f"{slow:.1f}", "20", slow >= 20),
        line("full frames a second, 176 LEDs, 500,000 baud", f"{largest:.1f}", "-", largest > 0),
        line("hint of 12 LEDs latched, 115,200 baud", f"{hint:.2f} ms", "12 ms", hint <= 12),
        line("press to host, busy line, 500,000 baud", spread(press), "50 ms", max(press) <= 50),
        line("press to host, busy line, 115,200 baud", spread(press_slow), "50 ms", max(press_slow) <= 50),
    ]


def spread(values: list[float]) -> str:
    """Median and worst."""
    return f"median {median(values):.2f}, worst {max(values):.2f} ms"


def pulses() -> list[bool]:
    """Widths on the strip's wire, and memory."""
    with stepped(Build(leds=176)) as board:
        noisy_session(board, 0)
        no_faults(board)
        seen = board.read_signals()
    widths = f"{seen.high_0_ns[1]}, {seen.high_1_ns[1]}, {seen.gap_ns} ns"
    return [
        line("longest zero, longest one, longest gap", widths, "500, 1000, 5000 ns", seen.gap_ns <= 5000),
        line(
            "bytes of RAM never touched, ATmega328P, 176 LEDs",
            str(seen.ram_never_used),
            "64",
            seen.ram_never_used >= 64,
        ),
    ]


def noise() -> list[bool]:
    """Sessions over a bad line."""
    failed = []
    with stepped(FAST) as board:
        for seed in range(NOISE_SEEDS):
            try:
                noisy_session(board, seed)
            except (AssertionError, OSError) as error:
                failed.append(f"seed {seed}: {error}")
    for failure in failed:
        print(failure)
    kept = f"{NOISE_SEEDS - len(failed)} of {NOISE_SEEDS} seeds"
    return [line("noise: all frames once, whole, in order; buttons", kept, "all", not failed)]


def replugs() -> list[bool]:
    """The cable out and in, with the service's port thread, in real time."""
    with SimulatedBoard() as board, port_on(board) as (port, _):
        frame = random_frame(random.Random(1), FAST.leds)
        port.show_frame(frame)
        board.wait_for(lambda seen: shows(seen, frame))
        took = replug_times(board, port, REPLUGS)
    figure = f"median {median(took):.2f}, worst {max(took):.2f} s"
    return [line(f"right picture after {REPLUGS} replugs", figure, "2 s", max(took) <= 2)]


def main() -> None:
    """Measure everything."""
    kept = [*speed(), *pulses(), *noise(), *replugs()]
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
