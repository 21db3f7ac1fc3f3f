"""What the engine says of whole games: exact where the game is solved, and the same whenever it is asked."""

import json

import pytest
from conftest import NESTED
from tournament_play import play_some, tournament_in

import noughts
from noughts.analysis import evaluator_for, review
from noughts.analysis.curve import UNFITTED, curve_of
from noughts.analysis.facts import threats
from noughts.analysis.mistakes import (
    ALLOWED_WIN,
    GAVE_OPEN,
    LOST,
    MISSED_BONUS,
    MISSED_WIN,
    MISTAKE,
    from_data,
    to_data,
)
from noughts.cli import main
from noughts.matches.game import play_seats
from noughts.matches.record import GameRecord
from noughts.players import make_player
from noughts.sandbox import Fault
from noughts.tournaments import reviews
from noughts.tournaments.store import TournamentFile

NODES = 500


def record_of(name, moves, opening=0):
    game = noughts.load_game(name)
    record = GameRecord(game, ("ann", "bob"), moves=list(moves), seconds=[0.0] * len(moves), opening=opening)
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(move)
    if state.is_terminal():
        record.end_by_rules(state)
    else:
        record.reason = "unfinished"
    return record


def played(name, first="greedy", second="random", seed=3):
    seats = [make_player(player, seed=seed + n) for n, player in enumerate((first, second))]
    return play_seats(noughts.load_game(name), seats, seed=seed)


def test_in_classic_an_edge_in_answer_to_the_corner_allows_a_win_and_that_is_proven():
    found = review(record_of("classic", [0, 1, 4, 8, 3, 5, 6]))
    (edge, *_) = found.mistakes
    assert (edge.ply, edge.player, edge.kind, edge.loss, edge.exact) == (1, 1, ALLOWED_WIN, 1.0, True)
    assert edge.better == 4
    assert edge.decisive
    assert found.evaluations[0].value == 0
    assert {each.value for each in found.evaluations[2:]} == {1.0}
    assert all(each.exact for each in found.evaluations)


def test_a_win_in_one_that_was_not_seen_is_a_missed_win_and_its_line_wins():
    record = record_of("classic", [0, 3, 1, 4, 8])
    (missed, *_) = [mistake for mistake in review(record).mistakes if mistake.player == 0]
    assert (missed.ply, missed.kind, missed.best.line) == (4, MISSED_WIN, (2,))
    state = noughts.load_game("classic").new_initial_state()
    for move in [*record.moves[:4], *missed.best.line]:
        state.apply_action(move)
    assert state.outcome().winner == 0


def test_moves_of_an_opening_are_nobodys_mistakes():
    assert not review(record_of("classic", [0, 1, 4, 8, 3, 5, 6], opening=2)).mistakes_of(1)


@pytest.mark.parametrize("name", ["wild", *NESTED])
def test_a_review_ends_with_the_result_and_every_loss_is_the_difference_of_two_values(name):
    record = played(name)
    found = review(record, NODES)
    assert len(found.evaluations) == len(record.moves) + 1
    margin = record.points[0] - record.points[1]
    assert found.evaluations[-1].value == (margin > 0) - (margin < 0)
    assert found.evaluations[-1].exact
    assert found.mistakes
    for mistake in found.mistakes:
        before, after = (found.evaluations[at].pov(mistake.player).value for at in (mistake.ply, mistake.ply + 1))
        assert (mistake.best.value, mistake.played.value) == (before, after)
        assert mistake.loss >= MISTAKE - 0.001
        assert mistake.exact or (mistake.best.value > LOST and mistake.played.value < -LOST), "it changed something"
        assert mistake.better != record.moves[mistake.ply]
        state, _ = record.states()[mistake.ply]
        for move in mistake.best.line:
            state.apply_action(move)
    assert from_data(json.loads(json.dumps(to_data(found)))) == found


@pytest.mark.parametrize(("name", "seed"), [("ultimate", 2), ("ultimate", 5)])
def test_a_move_that_is_proven_to_win_costs_nothing(name, seed):
    record = played(name, seed=seed)
    for choice in review(record, NODES).choices(record):
        assert choice.lost >= 0
        assert not (choice.costly and choice.action in choice.better)


def test_the_same_game_and_budget_give_the_same_review_whatever_was_looked_at_before():
    record = played("ultimate")
    evaluator = evaluator_for(record.game, NODES)
    first = review(record, evaluator=evaluator)
    review(played("ultimate", seed=8), evaluator=evaluator)
    assert review(record, evaluator=evaluator) == review(record, NODES) == first


@pytest.mark.parametrize(("name", "seeds"), [("xtreme", range(3)), ("wild", range(20)), ("ultimate", range(5))])
def test_the_decisive_move_leads_from_a_position_that_is_not_lost_to_one_that_stays_lost(name, seeds):
    claims = 0
    for seed in seeds:
        record = played(name, "random", "greedy", seed)
        found = review(record, NODES)
        decisive = [mistake for mistake in found.mistakes if mistake.decisive]
        assert len(decisive) <= 1
        for mistake in decisive:
            claims += 1
            assert record.score(mistake.player) == 0
            assert mistake.best.value > LOST >= mistake.played.value
            later = found.evaluations[mistake.ply + 1 :]
            assert all(each.pov(mistake.player).value <= LOST for each in later)
            earlier = [
                each for each in found.mistakes_of(mistake.player) if each.ply < mistake.ply and each.best.value > 0
            ]
            assert all(each.loss <= mistake.loss for each in earlier)
    assert claims


def test_a_game_that_was_lost_by_a_fault_was_decided_by_no_move():
    record = record_of("classic", [0, 1, 4, 8, 3, 5])
    record.end_by_fault(1, Fault("time", "out of time"))
    assert [mistake.decisive for mistake in review(record).mistakes] == [False]


def test_habits_are_facts_of_the_rules():
    habits = [review(played("extreme", "random", "random", seed), 50).habits for seed in range(2)]
    for record, both in zip([played("extreme", "random", "random", seed) for seed in range(2)], habits, strict=True):
        opens = [0, 0]
        for ply, (state, action) in enumerate(record.states()[:-1]):
            after = state.child(action)
            gave = (
                not after.is_terminal() and after.current_player() != state.current_player() and after.view().open_move
            )
            opens[state.current_player()] += gave
            assert ply < len(record.moves)
        assert [each.open_given for each in both] == opens
        assert sum(each.moves for each in both) == len(record.moves)
        assert both[0].blocks_given > 0
    kinds = {m.kind for seed in range(4) for m in review(played("xtreme", "random", "random", seed), NODES).mistakes}
    assert {MISSED_BONUS, GAVE_OPEN} & kinds


def test_the_curve_rises_is_even_at_nothing_and_the_same_for_both():
    for curve in (*map(curve_of, noughts.games.VARIANTS), UNFITTED):
        values = [curve.expected(score / 10) for score in range(-10, 11)]
        assert values == sorted(values)
        assert values[10] == 0
        assert values[0] == pytest.approx(-values[-1])
        assert 0.9 < values[-1] <= 1


# Kept in the tournament file.


def test_reviews_are_kept_and_nothing_is_looked_at_twice(tmp_path, monkeypatch):
    tournament = tournament_in(tmp_path / "t.noughts", game="ultimate", players=("random", "greedy"))
    play_some(tournament, trusted=())
    due = reviews.unreviewed_games(tournament, NODES)
    assert len(due) == 2
    first = reviews.review_all(tournament, due, NODES)
    assert next(first) == 1
    first.close()  # stopped: what was done is kept
    due = reviews.unreviewed_games(tournament, NODES)
    assert len(due) == 1
    assert list(reviews.review_all(tournament, due, NODES)) == [1]
    assert reviews.unreviewed_games(tournament, NODES) == reviews.unreviewed_games(tournament, NODES // 2) == []
    assert len(reviews.unreviewed_games(tournament, 2 * NODES)) == 2, "a larger budget is more"
    tournament.file.close()
    monkeypatch.setattr(reviews, "review", None)
    with TournamentFile(tmp_path / "t.noughts") as file:
        found = reviews.reviews_of(file.tournament())
        records = {game["id"]: game for game in file.tournament().game_rows()}
        assert found.keys() == records.keys()
        assert all(len(found[game].evaluations) == records[game]["plies"] + 1 for game in found)


def test_the_newest_loss_of_every_team_is_reviewed_first(tmp_path):
    tournament = tournament_in(tmp_path / "t.noughts", players=("random", "greedy", "random?seed=5"), rounds=2)
    play_some(tournament)
    rows = {row["id"]: row for row in tournament.game_rows()}
    lost = {number: loser_of(row) for number, row in rows.items() if loser_of(row) is not None}
    losers, due = set(lost.values()), reviews.unreviewed_games(tournament)
    newest = {name: max(number for number, loser in lost.items() if loser == name) for name in losers}
    assert len(losers) > 1
    assert set(due[: len(losers)]) == set(newest.values())
    assert set(due[: len(lost)]) == set(lost), "games that nobody lost are last"
    own = reviews.unreviewed_games(tournament, name="random")
    mine = sorted((number for number, loser in lost.items() if loser == "random"), reverse=True)
    assert own[: len(mine)] == mine
    list(reviews.review_all(tournament, due[:1]))
    assert reviews.unreviewed_games(tournament) == due[1:], "a report that continues has the same order"
    tournament.file.close()


def loser_of(row):
    """The name of the loser of a game on the board; None if there is none."""
    if row["first_points"] == row["second_points"] or row["faulty"] is not None:
        return None
    return row["first" if row["first_points"] < row["second_points"] else "second"]


def test_games_are_looked_at_in_several_processes_with_the_same_result(tmp_path):
    tournament = tournament_in(tmp_path / "t.noughts", players=("random", "greedy", "random?seed=5"))
    play_some(tournament)
    due = reviews.unreviewed_games(tournament)
    assert list(reviews.review_all(tournament, due, jobs=2)) == [1, 2, 3, 4, 5, 6]
    apart = reviews.reviews_of(tournament)
    tournament.file.do("DELETE FROM review")
    assert len(list(reviews.review_all(tournament, due))) == 6
    assert reviews.reviews_of(tournament) == apart
    tournament.file.close()


def test_a_damaged_review_counts_as_none(tmp_path):
    tournament = tournament_in(tmp_path / "t.noughts", players=("random", "greedy"))
    play_some(tournament, trusted=())
    list(reviews.review_all(tournament, reviews.unreviewed_games(tournament)))
    with tournament.file.change():
        tournament.file.do("UPDATE review SET data = '{}' WHERE game = 1")
        tournament.file.do("UPDATE review SET data = 'x' WHERE game = 2")
    assert reviews.reviews_of(tournament) == {}
    tournament.file.close()


def test_reviews_of_an_older_version_are_made_again_and_the_report_says_so(tmp_path, capsys):
    path = tmp_path / "t.noughts"
    tournament = tournament_in(path, players=("random", "greedy"))
    play_some(tournament, trusted=())
    list(reviews.review_all(tournament, reviews.unreviewed_games(tournament)))
    with tournament.file.change():
        tournament.file.do(
            'UPDATE review SET nodes = 2000000, data = \'{"nodes":2000000,"values":[0]}\' WHERE game = 1'
        )
    assert reviews.old_reviews(tournament, reviews.unreviewed_games(tournament)) == reviews.old_reviews(tournament) == 1
    tournament.file.close()
    message = "1 review of an older version left out; run the report without --no-analysis to renew them"
    assert main(["report", str(path), "--no-analysis", "-o", str(tmp_path / "a.html")]) == 0
    assert message in capsys.readouterr().out
    assert main(["report", str(path), "-o", str(tmp_path / "b.html"), "--jobs", "1"]) == 0
    said = capsys.readouterr()
    assert "1 review of an older version in the file" in said.err
    assert message not in said.out
    with TournamentFile(path) as file:
        assert len(reviews.reviews_of(file.tournament())) == 2


@pytest.mark.parametrize(
    ("game", "position", "cells"),
    [
        ("classic", "XX./OO./... p0", [5]),
        ("classic", "X../.O./... p0", []),
        ("misere", "XX./OO./... p0", []),
        ("wild", "XX./.../... p0", [2]),
        ("ultimate", "OO7/1O7/9/XX7/3X5/9/9/9/9 p0 block=4", [2, 19, 20]),
    ],
)
def test_a_threat_is_a_cell_where_the_opponent_wins_next(game, position, cells):
    assert threats(noughts.load_game(game).from_string(position)) == cells


def test_accuracy_is_the_share_of_moves_that_gave_nothing_away_where_something_could_be():
    record = GameRecord(noughts.load_game("classic"), ("a", "b"), moves=[4, 1, 0, 2, 8], seconds=[0.0] * 5)
    record.end_by_rules(record.states()[-1][0])
    found = review(record)
    assert (found.accuracy(record, 0), found.accuracy(record, 1)) == (1.0, 0.0)
    record.opening = len(record.moves)
    assert found.accuracy(record, 0) is None
