"""A board that stands as the game expects is begun with; what does not stand so is named, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import cv2
import pytest

from calibration.profile import WhitePieces, load_profile
from engine import games
from engine.game import Game
from tests.examples import choose_rows
from tests.render import styles
from tests.render.scene import Scene
from tests.render.script import Recipe
from tests.vision.filmed import added, grainy, handed, put
from tests.vision.pictures import photograph, scene_of, true_views
from vision.ground import Image
from vision.reading.level_readers import LevelReaders
from vision.sight.start import CheckedCells, check_start_in_parts, result_of
from vision.watch.beginning import begin_game

BOARDS = {
    f"{look} {pieces} {light}": Recipe(look=look, pieces=pieces, light=light, seed=seed, size_wh=(960, 720))
    for seed, (look, pieces, light) in enumerate(
        [
            ("green", "white_red", "office"),
            ("walnut", "maple_black", "day"),
            ("blue", "yellow_blue", "evening"),
            ("paper", "white_black", "day2"),
        ]
    )
}
OTHERS = {
    "tri-camelot": Recipe(game="tri-camelot", look="lines", light="office", seed=4, size_wh=(960, 720)),
    "cam-3d": Recipe(game="cam-3d", look="green", light="office", seed=5, size_wh=(1280, 960)),
    "white on white paper, three levels": Recipe(
        game="cam-3d", look="paper", light="office", seed=5, size_wh=(1280, 960)
    ),
    "camblam": Recipe(game="camblam", look="blue", light="office", seed=6, size_wh=(960, 720)),
    "a small picture": Recipe(look="green", pieces="white_red", light="day", seed=7, size_wh=(640, 480)),
    "tall pieces from 31 degrees": Recipe(
        look="blue",
        pieces="ivory_brown",
        shape="cone",
        light="day2",
        seed=8,
        size_wh=(960, 720),
        elevation=31.0,
        azimuth=-156.0,
        hfov=60.0,
        scale=1.25,
    ),
}
COUNTERS = Path(__file__).parents[2] / "data" / "white_counters"
PLAIN = BOARDS["green white_red office"]
STEEP = Recipe(
    look="paper", pieces="white_black", light="office", seed=3, size_wh=(960, 720), elevation=80.0, scale=1.5
)
"""White pieces on white paper from above: of what a black one would change a white one changes a fifth."""


def checked(game: Game, scene: Scene, image: Image | None = None, named: tuple[int, ...] = ()) -> CheckedCells:
    """What is found in a picture of a scene in which the start position is expected, some cells `named` before."""
    placed = list(game.start().placement)
    image = photograph(scene) if image is None else image
    eyes = LevelReaders(game.board, true_views(scene), game.look_of, image, placed)
    return result_of(check_start_in_parts(game.board, eyes.level_readers, placed, game.looks, named))


def wrong(game: Game, scene: Scene, image: Image | None = None) -> list[str]:
    """The cells that are named."""
    return [game.board.cells[c] for c in checked(game, scene, image).wrong]


def on_boards(first: int, name: str = "", places: Sequence[object] = ()) -> pytest.MarkDecorator:
    """Two of the boards from that number on, each with one of some places; `make bench-starts` has hundreds of both."""
    each = zip(BOARDS.items(), cycle(places or [None]), strict=False)
    rows = choose_rows([(key, recipe, place) for (key, recipe), place in each], 2, first)
    ids = [key for key, *_ in rows]
    if not name:
        return pytest.mark.parametrize("recipe", [recipe for _, recipe, _ in rows], ids=ids, scope="module")
    return pytest.mark.parametrize(("recipe", name), [(recipe, place) for _, recipe, place in rows], ids=ids)


def castles(game: Game) -> set[str]:
    return {name for names in game.board.castles.values() for name in names}


@pytest.mark.parametrize("recipe", [*BOARDS.values(), *OTHERS.values()], ids=[*BOARDS, *OTHERS], scope="module")
def test_a_right_set_up_is_ready(recipe: Recipe) -> None:
    assert wrong(*scene_of(recipe)) == []


@on_boards(0, "name", ["H10", "C6"])
def test_a_missing_piece_is_named(recipe: Recipe, name: str) -> None:
    game, scene = scene_of(recipe)
    found = wrong(game, put(game, scene, name))
    assert name in found
    # Castles are painted unlike any other cell: once something is wrong, they may be named as well.
    assert len(set(found) - castles(game)) <= 3, found


@pytest.mark.parametrize(
    "recipe",
    [
        replace(OTHERS["tall pieces from 31 degrees"], elevation=29.0, azimuth=20.0, seed=11),
        Recipe(game="tri-camelot", look="blue", light="office", seed=6, size_wh=(1280, 960), elevation=30.0, hfov=55.0),
    ],
    ids=["camelot", "tri-camelot"],
)
def test_a_piece_that_others_would_hide_is_missed(recipe: Recipe) -> None:
    """Before a low camera heads of other pieces lie where it should stand."""
    game, scene = scene_of(recipe)
    assert wrong(game, put(game, scene, "G6")) == ["G6"]


@on_boards(2, "target", ["F8", "C3"])
def test_one_piece_more_is_named(recipe: Recipe, target: str) -> None:
    game, scene = scene_of(recipe)
    found = wrong(game, added(game, scene, "F7", target))
    assert target in found


def test_what_is_printed_in_a_castle_is_no_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Red on a green cell is brown from afar, like the oak pieces, and on a white one it is not."""
    oak = (styles.PieceLook((96, 150, 190), 0.4, 0.1), styles.PieceLook((44, 70, 104), 0.5, 0.1))
    monkeypatch.setitem(styles.SETS, "oak_walnut", oak)
    recipe = Recipe(look="green", pieces="oak_walnut", light="office", seed=42, size_wh=(720, 540))
    game, scene = scene_of(replace(recipe, elevation=60.0, azimuth=-80.0, hfov=54.0))
    assert wrong(game, scene) == []


@pytest.mark.parametrize("castle", ["F1", "G16"])
def test_a_piece_in_a_castle_is_named(castle: str) -> None:
    game, scene = scene_of(PLAIN)
    assert castle in wrong(game, added(game, scene, "F10", castle))


def test_a_white_piece_more_on_white_paper_is_named() -> None:
    game, scene = scene_of(STEEP)
    assert wrong(game, scene) == []
    for target in ("F8", "C3", "D9"):
        assert wrong(game, added(game, scene, "F7", target)) == [target]


def test_a_cell_alone_out_of_line_with_all_other_empty_ones_is_named() -> None:
    """Hardly otherwise than bare paper, but all others are plainly bare."""
    recipe = replace(STEEP, seed=74, elevation=48.0, scale=1.0, shape="barrel")
    game, scene = scene_of(recipe)
    assert wrong(game, scene) == []
    assert wrong(game, added(game, scene, "F7", "F8")) == ["F8"]


def test_a_cell_that_was_named_stays_named_as_the_light_drifts_until_its_piece_is_taken_off() -> None:
    """A piece too many that shows less and less: at first named by itself, then only as it was before."""
    game, scene = scene_of(replace(STEEP, seed=74, elevation=48.0, scale=1.0, shape="barrel"))
    bare, full = photograph(scene), photograph(added(game, scene, "F7", "F8"))
    cell = game.board.index["F8"]
    drifted = cv2.addWeighted(full, 0.8, bare, 0.2, 0)
    assert checked(game, scene, full).wrong == (cell,)
    assert checked(game, scene, drifted).wrong == (), "what follows shows nothing"
    assert checked(game, scene, drifted, (cell,)).wrong == (cell,)
    assert checked(game, scene, bare, (cell,)).wrong == ()


@on_boards(3)
@pytest.mark.parametrize("target", ["E8"])
def test_a_piece_on_the_next_cell_is_named(recipe: Recipe, target: str) -> None:
    game, scene = scene_of(recipe)
    found = wrong(game, put(game, scene, "F7", target))
    assert {"F7", target} & set(found)


@on_boards(1)
def test_sides_the_wrong_way_round(recipe: Recipe) -> None:
    """White's pieces where Black's should be: the light ones are not where the light ones belong."""
    game, scene = scene_of(recipe)
    swapped = tuple(replace(p, look="dark" if p.look == "light" else "light") for p in scene.pieces)
    found = checked(game, replace(scene, pieces=swapped))
    assert (len(found.wrong), found.exchanged) == (len(swapped), True)
    assert checked(game, replace(scene, pieces=swapped[1:])).exchanged, "one that is gone as well does not hide it"
    assert not checked(game, replace(scene, pieces=scene.pieces[1:])).exchanged
    assert not checked(game, replace(scene, pieces=())).exchanged


def test_white_may_play_the_darker_pieces() -> None:
    game, scene = scene_of(PLAIN)
    swapped = [replace(p, look="dark" if p.look == "light" else "light") for p in scene.pieces]
    named = WhitePieces.DARKER.name_looks(game)
    assert checked(named, replace(scene, pieces=tuple(swapped))).wrong == ()
    assert checked(named, scene).exchanged
    assert WhitePieces.DARKER.name_looks(games.load("tri-camelot")).looks == games.load("tri-camelot").looks


def test_two_pieces_of_two_sides_exchanged() -> None:
    game, scene = scene_of(PLAIN)
    exchanged = put(game, put(game, put(game, scene, "F7", "A8"), "F10", "F7"), "A8", "F10")
    assert {"F7", "F10"} & set(wrong(game, exchanged))


def test_a_piece_in_the_colour_of_the_next_side_is_named_among_three() -> None:
    """Each of the two looks a little like its own side and a little like the other's; their colours are plain."""
    game, scene = scene_of(OTHERS["tri-camelot"])
    own, other = "D5", "J13"
    free = next(name for name, code in zip(game.board.cells, game.start().placement, strict=True) if not code)
    exchanged = put(game, put(game, put(game, scene, own, free), other, own), free, other)
    assert {own, other} <= set(wrong(game, exchanged))


@on_boards(1, "place", [("F8", 0.0), ("H12", 90.0), ("G10", 0.0)])
def test_a_hand_over_the_board_is_no_start(recipe: Recipe, place: tuple[str, float]) -> None:
    game, scene = scene_of(recipe)
    assert wrong(game, handed(game, scene, place[0], from_deg=place[1]))


@pytest.mark.parametrize("name", choose_rows(OTHERS, 3), scope="module")
def test_an_empty_board_is_no_start(name: str) -> None:
    """That of Camelot is looked at piece by piece in the next test."""
    game, scene = scene_of(OTHERS[name])
    assert wrong(game, replace(scene, pieces=()))


def test_on_an_empty_board_each_piece_is_missed() -> None:
    game, scene = scene_of(PLAIN)
    expected = [game.board.cells[c] for c, piece in enumerate(game.start().placement) if piece]
    assert len(set(wrong(game, replace(scene, pieces=()))) & set(expected)) >= 0.9 * len(expected)


def test_the_same_board_in_a_noisy_picture() -> None:
    game, scene = scene_of(PLAIN)
    image = photograph(scene)
    assert wrong(game, scene, grainy(image, 3, 5.0)) == []
    without = put(game, scene, "H10")
    assert "H10" in wrong(game, without, grainy(photograph(without), 3, 5.0))


def test_one_ply_further_is_named() -> None:
    """A game that was adjourned and goes on: the board stands one ply further than the record."""
    game, scene = scene_of(PLAIN)
    assert {"E5", "E6"} <= set(wrong(game, put(game, scene, "E6", "E5")))


def test_nothing_is_learned_from_asking() -> None:
    game, scene = scene_of(PLAIN)
    placed: Sequence[int] = list(game.start().placement)
    eyes = LevelReaders(game.board, true_views(scene), game.look_of, photograph(scene), placed)
    before = eyes.read_image(photograph(scene)).scores
    result_of(check_start_in_parts(game.board, eyes.level_readers, placed, game.looks))
    assert (eyes.read_image(photograph(scene)).scores == before).all()


@pytest.mark.parametrize("name", [name for name in BOARDS if not name.startswith(("walnut", "paper"))])
def test_a_knight_and_a_man_of_one_side_exchanged(name: str) -> None:
    """Sides are told by colour, kinds by their form alone: half of such pairs are, those on walnut and paper not."""
    game, scene = scene_of(BOARDS[name])
    exchanged = put(game, put(game, put(game, scene, "I7", "A8"), "I6", "I7"), "A8", "I6")
    named = {
        begun.wrong
        for begun in (begin_game(game, game.start(), true_views(one), photograph(one)) for one in (scene, exchanged))
    }
    assert named == {(), tuple(sorted(game.board.index[cell] for cell in ("I6", "I7")))}


@on_boards(2)
def test_the_only_piece_of_its_side_that_is_missing_is_named(recipe: Recipe) -> None:
    """An ending: what the piece looks like is learned from its cell alone, and a bare cell is like itself."""
    game = games.load("camelot")
    placed = bytearray(len(game.board.cells))
    for name, code in {"C9": "WN", "H11": "BM", "J8": "BM", "E13": "BN"}.items():
        placed[game.board.index[name]] = game.codes.index(code)
    ending = replace(game.start(), placement=bytes(placed))
    _, scene = scene_of(recipe, ending)
    assert begin_game(game, ending, true_views(scene), photograph(scene)).wrong == ()
    gone = put(game, scene, "C9")
    begun = begin_game(game, ending, true_views(gone), photograph(gone))
    names = [game.board.cells[c] for c in begun.wrong]
    assert "C9" in names
    assert len(names) <= 2, names


@pytest.mark.parametrize(("name", "named"), [("right", []), ("one_more", ["A3"]), ("next_cell", ["B2", "B3"])])
def test_white_counters_on_white_paper_are_told_by_their_edges(name: str, named: list[str]) -> None:
    """Path-traced printed counters with letters: they fit their cells hardly better than bare paper does."""
    game, image = games.load("camette"), cv2.imread(str(COUNTERS / f"{name}.jpg"))
    assert image is not None
    begun = begin_game(game, game.start(), load_profile(COUNTERS / "board.toml").views, image)
    assert [game.board.cells[c] for c in begun.wrong] == named
