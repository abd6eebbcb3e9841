"""The pages of tournaments in a browser: what they ask, what they refuse, and names that are written from the right."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import NamedTuple, cast
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from engine.match.events import Result
from server.cli import main
from tests.bench.hall_event_parts import Arbiter, EventBoard
from tests.patience import wait_until
from tests.server.board.pages.test_accessibility import faults
from tests.server.hall.parts import hall, mosquitto
from tests.server.hall.test_hall_run import ask
from tests.server.sides import ARABIC, HEBREW, find_mixed, has_names


class Hall(NamedTuple):
    """A hall that runs, with two boards."""

    url: str
    folder: Path
    arbiter: Arbiter
    boards: tuple[EventBoard, ...]


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    folder = tmp_path_factory.mktemp("club")
    spectators = ("--spectators", str(folder / "live"), "--delay", "0")
    with (
        mosquitto(folder) as broker,
        hall(broker, str(folder / "hall.sqlite3"), *spectators) as url,
        ExitStack() as ending,
    ):
        made = (EventBoard(folder, f"table-{number}", broker.url, "camelot") for number in (1, 2))
        yield Hall(url, folder, Arbiter(url), tuple(ending.enter_context(closing(board)) for board in made))


def open_page(chromium: Chrome, address: str) -> None:
    chromium.get(address)
    wait_until(lambda: chromium.find_element(By.TAG_NAME, "body").get_attribute("data-ready"))


def text_of(chromium: Chrome, place: str = "main") -> str:
    """At once: the page may be drawn anew between finding a place and reading it."""
    return cast(str, chromium.execute_script("return document.querySelector(arguments[0]).innerText", place))  # type: ignore[no-untyped-call]


def test_a_round_robin_is_not_asked_for_its_rounds(club: Hall, chromium: Chrome) -> None:
    open_page(chromium, f"{club.url}tournaments")
    rounds, times = (chromium.find_element(By.NAME, name) for name in ("rounds", "times"))
    assert rounds.is_displayed() and not times.is_displayed()
    Select(chromium.find_element(By.NAME, "system")).select_by_value("round-robin")
    assert times.is_displayed() and not rounds.is_displayed()
    assert faults(chromium) == []
    chromium.find_element(By.NAME, "name").send_keys("rr")
    chromium.find_element(By.NAME, "players").send_keys("A\nB\nC")
    chromium.find_element(By.CSS_SELECTOR, "form.making button").click()
    wait_until(lambda: chromium.current_url.endswith("/tournaments/rr"))
    assert "/ 3" in chromium.find_element(By.TAG_NAME, "h2").text
    club.arbiter.ask("/rr/pair", round=1)
    chromium.refresh()
    wait_until(lambda: "free" in chromium.find_element(By.CSS_SELECTOR, ".tables").text)
    club.arbiter.ask("/rr/unpair", round=1)  # else it holds the first board


def test_a_refusal_stands_in_the_form_with_what_was_written(club: Hall, chromium: Chrome) -> None:
    club.arbiter.ask(name="taken", rounds=3)
    open_page(chromium, f"{club.url}tournaments")
    chromium.find_element(By.NAME, "name").send_keys("taken")
    chromium.find_element(By.NAME, "players").send_keys("A\nB")
    chromium.find_element(By.CSS_SELECTOR, "form.making button").click()
    wait_until(lambda: "already" in chromium.find_element(By.CSS_SELECTOR, "form.making [role=alert]").text)
    assert chromium.find_element(By.NAME, "players").get_attribute("value") == "A\nB"
    assert chromium.find_element(By.ID, "fault").text == ""


def test_it_is_asked_before_somebody_is_taken_off_the_list(club: Hall, chromium: Chrome) -> None:
    club.arbiter.ask(name="list", rounds=3, players="Anna\nBen\nCarl")
    open_page(chromium, f"{club.url}tournaments/list")

    def names() -> list[str]:
        return [one["name"] for one in club.arbiter.ask("/list")["players"]]

    button = "//tr[th='Anna']//button[text()='Take off the list']"
    chromium.find_element(By.XPATH, button).click()
    asked = chromium.switch_to.alert
    assert "Anna" in asked.text and "close up" in asked.text
    asked.dismiss()
    assert names() == ["Anna", "Ben", "Carl"]
    chromium.find_element(By.XPATH, button).click()
    chromium.switch_to.alert.accept()
    wait_until(lambda: names() == ["Ben", "Carl"])


def find_row_places(chromium: Chrome) -> list[float]:
    """Where the numbers and names of the first row begin, in pixels from the left."""
    script = """
    const range = document.createRange();
    return [...document.querySelector(".tables tbody th").querySelectorAll("small, bdi")].map((one) => {
      range.selectNodeContents(one);
      return range.getBoundingClientRect().left;
    });
    """
    places: list[float] = chromium.execute_script(script)  # type: ignore[no-untyped-call]
    return places


def test_names_from_the_right_stand_apart_everywhere(club: Hall, chromium: Chrome) -> None:
    """In the rows of a round numbers and dashes stood on the wrong sides of them."""
    players = f"{ARABIC}; 1700\n{HEBREW}; 1600; FM"
    club.arbiter.ask(
        name="right", rounds=3, title=f"{ARABIC} 2026", place=HEBREW, arbiter=ARABIC, players=players, boards="table-1"
    )
    club.arbiter.ask("/right/pair", round=1)
    names = [one["name"] for one in club.arbiter.open_tables("right")[0]["players"]]
    open_page(chromium, f"{club.url}tournaments/right")
    assert has_names(chromium) and find_mixed(chromium) == []
    club.boards[0].play(names, "1-0", random.Random(1), 2)
    wait_until(lambda: club.arbiter.open_tables("right") == [])
    club.arbiter.ask("/right/result", round=1, table=1, result="0-1", was="1-0", who=HEBREW)
    club.boards[1].play(names, "1-0", random.Random(1), 2)
    for page in ("tournaments", "tournaments/right?edit=1", "hall", "hall/table-1", "watch"):
        open_page(chromium, f"{club.url}{page}")
        wait_until(lambda: has_names(chromium), page)
        assert find_mixed(chromium) == [], page
    open_page(chromium, f"{club.url}tournaments/right")
    places = find_row_places(chromium)
    assert len(places) == 4 and places == sorted(places), "number, name, number, name"
    database = str(club.folder / "hall.sqlite3")
    with pytest.raises(SystemExit):
        main(["tournament", "export", "right", str(club.folder / "site"), "--database", database])
    for file in ("index.html", "round-1.html", "games/round-1-table-1.html"):
        chromium.get((club.folder / "site" / file).as_uri())
        assert has_names(chromium) and find_mixed(chromium) == [], file


def test_a_result_that_its_board_changes_later_is_a_matter_and_spectators_see_what_counts(
    club: Hall, chromium: Chrome
) -> None:
    board = club.boards[0]
    club.arbiter.ask(name="later", rounds=3, players="Anna\nBen\nCarl\nDora", boards="table-1")
    club.arbiter.ask("/later/pair", round=1)
    names = [one["name"] for one in club.arbiter.open_tables("later")[0]["players"]]
    journal = board.begin()
    players = {"players": dict(zip(("white", "black"), names, strict=True))}
    board.end(journal, "0-1", players)
    club.arbiter.ask("/later/result", round=1, table=2, result="1-0", was="", who="Doe")
    wait_until(lambda: club.arbiter.open_tables("later") == [])

    def shown() -> tuple[object, object]:
        rows = json.loads((club.folder / "live" / "boards.json").read_text(encoding="utf-8"))["boards"]
        return next(((row["result"], row["reason"]) for row in rows if row["board"] == "table-1"), ("", ""))

    wait_until(lambda: shown() == ("0-1", "resigned"))
    club.arbiter.ask("/later/pair", round=2)
    board.end(journal, "1-0", players)
    wait_until(lambda: [one["kind"] for one in club.arbiter.ask("matters")["matters"]] == ["changed-later"])
    (matter,) = club.arbiter.ask("matters")["matters"]
    assert matter["changed"] == {"tournament": "later", "round": 1, "table": 1, "says": "1-0", "counts": "0-1"}
    wait_until(lambda: shown() == ("0-1", "ruling"))
    open_page(chromium, f"{club.url}tournaments/later?round=1")
    row = text_of(chromium, ".tables tbody tr")
    assert "the board says 1-0 now; the next round was paired with 0-1" in row
    assert "board" not in row.replace("the board says", ""), "what it no longer says is not its word"
    open_page(chromium, f"{club.url}watch")
    wait_until(lambda: "0-1 · decided by an arbiter" in text_of(chromium))
    open_page(chromium, f"{club.url}hall")
    wait_until(lambda: "the next round was paired with 0-1" in text_of(chromium))
    database = ("--database", str(club.folder / "hall.sqlite3"))
    with pytest.raises(SystemExit):
        main(["tournament", "result", "later", "1", "1", "1-0", "--was", "0-1", *database])
    wait_until(lambda: club.arbiter.ask("matters")["matters"] == [])
    wait_until(lambda: shown() == ("1-0", None), "what the board says counts again")
    asked = Request(f"{club.url}tournaments/later?round=1", headers={"Accept-Language": "de"})  # noqa: S310
    with urlopen(asked) as page:  # noqa: S310
        assert "<bdi>Befehlszeile</bdi>" in page.read().decode()


def test_spectators_names_break_between_words_where_there_is_room(club: Hall, chromium: Chrome) -> None:
    names = ["Wolfeschlegelsteinhausen, Hubertine", "Pfefferminzbonbonhersteller, Anneliese"]
    for board in club.boards:
        board.play(names, "1-0", random.Random(1), 2)
    chromium.set_window_size(1200, 800)
    open_page(chromium, f"{club.url}watch")
    wait_until(lambda: text_of(chromium).count("Pfefferminz") == 2)
    script = """
    const range = document.createRange();
    const lines = (text, from, to) => {
      range.setStart(text, from);
      range.setEnd(text, to);
      return range.getClientRects().length;
    };
    const words = (text) => [...text.data.matchAll(/[^ ]+/g)].map((word) => [text, word.index, word[0]]);
    const all = [...document.querySelectorAll(".seats > span")].flatMap((span) => words(span.firstChild));
    return all.filter(([text, at, word]) => lines(text, at, at + word.length) > 1).map(([, , word]) => word);
    """
    assert chromium.execute_script(script) == []  # type: ignore[no-untyped-call]


def test_a_game_from_before_the_pairing_is_taken_with_one_click(club: Hall, chromium: Chrome) -> None:
    board = club.boards[1]
    club.arbiter.ask(name="click", rounds=3, players="Anna\nBen", boards="table-2")
    journal = board.begin()
    board.move(journal, random.Random(1))
    games = f"{club.url}api/v1/hall/games"
    begun = {"board": "table-2", "name": journal.name, "plies": 1}.items()
    wait_until(lambda: any(begun <= row.items() for row in cast(list[dict[str, object]], ask(games)["games"])))
    club.arbiter.ask("/click/pair", round=1)
    open_page(chromium, f"{club.url}tournaments/click")
    assert "goes on there, and does not count: end it at the board" in text_of(chromium)
    board.end(journal, "1-0", {})
    wait_until(lambda: club.arbiter.open_tables("click")[0]["board_says"] == "1-0")
    open_page(chromium, f"{club.url}tournaments/click")
    assert "has ended 1-0 there" in text_of(chromium)
    chromium.find_element(By.XPATH, "//button[text()='Take this game']").click()
    wait_until(lambda: club.arbiter.open_tables("click") == [])


@pytest.mark.parametrize(("says", "result"), [("The first game counts", "1-0"), ("The second game counts", "0-1")])
def test_which_of_two_games_counts_is_asked_on_the_page(club: Hall, chromium: Chrome, says: str, result: str) -> None:
    """The first was begun before the pairing; the question went when somebody moved in the second."""
    board, name = club.boards[1], f"which-{result}"
    club.arbiter.ask(name=name, rounds=3, players="Anna\nBen", boards="table-2")
    journal = board.begin()
    board.move(journal, random.Random(1))
    games = f"{club.url}api/v1/hall/games"
    begun = {"board": "table-2", "name": journal.name, "plies": 1}.items()
    wait_until(lambda: any(begun <= row.items() for row in cast(list[dict[str, object]], ask(games)["games"])))
    club.arbiter.ask(f"/{name}/pair", round=1)
    board.end(journal, "1-0", {})
    again = board.begin()
    board.move(again, random.Random(1))
    board.end(again, "0-1", {})
    wait_until(lambda: club.arbiter.open_tables(name)[0]["later"] == again.name)
    open_page(chromium, f"{club.url}tournaments/{name}")
    assert "has ended 1-0 there, and another was begun after it: say which one counts" in text_of(chromium)
    chromium.find_element(By.XPATH, f"//button[text()='{says}']").click()
    wait_until(lambda: [row["result"] for row in club.arbiter.ask(f"/{name}")["now"]] == [result])


def test_a_half_point_bye_is_given_and_taken_back_where_the_next_round_is_paired(club: Hall, chromium: Chrome) -> None:
    """It stood in the list of players alone, which of more than 40 is on another page."""
    players = "\n".join(f"Player{number:02}" for number in range(1, 43))
    club.arbiter.ask(name="away", rounds=2, players=players, boards="elsewhere")
    open_page(chromium, f"{club.url}tournaments/away?part=round")

    def give(number: str) -> None:
        """In one step: the page is drawn anew whenever something is told of the tournament."""
        script = """
        const form = document.querySelector("#half-byes form[data-ask]");
        form.elements.number.value = arguments[0];
        form.querySelector("button").click();
        """
        chromium.execute_script(script, number)  # type: ignore[no-untyped-call]

    give("3")
    wait_until(lambda: "Player03: bye ½" in text_in(chromium, "#half-byes"))
    chromium.execute_script("document.querySelector('#half-byes li button').click()")  # type: ignore[no-untyped-call]
    wait_until(lambda: "Player03" not in text_in(chromium, "#half-byes ul"))
    give("4")
    wait_until(lambda: "Player04: bye ½" in text_in(chromium, "#half-byes"))
    club.arbiter.ask("/away/pair", round=1)
    tables = cast(list[dict[str, list[dict[str, object]]]], club.arbiter.ask("/away")["now"])
    assert "Player04" not in {one["name"] for table in tables for one in table["players"]}
    club.arbiter.ask(name="all", system="round-robin", players="Anna\nBen\nCarl")
    open_page(chromium, f"{club.url}tournaments/all")
    assert chromium.find_elements(By.ID, "half-byes") == [], "everybody meets everybody"


def test_the_page_follows_what_is_changed_from_elsewhere(club: Hall, chromium: Chrome) -> None:
    """The hall told its pages of its own changes only: pairing by the command line was not seen until a reload."""
    club.arbiter.ask(name="elsewhere", rounds=3, players="Anna\nBen\nCarl\nDora", boards="elsewhere")
    open_page(chromium, f"{club.url}tournaments/elsewhere")

    def type_command(*words: str) -> None:
        whole = [sys.executable, "-m", "server", "tournament", *words, f"--database={club.folder / 'hall.sqlite3'}"]
        subprocess.run(whole, check=True, capture_output=True)

    type_command("pair", "elsewhere", "1")
    wait_until(lambda: "Round 1" in text_of(chromium), "paired")
    type_command("result", "elsewhere", "1", "1", "1/2-1/2")
    table = "select[data-ask$='/result']"
    wait_until(lambda: value_of(chromium, table) == "1/2-1/2", "entered")
    type_command("result", "elsewhere", "1", "1", "1-0", "--was", "1/2-1/2")
    wait_until(lambda: value_of(chromium, table) == "1-0", "changed")


def text_in(chromium: Chrome, place: str) -> str:
    """Also of what is folded up."""
    return cast(str, chromium.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", place))  # type: ignore[no-untyped-call]


def value_of(chromium: Chrome, place: str) -> str:
    return cast(str, chromium.execute_script("return document.querySelector(arguments[0])?.value ?? ''", place))  # type: ignore[no-untyped-call]


def test_a_matter_of_the_round_before_stays_with_its_game_and_players(club: Hall, chromium: Chrome) -> None:
    """The board is at the next game by now; the ruling was written into that one, and its tile stayed red."""
    board = club.boards[1]
    club.arbiter.ask(name="before", rounds=3, players="Anna\nBen\nCarl\nDora", boards="table-2")
    club.arbiter.ask("/before/pair", round=1)
    names = [one["name"] for one in club.arbiter.open_tables("before")[0]["players"]]
    journal, players = board.begin(), {"players": dict(zip(("white", "black"), names, strict=True))}
    board.end(journal, "0-1", players)
    club.arbiter.ask("/before/result", round=1, table=2, result="1-0", was="", who="Doe")
    wait_until(lambda: club.arbiter.open_tables("before") == [])
    club.arbiter.ask("/before/pair", round=2)
    following = board.begin()
    journal.write_events([Result(9.0, "1/2-1/2", "ruling")])
    wait_until(lambda: [one["on"]["game"] for one in club.arbiter.ask("matters")["matters"]] == [following.name])
    (matter,) = club.arbiter.ask("matters")["matters"]
    assert matter["kind"] == "changed-later"
    assert (matter["game"], matter["players"]) == (journal.name, names)
    open_page(chromium, f"{club.url}hall")
    tile = "[data-board=table-2]"
    wait_until(lambda: "its result was changed" in text_of(chromium, tile))
    link = chromium.find_element(By.CSS_SELECTOR, "#matters a[href*=tournaments]")
    assert link.get_attribute("href") == f"{club.url}tournaments/before?round=1", "where another result is given"
    where, version = f"matters/{matter['id']}", matter["version"]
    club.arbiter.ask(f"{where}/claim", version=version, who="Anna")
    club.arbiter.ask(f"{where}/rule", version=version + 1, who="Anna", ruling="it stays")
    wait_until(lambda: "its result was changed" not in text_of(chromium, tile), "somebody has decided")
    rulings = cast(list[dict[str, object]], ask(f"{club.url}api/v1/hall/boards/table-2/rulings")["rulings"])
    assert [one["game"] for one in rulings] == [journal.name], "it goes into the record of its game"


def test_a_game_that_ends_otherwise_than_the_arbiter_had_said_is_seen(club: Hall, chromium: Chrome) -> None:
    """Half a point was given while it went on; then a side resigned at the board, and nothing said that they differ."""
    board = club.boards[1]
    club.arbiter.ask(name="against", rounds=3, players="Anna\nBen", boards="table-2")
    with suppress(HTTPError):  # it holds the board, if its test has run here
        for table in club.arbiter.open_tables("before"):
            club.arbiter.ask("/before/result", round=2, table=table["table"], result="1-0", was="", who="Doe")
    club.arbiter.ask("/against/pair", round=1)
    club.arbiter.ask("/against/board", round=1, table=1, board="table-2")
    journal = board.begin()
    wait_until(lambda: club.arbiter.open_tables("against")[0]["game"] == journal.name)
    club.arbiter.ask("/against/result", round=1, table=1, result="1/2-1/2", was="", who="Doe")
    board.end(journal, "1-0", {})
    wait_until(lambda: "contradicted" in [one["kind"] for one in club.arbiter.ask("matters")["matters"]])
    (row,) = club.arbiter.ask("/against")["now"]
    assert (row["result"], row["source"], row["board_says"], row["misfit"]) == ("1/2-1/2", "Doe", "1-0", "contradicted")
    open_page(chromium, f"{club.url}tournaments/against")
    assert "the board says 1-0; what the arbiter said before counts" in text_of(chromium)
    open_page(chromium, f"{club.url}hall")
    wait_until(lambda: "the board says 1-0; the arbiter had said 1/2-1/2" in text_of(chromium))
    (matter,) = [one for one in club.arbiter.ask("matters")["matters"] if one["kind"] == "contradicted"]
    item = f"#matters [data-matter='{matter['id']}']"
    chromium.find_element(By.ID, "who").send_keys("Doe")
    chromium.find_element(By.CSS_SELECTOR, f"{item} button").click()
    wait_until(lambda: "1-0 counts, as the board says" in text_of(chromium, item))
    chromium.find_element(By.XPATH, "//button[text()='1-0 counts, as the board says']").click()
    wait_until(lambda: "1-0 counts now instead of 1/2-1/2. The standings have changed" in text_of(chromium))
    (row,) = club.arbiter.ask("/against")["now"]
    assert (row["result"], row["source"], row["misfit"]) == ("1-0", "Doe", "")
    rulings = cast(list[dict[str, object]], ask(f"{club.url}api/v1/hall/boards/table-2/rulings")["rulings"])
    assert rulings[0]["ruling"] == "1-0 counts, as the board says"
