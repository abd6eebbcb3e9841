"""`referee demo`: a recorded game, refereed and explained on its page; nothing else is needed."""

from __future__ import annotations

from pathlib import Path

import click

import server
from engine.errors import InputError
from server.board.pages.app import demonstration_record
from server.commands import serve
from server.options import A_FILE
from server.record.playing import is_claimed
from server.record.store import ensure_folder
from server.web.access.serving import page_port_option

RECORDING = Path(server.__file__).with_name("demo")


@click.command(help="Referee a recorded game that comes along, and open its page; Ctrl-C ends it.")
@page_port_option
@click.option("--no-open", is_flag=True, help="Do not open the page in the browser.")
@click.option("--lights", help="Where the LEDs are, as for serve: auto, /dev/ttyUSB0, udp://host:port.")
@click.option("--protocol", help="What the LEDs speak; default: what is usual at such a port.")
@click.option("--map", "map_file", type=A_FILE, help="LED map; default: one LED in each cell.")
def command(port: int, *, no_open: bool, lights: str | None, protocol: str | None, map_file: Path | None) -> int:
    """The games are kept in a file of their own, beside the own record."""
    record = ensure_folder(demonstration_record())
    if is_claimed(record):
        raise InputError(
            "the demonstration is running already: open its page, or end it with Ctrl-C where it was started"
        )
    film = ["--profile", str(RECORDING / "profile.toml"), "--camera", str(RECORDING), "--new"]
    film += ["--captions", str(RECORDING / "captions.toml")]
    page = ["--record", str(record), "--port", str(port), *([] if no_open else ["--open"])]
    lit = [*(["--lights", lights] if lights else []), *(["--protocol", protocol] if protocol else [])]
    lit += ["--map", str(map_file)] if map_file is not None else []
    status: int = serve.command.main(args=[*film, *page, *lit], prog_name="referee demo", standalone_mode=False)
    return status
