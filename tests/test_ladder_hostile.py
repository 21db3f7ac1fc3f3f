"""Students against each other on a ladder: what each of them may try, and what comes of it. docs/security.md has a row
for each.
"""

import random
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from ladder_world import Clock, bot, new_ladder, play, played, random_game, rate, schedule_of, upload_all

from noughts.cli import main
from noughts.matches.record import GameRecord
from noughts.tournaments import ladder_team, ladder_view, store
from noughts.tournaments._ladder import LADDER, Ladder
from noughts.tournaments._matchmaker import SHARE, SHARE_FREE
from noughts.tournaments._ratings import add_games
from noughts.tournaments.ladder import UploadRefused, ask_for_friendly, submit
from noughts.tournaments.results import Fixture


@pytest.fixture
def ladder(tmp_path):
    ladder = new_ladder(tmp_path / "class.noughts", clock=Clock(), uploads=12)
    yield ladder
    ladder.file.close()


def test_a_request_that_is_sent_again_changes_nothing(ladder):
    """A page that is loaded again, a hook that runs twice, somebody who repeats a recorded request."""
    first = submit(ladder, "ants", bot("one"))
    for _ in range(50):
        again = submit(ladder, "ants", bot("one"))
        assert (again.version, again.is_new) == (first.version, False)
    assert len(ladder_team.versions(ladder, ladder.entries.find("ants"), ladder_team.Visibility("staff"))) == 1
    play(ladder, 10)
    for _ in range(ladder.settings.friendlies):
        ask_for_friendly(ladder, "ants", "random")
    with pytest.raises(UploadRefused):
        ask_for_friendly(ladder, "ants", "random")


def test_a_team_that_uploads_without_an_end_delays_others_by_one_gate_and_stops_no_game(ladder):
    ladder.change_settings(uploads=1000)
    upload_all(ladder, "bees", "cats")
    play(ladder, 60)
    schedule, luck, stages, waited = schedule_of(ladder), random.Random(1), [], None
    batches = schedule.batches(ladder)
    for turn in range(40):
        submit(ladder, "ants", bot(turn))
        if turn == 10:
            submit(ladder, "bees", bot("new"))
        schedule.poll_soon()
        batch = next(batches)
        assert batch is not None
        for pairing in batch:
            stages.append(ladder.in_flight[pairing.number].fixture.stage)
            ladder.add(played(ladder, pairing, luck=luck, used=(0.02, 0.02)))
        if turn >= 10 and waited is None and ladder.entries.find("bees").version == 2:
            waited = turn - 10
    assert waited is not None
    assert stages.count(LADDER) >= 4


def test_a_bot_that_recognises_a_friend_and_loses_to_it_is_named_to_the_staff(ladder, tmp_path):
    friends = new_ladder(tmp_path / "friends.noughts", [f"team{number}" for number in range(8)])
    upload_all(friends)
    play(friends, 60)
    entries = {entry.name: entry for entry in friends.entries.all()}
    luck = random.Random(3)

    def add(first, second, winner, round_):
        fixture = Fixture(first, second, LADDER, round=round_)
        pairing = friends.start_game(fixture, entries[first], entries[second])
        record = GameRecord(friends.game, (first, second), seed=pairing.seed, number=pairing.number)
        while record.winner != winner or not record.moves:
            record.moves, record.seconds, record.winner = [], [], None
            random_game(record, luck)
        friends.add(record)

    for round_ in range(100, 104):
        for other in ("team2", "team3", "team4", "team5"):
            add("team0", other, 0, round_)  # the strong one beats all others
            add(other, "team1", 0, round_)  # the weak one loses to them
        for seats, winner in ((("team1", "team0"), 0), (("team0", "team1"), 1)):
            add(*seats, winner, round_)
    rate(friends)
    odd = ladder_view.queue(friends)["odd_pairs"]
    assert (odd[0]["team"], odd[0]["against"]) == ("team1", "team0")


def test_no_team_makes_up_more_than_its_share_of_the_games_of_any_version():
    """Of twelve teams, one loses to a friend who meets few others, and one comes back with version after version."""
    teams, games, luck = [f"team{number}" for number in range(12)], {}, random.Random(4)
    number = dict.fromkeys(teams, 1)
    for turn in range(150):
        if turn % 15 == 14:
            number["team1"] += 1
        names = [f"{name}#{number[name]}" for name in teams]
        ladder = Ladder(names, ["y#1"], seed=turn)
        current = {pair: counts for pair, counts in games.items() if pair[0] in names or pair[1] in names}
        for fixture in islice(ladder.due_now(current, ladder.ratings(current)), 8):
            friends = {name.partition("#")[0] for name in fixture[:2]} == {"team0", "team1"}
            winner = fixture.first.startswith("team0") if friends else luck.random() < 0.5
            add_games(games, fixture.first, fixture.second, (1, 0) if winner else (0, 1))
        for version in {name for pair in games for name in pair} - {"y#1"}:
            against = Counter()
            for pair, counts in games.items():
                if version in pair:
                    against[pair[pair[0] == version].partition("#")[0]] += sum(counts)
            assert max(against.values()) <= max(SHARE_FREE, SHARE * against.total()), (version, against)
    assert sum(map(sum, games.values())) > 600


def test_a_swarm_of_equal_versions_gains_nothing_by_the_luck_of_one():
    """The luckiest of 40 versions of the same strength: its interval says so, and its luck does not last."""
    rng = np.random.default_rng(5)

    def play_on(games, name, count):
        for _ in range(count):
            add_games(games, name, "y#1", (1, 0) if rng.random() < 0.5 else (0, 1))

    ladders = {}
    for number in range(40):
        games = {}
        play_on(games, f"ants#{number}", 12)
        ladders[f"ants#{number}"] = games
    rated = {
        name: next(row for row in Ladder([name], ["y#1"]).ratings(games).table if row.name == name)
        for name, games in ladders.items()
    }
    lucky = max(rated, key=lambda name: rated[name].elo)
    assert rated[lucky].elo > 100
    assert rated[lucky].high - rated[lucky].low > 200, "nobody takes such a rating for a fact"
    ladder = Ladder([lucky], ["y#1"])
    assert next(ladder.due_now(ladders[lucky], ladder.ratings(ladders[lucky])), None) is not None, "it has to play on"
    play_on(ladders[lucky], lucky, 200)
    later = next(row for row in ladder.ratings(ladders[lucky]).table if row.name == lucky)
    assert later.elo < rated[lucky].elo / 2


def test_versions_of_one_team_never_meet_and_only_the_newest_plays(ladder):
    upload_all(ladder)
    for number in range(8):
        submit(ladder, "ants", bot(number))
        play(ladder, 12)
    for row in ladder.game_rows(everything=True, replays=False):
        assert row["first"] != row["second"] or row["stage"] == "gate"
    assert sum(row["team"] == "ants" for row in ladder_view.leaderboard(ladder)) == 1


def test_prints_of_one_team_fill_no_file(ladder, monkeypatch):
    monkeypatch.setattr(store, "TEAM_PRINTS", 5000)
    upload_all(ladder)
    schedule, kept = schedule_of(ladder), 0
    batches = schedule.batches(ladder)
    for _ in range(20):
        for pairing in next(batches) or ():
            record = played(ladder, pairing)
            record.prints = dict.fromkeys(range(len(record.moves)), "x" * 2000)
            ladder.add(record)
    for row in ladder.game_rows(everything=True):
        kept += row["replay"].count("x" * 100) * 100
    ((entries,),) = ladder.file.rows("SELECT count(*) FROM entry")  # with the opponents at the gate
    assert kept <= (5000 + 1000) * entries
    assert max(size for (size,) in ladder.file.rows("SELECT prints FROM entry")) <= 2 * 5000, (
        "both seats against itself"
    )


def test_a_name_that_is_a_formula_is_none_in_the_files_of_a_ladder(tmp_path, capsys):
    (tmp_path / "roster.csv").write_text('team,name,id,email\nants,"=HYPERLINK(""http://x"")",+cmd,@a\n')
    path = tmp_path / "class.noughts"
    assert main(["ladder", "create", str(path), "--game", "classic", "--roster", str(tmp_path / "roster.csv")]) == 0
    for _ in range(2):  # a new link writes it again
        cells = (tmp_path / "class-links.csv").read_text().splitlines()[2].split(",")
        assert cells[1].lstrip('"').startswith("'=HYPERLINK")
        assert cells[2] == "'+cmd"
        assert main(["ladder", "link", str(path), "ants"]) == 0
    capsys.readouterr()
