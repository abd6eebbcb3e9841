"""Set-ups that are wrong, through the wizard as a person goes: what is each called, and does any start a game?

python -m tests.bench.wrong_setups [--only dark] [--out FOLDER] [--seed 7]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import cv2
import numpy as np

from server.board.pages.wizard import Wizard, create_wizard
from tests.render import cheap
from tests.render.script import Recipe, bare_stage
from tests.render.stage import Stage
from vision.ground import Image

BASE = Recipe(look="walnut", pieces="white_black", table="wood", light="day", markers=False, size_wh=(960, 720))
BRIGHT = {"look": "lines", "pieces": "ivory_brown", "markers": True}
"""A board whose floor is brighter than its light pieces."""
FAR_BLUR_PX, DARK_SHARE, BRIGHT_TIMES, SMALL_SHARE = 5.0, 0.06, 4.0, 0.22


ASKED = "asks-way-round"
"""The answer where all is right, or else mirrored: nothing starts before somebody has said which."""


@dataclass(frozen=True)
class SetUp:
    """A wrong set-up: what it is called in the answer, any of `causes`; what is chosen on the page; its picture."""

    name: str
    causes: tuple[str, ...]
    picture: Callable[[int], Image]
    game: str = "camelot"
    seems: str = ""
    """The game that has to be named."""


def shot(stage: Stage) -> Image:
    stage.quiet("still")
    return cheap.render(stage.frames[-1].scene).image


def staged(seed: int, **changes: object) -> Stage:
    stage = bare_stage(replace(BASE, seed=seed, **changes))
    stage.set_up(stage.game.start())
    return stage


def plain(seed: int, **changes: object) -> Image:
    return shot(staged(seed, **changes))


def without(seed: int, gone: Callable[[int, int], bool], **changes: object) -> Image:
    """The start without the pieces of which `gone` says so, by their number and seat."""
    stage = staged(seed, **changes)
    for number, (name, cell) in enumerate(sorted(stage.where.items(), key=lambda one: str(one[1]))):
        if gone(number, 0 if stage.standing[name].code[0] == "W" else 1):
            stage.take_off(name, 0)
            del stage.standing[name], stage.where[name]
        del cell
    return shot(stage)


def moved(seed: int) -> Image:
    """Somebody has begun to play."""
    stage, cells = staged(seed), None
    cells = stage.game.board.cells
    for origin, target in (("G7", "F8"), ("D11", "D12"), ("E10", "E9")):
        stage.put(stage.at(cells.index(origin)), cells.index(target))
    return shot(stage)


def half_hidden(seed: int) -> Image:
    """A cloth lies over a half of the board."""
    image = plain(seed)
    h, w = image.shape[:2]
    rng = np.random.default_rng(seed)
    cloth = np.clip(rng.normal((90, 60, 50), 6, (h, w, 3)), 0, 255).astype(np.uint8)
    corner = np.array([[w * 0.5, 0], [w, 0], [w, h], [w * 0.46, h]], np.int32)
    mask = cv2.fillPoly(np.zeros((h, w), np.uint8), [corner], 255)
    return np.asarray(np.where(mask[..., None] > 0, cloth, image), np.uint8)


def hand(seed: int) -> Image:
    stage = staged(seed)
    stage.moving("reach", 0, np.array([5.5, 8.5]))
    return cheap.render(stage.frames[-1].scene).image


def two_boards(seed: int) -> Image:
    """Two tables side by side in one picture."""
    one, other = plain(seed, hfov=48), plain(seed + 1, look="green", hfov=48)
    half = [cv2.resize(image, (480, 360), interpolation=cv2.INTER_AREA) for image in (one, other)]
    wide = np.full((720, 960, 3), np.median(one, axis=(0, 1)), np.uint8)
    wide[180:540] = np.hstack(half)
    return wide


def cut(seed: int) -> Image:
    """A third of the board lies beyond the edge of the picture."""
    image = plain(seed, hfov=50)
    return np.ascontiguousarray(cv2.resize(image[:, 330:], (960, 720)))


def scaled(image: Image, factor: float, add: float = 0.0) -> Image:
    return np.clip(image.astype(np.float32) * factor + add, 0, 255).astype(np.uint8)


def mirrored(image: Image) -> Image:
    """As a phone shows its owner."""
    return np.ascontiguousarray(image[:, ::-1])


def noisy(image: Image, seed: int, sd: float = 2.0) -> Image:
    rng = np.random.default_rng(seed)
    return np.clip(image + rng.normal(0, sd, image.shape), 0, 255).astype(np.uint8)


def turned(seed: int) -> Image:
    """A board with markers that lies the other way round: each side stands where the other belongs."""
    stage = bare_stage(replace(BASE, seed=seed, markers=True))
    start, board = stage.game.start(), stage.game.board
    centres = np.array(board.centres_xy)
    opposite = centres.max(axis=0) + centres.min(axis=0) - centres
    there = [int(np.abs(centres - centre).sum(axis=1).argmin()) for centre in opposite]
    stage.set_up(replace(start, placement=bytes(start.placement[cell] for cell in there)))
    return shot(stage)


def small(seed: int) -> Image:
    image = plain(seed)
    w, h = round(960 * SMALL_SHARE), round(720 * SMALL_SHARE)
    wide = np.full((720, 960, 3), image[5, 5], np.uint8)
    wide[300 : 300 + h, 400 : 400 + w] = cv2.resize(image, (w, h), interpolation=cv2.INTER_AREA)
    return noisy(wide, seed)


def table(seed: int) -> Image:
    """No board at all: wood, and what lies on it."""
    stage = bare_stage(replace(BASE, seed=seed))
    image = shot(stage)
    h, w = image.shape[:2]
    return np.ascontiguousarray(cv2.resize(image[: h // 7, : w // 5], (w, h), interpolation=cv2.INTER_CUBIC))


SETUPS = (
    SetUp("tri-camelot's board", ("other-game",), lambda s: plain(s, game="tri-camelot"), seems="tri-camelot"),
    SetUp("camblam's board", ("other-game",), lambda s: plain(s, game="camblam"), seems="camblam"),
    SetUp("cam's board", ("other-game",), lambda s: plain(s, game="cam"), seems="cam"),
    SetUp("chivalry's board", ("other-game",), lambda s: plain(s, game="chivalry"), seems="chivalry"),
    SetUp("camelot's board, chivalry chosen", ("other-game",), plain, game="chivalry", seems="camelot"),
    SetUp("camelot's board, cam chosen", ("other-game",), plain, game="cam", seems="camelot"),
    SetUp("half hidden", ("covered", "cut", "unsure"), half_hidden),
    SetUp("a hand over it", ("covered", "pieces"), hand),
    SetUp("blurred", ("blurred",), lambda s: cv2.GaussianBlur(plain(s), (0, 0), FAR_BLUR_PX)),
    SetUp("mirrored", (ASKED,), lambda s: mirrored(plain(s))),
    SetUp("mirrored, with markers", ("mirrored",), lambda s: mirrored(plain(s, markers=True))),
    SetUp("tri-camelot mirrored", ("mirrored",), lambda s: mirrored(plain(s, game="tri-camelot")), game="tri-camelot"),
    SetUp("camblam mirrored", (ASKED,), lambda s: mirrored(plain(s, game="camblam")), game="camblam"),
    SetUp("three levels mirrored", (ASKED,), lambda s: mirrored(plain(s, game="cam-3d")), game="cam-3d"),
    SetUp("empty", ("empty",), lambda s: shot(bare_stage(replace(BASE, seed=s)))),
    SetUp("White alone set up", ("half", "pieces"), lambda s: without(s, lambda _, seat: seat == 1)),
    SetUp("White alone on a bright board", ("half",), lambda s: without(s, lambda _, seat: seat == 1, **BRIGHT)),
    SetUp("Black alone on a bright board", ("half",), lambda s: without(s, lambda _, seat: seat == 0, **BRIGHT)),
    SetUp("every third piece missing", ("pieces", "half"), lambda s: without(s, lambda n, _: n % 3 == 0)),
    SetUp("two pieces missing", ("pieces",), lambda s: without(s, lambda n, _: n in (4, 19))),
    SetUp("already played", ("pieces", "moved"), moved),
    SetUp("board cut", ("cut",), cut),
    SetUp("two boards", ("two-boards",), two_boards),
    SetUp("no board", ("no-board",), table),
    SetUp("dark", ("dark",), lambda s: noisy(scaled(plain(s, light="evening"), DARK_SHARE), s)),
    SetUp("overexposed", ("bright",), lambda s: scaled(plain(s), BRIGHT_TIMES, 60)),
    SetUp("turned half round, with markers", ("turned",), turned),
    SetUp("upside down", (ASKED,), lambda s: np.ascontiguousarray(plain(s)[::-1, ::-1])),
    SetUp("far away", ("small", "no-board"), small),
)


def told(setup: SetUp, path: Path) -> dict[str, object]:
    """What the wizard says of a picture after all clicks that it offers next, and whether it would start a game."""
    client = create_wizard(Wizard(path.parent / "board.toml", 8, "", path.parent)).test_client()
    chosen = client.post("/api/v1/wizard/camera", json={"game": setup.game, "rules": "", "camera": str(path)})
    if chosen.status_code != 200:
        return {"cause": "no-picture", "started": False}
    found = client.post("/api/v1/setup/find", json={})
    place = found.get_json()
    if found.status_code != 200 or not place["good"]:
        said = client.post("/api/v1/setup/diagnosis", json={}).get_json()
        client.post("/api/v1/setup/save", json={"number": place.get("number"), "force": False})
        started = client.post("/api/v1/wizard/start", json={"port": "", "protocol": "adalight"}).status_code == 200
        return said | {"fit": place.get("fit"), "started": started}
    assert client.post("/api/v1/setup/save", json={"number": place["number"]}).status_code == 200
    said = client.post("/api/v1/wizard/pieces", json={}).get_json()
    if said["cause"] == "ready" and said["asks_way_round"]:
        said["cause"] = ASKED
    started = client.post("/api/v1/wizard/start", json={"port": "", "protocol": "adalight"}).status_code == 200
    return said | {"fit": place["fit"], "started": started}


def is_named(setup: SetUp, said: dict[str, object]) -> bool:
    return said["cause"] in setup.causes and (not setup.seems or said.get("game") == setup.seems)


@click.command()
@click.option("--only", default="")
@click.option("--seed", default=7)
@click.option("--out", type=click.Path(path_type=Path), help="Keep the pictures here.")
def main(only: str, seed: int, out: Path | None) -> None:
    """Print a line for each."""
    named = by_accident = count = 0
    with TemporaryDirectory() as folder:
        for setup in (one for one in SETUPS if only in one.name):
            path = (out or Path(folder)) / f"{setup.name.replace(' ', '_').replace(',', '')}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(path), setup.picture(seed))
            said = told(setup, path)
            right = is_named(setup, said)
            count, named = count + 1, named + right
            by_accident += bool(said["started"])
            click.echo(f"{'named' if right else 'NOT  '} {setup.name}: {said}")
    click.echo(f"{named} of {count} named, {by_accident} would start a game")


if __name__ == "__main__":
    main()
