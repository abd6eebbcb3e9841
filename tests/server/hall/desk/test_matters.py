"""The arbiters' queue: a matter is one arbiter's at a time and is ruled on once, however many reach for it at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
import sqlalchemy as sa

from server.hall.desk.database import STORED_MATTERS
from server.hall.desk.matters import CLAIMED, LEASE_S, OPEN, RULED, Matters
from server.hall.desk.troubles import DISPUTED, GameTrouble

RACES = int(os.environ.get("RACES", "60"))
"""For each database; `make soak` runs 10,000."""
PAIRS = int(os.environ.get("PAIRS", "4"))
"""Races that are run at the same time, by connections of their own: most of the time goes into waiting for commits."""


def test_a_trouble_is_one_matter_until_it_has_passed(database: sa.Engine) -> None:
    matters = Matters(database)
    assert matters.note_troubles("table-1", "camelot-0001", ["cannot-see"], 1.0)
    assert not matters.note_troubles("table-1", "camelot-0001", ["cannot-see"], 2.0)
    assert [(one.kind, one.opened, one.state) for one in matters.list_unsettled(0.0)] == [("cannot-see", 1.0, OPEN)]
    assert not Matters(database).note_troubles("table-1", "camelot-0001", ["cannot-see"], 3.0), (
        "another hall knows it too"
    )
    assert matters.note_troubles("table-1", "camelot-0001", [], 4.0)
    assert matters.list_unsettled(0.0) == []
    assert matters.note_troubles("table-1", "camelot-0001", ["cannot-see"], 5.0)
    assert [one.opened for one in matters.list_unsettled(0.0)] == [5.0]


def test_a_claim_holds_until_its_lease_is_over(database: sa.Engine) -> None:
    matters = Matters(database)
    matters.note_troubles("table-1", "camelot-0001", ["doubt"], 1.0)
    (seen,) = matters.list_unsettled(0.0)
    assert matters.claim_matter(seen.id, seen.version, "Anna", 10.0)
    assert not matters.claim_matter(seen.id, seen.version, "Bert", 10.0), "not as it was seen"
    assert not matters.claim_matter(seen.id, seen.version + 1, "Bert", 11.0), "another's"
    assert not matters.record_ruling(seen.id, seen.version + 1, "Bert", "stands")
    assert matters.claim_matter(seen.id, seen.version + 1, "Bert", 11.0 + LEASE_S)
    (now,) = matters.list_unsettled(0.0)
    assert (now.owner, now.state) == ("Bert", CLAIMED)
    assert not matters.record_ruling(seen.id, seen.version + 1, "Anna", "stands")
    assert matters.note_troubles("table-1", "camelot-0001", [], 12.0), (
        "what somebody sees to does not go away by itself"
    )
    assert [one.owner for one in matters.list_unsettled(0.0)] == ["Bert"]
    assert matters.record_ruling(now.id, now.version, "Bert", "the move stands")
    assert not matters.record_ruling(now.id, now.version, "Bert", "or not")
    assert [(one.owner, one.ruling, one.state) for one in matters.list_rulings("table-1")] == [
        ("Bert", "the move stands", RULED)
    ]


def test_what_somebody_took_on_goes_away_with_his_claim_where_its_trouble_has_passed(database: sa.Engine) -> None:
    """He has seen to it, and said nothing; what is there still waits for another."""
    matters = Matters(database)
    matters.note_troubles("table-1", "camelot-0001", ["doubt", "flag", "clock"], 1.0)
    for matter in matters.list_unsettled(0.0):
        assert matters.claim_matter(matter.id, 1, "Anna", 10.0)
    matters.note_troubles("table-1", "camelot-0001", ["flag"], 11.0)
    assert not matters.drop_abandoned(10.0 + LEASE_S), "she sees to it"
    assert len(matters.list_unsettled(0.0)) == 3
    assert matters.drop_abandoned(11.0 + LEASE_S)
    assert not matters.drop_abandoned(11.0 + LEASE_S)
    assert sorted(one.kind for one in matters.list_unsettled(0.0)) == ["clock", "flag"]
    assert matters.note_troubles("table-1", "camelot-0001", ["flag", "doubt"], 400.0), "another question"
    assert [one.opened for one in matters.list_unsettled(0.0) if one.kind == "doubt"] == [400.0]


def test_what_is_given_back_is_for_others_or_for_nobody(database: sa.Engine) -> None:
    matters = Matters(database)
    matters.note_troubles("table-1", "camelot-0001", ["doubt", "flag"], 1.0)
    one, other = matters.list_unsettled(0.0)
    for matter in (one, other):
        assert matters.claim_matter(matter.id, 1, "Anna", 10.0)
    assert not matters.release_matter(one.id, 2, "Bert"), "another's"
    assert matters.release_matter(one.id, 2, "Anna")
    assert not matters.release_matter(one.id, 3, "Anna"), "hers no more"
    assert not matters.record_ruling(one.id, 3, "Anna", "stands")
    assert matters.note_troubles("table-1", "camelot-0001", [one.kind], 10.0)
    assert matters.release_matter(other.id, 2, "Anna")
    assert [(left.id, left.state, left.owner) for left in matters.list_unsettled(0.0)] == [(one.id, OPEN, "")]
    assert matters.claim_matter(one.id, 3, "Bert", 11.0)


def test_what_was_ruled_on_does_not_come_again_when_a_hall_is_started_anew(database: sa.Engine) -> None:
    """Its trouble lasts, at the board and through any number of starts; when it comes again later, it is another."""
    matters, camera = Matters(database), ["cannot-see"]
    matters.note_troubles("table-1", "camelot-0001", camera, 1.0)
    (seen,) = matters.list_unsettled(0.0)
    assert matters.claim_matter(seen.id, 1, "Anna", 2.0)
    assert matters.record_ruling(seen.id, 2, "Anna", "played on without")
    matters.mark_written("table-1", seen.id)
    for start in (10.0, 20.0):
        again = Matters(database)
        assert not again.note_troubles("table-1", "camelot-0001", camera, start)
        assert again.list_unsettled(0.0) == []
    again.note_troubles("table-1", "camelot-0001", [], 30.0)
    assert Matters(database).note_troubles("table-1", "camelot-0001", camera, 40.0)
    assert [one.opened for one in matters.list_unsettled(0.0)] == [40.0]
    assert [one.ruling for one in matters.list_rulings("table-1")] == ["played on without"]


def test_a_trouble_that_lasts_is_of_the_game_that_is_played(database: sa.Engine) -> None:
    """A camera that has not seen the board for three games; what was decided stays what it was decided on."""
    matters = Matters(database)
    matters.note_troubles("table-1", "camelot-0001", ["cannot-see", "chain"], 1.0)
    first = {one.kind: one for one in matters.list_unsettled(0.0)}
    assert matters.claim_matter(first["cannot-see"].id, 1, "Anna", 1.0)
    for played in (matters, Matters(database)):
        played.note_troubles("table-1", "camelot-0003", ["cannot-see", "chain"], 2.0)
        now = {one.kind: one for one in matters.list_unsettled(0.0)}
        assert {kind: one.game for kind, one in now.items()} == {"cannot-see": "camelot-0003", "chain": "camelot-0001"}
        assert (now["cannot-see"].owner, now["cannot-see"].version) == ("Anna", 3)
        assert not played.note_troubles("table-1", "camelot-0003", ["cannot-see", "chain"], 3.0)
    assert not matters.record_ruling(first["cannot-see"].id, 2, "Anna", "played on"), "not as it was seen"
    assert matters.record_ruling(first["cannot-see"].id, 3, "Anna", "played on")
    matters.note_troubles("table-1", "camelot-0004", ["cannot-see", "chain"], 4.0)
    assert [one.game for one in matters.list_rulings("table-1")] == ["camelot-0003"]


def test_a_trouble_of_one_game_is_never_a_matter_of_another(database: sa.Engine) -> None:
    """The board is at the next game when the result of the one before is changed, and has a question there too."""
    matters, first, second = Matters(database), "camelot-0001", "camelot-0002"
    matters.note_troubles("table-1", first, ["doubt"], 1.0)
    (seen,) = matters.list_unsettled(0.0)
    assert matters.claim_matter(seen.id, 1, "Anna", 2.0)
    changed = [GameTrouble("changed-later", first), GameTrouble("missing", first)]
    for queue in (matters, Matters(database)):
        queue.note_troubles("table-1", second, ["doubt"], 3.0, changed)
        hers = next(one for one in queue.list_unsettled(0.0) if one.owner == "Anna")
        assert (hers.id, hers.game) == (seen.id, first)
        assert {(one.kind, one.game, one.version) for one in queue.list_unsettled(0.0)} == {
            ("doubt", first, 2),
            ("doubt", second, 1),
            ("changed-later", first, 1),
            ("missing", first, 1),
        }
    assert matters.note_troubles("table-1", second, [], 4.0, [*changed[:1], GameTrouble("changed-later", second)])
    two = [one for one in matters.list_unsettled(0.0) if one.kind == "changed-later"]
    assert [one.game for one in two] == [first, second]
    assert matters.find_decided(DISPUTED) == set()
    assert matters.claim_matter(two[0].id, 1, "Anna", 5.0)
    assert matters.record_ruling(two[0].id, 2, "Anna", "it stays")
    decided = {("table-1", GameTrouble("changed-later", first))}
    assert matters.find_decided(DISPUTED) == Matters(database).find_decided(DISPUTED) == decided


def test_a_matter_that_is_resumed_in_a_later_game_is_of_that_game(database: sa.Engine) -> None:
    """A camera that somebody sees to fails again; a record that did not fit stays a matter of its own game."""
    matters = Matters(database)
    matters.note_troubles("table-1", "camelot-0001", ["cannot-see"], 1.0, [GameTrouble("chain", "camelot-0001")])
    for one in matters.list_unsettled(0.0):
        assert matters.claim_matter(one.id, 1, "Anna", 2.0)
    matters.note_troubles("table-1", "camelot-0002", [], 3.0)
    matters.note_troubles("table-1", "camelot-0002", ["cannot-see"], 4.0, [GameTrouble("chain", "camelot-0002")])
    assert [(one.kind, one.game, one.version) for one in matters.list_unsettled(0.0) if one.kind == "cannot-see"] == [
        ("cannot-see", "camelot-0002", 3)
    ]
    assert {one.game for one in matters.list_unsettled(0.0) if one.kind == "chain"} == {"camelot-0001", "camelot-0002"}


def test_a_record_that_was_changed_waits_until_an_arbiter_has_looked(database: sa.Engine) -> None:
    """It does not pass by itself, not by a new start of the hall and not by the next game; and it is one matter."""
    Matters(database).note_troubles("table-1", "camelot-0001", ["chain"], 1.0)
    again = Matters(database)
    assert again.note_troubles("table-1", "camelot-0001", [], 2.0)
    assert again.note_troubles("table-1", "camelot-0001", ["chain"], 3.0)
    assert again.note_troubles("table-1", "camelot-0002", [], 4.0)
    (waits,) = again.list_unsettled(0.0)
    assert (waits.opened, waits.state) == (1.0, OPEN)
    assert again.find_distrust().held_boards == Matters(database).find_distrust().held_boards == {"table-1"}
    assert again.claim_matter(waits.id, waits.version, "Anna", 5.0)
    assert again.release_matter(waits.id, waits.version + 1, "Anna")
    assert again.find_distrust().held_boards == {"table-1"}, "nobody has looked"
    assert again.claim_matter(waits.id, waits.version + 2, "Bert", 6.0)
    assert again.find_distrust().held_boards == {"table-1"}
    assert again.record_ruling(waits.id, waits.version + 3, "Bert", "the paper score sheet agrees")
    assert again.find_distrust().held_boards == set()


def test_a_board_that_has_left_waits_for_nobody_until_it_comes_back(database: sa.Engine) -> None:
    """It plays in another hall by now; what its record is in doubt for is still to be decided."""
    matters, here = Matters(database), ["offline", "twins", "doubt"]
    matters.note_troubles("table-1", "camelot-0001", here, 1.0, [GameTrouble("chain", "camelot-0001")])
    matters.note_troubles("table-2", "camelot-0001", ["offline"], 1.0)
    seen = {(one.board, one.kind): one for one in matters.list_unsettled(0.0)}
    gone, record = seen["table-1", "offline"], seen["table-1", "chain"]
    assert not matters.mark_left(gone.id, 1, "Anna", 2.5), "nobody sees to it"
    for one in (gone, record):
        assert matters.claim_matter(one.id, 1, "Anna", 2.0)
    assert not matters.mark_left(gone.id, 2, "Bert", 2.5), "another's"
    assert not matters.mark_left(record.id, 2, "Anna", 2.5), "a record that does not fit does not leave"
    assert matters.mark_left(gone.id, 2, "Anna", 2.5)
    assert matters.list_departures() == {"table-1": 2.5}
    left = {(one.board, one.kind) for one in matters.list_unsettled(0.0)}
    assert left == {("table-1", "chain"), ("table-2", "offline")}
    for queue in (matters, Matters(database)):
        named = [GameTrouble("chain", "camelot-0001")]
        assert not queue.note_troubles("table-1", "camelot-0001", here, 3.0, named), "it is not opened again"
    matters.note_troubles("table-1", "camelot-0001", [], 4.0)
    assert matters.note_troubles("table-1", "camelot-0001", ["offline"], 5.0), "it was here again"
    assert ("table-1", "offline") in {(one.board, one.kind) for one in matters.list_unsettled(0.0)}


def test_a_ruling_that_a_board_refuses_comes_back_to_the_top(database: sa.Engine) -> None:
    matters = Matters(database)
    for board in ("table-1", "table-2", "table-3"):
        matters.note_troubles(board, "camelot-0001", ["doubt"], 1.0)
    _, seen, _ = matters.list_unsettled(0.0)
    assert matters.claim_matter(seen.id, 1, "Anna", 2.0)
    assert matters.record_ruling(seen.id, 2, "Anna", "stands")
    assert [one.board for one in matters.list_unsettled(0.0)] == ["table-1", "table-3", "table-2"], (
        "not at its board yet"
    )
    assert not matters.reopen_refused("table-1", seen.id, "of another board")
    assert matters.reopen_refused("table-2", seen.id, "no such game")
    assert not matters.reopen_refused("table-2", seen.id, "no such game")
    back = matters.list_unsettled(0.0)[0]
    assert (back.board, back.state, back.refused, back.ruling) == ("table-2", OPEN, "no such game", "stands")
    assert matters.note_troubles("table-2", "camelot-0001", [], 3.0)
    assert matters.list_unsettled(0.0)[0] == replace(back, lasts=False), "what was refused does not go away by itself"
    assert matters.claim_matter(back.id, back.version, "Anna", 4.0)
    assert matters.record_ruling(back.id, back.version + 1, "Anna", "stands so")
    matters.mark_written("table-2", back.id)
    assert [one.board for one in matters.list_unsettled(0.0)] == ["table-1", "table-3"]


def test_while_two_programs_speak_as_a_board_its_matters_stay_as_they_were_seen(database: sa.Engine) -> None:
    """Each says its own game, in turn."""
    matters, kinds = Matters(database), ["twins", "cannot-see"]
    matters.note_troubles("table-1", "camelot-0001", kinds, 1.0)
    for turn in range(4):
        assert not matters.note_troubles("table-1", f"camelot-000{1 + turn % 2}", kinds, 2.0)
    assert {(one.kind, one.game, one.version) for one in matters.list_unsettled(0.0)} == {
        ("twins", "camelot-0001", 1),
        ("cannot-see", "camelot-0001", 1),
    }
    assert matters.note_troubles("table-1", "camelot-0002", ["cannot-see"], 3.0)
    assert {(one.kind, one.game) for one in matters.list_unsettled(0.0)} == {
        ("twins", "camelot-0001"),
        ("cannot-see", "camelot-0002"),
    }


def test_while_two_programs_speak_as_a_board_no_matter_passes_and_comes(database: sa.Engine) -> None:
    """One sees the board and the other does not: three matters a second, which nobody could take on."""
    matters = Matters(database)
    matters.note_troubles("table-1", "camelot-0001", ["twins"], 1.0)
    assert matters.note_troubles("table-1", "camelot-0001", ["twins", "cannot-see"], 2.0)
    for _ in range(4):
        for kinds in (["twins"], ["twins", "cannot-see"]):
            assert not matters.note_troubles("table-1", "camelot-0001", kinds, 3.0)
    assert {(one.kind, one.version) for one in matters.list_unsettled(0.0)} == {("twins", 1), ("cannot-see", 1)}
    assert matters.note_troubles("table-1", "camelot-0001", [], 4.0)
    assert [one.kind for one in matters.list_unsettled(0.0)] == ["twins"]


def test_a_copy_that_is_played_on_is_one_matter_of_its_game(database: sa.Engine) -> None:
    """Less at first, then something else; what somebody sees to is still his, and another version."""
    matters = Matters(database)
    matters.note_troubles("table-1", "camelot-0001", ["shorter"], 1.0)
    (seen,) = matters.list_unsettled(0.0)
    assert matters.claim_matter(seen.id, 1, "Anna", 2.0)
    assert matters.note_troubles("table-1", "camelot-0001", ["chain"], 3.0)
    (now,) = matters.list_unsettled(0.0)
    assert (now.id, now.kind, now.owner, now.version, now.lasts) == (seen.id, "chain", "Anna", 3, True)
    assert matters.find_distrust().games == {("table-1", "camelot-0001")}
    for queue in (matters, Matters(database)):
        queue.note_troubles("table-1", "camelot-0001", ["shorter"], 4.0)
        queue.note_troubles("table-1", "camelot-0001", ["chain"], 5.0)
        assert [(one.id, one.version) for one in queue.list_unsettled(0.0)] == [(seen.id, 3)], "nor a second one"
    assert matters.note_troubles("table-1", "camelot-0002", ["shorter"], 6.0)
    assert {(one.game, one.kind) for one in matters.list_unsettled(0.0)} == {
        ("camelot-0001", "chain"),
        ("camelot-0002", "shorter"),
    }


NOW, AFTER_LEASE = 10.0, 11.0 + LEASE_S
Reach = Callable[[Matters, int], bool]


def claims(who: str) -> Reach:
    return lambda matters, matter: matters.claim_matter(matter, 1, who, NOW)


def claims_and_rules(who: str) -> Reach:
    return lambda matters, matter: (
        matters.claim_matter(matter, 1, who, NOW) and matters.record_ruling(matter, 2, who, who)
    )


def rules(matters: Matters, matter: int) -> bool:
    return matters.record_ruling(matter, 2, "Anna", "stands")


def releases(matters: Matters, matter: int) -> bool:
    return matters.release_matter(matter, 2, "Anna")


def takes_over(matters: Matters, matter: int) -> bool:
    return matters.claim_matter(matter, 2, "Bert", AFTER_LEASE)


@pytest.mark.parametrize(
    ("is_claimed", "one", "other"),
    [
        pytest.param(False, claims("Anna"), claims("Bert"), id="claim"),
        pytest.param(False, claims_and_rules("Anna"), claims_and_rules("Bert"), id="claim and rule"),
        pytest.param(True, rules, rules, id="rule at two screens"),
        pytest.param(True, rules, takes_over, id="rule or take over"),
        pytest.param(True, releases, rules, id="release or rule"),
        pytest.param(True, releases, takes_over, id="release or take over"),
    ],
)
def test_of_two_who_reach_for_a_matter_one_wins(
    database: sa.Engine, is_claimed: bool, one: Reach, other: Reach
) -> None:
    """Two halls on one database, each arbiter at another: in every race exactly one wins."""
    claimed = {"state": CLAIMED, "owner": "Anna", "lease": NOW + LEASE_S, "version": 2}
    fresh = {"state": OPEN, "owner": "", "lease": 0.0, "version": 1}
    row = {
        "game": "camelot-0001",
        "kind": "doubt",
        "opened": 1.0,
        "ruling": "",
        "lasts": True,
        "sent": 0.0,
        "refused": "",
    }
    row |= claimed if is_claimed else fresh
    with database.begin() as connection:
        connection.execute(sa.insert(STORED_MATTERS), [row | {"board": f"table-{n}"} for n in range(RACES)])
    ids = [int(row[0]) for row in _ids(database)]
    won = (set[int](), set[int]())

    def arbiter(reach: Reach, start: threading.Barrier, their: list[int], mine: set[int]) -> None:
        matters = Matters(database)
        for matter in their:
            start.wait()
            if reach(matters, matter):
                mine.add(matter)

    threads = []
    for pair in range(PAIRS):
        start = threading.Barrier(2)
        for reach, mine in zip((one, other), won, strict=True):
            threads.append(threading.Thread(target=arbiter, args=(reach, start, ids[pair::PAIRS], mine)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == RACES
    print(f"{RACES} races: {len(won[0])} to the one, {len(won[1])} to the other, {len(won[0] & won[1])} to both")
    assert won[0] | won[1] == set(ids)
    assert not won[0] & won[1]


def _ids(database: sa.Engine) -> list[tuple[int]]:
    with database.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text("SELECT id FROM matters ORDER BY id"))]  # type: ignore[misc]


def test_two_halls_that_see_a_trouble_begin_in_the_same_moment_open_one_matter(database: sa.Engine) -> None:
    """Each had read that there was none: two arbiters decided the same trouble differently."""
    one, other = Matters(database), Matters(database)
    one.note_troubles("table-1", "camelot-0001", [], 0.0)
    other.note_troubles("table-1", "camelot-0001", [], 0.0)
    assert one.note_troubles("table-1", "camelot-0001", ["cannot-see"], 1.0)
    other.note_troubles("table-1", "camelot-0001", ["cannot-see"], 1.1)
    assert [(matter.opened, matter.version) for matter in one.list_unsettled(0.0)] == [(1.0, 1)]
    assert other.note_troubles("table-1", "camelot-0001", [], 2.0)
    assert one.list_unsettled(0.0) == []
