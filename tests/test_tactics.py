"""The tactical suite of benchmarks/: positions in play, each once, with legal solutions that can be proven again."""

import json
from collections import Counter
from pathlib import Path

import pytest

import noughts
from noughts.search import Engine, Limits

FOLDER = Path(__file__).parents[1] / "benchmarks" / "tactics"
POSITIONS = 50
MOST_SOLUTIONS = 3
WINS_AGAIN = 8
SAVES_AGAIN = 4
LOSS_NODES = 10_000_000
SLACK = 100
"""A proof may take this many times the nodes that it took when it was stored: the search may have changed since."""


def records(name):
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


@pytest.fixture(params=sorted(path.stem for path in FOLDER.glob("*.jsonl")))
def suite(request):
    """The game, and its records with their states."""
    game = noughts.load_game(request.param)
    return game, [(record, game.from_string(record["position"])) for record in records(request.param)]


def test_each_game_has_its_positions_of_both_kinds(suite):
    game, puzzles = suite
    assert {record["game"] for record, _ in puzzles} == {game.name}
    kinds = Counter(record["kind"] for record, _ in puzzles)
    assert kinds.total() == POSITIONS
    assert set(kinds) == {"win", "save"}


def test_positions_are_in_play_and_leave_a_choice(suite):
    for record, state in suite[1]:
        assert state.to_string() == record["position"]
        assert len(state.legal_actions()) >= 3


def test_no_position_appears_twice_in_any_symmetry(suite):
    assert len({state.canonical().to_string() for _, state in suite[1]}) == POSITIONS


def test_solutions_are_few_and_legal(suite):
    for record, state in suite[1]:
        moves = [state.string_to_action(solution["move"]) for solution in record["solutions"]]
        assert len(set(moves)) == len(moves)
        assert set(moves) <= set(state.legal_actions())
        assert 1 <= len(moves) <= (MOST_SOLUTIONS if record["kind"] == "win" else 1)


def test_the_wins_with_the_shortest_proofs_are_proven_again(suite):
    game, puzzles = suite
    wins = [(record, state) for record, state in puzzles if record.get("proof_nodes")]
    wins.sort(key=lambda pair: pair[0]["proof_nodes"])
    engine = Engine(game, memory=8)
    for record, state in wins[:WINS_AGAIN]:
        engine.new_game()
        best = engine.search(state, Limits(nodes=SLACK * record["proof_nodes"])).best
        assert best.proven == 1
        assert state.action_to_string(best.action) in {solution["move"] for solution in record["solutions"]}


def loses(engine, state, action, nodes):
    """Whether a move is proven to lose within this number of nodes."""
    after = state.child(action)
    sign = 1 if after.current_player() == state.current_player() else -1
    return sign * engine.search(after, Limits(nodes=nodes)).best.proven == -1


def test_the_other_moves_of_the_shortest_saves_are_proven_to_lose_again(suite):
    game, puzzles = suite
    saves = [(record, state) for record, state in puzzles if record["kind"] == "save"]
    saves.sort(key=lambda pair: (pair[0]["others_lose_within"], len(pair[1].legal_actions())))
    engine = Engine(game, memory=8)
    for record, state in saves[:SAVES_AGAIN]:
        engine.new_game()
        solution = record["solutions"][0]
        saving = state.string_to_action(solution["move"])
        others = set(state.legal_actions()) - {saving}
        assert all(loses(engine, state, action, LOSS_NODES) for action in others)
        if solution["certain"]:  # of the others it is only said that no loss was found
            assert not loses(engine, state, saving, LOSS_NODES)
