"""The environments inside the real TextArena: its registry, its wrappers, its agents."""

import random

import pytest

from noughts.envs import text

PLAYED = [f"noughts/{name}{suffix}" for name in text.ENV_GAMES for suffix in ("", "-train")]


@pytest.fixture(scope="module", autouse=True)
def textarena():
    """Loaded here, since it takes seconds: by the process that runs these tests, not by all that collect them."""
    found = pytest.importorskip("textarena", reason="textarena is not installed: pip install 'noughts[textarena]'")
    text.register_textarena()
    return found


def reader(seed):
    """An agent that plays any of the moves that the observation offers."""
    from textarena import Agent

    chance = random.Random(seed)

    class Reader(Agent):
        def __call__(self, observation):
            listed = observation.rpartition("Available Moves: ")[2].splitlines()[0]
            return chance.choice(listed.split(", "))

    return Reader()


def play(env, seed=1):
    agents = {0: reader(seed), 1: reader(seed + 1)}
    env.reset(num_players=2, seed=seed)
    done = False
    while not done:
        player, observation = env.get_observation()
        done, info = env.step(action=agents[player](observation))
        assert info["valid"]
    return env.close()


@pytest.mark.parametrize("env_id", PLAYED)
def test_agents_play_every_environment_to_its_end(textarena, env_id):
    rewards, info = play(textarena.make(env_id))
    assert sum(rewards.values()) == 0
    assert info[0]["ended_by"] in ("line", "full")
    assert info[0]["turn_count"] >= 1


def test_games_are_the_same_as_without_textarena(textarena):
    ours, theirs = text.make("WildTicTacToe-v0"), textarena.make("noughts/WildTicTacToe-v0")
    for seed in range(20):
        rewards, _ = play(theirs, seed)
        ours.reset()
        for action in theirs.game_env.moves:
            ours.step(ours.reader.names[action])
        assert ours.close()[0] == rewards


def test_registering_twice_is_harmless():
    ids = text.register_textarena()
    assert text.register_textarena() == ids
    assert {*PLAYED} == {env_id for env_id in ids if not env_id.endswith("-raw")}


def test_the_history_does_not_survive_reset(textarena):
    for env_id in ("noughts/WildTicTacToe-v0", "noughts/WildTicTacToe-v0-train"):
        env = textarena.make(env_id)
        env.reset(num_players=2)
        start = env.get_observation()
        env.step("[X 4]")
        env.get_observation()
        env.reset(num_players=2)
        assert env.get_observation() == start


def test_step_after_the_end_changes_nothing(textarena):
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    for reply in ("[X 0]", "[X 1]", "[X 2]"):
        env.step(reply)
    before = (env.game_env.state.to_string(), env.close())
    done, info = env.step("[X 8]")
    assert (done, info["reason"]) == (True, "game_over")
    assert (env.game_env.state.to_string(), env.close()) == before


def test_thousands_of_digits_are_only_an_invalid_move(textarena):
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    done, info = env.step(f"[X {'9' * 5000}]")
    assert (done, info["reason"]) == (True, "out_of_range")
    assert env.close()[0] == {0: -1, 1: 0}


def test_seeding_leaves_the_global_random_state_alone(textarena):
    before = random.getstate()
    textarena.make("noughts/ExtremeTicTacToe-v0").reset(num_players=2, seed=7)
    assert random.getstate() == before


@pytest.mark.parametrize(
    "wrapper",
    ["GameBoardObservationWrapper", "GameMessagesAndCurrentBoardObservationWrapper", "LLMObservationWrapper"],
)
def test_no_wrapper_hides_why_a_move_was_invalid(textarena, wrapper):
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


def test_its_action_wrapper_adds_brackets(textarena):
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    assert env.step("X 4")[1]["move"] == "[X 4]"


def test_its_renderer_gets_a_board_and_a_log(textarena):
    env = textarena.make("noughts/WildTicTacToe-v0")
    env.reset(num_players=2)
    env.step("[X 4]")
    assert " 3 | X | 5" in env.get_board_str()
    assert (0, "[X 4]") in env.state.logs
