"""The Gymnasium environments: the checker's verdict, rewards, seats, opponents, and what an illegal action costs."""

import subprocess
import sys
import warnings

import numpy as np
import processes
import pytest
from conftest import GAMES

import noughts

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("PIL")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from noughts.envs.gym import NoughtsEnv  # noqa: E402
from noughts.envs.registration import env_id  # noqa: E402
from noughts.solving import Rewards  # noqa: E402


def first_legal(info):
    return int(info["action_mask"].argmax())


def play(env, choose, seed=0):
    """An episode: rewards of its steps, and the last info."""
    _, info = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        _, reward, over, truncated, info = env.step(choose(info))
        assert not truncated
        rewards.append(reward)
    return rewards, info


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("mode", ["human", "ansi", "rgb_array"])
def test_gymnasiums_checker_finds_nothing(name, mode, capsys):
    for seat in (0, 1):
        env = gymnasium.make(env_id(name), seat=seat, render_mode=mode).unwrapped
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(env)


def test_the_ids_are_the_names_of_the_games():
    assert env_id("wild-misere") == "noughts/WildMisere-v0"
    assert {env_id(name) for name in GAMES} <= set(gymnasium.registry)


NOTHING_LOADED = "import sys; assert not {'gymnasium', 'noughts.envs'} & set(sys.modules)"


@pytest.mark.parametrize(
    "code",
    [
        "import gymnasium, noughts.envs; gymnasium.make('noughts/Numerical-v0')",
        "import noughts.envs.gym, gymnasium; gymnasium.make('noughts/Numerical-v0')",
        "import gymnasium; gymnasium.make('noughts.envs:noughts/Numerical-v0')",
    ],
)
def test_any_way_of_importing_registers(code):
    done = processes.run_code(f"{NOTHING_LOADED}; {code}")
    assert done.returncode == 0, done.stderr


def test_without_gymnasium_the_package_of_environments_loads_nothing():
    code = "import sys, noughts.envs; assert not {'numpy', 'gymnasium'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=240)


@pytest.mark.parametrize("name", GAMES)
def test_an_episode_ends_as_the_game_does(name):
    env = NoughtsEnv(name, seat=1)
    for seed in range(5):
        rewards, info = play(env, first_legal, seed)
        assert set(rewards[:-1]) <= {0.0}
        assert rewards[-1] == pytest.approx(env.state.returns()[1])
        assert not info["action_mask"].any()
        assert not info["illegal"]


def test_the_published_rewards_of_the_numerical_game():
    by_code, by_prose = NoughtsEnv("numerical", rewards="published"), NoughtsEnv("numerical", rewards="per_move")
    for seed in range(20):
        paid, _ = play(by_code, first_legal, seed)
        assert set(paid[:-1]) <= {-1.0}
        assert paid[-1] == 10 * by_code.state.returns()[0]
        charged, _ = play(by_prose, first_legal, seed)
        assert charged == [*paid[:-1], paid[-1] - 1]
    assert gymnasium.make("noughts/Numerical-v0").unwrapped.rewards == by_code.rewards


def test_rewards_of_ones_own():
    env = NoughtsEnv("classic", rewards=Rewards(win=3, draw=2, loss=1, step=-5), illegal_reward=-7)
    env.reset(seed=1)
    assert env.step(4)[1] == -5
    assert env.step(4)[1] == -7
    with pytest.raises(ValueError, match="outcome, published, per_move"):
        NoughtsEnv("classic", rewards="generous")


@pytest.mark.parametrize("action", [4, -1, 9, 10**30, 2.5, None, "centre", np.array([1, 2])])
def test_an_illegal_action_ends_the_episode_and_never_raises(action):
    env = NoughtsEnv("classic")
    env.reset(seed=1)
    env.step(4)
    board = env.state.to_string()
    observation, reward, over, truncated, info = env.step(action)
    assert (reward, over, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert env.state.to_string() == board
    assert not info["action_mask"].any()
    again = env.step(0)
    assert np.array_equal(again[0], observation)
    assert again[1:4] == (0.0, True, False)


def test_any_player_can_be_the_opponent():
    env = NoughtsEnv("classic", opponent="perfect")
    rng = np.random.default_rng(1)
    ends = {play(env, lambda info: rng.choice(np.flatnonzero(info["action_mask"])), seed)[0][-1] for seed in range(30)}
    assert ends <= {-1.0, 0.0}

    class Last:
        name = "last"

        def choose(self, state, clock):
            return state.legal_actions()[-1]

    env = NoughtsEnv("classic", opponent=Last())
    env.reset(seed=0)
    env.step(0)
    assert env.state.history() == [0, 8]
    with pytest.raises(ValueError, match="there is no player"):
        NoughtsEnv("classic", opponent="nobody")


def test_a_seed_gives_the_same_games_and_no_seed_goes_on():
    env = NoughtsEnv("wild")
    games = []
    for seed in (3, None, 3, None):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(first_legal(info))
        games.append(env.state.history())
    assert games[:2] == games[2:]
    assert games[0] != games[1]


def test_a_bonus_move_is_a_step_without_a_reply():
    game = noughts.load_game("extreme")
    env = NoughtsEnv(game)
    rng = np.random.default_rng(0)
    seen = set()
    for seed in range(3):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            before = len(env.state.history())
            _, _, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
            seen.add(len(env.state.history()) - before)
            assert over or env.state.current_player() == 0
    assert {1, 2, 3} <= seen


def test_episodes_can_start_anywhere_but_at_the_end():
    env = NoughtsEnv("classic")
    env.reset(options={"position": "X../.O./... p0"})
    assert env.state.legal_actions() == [1, 2, 3, 5, 6, 7, 8]
    with pytest.raises(ValueError, match="the game ends before the agent moves"):
        env.reset(options={"position": "XXX/OO./... end"})


def test_frames_show_the_marks():
    env = NoughtsEnv("numerical", render_mode="rgb_array")
    env.reset(seed=1)
    empty = env.render()
    env.step(36 + 4)
    frame = env.render()
    assert frame.shape == empty.shape
    centre = np.s_[frame.shape[0] // 3 : 2 * frame.shape[0] // 3, frame.shape[1] // 3 : 2 * frame.shape[1] // 3]
    assert (frame[centre] != empty[centre]).any()
    assert "5" in NoughtsEnv("numerical", render_mode="ansi").game.from_string(".../.5./... p1").__str__()
    with pytest.raises(ValueError, match="human, ansi, rgb_array"):
        NoughtsEnv("classic", render_mode="hologram")


def test_masks_are_there_for_maskable_learners():
    env = gymnasium.make("noughts/Wild-v0")
    _, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == bool
    assert np.array_equal(masks, info["action_mask"].astype(bool))


def test_the_name_with_its_module_needs_no_import():
    code = "import gymnasium; print(gymnasium.make('noughts.envs.gym:noughts/Wild-v0').spec.id)"
    done = processes.run_code(f"{NOTHING_LOADED}; {code}")
    assert "noughts/Wild-v0" in done.stdout, done.stderr


def test_flat_observations_are_the_planes_in_a_row():
    env, planes = NoughtsEnv("wild", flat=True), NoughtsEnv("wild")
    row, _ = env.reset(seed=3)
    assert env.observation_space.contains(row)
    assert np.array_equal(row, planes.reset(seed=3)[0].reshape(-1))


def test_wrong_opponents_and_options_are_refused_at_once():
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        NoughtsEnv("classic", opponent="nobody")
    with pytest.raises(ValueError, match="nested game"):
        NoughtsEnv("ultimate", opponent="perfect")
    with pytest.raises(ValueError, match="reset has no option 'start'"):
        NoughtsEnv("classic").reset(options={"start": "X../.../... p1"})


def test_the_opponent_can_be_exchanged_for_self_play():
    class Last:
        def choose(self, state, clock):
            return state.legal_actions()[-1]

    env = NoughtsEnv("classic")
    env.set_opponent(Last())
    env.reset(seed=1)
    env.step(0)
    assert env.state.history() == [0, 8]
    env.set_opponent("alphabeta:level=2")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="no method choose"):
        env.set_opponent(object())
