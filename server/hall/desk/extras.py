"""Libraries that only some halls need: whether one is there, and how to put it where this program is installed."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path


def is_installed(package: str) -> bool:
    """Whether a package of this name can be imported."""
    return importlib.util.find_spec(package) is not None


def install_command(requirement: str, prefix: str = sys.prefix) -> str:
    """What to type. pipx and uv have an environment for each program, and only their own commands change it."""
    home = Path(prefix)
    if (home / "pipx_metadata.json").exists():
        return shlex.join(["pipx", "inject", home.name, requirement])
    if (home / "uv-receipt.toml").exists():
        return shlex.join(["uv", "pip", "install", "--python", sys.executable, requirement])
    return shlex.join([sys.executable, "-m", "pip", "install", requirement])
