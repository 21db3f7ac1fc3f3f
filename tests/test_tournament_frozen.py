"""Seeds of a tournament: none is used twice, and none is published before the tournament is frozen."""

import json
import zipfile
from pathlib import Path

import pytest
from tournament_play import play_some, played_games, tournament_in

from noughts.cli import main
from noughts.course.rules import gate_of
from noughts.course.submissions import sync_folder
from noughts.matches.seeds import PLAYER_BITS, derive_seed
from noughts.matches.store_file import StoreError
from noughts.players import make_player
from noughts.tournaments.organiser import enter_players, run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

BOT = """
import random
def choose(state, clock):
    print("rolled", random.random())
    return random.choice(state.legal_actions()){}
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "class.noughts"


def hand_in(folder, remark="", name="ants"):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(BOT.format(f"  # {remark}"))
    return folder


def seeds_in(file):
    """The seeds of all games but the gate's, which are the same in every check and count for nothing."""
    query = "SELECT seed FROM game JOIN fixture ON fixture.id = fixture WHERE stage <> 'gate' ORDER BY game.id"
    return [seed for (seed,) in file.rows(query)]


def drawn_by(tournament, version):
    """What a version of ants drew by lot in all its games that count, or did."""
    return {
        text
        for game in tournament.game_rows(name="ants", everything=True)
        if version == game["first_version" if game["first"] == "ants" else "second_version"] and game["stage"] != "gate"
        for text in json.loads(game["replay"])["prints"].values()
    }


def test_a_new_version_learns_nothing_from_the_games_of_the_former_one(path, tmp_path):
    """The same place in the schedule, the same opponent: other luck for both."""
    folder = hand_in(tmp_path / "bots", "version 1")
    tournament = tournament_in(path, players=["random"])
    sync_folder(tournament, folder)
    play_some(tournament)
    before = played_games(tournament)
    sync_folder(tournament, hand_in(folder, "version 2"))
    play_some(tournament)
    one, other = (drawn_by(tournament, version) for version in (1, 2))
    assert min(len(one), len(other)) >= 5
    assert not one & other
    after = played_games(tournament)
    assert set(after) == set(before)
    assert all(after[place][-1] != before[place][-1] for place in after)


def test_no_seed_is_used_twice_whatever_staff_and_teams_do(path, tmp_path):
    folder = hand_in(tmp_path / "bots")
    tournament = tournament_in(path, players=["random"])
    sync_folder(tournament, folder)
    play_some(tournament)
    numbers = [game["number"] for game in tournament.game_rows()]
    for _ in range(2):
        tournament.void(numbers, "to be played again")
        play_some(tournament)
    sync_folder(tournament, hand_in(folder, "another"))
    play_some(tournament)
    tournament.void(numbers, "to be played again")
    tournament.freeze()
    tournament.unfreeze()
    play_some(tournament)
    seeds = seeds_in(tournament.file)
    assert len(seeds) == 2 + 2 + 2 + 2 + 2
    assert len(set(seeds)) == len(seeds)


def test_a_game_that_is_played_again_and_broken_off_is_the_same_as_undisturbed(tmp_path):
    came = []
    for often in (0, 2):
        path = tmp_path / f"{often}.noughts"
        tournament = tournament_in(path)
        play_some(tournament)
        tournament.void([game["number"] for game in tournament.game_rows()], "to be played again")
        for _ in range(often):
            run = run_of(tournament, gate_of(tournament), trusted=["random:seed=5"])
            assert len(list(zip(range(2), run.schedule.batches(tournament), strict=False))) == 2
            tournament.file.close()  # with games that were begun, and never ended
            tournament = TournamentFile(path, write=True).tournament()
        play_some(tournament)
        came.append(played_games(tournament))
        tournament.file.close()
    assert came[0] == came[1]


def test_the_moves_of_staff_cannot_be_computed_from_what_teams_know(path):
    """As teams could: from the seed of the game, which every zip contained."""
    tournament = tournament_in(path, players=["greedy"])
    enter_players(tournament, ["random"], staff=True)
    play_some(tournament)
    seeds = dict(tournament.file.rows("SELECT id, seed FROM game"))
    (game, *_) = [game for game in tournament.game_rows() if game["first"] == "random"]
    moves = json.loads(game["replay"])["moves"]
    player = make_player("random", seed=derive_seed(seeds[game["id"]], "player", 0, bits=PLAYER_BITS))
    assert player.choose(tournament.game.new_initial_state(), None) == moves[0], "from the seed they can"
    assert game["seed"] is None
    with pytest.raises(StoreError, match=r"could predict the moves of 'random:seed=5'.*leave the seed out"):
        enter_players(tournament, ["random?seed=5"], staff=True)


# What is published.


def everything_published(path, folder, capsys):
    """All that commands print and write about a tournament, as bytes."""
    texts = []
    for words in ("status", "standings", "games --staff --all", "marks"):
        for form in ([], ["--json"]):
            assert main(["tournament", *words.split(), str(path), *form]) == 0
            texts.append(capsys.readouterr().out.encode())
    assert main(["tournament", "export", str(path), str(folder)]) == 0
    assert main(["report", str(path), "--no-analysis", "--output", str(folder / "page.html")]) == 0
    for file in filter(Path.is_file, folder.rglob("*")):
        texts.append(file.read_bytes())
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as zipped:
                texts += map(zipped.read, zipped.namelist())
    capsys.readouterr()
    return b"\n".join(texts)


def test_only_a_frozen_tournament_publishes_its_seeds(path, tmp_path, capsys):
    folder = hand_in(hand_in(tmp_path / "bots"), name="bees")
    words = f"tournament run {folder} --file {path} --game classic --jobs 1 --staff random".split()
    assert main(words) == 0
    said = capsys.readouterr()
    with TournamentFile(path) as file:
        seeds = [str(seed).encode() for seed in seeds_in(file)]
        ((secret,),) = file.rows("SELECT secret FROM tournament")
        assert len(seeds) == 6
    published = everything_published(path, tmp_path / "before", capsys) + (said.out + said.err).encode()
    assert not [seed for seed in (*seeds, secret.encode()) if seed in published]

    assert main(["tournament", "freeze", str(path)]) == 0
    out = capsys.readouterr().out
    assert "6 of 6 games: frozen since 2" in out
    assert f"the tournament's seed is 0x{secret}" in out
    published = everything_published(path, tmp_path / "after", capsys)
    assert all(seed in published for seed in (*seeds, secret.encode()))

    again = tmp_path / "again.noughts"
    assert main([*words[:4], str(again), *words[5:], "--seed", f"0x{secret}"]) == 0
    with TournamentFile(path) as one, TournamentFile(again) as other:
        assert played_games(one.tournament()) == played_games(other.tournament())


# What frozen means.


def test_nothing_of_a_frozen_tournament_changes_and_the_others_of_the_file_go_on(path, tmp_path, capsys):
    folder = hand_in(tmp_path / "bots")
    tournament = tournament_in(path, players=["random", "greedy"])
    play_some(tournament, most=1)
    tournament.file.create("week 2", tournament.game, Settings(seconds=5.0), 7)
    tournament.file.close()
    assert main(["tournament", "freeze", str(path), "--name", "main", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["seeds"] == ["0x" + "7".rjust(32, "0")]
    assert (facts["games"], facts["of"]) == (1, 2)
    before = path.read_bytes()
    for words in (
        f"run {folder} --file {path}",
        f"run --file {path}",
        f"run --file {path} --rounds 3",
        f"add {path} perfect",
        f"remove {path} random",
        f"rerun {path} --game 1",
    ):
        assert main(["tournament", *words.split(), "--name", "main"]) == 2
        assert f"'main' in {path} is frozen and cannot change" in capsys.readouterr().err
    assert path.read_bytes() == before
    with TournamentFile(path, write=True) as file:
        other = file.tournament("week 2")
        enter_players(other, ["random", "greedy"], staff=False)
        assert play_some(other) == 2
        frozen = file.tournament("main")
        for change in (
            lambda: frozen.change_settings(rounds=5),
            lambda: frozen.keep_draws({"1": [["random", "greedy"]]}),
            lambda: frozen.entries.refuse("ants", "no bot"),
            lambda: frozen.entries.check_again("random"),
        ):
            with pytest.raises(StoreError, match="is frozen"):
                change()


def test_unfrozen_it_goes_on_with_a_secret_that_nobody_has_seen(path, capsys):
    tournament = tournament_in(path, players=["random", "greedy"], rounds=2)
    play_some(tournament, most=2)
    before, lots = played_games(tournament), tournament.seed
    tournament.file.close()
    for action in ("freeze", "freeze", "unfreeze", "unfreeze"):
        assert main(["tournament", action, str(path)]) == 0
    assert "'main' is not frozen" in capsys.readouterr().out
    with TournamentFile(path, write=True) as file:
        tournament = file.tournament()
        assert tournament.published_seeds is None
        assert tournament.seed == lots, "what was drawn by lot stays"
        assert play_some(tournament) == 2
        after = played_games(tournament)
        assert {place: after[place] for place in before} == before
        tournament.freeze()
        first, second = tournament.published_seeds
        assert int(first, 16) == 7
        repeated = tournament_in(path.with_name("repeated.noughts"), players=["random", "greedy"], rounds=2)
        play_some(repeated)
        known = {seed for *_, seed in played_games(repeated).values()}
        assert {seed for *_, seed in before.values()} <= known
        assert not {after[place][-1] for place in set(after) - set(before)} & known
        assert int(second, 16) >> 64, "drawn, not counted"
        repeated.file.close()
