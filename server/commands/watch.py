"""`referee watch`: a camera in, one JSON object a line out."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click

from engine.match.referee import new_match
from server.board.board_options import ChosenBoard, board_options, trace_option
from server.board.live.watching import watch_source
from server.board.player_options import naming_of, naming_options
from server.exits import DONE
from server.masking import print_line
from server.options import A_FILE
from server.record.journal import GameBook, Journal, next_name
from server.record.playing import claim_record
from server.record.seal import load_sealer
from server.record.store import open_record, record_at
from server.record.traces.session import GameTally
from server.record.traces.trace import Tracer, open_trace
from vision.watch.watcher import Watcher

UNDER_HAND = "the recording ends with a hand over the board: what it has played last cannot be seen"


@click.command(help="Referee what a camera sees and write the events to standard output.")
@board_options()
@click.option("--realtime", is_flag=True, help="Play recordings at their own speed.")
@click.option("--record", type=A_FILE, help="Keep the game here too.")
@trace_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line (the default).")
@naming_options
def command(
    chosen: ChosenBoard,
    *,
    realtime: bool,
    record: Path | None,
    trace: Path | None,
    as_json: bool,
    naming: Mapping[str, object],
) -> int:
    """Exit 0 at the end of the recording, 2 if the input cannot be used."""
    opened = chosen.load_board()
    game = opened.game
    named = naming_of(naming, game.seats)
    match = new_match(game, opened.start)
    begun = time.perf_counter()
    with ExitStack() as open_files:
        tracer = None if trace is None else Tracer(open_files.enter_context(open_trace(trace)), match)
        watcher = Watcher(opened.profile, match, tracer)
        book = None
        if record is not None:
            file = record_at(record)
            claim = open_files.enter_context(claim_record(file))
            kept = open_files.enter_context(open_record(file))
            claim.hold_file()  # it may only have been made now
            journal = Journal(kept, next_name(kept, game.name), load_sealer())
            journal.begin_game(watcher.match)
            book = GameBook(journal)
        if named is not None:
            said = named.to_event(0.0, "page")
            if book is not None:
                book.journal.write_note(said)
            click.echo(json.dumps(said.to_json()))
        tally = GameTally()
        unnamed = opened.unnamed_rules
        for events in watch_source(watcher, opened.camera, chosen.fps, opened.guarded, realtime=realtime):
            if unnamed:  # only now, for what cannot be watched is told in one line
                print_line(f"referee: {unnamed}", err=True)
                unnamed = ""
            # What is said has been written: a power cut loses no reported move.
            tally.note_events(events, watcher.match)
            for event in events:
                if book is not None:
                    book.write_event(event, watcher.match)
                click.echo(json.dumps(event.to_json()))
    spent = time.perf_counter() - begun
    if watcher.has_ended_under_hand:
        print_line(f"referee: {UNDER_HAND}", err=True)
    last = {
        "event": "end",
        "plies": tally.ply_count,
        "games": tally.game_count,
        "frames": watcher.stages.frames,
        "seconds": round(spent, 3),
        "under_hand": watcher.has_ended_under_hand,
    }
    click.echo(json.dumps(last | watcher.stages.look_costs() | {"stages": watcher.stages.stage_medians()}))
    return DONE
