"""From nothing to the first move, as a newcomer goes: no profile, a recording as camera, the whole program."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from selenium import webdriver
from selenium.webdriver.common.by import By

from calibration import profile as profiles
from server.board.pages.wizard import Wizard, create_wizard
from server.board.setup.diagnosis import Cause, Diagnosis
from server.web.access.accounts import Accounts, Door, add_key, create_account, write_accounts
from server.web.access.visitors import Visitors
from tests.bench.wrong_setups import mirrored, plain
from tests.browser import await_script, size
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.render.script import Recipe
from tests.server.board.setup.streams import mjpeg
from tests.server.bundled import SESSION
from tests.server.served import serve_app
from tests.vision.pictures import photograph, scene_of, true_views

ROOT = Path(__file__).parents[4]
STANDS_AT_S = 1.75
"""By then the pieces have been set up in the bundled game, and no hand is near yet."""


def test_from_nothing_to_the_first_move(chromium: webdriver.Chrome, film: Path, tmp_path: Path) -> None:
    own = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-u", "-m", "server", "serve", "--port", "0"]

    until = partial(await_script, chromium)

    def tap(selector: str) -> None:
        chromium.execute_script("document.querySelector(arguments[0]).click()", selector)

    def show_camera(source: str) -> None:
        chromium.execute_script("document.getElementById('source').value = arguments[0]", source)
        tap("#step-camera button")

    with started(
        command, cwd=film.parent, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, process.stderr.read()
            size(chromium, 1280, 900)
            chromium.get(found[0])
            until("document.body.dataset.ready === 'yes'")
            chromium.execute_script("document.querySelector('.offer:not([hidden]) [value=brainking]').click()")
            show_camera("/nowhere.mp4")
            until("document.getElementById('camera-fault').textContent !== ''")
            show_camera(str(film))
            until("!document.getElementById('keep').disabled")
            until("document.getElementById('fit-told').classList.contains('good')")
            show_camera("/nowhere.mp4")
            until("document.getElementById('picture').hidden && document.getElementById('fit-told').textContent === ''")
            until("document.getElementById('camera-fault').textContent !== ''")
            show_camera(str(film))
            until("document.getElementById('fit-told').classList.contains('good')")
            tap("#keep")
            until("document.getElementById('pieces-told').classList.contains('good')")
            tap("#start")
            until("document.querySelector('#moves td[data-ply=\"1\"]') !== null")
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()
    profile = profiles.load_profile(tmp_path / "camelot-referee" / "board.toml")
    assert (profile.game, profile.rules, profile.source) == ("camelot", "brainking", str(film))


def test_from_the_demonstration_to_the_own_board(chromium: webdriver.Chrome, film: Path, tmp_path: Path) -> None:
    """The recording waits while the board is set up, its pages stay, and so do its games beside the own one."""
    own = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-u", "-m", "server", "demo", "--no-open", "--port", "0"]

    until = partial(await_script, chromium)

    def tap(selector: str) -> None:
        until(f"document.querySelector('{selector}')?.matches(':enabled')")
        chromium.execute_script("document.querySelector(arguments[0]).click()", selector)

    with started(command, cwd=film.parent, env=own, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+/", process.stdout.readline())
            assert found
            size(chromium, 1280, 900)
            chromium.get(found[0])
            until("document.querySelector('#board [data-piece]') !== null")
            tap("[data-film=own-board]")
            until("location.pathname === '/own-board/' && document.body.dataset.ready === 'yes'")
            for page, shown in (("games", "camelot-0001"), ("spectator", "Camelot"), ("", "A recording")):
                chromium.get(found[0] + page)
                until(f"document.body.textContent.includes('{shown}')")
            until("document.querySelector('[data-film=go-on]') !== null")
            tap("[data-film=own-board]")
            until("location.pathname === '/own-board/' && document.body.dataset.ready === 'yes'")
            chromium.execute_script("document.getElementById('source').value = arguments[0]", str(film))
            tap("#step-camera button.main")
            until("document.getElementById('fit-told').classList.contains('good')")
            tap("#keep")
            until("document.getElementById('pieces-told').classList.contains('good')")
            tap("#start")
            until("location.pathname === '/' && document.querySelector('#moves td[data-ply=\"1\"]') !== null")
            assert chromium.execute_script("return document.getElementById('film')") is None
            chromium.get(f"{found[0]}games")
            chromium.find_element(By.LINK_TEXT, "Games of the demonstration").click()
            until("location.pathname === '/demonstration/games'")
            chromium.find_element(By.LINK_TEXT, "camelot-0001").click()
            until("location.pathname === '/demonstration/games/camelot-0001' && document.querySelector('svg') !== null")
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()


def test_a_mirrored_picture_is_turned_back(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    """The game cannot be started before somebody has said where the hand is."""
    cv2.imwrite(str(tmp_path / "camera.png"), mirrored(plain(7)))
    wizard = Wizard(tmp_path / "board.toml", 8, str(tmp_path / "camera.png"))
    site = serve_app(create_wizard(wizard))

    until = partial(await_script, chromium)

    def tap(selector: str) -> None:
        until(f"!document.querySelector('{selector}').matches(':disabled')")
        chromium.find_element(By.CSS_SELECTOR, selector).click()

    try:
        size(chromium, 1280, 900)
        chromium.get(site.url)
        until("document.body.dataset.ready === 'yes'")
        tap("#step-camera button.main")
        tap("#keep")
        until("!document.getElementById('way-round').hidden")
        assert chromium.execute_script("return document.getElementById('start').disabled")
        assert chromium.find_element(By.ID, "way-mirrored").text == "At L1"
        shown = os.environ.get("SHOWN")
        if shown:
            chromium.save_screenshot(shown)
        tap("#way-mirrored")
        until("document.getElementById('step-pieces').disabled")
        tap("#keep")
        until("document.getElementById('pieces-told').classList.contains('good')")
        assert chromium.execute_script("return document.getElementById('way-round').hidden")
        tap("#start")
        assert wizard.done.wait(PATIENCE_S)
    finally:
        chromium.get("about:blank")
        site.stop_server()
    assert profiles.load_profile(tmp_path / "board.toml").source == f"mirrored:{tmp_path / 'camera.png'}"


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    return create_wizard(Wizard(tmp_path / "board.toml", 8, "", tmp_path.parent)).test_client()


def test_the_steps_are_asked_in_their_order(client: FlaskClient) -> None:
    assert client.get("/api/v1/camera.jpg").status_code == 204
    assert client.post("/api/v1/setup/find", json={}).status_code == 409
    assert client.post("/api/v1/wizard/pieces", json={}).status_code == 409
    start = {"port": "", "protocol": "adalight"}
    assert client.post("/api/v1/wizard/start", json=start).status_code == 409
    assert client.post("/api/v1/wizard/start", json=start | {"protocol": "morse"}).status_code == 422
    for port in ("spy://loop://?file=board.toml", "udp://127.0.0.1:53", "/etc/passwd"):
        assert client.post("/api/v1/wizard/start", json=start | {"port": port}).status_code == 422
    for wrong in ({}, {"game": "camelot", "rules": "", "camera": 3}, {"game": "ludo", "rules": "", "camera": "0"}):
        assert client.post("/api/v1/wizard/camera", json=wrong).status_code == 422
    missing = {"game": "camelot", "rules": "", "camera": "/nowhere/film.mp4"}
    answer = client.post("/api/v1/wizard/camera", json=missing)
    assert (answer.status_code, "/nowhere/film.mp4" in answer.get_json()["detail"]) == (422, True)


def test_who_watches_over_it_is_told_that_it_has_no_game_yet(client: FlaskClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()) == (503, {"status": "starting"})
    metrics = client.get("/metrics")
    assert (metrics.status_code, "referee_http_requests_total" in metrics.get_data(as_text=True)) == (200, True)


def test_pieces_that_stand_wrong_are_named(client: FlaskClient, film: Path) -> None:
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(film)}
    assert client.post("/api/v1/wizard/camera", json=chosen).get_json()["size"] == [960, 720]
    found = client.post("/api/v1/setup/find", json={}).get_json()
    turned = [[*corners[2:], *corners[:2]] for corners in found["corners"]]
    other = client.post("/api/v1/setup/find", json={"corners": turned}).get_json()
    assert client.post("/api/v1/setup/save", json={"number": other["number"], "force": True}).status_code == 200
    assert client.post("/api/v1/wizard/pieces", json={}).get_json()["cause"] != "ready"


def test_which_pieces_white_plays_is_said_on_the_page(client: FlaskClient, film: Path) -> None:
    """The markers say where White sits, and its pieces are the lighter ones there."""
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(film)}
    assert client.post("/api/v1/wizard/camera", json=chosen | {"white": "brown"}).status_code == 422
    for white, cause in (("lighter", "ready"), ("darker", "turned"), ("lighter", "ready")):
        assert client.post("/api/v1/wizard/camera", json=chosen | {"white": white}).status_code == 200
        found = client.post("/api/v1/setup/find", json={}).get_json()
        assert client.post("/api/v1/setup/save", json={"number": found["number"]}).status_code == 200
        assert client.post("/api/v1/wizard/pieces", json={}).get_json()["cause"] == cause


def test_a_film_is_looked_at_where_the_pieces_stand(tmp_path: Path) -> None:
    """Its first picture shows an empty board, as films do that begin before the players come."""
    client = create_wizard(Wizard(tmp_path / "board.toml", 8, "", SESSION.parent)).test_client()
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(SESSION)}
    assert client.post("/api/v1/wizard/film", json={"t": 1.0}).status_code == 409
    assert client.post("/api/v1/wizard/camera", json=chosen).get_json()["duration_s"] > 10
    for wrong in ({}, {"t": -1}, {"t": "soon"}, {"t": True}, {"t": 1e9}):
        assert client.post("/api/v1/wizard/film", json=wrong).status_code == 422
    seen = []
    for t in (0.0, STANDS_AT_S):
        assert client.post("/api/v1/wizard/film", json={"t": t}).status_code == 200
        found = client.post("/api/v1/setup/find", json={}).get_json()
        assert client.post("/api/v1/setup/save", json={"number": found["number"], "force": True}).status_code == 200
        seen.append(client.post("/api/v1/wizard/pieces", json={}).get_json())
    assert [answer["cause"] for answer in seen] == ["empty", "ready"]


def test_another_moment_asks_for_the_board_anew(client: FlaskClient, film: Path) -> None:
    assert (
        client.post("/api/v1/wizard/camera", json={"game": "camelot", "rules": "wcf", "camera": str(film)}).status_code
        == 200
    )
    found = client.post("/api/v1/setup/find", json={}).get_json()
    assert client.post("/api/v1/setup/save", json={"number": found["number"]}).status_code == 200
    assert client.post("/api/v1/wizard/film", json={"t": 2.0}).status_code == 200
    assert client.post("/api/v1/wizard/pieces", json={}).status_code == 409


def test_the_same_place_may_be_looked_at_in_another_moment(tmp_path: Path) -> None:
    """As the page does that looks through a film for its start position."""
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(SESSION)}
    client = create_wizard(Wizard(tmp_path / "board.toml", 8, "", SESSION.parent)).test_client()
    assert client.post("/api/v1/wizard/camera", json=chosen).status_code == 200
    found = client.post("/api/v1/setup/find", json={}).get_json()
    assert client.post("/api/v1/setup/save", json={"number": found["number"], "force": True}).status_code == 200
    assert client.post("/api/v1/wizard/pieces", json={}).get_json()["cause"] == "empty"
    assert client.post("/api/v1/wizard/film", json={"t": STANDS_AT_S, "same_place": True}).status_code == 200
    assert client.post("/api/v1/wizard/pieces", json={}).get_json()["cause"] == "ready"


DEAD_ENDS = {
    "text.txt": (b"not a film at all", "is a text file, not a film"),
    "broken.mp4": (b"\0\0\0\x18ftypmp42" + bytes(3000), "neither a picture nor a video"),
    "broken.jpg": (b"\xff\xd8\0" + bytes(3000), "not a picture"),
    "empty.mp4": (b"", "the file is empty"),
    "song.mp3": (b"ID3\4" + bytes(3000), "neither a picture nor a video"),
}


@pytest.mark.parametrize("name", DEAD_ENDS)
def test_what_cannot_be_shown_says_why_and_another_try_goes_on(client: FlaskClient, film: Path, name: str) -> None:
    """A dead end leaves everything as it was: the next try begins anew."""
    held, why = DEAD_ENDS[name]
    (film.parent / name).write_bytes(held)
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(film.parent / name)}
    answer = client.post("/api/v1/wizard/camera", json=chosen)
    assert (answer.status_code, why in answer.get_json()["detail"]) == (422, True)
    assert client.post("/api/v1/setup/find", json={}).status_code == 409
    assert client.post("/api/v1/wizard/camera", json=chosen | {"camera": str(film)}).status_code == 200
    assert client.post("/api/v1/setup/find", json={}).status_code == 200


@pytest.mark.parametrize(
    ("camera", "why"),
    [
        ("", "give its number"),
        ("http://", "has no host in it"),
        ("http://[::1", "not a valid address"),
        ("htp://192.168.0.20/video", "addresses begin with http"),
        ("evening.mp4", "films must be in"),
        ("~/nowhere/evening.mp4", "films must be in"),
        ("phone:", "no pictures come"),
        ("98", "camera 98: cannot be opened; is it plugged in"),
    ],
)
def test_what_is_typed_wrong_is_said_once(client: FlaskClient, camera: str, why: str) -> None:
    answer = client.post("/api/v1/wizard/camera", json={"game": "camelot", "rules": "wcf", "camera": camera})
    said = answer.get_json()["detail"]
    assert (answer.status_code, why in said, "camera" in said[1:]) == (422, True, False), said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Kamera http://…@[::1]/: eine Adresse dieses Rechners selbst: Geben Sie sie beim Start"),
        ("fr", "caméra http://…@[::1]/\u00a0: une adresse de cette machine même"),
        ("pt-BR, pt;q=0.9", "câmara http://…@[::1]/: um endereço desta própria máquina"),
        ("nl", "camera http://…@[::1]/: an address of this machine itself"),
    ],
)
def test_what_is_wrong_is_said_in_the_language_of_who_reads(client: FlaskClient, language: str, said: str) -> None:
    """The reason within the sentence too, and never a password."""
    chosen = {"game": "camelot", "rules": "wcf", "camera": "http://anna:secret@[::1]/"}
    answer = client.post("/api/v1/wizard/camera", json=chosen, headers={"Accept-Language": language})
    assert answer.get_json()["detail"].startswith(said)


def test_a_path_may_be_pasted_in_quotes(client: FlaskClient, film: Path) -> None:
    for quote in "'\"":
        chosen = {"game": "camelot", "rules": "wcf", "camera": f"{quote}{film}{quote}"}
        assert client.post("/api/v1/wizard/camera", json=chosen).status_code == 200


def test_a_film_without_a_board_is_said_and_corners_can_still_be_dragged(client: FlaskClient, tmp_path: Path) -> None:
    lot = np.random.default_rng(5)
    blank = cv2.GaussianBlur(lot.normal(120, 30, (480, 640, 3)).clip(0, 255).astype(np.uint8), (0, 0), 9)
    cv2.imwrite(str(tmp_path.parent / "table.png"), blank)
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(tmp_path.parent / "table.png")}
    assert client.post("/api/v1/wizard/camera", json=chosen).status_code == 200
    answer = client.post("/api/v1/setup/find", json={})
    assert (answer.status_code, bool(answer.get_json()["detail"])) == (422, True)
    corners = [[[100, 400], [540, 400], [540, 80], [100, 80]]]
    dragged = client.post("/api/v1/setup/find", json={"corners": corners})
    assert dragged.status_code in {200, 422}
    if dragged.status_code == 200:
        number = dragged.get_json()["number"]
        assert client.post("/api/v1/setup/save", json={"number": number}).status_code == 422


def test_a_disk_that_takes_no_profile_is_said(film: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    client = create_wizard(Wizard(tmp_path / "file" / "board.toml", 8, "", film.parent)).test_client()
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(film)}
    assert client.post("/api/v1/wizard/camera", json=chosen).status_code == 200
    found = client.post("/api/v1/setup/find", json={}).get_json()
    assert client.post("/api/v1/setup/save", json={"number": found["number"]}).status_code == 200
    answer = client.post("/api/v1/wizard/start", json={"port": "", "protocol": "adalight", "anyhow": True})
    assert (answer.status_code, "board.toml" in answer.get_json()["detail"]) == (500, True)


@pytest.mark.parametrize(
    ("game", "chosen", "kept"),
    [
        ("camelot", {"port": "udp://10.0.0.9:4048", "protocol": "ddp"}, {"map", "baud", "port", "protocol"}),
        ("camelot", {"port": "udp://10.0.0.8:4048", "protocol": "ddp"}, {"port", "protocol"}),
        ("camelot", {"port": "udp://10.0.0.9:4048", "protocol": "drgb"}, {"port", "protocol"}),
        ("camblam", {"port": "udp://10.0.0.9:4048", "protocol": "ddp"}, {"port", "protocol"}),
        ("camelot", {}, set()),
    ],
)
def test_what_a_profile_says_of_its_lights_is_kept_with_them(
    film: Path, tmp_path: Path, game: str, chosen: dict[str, str], kept: set[str]
) -> None:
    """Set up anew, a display has its map and speed still; another display or game has none of them."""
    wizard = Wizard(tmp_path / "board.toml", 8, "", film.parent)
    lights = {"port": "udp://10.0.0.9:4048", "protocol": "ddp", "map": "mine.json", "baud": "500000"}
    wizard.known = profiles.Profile(game, (), (), lights=lights)
    client = create_wizard(wizard).test_client()
    client.post("/api/v1/wizard/camera", json={"game": "camelot", "rules": "wcf", "camera": str(film)})
    number = client.post("/api/v1/setup/find", json={}).get_json()["number"]
    client.post("/api/v1/setup/save", json={"number": number})
    wizard.start_game(chosen, anyhow=True)
    assert set(profiles.load_profile(tmp_path / "board.toml").lights) == kept


def test_with_accounts_the_board_is_set_up_by_an_arbiter(tmp_path: Path) -> None:
    """So a computer without a screen is set up from another one."""
    accounts, keys = Accounts(), {}
    for role in ("player", "arbiter"):
        account, keys[role] = add_key(create_account(role, role, ""))
        accounts = accounts.with_account(account)
    write_accounts(tmp_path / "accounts.json", accounts)
    wizard = Wizard(tmp_path / "board.toml", 8, "", SESSION.parent)
    client = create_wizard(wizard, visitors=Visitors(door=Door(tmp_path / "accounts.json"))).test_client()
    chosen = {"game": "camelot", "rules": "wcf", "camera": str(SESSION)}
    told = {"page": [], "camera": []}
    for role in ("", "player", "arbiter"):
        who = {"Authorization": f"Bearer {keys[role]}"} if role else {}
        told["page"].append(client.get("/", headers=who | {"Accept": "text/html"}).status_code)
        told["camera"].append(client.post("/api/v1/wizard/camera", json=chosen, headers=who).status_code)
    assert told == {"page": [303, 403, 200], "camera": [401, 403, 200]}
    wizard.release_camera()


def test_of_two_looks_at_the_pieces_the_one_that_was_begun_later_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A piece was missing, and was put back while the page still looked."""
    wizard = Wizard(tmp_path / "board.toml", 8, "", SESSION.parent)
    client = create_wizard(wizard).test_client()
    client.post("/api/v1/wizard/camera", json={"game": "camelot", "rules": "wcf", "camera": str(SESSION)})
    number = client.post("/api/v1/setup/find", json={}).get_json()["number"]
    client.post("/api/v1/setup/save", json={"number": number})
    looking, over = threading.Event(), threading.Event()

    def diagnose_slowly(*_: object) -> Diagnosis:
        looking.set()
        over.wait(PATIENCE_S)
        return Diagnosis(Cause.PIECES, ("H11",))

    monkeypatch.setattr("server.board.pages.wizard.diagnose_start", diagnose_slowly)
    earlier = threading.Thread(target=wizard.check_pieces)
    earlier.start()
    assert looking.wait(PATIENCE_S)
    monkeypatch.setattr("server.board.pages.wizard.diagnose_start", lambda *_: Diagnosis(Cause.READY))
    assert wizard.check_pieces().cause is Cause.READY
    over.set()
    earlier.join(PATIENCE_S)
    wizard.start_game({}, anyhow=False)
    assert wizard.done.is_set()
    wizard.release_camera()


def test_another_game_is_chosen_for_the_same_camera(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    """Nobody was told how: the set-up page now names the board that lies there, and leads to the choice of the game."""
    before, after = (
        scene_of(Recipe(game=name, seed=5, plies=0, size_wh=(640, 480))) for name in ("camette", "tri-camelot")
    )
    shown = photograph(after[1])
    path = tmp_path / "board.toml"
    own = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with mjpeg("127.0.0.1", lambda _: shown) as (url, _):
        views = true_views(before[1])
        kept = profiles.Profile("camette", views, (100,) * len(views), url, "wcf", way_round=profiles.WayRound.SAID)
        path.write_text(profiles.dump_profile(kept), encoding="utf-8")
        command = [sys.executable, "-u", "-m", "server", "serve", "--port", "0", "--profile", str(path)]
        with started(command, cwd=tmp_path, env=own, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            found = re.search(r"http://\S+/", process.stdout.readline())
            assert found
            until = partial(await_script, chromium)

            def tap(selector: str) -> None:
                until(f"document.querySelector('{selector}')?.matches(':enabled')")
                chromium.execute_script("document.querySelector(arguments[0]).click()", selector)

            size(chromium, 1280, 900)
            chromium.get(f"{found[0]}setup")
            until("document.body.dataset.ready === 'yes'")
            tap("#find")
            until("document.getElementById('fit-told').textContent.includes('Tri-Camelot')")
            tap("#other-game.main")
            until("document.getElementById('kept-game') && document.body.dataset.ready === 'yes'")
            until("document.getElementById('game').value === 'tri-camelot'")
            darker = "document.querySelector('#darker input')"
            for name, hidden in (("cam", False), ("camette", False), ("tri-camelot", True)):  # said of one board alone
                chromium.execute_script(f"{darker}.checked = true; document.querySelector('[value={name}]').click()")
                until(f"document.getElementById('darker').hidden === {str(hidden).lower()} && !{darker}.checked")
            tap("#step-camera button[type=submit]")
            until("document.getElementById('fit-told').classList.contains('good')")
            tap("#keep")
            until("document.getElementById('pieces-told').classList.contains('good')")
            tap("#start")
            until("document.body.dataset.game === 'tri-camelot'")
    assert profiles.load_profile(path).game == "tri-camelot"
    assert profiles.load_profile(tmp_path / "board.toml.before-1").game == "camette"
