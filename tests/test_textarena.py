"""The environments inside the real TextArena: its registry, its wrappers, its agents."""

import random

import pytest

textarena = pytest.importorskip("textarena", reason="textarena is not installed: pip install 'noughts[textarena]'")

from noughts.envs import text  # noqa: E402

IDS = text.register_textarena()
PLAYED = [env_id for env_id in IDS if not env_id.endswith("-raw")]


class Reader(textarena.Agent):
    """Plays any of the moves that the observation offers."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def __call__(self, observation):
        listed = observation.rpartition("Available Moves: ")[2].splitlines()[0]
        return self._random.choice(listed.split(", "))


def play(env, seed=1):
    agents = {0: Reader(seed), 1: Reader(seed + 1)}
    env.reset(num_players=2, seed=seed)
    done = False
    while not done:
        player, observation = env.get_observation()
        done, info = env.step(action=agents[player](observation))
        assert info["valid"]
    return env.close()


@pytest.mark.parametrize("env_id", PLAYED)
def test_agents_play_every_environment_to_its_end(env_id):
    rewards, info = play(textarena.make(env_id))
    assert sum(rewards.values()) == 0
    assert info[0]["ended_by"] in ("line", "full")
    assert info[0]["turn_count"] >= 1


def test_games_are_the_same_as_without_textarena():
    ours, theirs = text.make("WildTicTacToe-v0"), textarena.make("noughts/WildTicTacToe-v0")
    for seed in range(20):
        rewards, _ = play(theirs, seed)
        ours.reset()
        for action in theirs.game_env.moves:
            ours.step(ours.texts.reader.names[action])
        assert ours.close()[0] == rewards


def test_registering_twice_is_harmless():
    assert text.register_textarena() == IDS
    assert "noughts/WildTicTacToe-v0" in IDS


def test_the_history_does_not_survive_reset():
    for env_id in ("noughts/WildTicTacToe-v0", "noughts/WildTicTacToe-v0-train"):
        env = textarena.make(env_id)
        env.reset(num_players=2)
        start = env.get_observation()
        env.step("[X 4]")
        env.get_observation()
        env.reset(num_players=2)
        assert env.get_observation() == start


def test_step_after_the_end_changes_nothing():
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    for reply in ("[X 0]", "[X 1]", "[X 2]"):
        env.step(reply)
    before = (env.game_env.state.to_string(), env.close())
    done, info = env.step("[X 8]")
    assert (done, info["reason"]) == (True, "game_over")
    assert (env.game_env.state.to_string(), env.close()) == before


def test_thousands_of_digits_are_only_an_invalid_move():
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    done, info = env.step(f"[X {'9' * 5000}]")
    assert (done, info["reason"]) == (True, "out_of_range")
    assert env.close()[0] == {0: -1, 1: 0}


def test_seeding_leaves_the_global_random_state_alone():
    before = random.getstate()
    textarena.make("noughts/ExtremeTicTacToe-v0").reset(num_players=2, seed=7)
    assert random.getstate() == before


@pytest.mark.parametrize(
    "wrapper",
    ["GameBoardObservationWrapper", "GameMessagesAndCurrentBoardObservationWrapper", "LLMObservationWrapper"],
)
def test_no_wrapper_hides_why_a_move_was_invalid(wrapper):
    env = textarena.make("noughts/WildTicTacToe-v0-raw", error_allowance=1)
    env = getattr(textarena.wrappers, wrapper)(env)
    env.reset(num_players=2)
    env.get_observation()
    env.step("[X 4]")
    env.get_observation()
    env.step("[O 4]")
    player, observation = env.get_observation()
    assert player == 1
    assert "cell 4 is already occupied by X" in observation


def test_its_action_wrapper_adds_brackets():
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    assert env.step("X 4")[1]["move"] == "[X 4]"


def test_its_renderer_gets_a_board_and_a_log():
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    env.step("[X 4]")
    assert " 3 | X | 5" in env.get_board_str()
    assert (0, "[X 4]") in env.state.logs
