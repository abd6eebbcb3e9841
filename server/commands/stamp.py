"""`referee stamp`: have an authority sign when the games of a record were sealed."""

from __future__ import annotations

from pathlib import Path

import click

from server.commands._time_stamps import stamped
from server.exits import DONE
from server.record.seal import SEALED, STAMPED
from server.record.store import existing, open_record


@click.command(help="Have an authority (RFC 3161) stamp the last seal of each game that has no stamp yet.")
@click.option(
    "--tsa", "url", required=True, metavar="URL", help="The authority that is asked, http://... or https://..."
)
@click.option("--record", "path", type=click.Path(dir_okay=False, path_type=Path), help="Default: your own record.")
def command(url: str, path: Path | None) -> int:
    """Exit 0 when each sealed game has its stamp; what was stamped before an authority fails stays."""
    with open_record(existing(path)) as record:
        last: dict[str, tuple[int, dict[str, object]]] = {}
        done: set[tuple[str, object]] = set()
        for game, number, event in record.every(SEALED, STAMPED):
            if event["event"] == SEALED:
                last[game] = (number, event)
            elif event["event"] == STAMPED:
                done.add((game, event.get("number")))
        waiting = {game: seal for game, seal in last.items() if (game, seal[0]) not in done}
        for game, (number, seal) in waiting.items():
            event = stamped(url, number, seal)
            record.append(game, event)
            click.echo(f"{game}: its seal, event {number}, was there at {event['at']}, says {url}")
        if not waiting:
            click.echo("nothing to stamp: no game was sealed since the last time")
    return DONE
