"""What a page is told to open hangs, crashes or lies: it ends in its own process, in time, and the page goes on."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from server.board.setup import opening
from server.board.setup.opening import open_source
from server.board.setup.preview import Preview
from server.pictures import read_frames
from tests.patience import PATIENCE_S, wait_until
from tests.programs import children
from tests.server.commands.test_serve import SESSION
from vision.frames import CameraLost

FPS = 8.0


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a camera that takes calls and says nothing: who opens it waits for ever."""
    before = children()
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/video"
    wait_until(lambda: not children() - before, "the process that hangs is ended")


def test_frames_and_errors_are_those_of_the_source(tmp_path: Path) -> None:
    here = list(islice(read_frames(str(SESSION), FPS), 3))
    apart = list(islice(open_source(str(SESSION), FPS), 3))
    assert [frame.t for frame in apart] == [frame.t for frame in here]
    assert all(np.array_equal(one.image, other.image) for one, other in zip(apart, here, strict=True))
    with pytest.raises(InputError, match="neither a picture nor a video"):
        (tmp_path / "film.mp4").write_text("user:password\n" * 100, encoding="utf-8")
        next(open_source(str(tmp_path / "film.mp4"), FPS))
    with pytest.raises(CameraLost, match="no such file"):
        next(open_source(str(tmp_path / "gone.mp4"), FPS))
    one = tmp_path / "one.png"
    one.write_bytes((SESSION / "frame_0000.jpg").read_bytes())
    assert len(list(open_source(str(one), FPS))) == 1


def test_what_never_answers_is_given_up_at_its_deadline(silent: str) -> None:
    begun = time.monotonic()
    with pytest.raises(CameraLost, match="gives no picture in time"):
        next(open_source(silent, FPS, first_s=0.2))
    assert time.monotonic() - begun < PATIENCE_S


def test_a_page_that_asks_for_it_is_told(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening.open_source, "__defaults__", (0.2, 0.2))
    with pytest.raises(InputError, match="gives no picture in time"):
        Preview(silent, FPS)


def test_what_crashes_the_decoder_is_one_line() -> None:
    """The process is killed as the system does with one that breaks its memory."""
    before, source = children(), open_source(str(SESSION), FPS)
    next(source)
    (mine,) = children() - before
    os.kill(mine, signal.SIGSEGV)
    with pytest.raises(CameraLost, match="crashed"):
        list(source)


def test_it_ends_with_whoever_asked(tmp_path: Path) -> None:
    source = open_source(str(SESSION), FPS)
    before = children()
    next(source)
    (mine,) = children() - before
    source.close()
    wait_until(lambda: mine not in children())
