"""The container image's steps without a container builder: in a folder, by the lines of the Dockerfile itself.

    python -m tests.bench.image_steps

Copies what the build would be handed, runs the RUN of its first stage, and starts ENTRYPOINT and CMD with its ENV until
its HEALTHCHECK succeeds. What only a container has (the user, other base packages) is not shown by this.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dockerfile_parse import DockerfileParser

from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.test_deploy import DEPLOY, ROOT, in_the_image

INSTALLED, DATA = "/opt/camelot-referee", "/data"
"""Folders of the image, which are folders of the trial here."""
SESSION = ROOT / "tests" / "data" / "sessions" / "camelot_a"
PAUSE_S = 0.5


def main() -> None:
    """Build, start, ask."""
    parsed = DockerfileParser(path=str(DEPLOY / "Dockerfile")).structure
    steps = [(step["instruction"], step["value"]) for step in parsed]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, installed, data = folder / "src", folder / "opt", folder / "data"
        data.mkdir()

        def here(text: str) -> str:
            return text.replace(INSTALLED, str(installed)).replace(DATA, str(data))

        count = handed(source)
        begun = time.monotonic()
        build = next(value for kind, value in steps if kind == "RUN")
        subprocess.run(["bash", "-ec", here(build)], cwd=source, check=True, stdout=subprocess.DEVNULL)
        print(f"{count} files handed over, built in {time.monotonic() - begun:.0f} s")
        said = next(value for kind, value in steps if kind == "ENV").split()
        env = dict(pair.split("=", 1) for pair in said) | {"HOME": str(data), "LANG": "C.UTF-8"}
        env = {key: here(value).replace("$PATH", os.environ["PATH"]) for key, value in env.items()}
        prepare(env, data)
        words = json.loads(value_of(steps, "ENTRYPOINT")) + [here(word) for word in json.loads(value_of(steps, "CMD"))]
        words += ["--camera", str(SESSION), "--realtime"]
        begun = time.monotonic()
        with started([str(installed / "bin" / words[0]), *words[1:]], cwd=data, env=env):
            check = json.loads(value_of(steps, "HEALTHCHECK").partition("CMD ")[2])
            while subprocess.run(check, env=env, check=False, capture_output=True).returncode:
                assert time.monotonic() - begun < PATIENCE_S, "it never becomes healthy"
                time.sleep(PAUSE_S)
            print(f"healthy {time.monotonic() - begun:.1f} s after its start")


def handed(to: Path) -> int:
    """Copy what a builder would be handed; how many files."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [name for name in listed.splitlines() if in_the_image(name)]
    for name in files:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name, follow_symlinks=False)
    return len(files)


def prepare(env: dict[str, str], data: Path) -> None:
    """What docs/serving.md has people do first: an account, and a profile."""
    add = ["referee", "accounts", "add", "Ann", "--role", "arbiter", "--stdin"]
    program = shutil.which(add[0], path=env["PATH"])
    assert program is not None
    subprocess.run([program, *add[1:]], env=env, input="correct horse\n", text=True, check=True, cwd=data)
    shutil.copy(SESSION / "profile.toml", data / "board.toml")


def value_of(steps: list[tuple[str, str]], kind: str) -> str:
    """What the last line of a kind says."""
    return next(value for name, value in reversed(steps) if name == kind)


if __name__ == "__main__":
    sys.exit(main())
