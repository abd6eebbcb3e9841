"""Games of other packages, as an installer leaves them: each a module and its metadata in a folder."""

from __future__ import annotations

import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import games

PACKAGES = Path(__file__).parent


def installed(folder: Path, game: str = "breakthrough") -> Path:
    """`folder` with the package of `game` in it; whoever has it on the path has the game."""
    package = PACKAGES / game
    settings = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    for module in settings["tool"]["setuptools"]["py-modules"]:
        shutil.copy(package / f"{module}.py", folder)
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {target}" for name, target in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@contextmanager
def at_hand(*names: str) -> Iterator[None]:
    """Within it `engine.games.load` knows these games too, as if their packages had just been installed."""
    with tempfile.TemporaryDirectory() as site:
        for name in names:
            installed(Path(site), name)
        sys.path.insert(0, site)
        _forget()
        try:
            yield
        finally:
            sys.path.remove(site)
            _forget()


def _forget() -> None:
    """The program looks once for what is installed; here that changes while it runs."""
    games._list_installed_games.cache_clear()
    games.load.cache_clear()
