"""A slice of the fuzzing of both decoders; `make fuzz-link` does a million strings of each kind."""

from __future__ import annotations

from tests.firmware.fuzz import fuzz


def test_both_decoders_take_what_is_there_and_nothing_else() -> None:
    counts = fuzz(10_000, seed=7)
    assert counts["random: packets there"] == counts["random: taken by the host"] == 0
    assert counts["damaged: packets there"] > 5_000
