"""The compiled vector environment: the same games as the single one, Gymnasium's autoreset, seeds of their own."""

import numpy as np
import pytest
from conftest import EVERY_GAME, load

import noughts

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode  # noqa: E402

from noughts.analysis import evaluate_policy  # noqa: E402
from noughts.envs.gym import NoughtsEnv  # noqa: E402
from noughts.envs.vector import NoughtsVectorEnv  # noqa: E402
from noughts.players import make_player  # noqa: E402


class Scripted:
    """An opponent that plays what the rows of a vector environment show."""

    name = "scripted"

    def __init__(self):
        self.moves = []

    def choose(self, state, clock):
        return self.moves.pop(0)


@pytest.mark.parametrize("name", EVERY_GAME)
@pytest.mark.parametrize("seat", [0, 1])
def test_masks_observations_and_ends_are_those_of_states(name, seat):
    envs = NoughtsVectorEnv(load(name), 16, seat=seat, rewards="outcome")
    seen, infos = envs.reset(seed=5)
    for _ in range(60):
        for i in range(16):
            state = envs._state(i)
            assert np.array_equal(seen[i], state._observation_planes(seat))
            assert np.array_equal(infos["action_mask"][i], state.legal_actions_mask())
        seen, rewards, over, cut, infos = envs.step(envs.sample_legal())
        assert not cut.any()
        for i in np.flatnonzero(over):
            assert rewards[i] == pytest.approx(envs._state(i).returns()[seat])
        assert not rewards[~over].any()


def test_the_next_step_after_an_end_starts_anew_whatever_the_action():
    envs = NoughtsVectorEnv("classic", 64)
    _, infos = envs.reset(seed=1)
    over = np.zeros(64, bool)
    for _ in range(40):
        before = over
        actions = np.where(before, 99, envs.sample_legal())
        seen, rewards, over, _, infos = envs.step(actions)
        assert not over[before].any()
        assert not rewards[before].any()
        assert not seen[before][:, :2].any()
        assert (infos["action_mask"][before] == 1).all()
        assert not infos["illegal"].any()


def test_the_same_step_can_start_anew_and_keeps_the_last_sight():
    envs = NoughtsVectorEnv("classic", 64, autoreset_mode=AutoresetMode.SAME_STEP)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    envs.reset(seed=1)
    ends = 0
    for _ in range(20):
        seen, _, over, _, infos = envs.step(envs.sample_legal())
        if over.any():
            assert np.array_equal(infos["_final_obs"], over)
            assert all(seen[:2].sum() >= 5 for seen in infos["final_obs"][over])
            assert all(seen is None for seen in infos["final_obs"][~over])
            assert np.array_equal(infos["_final_info"], over)
            assert not infos["final_info"]["action_mask"].any()
            assert not seen[over][:, :2].any()
            ends += over.sum()
    assert ends > 100


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_gymnasiums_own_vector_env_sees_the_same_wins(mode):
    """Numbers of games and rewards agree with the single environment's distribution, known exactly."""
    exact = evaluate_policy(noughts.load_game("classic"), "random", "random")
    mode = AutoresetMode.NEXT_STEP if mode == "next_step" else AutoresetMode.SAME_STEP
    envs = NoughtsVectorEnv("classic", 4000, autoreset_mode=mode)
    envs.reset(seed=2)
    ends = []
    for _ in range(60):
        _, rewards, over, _, _ = envs.step(envs.sample_legal())
        ends.append(rewards[over])
    ends = np.concatenate(ends)
    assert np.mean(ends == 1) == pytest.approx(exact.win, abs=0.01)
    assert np.mean(ends == -1) == pytest.approx(exact.loss, abs=0.01)


def test_an_illegal_action_ends_its_own_episode_only():
    envs = NoughtsVectorEnv("numerical", 3, rewards="published")
    envs.reset(seed=1)
    _, rewards, over, _, infos = envs.step(np.array([0, 1, 81]))
    assert over.tolist() == infos["illegal"].tolist() == [False, True, True]
    assert rewards.tolist() == [-1.0, -10.0, -10.0]
    with pytest.raises(ValueError, match=r"shape \(3,\), one for each game"):
        envs.step(np.array([0, 1]))


def steps(envs, n=30):
    return [envs.step(envs.sample_legal())[1:3] for _ in range(n)]


def test_every_game_has_its_own_seed():
    many, one = NoughtsVectorEnv("wild", 8), NoughtsVectorEnv("wild", 1)
    many.reset(seed=10)
    one.reset(seed=13)
    for (rewards, over), (reward, ended) in zip(steps(many), steps(one), strict=True):
        assert rewards[3] == reward[0]
        assert over[3] == ended[0]
    listed = NoughtsVectorEnv("wild", 8)
    listed.reset(seed=list(range(10, 18)))
    many.reset(seed=10)
    assert np.array_equal(listed._streams, many._streams)
    with pytest.raises(ValueError, match="8 seeds"):
        listed.reset(seed=[1, 2])


def test_without_a_seed_games_go_on_from_their_streams():
    envs = NoughtsVectorEnv("wild", 4)
    with pytest.raises(ValueError, match="reset"):
        envs.step(np.zeros(4, int))
    envs.reset(seed=1)
    first = envs._streams.copy()
    steps(envs)
    after = envs._streams.copy()
    envs.reset()
    assert np.array_equal(envs._streams, after)
    assert not np.array_equal(first, after)


def test_given_arrays_are_the_callers_own_unless_not_copied():
    envs = NoughtsVectorEnv("classic", 2)
    seen, _ = envs.reset(seed=1)
    envs.step(np.array([4, 4]))
    assert not seen[:, :2].any()
    shared = NoughtsVectorEnv("classic", 2, copy=False)
    seen, _ = shared.reset(seed=1)
    shared.step(np.array([4, 4]))
    assert seen[:, :2].any()


def test_make_vec_makes_it():
    envs = gymnasium.make_vec("noughts/Numerical-v0", num_envs=4, vectorization_mode="vector_entry_point")
    assert isinstance(envs.unwrapped, NoughtsVectorEnv)
    assert envs.observation_space.contains(envs.reset(seed=1)[0])


@pytest.mark.parametrize("name", ["classic", "wild"])
@pytest.mark.parametrize(("opponent", "seat"), [("greedy", 0), ("perfect", 1)])
def test_an_opponent_of_the_compiled_environment_plays_as_the_player_of_its_name(name, opponent, seat):
    envs = NoughtsVectorEnv(name, 64, opponent=opponent, seat=seat)
    envs.reset(seed=1)
    player = make_player(opponent, seed=1)
    for _ in range(12):
        before = [envs._state(i) for i in range(64)]
        actions = envs.sample_legal()
        envs.step(actions)
        for i, state in enumerate(before):
            if actions[i] < 0:  # the game was over, and began anew
                state = envs.game.new_initial_state()
            else:
                state.apply_action(actions[i])
            after = envs._state(i)
            if not state.is_terminal() and state.current_player() != seat:
                played = next(a for a in state.legal_actions() if state.child(a).to_string() == after.to_string())
                assert played in player.choices(state)


def test_a_player_of_ones_own_that_always_chooses_the_same_can_be_the_opponent():
    class First:
        is_deterministic = True

        def choose(self, state, clock):
            return state.legal_actions()[0]

    envs = NoughtsVectorEnv("classic", 3, opponent=First())
    envs.reset(seed=1)
    envs.step(np.array([4, 0, 8]))
    assert [envs._state(i).to_string() for i in range(3)] == ["O../.X./... p0", "XO./.../... p0", "O../.../..X p0"]
    envs.set_opponent("random")


@pytest.mark.parametrize(
    ("name", "opponent", "why"),
    [
        ("extreme", "greedy", "in extreme, the compiled environments support only 'random'"),
        ("numerical", "perfect", "in numerical, the compiled environments support only 'random'"),
        ("classic", "mcts", "the opponents of the compiled environments are random, greedy, perfect, q:RUN"),
        ("classic", "nobody", "there is no player 'nobody'"),
    ],
)
def test_what_cannot_be_an_opponent_inside_is_refused_with_what_can(name, opponent, why):
    with pytest.raises(ValueError, match=why):
        NoughtsVectorEnv(name, 2, opponent=opponent)


def test_the_single_environment_pays_the_same_for_the_same_game():
    """One game of the vector environment, its replies fed to the single one."""
    envs = NoughtsVectorEnv("xtreme", 1)
    envs.reset(seed=3)
    script = Scripted()
    env = NoughtsEnv("xtreme", opponent=script)
    env.reset(seed=0)
    shadow = env.state.clone()
    over = False
    while not over:
        action = int(envs.sample_legal()[0])
        _, reward, over, _, _ = envs.step(np.array([action]))
        after = envs._state(0)
        shadow.apply_action(action)
        script.moves = _path(shadow, after)
        for move in script.moves:
            shadow.apply_action(move)
        _, paid, ended, _, _ = env.step(action)
        assert (paid, ended) == (pytest.approx(reward[0]), over[0])


def _path(state, target):
    """The opponent's moves from one state to another: at most two."""
    if state == target and (state.is_terminal() or state.current_player() == 0):
        return []
    for action in state.legal_actions():
        after = state.child(action)
        if after == target:
            return [action]
        if not after.is_terminal() and after.current_player() == 1:
            for second in after.legal_actions():
                if after.child(second) == target:
                    return [action, second]
    raise AssertionError("no replies lead there")


def test_after_an_illegal_action_nothing_is_legal():
    envs = NoughtsVectorEnv("classic", 2)
    envs.reset(seed=1)
    _, _, over, _, infos = envs.step(np.array([99, 4]))
    assert over.tolist() == [True, False]
    assert not infos["action_mask"][0].any()
    assert infos["action_mask"][1].any()
    assert np.array_equal(envs.action_masks(), infos["action_mask"].astype(bool))


def test_options_of_reset_are_refused_and_not_ignored():
    with pytest.raises(ValueError, match="takes no options; remove 'position'"):
        NoughtsVectorEnv("classic", 2).reset(options={"position": "X../.../... p1"})


def test_the_end_is_reported_as_by_gymnasium_s_own_vector_environment():
    ours = NoughtsVectorEnv("classic", 2, autoreset_mode=AutoresetMode.SAME_STEP)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: NoughtsEnv("classic")] * 2, autoreset_mode=AutoresetMode.SAME_STEP)
    both_infos = []
    for envs in (ours, theirs):
        envs.reset(seed=1)
        both_infos.append(envs.step(np.array([99, 4]))[4])
    for name in ("final_obs", "_final_obs", "_final_info"):
        assert both_infos[0][name].dtype == both_infos[1][name].dtype
        assert both_infos[0][name].shape == both_infos[1][name].shape
    assert both_infos[0]["final_info"].keys() == both_infos[1]["final_info"].keys()
    assert (
        both_infos[0]["final_info"]["illegal"].tolist()
        == both_infos[1]["final_info"]["illegal"].tolist()
        == [True, False]
    )
