"""Which player finds the moves of a game: the strongest there is, or the one that is named."""

from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.games import load
from opponent.players.choosing import PLAYER_NAMES, create_player, find_strongest_player
from opponent.players.deep import Deep, core_of


def test_every_name_makes_a_player_and_another_is_refused_with_all_of_them() -> None:
    assert len({type(create_player(name)) for name in PLAYER_NAMES}) == len(PLAYER_NAMES)
    with pytest.raises(InputError, match="player 'deep': not known, choose from search, playouts, greedy, random"):
        create_player("deep")


@pytest.mark.parametrize("name", ["camelot", "camblam"])
def test_the_compiled_search_plays_where_it_knows_the_game(name: str) -> None:
    game = load(name)
    assert isinstance(find_strongest_player(game), Deep) == (core_of(game) is not None)
