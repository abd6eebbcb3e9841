"""The buttons of the display, by what the record says that they did."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from calibration import profile as profiles
from device.lights import PALETTES, LedFrame, draw_match
from device.protocol import Pressed
from engine import games
from engine.game import Outcome
from engine.match.acts import Mode, Press
from engine.match.buttons import find_standing
from engine.match.clock import parse_control
from engine.match.clocked_match import with_clock
from engine.match.course import advance_ply
from engine.match.events import Event, SetUp
from engine.match.referee import new_match
from engine.match.state import Match, Phase
from server.board.live.camera import RecordingEnded
from server.board.live.service import Service, Stop
from server.board.live.wishes import Presses
from server.record.journal import Journal
from server.record.store import open_record
from server.web.feed import Feed
from tests.server.board.live.seen_once import SESSION, film, start
from tests.vision.filmed import grainy
from vision.frames import Frame
from vision.watch.watcher import Watcher

FRAMES = 30
"""So much of the recording has one move ..."""
LATER = 16
"""... and so many frames more the board stays as it is."""


def begun(clock: str) -> Match:
    """The game before its first move."""
    return with_clock(start(), parse_control(clock)) if clock else start()


@cache
def _seen(clock: str) -> tuple[Watcher, tuple[Event, ...]]:
    """Who has seen all of that but its last frame, and what was said."""
    watcher, said = Watcher(profiles.load_profile(SESSION / "profile.toml"), begun(clock)), list[Event]()
    for frame in film()[: FRAMES - 1]:
        said += (*watcher.advance_time(frame.t), *watcher.take_frame(frame))
    return watcher, tuple(said)


def seen(clock: str) -> tuple[Watcher, tuple[Event, ...]]:
    """The same anew, for each test its own."""
    watcher, said = _seen(clock)
    game = watcher.match.game
    return copy.deepcopy(watcher, {id(game): game, id(game.board): game.board}), said


@pytest.mark.parametrize(
    ("clock", "buttons", "said"),
    [
        ("", ["undo"], ["takeback", "set-up"]),  # the move still stands on the board: it is no move again
        ("", ["pause", "pause"], ["paused", "resumed"]),
        ("", ["confirm", "hint"], []),
        ("", ["pause", "hint", "confirm"], ["paused", "result"]),
        ("", ["pause", "hint", "hint", "confirm", "confirm"], ["paused", "left", "result"]),
        ("", ["pause", "confirm", "pause", "hint", "confirm"], ["paused", "resumed"]),
        ("5m", ["confirm", "confirm"], ["clock-pressed"]),
        ("5m", ["pause", "confirm"], ["paused"]),
    ],
)
def test_what_a_button_does(tmp_path: Path, clock: str, buttons: list[str], said: list[str]) -> None:
    watcher, before = seen(clock)
    last = film()[FRAMES - 1]
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "game")
        journal.begin_game(begun(clock))
        journal.write_events(before)
        service = Service(watcher, journal, Feed())
        service.inbox.put(last)
        for button in buttons:
            press(service, button)
        for number in range(1, LATER):
            service.inbox.put(Frame(last.t + number / 8, grainy(last.image, number)))
        service.inbox.put(RecordingEnded())
        service.run_loop()
        events = record.read_events("game")
    names = [event["event"] for event in events]
    after = names.index("move") + 1
    assert names[after:] == said
    asked = [event for event in events[after:] if event["event"] != "set-up"]
    assert all(event["by"] == "button" for event in asked)
    wrong = [event["wrong"] for event in events[after:] if event["event"] == "set-up"]
    assert all(set(cells) == {events[after - 1]["from"], events[after - 1]["to"]} for cells in wrong)  # type: ignore[call-overload]  # JSON


def test_the_hint_button_shows_what_may_move_until_it_is_pressed_again(tmp_path: Path) -> None:
    profile = profiles.load_profile(SESSION / "profile.toml")
    match = replace(new_match(games.load(profile.game, profile.rules)), phase=Phase.PLAYING)
    movable = len({move.origin for move in match.game.moves(match.position)})
    for mode, lit in (("training", movable), ("tournament", 0)):
        feed = Feed()
        with open_record(tmp_path / f"{mode}.sqlite3") as record:
            journal = Journal(record, "game")
            journal.begin_game(match)
            service = Service(Watcher(profile, match), journal, feed, mode, "colour-blind")
            target = "#{:02x}{:02x}{:02x}".format(*PALETTES["colour-blind"]["target"])
            shown = []
            for _ in range(3):
                service.show_match()
                leds = (feed.newest_snapshot or {})["leds"]
                assert isinstance(leds, dict)
                shown.append(sum(led["rgb"] == target for led in leds.values()))
                press(service, "hint")
            assert shown == [0, lit, 0]


def test_a_press_counts_for_what_the_display_showed_and_for_nothing_else(tmp_path: Path) -> None:
    """Pressed before the offer was shown, or at one that is no more: nothing is written, and the display says so."""
    profile = profiles.load_profile(SESSION / "profile.toml")
    match = replace(new_match(games.load(profile.game, profile.rules)), phase=Phase.PLAYING)
    with open_record(tmp_path / "games.sqlite3") as record:
        journal = Journal(record, "game")
        journal.begin_game(match)
        service = Service(Watcher(profile, match), journal, Feed())
        lit = Lit()
        service.use_lights(lit)  # type: ignore[arg-type]  # what it is told is all that is asked of it
        press(service, "pause")
        paused = lit.frames[-1].standing
        press(service, "hint")
        assert lit.frames[-1].text == ("Paused", "draw?")
        for seen in (None, paused):
            press(service, "confirm", seen)
            assert service.watcher.match.phase is Phase.PAUSED
            assert lit.frames[-1].text == ("Confirm again?", "draw?")
        draw = lit.frames[-1].standing
        press(service, "hint")
        assert lit.frames[-1].text == ("Paused", "White resigns?")
        press(service, "confirm", draw)
        assert lit.frames[-1].text == ("Confirm again?", "White resigns?")
        press(service, "pause", None)
        assert service.watcher.match.phase is Phase.PAUSED, "whoever pressed may have meant to pause"
        press(service, "confirm", lit.frames[-1].standing)
        assert service.watcher.match.outcome is not None
        over = lit.frames[-1].standing
        press(service, "undo", draw)
        assert service.watcher.match.phase is Phase.OVER
        assert lit.frames[-1].text[0] == "Undo again?"
        press(service, "undo", over)
        assert service.watcher.match.outcome is None
        names = [event["event"] for event in record.read_events("game")]
    assert names.count("result") == 1


def test_a_button_that_can_do_nothing_says_so_on_the_display(tmp_path: Path) -> None:
    match = replace(begun(""), phase=Phase.PLAYING)
    over = replace(match, phase=Phase.OVER, outcome=Outcome("1-0", "resigned"))
    for number, (stands, button, said) in enumerate(
        (
            (match, "undo", ("Cannot undo", "White to move")),
            (match, "confirm", ("Cannot confirm", "White to move")),
            (over, "pause", ("Cannot pause", "1-0")),
            (match, "pause", ("Paused", "White to move")),
        )
    ):
        with open_record(tmp_path / f"{number}.sqlite3") as record:
            journal = Journal(record, "game")
            journal.begin_game(match)
            service, lit = (
                Service(Watcher(profiles.load_profile(SESSION / "profile.toml"), stands), journal, Feed()),
                Lit(),
            )
            service.use_lights(lit)  # type: ignore[arg-type]  # what it is told is all that is asked of it
            press(service, button)
        assert lit.frames[-1].text == said


def test_whose_move_was_seen_while_he_pressed_the_clock_has_pressed_for_it() -> None:
    """His press would else be the other side's, or ask him to press again; who looks at no display is believed."""
    before = replace(begun("5m"), phase=Phase.PLAYING)
    after = replace(before, moves=before.game.moves(before.position)[:1])
    for seen, asked in (
        (find_standing(before), None),
        (find_standing(after), Press(by="button")),
        (None, Press(by="button")),
    ):
        assert Presses().find_act(Pressed(1.0, "confirm", seen), after, Mode.TRAINING, 1.0) == (asked, None)


def test_a_press_is_asked_for_again_above_what_it_would_do() -> None:
    """Whatever else the display has to say: cells that are wrong, a choice, why there is no picture."""
    before = replace(begun(""), phase=Phase.PLAYING)
    move = before.game.moves(before.position)[0]
    undone = f"{before.game.board.cells[move.origin]}-{before.game.board.cells[move.target]}"
    played = advance_ply(before, move)
    wrong = replace(played, phase=Phase.SETUP, note=SetUp(1.0, ("I10", "I12")))
    choosing = replace(played, phase=Phase.PAUSED, offered=1)
    drawn = replace(wrong, phase=Phase.OVER, outcome=Outcome("1/2-1/2", "agreement"))
    for match, button, said in (
        (wrong, "undo", undone),
        (choosing, "undo", undone),
        (drawn, "undo", "agreement"),
        (before, "undo", ""),
        (choosing, "pause", "Black to move"),
        (choosing, "confirm", "draw?"),
    ):
        presses = Presses()
        assert presses.find_act(Pressed(1.0, button), match, Mode.TRAINING, 1.0)[0] is None
        frame = draw_match(match, unseen="no-picture")
        assert presses.tell_uncounted(frame, match, 1.0).text == (f"{button.capitalize()} again?", said)


class Lit:
    """Lights that keep what they are to show."""

    known_problem = suspected_problem = None
    answered_by, brightness = "here", 1.0

    def __init__(self) -> None:
        self.frames: list[LedFrame] = []

    def show_frame(self, frame: LedFrame) -> None:
        self.frames.append(frame)

    def start_connecting(self) -> None:
        """Nothing is to be connected."""

    def mark_alive(self) -> None:
        """Nothing is to be kept alive."""


SHOWN = object()


def press(service: Service, button: str, seen: object = SHOWN) -> None:
    """Have a button pressed by somebody who has read what the display says just now, or saw `seen`."""
    standing = find_standing(service.watcher.match) if seen is SHOWN else seen
    service.inbox.put(Pressed(1.0, button, standing))  # type: ignore[arg-type]
    service.inbox.put(Stop())
    service.run_loop()
