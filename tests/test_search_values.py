"""What alpha-beta says a position is worth: exact where games are solved, elsewhere that of plain minimax."""

import random
from dataclasses import replace

import numpy as np
import pytest
from conftest import NESTED, SMALL, random_state, random_states

import noughts
from noughts.analysis.evaluator import evaluations_of
from noughts.games.ultimate import RULES as ULTIMATE
from noughts.games.xtreme import RULES as XTREME
from noughts.rules.geometry import columns, rows
from noughts.rules.kernels import core
from noughts.rules.kernels import layout as rules_at
from noughts.rules.kernels.tables import fact_table
from noughts.rules.spec import Rules
from noughts.search import TECHNIQUE_NAMES, Engine, Limits, weights_for
from noughts.search.kernels import layout as at
from noughts.search.kernels.alphabeta import alpha_beta
from noughts.search.kernels.position import set_position
from noughts.search.kernels.timeman import NEVER
from noughts.search.kernels.tt import new_table
from noughts.search.network import END_MARGIN, END_WIN
from noughts.search.weights import search_params

MISERE_ULTIMATE = replace(ULTIMATE, name="misere-ultimate", title="Misère Ultimate", misere=True)
MISERE_XTREME = replace(XTREME, name="misere-xtreme", title="Misère Xtreme", misere=True)


SELECTIVE = ("reductions", "futility", "reverse-futility", "singular")
"""The techniques that trade truth for depth."""


def engine(game, *without, **options):
    techniques = at.ALL_TECHNIQUES & ~sum(TECHNIQUE_NAMES[name] for name in without)
    return Engine(game, memory=4, techniques=techniques, **options)


def sign(value):
    return (value > 0) - (value < 0)


def states_in_play(game, seed):
    return [state.clone() for state in random_states(game, seed) if not state.is_terminal()]


@pytest.mark.parametrize("name", SMALL)
def test_a_search_to_the_end_finds_the_exact_value(name):
    game = noughts.load_game(name)
    solution, search = noughts.solve(game), engine(game)
    choose = random.Random(3)
    for seed in range(12 if name != "numerical" else 4):
        states = states_in_play(game, seed)
        state = choose.choice(states if name != "numerical" else states[3:])
        info = search.search(state, Limits())
        assert info.best.proven == solution.value(state)
        assert info.exact or info.best.proven
        assert info.best.action in solution.best_actions(state)


@pytest.mark.parametrize("name", ["classic", "wild"])
def test_several_variations_are_the_best_moves_in_order(name):
    game = noughts.load_game(name)
    solution, search = noughts.solve(game), engine(game)
    for seed in range(6):
        state = random_state(game, seed)
        if state.is_terminal():
            continue
        values = solution.action_values(state)
        for multi_pv in (len(values) + 5, None):
            found = search.search(state, Limits(), multi_pv=multi_pv).variations
            assert sorted(variation.action for variation in found) == state.legal_actions()
            assert [variation.proven for variation in found] == sorted(values.values(), reverse=True)
            assert all(variation.proven == values[variation.action] for variation in found)


@pytest.mark.parametrize("name", NESTED)
def test_several_variations_are_of_one_depth(name):
    """However the search ends, better ones come first."""
    search = engine(noughts.load_game(name))
    for seed in range(6):
        state = random_state(noughts.load_game(name), seed)
        if not state.is_terminal():
            found = search.search(state, Limits(nodes=5_000 + 777 * seed), multi_pv=4).variations
            assert len(found) == min(4, len(state.legal_actions()))
            scores = [variation.score for variation in found]
            assert scores == sorted(scores, reverse=True)


def test_a_search_for_scores_is_the_same_search_without_variations():
    game = noughts.load_game("xtreme")
    state = random_state(game, 3)
    plain, scores = (
        engine(game).search(state, Limits(depth=4), multi_pv=None, scores_only=only) for only in (False, True)
    )
    assert [(one.action, one.score) for one in plain.variations] == [
        (one.action, one.score) for one in scores.variations
    ]
    assert plain.nodes == scores.nodes
    assert max(len(one.moves) for one in plain.variations) > 2
    assert all(one.moves == (one.action,) for one in scores.variations)


def test_a_position_is_lost_only_if_every_move_is():
    """A search that is stopped when only some moves are known to lose does not call the game lost."""
    game = noughts.load_game("ultimate")
    search, deep = engine(game), engine(game)
    lost = 0
    for seed in range(100):
        state = [state.clone() for state in random_states(game, seed)][-5]
        value = deep.search(state, Limits(nodes=500_000)).best.proven
        for nodes in range(10, 500, 20):
            search.new_game()
            found = search.search(state, Limits(nodes=nodes)).best.proven
            assert found in (0, value)
            lost += found < 0
    assert lost


def brute_force(state, depth, search, *, takes=False):
    """Plain minimax with the engine's static evaluation, by the public rules only.

    takes: where the depth ends, moves that win a block at once are still tried.
    """
    player = state.current_player()
    best = search.evaluate(state) if depth == 0 else -at.INFINITE
    owned = state.view().owners.count(player)
    for action in state.legal_actions():
        child = state.child(action)
        if depth == 0 and child.view().owners.count(player) == owned:
            continue
        side = 1 if child.current_player() == player else -1
        if child.is_terminal():
            mine, winner = child.returns()[player], child.outcome().winner
            score = points_score(search, child, player) if winner is None else at.WIN if mine > 0 else -at.WIN
        elif depth <= 1 and not takes:
            score = search.evaluate(child) * side
        else:
            score = brute_force(child, max(0, depth - 1), search, takes=takes) * side
        best = max(best, score)
    return best


def points_score(search, state, player):
    """What an end without a line counts: the margin; with a network, above all who has more."""
    margin = state.outcome().points[player] - state.outcome().points[1 - player]
    if search._params[at.EVALUATED] == at.LEARNED:
        return sign(margin) * END_WIN + margin * (END_MARGIN / search.game._utility_scale)
    return state.returns()[player] * at.RESULT_UNIT


def assert_same_value(state, depth, search, *, takes):
    expected = brute_force(state, depth, search, takes=takes)
    best = search.search(state, Limits(depth=depth)).best
    if abs(expected) < at.RESULT_UNIT:
        assert abs(best.score - expected) <= 100  # rounding of margins
    else:
        assert best.proven == sign(expected)


@pytest.mark.parametrize("network", ["shipped", None], ids=["learned", "handmade"])
@pytest.mark.parametrize("takes", [False, True], ids=["plain", "takes"])
@pytest.mark.parametrize("name", NESTED)
def test_pruning_changes_no_value(name, takes, network):
    """All that never trades truth for depth is on; the value is that of plain minimax, every leaf evaluated anew."""
    game = noughts.load_game(name)
    search = engine(game, *SELECTIVE, *([] if takes else ["quiescence"]), network=network)
    choose = random.Random(5)
    for seed in range(5):
        early = states_in_play(game, seed)[:40]  # later, plain minimax takes very long over blocks that take blocks
        state = choose.choice([state for state in early if len(state.legal_actions()) < 20])
        assert_same_value(state, 2 if takes else 3, search, takes=takes)


def odd_games():
    """Games whose lines differ in length and number, beyond what the ready ones have."""
    choose = random.Random(8)
    for side, nested, boards, lengths in ((3, False, 1, (2, 3, 4)), (4, True, 2, (3, 4, 5, 6)), (3, True, 1, (3, 4))):
        lines = {tuple(sorted(choose.sample(range(side * side), choose.choice(lengths)))) for _ in range(14)}
        yield Rules(
            name="odd", title="Odd", side=side, lines=tuple(sorted(lines)), nested=nested, boards=boards, bonus=nested
        )


def test_pruning_changes_no_value_in_odd_games():
    for rules in odd_games():
        game = noughts.Game(rules)
        search = engine(game, *SELECTIVE)
        for seed in range(12):
            state = random.Random(seed).choice(states_in_play(game, seed)[:30])
            if len(state.legal_actions()) <= 20:
                assert_same_value(state, 2, search, takes=True)


@pytest.mark.parametrize("rules", [MISERE_ULTIMATE, MISERE_XTREME], ids=lambda rules: rules.name)
def test_pruning_changes_no_value_in_misere_games(rules):
    game = noughts.Game(rules)
    search = engine(game, *SELECTIVE)
    for seed in range(8):
        state = random.Random(seed).choice(states_in_play(game, seed)[:40])
        if len(state.legal_actions()) <= 20:
            assert_same_value(state, 3, search, takes=False)


@pytest.mark.parametrize("name", NESTED)
def test_a_search_takes_every_move_back_exactly(name):
    """It leaves the row, the Zobrist key and the handmade evaluation as they are made from scratch.

    Also where it is stopped, be it in a search for a singular move.
    """
    phases = slice(at.FRAMES + at.SINGULAR_PHASE, at.MOVES, at.FRAME_WORDS)
    ends, stopped = set(), 0
    rules = noughts.load_game(name).rules
    facts, params = fact_table(rules), search_params(rules, weights_for(rules))
    work, tt, no_net = np.zeros(at.WORK_WORDS, np.int64), new_table(1), np.zeros(0, np.int16)
    work[at.TECHNIQUES], work[at.TIME] = at.ALL_TECHNIQUES, NEVER
    for seed in range(5):
        words = np.zeros(int(facts[rules_at.STATE_WORDS]), np.int64)
        words[rules_at.WINNER] = words[rules_at.LAST] = -1
        for action in random_state(noughts.load_game(name), seed).history():
            core.state_apply(facts, words, action)
        if words[rules_at.STATUS] != rules_at.IN_PLAY:
            continue
        row = words[: facts[rules_at.ROW_WORDS]].copy()
        set_position(facts, row, params, work, tt, no_net)
        kept = [*range(at.THREATS, at.LINE_GAINS), at.STATIC_EVAL, at.KEY]
        before, row_before = work[kept], row.copy()
        for depth in range(1, 25):
            work[[at.STOP, at.STOP_REQUESTED]] = work[phases] = 0
            work[at.NODE_LIMIT] = work[at.NODES] + 10_000 + 77 * depth
            alpha_beta(facts, row, params, work, tt, no_net, depth, -at.INFINITE, at.INFINITE)
            assert np.array_equal(work[kept], before)
            assert np.array_equal(row, row_before)
            stopped += int(work[at.STOP])
            ends |= {*work[phases].tolist()}
    assert ends == {at.UNASKED, at.ANSWERED}
    assert stopped > 20


SMALL_BONUS = Rules(
    name="small",
    title="Small",
    side=2,
    lines=rows(2) + columns(2),
    nested=True,
    bonus=True,
    block_points=(1, 2, 3, 4),
)
"""Four blocks of four cells; winning a block gives one more move. Small enough for brute force over the rules."""


def minimax(state, memo):
    """The value of a state for the player to move, from the ends of all games."""
    key = state.to_string()
    if key not in memo:
        memo[key] = max(minimax_of_moves(state, memo).values())
    return memo[key]


def minimax_of_moves(state, memo):
    player, values = state.current_player(), {}
    for action in state.legal_actions():
        child = state.child(action)
        if child.is_terminal():
            values[action] = child.returns()[player]
        else:
            values[action] = minimax(child, memo) * (1 if child.current_player() == player else -1)
    return values


def test_a_bonus_move_is_searched_for_the_player_who_has_it():
    """Every move is worth what brute force says, also where nothing wins but a block with its bonus move."""
    game = noughts.Game(SMALL_BONUS)
    search, memo = engine(game), {}
    only_the_bonus_wins = 0
    for seed in range(25):
        for state in states_in_play(game, seed)[5:]:
            player, values = state.current_player(), minimax_of_moves(state, memo)
            search.new_game()
            found = search.search(state, Limits(), multi_pv=None).variations
            assert {one.action: one.expected for one in found} == pytest.approx(values, abs=0.002)
            taking = {a for a in values if state.child(a).current_player() == player}
            winning = {a for a in values if values[a] == 1}
            if winning and winning <= taking < set(values):
                only_the_bonus_wins += 1
                search.new_game()
                best = search.search(state, Limits()).best
                assert best.action in winning
                assert best.proven == 1
    assert only_the_bonus_wins >= 10


@pytest.mark.parametrize("misere", [False, True])
def test_a_search_to_the_end_stays_exact_on_an_engine_that_goes_on(misere):
    """Whatever searches before it have left in the table, of these positions and their like."""
    game = noughts.Game(replace(SMALL_BONUS, misere=misere))
    search, memo, exact = engine(game), {}, 0
    for seed in range(12):
        for state in states_in_play(game, seed)[6:]:
            search.search(state, Limits(nodes=50 + 40 * seed))
            info = search.search(state, Limits())
            assert info.best.expected == pytest.approx(minimax(state, memo), abs=0.002)
            exact += info.exact
    assert exact > 20


def test_no_other_iteration_has_the_generation_of_a_search_to_the_end():
    """It trusts what it finds of its own generation; and there are only so many numbers."""
    game = noughts.Game(SMALL_BONUS)
    search, seen = engine(game), {False: set(), True: set()}

    def note(info):
        seen[bool(search._work[at.EXACT_SEARCH])].add(int(search._work[at.GENERATION]))

    for number in range(100):
        state = states_in_play(game, number)[-3]
        search.search(state, Limits(depth=None if number % 3 else 1), multi_pv=None, on_info=note)
    assert len(seen[True]) > 20
    assert not seen[True] & seen[False]


@pytest.mark.parametrize(("rules", "good"), [(ULTIMATE, 1), (MISERE_ULTIMATE, -1)], ids=["ultimate", "misere"])
def test_two_blocks_of_a_line_are_good_but_in_misere_bad(rules, good):
    """X owns two blocks of the top row, O nothing yet."""
    state = noughts.Game(rules).from_string("XXXXXX3/9/9/O2O2O2/9/9/O2O2O2/9/9 p0 block=0")
    assert good * Engine(state.game, memory=1).evaluate(state) > 10_000


def test_in_misere_the_evaluation_makes_it_clearly_stronger():
    """At the same number of nodes, against the same search that calls every position in play even."""
    game = noughts.Game(MISERE_ULTIMATE)
    players = engine(game), engine(game, "evaluation")
    points = 0.0
    for number in range(8):
        start = game.new_initial_state()
        choose = random.Random(number)
        for _ in range(6):
            start.apply_action(choose.choice(start.legal_actions()))
        for seat in range(2):
            state = start.clone()
            while not state.is_terminal():
                mover = players[state.current_player() ^ seat]
                mover.new_game()
                state.apply_action(mover.search(state, Limits(nodes=1500)).best.action)
            points += (1 + sign(state.returns()[seat])) / 2
    assert points >= 12  # of 16


def distances(state, memo):
    """The result of a small game by minimax, as (sign, moves until the end): quickest wins, slowest losses.

    Ends by points have no distance, as the search proves none for them.
    """
    key = state.to_string()
    if key not in memo:
        player, found = state.current_player(), []
        for action in state.legal_actions():
            child = state.child(action)
            if child.is_terminal():
                outcome = child.outcome()
                found.append((0 if outcome.winner is None else 1 if outcome.winner == player else -1, 1))
            else:
                value, moves = distances(child, memo)
                found.append((value if child.current_player() == player else -value, moves + 1))
        memo[key] = max(found, key=lambda one: (one[0], -one[0] * one[1]))
    return memo[key]


def test_a_proven_distance_is_a_bound_and_is_called_one():
    """Against an independent minimax, in a game small enough for it and with every technique of the search."""
    game = noughts.Game(replace(SMALL_BONUS, block_points=None))
    search, memo, proven = engine(game), {}, 0
    for seed in range(20):
        for state in states_in_play(game, seed)[4:]:
            search.new_game()
            info = search.search(state, Limits(nodes=2_000))
            (evaluation,) = evaluations_of(state, info).values()
            if info.best.proven:
                value, moves = distances(state, memo)
                proven += 1
                assert info.best.proven == value
                assert moves <= info.best.distance
                assert evaluation.at_most == (info.best.distance > 1)
                assert evaluation.at_most or moves == evaluation.distance
                assert evaluation.words.endswith(f" in {'at most ' * evaluation.at_most}{evaluation.distance}")
    assert proven > 40
