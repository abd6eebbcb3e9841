"""Figures of vision: `python -m tests.bench.bench_vision` films games under each disturbance and referees the films."""

from tests.bench.bench_vision.draws import HELD_BACK, SESSIONS, drawn_recipe

__all__ = ["HELD_BACK", "SESSIONS", "drawn_recipe"]
