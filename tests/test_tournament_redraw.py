"""After a draw: commands report outdated draws, and a stage can be drawn again; status during a run."""

import json
import re
from pathlib import Path

import pytest
from tournament_play import names, play, play_some, tournament_in

from noughts.bots.gate import GAMES
from noughts.cli import main
from noughts.course.submissions import sync_folder
from noughts.files import FileLock, is_locked
from noughts.matches.store_file import StoreError
from noughts.tournaments import Course
from noughts.tournaments._formats import FewerPools
from noughts.tournaments.results import Result
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC
from noughts.web._watching import TournamentSource

BOT = "def choose(state, clock):\n    return state.legal_actions()[{}]\n"
STAGES = {"group_pools": 2, "group_top": 1, "semi_pools": 1, "semi_top": 2}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "class.noughts"


def show(capsys, action, path, *more):
    capsys.readouterr()
    assert main(["tournament", action, str(path), *more]) == 0
    return capsys.readouterr().out


def test_a_stage_whose_contestants_would_be_others_now_is_found():
    form = Course(names(8), seed=3, group_pools=2, group_top=2, semi_pools=1, semi_top=2)
    results = play(form)
    drawn = form.draws(results)
    later = Course(names(8), seed=3, group_pools=2, group_top=2, semi_pools=1, semi_top=2, kept_draws=drawn)
    assert later.old_draws(results) == []
    (pool, *_) = later.pools()
    best = next(name for name in pool if name in drawn["semi-final"][0])
    worst = next(name for name in pool if name not in drawn["semi-final"][0])

    def exchanged(result):
        """The worst of the pool wins all its games in the group, and the best loses all."""
        if result.fixture.stage != "group":
            return result
        wins = {worst: 68, best: -1}
        return Result(result.fixture, tuple(wins.get(name, 20) for name in result.fixture[:2]))

    changed = [exchanged(result) for result in results]
    (old, *_) = later.old_draws(changed)
    assert old.stage == "semi-final"
    assert (worst in old.out, best in old.inside) == (True, True)
    assert not {*old.out} & {*old.inside}
    assert later.old_draws(changed[:5]) == [], "while games of the stage before are due, nobody knows"


def test_fewer_pools_than_asked_for_are_reported():
    assert Course(names(25)).fewer_pools([]) == [FewerPools("group", 25, 6, 10, 3)]
    assert Course(names(60)).fewer_pools([]) == []


def test_what_stays_drawn_is_said_and_can_be_drawn_again(tmp_path, capsys, monkeypatch):
    """Bots that always play their first, or their last move: who qualifies depends on nothing else."""
    monkeypatch.chdir(tmp_path)  # a long path would be broken where the line ends
    path = Path("class.noughts")
    folder = tmp_path / "bots"
    folder.mkdir()
    indices = {"ants": 0, "bees": -1, "cats": 1, "dogs": -2, "eels": 2, "fish": -3}
    for name, index in indices.items():
        (folder / f"{name}.py").write_text(BOT.format(f"{index} % len(state.legal_actions())"))
    tournament = tournament_in(path, "wild", players=[], format="course", **STAGES)
    sync_folder(tournament, folder)
    play_some(tournament)
    assert TournamentView(tournament).status.old_draws == []
    shown = show(capsys, "standings", path)
    places = re.findall(r"^ ?\d  \w+ .* (final|semi|group) (\d)\b", shown, re.MULTILINE)
    assert places[:2] == [("final", "1"), ("final", "2")]
    assert [stage for stage, _ in places] == sorted(
        (stage for stage, _ in places), key="final semi group".split().index
    )
    assert "Ordered by the stage reached, the place in its pool, and points per game there." in shown
    seen = TournamentSource(path, "main").snapshot(PUBLIC)
    assert (seen["ordered_by"], seen["table"][0]["reached"]) == ("stage reached", "final 1")
    assert [(cross["title"], len(cross["names"])) for cross in seen["cross"]][-2:] == [
        ("group, pool 2", 3),
        ("group, pool 1", 3),
    ]
    assert all(played for cross in seen["cross"] for row in cross["played"] for played in sorted(row)[1:])
    pools = show(capsys, "standings", path, "--pools")
    assert len(re.findall(r"^1  .*\n-+ qualify\n2  ", pools, re.MULTILINE)) == 2, "under the first of each group"
    assert len(re.findall(r"^2  .*\n-+ qualify\n", pools, re.MULTILINE)) == 0, "both of the semi-final go on"
    drawn = {name for pool in tournament.draws()["semi-final"] for name in pool}
    (one, *_) = (name for name in tournament.draws()["group"][0] if name in drawn)
    (folder / f"{one}.py").write_text(
        "def choose(state, clock):\n    return state.legal_actions()[0] if len(state.history()) < 3 else 10**6\n"
    )
    tournament.change_settings(admit="all")
    sync_folder(tournament, folder)
    play_some(tournament)
    (old, *_) = TournamentView(tournament).status.old_draws
    assert (old.stage, old.inside, len(old.out)) == ("semi-final", [one], 1)
    tournament.file.close()
    said = f"{old.out[0]} would now qualify but stays out; {one} would no longer qualify but stays in."
    for words in (["status", str(path)], ["marks", str(path)], ["run", "--file", str(path), "--jobs", "1"]):
        assert main(["tournament", *words]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert f"The semi-final was drawn before results changed: {said}" in out
        assert f"`noughts tournament redraw {path} semi-final` draws it again." in out
    assert main(["tournament", "redraw", str(path), "quarter-final"]) == 2
    assert "there is no draw of 'quarter-final'; drawn are group, semi-final, final" in capsys.readouterr().err
    assert main(["tournament", "redraw", str(path), "semi-final"]) == 0
    assert "to be drawn again: semi-final, final" in capsys.readouterr().out
    assert main(["tournament", "run", "--file", str(path), "--jobs", "1"]) == 0
    capsys.readouterr()
    with TournamentFile(path) as file:
        tournament = file.tournament()
        assert TournamentView(tournament).status.old_draws == []
        assert {name for pool in tournament.draws()["semi-final"] for name in pool} == (drawn - {one}) | {*old.out}
    assert main(["tournament", "freeze", str(path)]) == 0
    assert main(["tournament", "redraw", str(path), "final"]) == 2
    assert "is frozen" in capsys.readouterr().err


def test_a_swiss_round_is_drawn_again_with_those_after_it(path):
    tournament = tournament_in(path, format="swiss", players=["random", "greedy", "perfect", "random:seed=5"], rounds=3)
    play_some(tournament)
    assert tournament.redraw("2") == ["2", "3"]
    assert list(tournament.draws()) == ["1"]
    play_some(tournament)
    assert list(tournament.draws()) == ["1", "2", "3"]
    with pytest.raises(StoreError, match="there is no draw of '9'; drawn are 1, 2, 3"):
        tournament.redraw("9")
    tournament.file.close()


def test_status_says_that_a_run_is_going_on_and_how_far_the_check_is(path, tmp_path, capsys):
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("ants", "bees"):
        (folder / f"{name}.py").write_text(BOT.format(0))
    tournament = tournament_in(path, players=[])
    sync_folder(tournament, folder)
    play_some(tournament, most=1)
    checks = 2 * len(GAMES)
    for most, said in (
        (0, f"1 of {checks} games of the check are finished"),
        (checks, "1 of 2 games: a run is in progress"),
    ):
        tournament = tournament.file.tournament()
        play_some(tournament, most=most)
        assert main(["tournament", "status", str(path)]) == 0
        assert said in capsys.readouterr().out
    assert main(["tournament", "status", str(path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["running"], facts["checks"]) == (True, [0, 0])
    tournament.file.close()
    assert main(["tournament", "status", str(path)]) == 0
    assert f"1 of 2 games: `noughts tournament run --file {path}` continues" in capsys.readouterr().out


def test_looking_at_a_lock_keeps_nobody_from_taking_it(path):
    assert not is_locked(path)
    lock = FileLock(path, RuntimeError())
    assert is_locked(path)
    with pytest.raises(RuntimeError):
        FileLock(path, RuntimeError())
    lock.release()
    assert not is_locked(path)
