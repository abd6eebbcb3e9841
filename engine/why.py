"""Why something is refused, for every game: a written move, or what stands on the board."""

from __future__ import annotations

from engine.game import Change, Game, Position, Refusal


def why_move(game: Game, position: Position, text: str) -> Refusal | None:
    """Why the move that `text` writes is refused, None if it is lawful."""
    found = game.read(position, text)
    return found if isinstance(found, Refusal) else None


def why_placement(game: Game, position: Position, placement: bytes) -> Refusal:
    """Why `placement` does not follow from `position` by a lawful move: the likeliest attempt, judged."""
    change = difference(game, position, placement)
    return change if isinstance(change, Refusal) else game.refuse(position, change)


def difference(game: Game, position: Position, placement: bytes) -> Change | Refusal:
    """What changed, or why no attempt of one piece of the side to move can have changed it."""
    before, seat_of, name = position.placement, game.seat_of, game.board.cells
    changed = [cell for cell in range(len(before)) if before[cell] != placement[cell]]
    gone = [cell for cell in changed if seat_of[before[cell]] == position.seat]
    came = [cell for cell in changed if seat_of[placement[cell]] == position.seat]
    lost = [cell for cell in changed if before[cell] and seat_of[before[cell]] != position.seat]
    strange = [cell for cell in changed if placement[cell] and seat_of[placement[cell]] != position.seat]
    side = game.seats[position.seat]
    if not changed:
        return Refusal("not-a-move", f"Nothing has moved; it is {side}'s turn.")
    if strange and not gone and not came:
        where = name[lost[0] if lost else strange[0]]
        return Refusal("not-yours", f"The piece on {where} is not {side}'s to move; it is {side}'s turn.")
    if strange:
        where = ", ".join(name[cell] for cell in strange)
        return Refusal("not-a-move", f"A move changes no piece of others but by taking it: see {where}.")
    if len(gone) > 1 or len(came) > 1:
        where = ", ".join(name[cell] for cell in changed)
        return Refusal("not-a-move", f"A turn moves one piece; more than one has changed: {where}.")
    if len(gone) < len(came):
        return Refusal("no-piece", f"The piece on {name[came[0]]} has come from nowhere.")
    if len(came) < len(gone):
        return Refusal("not-a-move", f"The piece from {name[gone[0]]} is not on the board.")
    if not gone:
        return Change(-1, -1, tuple(lost))
    becomes = placement[came[0]] if placement[came[0]] != before[gone[0]] else 0
    return Change(gone[0], came[0], tuple(lost), becomes)
