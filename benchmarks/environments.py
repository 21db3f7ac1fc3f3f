"""Measures environments: steps a second, against PettingZoo's and Pgx's tic-tac-toe.

    pip install 'noughts[rl,benchmarks]' pgx
    python benchmarks/environments.py

All environments get random legal moves; a game that ends is followed by another. In PettingZoo and Pgx a step is one
move; in our vector environment it is the agent's move, the opponent's reply, the observation and the mask. Comparisons
count moves; the lines for our other games count steps. Pgx runs on one core if the process is
bound to one (the script binds itself where the system can), its step and its random choice compiled together.
"""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable

from measure import rates, report

from noughts.envs import zoo
from noughts.envs.vector import NoughtsVectorEnv

GAMES = 2048
VECTOR_STEPS, ZOO_MOVES = 100, 3_000


def one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def vector_steps(name: str, games: int = GAMES) -> Callable[[], int]:
    envs = NoughtsVectorEnv(name, games)
    envs.reset(seed=1)

    def run() -> int:
        for _ in range(VECTOR_STEPS):
            envs.step(envs.sample_legal())
        return VECTOR_STEPS * games

    return run


def vector_moves(name: str) -> Callable[[], int]:
    """Counts marks placed instead of steps: those on the boards, and those of games that ended."""
    envs = NoughtsVectorEnv(name, GAMES, copy=True)
    envs.reset(seed=1)
    marks = slice(0, 2)

    def run() -> int:
        moves = 0
        before = envs._seen[:, marks].sum()
        for _ in range(VECTOR_STEPS):
            seen, _, over, _, _ = envs.step(envs.sample_legal())
            moves += int(seen[over][:, marks].sum())
        return moves + int(envs._seen[:, marks].sum() - before)

    return run


def aec_moves(env: zoo.NoughtsZooEnv) -> Callable[[], int]:
    draw = random.Random(1).random

    def run() -> int:
        moves = 0
        while moves < ZOO_MOVES:
            env.reset()
            for _agent in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(draw() * len(legal))]))
                moves += 1
        return moves

    return run


def pettingzoo_env() -> zoo.NoughtsZooEnv | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pettingzoo.classic import tictactoe_v3
    except ImportError:
        return None
    env: zoo.NoughtsZooEnv = tictactoe_v3.env()
    return env


def pgx_moves() -> Callable[[], int] | None:
    try:
        import jax
        import jax.numpy as jnp
        import pgx
        from pgx.experimental import auto_reset
    except ImportError:
        return None
    env = pgx.make("tic_tac_toe")
    keys = jax.random.split(jax.random.PRNGKey(0), GAMES)  # a start of tic-tac-toe does not depend on them
    step = jax.vmap(auto_reset(env.step, env.init))

    def body(carry, _):  # type: ignore[no-untyped-def]
        state, key = carry
        key, draw = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(draw, logits)
        return (step(state, actions, keys), key), None

    @jax.jit
    def many(state, key):  # type: ignore[no-untyped-def]
        return jax.lax.scan(body, (state, key), None, length=VECTOR_STEPS)[0]

    carry = [jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(1)]

    def run() -> int:
        carry[:] = many(*carry)
        jax.block_until_ready(carry[0].observation)
        return VECTOR_STEPS * GAMES

    return run


if __name__ == "__main__":
    one_core()
    measured: dict[str, Callable[[], int]] = {
        "classic": vector_moves("classic"),
        "wild": vector_steps("wild"),
        "numerical": vector_steps("numerical"),
        "extreme": vector_steps("extreme", GAMES // 4),
        "aec": aec_moves(zoo.raw_env("classic")),
    }
    theirs, rival = pgx_moves(), pettingzoo_env()
    if theirs:
        measured["pgx"] = theirs
    if rival:
        measured["pettingzoo"] = aec_moves(rival)
    found = rates(**measured)
    report("vector, classic, moves", found["classic"], found.get("pgx"), "Pgx tic_tac_toe, moves")
    report("vector, classic, moves", found["classic"], found.get("pettingzoo"), "PettingZoo tictactoe_v3, moves")
    for name in ("wild", "numerical", "extreme"):
        report(f"vector, {name}, steps", found[name])
    report("AEC, classic, moves", found["aec"], found.get("pettingzoo"), "PettingZoo tictactoe_v3, moves")
