"""Figures of vision: `python -m tests.tools.bench_vision` films games under each disturbance and referees the films."""

from tests.tools.bench_vision.draws import HELD_BACK, SESSIONS, drawn_recipe

__all__ = ["HELD_BACK", "SESSIONS", "drawn_recipe"]
