"""Evaluation: what is counted and how surely, how moves are graded, and that nothing is lost when it stops."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path

import pytest
from chat_server import always, scripted, serving

import noughts
from noughts.cli import main
from noughts.envs.text.env import TextEnv
from noughts.evaluation.chat import chat_examples
from noughts.evaluation.engine import Evaluation
from noughts.evaluation.grading import Grade, grades, replay
from noughts.evaluation.intervals import mean, rate
from noughts.evaluation.page import page
from noughts.evaluation.plan import Plan, claim_folder
from noughts.evaluation.report import as_data, report
from noughts.evaluation.results import judge
from noughts.evaluation.transcript import Played, Transcript, read_games

WILD = noughts.load_game("wild")


def evaluate(folder, plan, concurrency=4):
    """Play a plan; the evaluation, and its finished games."""
    game = noughts.load_game(plan.game)
    claim_folder(folder, plan)
    with Transcript(folder) as transcript:
        evaluation = Evaluation(plan, game, transcript)
        evaluation.run(concurrency)
        return evaluation, transcript.finished(plan.games)


def model(server, **options):
    pytest.importorskip("httpx", reason="httpx is not installed: pip install 'noughts[llm]'")
    options = {"base_url": server.url, "retries": 1, "timeout": 10} | options
    return "llm:m?" + "&".join(f"{name}={value}" for name, value in options.items())


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


# Stopping and going on.


def test_what_was_asked_before_a_stop_is_not_asked_again(tmp_path):
    stop_at = 5
    with serving(lambda number, _question: {"hang": True} if number == stop_at else {}) as server:
        name = model(server, timeout=60)
        command = [sys.executable, "-m", "noughts.cli", "evaluate", name, "--against", "random", "--games", "6"]
        command += ["--concurrency", "1", "--out", str(tmp_path / "run")]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while len(server.requests) <= stop_at and process.poll() is None:
            threading.Event().wait(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "the same command goes on from here" in err
        assert "Traceback" not in err + out
        lines = (tmp_path / "run" / "transcript.jsonl").read_text().splitlines()
        assert sum('"messages"' in line for line in lines) == stop_at
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        games = read_games(tmp_path / "run" / "transcript.jsonl")
        asked = sum("messages" in turn for game in games for turn in game.turns)
        assert len(games) == 6
        assert len(server.requests) == asked + 1, "only the question that had no answer was asked twice"


def test_a_finished_evaluation_only_reports_and_can_be_made_longer(tmp_path, capsys):
    arguments = ["evaluate", "random", "--against", "random", "--out", str(tmp_path / "run"), "--json"]
    assert main([*arguments, "--games", "4"]) == 0
    first = capsys.readouterr().out
    before = (tmp_path / "run" / "transcript.jsonl").read_bytes()
    assert main([*arguments, "--games", "4"]) == 0
    assert capsys.readouterr().out == first
    assert (tmp_path / "run" / "transcript.jsonl").read_bytes() == before
    assert main([*arguments, "--games", "7"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 7
    assert (tmp_path / "run" / "transcript.jsonl").read_bytes().startswith(before)


def test_a_line_cut_off_by_a_crash_is_mended(tmp_path):
    plan = Plan("wild", "random", "random", games=3)
    evaluate(tmp_path, plan)
    path = tmp_path / "transcript.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"kind": "turn", "game": 1, "rep')
    _, games = evaluate(tmp_path, plan)
    assert len(games) == 3
    assert path.read_bytes() == whole
    path.write_bytes(b"nonsense\n" + whole)
    with pytest.raises(ValueError, match=r"line 1 of .* is not a line of a transcript"):
        evaluate(tmp_path, plan)


def test_another_plan_does_not_mix_with_what_is_there(tmp_path):
    folder = tmp_path / "run"
    claim_folder(folder, Plan("wild", "random", "random", seed=1))
    with pytest.raises(ValueError, match=r"seed 1, not 2; name another folder with --out, or set that one aside"):
        claim_folder(folder, Plan("wild", "random", "random", seed=2))
    claim_folder(folder, Plan("wild", "random", "random", seed=2), fresh=True)
    assert json.loads((tmp_path / "run.old1" / "plan.json").read_text())["seed"] == 1


def test_a_model_may_have_moved_to_another_server(tmp_path):
    claim_folder(tmp_path, Plan("wild", "llm:m?base_url=http://a/v1&tokens=9", "random"))
    claim_folder(tmp_path, Plan("wild", "llm:m?tokens=9&retries=1&base_url=http://b/v1", "random"))
    with pytest.raises(ValueError, match="holds an evaluation with player"):
        claim_folder(tmp_path, Plan("wild", "llm:m?base_url=http://a/v1&tokens=8", "random"))


def test_two_at_once_are_kept_apart(tmp_path):
    pytest.importorskip("fcntl")
    with Transcript(tmp_path), pytest.raises(ValueError, match="another evaluation is writing"):
        Transcript(tmp_path)


def test_it_runs_where_an_event_loop_runs_already(tmp_path):
    async def notebook():
        return evaluate(tmp_path, Plan("wild", "random", "random", games=2))[1]

    assert len(asyncio.run(notebook())) == 2


# The command.


def run(capsys, *arguments):
    code = main(["evaluate", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_report_fits_eighty_columns_and_tells_the_seats_apart(tmp_path, capsys):
    code, out, _ = run(capsys, "random", "--games", "30", "--out", str(tmp_path / "run"))
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert [line.split()[0] for line in out.splitlines() if line.startswith(("first", "second", "both"))] == [
        "first",
        "second",
        "both",
    ]
    assert "value given away per move" in out
    assert "The costliest moves" in out


def test_the_data_hold_what_the_report_says(tmp_path):
    plan = Plan("wild", "random", "perfect", games=10)
    _, games = evaluate(tmp_path, plan)
    data = json.loads(json.dumps(as_data(judge(plan, WILD, games), WILD)))
    assert data["by_seat"]["both"]["games"] == data["games"] == 10
    assert data["by_seat"]["first"]["lost"] + data["by_seat"]["second"]["lost"] == data["by_seat"]["both"]["lost"]
    blunder = data["grades"]["blunders"][0]
    state = WILD.from_string(blunder["position"])
    best = noughts.solve(WILD).action_values(state)
    assert blunder["best_value"] == max(best.values())
    assert best[state.string_to_action(blunder["move"])] == blunder["value"]


def test_the_page_stands_alone_and_escapes_names(tmp_path, capsys):
    with serving(always({"say": "<script>alert(1)</script>"})) as server:
        name = model(server).replace("llm:m", "llm:<img src=x>")
        code, _, _ = run(
            capsys, name, "--games", "2", "--out", str(tmp_path / "run"), "--html", str(tmp_path / "r.html")
        )
    assert code == 0
    html = (tmp_path / "r.html").read_text()
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html
    assert "<script" not in html

    class Balance(HTMLParser):
        open_tags: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag, attrs):
            assert not any(name in ("src", "href") for name, _ in attrs)
            if tag not in ("meta", "br"):
                self.open_tags.append(tag)

        def handle_endtag(self, tag):
            assert self.open_tags.pop() == tag

    parser = Balance()
    parser.feed(html)
    assert parser.open_tags == []


def test_the_page_draws_the_blunders(tmp_path):
    plan = Plan("wild", "random", "perfect", games=6)
    _, games = evaluate(tmp_path, plan)
    html = page(judge(plan, WILD, games), WILD, games)
    assert html.count("<figure>") == html.count("<svg") >= 1


def test_a_key_never_reaches_a_file_or_the_screen(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with serving(scripted({"status": 500, "body": "bad sk-very-secret"})) as server:
        name = model(server, key_env="MY_KEY")
        code, out, err = run(
            capsys, name, "--games", "2", "--out", str(tmp_path / "run"), "--html", str(tmp_path / "r")
        )
        assert server.headers_seen[0]["Authorization"] == "Bearer sk-very-secret"
    assert code == 0
    written = "".join(path.read_text() for path in Path(tmp_path).rglob("*") if path.is_file())
    assert "very-secret" not in out + err + written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "there is no player 'nobody'"),
        (["random", "--games", "0"], "the number of games must be 1 or more"),
        (["random", "--against", "random", "--concurrency", "0"], "concurrency must be 1 or more"),
        (["random", "--game", "chess"], "there is no game 'chess'"),
        (["random", "--error-allowance", "-1"], "error_allowance is a whole number"),
        (["random", "--game", "extreme", "--games", "2"], "extreme is a nested game"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_two(arguments, message, tmp_path, capsys):
    code, out, err = run(capsys, *arguments, "--out", str(tmp_path / "run"))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_refused_key_stops_everything_with_one_line(tmp_path, capsys):
    with serving(always({"status": 401, "body": '{"error": {"message": "wrong key"}}'})) as server:
        code, _, err = run(capsys, model(server), "--games", "4", "--out", str(tmp_path / "run"))
    assert code == 2
    assert "refused: HTTP 401 wrong key" in err


def test_unfinished_games_are_announced(tmp_path, capsys):
    with serving(always({"status": 503})) as server:
        code, _, err = run(capsys, model(server, retries=0), "--games", "2", "--out", str(tmp_path / "run"))
    assert code == 1
    assert "2 of 2 games are not finished" in err


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal needs POSIX")
def test_on_a_terminal_a_table_shows_how_it_stands(tmp_path):
    import pty

    parent, child = pty.openpty()
    command = [sys.executable, "-m", "noughts.cli", "evaluate", "random", "--against", "random", "--games", "40"]
    process = subprocess.Popen([*command, "--out", str(tmp_path / "run")], stderr=child, stdout=subprocess.PIPE)
    os.close(child)
    shown = b""
    while True:
        try:
            shown += os.read(parent, 4096)
        except OSError:
            break
        if process.poll() is not None and b"transcript in" in shown:
            break
    process.communicate(timeout=60)
    os.close(parent)
    assert b"of 40 games" in shown
    assert process.returncode == 0
