"""Evaluation: what is counted and how surely, how moves are graded, and that nothing is lost when it stops."""

import json
import threading

import pytest
from chat_server import always, scripted, serving
from evaluating import evaluate, model

import noughts
from noughts.analysis.grading import Grade, grades, replay
from noughts.evaluation.plan import Plan
from noughts.evaluation.report import report
from noughts.evaluation.results import chat_examples, judge
from noughts.evaluation.transcript import Played, read_games
from noughts.matches.statistics import mean, rate
from noughts.text.env import TextEnv

WILD = noughts.load_game("wild")


def played(moves, seat=0, **end):
    """A game of wild as the transcript would tell it."""
    turns = [
        {"player": ply % 2, "valid": True, "reason": None, "action": WILD.new_initial_state().string_to_action(move)}
        for ply, move in enumerate(moves)
    ]
    return Played(seat, {}, turns, {"offender": None, "fault": None, "rewards": [0, 0]} | end)


# Counting.


def test_wilsons_interval_agrees_with_published_figures():
    half = rate(5, 10)
    assert (round(half.low, 4), round(half.high, 4)) == (0.2366, 0.7634)
    none = rate(0, 10)
    assert (none.low, round(none.high, 4)) == (0.0, 0.2775)
    assert rate(0, 0).value is None


def test_a_mean_is_as_sure_as_its_standard_error():
    found = mean(10.0, 30.0, 5)
    assert found.value == 2.0
    assert found.high - found.value == pytest.approx(1.959964 * (2.5 / 5) ** 0.5)


def test_both_seats_are_played_and_every_game_is_counted_once(tmp_path):
    plan = Plan("wild", "random", "perfect", games=21)
    _, games = evaluate(tmp_path, plan)
    results = judge(plan, WILD, games)
    assert [tally.games for tally in results.by_seat] == [11, 10]
    overall = results.overall
    assert overall.won + overall.drawn + overall.lost == overall.games == 21
    assert overall.lost > 15
    assert {turn["by"] for turn in games[0].turns[::2]} == {"random"}
    assert {turn["by"] for turn in games[1].turns[::2]} == {"perfect"}


def test_a_seed_gives_the_same_games_whatever_the_order(tmp_path):
    plans = [Plan("numerical", "random", "random", games=6, seed=seed) for seed in (1, 1, 2)]
    runs = []
    for number, plan in enumerate(plans):
        _, games = evaluate(tmp_path / str(number), plan, concurrency=number * 3 + 1)
        runs.append([[turn["move"] for turn in game.turns] for game in games])
    assert runs[0] == runs[1] != runs[2]


def test_a_nested_game_counts_by_its_points_and_is_not_graded(tmp_path):
    plan = Plan("extreme", "random", "random", games=4)
    _, games = evaluate(tmp_path, plan)
    results = judge(plan, noughts.load_game("extreme"), games)
    assert results.overall.games == 4
    assert results.grades is None
    assert results.not_graded.startswith("Moves of extreme are not graded: ")


# Grading.


def test_perfect_play_gives_nothing_away(tmp_path):
    for game in ("wild", "classic"):
        plan = Plan(game, "perfect", "random", games=10)
        _, games = evaluate(tmp_path / game, plan)
        results = judge(plan, noughts.load_game(game), games)
        assert results.grades.given_away.value == 0
        assert results.grades.perfect.value == 1
        assert results.grades.blunders == []
        assert results.overall.lost == 0


def test_an_opening_off_the_centre_gives_away_the_win_of_wild():
    solution = noughts.solve(WILD)
    corner, centre = (next(grades(WILD, solution, played([move, "O1"]), seat=0)) for move in ("X0", "X4"))
    assert (corner.best, corner.value, corner.lost) == (1, 0, 1)
    assert {WILD.new_initial_state().action_to_string(a) for a in corner.better} == {"X4", "O4"}
    assert centre.lost == 0


def test_the_costliest_moves_come_first_and_once_for_all_symmetries():
    games = [played([corner, "O1"], seat=0) for corner in ("X0", "O8", "X2")]
    for number, game in enumerate(games):
        game.number = 2 * number
    results = judge(Plan("wild", "a", "b", games=6), WILD, games)
    assert len(results.grades.blunders) == 1
    assert results.grades.blunders[0].game == 0
    text = report(results, WILD, lambda *_: "TABLE", lambda state, labels: f"{state.to_string()} {labels}")
    assert "Game 0, move 1, player 0: X0 turned a won game into a drawn one. Better: X4, O4." in text
    assert ".../.../... p0 {4: 'XO!', 0: 'X?'}" in text


def test_a_move_that_cannot_go_wrong_is_no_choice():
    grade = next(grades(WILD, noughts.solve(WILD), played(["X0"]), seat=0))
    assert isinstance(grade, Grade)
    assert grade.chosen
    last = ["X0", "O1", "X2", "O4", "X3", "O5", "X7", "O6", "X8"]
    *_, end = grades(WILD, noughts.solve(WILD), played(last), seat=0)
    assert not end.chosen or end.lost >= 0


def test_a_transcript_of_another_game_is_refused():
    broken = played(["X4", "O4"])
    with pytest.raises(ValueError, match="is not legal"):
        list(replay(WILD, broken))


# Models.


def test_invalid_replies_are_no_wins_and_no_losses(tmp_path):
    with serving(always({"say": "I resign"})) as server:
        plan = Plan("wild", "random", model(server), games=4)
        _, games = evaluate(tmp_path / "given", plan)
        results = judge(plan, WILD, games)
        assert (results.overall.won, results.overall.lost) == (0, 0)
        assert results.overall.given == {"no_move": 4}
        plan = Plan("wild", model(server), "random", games=4, error_allowance=1)
        _, games = evaluate(tmp_path / "forfeited", plan)
    results = judge(plan, WILD, games)
    assert (results.overall.won, results.overall.lost) == (0, 0)
    assert results.overall.forfeited == {"no_move": 4}
    assert results.replies.invalid == {"no_move": 8}
    assert results.replies.count == 8
    assert results.replies.completion_tokens == 56


def test_a_late_reply_forfeits_by_time(tmp_path):
    with serving(always({"hang": True})) as server:
        plan = Plan("wild", model(server, seconds=0.2), "random", games=1)
        _, games = evaluate(tmp_path, plan)
    assert games[0].end == {
        "kind": "end",
        "game": 0,
        "ended_by": "time",
        "winner": None,
        "offender": 0,
        "fault": "time",
        "rewards": [-1, 0],
    }


def test_many_games_are_played_at_once(tmp_path):
    together = threading.Barrier(4, timeout=30)

    def script(number, _question):
        if number < 4:
            together.wait()
        return {}

    with serving(script) as server:
        plan = Plan("wild", model(server), "random", games=8)
        _, games = evaluate(tmp_path, plan, concurrency=4)
    assert len(games) == 8
    assert not together.broken


def test_the_transcript_says_everything_and_can_be_replayed(tmp_path):
    with serving(scripted({"say": "hm\ud800 ☃ [O 0]"}, {"say": "nothing"})) as server:
        plan = Plan("wild", model(server), "random", games=3, error_allowance=1)
        evaluate(tmp_path, plan, concurrency=1)
    for game in read_games(tmp_path / "transcript.jsonl"):
        options = dict(game.start["env"])
        env = TextEnv(noughts.load_game(options.pop("game")), **options)
        env.reset()
        for turn in game.turns:
            player, observation = env.get_observation()
            assert player == turn["player"]
            if turn["by"] == "llm:m":
                assert turn["messages"][-1] == {"role": "user", "content": observation}
                assert turn["seconds"] >= 0
                assert (turn["prompt_tokens"], turn["completion_tokens"], turn["finish"]) == (100, 7, "stop")
            _, info = env.step(turn["reply"])
            assert {key: turn[key] for key in ("valid", "reason", "action", "move")}.items() <= info.items()
        assert [env.close()[0][0], env.close()[0][1]] == game.end["rewards"]


def test_good_replies_become_examples_for_fine_tuning(tmp_path):
    with serving(scripted({"say": "the centre: [X 4]"})) as server:
        plan = Plan("wild", model(server), "random", games=2, seed=3)
        _, games = evaluate(tmp_path, plan, concurrency=1)
    examples = [json.loads(line) for line in chat_examples(plan, WILD, games)]
    assert examples[0]["messages"][-1] == {"role": "assistant", "content": "the centre: [X 4]"}
    assert [message["role"] for message in examples[0]["messages"]] == ["system", "user", "assistant"]
    perfect = judge(plan, WILD, games).grades.perfect
    assert len(examples) == round(perfect.value * perfect.n)


def test_a_server_in_trouble_leaves_games_for_later(tmp_path):
    with serving(scripted(*[{"status": 503}] * 2)) as server:
        plan = Plan("wild", model(server, retries=1), "random", games=3)
        evaluation, games = evaluate(tmp_path, plan, concurrency=1)
        assert (evaluation.unanswered, len(games)) == (1, 2)
        assert "HTTP 503" in evaluation.trouble
        evaluation, games = evaluate(tmp_path, plan, concurrency=1)
        assert (evaluation.unanswered, len(games)) == (0, 3)


def test_a_server_that_is_down_is_not_asked_for_every_game(tmp_path):
    with serving(always({"status": 503})) as server:
        evaluation, games = evaluate(
            tmp_path, Plan("wild", model(server, retries=0), "random", games=100), concurrency=1
        )
        assert games == []
        assert len(server.requests) == evaluation.unanswered == 5
