"""A camera that mirrors: where no pixel tells, nothing begins before somebody has said it, and then cells are right."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from calibration import profile as profiles
from calibration.find_board import find_by_itself
from calibration.find_side import shows_mirror
from calibration.profile import Profile, WayRound, dump_profile
from engine import games
from engine.errors import InputError
from engine.game import looks_at_start
from server.board.pages.wizard import Wizard, create_wizard
from server.board.setup.devices import VideoDevice, lasting_source
from server.board.setup.save import Keeper
from server.board.setup.way_round import find_way_round, match_way_round, mirror_profile, other_way_round
from tests.bench.wrong_setups import BASE, mirrored, plain
from vision.frames import frame_at, is_live, read_frames
from vision.modes import device_of, in_size, is_plugged, size_of

SESSION = Path(__file__).parents[3] / "data" / "sessions" / "camelot_a"
GAME = games.load(BASE.game)
LOOKS = [GAME.looks[GAME.look_of[piece]] for piece in GAME.start().placement]
SEED, NEAR_PX = 11, 2.0
START = {"port": "", "protocol": "adalight"}


def test_a_mirror_shows_in_one_game_alone() -> None:
    """Two players with the same men to the left as to the right; three round a board go round the other way."""
    for name in games.names():
        game = games.load(name)
        looks = looks_at_start(game)
        assert shows_mirror(game.board, looks) == (name == "tri-camelot"), name
    one_sided = list(LOOKS)
    one_sided[GAME.board.index["C6"]] = "empty"
    assert shows_mirror(GAME.board, one_sided)


def test_a_mirrored_source_gives_what_is_on_the_table() -> None:
    for source in ("0", "0@1280x720", "/dev/video2@640x480", "rtsp://10.0.0.9/live", "phone:"):
        turned = other_way_round(source)
        assert (is_live(turned), is_plugged(turned)) == (True, is_plugged(source))
        assert (device_of(turned), size_of(turned)) == (device_of(source), size_of(source))
        assert other_way_round(turned) == source
    assert in_size("mirrored:0", (640, 480)) == "mirrored:0@640x480"
    for mirror, plainly in zip(islice(read_frames(f"mirrored:{SESSION}"), 3), read_frames(str(SESSION)), strict=False):
        assert mirror.t == plainly.t
        assert np.array_equal(mirror.image, plainly.image[:, ::-1])
    later = frame_at(f"mirrored:{SESSION}", 2.0).image
    assert np.array_equal(later, frame_at(str(SESSION), 2.0).image[:, ::-1])


def test_a_mirrored_camera_keeps_its_lasting_name(tmp_path: Path) -> None:
    listed, files = tmp_path / "listed", tmp_path / "dev"
    (listed / "video3").mkdir(parents=True)
    (files / "v4l" / "by-id").mkdir(parents=True)
    (files / "video3").write_bytes(b"")
    link = files / "v4l" / "by-id" / "usb-Maker"
    link.symlink_to(files / "video3")
    assert VideoDevice(3, files / "video3", "video3", True, link).lasting == link
    assert lasting_source("mirrored:3@640x480", listed, files) == f"mirrored:{link}@640x480"


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a camera that mirrors sees of a start position without markers."""
    path = tmp_path_factory.mktemp("camera") / "camera.png"
    cv2.imwrite(str(path), mirrored(plain(SEED)))
    return path


def at_the_pieces(client: FlaskClient, picture: Path) -> dict[str, object]:
    """The wizard as far as its third step, and what that says."""
    found = client.post("/api/v1/setup/find", json={}).get_json()
    assert client.post("/api/v1/setup/save", json={"number": found["number"]}).status_code == 200
    said = client.post("/api/v1/wizard/pieces", json={}).get_json()
    assert isinstance(said, dict), picture
    return said


def a1_of(profile: Profile) -> np.ndarray:
    return np.array(profile.views[0].corners_px)


def test_nothing_starts_before_somebody_has_said_it(picture: Path, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    client = create_wizard(Wizard(path, 8, "", picture.parent)).test_client()
    chosen = {"game": GAME.name, "rules": "", "camera": str(picture)}
    assert client.post("/api/v1/setup/way-round", json={"mirrored": True}).status_code == 409
    assert client.post("/api/v1/wizard/camera", json=chosen).status_code == 200
    said = at_the_pieces(client, picture)
    assert (said["cause"], said["asks_way_round"]) == ("ready", "White")
    for body in (START, START | {"anyhow": True}):
        assert client.post("/api/v1/wizard/start", json=body).status_code == 409
    for wrong in ({}, {"mirrored": "yes"}):
        assert client.post("/api/v1/setup/way-round", json=wrong).status_code == 422
    stale = client.post("/api/v1/setup/find", json={}).get_json()["number"]
    assert client.post("/api/v1/setup/way-round", json={"mirrored": True}).status_code == 200
    assert client.post("/api/v1/setup/save", json={"number": stale}).status_code == 409
    assert client.post("/api/v1/wizard/camera", json=chosen).status_code == 200  # the camera is still the same one
    assert at_the_pieces(client, picture)["asks_way_round"] is None
    assert client.post("/api/v1/wizard/start", json=START).status_code == 200
    made = profiles.load_profile(path)
    assert (made.source, made.way_round) == (f"mirrored:{picture}", WayRound.SAID)
    true = find_by_itself(GAME.board, plain(SEED), LOOKS)[0].view
    assert np.abs(a1_of(made) - np.array(true.corners_px)).max() < NEAR_PX


def test_a_picture_that_is_right_is_taken_as_it_is(picture: Path, tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    client = create_wizard(Wizard(path, 8, "", picture.parent)).test_client()
    client.post("/api/v1/wizard/camera", json={"game": GAME.name, "rules": "", "camera": str(picture)})
    assert at_the_pieces(client, picture)["asks_way_round"] == "White"
    assert client.post("/api/v1/setup/way-round", json={"mirrored": False}).status_code == 200
    assert client.post("/api/v1/wizard/start", json=START).status_code == 200
    assert (profiles.load_profile(path).source, profiles.load_profile(path).way_round) == (str(picture), WayRound.SAID)


def test_markers_tell_it(tmp_path: Path) -> None:
    marked = find_by_itself(GAME.board, plain(SEED, markers=True), LOOKS)
    assert find_way_round(GAME, marked) is WayRound.MARKERS
    assert find_way_round(GAME, find_by_itself(GAME.board, plain(SEED), LOOKS)) is None
    path = tmp_path / "board.toml"
    for way_round in (None, *WayRound):
        profile = Profile(GAME.name, (marked[0].view,), (99,), "0", way_round=way_round)
        path.write_text(dump_profile(profile), encoding="utf-8")
        assert profiles.load_profile(path).way_round is way_round
    path.write_text(dump_profile(profile).replace('"said"', '"guessed"'), encoding="utf-8")
    with pytest.raises(InputError, match="guessed"):
        profiles.load_profile(path)


def test_a_profile_without_an_answer_is_asked_about_and_turned_back(picture: Path, tmp_path: Path) -> None:
    """As `referee calibrate` makes them, and as they were made before anybody was asked."""
    seen = find_by_itself(GAME.board, mirrored(plain(SEED)), LOOKS)[0].view
    path, told = tmp_path / "board.toml", []
    profile = Profile(GAME.name, (seen,), (99,), str(picture), reference=str(picture))
    keeper = Keeper(path, profile, str(picture), lambda _: told.append("place"), told.append)
    assert keeper.asks_way_round()
    keeper.say_way_round(mirrored=False)
    assert (keeper.asks_way_round(), told) == (False, [])
    assert profiles.load_profile(path).source == str(picture)
    keeper.say_way_round(mirrored=True)
    turned = profiles.load_profile(path)
    behind = f"mirrored:{picture}"
    assert (turned.source, turned.reference, told) == (behind, behind, [behind])
    true = find_by_itself(GAME.board, plain(SEED), LOOKS)[0].view
    assert np.abs(a1_of(turned) - np.array(true.corners_px)).max() < NEAR_PX
    back = mirror_profile(turned)
    assert np.allclose(a1_of(back), np.array(seen.corners_px), atol=0.01)


def test_what_was_said_goes_with_its_camera(picture: Path, tmp_path: Path) -> None:
    """A camera named at the start is turned back as its profile says; of another one it is asked again, and kept."""
    seen = find_by_itself(GAME.board, mirrored(plain(SEED)), LOOKS)[0].view
    path = tmp_path / "board.toml"
    profile = Profile(GAME.name, (seen,), (99,), "mirrored:0", way_round=WayRound.SAID)
    assert match_way_round("0@1280x720", profile) == ("mirrored:0@1280x720", profile)
    for as_it_is in ("", "mirrored:0", "1", str(picture)):
        assert match_way_round(as_it_is, profile) == (as_it_is, profile)
    made_of_a_mirrored_one = replace(profile, source="0", way_round=None)
    assert match_way_round("mirrored:0", made_of_a_mirrored_one) == (
        "mirrored:0",
        mirror_profile(made_of_a_mirrored_one),
    )

    told: list[str] = []
    assert not Keeper(path, profile, "mirrored:0@640x480", lambda _: None, told.append).asks_way_round()
    other = Keeper(path, profile, "http://192.168.0.9/video", lambda _: None, told.append)
    assert other.asks_way_round()
    other.say_way_round(mirrored=True)
    assert (profiles.load_profile(path).source, other.asks_way_round()) == ("mirrored:http://192.168.0.9/video", False)
    assert told == ["mirrored:http://192.168.0.9/video"]
