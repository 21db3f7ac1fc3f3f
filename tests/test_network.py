"""The learned evaluation: the same by every way, the integers near the floats, and files that are whole or refused."""

import random
import tracemalloc
import zlib
from dataclasses import replace

import numpy as np
import pytest
from conftest import NESTED, random_state, random_states
from kernel_arrays import compiled, row_of, search_arrays, table_move

import noughts
from noughts.files import DIGEST_BYTES, seal
from noughts.games.ultimate import RULES as ULTIMATE
from noughts.players import make_player
from noughts.players.registry import listed_player
from noughts.rules.kernels import layout as rules_at
from noughts.rules.view import OPEN
from noughts.search import Engine, Limits
from noughts.search.kernels import layout as at
from noughts.search.kernels import network_layout as net_at
from noughts.search.kernels.position import make_move, undo_move
from noughts.search.network import (
    MARK,
    cache_rows,
    limits,
    load_network,
    network_array,
    quantised,
    rules_hash,
    save_network,
    shapes,
    shipped_network,
)

SPREAD = {"patterns": 0.15, "vector_bias": 0.3, "matrices": 0.1, "output": 0.5, "output_bias": 0.05}
"""Standard deviations of random weights, about those of trained ones."""


def random_floats(rules, seed, rank=16, contempt=0):
    draw, sizes = np.random.default_rng(seed), shapes(rules, rank, contempt > 0)
    return {name: draw.normal(0, SPREAD.get(name, 0.3), shape) for name, shape in sizes.items()}


def random_network(rules, seed=1, rank=16, bounds=(0.0, 1.0), contempt=0):
    return quantised(rules, random_floats(rules, seed, rank, contempt), bounds, {"by": "chance"}, contempt)


def engine(name, seed=1, **options):
    game = noughts.load_game(name)
    return Engine(game, memory=1, network=random_network(game.rules, seed), **options)


def states_in_play(game, seed):
    return [state.clone() for state in random_states(game, seed) if not state.is_terminal()]


def float_score(state, floats, bounds, view_of_draws=0):
    """What the network says about a state, in floats and by the public view of the rules, for the player to move."""
    rules, view, player = state.game.rules, state.view(), state.current_player()
    cells = dict(np.ndenumerate(board_of(state)))
    total, rows = floats["bias"].copy(), []
    for block in range(rules.blocks):
        if view.owners[block] != OPEN:
            total += floats["closed"][block, {player: 0, 1 - player: 1}.get(view.owners[block], 2)]
            rows.append(None)
            continue
        vector, start = floats["vector_bias"].copy(), 0
        for part in net_at.PARTS_OF[rules.side]:
            pattern = sum(3**digit * seen(cells[block, cell], player) for digit, cell in enumerate(part))
            vector += floats["patterns"][start + pattern]
            start += 3 ** len(part)
        row = np.clip(vector, *bounds) @ floats["matrices"][block]
        total += row[: net_at.WIDTH]
        rows.append(row)
    sent = destined_blocks(state)
    for block in sent:
        total += rows[block][net_at.WIDTH :]
    if not sent:
        total += floats["free"]
    if row_of(state)[rules_at.BONUS]:
        total += floats["bonus"]
    marks = sum(mark != 0 for mark in cells.values())
    output = min(net_at.PHASES - 1, net_at.PHASES * marks // len(cells)) + net_at.PHASES * view_of_draws
    units = np.clip(total, 0, 1) ** 2
    return at.MAX_EVAL * np.tanh((units @ floats["output"][output] + floats["output_bias"][output]) / 2)


def board_of(state):
    """int[blocks, cells]: 0 for no mark, else 1 + the player whose it is."""
    rules, row = state.game.rules, row_of(state)
    board = np.zeros((rules.blocks, rules.cells), int)
    for mark in range(2):
        first = rules_at.TAKEN + rules.blocks * (1 + mark)
        for block in range(rules.blocks):
            for cell in range(rules.cells):
                board[block, cell] += (1 + mark) * (int(row[first + block]) >> cell & 1)
    return board


def seen(mark, player):
    return 0 if mark == 0 else 1 if mark == 1 + player else 2


def destined_blocks(state):
    """The open blocks that the last move sends to; none if the choice is free."""
    rules, sent, closed = state.game.rules, int(row_of(state)[rules_at.SENT]), int(row_of(state)[rules_at.CLOSED])
    blocks = [board * rules.cells + sent - 1 for board in range(rules.boards)] if sent else []
    return [block for block in blocks if not closed >> block & 1]


@pytest.mark.parametrize("rank", [16, 32])
@pytest.mark.parametrize("name", NESTED)
def test_the_integers_say_what_the_floats_say(name, rank):
    game = noughts.load_game(name)
    floats = random_floats(game.rules, 3, rank)
    bounds = (0.0, 1.0)
    search = Engine(game, memory=1, network=quantised(game.rules, floats, bounds, {}))
    differences = [
        abs(search.evaluate(state) - float_score(state, floats, bounds))
        for seed in range(4)
        for state in states_in_play(game, seed)[::3]
    ]
    assert len(differences) > 60
    assert np.mean(differences) < 700  # of 100,000
    assert max(differences) < 6_000


@pytest.mark.parametrize("name", NESTED)
def test_with_contempt_each_player_has_an_output(name):
    """The player to move at the root has the second one; the opponent, one move later, the third."""
    game = noughts.load_game(name)
    floats, bounds = random_floats(game.rules, 3, contempt=30_000), (0.0, 1.0)
    network = quantised(game.rules, floats, bounds, {}, 30_000)
    plain = Engine(game, memory=1, network=network)
    search = Engine(game, memory=1, network=network, techniques=at.ALL_TECHNIQUES & ~at.QUIESCENCE, contempt=True)
    apart, together, replies = [], [], []
    for state in (state for seed in range(3) for state in states_in_play(game, seed)[::5]):
        apart.append(abs(plain.evaluate(state) - float_score(state, floats, bounds)))
        together.append(abs(search.evaluate(state) - float_score(state, floats, bounds, 1)))
        search.new_game()
        for one in search.search(state, Limits(depth=1), multi_pv=None).variations:
            after = state.clone()
            after.apply_action(one.action)
            if not after.is_terminal():
                again = after.current_player() == state.current_player()
                score = float_score(after, floats, bounds, 1 if again else 2)
                replies.append(abs(one.score - (score if again else -score)))
    assert len(together) > 20
    assert len(replies) > 200
    for differences in (apart, together, replies):
        assert np.mean(differences) < 700


def test_with_contempt_a_draw_is_bad_for_the_player_who_searches():
    game = noughts.load_game("ultimate")
    network = random_network(game.rules, contempt=20_000)
    search, plain = (Engine(game, memory=1, network=network, contempt=contempt) for contempt in (True, False))
    drawn = 0
    for seed in range(12):
        before, after = states_in_play(game, seed)[-5:-3]
        for state in (before, after, before):
            info, fair = (each.search(state, Limits()) for each in (search, plain))
            if fair.best.score == 0:
                drawn += 1
                assert fair.exact
                assert info.exact
                assert info.best.score == -20_000
    assert drawn > 10


@pytest.mark.parametrize("contempt", [False, True])
def test_with_contempt_nothing_found_for_one_player_is_used_for_the_other(contempt):
    game = noughts.load_game("ultimate")
    search = Engine(game, memory=1, network=random_network(game.rules, contempt=20_000), contempt=contempt)
    before = states_in_play(game, 1)[10]
    best = search.search(before, Limits(depth=6)).best
    after = before.clone()
    after.apply_action(best.action)
    assert table_move(search, before, after) == best.moves[1]
    assert table_move(search, after, after) == (-1 if contempt else best.moves[1])


def test_an_engine_refuses_to_evaluate_during_its_own_search():
    game = noughts.load_game("ultimate")
    search = Engine(game, memory=1, network=random_network(game.rules))
    state = game.new_initial_state()
    with pytest.raises(RuntimeError, match="already in use in the same thread"):
        search.search(state, Limits(depth=2), on_info=lambda _: search.evaluate(state))


@pytest.mark.parametrize("name", NESTED)
def test_a_search_of_depth_one_scores_moves_as_if_it_made_them(name):
    """Quiet moves are scored without being made; tactical ones are made."""
    search = engine(name, techniques=at.ALL_TECHNIQUES & ~at.QUIESCENCE)
    game, compared = search.game, 0
    for seed in range(6):
        for state in states_in_play(game, seed)[:: 5 if name == "extreme" else 3]:
            player = state.current_player()
            search.new_game()
            found = search.search(state, Limits(depth=1), multi_pv=None, scores_only=True)
            for variation in found.variations:
                child = state.child(variation.action)
                if not child.is_terminal():
                    score = search.evaluate(child)
                    assert variation.score == (score if child.current_player() == player else -score)
                    compared += 1
    assert compared > 1000


@pytest.mark.parametrize("name", NESTED)
def test_a_move_that_closes_a_block_is_scored_as_if_it_was_made(name):
    from noughts.search.kernels.evaluate import score_closing

    score_of = compiled(lambda rules, row, params, work, net, move: score_closing(rules, row, params, work, net, move))
    search = engine(name)
    inside, compared = search_arrays(search), 0
    cells = search.game.rules.cells
    for state in states_in_play(search.game, 4):
        player, open_blocks = state.current_player(), state.view().owners.count(OPEN)
        for action in state.legal_actions():
            child = state.child(action)
            if child.is_terminal() or child.view().owners.count(OPEN) == open_blocks:
                continue
            made = search.evaluate(child)
            search.evaluate(state)
            row, (block, cell) = row_of(state).copy(), nested_cell(search.game.rules, action, cells)
            move = (block << 8) | (cell << 4) | player
            scored = score_of(inside.rules, row, inside.params, inside.work, inside.net, move)
            assert scored == (made if child.current_player() == player else -made)
            assert np.array_equal(row, row_of(state))
            compared += 1
    assert compared > 10


def nested_cell(rules, action, cells):
    """The block of an action and its cell in it: actions count rows and columns over a whole board."""
    board, place = divmod(action, cells * cells)
    row, column = divmod(place, cells)
    block = row // rules.side * rules.side + column // rules.side
    return board * cells + block, row % rules.side * rules.side + column % rules.side


@pytest.mark.parametrize("name", NESTED)
def test_no_score_depends_on_earlier_searches(name):
    """Rows of blocks are kept from one search to the next; the nodes and scores are those of a new engine."""
    game = noughts.load_game(name)
    used = engine(name)
    for seed in range(5):
        state = random_state(game, seed)
        if not state.is_terminal():
            used.new_game()
            new = engine(name)
            one, two = (search.search(state, Limits(nodes=20_000)) for search in (used, new))
            assert (one.nodes, one.variations) == (two.nodes, two.variations)


@pytest.mark.parametrize("name", NESTED)
def test_a_search_leaves_the_accumulators_as_they_were(name):
    search = engine(name)
    inside = search_arrays(search)
    state = states_in_play(search.game, 2)[8]
    search.search(state, Limits(nodes=20_000), scores_only=True)
    both = slice(0, 2 * net_at.WIDTH)
    after = inside.net[both].copy()
    assert inside.work[at.ACCUMULATOR] == net_at.ACCUMULATORS
    search.evaluate(state)
    assert np.array_equal(inside.net[both], after)


@pytest.mark.parametrize("name", NESTED)
def test_the_largest_weights_do_not_overflow(name):
    """All weights at their limits and of one sign: the sums are those of numbers without limits."""
    game = noughts.load_game(name)
    rules = game.rules
    for sign in (1, -1):
        floats = {key: np.full(shape, sign * 1e9) for key, shape in shapes(rules, net_at.RANK).items()}
        floats["output"] = np.full(shapes(rules, 1)["output"], 1e9)
        network = quantised(rules, floats, (-1e9, 1e9), {})
        for key, array in network.arrays.items():
            assert np.abs(array.astype(np.int64)).max() == limits(rules)[key]
        search = Engine(game, memory=1, network=network)
        inside, row = search_arrays(search), limits(rules)["closed"]
        for seed in range(3):
            for state in states_in_play(game, seed):
                score = search.evaluate(state)
                # every term has the same sign, but that of a vector times a matrix, which is always positive
                acc = int(inside.net[inside.work[at.ACCUMULATOR]])
                closed = int(row_of(state)[rules_at.CLOSED]).bit_count()
                assert acc == sign * row * (1 + closed) + row * (rules.blocks - closed)
                assert abs(score) <= at.MAX_EVAL
        assert int(np.abs(network.arrays["output"].astype(np.int64)).sum(1).max()) * (255**2 >> 2) < 1 << 31


@pytest.mark.parametrize("name", NESTED)
def test_the_network_of_a_game_comes_with_it(name):
    rules = noughts.load_game(name).rules
    network = shipped_network(rules)
    assert network.rules == rules_hash(rules)
    assert network.game == name
    assert network.training["positions"] > 1_000_000
    same_play = replace(rules, name="other", title="Other", win_points=(3, -3), move_seconds=1.0)
    assert shipped_network(same_play) is not None
    assert shipped_network(replace(rules, misere=True)) is None


def test_the_score_turns_round_with_the_players():
    """What is good for the one is bad for the other: positions near each other say so about the shipped networks."""
    for name in NESTED:
        game = noughts.load_game(name)
        search = Engine(game, memory=4)
        state = game.new_initial_state()
        # With few draws, the first move is worth more.
        assert abs(search.evaluate(state)) < (50_000 if game.rules.majority else 30_000)
        lead = game.from_string("XXXXXX3/9/9/O2O2O2/9/9/O2O2O2/9/9 p0 block=0") if name == "ultimate" else None
        if lead is not None:
            assert search.evaluate(lead) > 30_000


@pytest.mark.parametrize("contempt", [0, 20_000])
def test_a_file_holds_what_was_saved(tmp_path, contempt):
    rules = noughts.load_game("xtreme").rules
    network = random_network(rules, contempt=contempt)
    save_network(tmp_path / "x.net", network)
    loaded = load_network(tmp_path / "x.net", rules)
    assert (loaded.game, loaded.rules, loaded.vector, loaded.training, loaded.contempt) == (
        "xtreme",
        rules_hash(rules),
        (0, 256),
        {"by": "chance"},
        contempt,
    )
    assert all(np.array_equal(loaded.arrays[key], array) for key, array in network.arrays.items())


def damaged(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def test_wrong_and_damaged_files_are_refused_with_a_sentence(tmp_path):
    path, rules = tmp_path / "u.net", ULTIMATE
    save_network(path, random_network(rules))
    good = path.read_bytes()
    for data, complaint in (
        (b"", "is not a network of this version"),
        (b"noughts network 3\n" + good[len(MARK) :], "first line must be 'noughts network 2'"),
        (good[:-1], "is damaged"),
        (damaged(good, len(MARK) + 5), "is damaged"),
        (damaged(good, len(good) // 2), "is damaged"),
    ):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=complaint):
            load_network(path, rules)
    path.write_bytes(good)
    with pytest.raises(ValueError, match="cannot be used for extreme: it is for other rules, those of 'ultimate'"):
        load_network(path, noughts.load_game("extreme").rules)
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        load_network(tmp_path / "none.net", rules)
    too_large = random_network(rules)
    too_large.arrays["output"][0, 0] = 5000
    save_network(path, too_large)
    with pytest.raises(ValueError, match="output exceeds 2048"):
        load_network(path, rules)
    save_network(path, replace(random_network(rules, contempt=20_000), contempt=50_001))
    with pytest.raises(ValueError, match="its contempt is 50001; it must be 0 to 50000"):
        load_network(path, rules)
    with pytest.raises(ValueError, match="bias of a network for ultimate has the shape"):
        quantised(rules, {**random_floats(rules, 1), "bias": np.zeros(3)}, (0, 1), {})


def test_a_network_is_unpacked_to_the_size_of_its_arrays_and_no_further(tmp_path):
    """4 MB can unpack to 4 GB."""
    path, rules = tmp_path / "u.net", ULTIMATE
    save_network(path, random_network(rules))
    payload = path.read_bytes()[len(MARK) + DIGEST_BYTES :]
    head = payload[: 4 + int.from_bytes(payload[:4], "little")]
    bomb = zlib.compress(bytes(64 << 20), 9)
    for data, complaint in (
        (head + bomb, "it is too large when unpacked; the maximum for a network is 655 KB"),
        (head + zlib.compress(b"1"), "it has 1 bytes of arrays; it must have \\d"),
        ((100_000).to_bytes(4, "little") + b"[" * 100_000 + bomb, "too many values; the maximum .* is 20,000"),
        ((1000).to_bytes(4, "little") + b"[" * 1000 + bomb, "more than 32 levels deep"),
        (b"", "it is not JSON"),
    ):
        seal(path, MARK, data)
        tracemalloc.start()
        with pytest.raises(ValueError, match=complaint):
            load_network(path, rules)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
        tracemalloc.stop()


def test_a_player_takes_a_network_from_a_file_or_none(tmp_path):
    game = noughts.load_game("ultimate")
    path = tmp_path / "u.net"
    network = random_network(game.rules, contempt=20_000)
    save_network(path, network)
    states = states_in_play(game, 4)[10:40]
    chosen = {
        option: [
            make_player(f"alphabeta?nodes=300&memory=1{option}").choose(s, noughts.players.Clock()) for s in states
        ]
        for option in ("", "&network=none", f"&network={path}", f"&network={path}&contempt=none")
    }
    assert len({tuple(actions) for actions in chosen.values()}) == 4
    handmade = Engine(game, memory=1, network=None)
    for state, action in zip(states, chosen["&network=none"], strict=True):
        handmade.new_game()
        assert handmade.search(state, Limits(nodes=300)).best.action == action
    neutral = Engine(game, memory=1, network=network)
    for state, action in zip(states, chosen[f"&network={path}&contempt=none"], strict=True):
        neutral.new_game()
        assert neutral.search(state, Limits(nodes=300)).best.action == action
    with pytest.raises(ValueError, match="contempt must be none, or left out, not '7'"):
        make_player("alphabeta:contempt=7")
    with pytest.raises(ValueError, match="cannot be read"):
        make_player("alphabeta?network=nowhere.net").prepare(game)
    for text in (f"alphabeta?network={path}", "alphabeta?network=none"):
        with pytest.raises(ValueError, match="does not allow the option 'network'"):
            listed_player(text)


def test_memory_of_an_engine():
    """Under 40 MB besides the transposition table, whatever it searches: nothing grows."""
    for name in NESTED:
        search = engine(name)
        inside = search_arrays(search)
        held = (inside.net, inside.work, inside.params)
        assert sum(array.nbytes for array in held) < 40_000_000
        before = [array.nbytes for array in held]
        search.search(random.Random(1).choice(states_in_play(search.game, 1)), Limits(nodes=50_000))
        assert [array.nbytes for array in (inside.net, inside.work, inside.params)] == before


def test_rows_of_one_block_never_drive_each_other_out():
    """Before and after a mark, and as both players see them, the rows of a block have different slots."""
    from noughts.search.kernels.network import slot_of_row

    slot_of = compiled(lambda own, other: slot_of_row(3, own, other))
    choose = random.Random(3)
    for _ in range(2000):
        own = choose.getrandbits(16)
        other = choose.getrandbits(16) & ~own
        free = [cell for cell in range(16) if not (own | other) >> cell & 1]
        if free:
            more = other | 1 << choose.choice(free)
            assert len({slot_of(own, other), slot_of(own, more), slot_of(more, own)}) == 3


FRAME = at.FRAMES


def test_a_row_that_was_driven_out_is_there_again_when_its_move_is_taken_back():
    make = compiled(
        lambda rules, row, params, work, net, move: make_move(rules, row, params, work, net, at.FRAMES, move)
    )
    undo = compiled(lambda rules, row, params, work, net: undo_move(rules, row, params, work, net, at.FRAMES))
    search = engine("ultimate")
    inside = search_arrays(search)
    state = states_in_play(search.game, 2)[9]
    arrays = (inside.rules, row_of(state).copy(), inside.params, inside.work, inside.net)
    search.evaluate(state)
    places = places_of_rows(search, state)
    rows = [inside.net[place : place + 2 * net_at.WIDTH].copy() for place in places]
    inside.work[at.FRAMES + at.TO_MOVE] = state.current_player()
    block, cell = divmod(state.legal_actions()[0], 9)
    make(*arrays, (block << 8) | (cell << 4) | state.current_player())
    assert places_of_rows(search, state) != places
    slots = slice(block << (net_at.SLOT_BITS + 2), (block + 1) << (net_at.SLOT_BITS + 2))
    inside.work[at.ROW_KEYS :][slots] = -1
    inside.net[inside.params[net_at.CACHE_AT] :].reshape(-1, 2 * net_at.WIDTH)[slots] = 77
    undo(*arrays)
    assert places_of_rows(search, state) == places
    assert [inside.net[place : place + 2 * net_at.WIDTH].tolist() for place in places] == [row.tolist() for row in rows]


def places_of_rows(search, state):
    """Where the rows of the open blocks lie, as the first player sees them, then the second."""
    open_blocks = [block for block, owner in enumerate(state.view().owners) if owner == OPEN]
    work = search_arrays(search).work
    return [int(work[at.ROWS + net_at.MOST_BLOCKS * player + g]) for player in range(2) for g in open_blocks]


def test_a_network_array_is_laid_out_within_its_bounds():
    for name in NESTED:
        rules = noughts.load_game(name).rules
        params = np.zeros(net_at.NETWORK_PARAM_WORDS, np.int64)
        net = network_array(random_network(rules), rules, params)
        last = params[net_at.CACHE_AT] + 2 * net_at.WIDTH * cache_rows(rules)
        assert last == len(net)
        assert not net[net_at.NOTHING : net_at.NOTHING + net_at.WIDTH].any()
        assert net.ctypes.data % 64 == 0
