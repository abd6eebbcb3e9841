"""Games of other packages and the stored footage, for the tests of this folder."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.plugin.site import at_hand
from tests.real import film
from tests.real.bench import STORED


@pytest.fixture(scope="package", autouse=True)
def plugins() -> Iterator[None]:
    with at_hand("chess", "go"):
        yield


@pytest.fixture(scope="package")
def expected() -> dict[str, Any]:
    return tomllib.loads((STORED / "expected.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="package")
def scholars_mate() -> film.Film:
    return film.load(STORED)
