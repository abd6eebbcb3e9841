"""Films of a recording in a room whose lights change: every picture is rendered in each light alone, and light adds up.

A lamp that is switched, a curtain, a lamp that is carried, sun that wanders over the board, a television, a flash are
then weights that change in time. The camera meters what comes of it, late, and its noise grows with its gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from tests.render.camera.conditions import Conditions
from tests.render.camera.timing import Shot, schedule
from tests.render.scene import Light, Scene
from vision.frames import Frame
from vision.ground import Image

GAMMA = 2.2
"""Between levels of a picture and light."""
METERED = 0.16
"""Mean of the light, 1 for white, that a camera exposes for."""
EAGER, METERING_S = 0.7, 0.5
"""Share of a change, as a power, that the camera makes up for, and how soon."""
MOST_GAIN = 6.0
NOISE_SD = 2.0
"""Grey levels at gain 1; with the root of the gain as a sensor's grows."""
WANDERS = 0.02
"""Of the picture's width: how far a patch of sun moves in a second."""

Weights = Mapping[str, npt.NDArray[np.float32]]
"""Source -> factor for blue, green and red, (3,) or (H, W, 3)."""


def lights(seed: int) -> dict[str, Light]:
    """The lights of a room."""
    chance = np.random.default_rng([seed, 91])
    around = float(chance.uniform(0, 360))

    def towards(azimuth_deg: float, elevation_deg: float) -> tuple[float, float, float]:
        a, e = np.radians(around + azimuth_deg), np.radians(elevation_deg)
        return (float(np.cos(e) * np.cos(a)), float(np.cos(e) * np.sin(a)), float(np.sin(e)))

    return {
        "lamp": Light(towards(0, 58), (0.42, 0.62, 0.80), (0.10, 0.14, 0.18), 0.25),
        "other": Light(towards(150, 48), (0.55, 0.62, 0.68), (0.08, 0.10, 0.11), 0.4),
        "window": Light(towards(75, 38), (0.50, 0.48, 0.46), (0.36, 0.34, 0.32), 0.8),
        "sun": Light(towards(40, 35), (0.90, 0.95, 1.0), (0.01, 0.01, 0.01), 0.02),
    }


class Moment(NamedTuple):
    """When a light begins to change, and whether to its other state or back."""

    t: float
    on: bool


@dataclass(frozen=True)
class Scenario:
    """What happens to the light of a room: `weights(share, t, size)` with share 0 before it has changed and 1 after."""

    name: str
    weights: Callable[[float, float, tuple[int, int]], Weights]
    takes_s: float = 0.0
    """How long it takes from one state to the other."""
    lasts_s: float = np.inf
    """A flash is over after so long."""


def alone(
    draw: Callable[[Scene], Image], scenes: Sequence[Scene], seed: int, scenario: Scenario
) -> dict[str, list[Image]]:
    """Each scene in each light of a scenario; one light after another, for renderers start from the picture before."""
    lit = lights(seed)
    names = sorted(scenario.weights(0.5, 0.0, (4, 4)))
    return {name: [draw(replace(scene, light=lit[name], noise=0.0)) for scene in scenes] for name in names}


def _grey(factor: float) -> npt.NDArray[np.float32]:
    return np.full(3, factor, np.float32)


def _patch(t: float, size_hw: tuple[int, int]) -> npt.NDArray[np.float32]:
    """Where the sun falls through a window: a slanting patch with a hard edge, two panes."""
    h, w = size_hw
    mask = np.zeros((h, w), np.float32)
    x = w * (0.25 + WANDERS * t)
    for pane in (0.0, 0.24):
        left = x + pane * w
        corners = np.array(
            [[left, 0.1 * h], [left + 0.2 * w, 0.1 * h], [left + 0.32 * w, 0.9 * h], [left + 0.12 * w, 0.9 * h]]
        )
        cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 1.0)
    return cv2.GaussianBlur(mask, (0, 0), w / 640)[..., None] * np.ones(3, np.float32)


def _television(t: float) -> npt.NDArray[np.float32]:
    """Colour and strength that jump with every cut of a film."""
    chance = np.random.default_rng(int(t / 0.8))
    return np.asarray(chance.uniform(0.15, 1.0, 3) * chance.uniform(0.3, 1.0), np.float32)


SCENARIOS = (
    Scenario("lamp off", lambda k, t, s: {"lamp": _grey(1 - k), "window": _grey(0.15)}),
    Scenario(
        "one of two lamps", lambda k, t, s: {"lamp": _grey(0.6), "other": _grey(0.7 * (1 - k)), "window": _grey(0.1)}
    ),
    Scenario("curtain", lambda k, t, s: {"window": _grey(1 - 0.75 * k), "other": _grey(0.15)}, takes_s=2.0),
    Scenario(
        "lamp moved", lambda k, t, s: {"lamp": _grey(1 - k), "other": _grey(k), "window": _grey(0.1)}, takes_s=1.5
    ),
    Scenario("sun patches", lambda k, t, s: {"window": _grey(0.8), "sun": 0.8 * k * _patch(t, s)}, takes_s=0.5),
    Scenario("television", lambda k, t, s: {"lamp": _grey(0.3), "other": 0.6 * (k * _television(t) + 0.05)}),
    Scenario("flash", lambda k, t, s: {"lamp": _grey(0.8), "window": _grey(0.2 + 4 * k)}, lasts_s=0.1),
    Scenario("bright lamp", lambda k, t, s: {"lamp": _grey(0.35), "other": _grey(2.5 * k), "window": _grey(0.1)}),
    Scenario("dusk and gain", lambda k, t, s: {"window": _grey(1 - 0.93 * k)}, takes_s=1.0),
)


class Room:
    """The film of a recording in a room; its `filmed` stands for tests.render.camera.film.film."""

    def __init__(
        self, pictures: Mapping[str, Sequence[Image]], scenario: Scenario, events: Sequence[tuple[int, float]]
    ) -> None:
        """`events` are the pictures, and the share of the time that each is shown, at which the light changes."""
        self._pictures, self._scenario, self._events = pictures, scenario, events
        self._size = next(iter(pictures.values()))[0].shape[:2]
        self.changed_t: list[float] = []
        """When the light began to change."""

    def filmed(
        self, shots: Iterable[Shot], conditions: Conditions, seed: int, corners_px: npt.ArrayLike
    ) -> Iterator[tuple[int, Frame]]:
        """The frames, each with the number of the recorded picture that it shows."""
        shown = list(schedule(shots, conditions, seed))
        size = self._size
        moments = [Moment(self._time(shown, *event), n % 2 == 0) for n, event in enumerate(self._events)]
        self.changed_t = [moment.t for moment in moments]
        noise, gain, before = np.random.default_rng([seed, 92]), 0.0, 0.0
        for one in shown:
            light = self._light(one.number, self._scenario.weights(self._share(moments, one.t), one.t, size))
            wanted = min(MOST_GAIN, (METERED / max(float(light.mean()), 1e-4)) ** EAGER)
            follows = 1.0 if not gain else 1 - float(np.exp(-(one.t - before) / METERING_S))
            gain, before = (gain or wanted) * (wanted / (gain or wanted)) ** follows, one.t
            levels = 255 * np.power(np.clip(light * gain, 0, 1), 1 / GAMMA)
            levels += noise.normal(0, NOISE_SD * max(1.0, gain**0.5), levels.shape)
            yield one.number, Frame(one.t, np.clip(levels, 0, 255).astype(np.uint8))

    def _light(self, number: int, weights: Weights) -> npt.NDArray[np.float32]:
        """All that is weighed, 1 for white."""
        total = np.zeros((*self._size, 3), np.float32)
        for name, weight in weights.items():
            if np.any(weight):
                total += weight * np.power(self._pictures[name][number].astype(np.float32) / 255, GAMMA)
        return total

    def _time(self, shown: Sequence[object], number: int, share: float) -> float:
        """When a picture has been shown for a share of its time."""
        times = [one.t for one in shown if one.number == number]  # type: ignore[attr-defined]
        return float(times[0] + share * (times[-1] - times[0])) if times else np.inf

    def _share(self, moments: Sequence[Moment], t: float) -> float:
        """How far the light has changed."""
        share = 0.0
        for moment in moments:
            if t < moment.t:
                break
            since = t - moment.t
            gone = min(1.0, since / self._scenario.takes_s) if self._scenario.takes_s else 1.0
            share = (gone if moment.on else 1 - gone) if since <= self._scenario.lasts_s else 0.0
        return share
