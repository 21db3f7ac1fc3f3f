"""A game or a match in one call, as a notebook plays it."""

import sys
from types import SimpleNamespace

import pytest

import noughts
from noughts.matches import UNTIMED, Match, tallies
from noughts.matches.match import MatchResult


class Last:
    def choose(self, state, clock):
        return state.legal_actions()[-1]


def test_a_match_says_how_the_players_did():
    result = noughts.play_match("classic", ("perfect", Last()), games=6, seed=1)
    perfect, last = result.tallies
    assert (perfect.name, last.name) == result.players == ("perfect", "Last")
    assert perfect.won == last.lost
    assert perfect.games == last.games == len(result.records) == 6
    assert perfect.points == sum(record.points[record.seat_of("perfect")] for record in result.records)
    assert perfect.points_against == last.points
    assert len(perfect.seconds) + len(last.seconds) == sum(
        len(record.moves) - record.opening for record in result.records
    )
    assert result.elo.low <= result.elo.elo <= result.elo.high
    assert result.decision is None
    assert "<table>" in result._repr_html_()


def test_the_same_seed_plays_the_same_match_on_one_core_or_two():
    one, two = (noughts.play_match("wild", ("random", "greedy"), games=4, seed=5, jobs=jobs) for jobs in (1, 2))
    assert [record.moves for record in one.records] == [record.moves for record in two.records]


def test_a_sequential_test_ends_the_match():
    result = noughts.play_match("wild", ("perfect", "random"), sprt=noughts.Sprt(0, 100), seed=1)
    assert result.decision == "H1"
    assert result.llr >= result.sprt.bounds[1]
    assert len(result.records) < 100
    assert result.sprt.summary(result.pairs).startswith("SPRT [0, 100]: H1 accepted, LLR +")


def test_what_a_player_does_wrong_forfeits_its_game():
    result = noughts.play_match("classic", (lambda state, clock: 99, "random"), games=2)
    wrong, other = result.tallies
    assert wrong.forfeits == other.opponent_forfeits == {"invalid": 2}
    assert (wrong.lost, wrong.lost_on_board, other.won, other.won_on_board) == (2, 0, 2, 0)


def test_a_match_keeps_its_games_in_a_folder(tmp_path):
    result = noughts.play_match("classic", ("random", "random"), games=2, folder=str(tmp_path / "new" / "games"))
    kept = sorted((tmp_path / "new" / "games").glob("*.json"))
    assert [noughts.GameRecord.load(path).moves for path in kept] == [record.moves for record in result.records]


@pytest.mark.parametrize("players", ["random", ("random",), ("random", "greedy", "perfect")])
def test_a_match_takes_two_players(players):
    with pytest.raises(ValueError, match="a match needs two players"):
        noughts.play_match("classic", players)


def test_a_time_is_above_zero():
    with pytest.raises(ValueError, match="time must be seconds greater than 0, not 0"):
        noughts.play_game("classic", ("random", "random"), time=0)


def test_one_game_from_an_opening():
    record = noughts.play_game("ultimate", ("random", Last()), opening=[40, 30], seed=1, time=1)
    assert (record.moves[:2], record.opening, record.players) == ([40, 30], 2, ("random", "Last"))
    assert noughts.play_game("ultimate", ("random", "random"), opening=4, seed=1).opening == 4
    seen = []
    noughts.play_game("classic", ("random", "random"), watch=lambda so_far: seen.append(len(so_far.moves)))
    assert seen == list(range(1, len(seen) + 1))


def test_a_game_is_saved_in_a_folder_that_is_made_for_it(tmp_path):
    record = noughts.play_game("classic", ("random", "random"), seed=1)
    record.save(str(tmp_path / "deep" / "down" / "game.json"))
    assert noughts.GameRecord.load(str(tmp_path / "deep" / "down" / "game.json")) == record
    pytest.importorskip("PIL")
    record.gif(tmp_path / "film" / "game.gif")
    assert (tmp_path / "film" / "game.gif").read_bytes().startswith(b"GIF89a")


def test_names_in_a_table_are_escaped():
    class Sly(Last):
        name = "<script>"

    result = noughts.play_match("classic", (Sly(), "random"), games=2)
    assert "<script>" not in result._repr_html_()


def test_a_bar_is_shown_in_a_notebook(monkeypatch):
    shown = []

    class Handle:
        update = shown.append

    def display(html, *, display_id):
        shown.append(html)
        return Handle

    shell = SimpleNamespace()
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    noughts.play_match("classic", ("random", "random"), games=2)
    assert shown == [], "IPython in a terminal has no kernel"
    shell.kernel = object()
    noughts.play_match("classic", ("random", "random"), games=2, progress=False)
    assert shown == []
    noughts.play_match("classic", ("random", "random"), games=2)
    assert "<progress" in shown[0]
    assert shown[-1] == ""


def test_tallies_are_those_of_the_players_named():
    match = Match(noughts.load_game("classic"), ("random", "perfect"), limits=UNTIMED)
    records = noughts.play_match("classic", ("random", "perfect"), games=2).records
    (perfect,) = tallies(["perfect"], records)
    assert perfect.games == 2
    assert MatchResult(match, records).tallies[1].won == perfect.won
