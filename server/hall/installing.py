"""What runs a hall for good: units for systemd, a compose file, and the cards by which boards join."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

HALL_UNIT = """\
# Made by `referee hall init`. An arbiter's account first:
#   referee accounts --file {folder}/accounts.json add NAME --role arbiter
# Install:
#   sudo cp {folder}/{name}.service /etc/systemd/system/ && sudo systemctl enable --now {name}
[Unit]
Description={what}
Wants=network-online.target
After={after}
# What it needs may take its time after a power cut: it is tried for as long as it takes.
StartLimitIntervalSec=0

[Service]
ExecStart={command}
EnvironmentFile=-{folder}/hall.env
User={user}
StateDirectory=camelot-hall
UMask=0022
LimitNOFILE=65536
Restart=on-failure
RestartSec=5
TimeoutStopSec=15
KillSignal=SIGINT

# Nothing of the machine but its own folders.
ProtectSystem=strict
ReadWritePaths={folder}
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
RestrictNamespaces=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
SystemCallArchitectures=native
SystemCallFilter=@system-service
CapabilityBoundingSet=

[Install]
WantedBy=multi-user.target
"""
COMPOSE = """\
# Made by `referee hall init`. docker compose -f {folder}/compose.yaml up -d; the image: server/deploy/Dockerfile.
# An arbiter's account first: referee accounts --file {folder}/accounts.json add NAME --role arbiter
services:
  broker:
    image: eclipse-mosquitto:2
    command: mosquitto -c {folder}/mosquitto.conf
    user: "{uid}"
    network_mode: host
    volumes: ["{folder}:{folder}"]
    restart: on-failure
  hall:
    image: camelot-referee
    command: {arguments}
    env_file: {folder}/hall.env
    user: "{uid}"
    network_mode: host
    volumes: ["{folder}:{folder}", "{state}:{state}"]
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    restart: on-failure
  proxy:
    image: nginx:stable
    network_mode: host
    volumes:
      - {folder}/nginx.conf:/etc/nginx/conf.d/default.conf:ro
      - {folder}:{folder}:ro
      - {state}/live:{state}/live:ro
    restart: on-failure
"""
CARDS = """\
<!doctype html>
<meta charset="utf-8">
<title>Boards of the hall</title>
<style>
body {{ font-family: sans-serif; display: grid; grid-template-columns: repeat(2, 1fr); gap: 8mm; margin: 10mm; }}
article {{ border: 1px solid #999; padding: 6mm; break-inside: avoid; }}
svg {{ width: 60mm; display: block; }}
code {{ overflow-wrap: anywhere; font-size: 9pt; }}
</style>
{cards}
"""
STATE_FOLDER = Path("/var/lib/camelot-hall")


def hall_command(folder: Path, broker: str, certificate: Path | None) -> list[str]:
    """The arguments of `referee` with which the hall runs behind nginx; its password is in hall.env.

    The accounts are in the folder: a container has no other that lasts.
    """
    trusts = f"?ca={certificate}" if certificate else ""
    return [
        "hall",
        f"--broker={broker}{trusts}",
        f"--database={STATE_FOLDER}/hall.sqlite3",
        f"--spectators={STATE_FOLDER}/live",
        f"--accounts={folder}/accounts.json",
        "--behind-proxy=127.0.0.1",
        "--log-json",
    ]


def render_units(folder: Path, user: str, program: str, arguments: list[str]) -> Mapping[str, str]:
    """Name of a file -> its text: the broker's unit and the hall's."""
    network, before = "network-online.target", "network-online.target camelot-broker.service postgresql.service"
    commands = {
        "camelot-broker": ("Broker of a Camelot hall", f"/usr/sbin/mosquitto -c {folder}/mosquitto.conf", network),
        "camelot-hall": ("Hall of Camelot boards", " ".join([program, *arguments]), before),
    }
    return {
        f"{name}.service": HALL_UNIT.format(
            folder=folder, name=name, what=what, command=command, user=user, after=after
        )
        for name, (what, command, after) in commands.items()
    }


def render_compose(folder: Path, uid: str, arguments: list[str]) -> str:
    """The same as containers."""
    quoted = "[" + ", ".join(f'"{argument}"' for argument in arguments) + "]"
    return COMPOSE.format(folder=folder, uid=uid, arguments=quoted, state=STATE_FOLDER)


def render_cards(codes: Mapping[str, str], drawings: Mapping[str, str]) -> str:
    """A page to print: of each board its name, its code as a drawing, and the code to type. It is as secret as keys."""
    said = (
        f"<article><h2>{escape(name)}</h2>{drawings[name]}<p>referee hall join</p><code>{escape(code)}</code></article>"
        for name, code in codes.items()
    )
    return CARDS.format(cards="\n".join(said))
