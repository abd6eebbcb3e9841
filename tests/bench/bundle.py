"""Make a bundled session from a rendered sequence: smaller pictures, stream times, a profile and the golden events.

    python -m tests.bench.bundle SEQUENCE tests/data/sessions/NAME [--width 960] [--corners "x,y x,y x,y x,y"]

The sequence is a folder of pictures with truth.json (docs/developing/rendering.md). The golden transcript is what
`referee watch` says; read it before committing it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import cv2

FPS = 8
QUIET_FRAMES, MOVING_FRAMES = 10, 2
"""A quiet picture stands for 1.25 s and one with a moving hand for 0.25 s, as a camera would have streamed them."""
QUALITY = 86


def main() -> None:
    """Write the session folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sequence", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--corners", help="instead of what is found by itself, in pixels of the full-size picture")
    given = parser.parse_args()
    truth = json.loads((given.sequence / "truth.json").read_text(encoding="utf-8"))
    given.out.mkdir(parents=True, exist_ok=True)
    repeat = []
    for frame in truth["frames"]:
        image = cv2.imread(str(given.sequence / frame["file"]))
        height = round(image.shape[0] * given.width / image.shape[1])
        small = cv2.resize(image, (given.width, height), interpolation=cv2.INTER_AREA)
        cv2.imwrite(str(given.out / frame["file"]), small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        repeat.append(MOVING_FRAMES if frame["kind"] == "moving" else QUIET_FRAMES)
    (given.out / "recording.json").write_text(json.dumps({"fps": FPS, "repeat": repeat}) + "\n", encoding="utf-8")
    scale = given.width / truth["size"][0]
    by_itself = ["--markers"] if truth["aruco"] else []
    how = by_itself if given.corners is None else ["--corners", scaled(given.corners, scale)]
    start = next(i for i, frame in enumerate(truth["frames"]) if frame["kind"] == "quiet")
    shown = sum(repeat[:start])
    profile = given.out / "profile.toml"
    camera = ["--camera", str(given.out)]
    rules = ["--rules", "wcf"] if truth["game"] == "camelot" else []
    referee("calibrate", "--game", truth["game"], *rules, *camera, *how, "--frame", str(shown), "--out", str(profile))
    events = referee("watch", "--profile", str(profile), *camera, "--json").splitlines()
    golden = [line for line in events if '"event": "end"' not in line]
    (given.out / "events.jsonl").write_text("\n".join(golden) + "\n", encoding="utf-8")
    moves = [{key: move[key] for key in ("ply", "side", "notation", "path", "captured")} for move in truth["moves"]]
    known = {"game": truth["game"], "moves": moves, "events": truth["events"]}
    (given.out / "known.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def referee(*arguments: str) -> str:
    """Run the command and give what it printed."""
    done = subprocess.run([sys.executable, "-m", "server", *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def scaled(corners: str, scale: float) -> str:
    """Corner pixels for the reduced pictures."""
    pairs = [pair.split(",") for pair in corners.split()]
    return " ".join(f"{float(x) * scale:.2f},{float(y) * scale:.2f}" for x, y in pairs)


if __name__ == "__main__":
    main()
