"""Finding the board by itself: by its markers, else by the grid and the outline that every board of a game has."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import permutations, product

import numpy as np

from calibration.agreement import agreement_with
from calibration.doubts import MIRRORED, OTHER_BOARD, find_likelier_game, is_mirrored
from calibration.find_rough import fit_rough_view, search_beside, search_places, share_cells, step_view
from calibration.find_side import best_named, best_side, board_turns, fits_mirror, turn_view
from calibration.lattice import Fit, edge_energy, edges_for, grid_steps
from calibration.markers import detect_markers, marker_places
from calibration.solve import MARKED_FIT, Solution, hold_down, hold_down_if_cut, make_solution, solve_by_markers
from calibration.view import Image, Lens, View, rectangle_corners
from engine.board import Board
from engine.errors import InputError

NO_BOARD_SEEN = (
    "no board is seen: show all of it, flat and well lit, from nearer or with more pixels, "
    "or give --markers, --corners or --points"
)
RIGHT_FIT = 85
"""A grid that fits so well is taken; else its neighbours are tried too, and the best is in doubt. In 510 drawn pictures
right grids had 87 and more, one whose corner was off by 0.3 cell had 79, and one over the wrong lines 77."""
CLEAR_LEAD = 0.085
"""... and if it leads by so much. Right ones in those pictures by 0.09 to 0.8. Wrong ones that were reached from grids
stretched on purpose fit up to 87 and lead by up to 0.4, or, of hexagons, fit up to 100 and lead by up to 0.17."""
NARROW_LEAD = 0.25
"""A grid that leads by less gives way to a neighbour in which the pieces plainly stand, by CLEAR_STAND: the frame of a
board may look like one of its lines. Raising it asks the pieces more often; lowering it believes lines alone. Fitted on
one wrong grid of an outsider's board, a rank off and turned round: it led by 0.09, and the pieces had 85 nats there and
480 beside it; in another frame the right one led by 0.29."""
BLURRED_FIT, BLURRED_LEAD = 70, 0.3
"""Of a picture that is not sharp fewer lines are seen, but as many more than beside the right place: a grid that fits
and leads by so much is taken as well. Lower ones take more of the small and blurred pictures; of 217 blurred starts of
another renderer wrong grids led by 0.03 at most, but for one with 67 and 0.24. Of 208 pictures of ours, blurred and at
half the size, 16 more are found so, all within a fifth of a cell."""
CLEAR_STAND = 40.0
"""... or if what should stand there explains the picture better than with any grid beside it, by so many nats: ranks of
pieces hide the lines that would tell. Raising it refuses right places, lowering it believes a grid that is a row off.
Guessed; by the pieces alone 48 of 50 drawn starts were told, hands over a third of them, and of 306 grids one to three
cells beside them none.
"""
HIDDEN_STAND = 80.0
"""... and where fewer lines are seen than RIGHT_FIT asks, BLURRED_FIT at least, by so many: half of a board's lines may
lie under its pieces. Raising it refuses right places, lowering it believes one that is crooked. Of an outsider's boards
six right ones had 109 to 290; of 90 grids drawn crooked by a cell on purpose the wrong ones had 60 at most.
"""
PLACES_TRIED = 3
"""Places in the picture that are tried where the likeliest one is in doubt, half a second each."""
FEW_LINES = "too few of the lines that are seen are the board's: give --markers or --corners"
NO_SIDE = "which side is which is not sure: set up the start position, or give --corners"


def find_by_itself(board: Board, image: Image, looks: Sequence[str] | None, lens: Lens | None = None) -> list[Solution]:
    """The views of all levels of `board`, found without help. `looks` says what stands on each cell at the start.

    InputError when no board is seen. A side that `looks` does not settle is told by a fit under MARKED_FIT.
    """
    levels = range(max(board.levels) + 1)
    seen = detect_markers(image)
    if all(len(seen.keys() & marker_places(board, level).keys()) > 1 for level in levels):
        return [solve_by_markers(board, image, marker_places(board, level), level, lens) for level in levels]
    if is_mirrored(image, {number for level in levels for number in marker_places(board, level)}):
        raise InputError(f"calibrate: {MIRRORED}")
    found = find_by_levels(board, image, looks, lens) if len(levels) > 1 else [find_by_grid(board, image, looks, lens)]
    if not found[0].doubt and find_likelier_game(board, found[0].view, image):
        found = [hold_down(found[0], OTHER_BOARD)]
    return [hold_down_if_cut(board, solution, level) for level, solution in enumerate(found)]


def find_by_grid(board: Board, image: Image, looks: Sequence[str] | None, lens: Lens | None = None) -> Solution:
    """The view that the grid of the board and its outline tell, named so that `looks` stand on the cells."""
    places = search_places(board, image)
    if not places:
        raise InputError(NO_BOARD_SEEN)
    best: Solution | None = None
    steps = [step_view(places[0], step) for step in grid_steps(board)[1:]]
    for rough in (*places[:PLACES_TRIED], *steps):
        if best is not None and (looks is None or not best.doubt):
            break
        with suppress(InputError):  # from there no board is come to
            other = _settle_view(board, rough, image, looks, lens)
            best = other if best is None else max(best, other, key=lambda found: (not found.doubt, found.fit))
    if best is None:
        raise InputError(NO_BOARD_SEEN)
    if looks is not None and fits_mirror(board, best.view, image, edges_for(board, best.view, image), looks):
        raise InputError(f"calibrate: {MIRRORED}")
    return best


def find_by_levels(board: Board, image: Image, looks: Sequence[str] | None, lens: Lens | None = None) -> list[Solution]:
    """The views of all levels of a board whose levels lie apart, each found by its grid and named by its pieces."""
    count = len(set(board.levels))
    fits = _find_levels(board, image, count, lens)
    named, sure = _name_levels(board, fits, image, looks) if looks else (fits, False)
    if looks and not (sure and fits[0].lead >= CLEAR_LEAD):  # the first one was found without a neighbour's help
        again = _find_one_more(board, image, fits[1:], lens)
        fits = [*fits[1:], again if again is not None else fits[0]]
        named, sure = _name_levels(board, fits, image, looks)
    told = _is_place_sure(board, named, image, looks if sure else None)
    doubt = FEW_LINES if not told else "" if sure else NO_SIDE
    energies = [edges_for(board, fit.view, image, level) for level, fit in enumerate(named)]
    return [
        make_solution(board, fit, "grid", fit.error_cells, energy, level, doubt)
        for level, (fit, energy) in enumerate(zip(named, energies, strict=True))
    ]


def _find_levels(board: Board, image: Image, count: int, lens: Lens | None) -> list[Fit]:
    """The grids of all levels, whichever each may be. InputError if fewer are seen."""
    first = _find_first(board, image, count, lens)
    fits = [] if first is None else [first]
    while fits and len(fits) < count and (one := _find_one_more(board, image, fits, lens)) is not None:
        fits.append(one)
    if len(fits) < count:
        raise InputError(
            f"{len(fits)} of the {count} levels of the board are seen: show all of them, flat and well lit, "
            "or give --markers or --points"
        )
    return fits


def _find_first(board: Board, image: Image, count: int, lens: Lens | None) -> Fit | None:
    """The level that is found by itself; where one is doubtful another place is looked at, then another level."""
    tried: list[Fit] = []
    places = search_places(board, image)[:PLACES_TRIED]
    for _ in range(PLACES_TRIED + count):
        if not places:  # what is left where the levels that were tried are not looked at
            places = search_places(board, image, [fit.view for fit in tried])[:1]
        if not places:
            break
        with suppress(InputError):  # from there no board is come to
            tried.append(fit_rough_view(board, places[0], image, lens))
        if tried and _is_clear(tried[-1]):
            break
        places = places[1:]
    return max(tried, key=_rank_fit, default=None)


def _find_one_more(board: Board, image: Image, fits: Sequence[Fit], lens: Lens | None) -> Fit | None:
    """One more level beside those that are found, the nearest of them first."""
    known = [fit.view for fit in fits]
    found: list[Fit] = []
    for view in reversed(known):
        for rough in search_beside(board, view, image, known):
            tried = [fit_rough_view(board, rough, image, lens)]
            if tried[0].score >= RIGHT_FIT and tried[0].lead < CLEAR_LEAD:
                tried.append(fit_rough_view(board, step_view(tried[0].view, tried[0].rival), image, lens))
            # One may be drawn onto the lines of a level that is found already.
            found += [fit for fit in tried if not any(share_cells(board, fit.view, one) for one in known)]
            best = max(found, key=_rank_fit, default=None)
            if best is not None and _is_clear(best):
                return best
    best = max(found, key=_rank_fit, default=None)
    return best if best is not None and best.score >= MARKED_FIT else None


def _rank_fit(fit: Fit) -> tuple[bool, int]:
    """What makes a level that is found better than another."""
    return fit.lead >= CLEAR_LEAD, fit.score


def _name_levels(board: Board, fits: Sequence[Fit], image: Image, looks: Sequence[str]) -> tuple[list[Fit], bool]:
    """The levels in the order and from the sides that `looks` stand on, and whether that is sure."""
    sides = [[replace(fit, view=turn_view(fit.view, turn)) for turn in board_turns(board)] for fit in fits]
    named = [chosen for order in permutations(sides) for chosen in product(*order)]
    pitch = float(np.median([fit.view.pitch_px(rectangle_corners(board.size_wh)) for fit in fits]))
    views = [tuple(fit.view for fit in chosen) for chosen in named]
    best, sure = best_named(board, views, image, edge_energy(image, pitch), looks)
    return list(named[views.index(best)]), sure


def _settle_view(board: Board, rough: View, image: Image, looks: Sequence[str] | None, lens: Lens | None) -> Solution:
    """The view near a rough one, moved to where the outline agrees, with its sides named."""
    energy = edges_for(board, rough, image)
    fit = fit_rough_view(board, rough, image, lens, energy)
    view, sure = best_side(board, fit.view, image, energy, looks) if looks else (fit.view, False)
    named = replace(fit, view=view)
    told = _is_place_sure(board, [named], image, looks if sure else None)
    doubt = FEW_LINES if not told else "" if sure else NO_SIDE
    return make_solution(board, named, "grid", fit.error_cells, energy, doubt=doubt)


def _shows_lines(fit: Fit) -> bool:
    """Whether enough lines of a grid are seen."""
    return fit.score >= RIGHT_FIT or (fit.score >= BLURRED_FIT and fit.lead >= BLURRED_LEAD)


def _is_clear(fit: Fit) -> bool:
    """Whether enough lines are seen, and more than of any grid beside it."""
    return _shows_lines(fit) and fit.lead >= CLEAR_LEAD


def _is_place_sure(board: Board, fits: Sequence[Fit], image: Image, looks: Sequence[str] | None) -> bool:
    """Whether the grids found are the board's, and none beside them: by the lines, or by the pieces if `looks` stand
    there."""
    unsure = [level for level, fit in enumerate(fits) if not _is_clear(fit)]
    asked = unsure or [level for level, fit in enumerate(fits) if fit.lead < NARROW_LEAD]
    if not asked or looks is None or min(fit.score for fit in fits) < BLURRED_FIT:
        return not unsure
    agreement = agreement_with(board, image, looks)
    views = [fit.view for fit in fits]
    turns = [np.eye(3)] if unsure else board_turns(board)
    beside = (
        [*views[:level], turn_view(step_view(views[level], step), turn), *views[level + 1 :]]
        for level, step, turn in product(asked, grid_steps(board)[1:], turns)
    )
    if not unsure:
        return max(map(agreement, beside)) <= CLEAR_STAND + agreement(views)
    least = CLEAR_STAND if all(map(_shows_lines, fits)) else HIDDEN_STAND
    return agreement(views) > least + max(map(agreement, beside))
