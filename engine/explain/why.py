"""Why what stands on the board is refused, for every game."""

from __future__ import annotations

from engine.game import Change, Game, Position, Refusal, build_refusal


def why_placement(game: Game, position: Position, placement: bytes) -> Refusal:
    """Why `placement` does not follow from `position` by a lawful move: the likeliest attempt, judged."""
    change = find_difference(game, position, placement)
    return change if isinstance(change, Refusal) else game.refuse(position, change)


def find_difference(game: Game, position: Position, placement: bytes) -> Change | Refusal:
    """What changed, or why no attempt of one piece of the side to move can have changed it."""
    before, name = position.placement, game.board.cells
    changed = [cell for cell in range(len(before)) if before[cell] != placement[cell]]
    gone, lost = _split_by_owner(game, position.seat, before, changed)
    came, others = _split_by_owner(game, position.seat, placement, changed)
    side = game.seats[position.seat]
    if not changed:
        return build_refusal("not-a-move", "Nothing has moved; it is {side}'s turn.", side=side)
    if others and not gone and not came:
        where = name[lost[0] if lost else others[0]]
        if not lost:  # as a captured piece that was left standing
            text = "A piece stands on {cell} where the game has none: take it off; it is {side}'s turn."
            return build_refusal("not-yours", text, cell=where, side=side)
        text = "The piece on {cell} is not {side}'s to move; it is {turn}'s turn."
        return build_refusal("not-yours", text, cell=where, side=side, turn=side)
    if others or len(gone) > 1 or len(came) > 1:
        taking = "A move changes no piece of others but by taking it: see {cells}."
        text = taking if others else "A turn moves one piece; more than one has changed: {cells}."
        return build_refusal("not-a-move", text, cells=", ".join(name[cell] for cell in others or changed))
    return _build_change(position, placement, gone, came, lost, name)


def _split_by_owner(game: Game, seat: int, placement: bytes, cells: list[int]) -> tuple[list[int], list[int]]:
    """Those of `cells` on which pieces of `seat` stand in `placement`, and those on which pieces of others do."""
    own = [cell for cell in cells if game.seat_of[placement[cell]] == seat]
    return own, [cell for cell in cells if placement[cell] and game.seat_of[placement[cell]] != seat]


def _build_change(
    position: Position, placement: bytes, gone: list[int], came: list[int], lost: list[int], name: tuple[str, ...]
) -> Change | Refusal:
    """What changed when at most one cell lost a piece of the side to move, and at most one got one."""
    if len(gone) < len(came):
        text = "A piece stands on {cell} where the game has none: take it off."
        return build_refusal("no-piece", text, cell=name[came[0]])
    if len(came) < len(gone):
        return build_refusal("not-a-move", "The piece from {cell} is not on the board.", cell=name[gone[0]])
    if not gone:
        return Change(-1, -1, tuple(lost))
    becomes = placement[came[0]] if placement[came[0]] != position.placement[gone[0]] else 0
    return Change(gone[0], came[0], tuple(lost), becomes)
