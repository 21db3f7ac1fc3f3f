"""Train sb3-contrib's MaskablePPO on a small game, and grade it exactly over all games it can play.

pip install sb3-contrib
python examples/maskable_ppo.py --game classic --steps 40000
"""

import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

import noughts
import noughts.envs.gym
from noughts.envs.registration import env_id


class Trained:
    """The network without exploration, as a policy and as a player."""

    name = "ppo"

    def __init__(self, model):
        self.model = model

    def __call__(self, state):
        seen = state.observation_planes(state.current_player()).reshape(-1)
        action, _ = self.model.predict(seen, action_masks=state.legal_actions_mask().astype(bool), deterministic=True)
        return int(action)

    def choose(self, state, clock):
        return self(state)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="classic", help="a small game (default: classic)")
    parser.add_argument("--steps", type=int, default=40_000, help="training steps (default: 40000)")
    parser.add_argument("--opponent", default="random", help="opponent in training (default: random)")
    args = parser.parse_args()
    game = noughts.load_game(args.game)
    env = gymnasium.make(env_id(game.name), opponent=args.opponent, flat=True, rewards="outcome")
    model = MaskablePPO("MlpPolicy", env, seed=1, ent_coef=0.01, policy_kwargs={"net_arch": [128, 128]})
    trained = Trained(model)
    _grade(game, trained, "before training")
    model.learn(args.steps)
    _grade(game, trained, f"after {args.steps:,} steps")


def _grade(game, policy, when):
    print(when)
    for opponent in ("random", "perfect"):
        value = noughts.evaluate_policy(game, policy, opponent)
        shares = np.round(100 * np.array([value.win, value.draw, value.loss]), 2)
        print(f"  against {opponent}, exactly: wins {shares[0]}%, draws {shares[1]}%, loses {shares[2]}%")


if __name__ == "__main__":
    main()
