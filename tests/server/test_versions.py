"""The version that is told to halls and in reports is the one that was installed."""

from __future__ import annotations

from importlib import metadata

import pytest

from server import versions


def test_the_version_is_the_installed_one_and_unknown_where_nothing_was_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert versions.own_version() == metadata.version("camelot-referee")

    def find_none(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(versions, "version", find_none)
    assert versions.own_version() == "unknown"
