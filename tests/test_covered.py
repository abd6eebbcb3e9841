"""Each module of the program has tests: a file of its own name, one that imports it, or one that covered.toml names.

`python -m tests.test_covered` prints how many have which.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.test_layers import ROOT, files, module_of, modules

TABLE = ROOT / "tests" / "covered.toml"
OWN, IMPORTED, PROMISED, NONE = "a file of its own name", "imported by a test", "named in covered.toml", "nothing"
FINDERS = {
    "engine.games": "engine/games",
    "device.protocols": "device/protocols",
    "server.hall.desk.database": "server/hall/migrations/versions",
}
"""Modules that find the files of a folder by their names, so that no import leads to these: who imports one has all."""
RUN_BY_NAME = ("server/commands", "device/firmware")
"""Folders whose files are run by their names, which stand in a test then."""


def does_something(file: Path) -> bool:
    """Whether a file has a function or a class: what has none is data, and what starts the program is run by all."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return any(isinstance(node, kinds) for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


def find_own_test(file: Path) -> Path:
    """Where the tests of a module are, if they mirror the tree."""
    return ROOT / "tests" / file.relative_to(ROOT).with_name(f"test_{file.stem.strip('_')}.py")


@cache
def read_promises() -> dict[str, tuple[str, str]]:
    """Module -> the test of the table, and what it promises about the module."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    found = [(module, test, said) for test, promises in table.items() for module, said in promises.items()]
    assert len({module for module, _, _ in found}) == len(found), "a module stands twice in covered.toml"
    return {module: (test, said) for module, test, said in found}


def list_used(test: Path) -> Iterator[str]:
    """The modules of which a test imports more than constants."""
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)  # those that are modules count
            if not all(alias.name.isupper() for alias in node.names):
                yield str(node.module)


@cache
def find_covers() -> dict[str, str]:
    """By what each module is covered, the nearest first."""
    tests = (file for file in (ROOT / "tests").rglob("test_*.py") if "data" not in file.parts)
    imported, covers = {name for test in tests for name in list_used(test)}, {}
    for file in files():
        name = module_of(file)
        if file.stem != "__init__" and does_something(file):
            covers[name] = OWN if find_own_test(file).exists() else IMPORTED if name in imported else NONE
            if covers[name] == NONE and name in read_promises():
                covers[name] = PROMISED
    return covers


@cache
def find_reached(test: Path) -> frozenset[str]:
    """The modules that a test can come to: by imports, also those of its helpers, and those that are found by name."""
    known = {module_of(file): file for file in [*files(), *(ROOT / "tests").rglob("*.py")]}
    todo, reached = {test}, set[Path]()
    while todo:
        file = todo.pop()
        reached.add(file)
        names = set(modules(file))
        for finder in names & FINDERS.keys():
            names |= {module_of(found) for found in (ROOT / FINDERS[finder]).glob("*.py")}
        if "tests" in file.parts:
            words = re.findall(r'"([a-z_-]+)(?:\.py)?"', file.read_text(encoding="utf-8"))
            names |= {
                f"{folder}/{word}".replace("/", ".").replace("-", "_") for folder in RUN_BY_NAME for word in words
            }
        todo |= {known[name] for name in names & known.keys()} - reached
    return frozenset(map(module_of, reached))


def test_no_module_is_without_a_test() -> None:
    assert [name for name, cover in find_covers().items() if cover == NONE] == []


def test_each_promise_is_of_a_module_that_has_no_nearer_test() -> None:
    assert [name for name in read_promises() if find_covers().get(name) != PROMISED] == []


def test_each_promised_test_is_there_and_comes_to_the_module() -> None:
    for name, (test, said) in read_promises().items():
        assert (ROOT / test).is_file(), test
        assert name in find_reached(ROOT / test), f"{test} cannot come to {name}"
        assert re.fullmatch(r"[A-Z].{15,}[a-z0-9]", said), f"{name}: {said!r} is no sentence"


def main() -> None:
    """Print how many modules are covered by what."""
    counted = Counter(find_covers().values())
    print(*(f"{counted[cover]:4} {cover}" for cover in (OWN, IMPORTED, PROMISED, NONE)), sep="\n")
    print(*(name for name, cover in find_covers().items() if cover == NONE), sep="\n")


if __name__ == "__main__":
    main()
