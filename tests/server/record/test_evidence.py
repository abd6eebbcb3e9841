"""The pictures behind a game: stored, linked into the record, checked, limited, shown, removed with their game."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from engine.errors import InputError
from server.board.live.camera import RecordingEnded
from server.board.live.service import Service
from server.cli import referee
from server.exits import ANSWER_IS_NO
from server.record.evidence import EVIDENCE, LOST, REMOVED, PictureEvidence, Store, folder_of, picture_names
from server.record.exports.photos import PHOTO_WIDTH_PX, pictures_after
from server.record.journal import Journal, fold_events
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.board.live.seen_once import SeenOnce, film
from tests.server.full_disk import files_of_at_most

GAME = "camelot-0001"
PLENTY = 10**9


def refereed(file: Path, limit: int = PLENTY) -> list[dict[str, object]]:
    """The record's events of the first part of the bundled recording, refereed with pictures kept."""
    watcher = SeenOnce()
    with open_record(file) as record:
        journal = Journal(record, GAME)
        journal.begin_game(watcher.match)
        service = Service(watcher, journal, Feed())
        service.set_evidence(PictureEvidence(Store(folder_of(file), limit), watcher.match.game.board))
        for frame in film():
            service.inbox.put(frame)
        service.inbox.put(RecordingEnded())
        service.run_loop()
        return record.read_events(GAME)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("evidence") / "games.sqlite3"
    refereed(file)
    return file


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    """Record and pictures, to be spoiled."""
    file = Path(shutil.copy(kept, tmp_path / kept.name))
    shutil.copytree(folder_of(kept), folder_of(file))
    return file


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(referee, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.output


def test_each_ply_has_its_pictures_and_scores(kept: Path, tmp_path: Path) -> None:
    with open_record(kept) as record:
        events = record.read_events(GAME)
    moves = [event for event in events if event["event"] == "move"]
    shown = [event for event in events if event["event"] == EVIDENCE]
    plies = [event for event in shown if "ply" in event]
    assert len(moves) >= 4
    assert [event["ply"] for event in plies] == [event["ply"] for event in moves]
    assert all({"before", "after", "scores"} <= event.keys() for event in plies)
    assert plies[1]["before"] == plies[0]["after"]
    assert any(event.get("trouble") == "illegal" and len(picture_names(event)) > 3 for event in shown)
    assert {path.stem for path in folder_of(kept).iterdir()} == {
        name for event in shown for name in picture_names(event)
    }
    out = tmp_path / "ply.png"
    status, said = run("evidence", GAME, 3, "--record", kept, "-o", out)
    assert status == 0
    assert "decided by: sure: This is" in said
    judged = [event for event in events if event["event"] in {"move", "partial", "illegal"}]
    assert all(event["reason"].keys() == {"rule", "measured", "limit"} for event in judged)
    picture = cv2.imread(str(out))
    assert picture is not None
    half = picture.shape[1] // 2
    assert float(cv2.absdiff(picture[:, :half], picture[:, -half:]).max()) > 60
    for arguments, words in (
        ((GAME, 3, "-o", out), "is there already"),
        ((GAME, 3, "-o", tmp_path / "ply.doc"), "ends in .png"),
        ((GAME, 99, "-o", tmp_path / "b.png"), "no pictures of ply 99"),
        (("../x", 1, "-o", tmp_path / "b.png"), "not in this record"),
    ):
        with pytest.raises(InputError, match=words):
            run("evidence", *arguments, "--record", kept)


def test_the_page_of_a_game_shows_the_pictures_that_are_kept(copy: Path, tmp_path: Path, driver: Chrome) -> None:
    with open_record(copy) as record:
        after = pictures_after(record.read_events(GAME))
    (folder_of(copy) / f"{after[2]}.jpg").unlink()
    run("games", "export", GAME, "--record", copy, "-o", tmp_path / "with.html")
    run("games", "export", GAME, "--record", copy, "-o", tmp_path / "without.html", "--no-pictures")
    assert (tmp_path / "without.html").stat().st_size < 100_000
    driver.get((tmp_path / "with.html").as_uri())
    for ply, there in ((1, True), (2, False), (3, True)):
        driver.find_element(By.CSS_SELECTOR, f'[data-ply="{ply}"]').click()
        photo = driver.find_element(By.ID, "photo")
        assert photo.is_displayed() == there
        assert not there or driver.execute_script("return arguments[0].naturalWidth", photo) == PHOTO_WIDTH_PX
    assert driver.get_log("browser") == []


def test_a_flipped_bit_in_any_picture_is_found_and_named(copy: Path) -> None:
    status, said = run("verify", "--record", copy)
    assert status == 0 and said.startswith(f"{copy}: ok, 1 games\n")
    for number, picture in enumerate(sorted(folder_of(copy).iterdir())):
        data = bytearray(picture.read_bytes())
        data[(number * 7919) % len(data)] ^= 1 << number % 8
        whole = picture.read_bytes()
        picture.write_bytes(data)
        status, said = run("verify", "--record", copy)
        assert status == ANSWER_IS_NO
        assert f"picture {picture.stem} is not as it was stored" in said
        assert all(f"{copy}: {GAME}: event " in line for line in said.splitlines())
        picture.write_bytes(whole)
    picture.unlink()
    assert f"picture {picture.stem}: No such file" in run("verify", "--record", copy)[1]


def test_the_oldest_make_room_and_an_event_says_so(kept: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    sizes = [path.stat().st_size for path in folder_of(kept).iterdir()]
    limit = max(sizes) * 3
    events = refereed(file, limit)
    gone = [name for event in events if event["event"] == REMOVED for name in picture_names(event)]
    left = {path.stem for path in folder_of(file).iterdir()}
    named = {name for event in events if event["event"] == EVIDENCE for name in picture_names(event)}
    assert gone
    assert left | set(gone) == named
    assert run("verify", "--record", file)[0] == 0
    assert set(Store(folder_of(file), 0).choose_surplus(())) == left


def test_pictures_go_with_their_game_only(copy: Path) -> None:
    with open_record(copy) as record:
        shown = next(event for _, _, event in record.find_events(EVIDENCE) if "before" in event)
        record.append_event("other", {"t": 1.0, "event": EVIDENCE, "ply": 1, "after": shown["before"]})
    run("games", "delete", GAME, "--yes", "--record", copy)
    assert [path.stem for path in folder_of(copy).iterdir()] == [shown["before"]]


def test_pictures_that_cannot_be_stored_stop_no_game(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite3"
    folder_of(file).write_text("a file where the folder should be", encoding="utf-8")
    events = refereed(file)
    lost = [event for event in events if event["event"] == LOST]
    assert len(lost) >= 5
    assert lost[0]["message"] == "pictures: File exists"
    assert len(fold_events(events, GAME).moves) >= 4


def test_no_half_picture_is_left_by_a_full_disk(tmp_path: Path) -> None:
    store = Store(tmp_path / "pictures", PLENTY)
    with files_of_at_most(1000), pytest.raises(OSError, match="large"):
        store.add_picture(bytes(5000))
    assert list((tmp_path / "pictures").iterdir()) == []
    name = store.add_picture(bytes(5000))
    assert [path.stem for path in (tmp_path / "pictures").iterdir()] == [name]
