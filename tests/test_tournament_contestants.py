"""Contestants of a tournament are any players: bot files, built-in ones, what was trained, language models."""

import json
import shutil

import pytest
from chat_server import always, serving
from test_cli import run_command

from noughts.course.submissions import sync_folder
from noughts.matches.store_file import StoreError
from noughts.players.registry import canonical_name
from noughts.tournaments._entries import GATE_OPPONENTS
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.store import TournamentFile

BOT = "def choose(state, clock):\n    return state.legal_actions()[0]\n"


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "t.noughts")


def run(capsys, file, *staff, code=0):
    """What a run with these players says, and on standard error."""
    found, out, err = run_command(
        capsys, "tournament", "run", "--file", file, "--game", "wild", "--jobs", "1", "--staff", *staff
    )
    assert found == code, err
    return out, err


def trained(capsys, folder, seed):
    words = f"train wild --preset self --episodes 200 --seed {seed} --out {folder}{seed} --no-plots"
    assert run_command(capsys, *words.split())[0] == 0
    return shutil.copy(f"{folder}{seed}/model.q", folder)


def test_a_language_model_and_a_learner_play_along_and_go_on_where_they_stopped(capsys, tmp_path, file):
    learner = f"q:{trained(capsys, tmp_path / 'run', 1)}"
    with serving() as server:
        model = f"llm:tiny?base_url={server.url}&temperature=0"
        out, _ = run(capsys, file, "random", model, learner)
    assert "6 games played. 6 of 6 games: finished" in out
    assert "llm:tiny" in out, "cut, if the results leave no room for the whole name"
    assert "base_url" not in out, "where it is served is nobody's business"
    assert server.url not in out
    with TournamentFile(file) as opened:
        games = list(opened.tournament().game_rows(name="llm:tiny?temperature=0"))
        assert len(games) == 4
        assert all("exchanges" in json.loads(game["replay"]) for game in games)
    code, _, err = run_command(capsys, "tournament", "run", "--file", file, "--jobs", "1")
    assert code == 2, "a file alone must not make this machine speak with servers"
    assert "to allow that, pass --staff" in err
    with serving() as server:  # elsewhere now
        out, _ = run(capsys, file, f"llm:tiny?temperature=0&base_url={server.url}", learner)
    assert "no games were left to play" in out
    trained(capsys, tmp_path / "run", 2)
    with serving() as server:
        out, _ = run(capsys, file, f"llm:tiny?base_url={server.url}&temperature=0", learner)
    assert "4 games played. 6 of 6" in out, "trained again, it is a new version"
    with TournamentFile(file) as opened:
        assert opened.tournament().entries.find(learner).version == 2


def test_games_of_a_model_that_does_not_answer_are_played_later(capsys, file):
    with serving(always({"status": 503})) as server:
        _, err = run(capsys, file, "random", "greedy", f"llm:tiny?base_url={server.url}&retries=0", code=1)
    assert "4 games failed to run" in err
    with serving() as server:
        out, _ = run(capsys, file, f"llm:tiny?base_url={server.url}")
    assert "4 games played. 6 of 6 games: finished" in out


def test_players_are_shown_with_a_colon_however_they_were_named(capsys, file):
    out, _ = run(capsys, file, "alphabeta?level=1", "mcts?games=2")
    assert "alphabeta:level=1*" in out
    assert "mcts:games=2*" in out
    out, _ = run(capsys, file, "Alphabeta:level=1", "mcts:games=2")
    assert "no games were left to play" in out


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("alphabeta?memory=9&depth=6", "alphabeta:depth=6,memory=9"),
        ("easy", "easy"),
        ("llm:some:model?tokens=7", "llm:some:model?tokens=7"),
        ("q:a?b", "q:a?b"),
        ("bots/Team7.py:Team7", "bots/Team7.py:Team7"),
        ("nobody?seed=1", "nobody?seed=1"),
    ],
)
def test_a_player_has_one_spelling(given, shown):
    assert canonical_name(given) == shown == canonical_name(shown)


def test_no_file_takes_the_place_of_a_player_of_the_staff(capsys, tmp_path, file):
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("ants", "Random", *GATE_OPPONENTS):
        (folder / f"{name}.py").write_text(BOT)
    words = f"tournament run {folder} --file {file} --game wild --jobs 1 --staff random greedy"
    code, out, err = run_command(capsys, *words.split())
    assert code == 0
    assert "Random: is excluded: a staff player has this name; rename the file" in err
    assert "6 games played, and 5 games to check new bots. 6 of 6 games: finished" in out
    with TournamentFile(file, write=True) as opened:
        tournament = opened.tournament()
        (folder / "ants2.py").write_text(BOT)
        assert sync_folder(tournament, folder).taken == ["Random"]
        with pytest.raises(StoreError, match="a team already has the name 'ants'"):
            enter_players(tournament, [str(folder / "ants.py")], staff=True)
        assert not tournament.entries.find("ants").staff
