"""Players of a program's own: an object with `choose` gets a name, and everything that takes names takes it."""

import pytest
from playing import played

import noughts
from noughts.matches import Match
from noughts.players import Clock, make_player, register_player


class First:
    """Plays the first legal action; stands for a network."""

    def choose(self, state, clock):
        return state.legal_actions()[0]


@pytest.fixture(autouse=True)
def names(monkeypatch):
    """Names that are given in a test are forgotten after it."""
    monkeypatch.setattr("noughts.players.registry._REGISTERED", {})


def test_a_registered_player_is_found_by_name_and_plays_matches():
    register_player("net", lambda seed: First())
    state = noughts.load_game("classic").new_initial_state()
    assert make_player("net").choose(state, Clock()) == 0
    match = Match(noughts.load_game("classic"), ("net", "random"), games=2)
    assert [record.players for record in played(match)] == [("net", "random"), ("random", "net")]


def test_it_is_made_with_the_seed_of_its_game():
    seeds = []
    register_player("net", lambda seed: seeds.append(seed) or First())
    make_player("net", seed=4)
    make_player("net:seed=7", seed=4)
    assert seeds == [4, 7]


@pytest.mark.parametrize("name", ["random", "easy", "human", "llm", "", "Net", "a b", "x.py", "../net"])
def test_a_name_that_means_something_else_is_refused(name):
    with pytest.raises(ValueError, match=r"built-in player|a player's name must be"):
        register_player(name, lambda seed: First())


def test_what_cannot_choose_is_no_player():
    register_player("net", lambda seed: object())
    with pytest.raises(ValueError, match=r"no method choose\(state, clock\)"):
        make_player("net")
    with pytest.raises(ValueError, match="net has no option 'depth'"):
        make_player("net:depth=3")
