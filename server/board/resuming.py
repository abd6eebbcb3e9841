"""Which game of the record is played: the one that is not over yet, one that is taken up again, or a new one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine import games
from engine.errors import InputError
from engine.game import Game
from engine.match.events import (
    Adjourned,
    Illegal,
    Lifted,
    Moved,
    Partial,
    Paused,
    PositionSet,
    Restored,
    Result,
    Resumed,
    SetUp,
    Takeback,
    Unclear,
)
from engine.match.state import Match, Phase
from server.board.live.notices import TakenUp
from server.board.setup.save import default_profile, find_start_command
from server.masking import print_line
from server.record.details import Details, find_latest_details
from server.record.journal import Journal, find_unfinished, fold_events, format_now, next_name, read_question
from server.record.store import Record, Seal

CLOSES = frozenset(
    kind.name
    for kind in (
        *(Adjourned, Illegal, Lifted, Moved, Partial, Paused, PositionSet),
        *(Restored, Result, Resumed, SetUp, Takeback, Unclear),
    )
)
"""What is said of the board or changes the game: a question is open while none of them came after it."""


def resume_game(
    record: Record,
    fresh_match: Match,
    seal: Seal | None = None,
    *,
    fresh: bool,
    taken_up: str | None = None,
    profile: Path | None = None,
) -> tuple[Match, Journal]:
    """The unfinished game of this kind goes on; without one, or where `fresh` says so, `fresh_match` begins.

    The unfinished one is `taken_up`, or the last. InputError if there is none of that name for this board; beside its
    `profile`, None for the user's own, one may lie that fits.
    """
    game = fresh_match.game
    wanted, last = (None, None) if fresh else _find_unfinished(record, game, taken_up, profile)
    name = wanted or last
    if name is not None:
        match = _keep_control(fold_events(record.read_events(name), name), fresh_match)
        match = replace(match, recalled=name == wanted or match.recalled)
        _tell_going_on(name, match)
        if match.moves or _is_same_start(match, fresh_match):
            journal = Journal(record, name, seal)
            record.follow_game(name)
            if wanted not in {None, last}:
                _note_taken_up(record, name, last)
            return _restore_question(match, journal), journal
    other = next(iter(record.list_summaries()), None)
    if not fresh and other is not None and (other.game, other.rules) != (game.name, game.rules):
        kinds = f"{other.game} ({other.rules}), this profile is for {game.name} ({game.rules})"
        print_line(f"The last game in the record, {other.name}, is {kinds}: a new game begins.")
    journal = Journal(record, next_name(record, game.name), seal)
    journal.begin_game(fresh_match, format_now())
    if name is not None:
        _carry_unplayed(Journal(record, name), journal, fresh_match)
    return fresh_match, journal


def _carry_unplayed(before: Journal, journal: Journal, fresh_match: Match) -> None:
    """The game `before` was begun otherwise, and nothing was played: who plays, and how, holds for the one in its
    place."""
    journal.carry_settings(before, 0.0)
    known = find_latest_details(before.record.read_events(before.name), fresh_match.game.seats)
    if known != Details():
        journal.write_note(known.to_event(0.0, "page"))
    how = f"with {fresh_match.clocks[0].control.text}" if fresh_match.clocks else "without a clock"
    print_line(f"{before.name}, which has no ply, was begun otherwise: {journal.name} takes its place {how}.")


def _find_unfinished(
    record: Record, game: Game, taken_up: str | None, profile: Path | None
) -> tuple[str | None, str | None]:
    """The game that is `taken_up`, if it is not over, and the one that was last on the board, if that is not."""
    wanted = None if taken_up is None else _find_taken_up(record, taken_up, game, profile)
    if taken_up is not None and wanted is None:
        print_line(f"{taken_up} is over, and is not taken up again.")
    return wanted, find_unfinished(record, game.name, game.rules)


def _tell_going_on(name: str, match: Match) -> None:
    if not match.moves:
        return
    print_line(f"Going on with {name} after {len(match.moves)} plies; --new begins another.")
    if match.next_control is not None:
        own = f"with {match.clocks[0].control.text}" if match.clocks else "without a clock"
        print_line(f"It was begun {own} and goes on so; {match.next_control.text} is for the next game.")


def recall_game(record: Record, name: str, fresh_match: Match, seal: Seal | None) -> tuple[Match, Journal]:
    """A game of the record that goes on from now on, which was put away. InputError for one that cannot."""
    if _find_taken_up(record, name, fresh_match.game) is None:
        raise InputError("{name} is over. Its result can be corrected on the page of that game.", name=name)
    match = replace(_keep_control(fold_events(record.read_events(name), name), fresh_match), recalled=True)
    journal = Journal(record, name, seal)
    return _restore_question(match, journal), journal


def _find_taken_up(record: Record, name: str, game: Game, profile: Path | None = None) -> str | None:
    """The game of that name, if it is not over: a service that is started again with the same words has ended it."""
    known = record.find_summary(name) if name in record.played_games() else None
    if known is None:
        raise InputError(f"take up {name}: no such game was begun in this record; `referee games list` names them")
    if (known.game, known.rules) != (game.name, game.rules):
        kinds = f"it is {known.game} ({known.rules}), this profile is for {game.name} ({game.rules})"
        start = find_start_command(name, games.load(known.game, known.rules), profile or default_profile())
        advice = f"start it with `{start}`" if start else "set up its board first, or name its profile with --profile"
        raise InputError(f"take up {name}: {kinds}: {advice}")
    return None if fold_events(record.read_events(name), name).phase is Phase.OVER else name


def _note_taken_up(record: Record, name: str, left: str | None) -> None:
    """Write that the board goes on with game `name`, in place of `left`: the next start does so too."""
    for one in (left, name):
        if one is not None:
            t = max(float(str(event.get("t", 0.0))) for event in record.read_events(one))
            Journal(record, one).write_note(TakenUp(t, name, by="page"))


def _keep_control(match: Match, fresh_match: Match) -> Match:
    """A game that goes on keeps its own time control; another one that is asked for is for the game after it."""
    own, asked = (one.clocks[0].control if one.clocks else None for one in (match, fresh_match))
    if asked is None:
        return match
    return replace(match, next_control=None if asked == own else asked, holds_clocks=fresh_match.holds_clocks)


def _restore_question(match: Match, journal: Journal) -> Match:
    """With the questions that were open when the service ended: what was played, and how the game before ended."""
    before, record = journal.find_unsettled(), journal.record
    if before is not None:
        match = replace(match, before=replace(fold_events(record.read_events(before.name), before.name), before=None))
    last = next((event for event in reversed(record.read_events(journal.name)) if event.get("event") in CLOSES), {})
    if last.get("event") == Unclear.name and match.phase is Phase.SETUP and match.ready:
        with suppress(InputError):  # of another program's making
            return replace(match, phase=Phase.UNCLEAR, note=read_question(last, match))
    return match


def _is_same_start(one: Match, other: Match) -> bool:
    """Whether two games that have no moves yet began in the same way."""
    clocks = [match.clocks[0].control if match.clocks else None for match in (one, other)]
    return one.positions == other.positions and clocks[0] == clocks[1]
