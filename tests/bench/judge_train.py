"""Trains the network of vision/reading/network.py: `python -m tests.bench.judge_train SAMPLES... --out FILE.onnx`.

Needs the `train` extra. One look at a time goes through the same small network, and the looks of a cell and "empty" (0)
compete: a cross entropy. Colour channels are permuted and patches mirrored at random, so that no colour and no side is
learned by heart.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.bench.judge_samples import MOST_LOOKS
from vision.reading.footprint import PATCH_H, PATCH_W
from vision.reading.network import CHANNELS, MOST_LEVELS

BATCH, RATE, DECAY = 128, 3e-3, 1e-3
COLOURED = 12
"""The first channels are four times three colours."""
DIFFERENCES = slice(3, 12)
"""Of these, the channels that are differences; the network sees them enlarged as well."""
FINE = 5.0
"""How much: white wood on white paper differs by ten grey levels, which is a tenth of the scale."""
HARD, HARD_WEIGHT, TRACED_WEIGHT = 3.0, 3.0, 3.0
"""Samples that the explanation finds hard, and path-traced ones, count so much more."""
HELD_BACK = 10
"""One board in so many is for measuring."""


class Judge(nn.Module):
    """Three convolutions and two layers: 60,000 weights, 2 million multiplications for a cell and look."""

    def __init__(self) -> None:
        super().__init__()
        flat = 40 * (PATCH_H // 4) * (PATCH_W // 4)
        seen = CHANNELS + len(range(CHANNELS)[DIFFERENCES])
        self.layers = nn.Sequential(
            *[nn.Conv2d(seen, 24, 3, padding=1), nn.ReLU()],
            *[nn.Conv2d(24, 32, 3, stride=2, padding=1), nn.ReLU()],
            *[nn.Conv2d(32, 40, 3, stride=2, padding=1), nn.ReLU()],
            *[nn.Flatten(), nn.Dropout(0.2), nn.Linear(flat, 48), nn.ReLU(), nn.Linear(48, 1)],
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """(n, 1) how much more likely each look is than an empty cell, of inputs (n, CHANNELS, H, W)."""
        fine = (inputs[:, DIFFERENCES] * FINE).clamp(-MOST_LEVELS, MOST_LEVELS)
        return self.layers(torch.cat([inputs, fine], dim=1))

    def scores(self, inputs: Tensor, looks: Tensor) -> Tensor:
        """(n, 1 + MOST_LOOKS) scores of empty and of each look, of inputs (n, MOST_LOOKS, ...)."""
        count = len(inputs)
        gains = self(inputs.reshape(count * MOST_LOOKS, CHANNELS, PATCH_H, PATCH_W)).reshape(count, MOST_LOOKS)
        missing = torch.arange(MOST_LOOKS)[None] >= looks[:, None]
        return torch.cat([torch.zeros(count, 1), gains.masked_fill(missing, -1e4)], dim=1)


def varied(inputs: Tensor) -> Tensor:
    """Colours exchanged, sides exchanged, and sometimes without the explanation's own score."""
    order = torch.randperm(3)
    channels = torch.cat([*(order + 3 * k for k in range(COLOURED // 3)), torch.arange(COLOURED, CHANNELS)])
    out = inputs[:, :, channels]
    out = out.flip(-1) if torch.rand(1) < 0.5 else out
    keep = (torch.rand(len(out), 1, 1, 1) >= 0.15).float()
    return torch.cat([out[:, :, :-1], out[:, :, -1:] * keep[..., None]], dim=2)


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--epochs", default=10, show_default=True)
def command(folders: tuple[Path, ...], out: Path, epochs: int) -> None:
    """Train, say after each epoch how the boards held back are judged, write the network."""
    torch.manual_seed(0)
    files = sorted(file for folder in folders for file in folder.glob("*.npz"))
    stored = [np.load(file) for file in files]
    inputs = torch.from_numpy(np.concatenate([one["inputs"] for one in stored]))
    looks, right, margins = (
        torch.from_numpy(np.concatenate([one[key] for one in stored])) for key in ("looks", "right", "margins")
    )
    drawn = [file.stem.isdecimal() for file in files]
    seeds = [file.stem.rpartition("-")[2] for file in files]
    held = [seed.isdecimal() and int(seed) % HELD_BACK == HELD_BACK - 1 for seed in seeds]
    sizes = [len(one["right"]) for one in stored]
    measured = torch.from_numpy(np.repeat(held, sizes))
    weight = torch.where(margins < HARD, HARD_WEIGHT, 1.0)
    by_drawing = torch.from_numpy(np.repeat(drawn, sizes))
    weight = weight * torch.where(by_drawing, 1.0, TRACED_WEIGHT)
    learned, measured_at = torch.where(~measured)[0], torch.where(measured)[0]
    network = Judge()
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    steps = epochs * -(-len(learned) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for epoch in range(epochs):
        network.train()
        for some in learned[torch.randperm(len(learned))].split(BATCH):
            scores = network.scores(varied(inputs[some].float()), looks[some])
            loss = (functional.cross_entropy(scores, right[some], reduction="none") * weight[some]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        network.eval()
        with torch.no_grad():
            parts = measured_at.split(4 * BATCH)
            scores = torch.cat([network.scores(inputs[some].float(), looks[some]) for some in parts])
        said = [f"epoch {epoch}"]
        for kind, those in (("drawn", by_drawing[measured_at]), ("traced", ~by_drawing[measured_at])):
            wrong = int((scores.argmax(dim=1) != right[measured_at])[those].sum())
            entropy = float(functional.cross_entropy(scores[those], right[measured_at][those]))
            said.append(f"{kind} {wrong} of {int(those.sum())} wrong, {entropy:.4f} nats")
        click.echo("; ".join(said))
    shape = torch.zeros(1, CHANNELS, PATCH_H, PATCH_W)
    names = {"input_names": ["cells"], "output_names": ["gain"], "dynamic_axes": {"cells": {0: "n"}, "gain": {0: "n"}}}
    torch.onnx.export(network, (shape,), str(out), opset_version=13, dynamo=False, **names)


if __name__ == "__main__":
    command()
