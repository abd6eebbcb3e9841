"""Who may import whom: engine <- calibration <- vision; engine, calibration <- device; all <- server.

Within vision only vision/watch knows the rules: all else sees a board and its cells.
"""

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


BOARD_ONLY = {"engine.board", "engine.errors"}
"""Of the engine: which cells there are and where, and how to refuse what a person gave."""
JUDGING = {"engine.match.judging", "engine.witness", "engine.belief.candidates", "engine.match.referee"}
SEEING = {"vision.reading.eyes", "vision.sight", "vision.reading.scene", "vision.reading.network"}
WATCH = ROOT / "vision" / "watch"


def modules(file: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            within = {f"{node.module}.{alias.name}" for alias in node.names}
            known = {name for name in within if (ROOT / Path(*name.split("."))).with_suffix(".py").exists()}
            yield from known or {str(node.module)}


def imports(file: Path) -> Iterator[str]:
    """Top names of everything that a file imports."""
    return (name.partition(".")[0] for name in modules(file))


def below(names: set[str], roots: set[str]) -> set[str]:
    """Those of `names` that are one of `roots` or in one."""
    return {name for name in names if any(name == root or name.startswith(f"{root}.") for root in roots)}


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_go_one_way(layer: str) -> None:
    for file in (ROOT / layer).rglob("*.py"):
        wrong = {name for name in imports(file) if name in LAYERS or name == "tests"} - LAYERS[layer]
        assert not wrong, f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}"


def test_seeing_and_reading_know_no_rules() -> None:
    for file in (ROOT / "vision").rglob("*.py"):
        if WATCH not in file.parents:
            used = set(modules(file))
            assert below(used, {"engine"}) <= BOARD_ONLY, file.relative_to(ROOT)
            assert not below(used, {"vision.watch"}), file.relative_to(ROOT)


def test_only_watching_joins_what_is_seen_and_what_it_means() -> None:
    joined = set()
    for layer in LAYERS:
        for file in (ROOT / layer).rglob("*.py"):
            used = set(modules(file))
            if below(used, SEEING) and below(used, JUDGING):
                joined.add(file)
    assert joined
    assert {file.parent for file in joined} == {WATCH}, joined


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
