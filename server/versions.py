"""Which version of the program this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """As it was installed; "unknown" out of a folder that was not."""
    try:
        return version("camelot-referee")
    except PackageNotFoundError:
        return "unknown"
