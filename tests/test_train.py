"""`noughts train`: the run folder, stopping and going on, damaged files, pictures, and the player that comes of it."""

import csv
import json
import os
import pty
import signal
import time

import numpy as np
import processes
import pytest

import noughts
from noughts.cli import main
from noughts.commands._options import whole_number
from noughts.learn import Training, TrainingSettings, load_model, preset, resume
from noughts.players import Clock, make_player

SMALL = ["wild", "--opponent", "random", "--episodes", "40000", "--every", "5000", "--no-plots"]


def same(first, second):
    """Whether two runs learnt the same and say the same."""
    tables = [training.table.arrays() for training in (first, second)]
    orders = [np.argsort(arrays["codes"]) for arrays in tables]
    for name in tables[0]:
        ours, theirs = (arrays[name] for arrays in tables)
        if name in ("codes", "starts"):
            ours, theirs = ours[orders[0]], theirs[orders[1]]
        if not np.array_equal(ours, theirs):
            return False
    return first.metrics() == second.metrics() and first.settings == second.settings


def test_a_run_leaves_a_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("matplotlib")
    assert main(["train", "numerical", "--episodes", "30000", "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "exact Q*" in shown
    assert "6.8178" in shown
    assert max(map(len, shown.splitlines())) <= 80
    folder = tmp_path / "runs" / "numerical-1"
    assert {path.name for path in folder.iterdir()} == {"model.q", "metrics.csv", "convergence.png", "learning.png"}
    for name in ("convergence.png", "learning.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    with open(folder / "metrics.csv") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["episode"]) for row in rows] == list(range(300, 30001, 300))
    for row in rows:
        assert sum(float(row[name]) for name in ("won", "drawn", "lost")) == pytest.approx(1)
        assert sum(float(row[f"greedy_{name}"]) for name in ("win", "draw", "loss")) == pytest.approx(1)
        assert "Q x-5-x-2-x-x-4-7-x 9@0" in row
    assert main(["train", "classic", "--no-plots"]) == 0
    assert main(["train", "classic", "--no-plots"]) == 0
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"numerical-1", "classic-1", "classic-2"}


def test_the_pictures_show_the_pairs_their_exact_values_and_the_optimum():
    pytest.importorskip("matplotlib")
    from noughts.learn import plot_convergence, plot_learning

    training = Training(preset("fast", noughts.load_game("numerical").rules, {"episodes": 20_000})).finish()
    (axes,) = plot_convergence(training).axes
    dashed = [line.get_ydata()[0] for line in axes.get_lines() if line.get_alpha()]
    assert dashed == pytest.approx(training.exact_values())
    assert axes.get_xlabel() == "episodes"
    assert axes.get_ylabel() == "Q(state, action)"
    assert {line.get_label() for line in axes.get_lines()} >= set(training.settings.track)
    games, returns = plot_learning(training).axes
    assert [line.get_label() for line in games.get_lines()] == ["won", "drawn", "lost"]
    assert returns.get_lines()[1].get_ydata()[0] == pytest.approx(training.optima()[0])


def test_the_picture_of_self_play_shows_that_it_learns():
    pytest.importorskip("matplotlib")
    from noughts.learn import plot_convergence, plot_learning

    training = Training(preset("self", noughts.load_game("classic").rules, {})).finish()
    random, perfect = plot_learning(training).axes
    for axes, ends in ((random, (0.99, 0.75)), (perfect, (0, 0))):
        assert axes.get_xscale() == "log"
        for line, end in zip(axes.get_lines(), ends, strict=False):
            values = line.get_ydata()
            assert values[0] < values[-1] - 0.5
            assert values[-1] >= end
    (pairs,) = plot_convergence(training).axes
    assert {line.get_ydata()[-1] for line in pairs.get_lines()} == {0, -1}  # a reply that loses is among them


@pytest.mark.parametrize("chosen", [{}, {"symmetry": True, "alpha_power": 0.8}])
def test_a_run_goes_on_as_if_it_had_never_stopped(tmp_path, chosen):
    settings = TrainingSettings(noughts.load_game("wild").rules, episodes=90_000, every=50_000, **chosen)
    whole = Training(settings).finish()
    stopped = Training(settings)
    pauses = stopped.run()
    for _ in range(2):
        next(pauses)
    assert stopped.episode == 40_000
    stopped.save(tmp_path)
    assert same(resume(tmp_path).finish(), whole)
    # A shorter run that is made longer, too: what it noted at its end is no checkpoint of the longer one.
    whole.save(tmp_path)
    longer = resume(tmp_path, 120_000).finish()
    assert [row[0] for row in longer.rows] == [50_000, 100_000, 120_000]
    direct = Training(TrainingSettings(settings.rules, episodes=120_000, every=50_000, **chosen)).finish()
    assert same(longer, direct)
    with pytest.raises(ValueError, match="already completed 90,000 episodes"):
        resume(tmp_path, 10)


def test_ctrl_c_saves_and_resume_ends_the_same(tmp_path, capsys):
    process = processes.Command("train", "numerical", "--no-plots", "--seed", "4", "--out", "run", cwd=tmp_path)
    assert "500,000" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=240)
    assert process.returncode == 130
    assert "noughts train --resume run" in said
    assert "exact Q*" in shown
    assert [path.name for path in sorted((tmp_path / "run").iterdir())] == ["metrics.csv", "model.q"]
    done = resume(tmp_path / "run").episode
    assert 500_000 <= done < 5_000_000
    end = done + 50_000 - done % 50_000
    gone_on = resume(tmp_path / "run", end).finish()
    settings = TrainingSettings(noughts.load_game("numerical").rules, episodes=end, every=50_000, seed=4)
    assert same(gone_on, Training(settings).finish())


def test_a_terminal_sees_it_live(tmp_path):
    leader, follower = pty.openpty()
    command = ["train", *SMALL, "--episodes", "900000", "--out", str(tmp_path / "run")]
    process = processes.Command(*command, stderr=follower, TERM="xterm", COLUMNS="80")
    os.close(follower)
    seen, deadline = b"", time.monotonic() + 600
    while time.monotonic() < deadline:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    process.communicate(timeout=240)
    assert process.returncode == 0
    text = seen.decode()
    for word in ("of 900,000 episodes", "/s", "epsilon", "exact Q*", "greedy return"):
        assert word in text


def test_json_for_scripts(tmp_path, capsys):
    assert main(["train", *SMALL, "--json", "--out", str(tmp_path / "run")]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["settings"]["episodes"] == record["last"]["episode"] == 40_000
    assert len(record["exact"]) == len(record["settings"]["track"]) == 3
    assert record["optimum"][0] >= record["last"]["greedy_return"]


@pytest.fixture
def run(tmp_path):
    """A finished run of wild by self-play."""
    folder = tmp_path / "run"
    folder.mkdir()
    Training(preset("self", noughts.load_game("wild").rules, {"episodes": 50_000})).finish().save(folder)
    return folder


@pytest.mark.parametrize("damage", ["cut", "flipped", "other", "empty", "missing", "old"])
def test_a_damaged_model_is_refused_with_a_sentence(run, damage, capsys):
    path = run / "model.q"
    data = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(data[:-100])
    elif damage == "flipped":
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    elif damage == "other":
        path.write_bytes(b"PK\x03\x04" + data)
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "missing":
        path.unlink()
    else:
        import hashlib

        payload = bytes(data[50:]).replace(b"history.npy", b"histery.npy")
        path.write_bytes(bytes(data[:18]) + hashlib.sha256(payload).digest() + payload)
    why = {
        "cut": "is damaged",
        "flipped": "is damaged",
        "other": "is not a model",
        "empty": "is not a model",
        "missing": "there is no model",
        "old": "cannot be read",
    }[damage]
    for command in (["train", "--resume", str(run)], ["play", "wild", "--opponent", f"q:{run}"]):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert why in said
        assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ([], "name a game"),
        (["ultimate"], "too large for a table of values"),
        (["chess"], "there is no game"),
        (["numerical", "--alpha", "7"], "alpha must be from 0 to 1"),
        (["numerical", "--track", "centre"], "a position and a move"),
        (["numerical", "--preset", "slow"], "published, fast, self"),
        (["numerical", "--resume", "RUN"], "only --episodes"),
        (["--resume", "RUN", "--gamma", "0.5"], "not gamma"),
        (["wild", "--out", "RUN"], "already contains a run"),
        (["wild", "--out", __file__], "is a file, not a folder; name another folder"),
    ],
)
def test_mistakes_get_a_sentence(run, args, why, capsys):
    args = [str(run) if arg == "RUN" else arg for arg in args]
    assert main(["train", "--no-plots", *args]) == 2
    assert why in capsys.readouterr().err


def test_what_was_learnt_plays(run):
    game = noughts.load_game("wild")
    player = make_player(f"q:{run}")
    assert make_player(f"q:{run / 'model.q'}").choose(game.new_initial_state(), Clock()) // 2 == 4
    for seed in range(10):
        opponent, state = make_player("random", seed=seed), game.new_initial_state()
        while not state.is_terminal():
            mover = player if state.current_player() == 0 else opponent
            state.apply_action(mover.choose(state, Clock()))
        assert state.returns()[0] == 1
    with pytest.raises(ValueError, match="was trained on wild and cannot play classic"):
        player.choose(noughts.load_game("classic").new_initial_state(), Clock())
    with pytest.raises(ValueError, match="has no option"):
        make_player(f"q:{run}?depth=3")


def test_it_keeps_to_the_seat_it_learnt(tmp_path, capsys, monkeypatch):
    game = noughts.load_game("classic")
    Training(TrainingSettings(game.rules, episodes=2_000, seat=0)).finish().save(tmp_path)
    player = make_player(f"q:{tmp_path}")
    assert player.choose(game.new_initial_state(), Clock()) in range(9)
    with pytest.raises(ValueError, match="trained as player 0"):
        player.choose(game.from_string("X../.../... p1"), Clock())
    monkeypatch.setattr("builtins.input", lambda _prompt: "quit")
    assert main(["play", "classic", "--opponent", f"q:{tmp_path}"]) == 0
    assert "so you move" in capsys.readouterr().out


def test_a_game_of_ones_own_is_inside_the_file(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from noughts import Rules\n"
        "CORNERS = Rules(name='corners', title='Corners', side=3, lines=((0, 2), (6, 8), (0, 6), (2, 8)))\n"
    )
    folder = tmp_path / "run"
    assert main(["train", f"{tmp_path / 'mine.py'}:CORNERS", "--no-plots", "--out", str(folder)]) == 0
    (tmp_path / "mine.py").unlink()
    settings, table, _ = load_model(folder)
    assert settings.rules.title == "Corners"
    assert table.guaranteed_values()[0] == 1


@pytest.mark.parametrize(("text", "number"), [("1e6", 10**6), ("2.5e3", 2500), ("1_000", 1000), ("1,000", 1000)])
def test_a_number_can_be_written_as_people_do(text, number):
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["1e-3", "2.5", "1.25e1", "many", "1e999", "", "1e"])
def test_what_is_no_whole_number_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        main(["train", "wild", "--episodes", text])
    assert "is not a whole number, such as 1000000 or 1e6" in capsys.readouterr().err


def test_without_matplotlib_a_run_is_trained_and_says_how_to_get_the_pictures(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("noughts.commands.train.find_spec", lambda name, *_: None)
    folder = tmp_path / "run"
    assert main(["train", "classic", "--episodes", "1e3", "--out", str(folder)]) == 0
    assert "pip install matplotlib" in capsys.readouterr().err
    assert {path.name for path in folder.iterdir()} == {"model.q", "metrics.csv"}
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    assert main(["train", "--resume", str(folder)]) == 0
    assert (folder / "convergence.png").exists()


def test_a_nested_game_says_what_to_do_instead(capsys):
    assert main(["train", "ultimate"]) == 2
    assert "choose a small game" in (said := capsys.readouterr().err)
    assert "docs/environments.md" in said


def test_values_far_from_exact_come_with_the_reason(tmp_path, capsys):
    assert main(["train", "numerical", "--episodes", "1e4", "--no-plots", "--out", str(tmp_path / "run")]) == 0
    assert "docs/q-learning.md, section 5, explains this" in capsys.readouterr().out


def test_a_full_disk_names_the_folder_and_keeps_the_run_until_there_is_room(tmp_path, monkeypatch, capsys):
    full, roomy = tmp_path / "full", tmp_path / "roomy"
    kept = Training.save

    def save(self, folder):
        if folder == full:
            raise OSError(28, "No space left on device")
        return kept(self, folder)

    monkeypatch.setattr(Training, "save", save)
    command = ["train", "classic", "--episodes", "1000", "--no-plots", "--out", str(full)]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert f"cannot be saved in {full}: No space left on device; free some space, or pass another folder" in said
    answers = iter(["", str(roomy)])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main(command) == 0
    assert "The run is still in memory." in capsys.readouterr().err
    assert load_model(roomy)[0].episodes == 1000


@pytest.mark.parametrize("name", ["classic", "wild-misere"])
def test_self_play_is_unbeatable_in_the_end(name):
    training = Training(preset("self", noughts.load_game(name).rules, {})).finish()
    assert training.table.guaranteed_values() == tuple(training.optima())
