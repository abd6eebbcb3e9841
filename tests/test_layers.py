"""Who may import whom: engine <- calibration <- vision; engine, calibration <- device; all <- server."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = {
    "engine": {"engine"},
    "calibration": {"engine", "calibration"},
    "vision": {"engine", "calibration", "vision"},
    "device": {"engine", "calibration", "device"},
    "server": {"engine", "calibration", "vision", "device", "server"},
}


def imports(file: Path) -> Iterator[str]:
    """Top names of everything that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            yield str(node.module).partition(".")[0]


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_go_one_way(layer: str) -> None:
    for file in (ROOT / layer).rglob("*.py"):
        wrong = {name for name in imports(file) if name in LAYERS or name == "tests"} - LAYERS[layer]
        assert not wrong, f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}"


def test_the_engine_needs_the_standard_library_only() -> None:
    allowed = {"engine", *sys.stdlib_module_names}
    for file in (ROOT / "engine").rglob("*.py"):
        assert set(imports(file)) <= allowed, file.relative_to(ROOT)


@pytest.mark.parametrize("module", ["time", "datetime", "socket", "subprocess", "threading", "logging", "random"])
def test_the_engine_has_no_clock_and_touches_nothing(module: str) -> None:
    for file in (ROOT / "engine").rglob("*.py"):
        assert module not in set(imports(file)), file.relative_to(ROOT)
        assert "open(" not in file.read_text(encoding="utf-8"), file.relative_to(ROOT)


def test_no_file_is_too_long_to_know() -> None:
    for layer in LAYERS:
        for file in (ROOT / layer).rglob("*.py"):
            assert len(file.read_text(encoding="utf-8").splitlines()) <= 400, file.relative_to(ROOT)
