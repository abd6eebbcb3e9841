"""What installs the service: read by the programs that will use it, or by their parsers, and compared with the code."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from dockerfile_parse import DockerfileParser

from device.plugged import USB_BOARDS
from server.cli import referee
from server.settings import option_names

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "server" / "deploy"
UNIT = DEPLOY / "camelot-referee.service"
RULE = re.compile(r'(SUBSYSTEM|ATTRS\{\w+\})(==|!=)"[^"]+"|(GROUP|MODE|LABEL|GOTO|ENV\{\w+\})="[^"]+"|TAG\+="[^"]+"')
"""The part of udev's grammar that is needed here; `udevadm verify` is newer than Debian 12."""
MOST_EXPOSED = 1.5
"""Of 10, as systemd rates it."""


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    program = tmp_path / "referee"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    text = UNIT.read_text(encoding="utf-8").replace("/opt/camelot-referee/.venv/bin/referee", str(program))
    unit.write_text(text.replace("Documentation=file:///opt/camelot-referee", f"Documentation=file://{ROOT}"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED * 10:.0f}", unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_udev_rules_are_well_formed_and_know_every_board() -> None:
    rules = DEPLOY / "60-camelot-referee.rules"
    text = rules.read_text(encoding="utf-8")
    for line in text.splitlines():
        assert line.startswith("#") or all(RULE.fullmatch(part) for part in line.split(", ") if part), line
    assert set(re.findall(r'GOTO="(\w+)"', text)) == set(re.findall(r'LABEL="(\w+)"', text))
    known = {
        (int(vendor, 16), int(product, 16))
        for vendor, products in re.findall(r'idVendor}=="(\w+)", ATTRS{idProduct}=="([\w|]+)"', text)
        for product in products.split("|")
    }
    assert known == set(USB_BOARDS)


def commands_in(text: str) -> list[list[str]]:
    return [line.split() for line in re.findall(r"referee ((?:serve|accounts) [^\n`\"]*)", text)]


def test_the_image_runs_unprivileged_with_options_that_exist() -> None:
    parsed = DockerfileParser(path=str(DEPLOY / "Dockerfile")).structure
    steps = [(step["instruction"], step["value"]) for step in parsed]
    names = [name for name, _ in steps]
    assert {"FROM", "COPY", "RUN", "USER", "HEALTHCHECK", "ENTRYPOINT", "CMD"} <= set(names)
    assert ("USER", "referee") in steps and names.index("USER") < names.index("ENTRYPOINT")
    assert not [value for name, value in steps if name == "FROM" and (":" not in value or ":latest" in value)]
    arguments = yaml.safe_load(next(value for name, value in steps if name == "CMD"))
    check_options(arguments)


def in_the_image(name: str) -> bool:
    """Whether Docker hands a file to the build: the last line that names it or a folder of it decides."""
    handed = True
    for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split():
        pattern = line.removeprefix("!")
        parts = [str(part) for part in (Path(name), *Path(name).parents)]
        if any(fnmatch(part, pattern) or fnmatch(f"x/{part}", pattern) for part in parts):
            handed = line.startswith("!")
    return handed


def test_the_image_is_built_from_all_that_the_program_is() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    film = {str(path.relative_to(ROOT)) for path in (ROOT / "server" / "demo").resolve().iterdir()}
    parts = ("engine/", "opponent/", "calibration/", "vision/", "device/", "server/")
    needed = {"pyproject.toml", "setup.py", "constraints.txt", "README.md", "LICENSE", *film}
    needed |= {name for name in tracked if name.startswith(parts)}
    assert len(film) > 3
    assert {name for name in needed if not in_the_image(name)} == set()
    assert not in_the_image("tests/server/test_deploy.py")
    assert not in_the_image(".git/config")


def test_the_composed_service_is_as_tight_as_the_unit() -> None:
    (service,) = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "on-failure"
    assert "privileged" not in service
    assert service["logging"]["options"] == {"max-size": "5m", "max-file": "5"}


def test_every_command_in_the_page_exists() -> None:
    text = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8") + UNIT.read_text(encoding="utf-8")
    found = commands_in(text)
    assert len(found) > 8
    for arguments in found:
        check_options(arguments)


def check_options(arguments: list[str]) -> None:
    """Every option in a command line is one of that command, or of its subcommand."""
    command = referee.get_command(None, arguments[0])  # type: ignore[arg-type]  # the folder does not look at the context
    assert command is not None
    known = set(option_names(command))
    for subcommand in getattr(command, "commands", {}).values():
        known |= set(option_names(subcommand))
    for argument in arguments[1:]:
        if argument.startswith("--"):
            assert argument.removeprefix("--") in known, arguments


@pytest.mark.parametrize("name", ["camelot-referee.service", "60-camelot-referee.rules", "Dockerfile", "compose.yaml"])
def test_the_page_says_how_to_install_it(name: str) -> None:
    assert name in (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
