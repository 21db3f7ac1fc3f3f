"""Openings of a file, and those that are shipped."""

import random

import pytest
from conftest import EVERY_GAME, NESTED, load

import noughts
from noughts.matches.openings import opening_of, read_openings
from noughts.matches.runner import match_games
from noughts.matches.schedule import UNTIMED, Match
from noughts.search import Engine, Limits


@pytest.mark.parametrize("name", NESTED)
def test_500_different_balanced_openings_are_shipped_for_each_nested_game(name):
    game = noughts.load_game(name)
    openings = read_openings(game, "balanced")
    states = []
    for moves in openings:
        state = game.new_initial_state()
        for action in moves:
            state.apply_action(action)
        states.append(state)
    assert len({state.to_string() for state in states}) == 500
    engine = Engine(game, memory=1)
    for state in random.Random(1).sample(states, 5):
        engine.new_game()
        assert abs(engine.search(state, Limits(nodes=20_000)).best.score) <= 8_000  # of 100,000


def test_no_other_games_have_shipped_openings():
    assert sorted(name for name in noughts.game_names() if noughts.load_game(name).data.openings) == sorted(NESTED)
    with pytest.raises(ValueError, match="no balanced openings for classic"):
        read_openings(noughts.load_game("classic"), "balanced")


@pytest.mark.parametrize("name", EVERY_GAME)
def test_an_opening_is_moves_or_a_position(name):
    game = load(name)
    for seed in range(5):
        state, chance = game.new_initial_state(), random.Random(seed)
        moves = []
        for _ in range(chance.randrange(4)):
            open_ones = [action for action in state.legal_actions() if not state.child(action).is_terminal()]
            action = chance.choice(open_ones)
            moves.append(state.action_to_string(action))
            state.apply_action(action)
        assert opening_of(game, " ".join(moves)) == tuple(state.history())
        reached = game.new_initial_state()
        for action in opening_of(game, state.to_string()):
            reached.apply_action(action)
        assert reached.to_string() == state.to_string()


def test_a_file_has_comments_and_empty_lines(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("# mine\n\n4 0\nX../.../... p1\n")
    assert read_openings(noughts.load_game("classic"), str(file)) == ((4, 0), (0,))


WRONG = {
    "4 4": "line 2: the move '4' is not legal there",
    "4 x": "line 2: 'x' is not a move of classic",
    "X../.. p1": "line 2: .* is not a position of classic",
    "0 3 1 4 2": "line 2: the game is over after this opening",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_named(line, tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text(f"4\n{line}\n")
    with pytest.raises(ValueError, match=WRONG[line]):
        read_openings(noughts.load_game("classic"), str(file))


def test_a_position_that_play_does_not_reach_is_refused():
    with pytest.raises(ValueError, match="no moves lead from the start to this position"):
        opening_of(noughts.load_game("ultimate"), "X8/9/9/9/9/9/9/9/8O p0 block=8")  # the first move sends elsewhere
    with pytest.raises(ValueError, match="has no openings"):
        read_openings(noughts.load_game("classic"), "/dev/null")


def test_both_players_get_each_opening_and_the_seed_decides_the_order():
    game = noughts.load_game("classic")
    openings = ((0,), (4,), (1, 4))

    def played(seed):
        match = Match(game, ("random", "random"), 8, UNTIMED, seed=seed, opening=openings)
        return [tuple(record.moves[: record.opening]) for record in match_games(match)]

    first = played(1)
    assert first[::2] == first[1::2]  # a pair has one opening
    assert sorted(first[:6:2]) == sorted(openings)
    assert first[6] == first[0]  # and then again from the first
    assert len({tuple(played(seed)) for seed in range(6)}) > 1
