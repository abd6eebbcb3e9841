"""How clips were refereed: what was said, held against what was played, in figures that add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields

from engine.match.referee import new_match
from tests.real.clip import Clip, Ply
from vision.watch.watcher import Watcher

Said = Mapping[str, object]
"""An event as `referee watch` writes it."""
ASKING = frozenset({"unclear", "illegal", "cannot-see"})
"""Events that tell people that something is amiss."""

SLOW_S = 0.25
"""A look is the mean of some frames: what it shows may be gone for that long."""


@dataclass(frozen=True)
class Figures:
    """Counts over one or more clips. Every ply in the clips is lawful, so each `illegal` is a false accusation."""

    clips: int = 0
    perfect: int = 0
    """Clips with every ply right and nothing else said to have been played."""
    plies: int = 0
    right: int = 0
    wrong: int = 0
    """Moves that were said, never put right, and not played then."""
    asked: int = 0
    """Questions: `unclear` events."""
    illegal: int = 0
    silent: int = 0
    """Clips with plies missing in which nobody was asked, accused or warned."""
    not_ready: int = 0
    """Clips whose start position was never acknowledged while it stood."""
    false_ready: int = 0
    """Clips in which it was acknowledged when another one stood: `ready` was said, and not true."""
    camera_moved: int = 0
    """Times that the camera was said to have moved; in none of the clips did it move by more than some pixels."""

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def row(self) -> list[int]:
        """The counts in the order of COLUMNS."""
        return [int(count) for count in astuple(self)]


COLUMNS = tuple(field.name.replace("_", " ") for field in fields(Figures))


def total(figures: Iterable[Figures]) -> Figures:
    """All of them together."""
    return sum(figures, Figures())


def refereed(clip: Clip) -> list[Said]:
    """Everything that today's referee says to a clip, as `referee watch` would write it."""
    watcher = Watcher(clip.profile, new_match(clip.game, clip.start))
    said = [event.to_json() for frame in clip.frames() for event in watcher.take_frame(frame)]
    return said + [event.to_json() for event in watcher.conclude_recording()]


def final_plies(said: Iterable[Said]) -> tuple[Ply, ...]:
    """The moves that stand in the end: a corrected ply counts as it was corrected, one taken back not at all."""
    stands: dict[int, Ply] = {}
    for event in said:
        if event["event"] == "move":
            stands[int(str(event["ply"]))] = str(event["from"]), str(event["to"])
        elif event["event"] == "takeback":
            for _ in range(min(int(str(event["plies"])), len(stands))):
                del stands[max(stands)]
    return tuple(stands[number] for number in sorted(stands))


def compared(clip: Clip, said: list[Said]) -> Figures:
    """What was said to a clip against what is played in it, ply by ply in order."""
    moves = final_plies(said)
    right = sum(one == other for one, other in zip(moves, clip.plies, strict=False))
    heard = [event["event"] for event in said]
    ready = [float(str(event["t"])) for event in said if event["event"] == "ready"]
    complete = right == len(clip.plies)
    return Figures(
        clips=1,
        perfect=complete and len(moves) == right,
        plies=len(clip.plies),
        right=right,
        wrong=len(moves) - right,
        asked=heard.count("unclear"),
        illegal=heard.count("illegal"),
        silent=not complete and not ASKING & set(heard),
        not_ready=not any(t < clip.gone_s + SLOW_S for t in ready),
        false_ready=any(t >= clip.gone_s + SLOW_S for t in ready),
        camera_moved=heard.count("camera-moved"),
    )
