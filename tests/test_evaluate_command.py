"""noughts evaluate: it stops and goes on, reports, and says what is wrong."""

import asyncio
import json
import os
import re
import signal
import threading
from html.parser import HTMLParser
from pathlib import Path

import processes
import pytest
from chat_server import always, scripted, serving
from evaluating import evaluate, model

import noughts
from noughts.cli import main
from noughts.evaluation.page import page
from noughts.evaluation.plan import Plan, open_run
from noughts.evaluation.report import as_data
from noughts.evaluation.results import grade
from noughts.matches.store import read_run

WILD = noughts.load_game("wild")


def test_games_that_cannot_be_solved_have_a_strong_opponent_who_can_play_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "random", "--game", "ultimate", "--games", "2", "--nodes", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["against"] == "alphabeta:level=4"
    assert main(["evaluate", "random", "--game", "classic", "--games", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["against"] == "perfect"


def test_a_refusal_leaves_no_folder_behind(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    wrong = ["evaluate", "random", "--game", "extreme", "--games", "2"]
    assert main([*wrong, "--against", "perfect"]) == 2
    assert main([*wrong, "--against", "random", "--concurrency", "0"]) == 2
    assert main([*wrong, "--against", "random", "--out", "answers.jsonl"]) == 2
    assert "answers.jsonl looks like a file, and --out takes the folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    (tmp_path / "notes.txt").write_text("mine")
    for out in ("notes.txt", "notes.txt/run"):
        assert main([*wrong, "--against", "random", "--out", out]) == 2
        assert "notes.txt is a file, not a folder; name another folder" in capsys.readouterr().err
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_crash_of_a_bot_is_reported_with_its_line(tmp_path, capsys):
    (tmp_path / "broken.py").write_text("def choose(state, clock):\n    return 1 / 0\n")
    command = ["evaluate", str(tmp_path / "broken.py"), "--game", "ultimate", "--against", "random", "--games", "2"]
    command += ["--nodes", "0", "--out", str(tmp_path / "run"), "--html", str(tmp_path / "page.html")]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert re.search(r"2 crash: crashed: ZeroDivisionError: .*\(line 2\)", " ".join(out.split()))
    assert max(map(len, out.splitlines()[1:])) <= 80
    assert "(line 2)" in (tmp_path / "page.html").read_text()
    assert main([*command, "--json"]) == 0
    (fault,) = json.loads(capsys.readouterr().out)["replies"]["faults"]["crash"].items()
    assert "line 2" in fault[0]
    assert fault[1] == 2


# Stopping and going on.


def test_what_was_asked_before_a_stop_is_not_asked_again(tmp_path):
    stop_at = 5
    with serving(lambda number, _question: {"hang": True} if number == stop_at else {}) as server:
        name = model(server, timeout=600)
        command = ["evaluate", name, "--against", "random", "--games", "6", "--concurrency", "1"]
        command += ["--out", str(tmp_path / "run")]
        process = processes.Command(*command)
        while len(server.requests) <= stop_at and process.poll() is None:
            threading.Event().wait(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
        assert process.returncode == 130
        assert "run the same command to continue" in err
        assert "Traceback" not in err + out
        lines = (tmp_path / "run" / "transcript.jsonl").read_text().splitlines()
        assert sum('"messages"' in line for line in lines) == stop_at
        assert processes.run(*command).returncode == 0
        games = read_run(tmp_path / "run" / "transcript.jsonl").records()
        asked = sum(len(game.exchanges) for game in games)
        lines = (tmp_path / "run" / "transcript.jsonl").read_text().splitlines()
        assert sum('"messages"' in line for line in lines) == asked, "no exchange is written twice"
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


def test_a_line_cut_off_by_a_crash_is_repaired(tmp_path):
    plan = Plan("wild", "random", "random", games=3)
    evaluate(tmp_path, plan)
    path = tmp_path / "transcript.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"kind":"exchange","game":1,"rep')
    _, games = evaluate(tmp_path, plan)
    assert len(games) == 3
    assert path.read_bytes() == whole
    path.write_bytes(b"nonsense\n" + whole)
    with pytest.raises(ValueError, match="does not begin with the plan of a run"):
        evaluate(tmp_path, plan)


def test_another_plan_does_not_mix_with_what_is_there(tmp_path):
    folder = tmp_path / "run"
    open_run(folder, Plan("wild", "random", "random", seed=1)).close()
    with pytest.raises(
        ValueError,
        match=r"seed 1, not 2; name another folder with --out, or pass --fresh to move the existing folder aside",
    ):
        open_run(folder, Plan("wild", "random", "random", seed=2))
    open_run(folder, Plan("wild", "random", "random", seed=2), fresh=True).close()
    assert read_run(tmp_path / "run.old1" / "transcript.jsonl").plan["seed"] == 1


def test_a_model_may_have_moved_to_another_server(tmp_path):
    open_run(tmp_path, Plan("wild", "llm:m?base_url=http://a/v1&tokens=9", "random")).close()
    open_run(tmp_path, Plan("wild", "llm:m?tokens=9&retries=1&base_url=http://b/v1", "random")).close()
    with pytest.raises(ValueError, match="contains an evaluation with player"):
        open_run(tmp_path, Plan("wild", "llm:m?base_url=http://a/v1&tokens=8", "random"))


def test_two_at_once_are_kept_apart(tmp_path):
    pytest.importorskip("fcntl")
    plan = Plan("wild", "random", "random")
    with open_run(tmp_path, plan), pytest.raises(ValueError, match="another process is writing"):
        open_run(tmp_path, plan)


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
    code, out, _ = run(capsys, "random", "--games", "30", "--seed", "1", "--out", str(tmp_path / "run"))
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert re.findall(r"(?m)^(first|second|both) +\d", out) == ["first", "second", "both"]
    assert "value given away per move" in out
    assert "The costliest moves" in out


def test_the_data_hold_what_the_report_says(tmp_path):
    plan = Plan("wild", "random", "perfect", games=10)
    _, games = evaluate(tmp_path, plan)
    data = json.loads(json.dumps(as_data(grade(plan, games))))
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
    assert "default-src 'none'; script-src 'none'; style-src 'sha256-" in html
    assert "style=" not in html, "the policy would not let it count"

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
    html = page(grade(plan, games), games)
    assert html.count("<figure>") == html.count("<figure><svg") >= 1


def test_a_key_never_reaches_a_file_or_the_screen(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with serving(scripted({"status": 500, "body": "bad sk-very-secret"})) as server:
        name = model(server, key_env="MY_KEY")
        code, out, err = run(
            capsys, name, "--games", "2", "--out", str(tmp_path / "run"), "--html", str(tmp_path / "r")
        )
        assert server.headers_seen[0]["Authorization"] == "Bearer sk-very-secret"
    assert code == 0
    written = b"".join(path.read_bytes() for path in Path(tmp_path).rglob("*") if path.is_file())
    assert "very-secret" not in out + err
    assert b"very-secret" not in written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "there is no player 'nobody'"),
        (["random", "--games", "0"], "the number of games must be 1 or more"),
        (["random", "--against", "random", "--concurrency", "0"], "concurrency must be 1 or more"),
        (["random", "--game", "chess"], "there is no game 'chess'"),
        (["random", "--error-allowance", "-1"], "error_allowance must be a whole number"),
        (["random", "--game", "extreme", "--against", "perfect", "--games", "2"], "extreme is a nested game"),
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


def test_the_tokens_are_shown_before_and_the_limit_after(tmp_path, capsys):
    with serving() as server:
        arguments = [model(server), "--against", "random", "--games", "8", "--out", str(tmp_path / "run")]
        code, _, err = run(capsys, *arguments, "--max-tokens-total", "5e2")
    assert code == 1
    assert err.startswith("noughts: 8 games to play: about ")
    said = " ".join(err.split())
    assert "limit 500 tokens, 0 used" in said
    assert re.search(r"\d of 8 games are not finished: the limit of 500 tokens is reached \(\d+ used\)", said)


def test_a_game_of_a_transcript_is_shown_and_graded(tmp_path, capsys):
    with serving(always({"say": "hm \x1b[2J [X 4]"})) as server:
        arguments = [model(server), "--against", "random", "--games", "2", "--seed", "1"]
        run(capsys, *arguments, "--error-allowance", "1", "--out", str(tmp_path))
    path = tmp_path / "transcript.jsonl"
    assert main(["replay", f"{path}#2"]) == 0
    assert "random (x) against llm:m (o)" in capsys.readouterr().out
    assert main(["log", f"{path}#1", "--prints", "x"]) == 0
    assert "    | hm \N{REPLACEMENT CHARACTER}[2J [X 4]" in capsys.readouterr().out
    assert main(["analyze", f"{path}#1"]) == 0
    assert "moves graded exactly" in capsys.readouterr().out
    for name in (path, f"{path}#3"):
        assert main(["replay", str(name)]) == 2
        assert f"{path} contains games 1 to 2; choose one, as in {path}#1" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal needs POSIX")
def test_the_table_moves_with_each_reply(tmp_path):
    with serving(lambda number, _question: {"hang": True} if number == 2 else {}) as server:
        command = ["evaluate", model(server, timeout=600), "--against", "random", "--openings", "0"]
        command += ["--games", "4", "--seed", "3", "--concurrency", "1", "--out", str(tmp_path / "run")]
        process, shown = on_a_terminal(command, until=b"0 of 2 model replies invalid; 214 tokens")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=240)
    assert b"0 of 4 games" in shown, "the first game is not over yet"
    assert b"playing: game 1 at move 3" in shown


def on_a_terminal(command, until):
    """Run a command with its messages on a terminal until they hold some text; the process, and what was shown."""
    import pty

    parent, child = pty.openpty()
    process = processes.Command(*command, stderr=child)
    os.close(child)
    shown = b""
    while until not in shown:
        try:
            shown += os.read(parent, 4096)
        except OSError:  # the command has ended
            break
    threading.Thread(target=drain, args=[parent], daemon=True).start()
    return process, shown


def drain(terminal):
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        os.close(terminal)


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal needs POSIX")
def test_on_a_terminal_a_table_shows_how_it_stands(tmp_path):
    command = ["evaluate", "random", "--against", "random", "--games", "40"]
    process, shown = on_a_terminal([*command, "--out", str(tmp_path / "run")], until=b"transcript in")
    process.communicate(timeout=240)
    assert b"of 40 games" in shown
    assert process.returncode == 0
