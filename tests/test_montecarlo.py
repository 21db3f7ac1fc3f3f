"""Monte Carlo tree search: proofs are true, trees are kept, seeds repeat."""

import numpy as np
import pytest
from conftest import NESTED, random_states

import noughts
from noughts.players import Clock, make_player
from noughts.search.kernels import tree as at
from noughts.search.mcts import Forest


def forest(name, seed=1):
    return Forest(noughts.load_game(name), seed, megabytes=4)


@pytest.mark.parametrize("name", ["classic", "misere", "wild", "numerical"])
def test_what_it_proves_is_true(name):
    game = noughts.load_game(name)
    solution = noughts.solve(game)
    proofs = 0
    for state in random_states(game, seed=7, games=3):
        if state.is_terminal():
            continue
        values = solution.action_values(state)
        for move in forest(name).grow(state, games=2000):
            assert move.proof in (0, values[move.action])
            proofs += move.proof != 0
    assert proofs > 10


def test_a_winning_move_is_played_and_the_game_seen_as_won():
    state = noughts.load_game("classic").from_string("XX./OO./... p0")
    best = forest("classic").grow(state, games=50)[0]
    assert state.action_to_string(best.action) == "2"
    assert best.proof == 1


def test_in_wild_it_finds_the_centre():
    """The centre is the only winning opening of wild."""
    state = noughts.load_game("wild").new_initial_state()
    best = Forest(state.game, 1, megabytes=64).grow(state, games=2_000_000)[0]
    assert state.action_to_string(best.action)[-1] == "4"
    assert best.proof == 1


@pytest.mark.parametrize("name", NESTED)
def test_the_same_seed_grows_the_same_tree(name):
    state = noughts.load_game(name).new_initial_state()
    one, two, other = (forest(name, seed).grow(state, games=500) for seed in (5, 5, 6))
    assert one == two
    assert one != other


def test_the_tree_is_kept_when_the_game_goes_on():
    game = noughts.load_game("ultimate")
    state, grown = game.new_initial_state(), forest("ultimate")
    first = grown.grow(state, games=20_000)[0]
    state.apply_action(first.action)
    kept = int(grown._tree[grown._find(state) + at.VISITS])
    assert kept == first.visits
    grown.grow(state, games=2)
    assert grown._tree[at.VISITS] in (kept + 2, kept + 1)
    assert sum(grown._tree[node + at.VISITS] for node in grown._children(0)) >= kept - at.EXPAND_AT


def test_another_game_or_another_past_starts_a_new_tree():
    game = noughts.load_game("ultimate")
    state, grown = game.new_initial_state(), forest("ultimate")
    grown.grow(state, games=100)
    elsewhere = game.new_initial_state()
    elsewhere.apply_action(0)
    elsewhere = game.from_string(elsewhere.to_string())
    assert grown._find(elsewhere) is None
    assert sorted(move.action for move in grown.grow(elsewhere, games=100)) == elsewhere.legal_actions()


def test_a_full_memory_does_not_stop_the_games():
    game = noughts.load_game("extreme")
    small = Forest(game, 1, megabytes=1)
    moves = small.grow(game.new_initial_state(), games=20_000)
    assert small._control[at.GAMES] == 20_000
    assert small._control[at.USED] <= len(small._tree)
    assert len(moves) == 256


def test_a_transplanted_tree_is_the_same_tree():
    game = noughts.load_game("xtreme")
    state, grown = game.new_initial_state(), forest("xtreme")
    grown.grow(state, games=5000)

    def shape(tree, node):
        first, count = int(tree[node + at.CHILD]), int(tree[node + at.COUNT])
        facts = tuple(int(tree[node + word]) for word in (at.MOVE, at.WHO, at.VISITS, at.TOTAL, at.PROOF))
        return facts, [shape(tree, first + i * at.NODE_WORDS) for i in range(count)]

    node = max(grown._children(0), key=lambda child: grown._tree[child + at.VISITS])
    other = np.zeros_like(grown._tree)
    used = at.transplant(grown._tree, other, node)
    assert shape(other, 0) == shape(grown._tree, node)
    assert 0 < used <= grown._control[at.USED]


@pytest.mark.parametrize("name", NESTED)
def test_it_beats_random_play(name):
    game = noughts.load_game(name)
    strong, weak = make_player("mcts?games=200&memory=8", seed=2), make_player("random", seed=4)
    state = game.new_initial_state()
    while not state.is_terminal():
        player = strong if state.current_player() == 1 else weak
        state.apply_action(player.choose(state, Clock()))
    assert state.returns()[1] > 0


def test_even_without_time_there_is_a_move(game):
    state = game.new_initial_state()
    assert make_player("mcts?memory=1").choose(state, Clock(0.0)) in state.legal_actions()


def test_what_makes_no_sense_is_refused():
    game = noughts.load_game("classic")
    over = game.from_string("XXX/OO./... end")
    with pytest.raises(ValueError, match="the game is over"):
        forest("classic").grow(over, games=10)
    with pytest.raises(ValueError, match="give it seconds or games"):
        forest("classic").grow(game.new_initial_state())
    with pytest.raises(ValueError, match="1 megabyte or more"):
        Forest(game, megabytes=0)
    with pytest.raises(ValueError, match="games must be 1 or more"):
        make_player("mcts?games=0")
