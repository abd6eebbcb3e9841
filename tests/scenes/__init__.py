"""Scenes as data: tests/data/scenes.toml names them and what must hold of them; the checks are here."""

import pytest

CHECKS = ("said", "camera", "floor", "reading", "found")

pytest.register_assert_rewrite(*(f"{__name__}.{module}" for module in CHECKS))
