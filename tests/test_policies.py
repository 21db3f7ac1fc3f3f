"""Exact values against a random opponent, and exact values of policies."""

import random

import pytest
from conftest import SMALL, random_states
from slow_solver import SlowSolver

import noughts
from noughts.solving import PLAIN, PUBLISHED, PUBLISHED_EVERY_STEP, Rewards

# The state-action pairs that the published learner of numerical tracked: cells from the top left, (cell, number).
TRACKED = [("5-x-x-x-x-6-x-x-x", (4, 9), 6.8178), ("x-5-x-2-x-x-4-7-x", (0, 9), 10.0)]


def state_of(text):
    """A state of numerical in the notation of the published learner."""
    cells = text.replace("x", ".").split("-")
    rows = ["".join(cells[i : i + 3]) for i in (0, 3, 6)]
    return noughts.load_game("numerical").from_string("/".join(rows) + " p0")


def chances(value):
    return pytest.approx((value.win, value.draw, value.loss))


# Against a random opponent.


@pytest.mark.parametrize(("text", "pair", "exact"), TRACKED)
def test_the_published_pairs_have_their_exact_values(text, pair, exact):
    game = noughts.load_game("numerical")
    values = noughts.best_response(game, "random", 0, rewards=PUBLISHED, discount=0.8).action_values(state_of(text))
    cell, number = pair
    assert values[cell * 9 + number - 1] == pytest.approx(exact, abs=5e-5)


def test_charging_the_last_move_takes_one_off_a_win_at_once():
    game = noughts.load_game("numerical")
    best = noughts.best_response(game, rewards=PUBLISHED_EVERY_STEP, discount=0.8)
    values = best.action_values(state_of(TRACKED[1][0]))
    assert values[8] == 9


@pytest.mark.parametrize(
    ("name", "discount", "player"),
    [("classic", 1.0, 0), ("classic", 1.0, 1), ("misere", 0.7, 0), ("misere", 0.7, 1), ("wild", 0.9, 1)],
)
def test_expectimax_agrees_with_plain_recursion(name, player, discount):
    game = noughts.load_game(name)
    rewards = {"win": 3.0, "draw": 0.5, "loss": -2.0, "step": -0.25}
    exact = noughts.best_response(game, "random", player, rewards=Rewards(**rewards), discount=discount)
    slow, seen = SlowSolver(game.rules), {}
    firsts = [slow.start] if player == 0 else [cells for _, cells in slow.moves(slow.start)]
    values = [slow.agent_value(cells, player, rewards, discount, seen) for cells in firsts]
    assert exact.expected_return() == pytest.approx(sum(values) / len(values))
    for cells in random.Random(3).sample(sorted(seen, key=str), 300):
        state = game.from_string(slow.text(cells))
        assert exact.value(state) == pytest.approx(seen[cells])
        assert max(exact.action_values(state).values()) == pytest.approx(seen[cells])


@pytest.mark.parametrize("name", SMALL)
def test_the_best_answer_to_random_play_is_worth_what_expectimax_says(name):
    """Two ways: backwards over the graph, and forwards over the positions that the policy meets."""
    game = noughts.load_game(name)
    for player in (0, 1):
        exact = noughts.best_response(game, "random", player, rewards=PUBLISHED_EVERY_STEP, discount=0.9)
        value = noughts.evaluate_policy(
            game, lambda state, exact=exact: exact.best_actions(state)[0],
            seat=player, rewards=PUBLISHED_EVERY_STEP, discount=0.9,
        )  # fmt: skip
        assert value.expected_return == pytest.approx(exact.expected_return())
        assert value.win + value.draw + value.loss == pytest.approx(1)


def test_against_random_play_no_policy_beats_the_best_answer():
    for name in SMALL:
        game = noughts.load_game(name)
        for player in (0, 1):
            best = noughts.best_response(game, "random", player).expected_return()
            assert noughts.evaluate_policy(game, "perfect", seat=player).expected_return <= best + 1e-12


def test_at_the_end_nothing_more_is_paid():
    game = noughts.load_game("classic")
    exact = noughts.best_response(game)
    over = game.from_string("XXX/OO./... end")
    assert exact.value(over) == 0
    assert exact.action_values(over) == {}
    assert exact.best_actions(over) == []


def test_what_makes_no_sense_is_refused():
    game = noughts.load_game("classic")
    with pytest.raises(ValueError, match="discount must be above 0 and at most 1"):
        noughts.best_response(game, "random", 0, rewards=PLAIN, discount=0.0)
    with pytest.raises(ValueError, match=r"seat is 2; it must be 0 \(moves first\) or 1"):
        noughts.best_response(game, "random", 2)
    with pytest.raises(ValueError, match="reward for a win must be a finite number"):
        Rewards(win=float("nan"))
    with pytest.raises(ValueError, match="the agent is player 1, but player 0 is to move"):
        noughts.best_response(game, "random", 1).action_values(game.new_initial_state())


# Policies.


@pytest.mark.parametrize("name", ["classic", "wild-misere"])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("opponent", ["random", "perfect"])
def test_a_named_policy_and_the_same_as_a_function_come_to_the_same(name, player, opponent):
    game = noughts.load_game(name)
    solution = noughts.solve(game)

    def perfect(state):
        actions = solution.preferred_actions(state)
        return dict.fromkeys(actions, 1 / len(actions))

    named = noughts.evaluate_policy(game, "perfect", opponent, seat=player, rewards=PUBLISHED, discount=0.8)
    function = noughts.evaluate_policy(game, perfect, opponent, seat=player, rewards=PUBLISHED, discount=0.8)
    assert (named.win, named.draw, named.loss) == chances(function)
    assert named.expected_return == pytest.approx(function.expected_return)


@pytest.mark.parametrize("name", SMALL)
def test_random_against_random_is_what_many_random_games_come_to(name):
    game = noughts.load_game(name)
    exact = noughts.evaluate_policy(game, "random", "random")
    games = 200_000
    sampled = noughts.playouts(game, games, seed=1)
    # Four standard deviations of a share are at most 4 * 0.5 / sqrt(games).
    for chance, count in ((exact.win, sampled.wins[0]), (exact.loss, sampled.wins[1]), (exact.draw, sampled.draws)):
        assert chance == pytest.approx(count / games, abs=0.0045)


@pytest.mark.parametrize("name", SMALL)
def test_perfect_play_against_itself_has_the_value_of_the_game(name):
    game = noughts.load_game(name)
    value = noughts.solve(game).value(game.new_initial_state())
    both = noughts.evaluate_policy(game, "perfect", "perfect")
    assert both.expected_return == pytest.approx(value)
    assert (both.win, both.draw, both.loss) == pytest.approx((float(value == 1), float(value == 0), float(value == -1)))


def test_what_one_seat_wins_the_other_loses():
    game = noughts.load_game("numerical")
    first = noughts.evaluate_policy(game, "perfect", "random", seat=0)
    second = noughts.evaluate_policy(game, "random", "perfect", seat=1)
    assert (first.win, first.draw, first.loss) == pytest.approx((second.loss, second.draw, second.win))


def test_the_first_legal_move_every_time_can_be_evaluated():
    """By hand: X takes 0, 1, 2 in turn unless O, who plays the same way, takes one; so 0 1 2 3 4 5 6 wins for X."""
    game = noughts.load_game("classic")
    first = lambda state: state.legal_actions()[0]  # noqa: E731
    assert noughts.evaluate_policy(game, first, first).win == 1


def test_policies_that_break_the_rules_are_refused():
    game = noughts.load_game("classic")
    refused = [
        (lambda _: 4, r"chose action 4 in .*, which is not legal there"),
        (lambda state: {state.legal_actions()[0]: 0.5}, "sum to 0.5, not to 1"),
        (lambda state: dict(zip(state.legal_actions(), (1.5, -0.5), strict=False)), "the chance -0.5"),
        (lambda _: None, "chose action None"),
        ("gready", "there is no player 'gready'; did you mean greedy"),
    ]
    for policy, said in refused:
        with pytest.raises(ValueError, match=said):
            noughts.evaluate_policy(game, policy)


def test_a_policy_is_asked_only_where_it_is_to_move_and_once_for_each_position():
    game = noughts.load_game("wild")
    asked = []

    def policy(state):
        assert state.current_player() == 1
        asked.append(state.to_string())
        return state.legal_actions()[-1]

    noughts.evaluate_policy(game, policy, seat=1)
    assert len(asked) == len(set(asked)) > 18


def test_values_are_the_same_for_symmetric_states():
    game = noughts.load_game("numerical")
    exact = noughts.best_response(game, "random", 0, rewards=PUBLISHED, discount=0.8)
    for state in random_states(game, seed=2):
        if state.current_player() == 0:
            assert len({exact.value(state.transformed(symmetry)) for symmetry in game.symmetries()[::5]}) == 1


def test_a_best_response_to_a_function_is_that_to_the_policy_it_follows():
    """The positions that a function meets are followed one by one, and a named policy on the graph: the same values."""
    game = noughts.load_game("classic")

    def uniform(state):
        return dict.fromkeys(actions := state.legal_actions(), 1 / len(actions))

    for seat in (0, 1):
        named = noughts.best_response(game, "random", seat, rewards=PUBLISHED, discount=0.8)
        function = noughts.best_response(game, uniform, seat, rewards=PUBLISHED, discount=0.8)
        assert function.expected_return() == pytest.approx(named.expected_return())
        state = game.from_string("X../.O./... p0") if seat == 0 else game.from_string("X../.../... p1")
        assert function.action_values(state) == pytest.approx(named.action_values(state))
        assert function.best_actions(state) == named.best_actions(state)


@pytest.mark.parametrize("game", ["classic", "misere", "wild"])
def test_only_perfect_play_cannot_be_exploited(game):
    assert noughts.exploitability(game, "perfect") == 0
    first = noughts.exploitability(game, lambda state: state.legal_actions()[0])
    assert 0 < first <= 1
    assert noughts.exploitability(game, "greedy") >= 0


def test_the_best_response_is_a_player_and_gets_what_it_says():
    """From each seat, against a player object that is far from perfect."""

    class First:
        def choose(self, state, clock):
            return state.legal_actions()[0]

    for seat in (0, 1):
        best = noughts.best_response("wild", First(), seat)
        value = noughts.evaluate_policy("wild", best, First(), seat)
        assert value.expected_return == pytest.approx(best.expected_return())
        assert value.win == 1


def test_a_player_is_evaluated_like_the_policy_it_follows():
    for against in ("random", "greedy", "perfect", "alphabeta:depth=2"):
        value = noughts.evaluate_policy("classic", "perfect", against)
        assert value.loss == 0
        assert value.win + value.draw == pytest.approx(1)
