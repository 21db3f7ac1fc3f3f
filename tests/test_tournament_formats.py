"""Formats: everyone meets whom they should, from both seats, and a stopped tournament goes on as if it had not been."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament_play import names, play, result_of

import noughts
from noughts.cli import main
from noughts.tournaments._formats import FINAL, GROUP, SEMI_FINAL, Course, Format, Gauntlet, League, dealt, snaked
from noughts.tournaments._matching import NOBODY, matched
from noughts.tournaments._swiss import Swiss
from noughts.tournaments.results import Fixture, Result, checked_names, random_number
from noughts.tournaments.settings import FORMATS
from noughts.tournaments.standings import BY_STAGE, standings, tables
from noughts.tournaments.store import TournamentFile

SIZES = st.integers(2, 60)
SEEDS = st.integers(0, 2**32)


def seats(games):
    """How often each started, less how often it did not."""
    balance = Counter()
    for game in games:
        balance[game.first] += 1
        balance[game.second] -= 1
    return balance


def formats(count, seed):
    return [
        League(names(count), seed=seed),
        Course(names(count), seed=seed),
        Gauntlet(names(count), ["bot1000", "bot1001"]),
        Swiss(names(count), seed=seed),
    ]


@given(SIZES, st.integers(1, 3), SEEDS)
@settings(max_examples=30, deadline=None)
def test_in_a_league_every_ordered_pair_meets_once_a_round(count, rounds, seed):
    form = League(names(count), rounds, seed)
    games = list(form.due([]))
    wanted = {(one, other, number) for one in names(count) for other in names(count) for number in range(1, rounds + 1)}
    met = [(game.first, game.second, game.round) for game in games]
    assert sorted(met) == sorted(meeting for meeting in wanted if meeting[0] != meeting[1])
    assert form.games == len(games)
    assert not any(seats(games).values())


@given(SIZES, SEEDS)
@settings(max_examples=20, deadline=None)
def test_at_any_time_of_a_league_all_have_played_about_equally_often(count, seed):
    played = Counter(dict.fromkeys(names(count), 0))
    for game in League(names(count), seed=seed).due([]):
        played.update(game[:2])
        assert max(played.values()) - min(played.values()) <= 4


@given(SIZES, st.integers(1, 5), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_in_a_gauntlet_each_meets_the_fixed_set_from_both_seats(count, staff, rounds):
    form = Gauntlet(names(count), [f"staff{number}" for number in range(staff)], rounds)
    games = list(form.due([]))
    assert len(set(games)) == len(games) == form.games == 2 * count * staff * rounds
    assert all(("staff" in game.first) != ("staff" in game.second) for game in games)
    assert not any(seats(games).values())


@given(st.integers(2, 80), SEEDS)
@settings(max_examples=20, deadline=None)
def test_in_the_course_the_best_of_each_pool_go_on(count, seed):
    form = Course(names(count), seed)
    results = play(form)
    assert len(results) == form.games
    assert not any(seats(result.fixture for result in results).values())
    pools = {
        stage: [table for (at, _), table in tables(results, seed=seed).items() if at == stage]
        for stage in (GROUP, SEMI_FINAL, FINAL)
    }
    assert sorted(row.name for table in pools[GROUP] for row in table) == sorted(names(count))
    for stage, following in ((GROUP, SEMI_FINAL), (SEMI_FINAL, FINAL)):
        assert {row.name for table in pools[stage] for row in table[:3]} == {
            row.name for table in pools[following] for row in table
        }
        sizes = [len(table) for table in pools[stage]]
        assert max(sizes) - min(sizes) <= 1
    assert len(pools[FINAL]) == 1


def test_the_course_as_it_was_100_bots_in_10_pools_then_3_pools_of_10_then_9():
    results = play(Course(names(100), seed=5))
    sizes = Counter()
    for (stage, _), table in tables(results).items():
        sizes[stage, len(table)] += 1
    assert sizes == {(GROUP, 10): 10, (SEMI_FINAL, 10): 3, (FINAL, 9): 1}


def test_a_thousand_bots_fit_the_course_and_a_swiss():
    course = Course(names(1000))
    assert sum(1 for _ in course.due([])) == 10 * 100 * 99
    assert course.games == 99_000 + 3 * 90 + 72
    results = play(Swiss(names(1000), rounds=3))
    assert len({frozenset(result.fixture[:2]) for result in results}) == 1500


def test_other_seeds_draw_other_pools():
    draws = {tuple(map(tuple, Course(names(40), seed).pools())) for seed in range(20)}
    assert len(draws) == 20
    together = sum({"bot0", "bot1"} <= set(pool) for seed in range(1000) for pool in Course(names(40), seed).pools())
    assert 40 < together < 120  # 3 in 39


def test_the_draw_does_not_depend_on_the_order_of_the_names():
    forth, back = Course(names(50)), Course(names(50)[::-1])
    assert set(forth.due([])) == set(back.due([]))


def test_late_entries_go_to_the_smallest_pools_and_move_nobody():
    before = Course(names(42), seed=3)
    after = Course([*names(42), "bot100", "bot101"], seed=3, kept_draws=before.draws([]))
    for old, new in zip(before.pools(), after.pools(), strict=True):
        assert new[: len(old)] == old
    played = play(before, most=50)
    assert {result.fixture for result in played} <= set(after.due([]))
    assert len(play(after, played)) == after.games


def test_semi_final_pools_are_seeded_in_snake_order():
    assert snaked("abcdefgh", 3) == [["a", "f", "g"], ["b", "e", "h"], ["c", "d"]]
    assert dealt("abcdefgh", 3) == [["a", "d", "g"], ["b", "e", "h"], ["c", "f"]]


@given(SIZES, SEEDS)
@settings(max_examples=30, deadline=None)
def test_a_swiss_tournament_is_balanced_and_shares_the_byes(count, seed):
    form = Swiss(names(count), rounds=7, seed=seed)
    results = play(form)
    assert len(results) == form.games
    assert not any(seats(result.fixture for result in results).values())
    rounds = Counter()
    for result in results:
        rounds.update((name, result.fixture.round) for name in result.fixture[:2])
    assert set(rounds.values()) == {2}
    byes = [sum((name, number) not in rounds for number in range(1, form.rounds + 1)) for name in names(count)]
    assert sum(byes) == (form.rounds if count % 2 else 0)
    assert max(byes) - min(byes) <= 1


@given(st.integers(8, 30), SEEDS)
@settings(max_examples=20, deadline=None)
def test_in_a_swiss_tournament_nobody_meets_twice_while_it_can_be_avoided(count, seed):
    rounds = (count + 1) // 2 - 1  # so few that those who have not met can always be paired (Dirac)
    results = play(Swiss(names(count), rounds, seed))
    assert len({frozenset(result.fixture[:2]) for result in results}) == len(results) // 2


def test_a_swiss_tournament_may_be_longer_than_there_are_opponents():
    results = play(Swiss(names(5), rounds=11))
    assert len(results) == 11 * 4


def test_in_a_swiss_tournament_winners_meet_winners():
    form = Swiss(names(16), rounds=4)
    results = []
    for number in range(1, 5):
        scores = {row.name: row.won for row in standings(results, names(16))}
        due = list(form.due(results))
        assert {game.round for game in due} == {number}
        assert all(scores[game.first] == scores[game.second] for game in due)
        results += [Result(game, (68, 0) if game.first < game.second else (0, 68)) for game in due]
    assert [row.won for row in standings(results)] == [8] + [6] * 4 + [4] * 6 + [2] * 4 + [0]


@given(st.integers(0, 3), st.integers(2, 24), SEEDS, st.data())
@settings(max_examples=40, deadline=None)
def test_a_tournament_stopped_anywhere_goes_on_to_the_same_games(which, count, seed, data):
    def form():
        return formats(count, seed)[which]

    whole = play(form())
    cut = data.draw(st.integers(0, len(whole)))
    kept = data.draw(st.permutations(play(form(), most=cut))) if cut < 200 else play(form(), most=cut)[::-1]
    assert {result.fixture for result in play(form(), kept)} == {result.fixture for result in whole}
    assert list(form().due(whole)) == []


def test_games_in_flight_may_finish_in_any_order():
    form = Course(names(12), seed=1)
    due = list(form.due([]))
    some = [result_of(fixture) for fixture in due[1::2]]
    assert list(form.due(some)) == due[::2]


@given(st.integers(1, 9), st.integers(0, 2**36 - 1))
@settings(max_examples=100, deadline=None)
def test_no_matching_has_more_pairs(count, bits):
    edges = {
        (one, other)
        for number, (one, other) in enumerate((one, other) for other in range(count) for one in range(other))
        if bits >> number & 1
    }

    def wishes(one):
        return (other for other in range(count) if (min(one, other), max(one, other)) in edges)

    def most(left):
        if not left:
            return 0
        one, *rest = left
        pairs = [1 + most([x for x in rest if x != other]) for other in rest if (one, other) in edges]
        return max([most(rest), *pairs])

    partner = matched(count, wishes)
    pairs = [(one, other) for one, other in enumerate(partner) if other != NOBODY and one < other]
    assert set(pairs) <= edges
    assert all(partner[other] == one for one, other in pairs)
    assert len(pairs) == most(list(range(count)))


def test_lots_are_the_same_in_every_process():
    assert random_number(1, "table", "bot0") == 4081054913430479111


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: League(["a"]), "the tournament needs 2 contestants or more, and there is 1; add some"),
        (lambda: League([]), "the tournament needs 2 contestants or more, and there are none; add some"),
        (lambda: Swiss(["a", "b", "a"]), "two contestants have the name 'a'; give each its own name"),
        (lambda: Course(["a", "b", "b"]), "two contestants have the name 'b'; give each its own name"),
        (lambda: Gauntlet(["a", "b"], ["b"]), "'b' is a contestant and a staff player; leave it out of one list"),
        (lambda: League(["a", "b"], rounds=0), "a league needs 1 round or more, not 0"),
        (lambda: Swiss(["a", "b"], rounds=-1), "a Swiss tournament needs 1 round or more, not -1"),
        (lambda: Course(["a", "b"], group_pools=0), "a stage needs 1 pool or more, not 0"),
        (lambda: Course(["a", "b"], semi_top=0), "1 or more of a pool must qualify, not 0"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(make, message):
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(") + "$"):
        make()


def test_names_are_kept_in_order():
    assert checked_names(["b", "a"]) == ("b", "a")
    assert Fixture("a", "b", "final", 1, 2).returned() == Fixture("b", "a", "final", 1, 2)


@given(st.integers(4, 60), SEEDS, st.integers(0, 3), st.floats(0.1, 0.9))
@settings(max_examples=20, deadline=None)
def test_what_was_drawn_stays_when_contestants_come_and_go_and_only_games_of_the_changed_are_due(
    count, seed, which, share
):
    form = formats(count, seed)[which]
    results = play(form, most=int(share * form.games))
    assert form.counting_results(results) == results
    if not hasattr(form, "drawn"):
        return
    drawn = form.draws(results)
    assert form.draws(results) == replace(form, kept_draws=drawn).draws(results)
    assert list(replace(form, kept_draws=drawn).due(results)) == list(form.due(results))
    changed, gone = "bot0", "bot1"
    kept = [result for result in results if changed not in result.fixture]
    due = list(replace(form, kept_draws=drawn).due(kept))
    assert {result.fixture for result in results} - {result.fixture for result in kept} <= set(due)
    again = set(due) - set(form.due(results))
    assert all(changed in fixture for fixture in again)
    fewer = replace(form, names=[name for name in form.names if name != gone], kept_draws=drawn)
    assert all(gone not in fixture for fixture in fewer.due(results))
    assert fewer.counting_results(results) == [result for result in results if gone not in result.fixture]
    more = replace(form, names=[*form.names, "bot900"], kept_draws=drawn)
    assert more.counting_results(results) == results
    played = play(more, results)
    if share < 0.5:  # later, all rounds of a Swiss tournament may have been drawn
        assert any("bot900" in result.fixture for result in played)
    assert more.counting_results(played) == played


@dataclass(frozen=True)
class Cup(Format):
    """Of four contestants, the winners of two pairs of games meet in the decider; of equals, the first goes on."""

    stages: ClassVar[Mapping[str, float]] = {"preliminary": 20.0, "decider": 30.0}
    order = BY_STAGE

    @property
    def games(self):
        return 6

    def due(self, results):
        return (game for pool in self._pairs(results) for game in pool if game not in {one.fixture for one in results})

    def draws(self, results):
        return {pair[0].stage: [list(pair[0][:2])] for pair in self._pairs(results)}

    def counting_results(self, results):
        return list(results)

    def qualify(self, stage):
        return 1 if stage == "preliminary" else None

    def _pairs(self, results):
        pairs = [Fixture(*self.names[at : at + 2], "preliminary", at // 2 + 1) for at in (0, 2)]
        points = Counter()
        first = [result for result in results if result.fixture.stage == "preliminary"]
        for result in first:
            points.update(dict(zip(result.fixture[:2], result.points, strict=True)))
        if len(first) == 4:
            pairs.append(Fixture(*(max(pair[:2], key=points.__getitem__) for pair in pairs), "decider"))
        return [(pair, pair.returned()) for pair in pairs]


def test_a_new_format_is_one_class(tmp_path, monkeypatch, capsys):
    """Its games are played and stored; table, marks, report and `redraw` follow its stages."""
    monkeypatch.setitem(FORMATS, "cup", Cup)
    path = str(tmp_path / "cup.noughts")
    players = ["perfect", "random", "greedy", "mcts:games=20"]
    with noughts.Tournament("classic", players, format="cup", file=path, seed=1) as tournament:
        tournament.play(progress=False)
        table = tournament.standings()
        marks = tournament.marks()
        page = tournament.report(tmp_path / "report.html").read_text()
    assert (table.ordered_by, len(table.results)) == (BY_STAGE, 6)
    assert [table.stages_reached[row.name] for row in table] == [
        "decider 1",
        "decider 2",
        "preliminary 2",
        "preliminary 2",
    ]
    assert [set(table.certainty.names), set(table.not_qualified)] == [
        {row.name for row in table.order[:2]},
        {row.name for row in table.order[2:]},
    ]
    assert all([(part.name, part.out_of) for part in mark.parts] == [*Cup.stages.items()] for mark in marks)
    assert '"stage": "decider"' in page or '"stage":"decider"' in page
    assert main(["tournament", "standings", path, "--pools"]) == 0
    assert "qualify" in capsys.readouterr().out
    assert main(["tournament", "status", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["finished"]
    with TournamentFile(path, write=True) as file:
        assert file.tournament().redraw("preliminary") == ["preliminary", "decider"]
