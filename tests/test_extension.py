"""The kernels' extension: what its wrapper refuses, that nothing public crashes it, and that all levels agree.

`python build_kernels.py` builds it; without one for these sources there is nothing to test.
"""

import threading

import numpy as np
import pytest
from conftest import EVERY_GAME, load

import noughts
from noughts.rules.kernels import form
from noughts.rules.kernels.entries import MODULES
from noughts.rules.kernels.playout import streams
from noughts.search import Engine, Limits

LEVELS, REASON = form.extension()
pytestmark = pytest.mark.skipif(not LEVELS, reason=f"no extension: {REASON}")
LEVEL = next(iter(LEVELS), "")


def functions(level=LEVEL):
    return LEVELS[level]


def played(level, game):
    """The totals of random games by the code of one level."""
    begin, totals = game.new_initial_state().words[: game._row_words].copy(), np.zeros(4, np.int64)
    (stream,) = streams(3, 1)
    functions(level)["play_games"](game.facts, begin, begin.copy(), stream, 30, totals)
    return totals.tolist()


def test_it_has_every_entry_point_and_no_other():
    for entries in LEVELS.values():
        assert set(entries) == set(MODULES)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_level_plays_the_same_games(name):
    game = load(name)
    result = noughts.playouts(game, 30, seed=3)
    expected = [result.plies, *result.wins, result.draws]
    assert {level: played(level, game) for level in LEVELS} == dict.fromkeys(LEVELS, expected)


def test_every_level_searches_the_same_tree(monkeypatch):
    for name in ("wild", "ultimate", "extreme"):
        game, found = noughts.load_game(name), set()
        for level in LEVELS:
            for entry in ("alpha_beta", "set_position"):
                monkeypatch.setattr(f"noughts.search.engine.{entry}", functions(level)[entry])
            report = Engine(game, memory=1).search(game.new_initial_state(), Limits(nodes=3000))
            found.add((report.nodes, repr(report.variations)))
        assert len(found) == 1


def arguments():
    game = noughts.load_game("ultimate")
    return [game.facts, game.new_initial_state().words.copy(), 0]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "other",
    [
        lambda row: row.astype(np.int32),
        lambda row: row.astype(np.uint64),
        lambda row: row.astype(np.float64),
        lambda row: row.astype(">i8"),
        lambda row: row[::2],
        lambda row: row.reshape(1, -1),
        lambda row: np.frombuffer(b"\0" + row.tobytes() + bytes(7), np.int64, offset=0),
        lambda row: np.frombuffer(b"\0" + row.tobytes(), np.uint8)[1:].view(np.int64),
        read_only,
        lambda row: row.tolist(),
        lambda row: None,
        lambda row: memoryview(row),
    ],
)
def test_it_refuses_arrays_of_another_type_or_layout(other):
    facts, row, action = arguments()
    with pytest.raises(TypeError, match="state_apply: state must be a C-contiguous, writable int64 array of 1 dim"):
        functions()["state_apply"](facts, other(row), action)


@pytest.mark.parametrize(
    ("action", "error"), [(0.0, TypeError), ("0", TypeError), (None, TypeError), (1 << 63, OverflowError)]
)
def test_it_refuses_what_is_no_integer_of_64_bits(action, error):
    facts, row, _ = arguments()
    before = row.copy()
    with pytest.raises(error):
        functions()["state_apply"](facts, row, action)
    assert np.array_equal(row, before)


def test_it_takes_integers_of_any_kind():
    for action in (4, np.int64(4), np.uint8(4), True):
        facts, row, _ = arguments()
        assert functions()["state_apply"](facts, row, action) > 0


def test_it_refuses_another_number_of_arguments():
    for given in (arguments()[:2], [*arguments(), 1], []):
        with pytest.raises(TypeError, match=f"state_apply takes 3 arguments, not {len(given)}"):
            functions()["state_apply"](*given)


def test_a_stream_is_an_unsigned_number():
    game = noughts.load_game("wild")
    row, totals = game.new_initial_state().words[: game._row_words].copy(), np.zeros(4, np.int64)
    with pytest.raises(OverflowError):
        functions()["play_games"](game.facts, row, row.copy(), -1, 1, totals)
    functions()["play_games"](game.facts, row, row.copy(), (1 << 64) - 1, 1, totals)
    assert totals[1:].sum() == 1


def test_long_functions_let_other_threads_run_and_short_ones_do_not():
    """While random games are played, this thread counts; a state's functions never give up the lock halfway."""
    game = noughts.load_game("extreme")
    row, totals = game.new_initial_state().words[: game._row_words].copy(), np.zeros(4, np.int64)
    (stream,) = streams(1, 1)
    work = threading.Thread(target=functions()["play_games"], args=(game.facts, row, row.copy(), stream, 20000, totals))
    work.start()
    counted = 0
    while work.is_alive():
        counted += 1
    assert counted > 1000
    assert totals[1:].sum() == 20000
