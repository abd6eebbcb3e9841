"""Where the board lies after the camera was moved by anything: searched anew, and believed by the pieces on it.

Lines alone cannot tell a board from the same board half a cell or a cell beside it: its grid goes on in the pattern of
its frame, in the grain of the table and in rows of pieces. So every place that the lines propose is held against its
neighbours and its other sides, and the one is believed under which what should stand on the board falls into its cells.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import cv2
import numpy as np

from calibration.agreement import Agreement
from calibration.find_rough import search_places, step_view
from calibration.find_side import board_turns, turn_view
from calibration.lattice import LEAST_SPREAD_CELLS, Fit, Lattice, assess_view, board_lattice, edge_energy, found_across
from calibration.solve import refine_near
from calibration.view import Energy, Floats, Image, View, rectangle_corners
from engine.board import Board
from engine.errors import InputError

Views = tuple[View, ...]
NO_VIEW = (InputError, np.linalg.LinAlgError)
"""What comes of a place from which no camera sees a board."""
log = logging.getLogger(__name__)

LEAST_FIT = 85
"""Fit of a place that is believed. Right places in 100 drawn scenes had 98 and more, those that were half a cell off or
more 84 at most. Raising it loses boards of which an arm hides a part, lowering it takes their neighbours."""
POOR_FIT, POOR_BENT, POOR_LEAD = 72, 0.025, 25.0
"""Small, dark and noisy pictures show the lines of a right place no better than by this fit. It is believed all the
same where the board's shape has changed by no more than this, its pieces lead by so many nats, and its lines are seen
no better where the board was: pieces that all stood 0.3 cell off drew it half a cell away. Fitted on 188 drawn
scenes that were spoilt by size, darkness, noise, blur and arms: none of the 15 places so believed was more than 0.12
cell off; of those 0.15 cell off and more the best had a fit of 72 and was bent by 0.057, or one of 69. Lowering the
first or the third, or raising the second, believes in places beside the board; the other way round a board is lost that
pieces plainly tell."""
STAYED_FIT = 50
"""The same for a place at which the board was already, that no other is found: arms hide half of its lines and more.
Lowering it believes that a board stayed which was moved by a third of a cell, raising it says that it is lost under
every arm."""
STAYED_CELLS = 0.05
"""A place that is nearer than this to where the board was is the same: lines that an arm hides draw it away by as much.
Raising it leaves small movements unfollowed, lowering it says that the camera was moved when an arm came."""
MOST_BENT = 0.08
"""A camera that moves changes neither the sides of a cell nor their angle. Right places changed them by 0.012 at most,
small levels of Cam 3-D by 0.062; grids that were stretched by a cell to fit other lines by 0.09 to 1.4."""
BESIDE = tuple((x / 2, y / 2) for x, y in product(range(-2, 3), repeat=2) if (x, y) != (0, 0))
"""Steps in cells to the places that a place is held against: half a cell and a whole one, straight and aslant."""
MOST_PLACES = 5
"""From one place to a better one beside it. Three ranks of pieces may hide the outline from the lines by as much."""
LEAST_LEAD, LEAST_LEAD_SHARE = 6.0, 0.05
"""A place is believed when its pieces speak for it and against each of the others by so many nats, and by this share of
all that they say. Raising them loses boards with few pieces, lowering them takes places beside the board."""
HELD_REACHES = (0.45, 0.3, 0.2, 0.12)
"""Cells searched across a border in each round of a common search: levels that are carried with another are off by more
than what is drawn by itself."""
CLEAR_WEIGHT = 0.1
"""What a border weighs on which something is seen."""
SMALL, HELD_ROUNDS, DAMPING = 0.01, 4, 1e-6
SIDE_LEAD = 4.0
"""Sides that the pieces tell by less are told by where the board was: nobody walks round a table within one ply."""


@dataclass(frozen=True)
class Relocated:
    """Where the board is, a view a level; how well its lines are seen there, of 100; by how many nats its pieces speak
    for this place before any other."""

    views: Views
    fit: int
    lead: float


def relocate_board(board: Board, views: Sequence[View], image: Image, agreement: Agreement) -> Relocated | None:
    """Where `image` shows the board that the camera saw as `views` before it was moved; None where that is not sure.

    `agreement` tells of views how well the pieces that should stand on the board fall into their cells.
    """
    known = _Known(board, tuple(views), image, agreement)
    with SEARCHES.note_search():
        try:
            for place in known.propose_places():
                found = None if SEARCHES.are_cut_short else known.settle_place(place)
                if found is not None:
                    return found
        except NO_VIEW:  # lines of something else may make a place that no camera sees: the board is not there
            log.debug("the search for the board ended at a place that cannot be", exc_info=True)
        return None if SEARCHES.are_cut_short else known.unmoved_place()


class Searches:
    """Whether a board is being looked for: that takes seconds, and who watches must know why. Asked in any thread.
    Mutable."""

    def __init__(self) -> None:
        self.are_under_way = False
        self.are_cut_short = False
        """Whether a search that is under way is to find nothing at the next place, as somebody waits for its end."""

    @contextmanager
    def cut_short(self) -> Iterator[None]:
        """Searches in other threads end soon within; a place that is being looked at is looked at to its end."""
        self.are_cut_short = True
        try:
            yield
        finally:
            self.are_cut_short = False

    @contextmanager
    def note_search(self) -> Iterator[None]:
        """A search is under way within."""
        self.are_under_way = True
        try:
            yield
        finally:
            self.are_under_way = False


SEARCHES = Searches()
"""Of this process, which has one board."""


def farthest_px(views: Sequence[View], others: Sequence[View]) -> float:
    """The largest distance between the corners of views of the same levels, in pixels."""
    apart = [np.subtract(one.corners_px, other.corners_px) for one, other in zip(views, others, strict=True)]
    return float(np.linalg.norm(apart, axis=2).max())


class _Known:
    """What is known of a board that is looked for in one picture."""

    def __init__(self, board: Board, views: Views, image: Image, agreement: Agreement) -> None:
        self._board, self._views, self._image, self._agreement = board, views, image, agreement
        self._energies: dict[int, Energy] = {}

    def propose_places(self) -> Iterator[Views]:
        """Where all levels may be: where they were, then where lines are as on the board, named from the likeliest
        side."""
        yield self._views
        others: list[View] = []
        for _ in self._views:
            places = [] if SEARCHES.are_cut_short else search_places(self._board, self._image, others)
            rough = next(iter(places), None)
            if rough is None:
                return
            others.append(rough)
            drawn = self._drawn_to_cells(View(self._views[0].lens, rough.size_cells, rough.corners_px)).view
            sides = list(self._places_by_side(drawn))
            if sides:
                yield max(sides, key=self._place_worth)

    def settle_place(self, place: Views) -> Relocated | None:
        """The place near this one which lines and pieces both tell; None if there is none."""
        try:
            for _ in range(MOST_PLACES):
                if SEARCHES.are_cut_short:
                    return None
                place = self._hold_to_lines(place)
                better, rival = self._best_beside(place)
                if rival <= self._place_worth(place):
                    break
                place = better
            here, fit = self._drawn_together(place) if len(place) > 1 else self._drawn_alone(place)
            bent = max(map(_shape_change, self._views, here))
        except NO_VIEW:
            return None
        if fit < POOR_FIT or bent > MOST_BENT:
            return None
        worth = self._place_worth(here)
        lead = worth - self._best_beside(here)[1]
        if fit < LEAST_FIT and (bent > POOR_BENT or lead < POOR_LEAD or fit < self._known_fit):
            return None
        here = self._views if self._apart_cells(here) < STAYED_CELLS else here
        return Relocated(here, fit, lead) if _is_clear_lead(lead, worth) else None

    def _apart_cells(self, place: Views) -> float:
        """By how many cells the corners of a place are from where they were, at most."""
        pitch = min(map(self._pitch_px, self._views))
        return farthest_px(place, self._views) / pitch

    def unmoved_place(self) -> Relocated | None:
        """The place where the board was, if what arms leave of it still tells for it before any other."""
        fit, worth = self._known_fit, self._place_worth(self._views)
        lead = worth - self._best_beside(self._views)[1]
        return Relocated(self._views, fit, lead) if fit >= STAYED_FIT and _is_clear_lead(lead, worth) else None

    @cached_property
    def _known_fit(self) -> int:
        """How well the lines are seen where the board was, of the level that is seen least."""
        views = enumerate(self._views)
        return min(assess_view(self._board, v, self._image, k, self._energy_for(v)).score for k, v in views)

    def _best_beside(self, place: Views) -> tuple[Views, float]:
        """The best of the places beside this one and of its other sides, and what the pieces say for it."""
        beside = [_all_stepped(place, step) for step in BESIDE]
        beside += list(self._places_by_side(place[0]))[1:]
        worths = [self._place_worth(other) for other in beside]
        best = int(np.argmax(worths))
        return beside[best], worths[best]

    def _hold_to_lines(self, place: Views) -> Views:
        """The place near this one that the lines of all levels tell together: the camera moves, the table stays.

        Gauss-Newton over the six ways in which a camera moves, with Cauchy weights against false edges.
        """
        grids = [board_lattice(self._board, level) for level in range(len(place))]
        for reach in HELD_REACHES:
            there = [view.project_points(grid.points) for view, grid in zip(place, grids, strict=True)]
            across = [_pixels_across(view, grid) for view, grid in zip(place, grids, strict=True)]
            found = [found_across(v, g, self._energy_for(v), reach) for v, g in zip(place, grids, strict=True)]
            offsets, weights = (np.concatenate(parts) for parts in zip(*found, strict=True))
            if not (weights > CLEAR_WEIGHT).any():
                raise InputError("no line of the board is seen")
            jacobian = np.empty((len(offsets), 6))
            for k in range(6):
                moved = _move_camera(place, SMALL * np.eye(6)[k])
                off = [
                    ((view.project_points(grid.points) - px) * way).sum(axis=1)
                    for view, grid, px, way in zip(moved, grids, there, across, strict=True)
                ]
                jacobian[:, k] = np.concatenate(off) / SMALL
            motion = np.zeros(6)
            for _ in range(HELD_ROUNDS):
                left = offsets - jacobian @ motion
                spread = max(1.5 * float(np.median(np.abs(left[weights > CLEAR_WEIGHT]))), LEAST_SPREAD_CELLS)
                weighted = (jacobian * (weights / (1 + (left / spread) ** 2))[:, None]).T
                motion += np.linalg.solve(weighted @ jacobian + DAMPING * np.eye(6), weighted @ left)
            place = _move_camera(place, motion)
        return place

    def _places_by_side(self, view: View) -> Iterator[Views]:
        """All levels if `view` shows one of them, whichever it is, from each of the sides that look the same.

        First the first level from the side that it is named from.
        """
        for turn in board_turns(self._board):
            for level in range(len(self._views)):
                placed = self._carry_levels(turn_view(view, turn), level)
                if placed is not None:
                    yield placed

    def _carry_levels(self, view: View, level: int, *, rigid: bool = False) -> Views | None:
        """All levels after the camera went to where it sees this level as `view`; None where that cannot be."""
        if len(self._views) == 1:
            return (view,)
        try:
            was = _camera_pose(self._views[level])
            went = _camera_pose(view) @ np.linalg.inv(was)
            if rigid:
                went = _make_rigid(went, (was @ [*np.array(view.size_cells) / 2, 0.0, 1.0])[:3])
            return tuple(_seen_from(went, other) for other in self._views)
        except NO_VIEW:
            return None

    def _place_worth(self, place: Views) -> float:
        """What the pieces say for a place, in nats; sides that they do not tell are told by where the board was."""
        try:
            return self._agreement(place) + SIDE_LEAD * _same_way(place[0], self._views[0])
        except InputError:
            return -np.inf

    def _drawn_alone(self, place: Views) -> tuple[Views, int]:
        """The place with its one level drawn onto its lines, and their fit."""
        fit = self._draw_onto_lines(place[0])
        return (fit.view,), fit.score

    def _drawn_together(self, place: Views) -> tuple[Views, int]:
        """The place with each level drawn onto its lines, and the poorest fit.

        A small far level that would be bent by that is where the one that is seen best leads it.
        """
        fits = [self._drawn_to_cells(view, level) for level, view in enumerate(place)]
        best = max(range(len(fits)), key=lambda k: (fits[k].score, self._pitch_px(fits[k].view)))
        if not all(self._is_good(fit, level) for level, fit in enumerate(fits)):
            led = self._carry_levels(fits[best].view, best, rigid=True)
            fits = (
                fits
                if led is None
                else [self._lead_level(view, level) for level, view in enumerate(self._hold_to_lines(led))]
            )
        return tuple(fit.view for fit in fits), min(fit.score for fit in fits)

    def _lead_level(self, view: View, level: int) -> Fit:
        """The view drawn onto its lines, or as it is if that would bend it."""
        drawn = self._draw_onto_lines(view, level)
        if self._is_good(drawn, level):
            return drawn
        return assess_view(self._board, view, self._image, level, self._energy_for(view))

    def _is_good(self, fit: Fit, level: int) -> bool:
        return fit.score >= LEAST_FIT and _shape_change(self._views[level], fit.view) <= MOST_BENT

    def _drawn_to_cells(self, view: View, level: int = 0) -> Fit:
        """The view drawn onto the lines of the board, and moved to the cells that its outline tells."""
        fit = self._draw_onto_lines(view, level)
        for _ in range(MOST_PLACES):
            if fit.better == (0.0, 0.0):
                break
            fit = self._draw_onto_lines(step_view(fit.view, fit.better), level)
        return fit

    def _draw_onto_lines(self, view: View, level: int = 0) -> Fit:
        """The view drawn onto the lines of the board."""
        return refine_near(self._board, view, self._image, level, view.lens, self._energy_for(view))

    @staticmethod
    def _pitch_px(view: View) -> float:
        return float(view.pitch_px(np.array([view.size_cells]) / 2)[0])

    def _energy_for(self, view: View) -> Energy:
        """The strength of edges at the size that cells have in `view`."""
        pitch = self._pitch_px(view)
        size = round(4 * np.log2(max(pitch, 1.0)))
        if size not in self._energies:
            self._energies[size] = edge_energy(self._image, pitch)
        return self._energies[size]


def _is_clear_lead(lead: float, worth: float) -> bool:
    """Whether so many nats before any other place, of all that are said for this one, are enough."""
    return lead >= max(LEAST_LEAD, LEAST_LEAD_SHARE * worth)


def _all_stepped(views: Views, step: tuple[float, float]) -> Views:
    return tuple(step_view(view, step) for view in views)


def _same_way(view: View, was: View) -> float:
    """1 where the board lies as it did, -1 where it is upside down in the picture."""
    one, other = (np.diff(np.array(v.corners_px)[:2], axis=0)[0] for v in (view, was))
    return float(one @ other / max(np.linalg.norm(one) * np.linalg.norm(other), 1e-9))


def _shape_change(was: View, now: View) -> float:
    """By how much the proportions of a board's sides and the angle between them are not the same in two views."""

    def side_proportions(view: View) -> Floats:
        along, up = _camera_pose(view)[:3, 0], _camera_pose(view)[:3, 1]
        long, high = np.linalg.norm(along), np.linalg.norm(up)
        return np.array([np.log(long / high), along @ up / (long * high)])

    return float(np.abs(side_proportions(was) - side_proportions(now)).max())


def _camera_pose(view: View) -> Floats:
    """4x4, board coordinates of a level to those of the camera, in cells."""
    return np.vstack([np.linalg.solve(view.lens.camera_matrix, view.projection_matrix), [0.0, 0.0, 0.0, 1.0]])


def _pixels_across(view: View, grid: Lattice) -> Floats:
    """(N, 2) what a pixel counts in cells across each border."""
    step = view.project_points(grid.points + 0.05 * grid.normals) - view.project_points(
        grid.points - 0.05 * grid.normals
    )
    return np.asarray(0.1 * step / np.maximum((step**2).sum(axis=1, keepdims=True), 1e-9), float)


def _move_camera(place: Views, motion: Floats) -> Views:
    """The views after the camera turned by motion[:3] radians about the middle of the first, and went by motion[3:]."""
    turn = np.asarray(cv2.Rodrigues(np.ascontiguousarray(motion[:3]))[0])
    middle = _camera_pose(place[0]) @ np.array([*np.array(place[0].size_cells) / 2, 0.0, 1.0])
    went = np.eye(4)
    went[:3, :3], went[:3, 3] = turn, middle[:3] - turn @ middle[:3] + motion[3:]
    return tuple(_seen_from(went, view) for view in place)


def _make_rigid(went: Floats, about: Floats) -> Floats:
    """The motion without what bends, the same at the point `about`."""
    left, _, right = np.linalg.svd(went[:3, :3])
    out = np.eye(4)
    out[:3, :3] = left @ right
    out[:3, 3] = went[:3, :3] @ about + went[:3, 3] - out[:3, :3] @ about
    return out


def _seen_from(went: Floats, view: View) -> View:
    """The view of a level after the camera's coordinates moved by `went`, 4x4."""
    rim = rectangle_corners(view.size_cells)
    there = np.column_stack([rim, np.zeros(4), np.ones(4)]) @ (went @ _camera_pose(view)).T
    if (there[:, 2] <= 0).any():
        raise InputError("the board would lie behind the camera")
    flat = there[:, :3] @ view.lens.camera_matrix.T
    px = view.lens.distort_pixels(flat[:, :2] / flat[:, 2:])
    return View(view.lens, view.size_cells, tuple((float(x), float(y)) for x, y in px))
