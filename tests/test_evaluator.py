"""The evaluator: one scale for every position of every game, and plain numbers that JSON takes."""

import json
import random
from dataclasses import asdict
from pathlib import Path

import pytest
from conftest import EVERY_GAME, NESTED, SMALL, load

import noughts
from noughts import board
from noughts.analysis import Evaluation, evaluator_for, review
from noughts.analysis.evaluator import NODES, Evaluator, evaluations_of
from noughts.analysis.mistakes import to_data
from noughts.commands import evaluate
from noughts.envs.episode import GRADE_NODES
from noughts.envs.text import Episode
from noughts.matches.record import GameRecord
from noughts.search import Engine, Limits, MonteCarloTreeSearch
from noughts.web._analysis import searched_lines


def random_game(name, seed=1):
    """Every position of a random game, and its moves."""
    state, draw, states = load(name).new_initial_state(), random.Random(seed), []
    while not state.is_terminal():
        states.append(state.clone())
        state.apply_action(draw.choice(state.legal_actions()))
    return [*states, state]


def record_of(states):
    record = GameRecord(states[0].game, ("ann", "bob"), moves=states[-1].history())
    record.seconds = [0.0] * len(record.moves)
    record.end_by_rules(states[-1])
    return record


def dumped(*values):
    """JSON takes only plain numbers: a NumPy scalar in any value raises. Sets are lists there."""
    return json.dumps(values, allow_nan=False, default=as_list)


def as_list(value):
    if not isinstance(value, frozenset):
        raise TypeError(f"{type(value)} is not plain: {value!r}")
    return sorted(value)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_public_value_of_every_position_is_json(name):
    states, game = random_game(name), load(name)
    evaluator, engine = evaluator_for(game, 100), Engine(game, memory=1)
    tree = MonteCarloTreeSearch(game, 1, memory=1)
    for number, state in enumerate(states):
        outcome = state.outcome()
        dumped(state.current_player(), state.legal_actions(), state.returns(), state.history(), state.to_string())
        dumped(outcome and asdict(outcome), board.view(state), asdict(state.view()))
        dumped(asdict(evaluator.evaluate(state)))
        if state.is_terminal() or (game.rules.nested and number % 7 and number < len(states) - 12):
            continue  # every position of the ending, where searches become exact, and some before it
        dumped({action: asdict(found) for action, found in evaluator.evaluate_moves(state, most=3).items()})
        info = engine.search(state, Limits(nodes=200), multi_pv=2)
        dumped(asdict(info), [[one.proven, one.distance, one.expected] for one in info.variations])
        dumped({action: asdict(found) for action, found in evaluations_of(state, info).items()})
        dumped(searched_lines(state, info, done=True), engine.evaluate(state), engine.nodes)
        dumped([asdict(move) for move in tree.search(state, Limits(nodes=20))], tree.nodes, tree.simulations)
        if evaluator.solution is not None:
            solution = evaluator.solution
            dumped([asdict(move) for move in solution.rated_moves(state)], solution.action_values(state))
            dumped(solution.best_actions(state), solution.preferred_actions(state), solution.result(state))
    record = record_of(states)
    found = review(record, evaluator=evaluator)
    dumped(to_data(found), asdict(found), [asdict(choice) for choice in found.choices(record)])


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_step_of_an_episode_is_json(name):
    episode, draw = Episode(load(name), seed=2, grade_nodes=20), random.Random(2)
    episode.reset()
    while not episode.done:
        *_, step = episode.step("no move" if draw.random() < 0.05 else draw.choice(episode.legal_moves()))
        dumped(step.as_data(), episode.reward("per-move"), episode.total_reward())
    dumped(episode.summary(), episode.reward(), episode.outcome())


@pytest.mark.parametrize("name", SMALL)
def test_small_games_are_evaluated_as_they_are_solved_and_lines_lead_to_the_result(name):
    evaluator, solution = evaluator_for(noughts.load_game(name)), noughts.solve(noughts.load_game(name))
    for state in random_game(name, 5)[:-1]:
        player, found = state.current_player(), evaluator.evaluate(state)
        assert (found.value, found.distance) == (solution.value(state), solution.distance(state))
        assert found.exact
        assert found.player == player
        moves = evaluator.evaluate_moves(state)
        assert {action: each.value for action, each in moves.items()} == solution.action_values(state)
        assert next(iter(moves.values())) == found
        for action, each in moves.items():
            assert each == evaluator.evaluate_move(state, action)
            end = state.clone()
            for move in each.line:
                end.apply_action(move)
            assert end.returns()[player] == each.value
            assert len(each.line) == each.distance


@pytest.mark.parametrize("name", NESTED)
def test_the_end_of_a_nested_game_is_on_the_scale_of_what_came_before(name):
    """A forced last move changes nothing, the best move of an exact position costs nothing, and moves that end on the
    same points are worth the same: more points have won, by however many.
    """
    evaluator, forced, alike = evaluator_for(noughts.load_game(name), 20_000), 0, 0
    for seed in range(6):
        states = random_game(name, seed)
        for state in states[-6:-1]:
            player, found = state.current_player(), evaluator.evaluate(state)
            moves = evaluator.evaluate_moves(state)
            ends = {action: state.child(action) for action in moves}
            for action, end in ends.items():
                if end.is_terminal():
                    margin = end.returns()[player]
                    assert moves[action].value == (margin > 0) - (margin < 0)
                    alike += 1
            if found.exact:
                assert found.value in (-1, 0, 1)
                assert found.value == max(each.value for each in moves.values() if each.exact)
            if len(moves) == 1:
                forced += 1
                (only,) = moves.values()
                if only.exact:
                    assert found.value == only.value
    assert alike
    if name == "ultimate":
        assert forced


def test_a_finished_game_is_worth_its_result_however_small_the_margin():
    margins = set()
    for seed in range(12):
        end = random_game("extreme", seed)[-1]
        margin, found = end.returns()[0], evaluator_for(end.game).evaluate(end)
        margins.add(abs(margin))
        assert found == Evaluation((margin > 0) - (margin < 0), True, 0, ())
        assert found.pov(1).value == -found.value
        assert found.pov(1).pov(0) == found
    assert any(0 < margin < 0.5 for margin in margins), "some end without a line"


def test_an_answer_depends_on_the_position_and_the_budget_alone():
    states = random_game("ultimate")
    evaluator = evaluator_for(states[0].game, 1000)
    first = evaluator.evaluate(states[10])
    evaluator.evaluate(states[20])
    assert evaluator.evaluate(states[10]) == first == Evaluator(states[0].game, 1000).evaluate(states[10])
    assert evaluator.evaluate(states[10], nodes=50_000) == Evaluator(states[0].game, 50_000).evaluate(states[10])


def test_the_budget_is_for_each_position(monkeypatch):
    spent = []
    search = Engine.search

    def counted(self, state, limits, **more):
        spent.append(limits.nodes)
        return search(self, state, limits, **more)

    monkeypatch.setattr(Engine, "search", counted)
    states = random_game("ultimate")
    evaluator = evaluator_for(states[0].game, 300)
    evaluator.evaluate(states[3])
    assert spent == [300]
    spent.clear()
    evaluator.evaluate_moves(states[3])
    assert spent == [300] * len(states[3].legal_actions())
    spent.clear()
    review(record_of(states), 300)
    assert spent.count(300) == len(states) - 1
    assert set(spent) <= {300, 3000, 9000, 30_000}, "and more only for what is checked"


def test_commands_name_the_default_budget_of_the_evaluator():
    assert evaluate.NODES == GRADE_NODES == NODES
    for command in ("replay", "report"):
        assert f"(default: {NODES})" in (Path(evaluate.__file__).parent / f"{command}.py").read_text()


def test_words_and_labels_are_those_of_the_field():
    said = [
        (Evaluation(1.0, True, 3, ()), "wins in 3", "W3"),
        (Evaluation(-1.0, True, None, ()), "loses", "L"),
        (Evaluation(0.0, True, 2, ()), "draws", "D"),
        (Evaluation(0.344, False, None, ()), "+0.34", "+.34"),
        (Evaluation(-1.0, False, None, ()), "-1.00", "-1.00"),
    ]
    for found, words, label in said:
        assert (found.words, found.label) == (words, label)
