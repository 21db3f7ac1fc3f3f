"""Write the texts of this folder anew."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from text_play import TEXTS, random_game

from noughts.envs import text

for env_id in text.ENV_GAMES:
    for observation in ("history", "board"):
        env = text.make(env_id, observation=observation)
        list(random_game(env, seed=5, moves=4))
        (TEXTS / f"{env_id}-{observation}.txt").write_text(env.get_observation()[1] + "\n")
