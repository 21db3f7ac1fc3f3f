"""Monte Carlo tree search: proofs are true, trees are kept, seeds repeat."""

import pytest
from conftest import NESTED, SMALL, random_states

import noughts
from noughts.players import Clock, make_player
from noughts.search import Limits, MonteCarloTreeSearch


def mcts(name, seed=1):
    return MonteCarloTreeSearch(noughts.load_game(name), seed, memory=4)


@pytest.mark.parametrize("name", SMALL)
def test_what_it_proves_is_true(name):
    game = noughts.load_game(name)
    solution = noughts.solve(game)
    proofs = 0
    for state in random_states(game, seed=7, games=3):
        if state.is_terminal():
            continue
        values = solution.action_values(state)
        for move in mcts(name).search(state, Limits(nodes=2000)):
            assert move.proof in (0, values[move.action])
            proofs += move.proof != 0
    assert proofs > 10


def test_a_winning_move_is_played_and_the_game_seen_as_won():
    state = noughts.load_game("classic").from_string("XX./OO./... p0")
    best = mcts("classic").search(state, Limits(nodes=50))[0]
    assert state.action_to_string(best.action) == "2"
    assert best.proof == 1


def test_in_wild_it_finds_the_centre():
    """The centre is the only winning opening of wild."""
    state = noughts.load_game("wild").new_initial_state()
    best = MonteCarloTreeSearch(state.game, 1, memory=64).search(state, Limits(nodes=2_000_000))[0]
    assert state.action_to_string(best.action)[-1] == "4"
    assert best.proof == 1


@pytest.mark.parametrize("name", NESTED)
def test_the_same_seed_grows_the_same_tree(name):
    state = noughts.load_game(name).new_initial_state()
    one, two, other = (mcts(name, seed).search(state, Limits(nodes=500)) for seed in (5, 5, 6))
    assert one == two
    assert one != other


def test_the_tree_is_kept_when_the_game_goes_on():
    game = noughts.load_game("ultimate")
    state, search = game.new_initial_state(), mcts("ultimate")
    first = search.search(state, Limits(nodes=20_000))[0]
    state.apply_action(first.action)
    before = sum(move.visits for move in search.known_moves(state))
    assert 0 <= first.visits - before <= 2  # a node has children from its second visit on
    after = sum(move.visits for move in search.search(state, Limits(nodes=5)))
    assert after == before + search.simulations


def test_another_game_or_another_past_starts_a_new_tree():
    game = noughts.load_game("ultimate")
    state, search = game.new_initial_state(), mcts("ultimate")
    search.search(state, Limits(nodes=100))
    elsewhere = game.new_initial_state()
    elsewhere.apply_action(0)
    elsewhere = game.from_string(elsewhere.to_string())
    assert search.known_moves(elsewhere) == []
    moves = search.search(elsewhere, Limits(nodes=100))
    assert sorted(move.action for move in moves) == elsewhere.legal_actions()
    assert sum(move.visits for move in moves) == 100


def test_a_full_memory_does_not_stop_the_simulations():
    game = noughts.load_game("extreme")
    small, large = (MonteCarloTreeSearch(game, 1, memory=megabytes) for megabytes in (1, 64))
    for search in (small, large):
        moves = search.search(game.new_initial_state(), Limits(nodes=20_000))
        assert search.simulations == 20_000
        assert len(moves) == 256
        assert sum(move.visits for move in moves) == 20_000
    assert 2 * 64 * small.nodes <= 1 << 20  # a node is 64 bytes, and half of the memory is for the next tree
    assert small.nodes < large.nodes


def test_a_re_rooted_tree_knows_what_it_knew_before():
    game = noughts.load_game("xtreme")
    state, search = game.new_initial_state(), mcts("xtreme")
    search.search(state, Limits(nodes=5000))
    child = max((state.child(move.action) for move in search.known_moves(state)), key=lambda one: count(search, one))

    def known(node, plies):
        moves = search.known_moves(node)
        return moves, [known(node.child(move.action), plies - 1) for move in moves[:10]] if plies else []

    before = known(child, 2)
    assert len(before[0]) > 5
    search.re_root(child)
    assert known(child, 2) == before
    assert search.known_moves(state) == []


def count(search, state):
    return sum(move.visits for move in search.known_moves(state))


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
        mcts("classic").search(over, Limits(nodes=10))
    with pytest.raises(ValueError, match="pass seconds or nodes"):
        mcts("classic").search(game.new_initial_state(), Limits())
    with pytest.raises(ValueError, match="1 megabyte or more"):
        MonteCarloTreeSearch(game, memory=0)
    with pytest.raises(ValueError, match="games must be 1 or more"):
        make_player("mcts?games=0")
