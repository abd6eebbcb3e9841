"""What is given to people: wheels, source, checksums and a list of what is inside, built and tried by one command.

    python -m tests.bench.release dist [--without-trial]

A wheel with the compiled core for each Python that is found here (3.11 to 3.13) on this kind of machine, one without it
for all others, and the source. Other kinds of machine build their wheel with the same command.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tests.bench.installed import ROOT, demo, installed

PYTHONS = ("python3.11", "python3.12", "python3.13")
BUILD = "build>=1.2"
PURE = "CAMELOT_REFEREE_PURE"
"""Set for a build without the compiled core (setup.py)."""


@click.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--without-trial", is_flag=True, help="Do not install and run the wheels.")
def main(out: Path, without_trial: bool) -> None:
    """Build all, write checksums and the list, try each wheel that fits this machine."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with TemporaryDirectory() as made:
        builder = environment(Path(made) / "builder", BUILD)
        build(builder, "--sdist", out)
        (source,) = out.glob("*.tar.gz")
        build(builder, "--wheel", out, pure=True)
        for python in filter(runs, filter(None, map(shutil.which, PYTHONS))):
            compiled = environment(Path(made) / Path(python).name, BUILD, python)
            build(compiled, "--wheel", out)
    (out / "bom.json").write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")
    files = sorted(path for path in out.iterdir() if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    for path in files:
        click.echo(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    assert source in files
    for wheel in () if without_trial else sorted(out.glob("*.whl")):
        tried(wheel)


def runs(python: str) -> bool:
    """Whether it is a Python, and no place holder for one that is not installed."""
    return subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0


def environment(folder: Path, needed: str, python: str = sys.executable) -> Path:
    """The Python of a new environment with one package."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    made = folder / "bin" / "python"
    subprocess.run([str(made), "-m", "pip", "install", "--quiet", needed], check=True)
    return made


def build(python: Path, what: str, out: Path, *, pure: bool = False) -> None:
    """One distribution of a clean copy of this checkout."""
    with TemporaryDirectory() as made:
        copy = Path(made) / "source"
        archive = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True).stdout
        copy.mkdir()
        subprocess.run(["tar", "-x", "-C", str(copy)], input=archive, check=True)
        words = [str(python), "-m", "build", what, "--outdir", str(out.resolve()), str(copy)]
        own = os.environ | ({PURE: "1"} if pure else {})
        subprocess.run(words, check=True, capture_output=True, env=own)


def bill() -> dict[str, object]:
    """What the program brings and asks for, as CycloneDX 1.5 has it, with the versions that are tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = dict(
        line.split("==", 1)
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    )
    needed = {name.lower().replace("_", "-"): version for name, version in pinned.items()}
    asked = [name_of(said) for said in project["dependencies"]]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(project["name"], project["version"], "application")},
        "components": [component(name, needed[name], "library") for name in asked],
    }


def name_of(requirement: str) -> str:
    """The name in front of a requirement's versions."""
    return requirement.split(">", maxsplit=1)[0].split("<", maxsplit=1)[0].split("[", maxsplit=1)[0].strip().lower()


def component(name: str, version: str, kind: str) -> dict[str, str]:
    """One entry of the list."""
    return {"type": kind, "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}"}


def tried(wheel: Path) -> None:
    """Install a wheel into an empty environment and run the demonstration there, if it is for this Python."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if f"-{tag}-" not in wheel.name and "-none-any" not in wheel.name:
        click.echo(f"{wheel.name}: for another Python, built and not run")
        return
    with TemporaryDirectory() as folder:
        begun = time.monotonic()
        python = installed(wheel, Path(folder) / "environment")
        seconds = demo(python.with_name("referee"), Path(folder))
        click.echo(f"{wheel.name}: installed and run in {time.monotonic() - begun:.0f} s: {seconds}")


if __name__ == "__main__":
    main()
