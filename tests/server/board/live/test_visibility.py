"""One word for not seeing: what the watcher says, a camera that is gone or hangs, and a machine that is too slow."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from engine.errors import Worded
from engine.match.events import CAUSES, CannotSee, Event, Restored, SeenAgain
from server.board.live.visibility import ENDED, OLD_FOR_S, OLD_S, SHOWN, Visibility
from server.board.pages import pages
from server.masking import mask_sentence
from server.spectators.withheld import snapshot_without_waits

LOST = "camera 0: gives no more pictures"


def said(events: tuple[Event, ...]) -> list[str]:
    return [event.cause if isinstance(event, CannotSee) else event.name for event in events]


def test_the_words_of_the_watcher_are_passed_on_as_they_are() -> None:
    unseen = Visibility()
    events = (Restored(4.0), CannotSee(4.0, "dark"))
    assert unseen.take_frame(4.0, events) == events
    assert unseen.to_json() == {"cause": "dark", "message": CAUSES["dark"], "since": 4.0}
    assert unseen.take_frame(5.0, ()) == ()
    assert unseen.take_frame(6.0, (CannotSee(6.0, "noise"),)) == (CannotSee(6.0, "noise"),)
    assert unseen.to_json() == {"cause": "noise", "message": CAUSES["noise"], "since": 4.0}
    assert unseen.take_frame(7.5, (SeenAgain(7.5),)) == (SeenAgain(7.5),)
    assert (unseen.current_cause, unseen.to_json(), unseen.unseen_seconds(9.0)) == ("", None, 3.5)


def test_a_camera_that_is_gone_is_said_at_once_and_only_once() -> None:
    unseen = Visibility()
    assert said(unseen.report_camera_lost(10.0, LOST)) == ["no-picture"]
    message = CAUSES["no-picture"]
    assert unseen.to_json() == {"cause": "no-picture", "message": message, "since": 10.0, "detail": LOST}
    assert unseen.report_camera_lost(10.5, LOST) == ()
    assert unseen.report_silence(12.1, (CannotSee(12.1, "no-picture"),)) == ()
    assert unseen.unseen_seconds(13.0) == 3.0
    assert said(unseen.take_frame(14.0, (SeenAgain(14.0),))) == ["seen-again"]
    assert unseen.to_json() is None


def test_a_camera_that_comes_back_too_soon_for_the_watcher_is_seen_again() -> None:
    unseen = Visibility()
    unseen.report_camera_lost(10.0, LOST)
    assert said(unseen.take_frame(10.4, ())) == ["seen-again"]


def test_a_camera_that_comes_back_in_the_dark_is_not_called_seen() -> None:
    unseen = Visibility()
    unseen.report_camera_lost(10.0, LOST)
    assert said(unseen.take_frame(14.0, (CannotSee(14.0, "dark"),))) == ["dark"]


def test_a_machine_that_is_too_slow_is_told_from_one_dear_look() -> None:
    unseen = Visibility()
    assert unseen.take_frame(0.0, (), OLD_S + 0.5) == ()
    assert unseen.take_frame(1.9, (), OLD_S + 0.5) == ()
    assert unseen.take_frame(2.0, (), OLD_S - 0.5) == ()
    assert unseen.take_frame(3.0, (), OLD_S + 0.5) == ()
    assert said(unseen.take_frame(3.0 + OLD_FOR_S, (), OLD_S + 0.1)) == ["behind"]
    assert said(unseen.take_frame(6.0, (), OLD_S - 0.1)) == ["seen-again"]


def test_a_view_that_is_clear_again_is_not_called_seen_by_a_machine_that_is_too_slow() -> None:
    unseen = Visibility()
    unseen.take_frame(0.0, (CannotSee(0.0, "covered"),), OLD_S + 1)
    assert unseen.take_frame(3.0, (), OLD_S + 1) == ()
    assert said(unseen.take_frame(4.0, (SeenAgain(4.0),), OLD_S + 1)) == ["behind"]
    assert said(unseen.take_frame(5.0, ())) == ["seen-again"]
    assert unseen.unseen_seconds(9.0) == 5.0


def test_a_recording_that_is_over_is_shown_and_is_no_event() -> None:
    unseen = Visibility()
    unseen.take_frame(8.0, (CannotSee(8.0, "covered"),))
    unseen.mark_ended(9.0)
    assert unseen.current_cause == ENDED
    assert unseen.to_json() == {"cause": ENDED, "message": "The recording is over.", "since": 9.0}
    assert unseen.unseen_seconds(99.0) == 1.0


@pytest.mark.parametrize("cause", SHOWN)
def test_the_page_knows_what_to_do(cause: str) -> None:
    script = Path(pages.__file__).parents[2] / "static" / "js" / "unseen.js"
    spoken = re.findall(r'say\("(.*?)"\)', script.read_text(encoding="utf-8"))
    assert SHOWN[cause] in {*spoken, *map(" ".join, pairwise(spoken))}  # a headline may be apart


def test_a_camera_that_sends_a_picture_in_ten_seconds_is_called_slow_once() -> None:
    unseen = Visibility()
    unseen.take_frame(0.0, ())
    told: list[str] = []
    for number in range(1, 7):
        t = 10.0 * number
        told += said(unseen.report_silence(t - 7.9, ()))
        told += said(unseen.take_frame(t, (CannotSee(t - 8.0, "no-picture"), SeenAgain(t))))
    assert told == ["no-picture", "seen-again", "no-picture", "slow"]
    shown = unseen.to_json() or {}
    assert (shown["cause"], shown["values"]) == ("slow", {"seconds": 10})
    assert "one picture in 10 s: too slow to follow a game" in str(shown["message"])
    for t in (60.2, 60.4):
        assert unseen.take_frame(t, ()) == ()
    assert said(unseen.take_frame(60.6, ())) == ["seen-again"]
    assert said(unseen.report_silence(63.0, ())) == ["no-picture"]


def test_what_the_camera_answered_stands_in_the_place_of_its_cable_and_without_its_address() -> None:
    unseen, source = Visibility(), "http://ann:secret@10.0.0.7/v"
    why = Worded("camera {source}: wants a name and a password (it answered {status})", source=source, status=401)
    events = unseen.report_camera_lost(4.0, mask_sentence(why.said))
    shown = unseen.to_json() or {}
    assert shown["message"] == "The camera gives no picture: wants a name and a password (it answered 401)."
    assert [event.to_json()["message"] for event in events] == [shown["message"]]
    assert "secret" not in str(shown) and "10.0.0.7" in str(shown["detail"])
    assert not {"10.0.0.7", "secret"} & set(str(snapshot_without_waits({"cannot_see": shown})).split("/"))
    assert shown["values"] == {"source": "http://…@10.0.0.7/v", "status": "401"}
