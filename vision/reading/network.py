"""A second judgement of the cells that changed: a small network sees where and how the explanations fall short.

The sum of log-likelihoods treats all samples alike; the network sees their pattern: the rim and the lit side of a light
piece on a light board, or the soft edge of a shadow. For a cell and a look it gets the patch, its differences from
floor, look and memory, and the likelihoods, and says how much more likely that look is than an empty cell. It was
trained on renders only, most of them drawn in random colours (docs/developing/rendering.md): to it one colour is like
another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading.floor import STRANGE
from vision.reading.footprint import PATCH_H, PATCH_W
from vision.reading.known_cells import KnownCells
from vision.reading.scene import Scene, Scores

CHANNELS = 22
"""Of an input: patch (3), its difference from floor, look and memory (3 each), log-likelihood of empty and of look, the
look's solidity, what nothing nearer hides, known floor, known memory, four numbers that are the same all over."""
LEVELS, MOST_LEVELS = 50.0, 2.0
"""Grey levels that count as one, and at how many of them differences end."""
LOG_STRANGE, LOG_SCALE = float(np.log(STRANGE)), 8.0
SCORE_SCALE, MOST_SCORE = 10.0, 3.0
CENTRE_GREY = 128.0
OWN_SHARE, MOST_OWN = 0.2, 8.0
"""How much the explanation's own score counts beside the network's, and up to what: 8 plies of ten games that are hard
to see, drawn and path traced, had to be helped; with 0 it was 13, with 0.4 of up to 20 it was 10."""

MOST_APART = 20.0
"""Of two new looks of a cell the one that explains it less well loses OWN_SHARE of the difference, up to this much. The
network is asked about each look by itself: in 43 drawn games 5 of 755 other looks came as near as 3.5 to the true one,
red or brown in the evening; with this 2 do."""
SELDOM_KNOCKED = 2.1
"""Score against "the piece that stood here, knocked aside": those were eight in a hundred changes that it learned from,
and one in a hundred in the path-traced recordings."""
SEEN_TWICE = 6.0
"""Score against one of two pieces of one look side by side, one that came and one that was pushed: they may be one,
seen in both cells, and it is where it explains more. In 60 drawn games a pushed one was seen in the next cell twice, by
3.6 and 4.7; a tall king in front of the cell that it came from was seen there too, by 9, and by 20 where it stood."""

Inputs = npt.NDArray[np.float32]
AnyFloats = npt.NDArray[np.floating]


def judge_cells(reader: KnownCells, scene: Scene, scores: Scores, cells: Sequence[int]) -> None:
    """Replace the scores of `cells`, which the scene has explained, by log-odds over an empty cell.

    The network is asked about the patch and about its mirror image, which are alike to it: one error in five less.
    """
    asked = [(c, look) for c in cells for look in sorted(scene.views[c].likelihood) if look]
    if not asked:
        return
    own = [float(scores[c, look] - scores[c, 0]) for c, look in asked]
    inputs = [inputs_of(reader, scene, c, look, gain) for (c, look), gain in zip(asked, own, strict=True)]
    seen = np.stack(inputs)
    network = _load_network()
    network.setInput(np.concatenate([seen, seen[..., ::-1]]))
    judged = network.forward().reshape(2, -1).mean(axis=0).tolist()
    best: dict[int, float] = {}
    for (c, _), before in zip(asked, own, strict=True):
        best[c] = max(before, best.get(c, before))
    for (c, look), gain, before in zip(asked, judged, own, strict=True):
        scores[c, look] = gain + OWN_SHARE * max(-MOST_OWN, min(before, MOST_OWN))
        if not scene.views[c].same:
            scores[c, look] -= OWN_SHARE * min(best[c] - before, MOST_APART)
        if look == reader.look_table[reader.pieces[c]] and look != scene.views[c].same:
            scores[c, look] -= SELDOM_KNOCKED
    for c, look in _seen_twice(reader, scene, dict(zip(asked, own, strict=True))):
        scores[c, look] -= SEEN_TWICE
    for c in cells:
        scores[c, 0] = 0.0


def _seen_twice(reader: KnownCells, scene: Scene, gains: Mapping[tuple[int, int], float]) -> set[tuple[int, int]]:
    """Cells with looks that may be the piece beside them seen again: of each such pair the one that explains less."""
    out = set()
    for (c, look), gain in gains.items():
        for pushed in [] if reader.pieces[c] else scene.pushed_beside(c, look):
            out.add((c, look) if gain <= gains.get((pushed, look), np.inf) else (pushed, look))
    return out


@cache
def _load_network() -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(
        np.frombuffer((resources.files("vision.reading") / "network.onnx").read_bytes(), np.uint8)
    )


def inputs_of(reader: KnownCells, scene: Scene, c: int, look: int, gain: float) -> Inputs:
    """What the network sees of cell `c` and `look`: (CHANNELS, PATCH_H, PATCH_W).

    `gain` is the look's score over that of an empty cell in the scene's explanation.
    """
    view, stack, at = scene.views[c], reader.stack, int(reader.found[c, look])
    same = view.same == look
    kept = int(reader.look_table[reader.pieces[c]])
    patch, memory, remembered = reader.patches[c], *reader.memory_of(c)
    solid = (stack.solid[reader.stands_at(c)] if same else stack.solid[at]).reshape(PATCH_H, PATCH_W)
    mean = memory if same else stack.mean[at].reshape(PATCH_H, PATCH_W, 3)
    mean = patch if look in stack.guessed_looks else mean  # any colour may be its own
    floor, known = reader.floor.colour[reader.prints.sample_at[c]], reader.floor.known[reader.prints.sample_at[c]]
    out = np.empty((PATCH_H, PATCH_W, CHANNELS), np.float32)
    out[..., 0:3] = patch / CENTRE_GREY - 1
    out[..., 3:6] = _scale_levels(patch - floor)
    out[..., 6:9] = _scale_levels(patch - mean) * solid[..., None]
    out[..., 9:12] = _scale_levels(patch - memory)
    out[..., 12] = _scale_logs(view.likelihood[0])
    out[..., 13] = _scale_logs(view.likelihood[look])
    out[..., 14] = solid
    out[..., 15] = view.through.reshape(PATCH_H, PATCH_W)
    out[..., 16] = known
    out[..., 17] = remembered
    out[..., 18:22] = (same, kept > 0, kept == look, np.clip(gain / SCORE_SCALE, -MOST_SCORE, MOST_SCORE))
    return out.transpose(2, 0, 1)


def _scale_levels(difference: AnyFloats) -> AnyFloats:
    return np.asarray(np.clip(difference / LEVELS, -MOST_LEVELS, MOST_LEVELS))


def _scale_logs(likelihood: npt.NDArray[np.float32]) -> AnyFloats:
    return np.asarray((np.log(likelihood.reshape(PATCH_H, PATCH_W)) - LOG_STRANGE) / LOG_SCALE)
