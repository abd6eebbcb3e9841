"""Who may import whom, folder by folder, and how large a folder and a file may become.

Data goes engine <- calibration <- vision; engine, calibration <- device; engine <- opponent; all <- server. Within each
layer the files that lie on top are the values that its rooms share: they import no room. Within vision only
vision/watch knows the rules: all else sees a board and its cells.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.bench import tree

ROOT = Path(__file__).parents[1]
LAYERS = ("engine", "opponent", "calibration", "vision", "device", "server")
ARROWS: dict[str, set[str]] = {
    "engine": set(),
    "engine.explain": {"engine"},
    "engine.belief": {"engine", "engine.explain"},
    "engine.camblam": {"engine", "engine.explain"},
    "engine.camelot": {"engine", "engine.explain"},
    "engine.games": {"engine", "engine.camblam", "engine.camelot"},
    "engine.text": {"engine", "engine.games"},
    "engine.match": {"engine", "engine.belief", "engine.explain", "engine.text"},
    "opponent.core": {"engine", "engine.camblam", "engine.camelot"},
    "opponent": {"engine", "engine.text"},
    "opponent.players": {"engine", "engine.camblam", "engine.camelot", "opponent", "opponent.core"},
    "opponent.engines": {"engine", "engine.games", "opponent", "opponent.players"},
    "opponent.contest": {"engine", "engine.text", "opponent", "opponent.engines", "opponent.players"},
    "opponent.review": {"engine", "opponent", "opponent.engines"},
    "calibration": {"engine", "engine.games"},
    "calibration.printing": {"calibration", "engine"},
    "vision": {"calibration", "engine"},
    "vision.reading": {"calibration", "engine", "vision"},
    "vision.sight": {"calibration", "engine", "vision", "vision.reading"},
    "vision.taught": {"calibration", "engine", "vision", "vision.reading"},
    "vision.watch": {
        "calibration",
        "engine",
        "engine.belief",
        "engine.explain",
        "engine.match",
        "vision",
        "vision.reading",
        "vision.sight",
        "vision.taught",
    },
    "device.firmware": set(),
    "device.network": set(),
    "device": {"device.network", "engine", "engine.explain", "engine.match"},
    "device.protocols": {"device", "device.network", "engine"},
    "device.workbench": {"device", "device.protocols", "engine"},
    "server.hall.migrations": set(),
    "server.hall.migrations.versions": set(),
    "server.languages": {"engine", "engine.explain"},
    "server": {
        "calibration",
        "engine",
        "engine.explain",
        "engine.games",
        "engine.match",
        "engine.text",
        "server.languages",
        "vision",
        "vision.sight",
    },
    "server.record": {
        "calibration",
        "engine",
        "engine.explain",
        "engine.games",
        "engine.match",
        "engine.text",
        "server",
        "vision",
        "vision.reading",
    },
    "server.web": {
        "calibration",
        "device",
        "engine",
        "engine.explain",
        "engine.match",
        "server",
        "server.languages",
        "vision",
    },
    "server.board.upkeep": {"server", "server.record", "server.web"},
    "server.mqtt": {"engine", "server", "server.record"},
    "server.record.exports": {
        "engine",
        "engine.explain",
        "engine.games",
        "engine.match",
        "server",
        "server.languages",
        "server.record",
    },
    "server.spectators": {"engine", "engine.explain", "engine.text", "server.record", "server.web"},
    "server.web.access": {"engine", "engine.match", "server", "server.web"},
    "server.board.computer": {
        "engine",
        "engine.explain",
        "engine.match",
        "opponent",
        "opponent.contest",
        "opponent.engines",
        "opponent.review",
    },
    "server.hall.desk": {"engine", "server", "server.mqtt", "server.record"},
    "server.record.traces": {
        "calibration",
        "engine",
        "engine.belief",
        "engine.explain",
        "engine.match",
        "engine.text",
        "server",
        "server.record",
        "vision",
        "vision.reading",
        "vision.watch",
    },
    "server.board.live": {
        "calibration",
        "device",
        "engine",
        "engine.explain",
        "engine.match",
        "engine.text",
        "server",
        "server.board.computer",
        "server.board.upkeep",
        "server.record",
        "server.spectators",
        "server.web",
        "vision",
        "vision.reading",
        "vision.sight",
        "vision.watch",
    },
    "server.hall.tournament": {
        "engine",
        "engine.games",
        "engine.text",
        "server.hall.desk",
        "server.languages",
        "server.mqtt",
        "server.record",
        "server.record.exports",
    },
    "server.board.certify": {
        "calibration",
        "device",
        "engine",
        "engine.explain",
        "engine.match",
        "server",
        "server.board.live",
        "server.languages",
        "server.web",
        "server.web.access",
        "vision",
        "vision.sight",
        "vision.watch",
    },
    "server.board.hall_link": {
        "device",
        "engine",
        "engine.games",
        "engine.match",
        "engine.text",
        "server",
        "server.board.computer",
        "server.board.live",
        "server.mqtt",
        "server.record",
        "server.web",
    },
    "server.board.setup": {
        "calibration",
        "device",
        "engine",
        "engine.explain",
        "engine.games",
        "server",
        "server.board.live",
        "server.web",
        "vision",
        "vision.sight",
        "vision.watch",
    },
    "server.hall.pages": {
        "engine",
        "engine.explain",
        "engine.games",
        "server",
        "server.hall.desk",
        "server.hall.tournament",
        "server.mqtt",
        "server.web",
        "server.web.access",
    },
    "server.board.pages": {
        "calibration",
        "calibration.printing",
        "device",
        "device.protocols",
        "engine",
        "engine.explain",
        "engine.games",
        "engine.match",
        "engine.text",
        "server",
        "server.board.computer",
        "server.board.live",
        "server.board.setup",
        "server.record",
        "server.record.exports",
        "server.web",
        "server.web.access",
    },
    "server.hall": {
        "engine",
        "server",
        "server.hall.desk",
        "server.hall.pages",
        "server.hall.tournament",
        "server.mqtt",
        "server.record",
        "server.spectators",
        "server.web",
        "server.web.access",
    },
    "server.board": {
        "calibration",
        "device",
        "device.protocols",
        "engine",
        "engine.games",
        "engine.match",
        "opponent",
        "opponent.contest",
        "server",
        "server.board.computer",
        "server.board.hall_link",
        "server.board.live",
        "server.board.pages",
        "server.board.setup",
        "server.mqtt",
        "server.record",
        "server.record.traces",
        "server.spectators",
        "server.web",
        "server.web.access",
        "vision",
        "vision.watch",
    },
    "server.commands": {
        "calibration",
        "calibration.printing",
        "device",
        "device.network",
        "device.protocols",
        "device.workbench",
        "engine",
        "engine.explain",
        "engine.games",
        "engine.match",
        "engine.text",
        "opponent",
        "opponent.contest",
        "opponent.core",
        "opponent.engines",
        "opponent.players",
        "server",
        "server.board",
        "server.board.certify",
        "server.board.hall_link",
        "server.board.live",
        "server.board.pages",
        "server.board.setup",
        "server.hall",
        "server.hall.desk",
        "server.hall.tournament",
        "server.languages",
        "server.mqtt",
        "server.record",
        "server.record.exports",
        "server.record.traces",
        "server.spectators",
        "server.web",
        "server.web.access",
        "vision",
        "vision.reading",
        "vision.watch",
    },
    "server.cli": {"engine", "server", "server.commands"},
}
"""Folder -> the folders whose files it imports."""
ENTRANCES = {"server.cli": "server.cli", "server.__main__": "server.cli"}
"""Where the program begins: these lie on top, but import what is below."""

MOST_FLOORS, MOST_ARROWS = 10, 102
"""Of the rooms of server/: how long the longest way down is, and how many of them may ask another."""

MOST_FILES = 15
ONE_FILE_A_THING = {"server/commands"}
"""Folders that grow by a file with each thing there is, and may have more."""
MOST_LINES = 500

BOARD_ONLY = {"engine.board", "engine.errors"}
"""Of the engine: which cells there are and where, and how to refuse what a person gave."""
JUDGING = {"engine.match.judging", "engine.match.referee", "engine.belief"}
SEEING = {"vision.reading.level_readers", "vision.reading.scene", "vision.reading.network", "vision.sight"}
WATCH = ROOT / "vision" / "watch"


def files() -> list[Path]:
    """Every Python file of the program."""
    return [file for layer in LAYERS for file in sorted((ROOT / layer).rglob("*.py"))]


def module_of(file: Path) -> str:
    """A file's full name for imports."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules(file: Path) -> frozenset[str]:
    """Full names of the modules that a file imports, also inside functions and for types only."""
    return frozenset(_imported(file))


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: relative import"
            for alias in node.names:
                path = ROOT / Path(*f"{node.module}.{alias.name}".split("."))
                known = path.with_suffix(".py").exists() or (path / "__init__.py").exists()
                yield f"{node.module}.{alias.name}" if known else str(node.module)


def room(module: str) -> str:
    """The folder that a module of the program lies in, as ARROWS names it."""
    is_folder = (ROOT / Path(*module.split("."))).is_dir()
    return ENTRANCES.get(module, module if is_folder else module.rpartition(".")[0])


def below(names: frozenset[str], roots: set[str]) -> set[str]:
    """Those of `names` that are one of `roots` or in one."""
    return {name for name in names if any(name == root or name.startswith(f"{root}.") for root in roots)}


def test_folders_import_only_those_they_may() -> None:
    used: dict[str, set[str]] = {name: set() for name in ARROWS}
    for file in files():
        here = room(module_of(file))
        assert not below(modules(file), {"tests"}), file.relative_to(ROOT)
        others = {room(name) for name in below(modules(file), set(LAYERS))} - {here}
        wrong = others - ARROWS[here]
        assert not wrong, f"{file.relative_to(ROOT)} imports {', '.join(sorted(wrong))}"
        used[here] |= others
    unused = {name: ARROWS[name] - used[name] for name in ARROWS if ARROWS[name] - used[name]}
    assert not unused, "arrows that nothing goes along any more"


def test_the_service_grows_no_taller_and_no_more_tangled() -> None:
    rooms = {name: below(frozenset(others), {"server"}) for name, others in ARROWS.items() if name.startswith("server")}
    floors: dict[str, int] = {}
    for name in TopologicalSorter(rooms).static_order():
        floors[name] = 1 + max((floors[other] for other in rooms[name]), default=0)
    assert max(floors.values()) <= MOST_FLOORS
    assert sum(map(len, rooms.values())) <= MOST_ARROWS


def test_no_folders_import_each_other_in_a_circle() -> None:
    assert list(TopologicalSorter(ARROWS).static_order())


def test_no_files_import_each_other_in_a_circle() -> None:
    known = {module_of(file): file for file in files()}
    TopologicalSorter({name: (modules(file) & known.keys()) - {name} for name, file in known.items()}).prepare()


def test_no_import_is_hidden() -> None:
    for file in files():
        assert "TYPE_CHECKING" not in file.read_text(encoding="utf-8"), file.relative_to(ROOT)


def test_layers_go_one_way() -> None:
    order = [name.partition(".")[0] for name in ARROWS]
    assert [a for a, b in pairwise([*order, ""]) if a != b] == list(LAYERS), "each layer's folders stand together"
    for name, others in ARROWS.items():
        if not name.startswith("server"):
            assert "server" not in {other.partition(".")[0] for other in others}, name
    meeting = {"vision": "device", "device": "vision"}
    for name, others in ARROWS.items():
        assert meeting.get(name.partition(".")[0]) not in {other.partition(".")[0] for other in others}, name


def test_seeing_and_reading_know_no_rules() -> None:
    for file in (ROOT / "vision").rglob("*.py"):
        if WATCH not in file.parents:
            assert below(modules(file), {"engine"}) <= BOARD_ONLY, file.relative_to(ROOT)


def test_only_watching_joins_what_is_seen_and_what_it_means() -> None:
    joined = {file for file in files() if below(modules(file), SEEING) and below(modules(file), JUDGING)}
    assert joined
    assert {file.parent for file in joined} == {WATCH}, joined


def test_the_engine_needs_the_standard_library_only() -> None:
    allowed = {"engine", *sys.stdlib_module_names}
    for file in (ROOT / "engine").rglob("*.py"):
        assert {name.partition(".")[0] for name in modules(file)} <= allowed, file.relative_to(ROOT)


@pytest.mark.parametrize("module", ["time", "datetime", "socket", "subprocess", "threading", "logging", "random"])
def test_the_engine_has_no_clock_and_touches_nothing(module: str) -> None:
    for file in (ROOT / "engine").rglob("*.py"):
        assert not below(modules(file), {module}), file.relative_to(ROOT)
        assert "open(" not in file.read_text(encoding="utf-8"), file.relative_to(ROOT)


def test_no_folder_is_too_full_to_know() -> None:
    for folder in {file.parent for file in files()}:
        name = folder.relative_to(ROOT).as_posix()
        here = [file for file in folder.glob("*.py") if file.name != "__init__.py"]
        assert len(here) <= MOST_FILES or name in ONE_FILE_A_THING, f"{name} has {len(here)} files"


def test_no_file_is_too_long_to_know() -> None:
    for file in files():
        assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES, file.relative_to(ROOT)


def test_the_map_shows_the_tree_as_it_is() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert text == tree.page(text), "run: python -m tests.bench.tree"
