"""How soon a trouble at a board is on the arbiters' page, with many boards in play.

    python -m tests.bench.bench_hall_trouble [--boards 50] [--times 100]

From before the board shows its doubt until a page that listens has heard of it and has the matter in its list.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
import time
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path

from tests.patience import PATIENCE_S, wait_until
from tests.server.board.hall_link.published_table import Table
from tests.server.hall.parts import hall, mosquitto
from tests.server.script import OPENING


class Page:
    """What a page does: listens, and asks for the matters when it hears that there are new ones."""

    def __init__(self, url: str) -> None:
        self._url, self._closed = url, False
        self.matters: set[tuple[str, str]] = set()
        self.changed, self.listens = threading.Condition(), threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        where = f"{self._url}api/v1/hall/events"
        while not self._closed:
            with suppress(OSError), urllib.request.urlopen(where, timeout=30) as stream:  # noqa: S310
                self.listens.set()
                for line in stream:
                    if line.startswith(b"data: {") and json.loads(line[6:])["matters"]:
                        self._ask()

    def _ask(self) -> None:
        with urllib.request.urlopen(f"{self._url}api/v1/hall/matters", timeout=30) as answer:  # noqa: S310
            found = {(one["board"], one["kind"]) for one in json.load(answer)["matters"]}
        with self.changed:
            self.matters = found
            self.changed.notify_all()

    def waits(self, board: str, there: bool) -> None:
        """Until the board's doubt is in the list, or is not any more."""
        with self.changed:
            seen = self.changed.wait_for(lambda: ((board, "doubt") in self.matters) == there, PATIENCE_S)
        assert seen, f"{board}: {there} in vain"

    def close(self) -> None:
        """Listen no more."""
        self._closed = True


def measure(boards: int, times: int) -> list[float]:
    """Milliseconds of each trouble."""
    found = []
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="hall-trouble-")))
        broker = closing.enter_context(mosquitto(folder))
        url = closing.enter_context(hall(broker, str(folder / "hall.sqlite3")))
        tables = {}
        for number in range(1, boards + 1):
            (folder / str(number)).mkdir()
            table = tables[f"table-{number}"] = Table(folder / str(number))
            closing.callback(table.record.close_file)
            closing.callback(table.publisher(broker, f"table-{number}").stop_publishing)
            table.play(OPENING[0])
        page, chance = Page(url), random.Random()
        closing.callback(page.close)

        def all_are_there() -> bool:
            with urllib.request.urlopen(f"{url}api/v1/hall/boards", timeout=30) as answer:  # noqa: S310
                known = json.load(answer)["boards"]
            return sum(one["state"] is not None and one["state"]["ply"] == 1 for one in known) == boards

        wait_until(all_are_there, "not all boards have come")
        assert page.listens.wait(PATIENCE_S)
        for _ in range(times):
            name, table = chance.choice(list(tables.items()))
            time.sleep(0.3)  # longer than a state may follow another
            begun = time.monotonic()
            table.script.unclear()
            page.waits(name, there=True)
            found.append(1000 * (time.monotonic() - begun))
            table.script.waiting()
            page.waits(name, there=False)
    return found


def main() -> None:
    """Run once, and say the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=50)
    parser.add_argument("--times", type=int, default=100)
    asked = parser.parse_args()
    late = sorted(measure(asked.boards, asked.times))
    at = {share: late[int(share * (len(late) - 1))] for share in (0.5, 0.95, 1.0)}
    said = f"median {at[0.5]:.0f} ms, 95 % under {at[0.95]:.0f} ms, worst {at[1.0]:.0f} ms"
    print(f"{len(late)} troubles at {asked.boards} boards: {said}")


if __name__ == "__main__":
    main()
