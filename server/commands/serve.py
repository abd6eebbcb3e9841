"""`referee serve`: the camera, the lights, the record and the page together."""

from __future__ import annotations

import os
from dataclasses import replace

import click

from server.board.board_options import board_options
from server.board.option_check import check_options
from server.board.player_options import naming_options
from server.board.prepared import check_terms
from server.board.publishing import hall_options
from server.board.serve_options import ServeOptions, keeping_options, lighting_options, page_options, terms_options
from server.board.table import run_table
from server.exits import DONE
from server.options import FILE_OR_FOLDER, gather_options
from server.settings import ChangeableOptions, default_path, shown_options
from server.web.access.serving import serving_options
from server.web.preferences import Options


@click.command(help="Referee what a camera sees, with page, lights and record.")
@board_options()
@click.option("--realtime", is_flag=True, help="Play recordings at their own speed.")
@click.option("--captions", hidden=True, type=FILE_OR_FOLDER, help="Explain a recording: `referee demo`.")
@terms_options
@keeping_options
@page_options
@lighting_options
@naming_options
@hall_options
@serving_options
@gather_options("asked", ServeOptions)
def command(asked: ServeOptions) -> int:
    """Run until Ctrl-C, or until the system ends it: then lights go off and the record is closed all the same."""
    check_options(asked)
    context = click.get_current_context()
    options = Options(
        shown_options(context), ChangeableOptions("serve", context, default_path(os.environ), check_terms)
    )
    with asked.serving.open_listener() as kept:
        onward: ServeOptions | None = replace(asked, serving=replace(asked.serving, kept=kept))
        while onward is not None:
            onward = run_table(onward, options)
    return DONE
