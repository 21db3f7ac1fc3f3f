"""Levels for people: stronger means stronger, and no level is a machine that breaks down."""

import pytest
from playing import played

import noughts
from noughts.matches.schedule import UNTIMED, Match
from noughts.matches.tally import paired
from noughts.players import Clock, make_player
from noughts.players.alphabeta import LEVELS, levels_of


def points(game, first, second, pairs):
    match = Match(noughts.load_game(game), (first, second), 2 * pairs, UNTIMED, seed=2, opening=6)
    return 2 * pairs * paired(played(match), match.player_names[0]).score


def test_there_are_ten():
    assert all(
        sorted(levels) == list(range(1, 10))
        for levels in (LEVELS, *map(levels_of, map(noughts.load_game, noughts.game_names())))
    )
    make_player("alphabeta?level=10&depth=2")
    for wrong in ("0", "11", "high"):
        with pytest.raises(ValueError, match="level"):
            make_player(f"alphabeta?level={wrong}")
    with pytest.raises(ValueError, match="leave out depth"):
        make_player("alphabeta?level=3&depth=2")


@pytest.mark.parametrize(("strong", "weak"), [(4, 1), (7, 4)])
@pytest.mark.parametrize("name", ["xtreme", "ultimate"])
def test_three_levels_are_a_clear_difference(name, strong, weak):
    assert points(name, f"alphabeta?level={strong}", f"alphabeta?level={weak}", 6) > 8


def test_the_lowest_level_still_beats_random_play_mostly():
    assert points("extreme", "alphabeta?level=1", "random", 5) >= 5


def test_a_level_with_a_seed_repeats_itself():
    state = noughts.load_game("xtreme").new_initial_state()
    chosen = {make_player("alphabeta?level=2", seed=5).choose(state, Clock()) for _ in range(3)}
    assert len(chosen) == 1


@pytest.mark.parametrize("level", [3, 5, 9])
def test_a_win_at_hand_is_taken(level):
    state = noughts.load_game("classic").from_string("XX./OO./... p0")
    wins = sum(make_player(f"alphabeta?level={level}", seed=s).choose(state, Clock()) == 2 for s in range(10))
    assert wins >= 9
