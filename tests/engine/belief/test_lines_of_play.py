"""Lines of play are followed from look to look while nothing is sure, and lead back to the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from engine.belief.decision import update_belief
from engine.belief.lines_of_play import KEPT_LINES, FollowedLines, LineOfPlay, keep_likeliest_lines
from engine.belief.memory import Memory
from engine.belief.opinion import Opinion
from engine.belief.sight import InMotion, Sight
from engine.belief.verdicts import Doubtful, Earlier, Played, Wrong
from engine.game import Move, Position
from engine.games import load
from tests.engine.sights import cells, changed, line, move_named, seen
from tests.engine.stand import stand

CAMELOT = load("camelot", "wcf")
PLIES = ("E6-E5", "F11-F12", "I7-I8", "G11-G12", "C6-C5")
POSITIONS, MOVES = line(CAMELOT, " ".join(PLIES))


def looked(positions: Sequence[Position], sights: Sequence[Sight]) -> Opinion:
    """What is believed after looks one after another, at which nothing could be said before the last."""
    memory = Memory()
    for sight in sights:
        opinion, memory = update_belief(CAMELOT, positions[:1], (), sight, memory, InMotion())
    return opinion


def afresh(position: Position, faint: str = "", stirred: bool = True) -> Sight:
    """A look at a position of which the cells named are hardly seen."""
    sight = seen(CAMELOT, position.placement, faint=dict.fromkeys(cells(CAMELOT, faint), 0.3))
    return replace(sight, afresh=True, clear=True, patient=True, rested=True, stirred=stirred)


def test_five_plies_are_found_that_came_one_a_look() -> None:
    """Where each piece went was unsure while it was new; no single look could tell five plies."""
    unsure = ("E5", "F12", "I8", "G12", "")
    opinion = looked(POSITIONS, [afresh(p, faint) for p, faint in zip(POSITIONS[1:], unsure, strict=True)])
    assert isinstance(opinion.verdict, Doubtful)  # men of one side are alike, and other ways are nearly as likely
    assert opinion.verdict.options[0] == " ".join(PLIES)


def test_of_two_ways_to_one_position_the_one_that_was_seen_is_said() -> None:
    """The steps were seen one by one, though neither was sure."""
    one, two = (line(CAMELOT, plies) for plies in ("E6-E5 F11-F12 I7-I8", "I7-I8 F11-F12 E6-E5"))
    assert one[0][-1].placement == two[0][-1].placement
    for positions, moves in (one, two):
        sights = [afresh(positions[1], "F6"), afresh(positions[2], "F6"), afresh(positions[3])]
        assert _first(looked(positions, sights)) == moves[0]


def test_lines_are_followed_while_hands_hide_cells_of_the_board() -> None:
    """A step is seen beside a hand, then the next piece is gone and its cell hidden, then all three plies stand."""
    for plies in ("E6-E5 F11-F12 I7-I8", "I7-I8 F11-F12 E6-E5"):
        positions, moves = line(CAMELOT, plies)
        looks = [
            replace(seen(CAMELOT, positions[1].placement), hidden=cells(CAMELOT, "F11 F12"), stirred=True),
            replace(seen(CAMELOT, positions[2].placement), hidden=cells(CAMELOT, "G6 G7"), stirred=True),
            replace(seen(CAMELOT, positions[3].placement), clear=True, stirred=True),
        ]
        opinion = looked(positions, looks)
        assert opinion.verdict == Played(moves)


def _first(opinion: Opinion) -> Move | None:
    return opinion.verdict.moves[0] if isinstance(opinion.verdict, Played) else None


def test_a_picture_that_is_read_by_itself_accuses_nobody() -> None:
    """In another light a shadow looks like a piece that stands where none may."""
    wrong = replace(POSITIONS[0], placement=changed(CAMELOT, POSITIONS[0].placement, "E6-E9"))
    for _ in range(3):
        opinion = looked(POSITIONS, [afresh(wrong)] * 2)
        assert not isinstance(opinion.verdict, Wrong)
        assert isinstance(opinion.verdict, Doubtful)
        assert opinion.verdict.read == wrong.placement


def test_only_likely_lines_are_kept() -> None:
    many = [((move,), -0.1 * n) for n, move in enumerate(CAMELOT.moves(POSITIONS[0]))]
    lines = keep_likeliest_lines([*many, (MOVES, -1000.0)])
    assert len(lines) == KEPT_LINES
    assert lines[0].weight == 0
    assert all(one.weight >= two.weight for one, two in pairwise(lines))
    assert keep_likeliest_lines([]) == (LineOfPlay(),)


def test_what_followed_the_plies_that_were_said_is_not_forgotten() -> None:
    """Of four plies the first was said, and then a line that leaves the same was, though looks had shown the others."""
    other = CAMELOT.moves(POSITIONS[0])[0]
    before = LineOfPlay(), LineOfPlay((other,), -1.0)
    after = LineOfPlay(MOVES[:4]), LineOfPlay(MOVES[:1], -2.0), LineOfPlay((other,), -0.5)
    lines = FollowedLines(before, after, frozenset({MOVES[:1], MOVES[:3]})).drop_said_moves(MOVES[:1])
    assert lines.before == (LineOfPlay(),)
    assert set(lines.after) == {LineOfPlay(MOVES[1:4]), LineOfPlay((), -2.0)}
    assert lines.seen == {MOVES[1:3]}
    assert FollowedLines(after=(LineOfPlay((other,)),)).drop_said_moves(MOVES[:1]) == FollowedLines()


def test_whoever_is_out_of_the_game_is_not_waited_for() -> None:
    """Green has no piece left, and blue plays the third ply: a man where it was taken off once kept the line out."""
    game = load("tri-camelot", "wcf")
    standing = {"E4": 1, "G6": 0, "H9": 1, "F11": 0, "K12": 1, "D13": 3, "I14": 2}
    placed = bytearray(len(game.board.cells))
    for cell, code in standing.items():
        placed[game.board.index[cell]] = code + 1
    start = replace(game.start(), placement=bytes(placed))
    position, moves = start, []
    for text in ("F11-G12", "I14-H13", "G12xI14"):
        move = next(one for one in game.moves(position) if game.write(position, one) == text)
        position, moves = game.play(position, move), [*moves, move]
    sight = replace(
        seen(game, position.placement, t=30.0, patient=True), rested=True, moving_s=20.0, clear=True, stirred=True
    )
    memory = Memory(t=10.0, lines=FollowedLines(seen=frozenset({tuple(moves[:2])})))
    opinion, _ = update_belief(game, (start,), (), sight, memory, InMotion())
    assert opinion.verdict == Played(tuple(moves))


def test_pieces_that_go_to_and_fro_while_a_question_is_open_are_no_takeback() -> None:
    """Knights go to and fro for a draw: what stands there after the sixth ply stood there after the second."""
    game = load("camette")
    positions, moves = line(game, "C2-B2 C6-B6 B2-C2 B6-C6 C2-B2 C6-B6")
    assert positions[6].placement == positions[2].placement
    memory, told = Memory(), []
    for position, faint in zip(positions[4:], ("C6", "B2", ""), strict=True):
        sight = seen(game, position.placement, t=1.0, faint=dict.fromkeys(cells(game, faint), 0.3), patient=True)
        sight = replace(sight, rested=True, clear=True, stirred=True)
        opinion, memory = update_belief(game, positions[:4], moves[:3], sight, memory, InMotion())
        told.append(opinion.verdict)
    assert not any(isinstance(verdict, Earlier) for verdict in told)


def test_the_ply_that_leads_back_to_the_start_is_a_ply() -> None:
    """Nobody puts the pieces up again by the very ply that is due."""
    game = load("camette")
    positions, moves = line(game, "C2-B2 C6-B6 B2-C2 B6-C6")
    assert positions[4].placement == positions[0].placement
    sight = replace(seen(game, positions[4].placement, patient=True), rested=True, clear=True, stirred=True)
    opinion, _ = update_belief(game, positions[:4], moves[:3], sight, Memory(), InMotion())
    assert opinion.verdict == Played(moves[3:])


def test_a_man_that_is_taken_off_is_not_four_plies_of_which_nothing_else_is_seen() -> None:
    """White takes D9 and comes back over its own men, and Black's other man goes to D9: only F10 has changed."""
    game, now = stand("camelot wcf", "white", "WM C9 A4, WN D8 D7, BM D9 F10 G11 E11, BN L9")
    position = now
    for text in ("C9xE9", "F10-E10", "E9-C7-E7-C9", "E10-D9"):
        position = game.play(position, move_named(game, position, text))
    board = changed(game, now.placement, "F10-")
    assert position.placement == board
    sight = replace(seen(game, board, patient=True), rested=True, moving_s=6.0, clear=True)
    opinion, _ = update_belief(game, (now,), (), sight, Memory(), InMotion())
    assert not isinstance(opinion.verdict, Played)


def test_of_several_plies_that_nobody_saw_not_even_the_first_is_said_where_others_lead_there_too() -> None:
    """Two steps of two men look like a canter of one, and Black would be called out of turn afterwards."""
    now, (after, *_) = CAMELOT.start(), reversed(line(CAMELOT, "E6-D5 D10-C9 F7-E6")[0])
    assert after.placement == line(CAMELOT, "F7-D5 D10-C9")[0][-1].placement
    sight = replace(seen(CAMELOT, after.placement, t=20.0), clear=True, moving_s=8.0)
    for unseen_s, said in ((0.0, Played), (8.0, Doubtful)):
        memory = Memory(t=20.0 - unseen_s) if unseen_s else Memory()
        opinion, _ = update_belief(CAMELOT, (now,), (), sight, memory, InMotion())
        assert isinstance(opinion.verdict, said)
    assert isinstance(opinion.verdict, Doubtful)
    assert {"F7-D5 D10-C9", "E6-D5 D10-C9 F7-E6"} <= {*opinion.verdict.options}


def test_what_begins_a_line_is_not_said_where_a_longer_one_that_begins_otherwise_leads_there_too() -> None:
    """Each ply was seen for a moment and nothing was sure; that the other line has a ply more says nothing."""
    game, now = stand("camelot wcf", "white", "WM E6 F7 I7, BM D10 G11 J11")
    ways = ("F7-D5 D10-C9 I7-I8 G11-G12", "E6-D5 D10-C9 F7-E6 G11-G12 I7-I8")
    lines, ends = list[LineOfPlay](), set[bytes]()
    for way in ways:
        position, moves = now, list[Move]()
        for text in way.split():
            moves.append(move_named(game, position, text))
            position = game.play(position, moves[-1])
        lines.append(LineOfPlay(tuple(moves)))
        ends.add(position.placement)
    (end,) = ends
    sight = replace(seen(game, end), clear=True, rested=True, stirred=True, moving_s=4.0)
    memory = Memory(lines=FollowedLines(after=tuple(lines)))
    opinion, _ = update_belief(game, (now,), (), sight, memory, InMotion())
    assert isinstance(opinion.verdict, Doubtful)
    assert set(ways) <= {*opinion.verdict.options}


def test_a_board_that_is_plainly_seen_is_believed_against_what_an_arm_seemed_to_show() -> None:
    """An arm lay still over F11, so that it seemed to have gone on: the step that stands there was never said."""
    answered = MOVES[0], move_named(CAMELOT, POSITIONS[1], "F11-E12")
    after = CAMELOT.play(POSITIONS[1], answered[1])
    gone_on = (*answered, move_named(CAMELOT, after, "I7-I8"))
    memory = Memory(lines=FollowedLines(after=(LineOfPlay(answered), LineOfPlay(gone_on))))
    sight = replace(seen(CAMELOT, POSITIONS[1].placement), clear=True, rested=True, stirred=True)
    opinion, _ = update_belief(CAMELOT, POSITIONS[:1], (), sight, memory, InMotion())
    assert opinion.verdict == Played(MOVES[:1])
