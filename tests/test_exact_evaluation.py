"""`noughts evaluate q:RUN`: exact numbers, where every choice of both players is known."""

import json

import pytest

import noughts
from noughts.analysis import best_response, evaluate_policy
from noughts.analysis.exact import evaluate_seats
from noughts.cli import main
from noughts.learn import Training, TrainingSettings, preset
from noughts.matches import read_run
from noughts.solving import PLAIN, PUBLISHED


def train(folder, settings):
    folder.mkdir()
    training = Training(settings).finish()
    training.save(folder)
    return training


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    classic = noughts.load_game("classic").rules
    return {
        "self": (folder / "self", train(folder / "self", preset("self", classic, {}))),
        "first": (folder / "first", train(folder / "first", TrainingSettings(classic, episodes=20_000))),
    }


def test_a_run_is_evaluated_exactly_in_the_game_it_learnt(runs, capsys):
    folder, _ = runs["self"]
    assert main(["evaluate", f"q:{folder}", "--against", "perfect"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[-4].split()[:5] == ["player", "0", "0.0000", "100.0000", "0.0000"]
    assert "Exact: over all possible games" in shown


def test_it_says_what_training_said(runs):
    folder, training = runs["first"]
    exact = evaluate_seats(f"q:{folder}", "random")
    (seat,) = exact.seats
    (value,) = training.table.greedy_policy_values()
    assert seat.value.expected_return == pytest.approx(value.expected_return)
    assert seat.value.win == pytest.approx(value.win)
    assert seat.optimum == pytest.approx(training.optima()[0])
    assert seat.value.expected_return <= seat.optimum


def test_two_runs_can_meet_if_they_learnt_different_seats(runs):
    exact = evaluate_seats(f"q:{runs['first'][0]}", f"q:{runs['self'][0]}")
    (seat,) = exact.seats
    assert seat.seat == 0
    assert seat.value.win == 0
    with pytest.raises(ValueError, match="were trained in the same seat"):
        evaluate_seats(f"q:{runs['first'][0]}", f"q:{runs['first'][0]}")


def test_random_and_perfect_too_if_asked(capsys):
    game = noughts.load_game("classic")
    assert main(["evaluate", "random", "--against", "perfect", "--game", "classic", "--exact", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    for seat in record["seats"]:
        value = evaluate_policy(game, "random", "perfect", seat=seat["seat"])
        assert seat["win"] == pytest.approx(value.win)
        assert seat["draw"] == pytest.approx(value.draw)
        assert seat["optimum"] == 0


def test_a_number_of_games_plays_a_sample(runs, tmp_path, capsys):
    command = ["evaluate", f"q:{runs['self'][0]}", "--against", "random", "--games", "6", "--out", str(tmp_path / "e")]
    assert main(command) == 0
    assert (tmp_path / "e" / "transcript.jsonl").exists()


def test_a_game_of_ones_own_is_played_by_the_rules_in_the_model(tmp_path, capsys):
    """No file of rules is at hand any more, and no game has that name."""
    rules = noughts.Rules(name="corners", title="Corners", side=3, lines=((0, 2), (6, 8), (0, 6), (2, 8)))
    train(tmp_path / "run", preset("self", rules, {"episodes": 20_000}))
    command = ["evaluate", f"q:{tmp_path / 'run'}", "--against", "random"]
    assert main(command) == 0
    assert "Corners" in capsys.readouterr().out
    assert main([*command, "--games", "4", "--out", str(tmp_path / "e")]) == 0
    run = read_run(tmp_path / "e" / "transcript.jsonl")
    plan, games = run.plan, run.records()
    assert plan["rules"]["title"] == "Corners"
    assert len(games) == 4
    other = noughts.Rules(name="corners", title="Corners", side=3, lines=((0, 2), (6, 8)))
    train(tmp_path / "other", preset("self", other, {"episodes": 1000}))
    command[1] = f"q:{tmp_path / 'other'}"
    assert main([*command, "--games", "6", "--out", str(tmp_path / "e")]) == 2
    assert "contains an evaluation with" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["q:nowhere"], "there is no model"),
        (["random", "--exact", "--games", "3"], "leave out --games"),
        (["llm:some", "--exact"], "random, greedy, perfect, q:RUN or deterministic players"),
        (["random", "--exact", "--game", "extreme"], "nested"),
        (["q:RUN", "--game", "wild"], "cannot play wild"),
    ],
)
def test_mistakes_get_a_sentence(runs, args, why, capsys):
    args = [arg.replace("RUN", str(runs["self"][0])) for arg in args]
    assert main(["evaluate", *args]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("seat", [0, 1])
def test_the_best_return_against_perfect_play_is_known_for_any_rewards(seat):
    """A best response cannot do worse than perfect play itself, which is one of the policies."""
    game = noughts.load_game("wild")
    for rewards, discount in ((PLAIN, 1.0), (PUBLISHED, 0.8)):
        best = best_response(game, "perfect", seat, rewards=rewards, discount=discount).expected_return()
        perfect = noughts.evaluate_policy(
            game, "perfect", "perfect", seat=seat, rewards=rewards, discount=discount
        ).expected_return
        assert best >= perfect - 1e-9
    assert best_response(game, "perfect", seat).expected_return() == 1 - 2 * seat
