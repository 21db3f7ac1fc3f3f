"""A match as a measurement: the same opening from both sides, a difference in strength, a test that stops in time."""

import json

import pytest
from playing import played

import noughts
from noughts.cli import main
from noughts.matches.match import scoreboard
from noughts.matches.replays import ReplayError, from_json, to_json
from noughts.matches.schedule import Match
from noughts.matches.statistics import Elo, Pentanomial, Sprt
from noughts.matches.tally import Tally, paired

STRONG, WEAK = "alphabeta:nodes=500", "random"


def strong_and_weak(**options):
    return played(Match(noughts.load_game("xtreme"), (STRONG, WEAK), **options))


def test_both_players_get_the_same_opening_from_both_sides():
    records = strong_and_weak(games=4, opening=5)
    openings = [record.moves[:5] for record in records]
    assert [record.opening for record in records] == [5] * 4
    assert openings[0] == openings[1]
    assert openings[2] == openings[3]
    assert openings[0] != openings[2]
    assert [record.players[0] for record in records] == [STRONG, WEAK, STRONG, WEAK]


def test_moves_of_the_opening_take_nobody_time():
    (record, _) = strong_and_weak(games=2, opening=5)
    assert record.seconds[:5] == [0.0] * 5
    assert len(record.seconds_of(0)) + len(record.seconds_of(1)) == len(record.moves) - 5


def test_a_replay_remembers_its_opening():
    (record, _) = strong_and_weak(games=2, opening=5)
    assert from_json(to_json(record)).opening == 5
    damaged = json.loads(to_json(record)) | {"opening": 1000}
    with pytest.raises(ReplayError, match="its opening cannot have"):
        from_json(json.dumps(damaged))


def test_pairs_are_counted_for_the_first_player():
    records = strong_and_weak(games=5, opening=4)
    assert paired(records, STRONG).counts == (0, 0, 0, 0, 2)  # won both games of both pairs; the fifth game has no pair


def test_a_match_tells_the_difference_in_strength(capsys):
    args = ["match", STRONG, WEAK, "--game", "xtreme", "--games", "16", "--openings", "4"]
    assert main(args) == 0
    assert f"{STRONG}: +1000 Elo (95% interval +" in capsys.readouterr().out
    assert main([*args, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["pairs"] == [0, 0, 0, 0, 8]
    assert result["elo"]["low"] <= result["elo"]["difference"] <= result["elo"]["high"]
    assert result["sprt"] is None


def test_a_sequential_test_stops_when_it_is_clear(capsys):
    assert main(["match", WEAK, STRONG, "--game", "xtreme", "--sprt", "0,100", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["sprt"]["decision"] == "H0"
    assert len(result["games"]) < 100


@pytest.mark.parametrize("given", ["5", "a,b", "5,5", "1,2,3"])
def test_a_test_needs_two_rising_numbers(capsys, given):
    assert main(["match", WEAK, WEAK, "--game", "wild", "--sprt", given]) == 2
    assert "elo" in capsys.readouterr().err.lower()


def test_an_opening_cannot_be_negative(capsys):
    assert main(["match", WEAK, WEAK, "--game", "wild", "--openings", "-1"]) == 2
    assert "0 moves or more" in capsys.readouterr().err


def test_games_of_players_with_seeds_differ(capsys):
    args = ["match", "random:seed=3", "random:seed=4", "--game", "classic", "--games", "40", "--json"]
    assert main(args) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["different_games"] > 30
    assert main(args) == 0
    assert [game["moves"] for game in json.loads(capsys.readouterr().out)["games"]] == [
        game["moves"] for game in facts["games"]
    ]


def test_players_who_repeat_get_openings_and_repetitions_are_no_evidence(capsys):
    args = ["match", "alphabeta:depth=2", "alphabeta:depth=1", "--game", "classic", "--games", "12", "--seed", "1"]
    assert main([*args, "--openings", "0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Only 2 different games of 12: the others are exact repeats and add no evidence." in said
    assert "Elo" not in said
    assert main([*args, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["different_games"] > 2


def test_a_test_in_normalized_elo(capsys):
    args = ["match", "random", "random", "--game", "classic", "--games", "4", "--json"]
    assert main([*args, "--sprt", "0,20", "--normalized"]) == 0
    assert json.loads(capsys.readouterr().out)["sprt"]["normalized"]
    assert main([*args, "--normalized"]) == 2
    assert "--normalized changes --sprt" in capsys.readouterr().err


def test_a_coin_can_decide_who_moves_first(capsys):
    args = ["match", "random", "greedy", "--game", "classic", "--games", "20", "--seed", "5", "--json"]
    assert main([*args, "--first", "coin"]) == 0
    facts = json.loads(capsys.readouterr().out)
    orders = [game["players"][0] for game in facts["games"]]
    assert {"random", "greedy"} == set(orders)
    assert orders != ["random", "greedy"] * 10
    assert facts["pairs"] == [0] * 5  # sides are not turned, so two games are no pair
    assert main([*args, "--first", "coin"]) == 0
    assert [game["players"][0] for game in json.loads(capsys.readouterr().out)["games"]] == orders
    assert main([*args, "--first", "coin", "--sprt", "0,10"]) == 2
    assert "need pairs of games" in capsys.readouterr().err


FASTCHESS = {
    (352, 579, 1264, 743, 464): (19.83, 24.25, 8.26),
    (1, 10, 78, 48, 13): (72.85, 132.30, 39.32),
}
"""Pairs of matches that fastchess reported, with its Elo, its normalized Elo and the half of the interval of that."""


@pytest.mark.parametrize("counts", FASTCHESS)
def test_elo_and_normalized_elo_are_those_of_fastchess(counts):
    elo, normalized, half = FASTCHESS[counts]
    pairs = Pentanomial(counts)
    assert pairs.elo().elo == pytest.approx(elo, abs=0.01)
    found = pairs.normalized_elo()
    assert found.elo == pytest.approx(normalized, abs=0.01)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.1)
    assert pairs.summary().startswith(f"Ptnml(0-2): {list(counts)}, nElo: +{normalized:.0f} (95% interval +")
    assert pairs.summary().endswith("LOS: 100.0 %")


def test_pairs_that_all_end_alike_have_a_normalized_elo_too():
    found = Pentanomial((0, 0, 0, 0, 10)).normalized_elo()
    assert 0 < found.low < found.elo < found.high < float("inf")
    assert Pentanomial().normalized_elo() == Elo(0.0, -1000.0, 1000.0)


def test_the_scoreboard_has_score_elo_and_the_state_of_the_test():
    tally = Tally("mine", won=7, drawn=3, lost=2)
    pairs = Pentanomial((0, 1, 1, 2, 2))
    assert scoreboard(tally, pairs, None) == "mine +7 =3 -2, 71%, +154 Elo"
    assert scoreboard(tally, pairs, Sprt(0, 50)).endswith(" Elo, LLR +0.50 (-2.94, 2.94)")
    assert scoreboard(Tally("mine", won=1), Pentanomial(), None) == "mine +1 =0 -0, 100%"
