"""What tests of the text environments share."""

import random
from pathlib import Path

from noughts.envs import text

TEXTS = Path(__file__).parent / "texts"


def started(env_id, *replies, **options):
    env = text.make(env_id, **options)
    env.reset(num_players=2)
    for reply in replies:
        env.step(reply)
    return env


def random_game(env, seed, moves=None):
    """Play random legal moves as they are listed, and yield the observation before each."""
    choose = random.Random(seed)
    env.reset(num_players=2)
    while not env.ending and (moves is None or len(env.moves) < moves):
        observation = env.get_observation()[1]
        yield observation
        listed = env.board.rpartition("Available Moves: ")[2].split(", ")
        done, info = env.step(choose.choice(listed))
        assert info["valid"]
        assert done == bool(env.ending)
