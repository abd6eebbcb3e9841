"""From the set-up to the game while the page still waits for an answer: it is told so, and nobody else is."""

from __future__ import annotations

import logging
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from server.board.pages.own_board import SetupEnd, WantedBoard, set_up
from server.board.pages.wizard import Wizard
from server.board.setup.within import AllowedAddresses
from server.web.access.serving import Serving
from server.web.access.visitors import Visitors
from server.web.problems import Problem
from server.web.site import create_listener
from tests.patience import PATIENCE_S

UNAVAILABLE = 503


def test_a_look_under_way_ends_in_an_answer_and_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    wizards, asked, looked = list[Wizard](), threading.Event(), threading.Event()

    def check_pieces(wizard: Wizard) -> None:
        wizards.append(wizard)
        asked.set()
        looked.wait(PATIENCE_S)
        raise Problem(409, "nothing is seen any more")

    monkeypatch.setattr(Wizard, "check_pieces", check_pieces)
    listening = create_listener("127.0.0.1", 0)
    port = listening.getsockname()[1]
    serving = Serving("127.0.0.1", port, None, Visitors((), None, True, "", (), ""), kept=listening)
    wanted = WantedBoard(8.0, "", AllowedAddresses(), None, tmp_path / "board.toml")
    over, answers = list[SetupEnd](), list[int]()

    def serve() -> None:
        over.append(set_up(wanted, serving, None, open_page=False))

    def look() -> None:
        request = urllib.request.Request(  # of this machine
            f"http://127.0.0.1:{port}/api/v1/wizard/pieces", b"{}", {"Content-Type": "application/json"}
        )
        try:
            urllib.request.urlopen(request, timeout=PATIENCE_S)  # noqa: S310
        except urllib.error.HTTPError as error:
            answers.append(error.code)

    with listening, caplog.at_level(logging.INFO):
        served, asking = threading.Thread(target=serve), threading.Thread(target=look)
        served.start()
        asking.start()
        assert asked.wait(PATIENCE_S)
        wizards[0].done.set()
        asking.join(PATIENCE_S)
        looked.set()
        served.join(PATIENCE_S)
    assert answers == [UNAVAILABLE]
    assert over == [SetupEnd.WRITTEN]
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
