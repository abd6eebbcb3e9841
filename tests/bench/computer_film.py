"""A whole game against the computer: python -m tests.bench.computer_film writes docs/pictures/computer.gif.

The program is the real one: `referee serve` with a network camera, the page in a browser, and the display's firmware
on a simulated board. Table, pieces and hands are drawn; what the computer plays is not known before. Two of its moves
are made wrongly, once as another lawful move and once as none at all, and put right.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from PIL import Image, ImageDraw, ImageFont
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from device.lights import BLINK_S, PALETTES
from device.mapfile import load_default_map
from engine.game import Game, Move, Position
from opponent.players.simple import GreedyPlayer
from opponent.players.thinking import Task
from tests.bench.product_film import Reel
from tests.browser import browser, size
from tests.firmware.board import SimulatedBoard
from tests.opponent.drawn_table import DrawnTable, Referee, Snapshot, another, drawn_table, out_of_reach, refereed
from tests.patience import PATIENCE_S
from tests.render.script import Recipe

OUT = Path(__file__).parents[2] / "docs" / "pictures" / "computer.gif"
RECIPE = Recipe(game="camelot", look="green", pieces="white_red", light="office", seed=3)
WINDOW, BESIDE = (980, 900), 480
"""The page, and how wide the drawn table and the simulated LEDs beside it are."""
LEVEL, SEED = 4, 1
"""Of the computer, which plays Black; White takes whatever it can, and loses in some thirty plies."""
LAWFUL_BUT_OTHER, NO_MOVE = 2, 4
"""Which of the computer's moves are made wrongly."""
LONGEST = 120
SHORT_S, STEP_S, WRONG_S = 0.6, 0.9, 3.2
"""How long a picture stands: of a move that was made, of a step that is lit, of something wrong."""
STEPS_SHOWN = 3
"""Of the computer's first so many moves each step is shown, of later ones only the whole."""
BRIGHT = tuple(PALETTES["standard"][name] for name in ("start", "target", "wrong", "last"))
SLID_S = 0.4
"""After which a piece that slides on the page is where it goes."""
LOOKS = 3
"""At the LEDs for each picture after the first, half a blink apart."""
LED, DOT = 24, 9
"""Pixels from LED to LED, and how large one is."""


@dataclass
class Both(Reel):
    """The page, and beside it the drawn table and what the simulated board's LEDs and text show."""

    table: DrawnTable = field(kw_only=True)
    display: SimulatedBoard = field(kw_only=True)

    def picture(self) -> Image.Image:
        """Both beside each other."""
        page = super().picture()
        out = Image.new("RGB", (page.width + BESIDE, page.height), "#14161a")
        out.paste(page, (0, 0))
        drawn = Image.fromarray(self.table.image[:, :, ::-1].copy())
        height = round(drawn.height * BESIDE / drawn.width)
        out.paste(drawn.resize((BESIDE, height)), (page.width, 0))
        self._leds(ImageDraw.Draw(out), page.width, height)
        return out

    def _leds(self, draw: ImageDraw.ImageDraw, left: int, top: int) -> None:
        seen, board = self.display.read_signals(), self.table.game.board
        rgb = list(seen.rgb)
        for _ in range(LOOKS):  # what blinks is drawn lit; on a busy machine the board's time goes slower than ours
            time.sleep(BLINK_S / 2)
            seen = self.display.read_signals()
            rgb = [max(pair, key=sum) for pair in zip(rgb, seen.rgb, strict=True)]
        brightest = max(max(colour) for colour in rgb) or 1
        span = LED * board.size_wh[0]
        for led, owners in enumerate(load_default_map(self.table.game.name, board).owners):
            for cell in owners:
                x, y = board.centres_xy[cell]
                at = left + (BESIDE - span) / 2 + LED * x, top + 30 + LED * (board.size_wh[1] - y)
                colour = tuple(round(255 * channel / brightest) for channel in rgb[led])
                fill = colour if any(colour) else (38, 41, 46)
                draw.ellipse((at[0] - DOT, at[1] - DOT, at[0] + DOT, at[1] + DOT), fill=fill)
        font = ImageFont.load_default(size=22)
        words = "  ·  ".join(line.strip() for line in seen.text if line.strip())
        draw.text((left + BESIDE / 2, top + 62 + LED * board.size_wh[1]), words, "#9fe870", font, "mm")


@dataclass
class Course:
    """The game as it is played at the table."""

    reel: Both
    referee: Referee
    game: Game
    position: Position
    ply: int = 0

    def wait(self, what: str, seconds: float, caption: str, **wanted: object) -> Snapshot:
        """Until the program says so; then a picture is taken, of page and LEDs."""
        now = self.referee.until(lambda now: all(_said(now, key) == value for key, value in wanted.items()))
        WebDriverWait(self.reel.driver, PATIENCE_S, 0.05).until(
            lambda d: d.execute_script(f"return {what}"), f"the page never showed {what}"
        )
        time.sleep(SLID_S)
        self.reel.take(caption, seconds)
        return now

    def own(self, move: Move) -> None:
        """The player's move."""
        text = self.game.write(self.position, move)
        self.reel.table.make(self.position, move)
        self._played(move)
        phase = "over" if self.game.outcome(self.position) else "playing"
        self.wait(
            f"document.querySelectorAll('#moves td').length >= {self.ply}",
            SHORT_S,
            f"White plays {text}",
            ply=self.ply,
            phase=phase,
        )

    def computer(self, number: int) -> None:
        """The computer's move: shown, made, and twice made wrongly first."""
        caption = "The computer's move is lit, step by step"
        now = self.referee.until(
            lambda now: now["ply"] == self.ply and now["phase"] == "playing" and _said(now, "move")
        )
        move = self.game.read(self.position, now["advice"]["move"])
        assert isinstance(move, Move)
        steps = len(now["advice"]["steps"])
        for step in [*(range(1, steps + 1) if number <= STEPS_SHOWN else ()), 0]:
            marks = ",".join("lit" if one == step else "" for one in range(1, steps + 1))
            shown = "[...document.querySelectorAll('ol.carry li')].map((li) => li.className).join()"
            self.wait(f"{shown} === {marks!r}", STEP_S, caption, step=step)
        if number == LAWFUL_BUT_OTHER:
            self._another(move)
        if number == NO_MOVE:
            self._no_move(move)
        else:
            self.reel.table.make(self.position, move)
        self._played(move)
        over = self.game.outcome(self.position) is not None
        self.wait(
            f"document.querySelectorAll('#moves td').length >= {self.ply}",
            SHORT_S,
            "Made on the board, and checked",
            ply=self.ply,
            phase="over" if over else "playing",
        )

    def _another(self, move: Move) -> None:
        other = another(self.game, self.position, move)
        self.reel.table.make(self.position, other)
        self.wait(
            "document.querySelector('#reason').textContent.includes('Wrong on')",
            WRONG_S,
            "Another move was made: page and lights say where",
            ply=self.ply + 1,
            phase="playing",
        )
        self.reel.table.shift(self.position.seat, (other.target, other.origin))
        self.wait(
            "document.querySelector('ol.carry') !== null",
            SHORT_S,
            "Put back: the computer's move is awaited again",
            ply=self.ply,
            phase="playing",
        )

    def _no_move(self, move: Move) -> None:
        far = out_of_reach(self.game, self.position)
        self.reel.table.shift(self.position.seat, (move.origin, far))
        self.wait(
            "document.querySelector('#reason').textContent.includes('Wrong on')",
            WRONG_S,
            "That is no move: page and lights say where the piece belongs",
            phase="trouble",
        )
        self.reel.table.shift(self.position.seat, (far, *move.path[1:]), move.taken)

    def _played(self, move: Move) -> None:
        self.position = self.game.play(self.position, move)
        self.ply += 1


def _said(now: Snapshot, key: str) -> object:
    """Of the game, or of the computer's move."""
    return now[key] if key in now else (now["advice"] or {}).get(key)


def play(reel: Both, referee: Referee) -> str:
    """The whole game; how it ended."""
    game = reel.table.game
    course = Course(reel, referee, game, game.start())
    course.wait("document.body.dataset.ready === 'yes'", 1.5, "White is a person, Black the computer", phase="playing")
    number = 0
    while (outcome := game.outcome(course.position)) is None and course.ply < LONGEST:
        if course.position.seat == 0:
            course.own(GreedyPlayer().choose_move(Task(game, (course.position,) * (course.ply + 1), seed=SEED)))
        else:
            number += 1
            course.computer(number)
    ended = f"{outcome.result}, {outcome.reason}" if outcome else "not over"
    reel.take(f"The game is over: {ended}", 3.0)
    return f"{course.ply} plies, {ended}"


def opened(driver: webdriver.Chrome, url: str) -> None:
    """The page of players."""
    size(driver, *WINDOW)
    driver.get(url)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=OUT)
def command(out: Path) -> None:
    """Film a game."""
    with TemporaryDirectory() as name, SimulatedBoard() as display, drawn_table(RECIPE) as table, browser() as driver:
        lights = ("--lights", display.path, "--protocol", "camref", "--opponent", f"black={LEVEL}")
        with refereed(table, Path(name), *lights) as referee:
            opened(driver, referee.url)
            reel = Both(driver, bright=BRIGHT, table=table, display=display)
            ended = play(reel, referee)
    taken = reel.write(out)
    length = sum(seconds for _, seconds in reel.shots)
    click.echo(f"{out}: {len(reel.shots)} pictures, {length:.0f} s, {taken / 1e6:.1f} MB; {ended}")


if __name__ == "__main__":
    command()
