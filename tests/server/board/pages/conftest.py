"""What several tests of the pages are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.bundled import cut_film


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled game from where the pieces have been set up: its first picture shows an empty board."""
    return cut_film(tmp_path_factory.mktemp("film"), first=1)
