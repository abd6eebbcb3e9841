"""Every scene of tests/data/scenes.toml shows what the file says that it must."""

from __future__ import annotations

import importlib

import pytest

from tests.scenes.book import Must, Row, rows

CASES = [(row, must) for row in rows().values() for must in row.must]


@pytest.mark.parametrize(("row", "must"), CASES, ids=[f"{row.name}: {must.check}" for row, must in CASES])
def test_a_scene_shows_what_it_must(row: Row, must: Must) -> None:
    module, _, name = must.check.partition(".")
    getattr(importlib.import_module(f"tests.scenes.{module}"), name)(row, **must.given)
