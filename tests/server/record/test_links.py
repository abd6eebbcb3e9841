"""One file under several names: it has one referee, one journal, and one place for what lies beside it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.match.events import Left, Result
from server.exits import ANSWER_IS_NO, DONE
from server.record.evidence import folder_of
from server.record.journal import Journal
from server.record.playing import claim_record
from server.record.store import open_record
from tests.patience import PATIENCE_S
from tests.programs import started
from tests.server.bundled import SESSION
from tests.server.record.test_archive import played, refused, run

SERVE = ("serve", "--profile", SESSION / "profile.toml", "--camera", SESSION, "--port", "0", "--realtime")


def links_of(file: Path) -> tuple[Path, Path]:
    """A symbolic link that leads to the file, and a hard one."""
    symbolic, hard = file.with_name("link.sqlite3"), file.with_name("hard.sqlite3")
    symbolic.symlink_to(file.name)
    os.link(file, hard)
    return symbolic, hard


def test_a_record_that_is_played_into_is_so_under_each_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second referee wrote ply 1 after ply 4 into the same game, and verify called the result whole."""
    file, copy = tmp_path / "games.sqlite3", tmp_path / "copy.sqlite3"
    command = [sys.executable, "-m", "server", *SERVE, "--record", file]
    with started(command, stdout=subprocess.PIPE, text=True) as referee:
        while "page is at" not in referee.stdout.readline():
            assert referee.poll() is None
        for link in links_of(file):
            assert "another referee is using it" in refused(capsys, *SERVE, "--record", link)
        link, hard = tmp_path / "link.sqlite3", tmp_path / "hard.sqlite3"
        assert run("backup", copy, "--record", link)[0] == DONE
        assert "another referee is using it" in refused(capsys, "restore", copy, "--record", link)
        assert "another referee is using it" in refused(capsys, "restore", copy, "--record", hard)
        assert "may be the one" in refused(capsys, "games", "delete", "camelot-0001", "--yes", "--record", link)
        for reading in (("games", "list"), ("verify",), ("backup", tmp_path / "another.sqlite3")):
            assert "under another name" in refused(capsys, *reading, "--record", hard)
        assert run("games", "list", "--record", link)[0] == DONE
        referee.send_signal(signal.SIGTERM)
        assert referee.wait(PATIENCE_S) == DONE
    assert run("verify", "--record", file)[0] == DONE
    assert run("verify", "--record", hard)[0] == DONE, "nobody plays any more"


def test_who_begins_a_record_holds_its_file_under_each_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.sqlite3"
    with claim_record(file) as claim, open_record(file) as record:
        claim.hold_file()
        played(record, "camelot", 2)
        link, hard = links_of(file)
        for other in (link, hard):
            with pytest.raises(Exception, match="another referee"), claim_record(other):
                pass
        assert "under another name" in refused(capsys, "games", "import", tmp_path / "none.pgn", "--record", hard)
    with claim_record(hard):
        pass


def test_restore_through_a_link_restores_what_it_leads_to(tmp_path: Path) -> None:
    file, copy = tmp_path / "disk" / "games.sqlite3", tmp_path / "copy.sqlite3"
    file.parent.mkdir()
    link = tmp_path / "link.sqlite3"
    link.symlink_to(file)
    with open_record(file) as record:
        played(record, "camelot", 4)
    run("backup", copy, "--record", link)
    with open_record(file) as record:
        played(record, "camblam", 2)
    status, said = run("restore", copy, "--record", link)
    assert (status, link.is_symlink(), file.is_symlink()) == (DONE, True, False)
    assert f"{file}: ok, 1 games" in said and (file.parent / "games.sqlite3.before-1").is_file()
    with open_record(file) as record:
        assert list(record.event_counts()) == ["camelot-0001"]


def test_what_an_earlier_version_kept_beside_a_link_is_not_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        played(record, "camelot", 2)
    link = links_of(file)[0]
    folder_of(link).mkdir()
    assert "move it there and name it games.sqlite3-pictures" in refused(capsys, "games", "list", "--record", link)


def test_a_link_to_itself_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = tmp_path / "games.sqlite3"
    link.symlink_to(link)
    assert str(link) in refused(capsys, *SERVE, "--record", link)


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ("ply", "event 7: ply 1 after 4, and no correction"),
        ("result", "event 8: 'result' after a result that nobody took back"),
        ("left", "event 8: 'left' after a result that nobody took back"),
    ],
)
def test_verify_names_what_a_second_referee_wrote(tmp_path: Path, later: str, said: str) -> None:
    """As such records are: whatever wrote them, all hashes hold."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        name = played(record, "camelot", 4)
        journal, first = Journal(record, name), record.read_events(name)[2]
        if later == "ply":
            record.append_event(name, first)
        else:
            journal.write_events([Result(30.0, "1-0", "resigned", by="page")])
            second = Left(31.0, "white", "resigned", by="page"), Result(31.0, "0-1", "resigned", by="page")
            journal.write_events(second if later == "left" else second[1:])
    status, lines = run("verify", "--record", file)
    assert status == ANSWER_IS_NO
    assert f"{name}: {said}" in lines


def test_verify_accuses_no_correction(tmp_path: Path) -> None:
    """A ply that is written anew as a correction, and a result that the arbiter puts right."""
    file = tmp_path / "games.sqlite3"
    with open_record(file) as record:
        name = played(record, "camelot", 4)
        last = record.read_events(name)[5]
        record.append_event(name, last | {"corrected": True})
        journal = Journal(record, name)
        journal.write_events([Result(30.0, "1-0", "resigned", by="page")])
        journal.correct_result("draw", "arbiter")
    assert "ended, and its end is not sealed" in run("verify", "--record", file)[1]
    with open_record(file) as record:
        assert record.find_summary(name).result == "1/2-1/2"


def test_nobody_else_on_the_machine_can_hold_the_record_by_its_lock(tmp_path: Path) -> None:
    """Who may read a file may lock it; a lock of an earlier version is closed to others as well."""
    file = tmp_path / "games.sqlite3"
    lock = tmp_path / "games.sqlite3.lock"
    lock.touch(mode=0o644)
    with claim_record(file):
        assert lock.stat().st_mode & 0o077 == 0
