"""Alpha-beta: exact where games are solved, the same by every way, within its limits, and never stuck."""

import random
import threading
import time

import numpy as np
import pytest
from conftest import NESTED, SMALL, random_state, random_states

import noughts
from noughts.players import Clock, make_player
from noughts.rules.kernels import layout as kernel
from noughts.rules.spec import MAX_BLOCKS, MAX_SIDE, Rules
from noughts.search.engine import Limits, Searcher
from noughts.search.kernels import alphabeta, position
from noughts.search.kernels import layout as at
from noughts.search.kernels.judging import judge_rows
from noughts.search.kernels.timeman import DEADLINE, NEVER, PAUSE, RESERVE, start_clock


def searcher(name, **options):
    return Searcher(noughts.load_game(name), megabytes=4, **options)


def value_of(score):
    return (score > at.PROVEN) - (score < -at.PROVEN)


@pytest.mark.parametrize("name", SMALL)
def test_a_search_to_the_end_finds_the_exact_value(name):
    game = noughts.load_game(name)
    solution, search = noughts.solve(game), searcher(name)
    choose = random.Random(3)
    for seed in range(12 if name != "numerical" else 4):
        states = [state.clone() for state in random_states(game, seed) if not state.is_terminal()]
        state = choose.choice(states if name != "numerical" else states[3:])
        report = search.search(state, Limits())
        assert value_of(report.best.score) == solution.value(state)
        assert report.exact or report.best.proven
        assert report.best.action in solution.best_actions(state)


@pytest.mark.parametrize("name", ["classic", "wild"])
def test_several_lines_are_the_best_moves_in_order(name):
    game = noughts.load_game(name)
    solution, search = noughts.solve(game), searcher(name)
    for seed in range(6):
        state = random_state(game, seed)
        if state.is_terminal():
            continue
        legal = len(state.legal_actions())
        report = search.search(state, Limits(), lines=legal + 5)
        values = solution.action_values(state)
        assert sorted(line.action for line in report.lines) == state.legal_actions()
        assert [value_of(line.score) for line in report.lines] == sorted(values.values(), reverse=True)
        assert all(value_of(line.score) == values[line.action] for line in report.lines)


@pytest.mark.parametrize("name", NESTED)
def test_several_lines_are_of_one_depth(name):
    """However the search ends, better lines come first."""
    search = searcher(name)
    for seed in range(6):
        state = random_state(noughts.load_game(name), seed)
        if not state.is_terminal():
            lines = search.search(state, Limits(nodes=5_000 + 777 * seed), lines=4).lines
            assert len(lines) == min(4, len(state.legal_actions()))
            assert [line.score for line in lines] == sorted((line.score for line in lines), reverse=True)


def test_a_position_is_lost_only_if_every_move_is():
    """A search that is stopped when only some moves are known to lose does not call the game lost."""
    game = noughts.load_game("ultimate")
    search, deep = searcher("ultimate"), searcher("ultimate")
    lost = 0
    for seed in range(100):
        state = [state.clone() for state in random_states(game, seed)][-5]
        value = deep.search(state, Limits(nodes=500_000)).best.proven
        for nodes in range(10, 500, 20):
            search.forget()
            found = search.search(state, Limits(nodes=nodes)).best.proven
            assert found in (0, value)
            lost += found < 0
    assert lost


def brute_force(state, depth, search, *, takes=False):
    """Plain minimax with the search's own evaluation, by the public rules only.

    takes: where the depth ends, moves that win a block at once are still tried.
    """
    player = state.current_player()
    best = judged(state, search) if depth == 0 else -at.INFINITE
    for action in state.legal_actions():
        child = state.child(action)
        if depth == 0 and child._words[kernel.WON + player] == state._words[kernel.WON + player]:
            continue
        sign = 1 if child.current_player() == player else -1
        if child.is_terminal():
            (mine, *_), winner = child.returns()[player:], child.outcome().winner
            score = mine * at.CERTAIN_SCORE if winner is None else at.WIN if mine > 0 else -at.WIN
        elif depth <= 1 and not takes:
            score = judged(child, search) * sign
        else:
            score = brute_force(child, max(0, depth - 1), search, takes=takes) * sign
        best = max(best, score)
    return best


def judged(state, search):
    """The evaluation of one position from scratch."""
    rows, scores = state._words[None, : len(search._row)].copy(), np.zeros(1, np.int64)
    judge_rows(search._facts, rows, search._know, search._work, scores)
    return int(scores[0])


@pytest.mark.parametrize("takes", [False, True], ids=["plain", "takes"])
@pytest.mark.parametrize("name", NESTED)
def test_pruning_changes_no_value(name, takes):
    """All that never trades truth for depth is on; the value is that of plain minimax."""
    left_out = at.REDUCTIONS | at.FUTILITY | (0 if takes else at.QUIESCENCE)
    search = searcher(name, techniques=at.ALL_TECHNIQUES & ~left_out)
    choose = random.Random(5)
    for seed in range(8):
        states = [state.clone() for state in random_states(noughts.load_game(name), seed) if not state.is_terminal()]
        early = states[:40]  # later, plain minimax takes very long over blocks that take blocks
        state = choose.choice([state for state in early if len(state.legal_actions()) < 20])
        depth = 2 if takes else 3
        expected = brute_force(state, depth, search, takes=takes)
        report = search.search(state, Limits(depth=depth))
        if abs(expected) < at.CERTAIN_SCORE:
            assert abs(report.best.score - expected) <= 100  # rounding of margins
        else:
            assert value_of(report.best.score) == (expected > 0) - (expected < 0)


@pytest.mark.parametrize("name", NESTED)
def test_the_evaluation_kept_up_to_date_is_the_one_from_scratch(name):
    """A search leaves its workspace as `set_up` would make it: every move was taken back exactly."""
    search = searcher(name)
    for seed in range(5):
        state = random_state(noughts.load_game(name), seed)
        if state.is_terminal():
            continue
        search.search(state, Limits(nodes=3000))
        row = search._row.copy()
        position.set_up(search._facts, row, search._know, search._work, search._memory)
        scratch = search._work[at.THREATS : at.GAINS].copy(), int(search._work[at.SCORE]), int(search._work[at.KEY])
        alphabeta.look_ahead(
            search._facts, row, search._know, search._work, search._memory, 3, -at.INFINITE, at.INFINITE
        )
        assert np.array_equal(scratch[0], search._work[at.THREATS : at.GAINS])
        assert scratch[1:] == (search._work[at.SCORE], search._work[at.KEY])
        assert np.array_equal(row, state._words[: len(row)])


def test_a_bonus_move_keeps_the_same_player_on_the_move():
    """X completes block 0 and may move again: lines show two moves of X in a row."""
    game = noughts.load_game("xtreme")
    for seed in range(40):
        for state in random_states(game, seed):
            if state.is_terminal() or state.view().bonus:
                continue
            player = state.current_player()
            taking = [a for a in state.legal_actions() if state.child(a).current_player() == player]
            if taking:
                line = searcher("xtreme").search(state, Limits(depth=4)).best.moves
                walk = state.clone()
                for action in line:
                    walk.apply_action(action)  # every line is legal
                return
    pytest.fail("no block was ever won")


def test_nodes_and_depth_give_the_same_search_each_time():
    game = noughts.load_game("extreme")
    state = random_state(game, 2)
    one, two = (searcher("extreme").search(state, Limits(nodes=20_000)) for _ in range(2))
    assert (one.nodes, one.lines) == (two.nodes, two.lines)
    again = searcher("extreme")
    again.search(game.new_initial_state(), Limits(nodes=5000))
    again.forget()
    third = again.search(state, Limits(nodes=20_000))
    assert (third.nodes, third.lines) == (one.nodes, one.lines)
    assert searcher("extreme").search(state, Limits(depth=2)).depth == 2


def test_another_thread_can_stop_it():
    search = searcher("extreme")
    state = noughts.load_game("extreme").new_initial_state()
    found = []
    thread = threading.Thread(target=lambda: found.append(search.search(state, Limits())))
    thread.start()
    while search._work[at.NODES] < 10_000:  # this thread runs: the search does not hold the interpreter
        time.sleep(0.001)
    search.stop()
    thread.join(timeout=30)
    assert found
    assert found[0].best.action in state.legal_actions()


def test_time_stops_it():
    report = searcher("extreme").search(noughts.load_game("extreme").new_initial_state(), Limits(seconds=0.02))
    assert report.depth < at.MAX_DEPTH


def test_even_without_time_there_is_a_move(game):
    state = game.new_initial_state()
    player = make_player("alphabeta?memory=1")
    assert player.choose(state, Clock(0.0)) in state.legal_actions()


@pytest.mark.parametrize("name", NESTED)
def test_it_beats_random_play_from_both_sides(name):
    game = noughts.load_game(name)
    strong, weak = make_player("alphabeta?nodes=300&memory=1"), make_player("random", seed=4)
    for seat in range(2):
        state = game.new_initial_state()
        while not state.is_terminal():
            player = strong if state.current_player() == seat else weak
            state.apply_action(player.choose(state, Clock()))
        assert state.returns()[seat] > 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("alphabeta?depth=0", "depth must be 1 or more, not 0"),
        ("alphabeta?nodes=x", "nodes must be a whole number, not 'x'"),
        ("alphabeta?time=nan", "time must be a number of seconds above 0"),
        ("alphabeta?brain=2", "alphabeta has no option 'brain'"),
    ],
)
def test_options_that_make_no_sense_are_refused(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        make_player(text)


def test_limits_that_make_no_sense_are_refused():
    for wrong in ({"depth": 0}, {"nodes": 0}, {"seconds": -1}, {"seconds": float("nan")}):
        with pytest.raises(ValueError, match="must be"):
            Limits(**wrong)
    with pytest.raises(ValueError, match="1 megabyte or more"):
        Searcher(noughts.load_game("wild"), megabytes=0)
    with pytest.raises(ValueError, match="the game is over"):
        searcher("classic").search(noughts.load_game("classic").from_string("XXX/OO./... end"), Limits())


def test_the_moves_of_the_longest_line_fit():
    largest = MAX_BLOCKS * MAX_SIDE**2
    assert largest * at.MAX_DEPTH <= at.MOVE_ROOM


def test_a_search_leaves_time_for_a_pause_like_the_longest_one():
    words = np.zeros(4, np.int64)
    words[PAUSE] = 800
    start_clock(words, 0, 100.0, 1.0)
    assert words[DEADLINE] == 101_000_000_000
    assert words[PAUSE] == 700  # what was long ago counts less and less
    assert words[RESERVE] == 250_000_000  # most of the time is used, come what may
    start_clock(words, 0, 100.0, None)
    assert words[DEADLINE] == NEVER

    search, state = searcher("extreme"), noughts.load_game("extreme").new_initial_state()
    plenty = search.search(state, Limits(seconds=3600, depth=4))
    search._work[at.CLOCK + PAUSE] = 7_200_000_000_000
    assert (
        search.search(state, Limits(seconds=3600, depth=4)).lines == plenty.lines
    )  # three quarters of an hour is enough
    assert search._work[at.CLOCK + PAUSE] > 0


def test_a_stop_at_any_moment_leaves_a_move():
    """The first depth is always finished: there is a legal move, and nothing is called lost that is not."""
    search, state = searcher("ultimate"), noughts.load_game("ultimate").new_initial_state()
    over = threading.Event()

    def hammer():
        while not over.is_set():
            search.stop()

    thread = threading.Thread(target=hammer)
    thread.start()
    try:
        for _ in range(300):
            report = search.search(state, Limits(depth=6))
            assert report.depth >= 1
            assert report.best.action in state.legal_actions()
            assert not report.best.proven
    finally:
        over.set()
        thread.join()


def odd_games():
    """Games whose lines differ in length and number, beyond what the ready ones have."""
    choose = random.Random(8)
    for side, nested, boards, lengths in ((3, False, 1, (2, 3, 4)), (4, True, 2, (3, 4, 5, 6)), (3, True, 1, (3, 4))):
        lines = {tuple(sorted(choose.sample(range(side * side), choose.choice(lengths)))) for _ in range(14)}
        yield Rules(
            name="odd",
            title="Odd",
            side=side,
            lines=tuple(sorted(lines)),
            nested=nested,
            boards=boards,
            bonus=nested,
        )


def test_pruning_changes_no_value_in_odd_games():
    for rules in odd_games():
        game = noughts.Game(rules)
        search = Searcher(game, megabytes=1, techniques=at.ALL_TECHNIQUES & ~(at.REDUCTIONS | at.FUTILITY))
        for seed in range(12):
            states = [state.clone() for state in random_states(game, seed) if not state.is_terminal()]
            state = random.Random(seed).choice(states[:30])
            if len(state.legal_actions()) > 20:
                continue
            expected = brute_force(state, 2, search, takes=True)
            score = search.search(state, Limits(depth=2)).best.score
            if abs(expected) < at.CERTAIN_SCORE:
                assert abs(score - expected) <= 100
            else:
                assert value_of(score) == (expected > 0) - (expected < 0)
