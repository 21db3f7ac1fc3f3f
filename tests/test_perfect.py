"""The perfect player."""

import random

import pytest
from conftest import SMALL

import noughts
from noughts.players import Clock, PerfectPlayer, RandomPlayer, make_player


def play(game, first, second):
    state = game.new_initial_state()
    while not state.is_terminal():
        player = (first, second)[state.current_player()]
        state.apply_action(player.choose(state, Clock()))
    return state


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("seat", [0, 1])
def test_it_never_gives_away_value(name, seat):
    game = noughts.load_game(name)
    solution = noughts.solve(game)
    for seed in range(15):
        sides = [RandomPlayer(seed), RandomPlayer(seed)]
        sides[seat] = PerfectPlayer(seed)
        state = game.new_initial_state()
        while not state.is_terminal():
            before = solution.value(state)
            mover = state.current_player()
            state.apply_action(sides[mover].choose(state, Clock()))
            assert mover != seat or -solution.value(state) == before


@pytest.mark.parametrize("name", SMALL)
def test_against_itself_it_plays_for_as_many_moves_as_the_solution_says(name):
    game = noughts.load_game(name)
    for seed in range(5):
        end = play(game, PerfectPlayer(seed), PerfectPlayer(seed + 1))
        assert len(end.history()) == noughts.solve(game).distance(game.new_initial_state())


def test_it_opens_classic_in_a_corner_where_most_replies_are_errors():
    start = noughts.load_game("classic").new_initial_state()
    assert {PerfectPlayer(seed).choose(start, Clock()) for seed in range(40)} == {0, 2, 6, 8}


def test_the_same_seed_gives_the_same_game():
    game = noughts.load_game("numerical")
    games = [play(game, make_player("perfect?seed=3"), make_player("random?seed=5")).history() for _ in range(2)]
    assert games[0] == games[1]


def test_its_name_takes_a_seed_and_nothing_else():
    assert make_player("perfect").name == "perfect"
    with pytest.raises(ValueError, match="perfect has no option 'depth'"):
        make_player("perfect?depth=3")
    with pytest.raises(ValueError, match="seed must be a whole number"):
        make_player("perfect?seed=x")


def test_a_game_too_large_for_it_is_refused_in_words():
    state = noughts.load_game("ultimate").new_initial_state()
    with pytest.raises(ValueError, match="Search it instead: use the player alphabeta:level=10"):
        PerfectPlayer().choose(state, Clock())


def test_players_of_chance_pick_as_the_library_s_generator_chooses():
    for size in (1, 2, 5, 8, 18, 81):
        actions = list(range(100, 100 + size))
        player, library = RandomPlayer(seed=size), random.Random(size)
        assert [player.pick(actions) for _ in range(50)] == [library.choice(actions) for _ in range(50)]
        player.reseed(7)
        assert player.pick(actions) == random.Random(7).choice(actions)


def test_a_player_of_chance_asked_in_a_finished_game_does_not_look_for_ever():
    over = noughts.load_game("classic").from_string("XXX/OO./... end")
    with pytest.raises(IndexError):
        RandomPlayer(seed=1).choose(over, Clock())
