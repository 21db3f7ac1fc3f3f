"""What the engine says of whole games: exact where the game is solved, and the same whenever it is asked."""

import json

import pytest
from tournament_play import play_some, tournament_in

import noughts
from noughts.analysis.curve import FITTED, UNFITTED
from noughts.analysis.review import (
    ALLOWED_WIN,
    GAVE_OPEN,
    MISSED_BONUS,
    MISSED_WIN,
    MISTAKE,
    from_data,
    judged,
    review_game,
    to_data,
)
from noughts.matches.game import PlayerSeat, play_seats
from noughts.matches.record import GameRecord
from noughts.players import make_player
from noughts.tournaments import reviews
from noughts.tournaments.store import TournamentFile

NODES = 30_000


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
    seats = [PlayerSeat(make_player(player, seed=seed + n), None) for n, player in enumerate((first, second))]
    return play_seats(noughts.load_game(name), seats, seed=seed)


def test_in_classic_an_edge_in_answer_to_the_corner_allows_a_win_and_that_is_proven():
    review = review_game(record_of("classic", [0, 1, 4, 8, 3, 5, 6]))
    (edge, *_) = review.mistakes
    assert (edge.ply, edge.player, edge.kind, edge.loss, edge.exact) == (1, 1, ALLOWED_WIN, 1.0, True)
    assert edge.better == 4
    assert edge.decisive
    assert review.values[0] == 0
    assert set(review.values[2:]) == {1.0}
    assert all(review.exact)


def test_a_win_in_one_that_was_not_seen_is_a_missed_win_and_its_line_wins():
    record = record_of("classic", [0, 3, 1, 4, 8])
    (missed, *_) = [mistake for mistake in review_game(record).mistakes if mistake.player == 0]
    assert (missed.ply, missed.kind, missed.line) == (4, MISSED_WIN, (2,))
    state = noughts.load_game("classic").new_initial_state()
    for move in [*record.moves[:4], *missed.line]:
        state.apply_action(move)
    assert state.outcome().winner == 0


def test_moves_of_an_opening_are_nobodys_mistakes():
    assert not review_game(record_of("classic", [0, 1, 4, 8, 3, 5, 6], opening=2)).of(1)


@pytest.mark.parametrize("name", ["wild", "ultimate", "xtreme", "extreme"])
def test_a_review_ends_with_the_result_and_every_loss_is_the_difference_of_two_values(name):
    record = played(name)
    review = review_game(record, NODES)
    assert len(review.values) == len(review.exact) == len(record.moves) + 1
    margin = record.points[0] - record.points[1]
    assert review.values[-1] == (margin > 0) - (margin < 0)
    assert review.exact[-1]
    assert review.mistakes
    for mistake in review.mistakes:
        sign = 1 if mistake.player == 0 else -1
        before, after = review.values[mistake.ply] * sign, review.values[mistake.ply + 1] * sign
        assert mistake.loss == pytest.approx(before - after, abs=0.002)
        assert mistake.loss >= MISTAKE
        assert mistake.better != record.moves[mistake.ply]
        state, _ = record.states()[mistake.ply]
        for move in mistake.line:
            state.apply_action(move)
    assert from_data(json.loads(json.dumps(to_data(review)))) == review


def test_the_same_game_and_budget_give_the_same_review_whatever_was_looked_at_before():
    record = played("ultimate")
    first = review_game(record, NODES)
    review_game(played("ultimate", seed=8), NODES)
    assert review_game(record, NODES) == first


def test_the_last_mistake_before_all_was_lost_is_the_decisive_one():
    for seed in range(3):
        record = played("xtreme", "random", "greedy", seed)
        review = review_game(record, NODES)
        decisive = [mistake for mistake in review.mistakes if mistake.decisive]
        assert len(decisive) <= 1
        for mistake in decisive:
            assert record.score(mistake.player) == 0
            later = [other for other in review.of(mistake.player) if other.ply > mistake.ply]
            assert all(other.before <= -0.5 for other in later)


def test_habits_are_facts_of_the_rules():
    habits = [review_game(played("extreme", "random", "random", seed), 2_000).habits for seed in range(2)]
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
    kinds = {
        m.kind for seed in range(4) for m in review_game(played("xtreme", "random", "random", seed), NODES).mistakes
    }
    assert {MISSED_BONUS, GAVE_OPEN} & kinds


def test_the_curve_rises_is_even_at_nothing_and_the_same_for_both():
    for curve in (*FITTED.values(), UNFITTED):
        values = [curve.expected(score / 10) for score in range(-10, 11)]
        assert values == sorted(values)
        assert values[10] == 0
        assert values[0] == pytest.approx(-values[-1])
        assert 0.9 < values[-1] <= 1


def test_a_move_is_judged_for_who_makes_it():
    game = noughts.load_game("classic")
    state = game.from_string("XX./OO./... p0")
    assert judged(state, 2).value == 1
    assert judged(state, 8).value == -1
    assert judged(game.from_string("XX./OO./X.. p1"), 5).value == 1


# Kept in the tournament file.


def test_reviews_are_kept_and_nothing_is_looked_at_twice(tmp_path, monkeypatch):
    tournament = tournament_in(tmp_path / "t.noughts", game="ultimate", players=("random", "greedy"))
    play_some(tournament, trusted=())
    due = reviews.due(tournament, NODES)
    assert (len(due.games), due.of) == (2, 2)
    first = reviews.review_all(tournament, due, NODES)
    assert next(first) == 1
    first.close()  # stopped: what was done is kept
    due = reviews.due(tournament, NODES)
    assert len(due.games) == 1
    assert list(reviews.review_all(tournament, due, NODES)) == [1]
    assert reviews.due(tournament, NODES).games == reviews.due(tournament, NODES // 2).games == ()
    assert len(reviews.due(tournament, 2 * NODES).games) == 2, "a larger budget is more"
    tournament.file.close()
    monkeypatch.setattr(reviews, "review_game", None)
    with TournamentFile(tmp_path / "t.noughts") as file:
        found = reviews.reviews_of(file.tournament())
        records = {game["id"]: game for game in file.tournament().told_games()}
        assert found.keys() == records.keys()
        assert all(len(found[game].values) == records[game]["plies"] + 1 for game in found)


def test_games_are_looked_at_in_several_processes_with_the_same_result(tmp_path):
    tournament = tournament_in(tmp_path / "t.noughts", players=("random", "greedy", "random?seed=5"))
    play_some(tournament)
    due = reviews.due(tournament)
    assert list(reviews.review_all(tournament, due, jobs=2)) == [1, 2, 3, 4, 5, 6]
    apart = reviews.reviews_of(tournament)
    tournament.file.do("DELETE FROM review")
    assert len(list(reviews.review_all(tournament, due))) == 6
    assert reviews.reviews_of(tournament) == apart
    tournament.file.close()


def test_a_file_of_before_gets_the_table_when_it_is_written_to(tmp_path):
    path = tmp_path / "t.noughts"
    tournament = tournament_in(path, players=("random", "greedy"))
    play_some(tournament, trusted=())
    tournament.file.do("DROP TABLE review")
    tournament.file.do("PRAGMA user_version = 1")
    tournament.file.close()
    with TournamentFile(path, write=True) as file:
        assert len(reviews.due(file.tournament()).games) == 2


def test_a_damaged_review_counts_as_none(tmp_path):
    tournament = tournament_in(tmp_path / "t.noughts", players=("random", "greedy"))
    play_some(tournament, trusted=())
    list(reviews.review_all(tournament, reviews.due(tournament)))
    with tournament.file.change():
        tournament.file.do("UPDATE review SET data = '{}' WHERE game = 1")
        tournament.file.do("UPDATE review SET data = 'x' WHERE game = 2")
    assert reviews.reviews_of(tournament) == {}
    tournament.file.close()
