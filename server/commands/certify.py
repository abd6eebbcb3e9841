"""`referee certify`: ten guided minutes at a board, and how good camera, light and pieces are there."""

from __future__ import annotations

import json
import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from calibration import profile as profiles
from engine.errors import InputError
from engine.game import Game
from server.board.board_options import cameras_at_option
from server.board.certify import certificate
from server.board.certify.guide import Done
from server.board.certify.guided_page import create_page
from server.board.certify.programme import PLIES, plan_tasks
from server.board.certify.sitting import Sitting, run_sitting
from server.board.certify.tally import tally_tasks
from server.board.certify.tasks import CertifyTask
from server.board.live.camera import resolve_source
from server.board.setup.opening import guarded_opener
from server.board.setup.save import default_profile
from server.disk import write_output
from server.exits import ANSWER_IS_NO, DONE, take_signals
from server.inputs import read_game
from server.languages import ENGLISH, load_languages
from server.masking import print_line
from server.options import A_SOURCE, FILE_OR_FOLDER, OUT_FILE
from server.record.journal import format_now
from server.saying import describe_default_rules
from server.web.access.serving import page_port_option
from server.web.site import Site, create_listener
from vision.frames import DEFAULT_FPS, is_live


@click.command(help="Ten guided minutes at your board: how well it is refereed there, and what could be better.")
@click.option("--profile", "path", type=FILE_OR_FOLDER, help="Profile of the board; default: your own.")
@click.option(
    "--camera", type=A_SOURCE, help="Device, stream URL, video or folder of a sitting; default: the profile's."
)
@cameras_at_option
@click.option("--rules", help="Rule set; default: the profile's, else the game's first.")
@click.option(
    "--plies", type=click.IntRange(1, 200), default=PLIES, show_default=True, help="Moves that are asked for."
)
@click.option("--page/--no-page", "paged", default=None, help="Lead on a page; default: for cameras.")
@page_port_option
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@click.option("--fps", default=DEFAULT_FPS, show_default=True, help="Speed of a folder without times.")
@click.option("--realtime", is_flag=True, help="Play recordings at their own speed.")
@click.option(
    "--out",
    type=OUT_FILE,
    default=Path("certificate.html"),
    show_default=True,
    help="Where the page to print is written.",
)
@click.option("--language", type=click.Choice(list(load_languages())), default=ENGLISH, help="Of the page to print.")
@click.option("--json", "as_json", is_flag=True, help="Write what it came to as one JSON object, and nothing else.")
def command(
    path: Path | None,
    camera: str | None,
    cameras_at: tuple[str, ...],
    rules: str | None,
    plies: int,
    *,
    paged: bool | None,
    port: int,
    open_page: bool,
    fps: float,
    realtime: bool,
    out: Path,
    language: str,
    as_json: bool,
) -> int:
    """Exit 0 for a good table, 1 for one that can be better, 2 if the input cannot be used."""
    path = path or default_profile()
    profile = profiles.load_profile(path)
    game, start = read_game(path, profile, rules, None)
    if start != game.start():
        raise InputError(f"profile {path}: a sitting begins at the start position of {game.name}")
    source = resolve_source(camera or "", fps, profile)
    behind = guarded_opener(source, profile, fps, cameras_at)
    say: Callable[[str], object] = (lambda _: None) if as_json else print_line
    sitting = Sitting(profile, game, plan_tasks(game, plies), lambda done, task: _print_progress(say, done, task))
    _say_default_rules(say, path, game, rules, profile.rules)
    with ExitStack() as closing:
        url = ""
        if is_live(source) or realtime if paged is None else paged:
            listening = closing.enter_context(create_listener("127.0.0.1", port))
            site = Site(create_page(sitting, format_now), listening, None)
            closing.callback(site.stop_server)
            url = site.url
            say(f"The page is at {url}; Ctrl-C ends it.")
            if open_page:
                webbrowser.open(url)
        stays = bool(url)
        try:
            run_sitting(sitting, source, fps, behind, realtime=realtime)
        except KeyboardInterrupt:
            stays = False
        sitting.ended = True
        _write_certificate(out, sitting, language, say)
        if as_json:
            click.echo(json.dumps(certificate.as_json(sitting, format_now())))
        if stays:
            say(f"It stays at {url}certificate until Ctrl-C.")
            ended = threading.Event()
            with take_signals(ended.set):
                ended.wait()
    return DONE if tally_tasks(sitting.guide.done).good else ANSWER_IS_NO


def _say_default_rules(say: Callable[[str], object], path: Path, game: Game, *named: str | None) -> None:
    if not any(named) and (said := describe_default_rules(f"The profile {path}", game)):
        say(said)


def _print_progress(say: Callable[[str], object], done: Done | None, task: CertifyTask | None) -> None:
    if done is not None:
        soon = "" if done.seconds is None else f" after {done.seconds:.2f} s"
        say(f"  {certificate.OUTCOMES[done.outcome]}{soon}{f' ({done.said})' if done.said else ''}")
    if task is not None:
        say(task.composed_sentence)


def _write_certificate(out: Path, sitting: Sitting, language: str, say: Callable[[str], object]) -> None:
    """The page to print."""
    page = certificate.render_certificate(sitting, format_now(), load_languages()[language])
    write_output(out, page.encode(), "--out")
    say(f"Written: {out}")
