"""Tournaments on a Ray cluster of several nodes: the same games as in one process, also if a node is lost.

Ray is too large for `dev`: pip install "noughts[cluster]" to run these.
"""

import time

import pytest
from tournament_play import played_games, tournament_in

import noughts
from noughts.bots.gate import GAMES
from noughts.course.rules import gate_of
from noughts.course.submissions import sync_folder
from noughts.matches.cluster import BATCHES_PER_CORE, play_on_ray
from noughts.tournaments._ladder import LADDER
from noughts.tournaments.ladder import create_ladder, ladder_in
from noughts.tournaments.ladder_runner import LadderRunner
from noughts.tournaments.ladder_view import leaderboard
from noughts.tournaments.organiser import run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "noughts[cluster]"')
pytestmark = pytest.mark.filterwarnings("ignore")

SLOW = """
import random, time
def choose(state, clock):
    time.sleep(0.01)
    return random.choice(state.legal_actions())
"""


FAST = "import random\ndef choose(state, clock):\n    return random.choice(state.legal_actions())\n"


@pytest.fixture
def bots(tmp_path):
    folder = tmp_path / "bots"
    folder.mkdir()
    for number in range(4):
        (folder / f"team{number}.py").write_text(SLOW)
    return folder


@pytest.fixture
def cluster():
    from ray.cluster_utils import Cluster

    # That a node is gone Ray is to find out within seconds; one that is only slow it waits for.
    health = {"period_ms": 500, "initial_delay_ms": 0, "failure_threshold": 5, "timeout_ms": 10_000}
    settings = {f"health_check_{name}": value for name, value in health.items()}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "_system_config": settings})
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def opened(path, bots):
    tournament = tournament_in(path, players=["random"], rounds=2)
    sync_folder(tournament, bots)
    return tournament


def test_a_node_that_is_lost_costs_nothing_but_time(tmp_path, bots, cluster, capsys):
    calm = opened(tmp_path / "calm.noughts", bots)
    for _ in run_of(calm, gate_of(calm)).play():
        pass
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()
    disturbed = opened(tmp_path / "cluster.noughts", bots)
    for played, _ in enumerate(run_of(disturbed, gate_of(disturbed)).play(executor=play_on_ray), 1):
        at_gate = any(entry.candidate_id for entry in disturbed.entries.all())
        batches = BATCHES_PER_CORE * 2 + 1
        assert len(disturbed.in_flight) <= batches * (len(GAMES) if at_gate else 2), (
            "two for each core, one is being written"
        )
        if played == len(GAMES) * 4 + 12:
            cluster.remove_node(second, allow_graceful=False)
    assert played_games(disturbed) == played_games(calm)
    assert "raylet" not in capsys.readouterr().out, "where results are printed, nothing of Ray's is"
    assert len(played_games(calm)) == 5 * 4 * 2
    calm.file.close()
    disturbed.file.close()


def test_an_address_without_a_cluster_gets_a_sentence(tmp_path, bots):
    tournament = opened(tmp_path / "t.noughts", bots)

    def nowhere(conditions, batches, watch, server):
        return play_on_ray(conditions, batches, address="127.0.0.1:1")

    with pytest.raises(ValueError, match=r"there is no Ray cluster at '127\.0\.0\.1:1'"):
        next(run_of(tournament, gate_of(tournament)).play(executor=nowhere))
    tournament.file.close()


def test_a_node_that_is_lost_costs_a_ladder_its_games_in_flight_which_are_played_again(tmp_path, cluster):
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()
    path = tmp_path / "class.noughts"
    with TournamentFile(path, write=True) as file:
        settings = Settings(format=LADDER, seconds=2.0)
        create_ladder(file, noughts.load_game("classic"), settings, ["ants", "bees"], ["random", "greedy"])
    runner = LadderRunner(path, gate_of, play_on_ray, reviews=False)
    runner.submit("ants", SLOW.encode())
    runner.start()

    def numbers(ladder):
        return {row["number"] for row in ladder.game_rows(everything=True, replays=False)}

    try:
        with TournamentFile(path) as file:
            seen, ends = ladder_in(file), time.monotonic() + 600
            while len(numbers(seen)) < len(GAMES) + 2 and time.monotonic() < ends:
                time.sleep(0.1)
            begun = max(numbers(seen))
            cluster.remove_node(second, allow_graceful=False)
            runner.submit("bees", FAST.encode())  # a version that comes later
            while not (
                seen.entries.find("bees").plays and numbers(seen).issuperset(range(min(numbers(seen)), begun + 1))
            ):
                assert time.monotonic() < ends, (runner.failure, sorted(numbers(seen)), begun)
                time.sleep(0.1)
            assert leaderboard(seen)[0]["games"]
            rows = [(row["number"], row["void"]) for row in seen.game_rows(everything=True, replays=False)]
            assert len(set(rows)) == len(rows), "nothing is there twice"
    finally:
        runner.close()
