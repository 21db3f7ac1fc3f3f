"""A tournament in a few lines of Python."""

import pytest

import noughts


class Last:
    def choose(self, state, clock):
        return state.legal_actions()[-1]


def test_a_league_of_names_and_objects(tmp_path):
    with noughts.Tournament("classic", ["perfect", Last(), "random"], rounds=2, seed=1) as tournament:
        tournament.play()
        table = tournament.standings()
        assert {row.name for row in table} == {"perfect", "Last", "random"}
        assert [row.place for row in table] == [1, 2, 3]
        assert sum(row.games for row in table) == 2 * len(tournament.records()) == 2 * 12
        assert tournament.ratings()[0].name == "perfect"
        assert {mark.name for mark in tournament.marks()} == {"perfect", "Last", "random"}
        assert "<table>" in table._repr_html_()
        page = tournament.report(str(tmp_path / "pages" / "report.html"))
        assert "Last" in page.read_text()


def test_a_file_is_gone_on_with(tmp_path):
    file = str(tmp_path / "new" / "club.noughts")
    with noughts.Tournament("wild", ["random", "greedy"], file=file, seed=1) as tournament:
        tournament.play()
        first = [record.moves for record in tournament.records()]
    with noughts.Tournament(players=["perfect"], file=file) as tournament:
        tournament.play()
        moves = [record.moves for record in tournament.records()]
        assert tournament.game.name == "wild"
    assert len(moves) == 6
    assert all(game in moves for game in first)
    with pytest.raises(ValueError, match="contains a tournament of wild; name another file"):
        noughts.Tournament("classic", file=file)


def test_a_stopped_tournament_plays_all_remaining_games_when_it_is_continued():
    class Interrupted:
        moves = 0

        def choose(self, state, clock):
            Interrupted.moves += 1
            if Interrupted.moves == 5:
                raise KeyboardInterrupt
            return state.legal_actions()[-1]

    players = ["random", "greedy", "perfect", Interrupted()]
    with noughts.Tournament("classic", players, format="swiss", rounds=3, seed=1) as tournament:
        with pytest.raises(KeyboardInterrupt):
            tournament.play(progress=False)
        assert len(tournament.records()) < 12
        tournament.play(progress=False)
        assert len(tournament.records()) == 12


def test_an_object_that_is_no_longer_there_is_named(tmp_path):
    file = tmp_path / "club.noughts"
    with noughts.Tournament("classic", [Last(), "random"], file=file, seed=1):
        pass
    with (
        noughts.Tournament(players=["greedy"], file=file) as tournament,
        pytest.raises(ValueError, match="names the player 'Last'"),
    ):
        tournament.play()


def test_a_new_tournament_needs_a_game():
    with pytest.raises(ValueError, match="a new tournament needs a game"):
        noughts.Tournament(players=["random", "greedy"])


def test_a_game_of_ones_own_is_played_by_the_tournament_command(tmp_path, capsys, monkeypatch):
    from noughts.cli import main

    (tmp_path / "mine.py").write_text(
        "from noughts.rules import Rules, k_in_a_row\n"
        "WIDE = Rules('four-wide', 'Four Wide', side=4, lines=k_in_a_row(4, 4))\n"
    )
    monkeypatch.chdir(tmp_path)
    args = ["tournament", "run", "--game", "mine.py:WIDE", "--staff", "random", "greedy", "--file", "own.noughts"]
    assert main([*args, "--jobs", "1"]) == 0
    with noughts.Tournament(file="own.noughts") as tournament:
        assert tournament.game.rules.title == "Four Wide"
        assert len(tournament.records()) == 2
