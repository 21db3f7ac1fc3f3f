"""Real tournament games replay exactly: movers, numbers of legal moves, endings, winners, points."""

import gzip
import json
from pathlib import Path

import pytest

import noughts

DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.mark.parametrize("name", ["extreme", "xtreme"])
def test_recorded_games_replay(name):
    path = DATA / f"{name}-games.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no recorded games at {path.parent.name}/{path.name}")
    game = noughts.load_game(name)
    replayed = 0
    with gzip.open(path, "rt") as lines:
        for line in lines:
            replay(game, json.loads(line))
            replayed += 1
    assert replayed > 100


def replay(game, record):
    state = game.new_initial_state()
    for move, mover, legal in zip(record["moves"], record["players"], record["legal"], strict=True):
        assert "xo"[state.current_player()] == mover, record["id"]
        assert len(state.legal_actions()) == legal, record["id"]
        *board, row, col = move
        text = f"{row},{col}" if not board else f"{board[0]}:{row},{col}"
        state.apply_action(state.string_to_action(text))
    end = state.outcome()
    assert end is not None, record["id"]
    assert end.reason == {"WON": "line", "DRAW": "full"}[record["ending"]]
    assert end.winner == record["winner"]
    assert list(end.points) == record["points"]
