"""What the hall's pages cost with many boards: elements, bytes, requests, and the browser's share of a processor.

    python -m tests.bench.bench_hall_page [--boards 200] [--players 401] [--rate 20] [--seconds 20] [--picture FILE]

The boards are retained states that a client publishes, and so many moves a second afterwards. The pages of a tournament
are measured with a round whose results are given meanwhile.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from selenium.webdriver import Chrome, ChromeOptions

from server.board.hall_link import reports
from server.mqtt import wire
from tests.bench.hall_boards import made_game
from tests.bench.hall_event_parts import Arbiter
from tests.patience import wait_until
from tests.server.hall.parts import hall, mosquitto

LONGEST_NAMES = ("Müller-Lüdenscheidt, Karl-Friedrich", "O'Neill-Castellanos de la Vega, María")
SIZES = {"desk": (1920, 1080), "tablet": (1024, 768), "phone": (390, 844)}


def states(boards: int) -> list[list[dict[str, object]]]:
    """The states of a game by chance, for each board."""
    games = [made_game(seed) for seed in range(4)]
    found = []
    for number in range(1, boards + 1):
        name, rows = f"table-{number}", games[number % len(games)]
        details = {"players": dict(zip(("white", "black"), LONGEST_NAMES, strict=True))}
        found.append(
            [
                reports.build_state(name, {**shown, "name": "camelot-0001", "details": details}, 0, "")
                for _, shown in rows
            ]
        )
    return found


def main() -> None:
    """Measure, and say it in lines."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--boards", type=int, default=200)
    asked.add_argument("--players", type=int, default=401)
    asked.add_argument("--rate", type=float, default=20.0)
    asked.add_argument("--seconds", type=float, default=20.0)
    asked.add_argument("--picture", type=Path)
    chosen = asked.parse_args()
    options = ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    with tempfile.TemporaryDirectory() as name, mosquitto(Path(name)) as broker:
        client = mqtt.Client(CallbackAPIVersion.VERSION2, "boards", protocol=mqtt.MQTTv5)
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        games = states(chosen.boards)
        for game in games:
            board = str(game[0]["board"])
            client.publish(f"camelot/{board}/available", wire.ONLINE, qos=1, retain=True)
            client.publish(f"camelot/{board}/state", wire.build_payload(wire.STATE, game[0]), qos=1, retain=True)
        with hall(broker, str(Path(name) / "hall.sqlite3")) as url, Chrome(options) as chrome:  # type: ignore[no-untyped-call]
            chrome.set_window_size(*SIZES["desk"])
            chrome.get(f"{url}hall")
            ready = (
                "return document.body.dataset.ready === 'yes' && document.querySelectorAll('#boards article').length"
            )
            wait_until(lambda: chrome.execute_script(ready) == chosen.boards)  # type: ignore[no-untyped-call]
            time.sleep(2)
            _say_loaded(chrome)
            _say_busy(chrome, client, games, chosen.rate, chosen.seconds)
            for size, (width, height) in SIZES.items():
                if chosen.picture:
                    chrome.set_window_size(width, height)
                    time.sleep(1)
                    chrome.save_screenshot(str(chosen.picture.with_name(f"{chosen.picture.stem}-{size}.png")))
            _say_tournament(chrome, url, chosen.players)
        client.loop_stop()


def _say_tournament(chrome: Chrome, url: str, players: int) -> None:
    """What the parts of a tournament take after three rounds, and while results of the fourth are given."""
    arbiter = Arbiter(url)
    names = (f"Müller-Lüdenscheidt{number}, Karl-Friedrich; {2400 - number}" for number in range(players))
    arbiter.ask(name="big", rounds=9, players="\n".join(names))
    for round_ in range(1, 5):
        arbiter.ask("/big/pair", round=round_)
        for table in range(1, players // 2 + 1 if round_ < 4 else 1):
            arbiter.ask("/big/result", round=round_, table=table, result="1-0" if table % 3 else "1/2-1/2", was="")
    for part in ("round", "standings", "crosstable", "players"):
        chrome.get("about:blank")
        chrome.get_log("performance")  # type: ignore[no-untyped-call]  # of what was before
        begun = time.monotonic()
        chrome.get(f"{url}tournaments/big?part={part}")
        wait_until(lambda: chrome.execute_script("return document.body.dataset.ready === 'yes'"))  # type: ignore[no-untyped-call]
        print(f"{players} players, {part}: ready after {time.monotonic() - begun:.1f} s")
        _say_loaded(chrome)
    chrome.get(f"{url}tournaments/big")
    chrome.execute_cdp_cmd("Performance.enable", {})  # type: ignore[no-untyped-call]
    before, begun = _task_s(chrome), time.monotonic()
    for table in range(1, 21):
        arbiter.ask("/big/result", round=4, table=table, result="1-0", was="")
        time.sleep(max(0.0, begun + table - time.monotonic()))
    share = 100 * (_task_s(chrome) - before) / (time.monotonic() - begun)
    print(f"a result a second: the renderer takes {share:.1f} % of a core")


def _say_loaded(chrome: Chrome) -> None:
    """What it took until the page was there."""
    count = "return document.evaluate('count(//node())', document, null, 1).numberValue"  # not those of pages before
    nodes = round(chrome.execute_script(count))  # type: ignore[no-untyped-call]
    elements = chrome.execute_script("return document.querySelectorAll('*').length")  # type: ignore[no-untyped-call]
    messages = [json.loads(row["message"])["message"] for row in chrome.get_log("performance")]  # type: ignore[no-untyped-call]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    taken = sum(m["params"]["encodedDataLength"] for m in messages if m["method"] == "Network.loadingFinished")
    api = [url for url in sent if "/api/" in url]
    print(*api, sep="\n")
    print(
        f"{elements} elements, {nodes} nodes, {taken / 1000:.0f} kB, {len(sent)} requests, {len(api)} of them for data"
    )


def _say_busy(
    chrome: Chrome, client: mqtt.Client, games: list[list[dict[str, object]]], rate: float, seconds: float
) -> None:
    """How much of a core the renderer takes while boards play."""
    chance, begun = random.Random(1), time.monotonic()
    at = [0] * len(games)
    chrome.execute_cdp_cmd("Performance.enable", {})  # type: ignore[no-untyped-call]
    before = _task_s(chrome)
    for number in range(round(rate * seconds)):
        time.sleep(max(0.0, begun + number / rate - time.monotonic()))
        board = chance.randrange(len(games))
        at[board] = (at[board] + 1) % len(games[board])
        state = wire.build_payload(wire.STATE, games[board][at[board]])
        client.publish(f"camelot/{games[board][0]['board']}/state", state, qos=1, retain=True)
    spent = _task_s(chrome) - before
    print(f"{rate:.0f} moves a second: the renderer takes {100 * spent / (time.monotonic() - begun):.1f} % of a core")


def _task_s(chrome: Chrome) -> float:
    metrics = chrome.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]  # type: ignore[no-untyped-call]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


if __name__ == "__main__":
    main()
