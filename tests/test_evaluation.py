"""Evaluation: what is counted and how surely, how moves are graded, and that nothing is lost when it stops."""

import json
import random
import threading

import pytest
from chat_server import always, scripted, serving
from evaluating import evaluate, model

import noughts
from noughts.analysis import review
from noughts.commands._evaluation_view import evaluation_text
from noughts.evaluation.plan import Plan
from noughts.evaluation.report import blunder_marks
from noughts.evaluation.results import chat_examples, fault_reason, grade
from noughts.evaluation.tokens import estimate
from noughts.matches.record import GameRecord
from noughts.matches.runner import TextOptions
from noughts.matches.statistics import binomial_rate, clustered_mean, clustered_rate
from noughts.matches.store import read_run
from noughts.matches.usage import Usage
from noughts.players.text_seat import Exchange
from noughts.text.env import TextEnv

WILD = noughts.load_game("wild")


def played(moves, number=0):
    """A game of wild with these moves, which need not be all of it."""
    start = WILD.new_initial_state()
    record = GameRecord(WILD, ("random", "perfect"), number=number)
    record.moves = [start.string_to_action(move) for move in moves]
    record.seconds = [0.0] * len(moves)
    return record


# Counting.


def test_wilsons_interval_agrees_with_published_figures():
    half = binomial_rate(5, 10)
    assert (round(half.low, 4), round(half.high, 4)) == (0.2366, 0.7634)
    none = binomial_rate(0, 10)
    assert (none.low, round(none.high, 4)) == (0.0, 0.2775)
    assert binomial_rate(0, 0).value is None


def test_a_mean_is_as_sure_as_its_standard_error():
    found = clustered_mean(enumerate([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert found.value == 2.0
    assert found.high - found.value == pytest.approx(1.959964 * (2.5 / 5) ** 0.5)


def test_what_repeats_is_no_new_evidence():
    values = [True, False, True, True, False, True, False, True]
    once = clustered_rate(enumerate(values))
    four_times = clustered_rate((cluster, value) for cluster, value in enumerate(values) for _ in range(4))
    assert four_times.n == 4 * once.n
    assert (four_times.low, four_times.high) == pytest.approx((once.low, once.high), abs=0.03)
    apart = clustered_rate(enumerate(values * 4))
    assert apart.high - apart.low < 0.7 * (four_times.high - four_times.low)
    never = clustered_rate((cluster % 5, False) for cluster in range(40))
    assert never.high == pytest.approx(binomial_rate(0, 5).high)
    assert clustered_rate([]).value is None
    assert clustered_mean([("one", 1.0), ("one", 2.0)]).value == 1.5


def test_intervals_by_cluster_hold_the_truth_as_often_as_they_say():
    draw, missed = random.Random(4), 0
    for _ in range(400):
        truths = [draw.choice((0.1, 0.9)) for _ in range(20)]
        found = clustered_rate((c, draw.random() < chance) for c, chance in enumerate(truths) for _ in range(4))
        missed += not found.low <= 0.5 <= found.high
    assert missed < 0.09 * 400  # if every observation counted, it would be 0.27


def test_a_model_gets_openings_and_the_report_says_how_many_games_differ(tmp_path):
    with serving() as server:
        plan = Plan("classic", model(server), "perfect", games=8, seed=1)
        _, games = evaluate(tmp_path / "openings", plan)
        plain = Plan("classic", model(server), "perfect", games=8, seed=1, opening=0)
        _, repeated = evaluate(tmp_path / "plain", plain)
    assert plan.opening == 2
    assert [record.moves[:2] for record in games[::2]] == [record.moves[:2] for record in games[1::2]]
    results, alike = grade(plan, games), grade(plain, repeated)
    assert f"{results.different} of 8 games differ" in evaluation_text(results)
    assert alike.different < 8
    assert "The others repeat them" in evaluation_text(alike)
    assert len({cluster for _, cluster, _ in results.endings}) <= 4


def test_both_seats_are_played_and_every_game_is_counted_once(tmp_path):
    plan = Plan("wild", "random", "perfect", games=21)
    _, games = evaluate(tmp_path, plan)
    results = grade(plan, games)
    assert [tally.games for tally in results.by_seat] == [11, 10]
    overall = results.overall
    assert overall.won + overall.drawn + overall.lost == overall.games == 21
    assert overall.lost > 15
    assert games[0].players == ("random", "perfect")
    assert games[1].players == ("perfect", "random")


def test_a_seed_gives_the_same_games_whatever_the_order(tmp_path):
    plans = [Plan("numerical", "random", "random", games=6, seed=seed) for seed in (1, 1, 2)]
    runs = []
    for number, plan in enumerate(plans):
        _, games = evaluate(tmp_path / str(number), plan, concurrency=number * 3 + 1)
        runs.append([game.moves for game in games])
    assert runs[0] == runs[1] != runs[2]


def test_a_nested_game_counts_by_its_points_and_is_graded_by_the_engine(tmp_path):
    plan = Plan("ultimate", "random", "alphabeta:nodes=3000", games=4, seed=1)
    _, games = evaluate(tmp_path, plan)
    results = grade(plan, games, nodes=2000)
    assert results.overall.games == 4
    assert results.grades.nodes == 2000
    assert results.grades.given_away.value > 0.02, "random moves cost"
    text = evaluation_text(results)
    assert "Against the engine at 2,000 nodes, over " in text
    assert max(map(len, text.splitlines())) <= 80
    turned = Plan("ultimate", "alphabeta:nodes=3000", "random", games=4, seed=1)
    _, games = evaluate(tmp_path / "turned", turned)
    assert grade(turned, games, nodes=2000).grades.given_away.value < results.grades.given_away.value / 3
    ungraded = grade(turned, games, nodes=0)
    assert ungraded.grades is None
    assert ungraded.not_graded == "Moves are not graded: the search has 0 nodes."


def test_players_who_always_play_the_same_get_openings_and_repetitions_are_reported(tmp_path):
    plan = Plan("wild", "alphabeta:depth=1", "alphabeta:depth=2", games=6, seed=1)
    assert plan.opening == 2
    _, games = evaluate(tmp_path / "opened", plan)
    assert [record.opening for record in games] == [2] * 6
    assert games[0].moves[:2] == games[1].moves[:2] != games[2].moves[:2]
    plan = Plan("wild", "alphabeta:depth=1", "alphabeta:depth=2", games=6, seed=1, opening=0)
    _, games = evaluate(tmp_path / "bare", plan)
    results = grade(plan, games)
    assert results.different == 2
    assert "2 of 6 games differ. The others repeat" in evaluation_text(results)
    assert Plan("wild", "random", "alphabeta:depth=2").opening == 0, "games of a random player differ"


# Grading.


def test_perfect_play_gives_nothing_away(tmp_path):
    for game in ("wild", "classic"):
        plan = Plan(game, "perfect", "random", games=10)
        _, games = evaluate(tmp_path / game, plan)
        results = grade(plan, games)
        assert results.grades.given_away.value == 0
        assert results.grades.perfect.value == 1
        assert results.grades.blunders == []
        assert results.overall.lost == 0


def choices(record, seat=None):
    return list(review(record).choices(record, seat))


def test_an_opening_off_the_centre_gives_away_the_win_of_wild():
    corner, centre = (choices(played([move, "O1"]), seat=0)[0] for move in ("X0", "X4"))
    assert (corner.best.value, corner.played.value, corner.lost) == (1, 0, 1)
    assert {WILD.new_initial_state().action_to_string(a) for a in corner.better} == {"X4", "O4"}
    assert centre.lost == 0


def test_the_costliest_moves_come_first_and_once_for_all_symmetries():
    games = [played([corner, "O1"], 2 * number) for number, corner in enumerate(("X0", "O8", "X2"))]
    results = grade(Plan("wild", "random", "perfect", games=6), games)
    assert len(results.grades.blunders) == 1
    assert results.grades.blunders[0][0].number == 0
    text = evaluation_text(results)
    said = "Game 1, move 1, first player: X0 turned a won game into a drawn one. Better: X4, O4."
    assert said in text.replace("\n", " ")
    assert blunder_marks(WILD, results.grades.blunders[0][1]) == {4: "XO!", 0: "X?"}
    assert "X?" in text
    assert "| XO! |" in text


def test_a_move_that_cannot_go_wrong_is_no_choice():
    (first,) = choices(played(["X0"]))
    assert first.mattered
    assert first.exact
    # One cell is left, and neither mark makes a line there: X and O draw alike.
    last = ["X0", "O1", "X2", "X3", "O4", "O5", "O6", "X7", "X8"]
    *_, end = choices(played(last))
    assert not end.mattered
    assert end.lost == 0


def test_both_players_are_graded_or_one_of_them():
    moves = ["X0", "O1", "X2"]
    assert [each.player for each in choices(played(moves))] == [0, 1, 0]
    assert [each.player for each in choices(played(moves), seat=1)] == [1]


# Models.


def test_invalid_replies_are_no_wins_and_no_losses(tmp_path):
    with serving(always({"say": "I resign"})) as server:
        plan = Plan("wild", "random", model(server), games=4)
        _, games = evaluate(tmp_path / "given", plan)
        results = grade(plan, games)
        assert (results.overall.won_on_board, results.overall.lost_on_board) == (0, 0)
        assert results.overall.opponent_forfeits == {"no_move": 4}
        plan = Plan("wild", model(server), "random", games=4, text=TextOptions(1))
        _, games = evaluate(tmp_path / "forfeited", plan)
    results = grade(plan, games)
    assert (results.overall.won_on_board, results.overall.lost_on_board) == (0, 0)
    assert results.overall.forfeits == {"no_move": 4}
    assert results.replies.invalid == {"no_move": 8}
    assert results.replies.count == 8
    assert results.replies.completion_tokens == 56


def test_a_late_reply_forfeits_by_time(tmp_path):
    with serving(always({"hang": True})) as server:
        plan = Plan("wild", model(server, seconds=0.2), "random", games=1, opening=0)
        _, games = evaluate(tmp_path, plan)
    (record,) = games
    assert (record.reason, record.faulty, fault_reason(record)) == ("time", 0, "time")
    assert record.moves == []
    assert grade(plan, games).overall.forfeits == {"time": 1}


def test_many_games_are_played_at_once(tmp_path):
    together = threading.Barrier(4, timeout=240)

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
        plan = Plan("wild", model(server), "random", games=3, text=TextOptions(1), seed=1)
        evaluate(tmp_path, plan, concurrency=1)
    run = read_run(tmp_path / "transcript.jsonl")
    facts, games = run.plan, run.records()
    assert len(games) == 3
    for record in games:
        env = TextEnv(WILD, **{name: facts[name] for name in ("error_allowance", "observation", "take")})
        env.reset()
        for exchange in record.exchanges:
            for action in record.moves[len(env.moves) : exchange.ply]:
                env.play(action)
            player, observation = env.get_observation()
            assert player == exchange.player == record.seat_of("llm:m")
            assert exchange.messages[-1] == {"role": "user", "content": observation}
            assert exchange.seconds >= 0
            assert (exchange.prompt_tokens, exchange.completion_tokens, exchange.finish) == (100, 7, "stop")
            _, info = env.step(exchange.reply)
            assert (exchange.valid, exchange.reason) == (info["valid"], info["reason"])
            if exchange.valid:
                assert record.moves[exchange.ply] == info["action"]
    assert [exchange.reply for exchange in games[0].exchanges][:2] == ["hm\ud800 ☃ [O 0]", "nothing"]


def test_good_replies_become_examples_for_fine_tuning(tmp_path):
    with serving(scripted({"say": "the centre: [X 4]"})) as server:
        plan = Plan("wild", model(server), "random", games=2, seed=3, opening=0)
        _, games = evaluate(tmp_path, plan, concurrency=1)
    results = grade(plan, games)
    examples = [json.loads(line) for line in chat_examples(results, games)]
    assert examples[0]["messages"][-1] == {"role": "assistant", "content": "the centre: [X 4]"}
    assert [message["role"] for message in examples[0]["messages"]] == ["system", "user", "assistant"]
    perfect = results.grades.perfect
    assert len(examples) == round(perfect.value * perfect.n)


def test_a_server_in_trouble_leaves_games_for_later(tmp_path):
    with serving(scripted(*[{"status": 503}] * 2)) as server:
        plan = Plan("wild", model(server, retries=1), "random", games=3)
        evaluation, games = evaluate(tmp_path, plan, concurrency=1)
        assert (evaluation.run.unanswered, len(games)) == (1, 2)
        assert "HTTP 503" in evaluation.run.failure
        evaluation, games = evaluate(tmp_path, plan, concurrency=1)
        assert (evaluation.run.unanswered, len(games)) == (0, 3)


def test_a_server_that_is_down_is_not_asked_for_every_game(tmp_path):
    with serving(always({"status": 503})) as server:
        evaluation, games = evaluate(
            tmp_path, Plan("wild", model(server, retries=0), "random", games=100), concurrency=1
        )
        assert games == []
        assert len(server.requests) == evaluation.run.unanswered == 5


# Tokens.


def test_tokens_are_estimated_before_anything_is_asked():
    with serving() as server:
        plan = Plan("wild", model(server, tokens=50), "random", games=10)
        cost = estimate(plan, plan.games)
        assert 25 <= cost.replies <= 45, "a wild game has up to nine moves, and the model makes every other"
        assert cost.write == cost.replies * 50
        assert cost.read > cost.replies * len(TextEnv(WILD).prompts[0]) / 4
        both = estimate(Plan("wild", model(server, tokens=50), model(server, tokens=50), games=10), 10)
        assert both.replies == 2 * cost.replies
        assert server.requests == []
    assert estimate(Plan("wild", "random", "random"), 10) is None


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_is_asked_once_the_tokens_are_used(tmp_path, concurrency):
    with serving() as server:  # which counts 107 tokens for each reply
        plan = Plan("wild", model(server), "random", games=12, seed=1)
        evaluation, games = evaluate(tmp_path, plan, concurrency, most_tokens=1000)
        assert 10 <= len(server.requests) < 10 + concurrency
        assert evaluation.usage.replies == len(server.requests)
        assert "the limit of 1,000 tokens is reached" in evaluation.run.failure
        assert 0 < len(games) < 12
        assert evaluate(tmp_path, plan, concurrency, most_tokens=1000)[1] == games, "what was used before counts"
        asked = len(server.requests)
        evaluation, games = evaluate(tmp_path, plan, concurrency)
        assert (evaluation.run.unanswered, len(games)) == (0, 12)
        assert len(server.requests) == sum(len(game.exchanges) for game in games) > asked


def test_tokens_that_no_server_counts_are_counted_by_their_characters():
    usage = Usage()
    question = [{"role": "user", "content": "x" * 400}]
    usage.add(0, Exchange(ply=2, player=0, messages=question, reply="y" * 40, seconds=0.0))
    assert (usage.read, usage.written) == (100, 10)


# Replies that are none.


def test_a_cut_off_thought_is_a_failure_of_its_own_kind(tmp_path):
    cut = {"say": "<think>Perhaps [4]? Wait, no", "finish": "length"}
    with serving(always(cut)) as server:
        plan = Plan("classic", model(server), "random", games=4, seed=1, opening=0)
        _, games = evaluate(tmp_path, plan)
    results = grade(plan, games)
    assert results.replies.invalid == {"cut_off": 4}
    assert results.overall.forfeits == {"cut_off": 4}
    assert results.overall.won_on_board == 0


def test_a_transcript_says_when_and_by_which_model_under_which_limits(tmp_path):
    with serving(always({"message": {"reasoning": "Hm."}})) as server:
        plan = Plan("wild", model(server, tokens=77), "random", games=2, seed=1)
        evaluate(tmp_path, plan)
    run = read_run(tmp_path / "transcript.jsonl")
    facts, games = run.plan, run.records()
    exchange = games[0].exchanges[0]
    assert (exchange.model, exchange.max_tokens, exchange.reasoning) == ("m-2026", 77, "Hm.")
    assert exchange.noughts == noughts.__version__
    assert exchange.time.endswith("+00:00")
    assert facts["prompt"] == "wild-1 system-2"
    assert "the last move in square brackets counts; an invalid move loses" in exchange.messages[0]["content"]
