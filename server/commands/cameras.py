"""`referee cameras`: which cameras there are, and what to give as --camera."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.errors import InputError
from server.board.setup.checkup_picture import Finding
from server.board.setup.devices import FILES, LISTED_IN, VideoDevice, video_devices
from server.board.setup.opening import open_source
from server.exits import ANSWER_IS_NO, DONE
from server.masking import print_line, print_text
from server.options import FILE_OR_FOLDER
from vision import picamera
from vision.frames import DEFAULT_FPS, CameraLost
from vision.modes import best_modes_by_size, choose_mode, list_modes


@click.command(help="List the cameras of this computer.")
@click.option("--look", is_flag=True, help="Take a picture with each, to see that it works.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
@click.option("--listed", type=FILE_OR_FOLDER, default=LISTED_IN, hidden=True)
@click.option("--files", type=FILE_OR_FOLDER, default=FILES, hidden=True)
def command(*, look: bool, as_json: bool, listed: Path, files: Path) -> int:
    """Exit 1 when there is none that can be used."""
    devices = video_devices(listed, files)
    findings = [_check_device(device, look=look) for device in devices]
    if as_json:
        rows = [
            {
                "camera": str(d.number),
                "path": str(d.path),
                "name": d.name,
                "lasting": d.lasting and str(d.lasting),
                "modes": [{"size": list(m.size_wh), "format": m.code, "fps": m.fps} for m in list_modes(str(d.path))],
                **f.to_json(),
            }
            for d, f in zip(devices, findings, strict=True)
        ]
        click.echo(json.dumps(rows))
    else:
        for device, finding in zip(devices, findings, strict=True):
            advice = f": {finding.advice}" if finding.advice else ""
            print_text(f"--camera {device.number}  {device.path}  {device.name}  {finding.message}{advice}")
            if device.lasting:
                print_line(f"  the same whatever else is plugged in: --camera {device.lasting}")
            _print_modes(device)
        if picamera.find_program():
            click.echo("--camera picamera:  the camera module of this Raspberry Pi, picamera:1 a second one")
        if not devices and not picamera.find_program():
            click.echo("no camera is plugged in: plug one in, or start `referee serve` and choose “A phone” there")
    usable = picamera.find_program() or any(finding.state == "ok" for finding in findings)
    return DONE if usable else ANSWER_IS_NO


def _print_modes(device: VideoDevice) -> None:
    """How a camera is used, and how it can be used otherwise."""
    found = list_modes(str(device.path))
    used = choose_mode(found)
    if used is None:
        return
    print_line(f"  used: {used.name}")
    others = "; ".join(mode.name for mode in best_modes_by_size(found) if mode != used)
    if others:
        print_line(f"  by choice, as --camera {device.number}@WIDTHxHEIGHT: {others}")


def _check_device(device: VideoDevice, *, look: bool) -> Finding:
    if not device.path.exists():
        return Finding("camera", "wrong", "listed, but its file is missing", "plug it in again")
    if not device.allowed:
        return Finding("camera", "wrong", "no permission", "run `sudo usermod -aG video $USER`, then log in again")
    if not look:
        return Finding("camera", "ok", "may be opened")
    try:
        h, w = next(open_source(str(device.path), DEFAULT_FPS)).image.shape[:2]
    except (CameraLost, InputError, StopIteration) as error:
        return Finding("camera", "wrong", str(error), "close the program that uses it, or plug it in again")
    return Finding("camera", "ok", f"gives {w}x{h}")
