"""The compiled core is there for these tests: built in place if it is not, or is older than its sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
CORE = ROOT / "opponent" / "core"


@pytest.fixture(scope="session", autouse=True)
def core(tmp_path_factory: pytest.TempPathFactory) -> None:
    shared = tmp_path_factory.getbasetemp().parent
    with FileLock(shared / "core.lock"):
        newest = max(file.stat().st_mtime for file in (*CORE.glob("*.c"), *CORE.glob("*.h")))
        if not any(file.stat().st_mtime >= newest for file in CORE.glob("_compiled.*.so")):
            # from elsewhere: setuptools of any age then builds it, whatever it thinks of pyproject.toml
            elsewhere = tmp_path_factory.mktemp("build")
            # the way back to the sources is written as so many `..`: they need folders that are there
            objects = elsewhere.joinpath(*"abcdefghijkl")
            objects.mkdir(parents=True)
            script = [sys.executable, str(ROOT / "setup.py"), "-q", "build_ext", "--force"]
            places = ["--build-lib", str(ROOT), "--build-temp", str(objects)]
            subprocess.run([*script, *places], cwd=elsewhere, check=True, capture_output=True)
