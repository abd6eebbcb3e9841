"""The game of another package, as an installer leaves it: the module and its metadata in a folder."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

PACKAGE = Path(__file__).parent / "breakthrough"


def installed(folder: Path) -> Path:
    """`folder` with the package in it; whoever has it on the path has the game."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copy(PACKAGE / "breakthrough_game.py", folder)
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
