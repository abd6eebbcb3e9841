"""The wheel as a newcomer gets it: built, installed into an empty environment, and `referee demo` run from elsewhere.

python -m tests.bench.installed [--keep FOLDER]. Says what it weighs and how long each step takes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import click

from tests.patience import PATIENCE_S
from tests.programs import started

ROOT = Path(__file__).parents[2]


@click.command()
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="Where the environment is left.")
def main(keep: Path | None) -> None:
    """Build, install, run, ask for the page."""
    with tempfile.TemporaryDirectory() as made:
        folder = keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        wheel = built(folder)
        click.echo(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        begun = time.monotonic()
        python = installed(wheel, folder / "environment")
        click.echo(f"installed in {time.monotonic() - begun:.0f} s")
        for what, seconds in demo(python.with_name("referee"), folder).items():
            click.echo(f"{what} after {seconds:.1f} s")


def built(folder: Path) -> Path:
    """The wheel of this checkout."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(words, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """The Python of a new environment with the wheel and what it asks for, of the versions that are tested."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    python = folder / "bin" / "python"
    words = [str(python), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"), str(wheel)]
    subprocess.run(words, check=True)
    return python


def demo(referee: Path, folder: Path) -> dict[str, float]:
    """Seconds until the demo has its page, and until its first move is told."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own |= {"XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    begun = time.monotonic()
    words = [str(referee), "demo", "--no-open", "--port", "0"]
    with started(words, cwd=folder, env=own, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(found[0], timeout=PATIENCE_S) as page:  # noqa: S310  # the address is our own
            assert page.status == 200
        seconds = {"page": time.monotonic() - begun}
        with urllib.request.urlopen(found[0] + "api/v1/events", timeout=PATIENCE_S) as events:  # noqa: S310
            while b'"event": "move"' not in events.readline():
                pass
        return seconds | {"first move": time.monotonic() - begun}


if __name__ == "__main__":
    main()
