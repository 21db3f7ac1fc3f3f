"""Q-learning: the published algorithm to the last bit, exact yardsticks, the optimum, and unbeatable play."""

import math

import numpy as np
import pytest
from conftest import games_where

import noughts
from noughts.analysis import best_response, evaluate_policy
from noughts.learn import PRESETS, Training, TrainingSettings, make_table, preset
from noughts.learn.kernels import qlearning as q
from noughts.learn.settings import from_record
from noughts.learn.training import default_pairs, parse_pair
from noughts.rules.kernels.playout import streams
from noughts.solving import rewards_of, solve

NUMERICAL = noughts.load_game("numerical")


class Stream:
    """The random stream of the kernels, in plain numbers."""

    def __init__(self, seed):
        self.word = int(streams(seed, 1)[0])

    def next(self):
        self.word ^= self.word << 13 & (1 << 64) - 1
        self.word ^= self.word >> 7
        self.word ^= self.word << 17 & (1 << 64) - 1
        return self.word

    def index(self, n):
        return (self.next() >> 32) * n >> 32

    def move(self, state):
        """A random action as the kernels draw it: high bits for the cell, low bits for the mark."""
        word = self.next()
        actions = state.legal_actions()
        cells = sorted({action // state.game.rules.choices for action in actions})
        cell = cells[(word >> 32) * len(cells) >> 32]
        here = [action for action in actions if action // state.game.rules.choices == cell]
        return here[(word & 0xFFFFFFFF) * len(here) >> 32]


def learn_plainly(settings):
    """The published algorithm with a dictionary, on states: {position: values of its actions}."""
    rewards, stream, table = rewards_of(settings.rewards), Stream(settings.seed), {}

    def values(state):
        return table.setdefault(state.to_string(), [0.0] * len(state.legal_actions()))

    for episode in range(settings.episodes):
        epsilon = settings.epsilon_min + (settings.epsilon - settings.epsilon_min) * math.exp(
            -settings.epsilon_decay * episode
        )
        state = settings.game.new_initial_state()
        if settings.seat == 1:
            state.apply_action(stream.move(state))
        while not state.is_terminal():
            known = values(state)
            choice = known.index(max(known))
            if stream.next() >> 32 < int(epsilon * 2**32):
                choice = stream.index(len(known))
            state.apply_action(state.legal_actions()[choice])
            if not state.is_terminal():
                state.apply_action(stream.move(state))
            if state.is_terminal():
                target = rewards.at_end(round(state.returns()[settings.seat]))
            else:
                target = rewards.step + settings.gamma * max(values(state))
            known[choice] += settings.alpha * (target - known[choice])
    return table


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("numerical", {}),
        ("numerical", {"epsilon_decay": 0.01, "seed": 3, "rewards": "per_move", "seat": 1}),
        ("wild", {"epsilon_decay": 0.005, "gamma": 0.9, "alpha": 0.5}),
        ("misere", {"epsilon_decay": 0.005, "seat": 1}),
    ],
)
def test_the_compiled_learner_is_the_published_algorithm_to_the_last_bit(name, changes):
    settings = preset("published", noughts.load_game(name).rules, {"episodes": 700, **changes})
    table = make_table(settings)
    table.learn(settings.episodes)
    plain = learn_plainly(settings)
    assert table.counts[q.POSITIONS] == len(plain) > 100
    for position, values in plain.items():
        assert list(table.action_values(settings.game.from_string(position)).values()) == values


def test_the_published_values_are_the_defaults():
    settings = TrainingSettings(NUMERICAL.rules)
    assert (settings.alpha, settings.gamma, settings.episodes, settings.rewards) == (0.2, 0.8, 5_000_000, "published")
    assert settings.epsilon_at(0) == 1.0
    assert settings.epsilon_at(1_000_000) == pytest.approx(0.001 + 0.999 * math.exp(-1))
    assert default_pairs(NUMERICAL, (0,)) == NUMERICAL.data.published_pairs


def test_exact_values_of_the_published_pairs():
    exact = Training(TrainingSettings(NUMERICAL.rules)).exact_values()
    assert exact[2] == pytest.approx(6.8178, abs=5e-5)
    assert exact[3] == 10


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("symmetry", [False, True])
def test_what_greedy_play_comes_to_is_exact(seat, symmetry):
    """Beside it the slow way, which asks the learner in every position that it can meet."""
    game = noughts.load_game("wild")
    settings = TrainingSettings(
        game.rules, episodes=3000, seat=seat, symmetry=symmetry, rewards="per_move", epsilon_decay=1e-3
    )
    table = make_table(settings)
    table.learn(3000)

    def greedy(state):
        values = table.action_values(state)
        return max(values, key=values.get)

    (value,) = table.greedy_policy_values()
    slow = evaluate_policy(game, greedy, "random", seat=seat, rewards=rewards_of("per_move"), discount=0.8)
    for name in ("win", "draw", "loss", "expected_return"):
        assert getattr(value, name) == pytest.approx(getattr(slow, name), abs=1e-9)


def test_the_fast_preset_reaches_the_optimum_of_the_numerical_game():
    training = Training(preset("fast", NUMERICAL.rules, {"every": 1_000_000})).finish()
    (value,), (optimum,) = training.table.greedy_policy_values(), training.optima()
    assert training.settings.gamma == 1
    assert optimum == pytest.approx(best_response(NUMERICAL, rewards=rewards_of("published")).expected_return())
    assert abs(value.expected_return - optimum) < 0.001
    assert training.exact_values() == pytest.approx(training.tracked_values(), abs=0.3)


@pytest.mark.parametrize("name", games_where(lambda rules: not rules.nested and not rules.once))
def test_self_play_ends_unbeatable_from_both_seats(name):
    game = noughts.load_game(name)
    training = Training(preset("self", game.rules, {})).finish()
    value = solve(game).value(game.new_initial_state())
    assert [result.expected_return for result in training.table.greedy_policy_values()] == pytest.approx(
        [value, -value]
    )
    assert training.table.guaranteed_values() == (value, -value)
    assert training.tracked_values() == pytest.approx(training.exact_values())


def learn_in_parts(settings, *parts):
    table = make_table(settings)
    for part in parts:
        table.learn(part)
    return table.arrays()


@pytest.mark.parametrize("chosen", [{}, {"alpha_power": 0.7}, {"symmetry": True}, PRESETS["self"]])
def test_the_same_seed_gives_the_same_table_in_any_portions(chosen):
    rules = noughts.load_game("wild").rules
    settings = TrainingSettings(rules, **{**chosen, "episodes": 30_000})
    whole, parts = learn_in_parts(settings, 30_000), learn_in_parts(settings, 1, 12_345, 17_654)
    order = [np.argsort(arrays["codes"]) for arrays in (whole, parts)]
    for name in whole:
        if name in ("codes", "starts"):
            assert np.array_equal(whole[name][order[0]], parts[name][order[1]])
        else:
            assert np.array_equal(whole[name], parts[name])
    other = learn_in_parts(TrainingSettings(rules, **{**chosen, "episodes": 30_000, "seed": 1}), 30_000)
    assert not np.array_equal(whole["stream"], other["stream"])


def test_averaging_rates_give_the_average_of_what_was_seen():
    """With the power 1, the value of a move that ends the game at once is what it paid, and others are means."""
    game = noughts.load_game("classic")
    table = make_table(TrainingSettings(game.rules, alpha_power=1.0, gamma=1.0, epsilon_min=1.0, rewards="outcome"))
    table.learn(100_000)
    assert table.action_values(game.from_string("XX./OO./... p0"))[2] == 1.0
    # With discount 1 and play that is random to the end, the last choice but one averages over the replies.
    state = game.from_string("XOX/OX./O.. p0")
    exact = best_response(game).action_values(state)
    assert table.action_values(state) == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"alpha": 2}, "alpha must be from 0 to 1"),
        ({"gamma": 0}, "gamma must be above 0"),
        ({"epsilon": 0.1, "epsilon_min": 0.2}, "cannot be above"),
        ({"alpha_power": 3}, "alpha_power"),
        ({"epsilon_decay": float("nan")}, "epsilon_decay"),
        ({"episodes": 0}, "1 or more"),
        ({"seat": 2}, "seat must be 0"),
        ({"opponent": "human"}, "random, self"),
        ({"rewards": "gold"}, "outcome, published, per_move"),
        ({"opponent": "self", "symmetry": True}, "zero-sum"),
        ({"opponent": "self", "rewards": "outcome"}, "needs symmetry"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes, why):
    with pytest.raises(ValueError, match=why):
        TrainingSettings(NUMERICAL.rules, **changes)


def test_settings_survive_json():
    import json

    settings = preset("fast", NUMERICAL.rules, {"track": NUMERICAL.data.published_pairs[:1]})
    assert from_record(json.loads(json.dumps(settings.record()))) == settings
    with pytest.raises(ValueError, match="presets are published, fast, self"):
        preset("slow", NUMERICAL.rules, {})


def test_settings_make_their_game_once():
    settings = TrainingSettings(NUMERICAL.rules)
    assert settings.game is settings.game
    assert settings.game == NUMERICAL
    assert settings == TrainingSettings(NUMERICAL.rules)


def test_a_nested_game_is_too_large_to_learn_in_a_table():
    with pytest.raises(noughts.TooLarge, match="nested"):
        make_table(TrainingSettings(noughts.load_game("ultimate").rules))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("centre", "a position and a move"),
        ("x-3-x-x-x-x-x-x-x 2@0", "not the learner's turn"),
        ("x-3-x-x-x-6-x-x-x 3@0", "not legal"),
        ("x-3-x 3@0", "9 fields"),
    ],
)
def test_pairs_that_cannot_be_tracked_are_refused(text, why):
    with pytest.raises(ValueError, match=why):
        parse_pair(NUMERICAL, text, (0,))


def test_pairs_can_be_written_either_way():
    published = NUMERICAL.data.published_pairs[0]
    assert parse_pair(NUMERICAL, ".3./..6/... p0 1@0", (0,)) == parse_pair(NUMERICAL, published, (0,))


def test_openings_are_tracked_in_other_games():
    assert default_pairs(noughts.load_game("wild"), (0, 1)) == tuple(f".../.../... p0 X{n}" for n in (0, 1, 4))


def test_where_all_openings_are_worth_the_same_replies_are_tracked():
    replies = tuple(f"X../.../... p1 {n}" for n in (1, 2, 4))
    assert default_pairs(noughts.load_game("classic"), (0, 1)) == (".../.../... p0 0", *replies)


@pytest.mark.parametrize("symmetry", [False, True])
def test_a_game_that_the_opponents_first_move_can_end_teaches_nothing_and_breaks_nothing(symmetry):
    """Player 1 may place only the 1, each mark is placed once: the game is over when player 0 has taken it."""
    rules = noughts.Rules(
        name="greedy",
        title="Greedy",
        side=2,
        lines=((0, 1), (2, 3)),
        marks="12",
        places=("12", "1"),
        once=True,
        line_sum=3,
    )
    table = make_table(TrainingSettings(rules, episodes=2000, seat=1, symmetry=symmetry, rewards="outcome"))
    table.learn(2000)
    won, drawn, lost = table.counts[q.TALLY : q.TALLY + 3]
    assert won + drawn + lost == 2000
    assert drawn > 800
    (value,) = table.greedy_policy_values()
    assert value.win == pytest.approx(0.5)
