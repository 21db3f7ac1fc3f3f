"""Measures Q-learning of the numerical game: episodes a second, beside two versions in plain Python.

    python benchmarks/q_learning.py

All learn from the start of the published schedule on one core, in turns. Ours then runs the whole schedule, 5 million
episodes with checkpoints and exact evaluations, as `noughts train numerical` does without its display.
"""

from __future__ import annotations

import statistics
import time

import plain_q_learning
from measure import human, rates, report

import noughts
from noughts.learn import Training, make_table, preset

OURS, THEIRS = 400_000, 1_000

rules = noughts.load_game("numerical").rules


def whole_schedule(name: str) -> float:
    """Seconds of a whole run, evaluations included."""
    started = time.process_time()
    training = Training(preset(name, rules, {}))
    for _ in training.run():
        pass
    seconds = time.process_time() - started
    (value,), (optimum,) = training.table.greedy_policy_values(), training.optima()
    size = sum(array.nbytes for array in training.table.arrays().values())
    print(
        f"{name}: {training.episode:,} episodes in {seconds:.2f} s ({human(training.episode / seconds)}/s), "
        f"table {size / 1e6:.1f} MB; greedy return {value.expected_return:.4f}, optimum {optimum:.4f}"
    )
    return seconds


if __name__ == "__main__":
    table = make_table(preset("published", rules, {}))

    def ours() -> int:
        table.learn(OURS)
        return OURS

    texts, tuples = plain_q_learning.Texts(), plain_q_learning.Tuples()
    found = rates(ours=ours, texts=lambda: texts.learn(THEIRS), tuples=lambda: tuples.learn(THEIRS))
    report("Q-learning, episodes", found["ours"], found["texts"], "plain Python, as published")
    report("Q-learning, episodes", found["ours"], found["tuples"], "plain Python, lean")
    for name in ("published", "fast"):
        print(f"median of 3: {statistics.median(whole_schedule(name) for _ in range(3)):.2f} s")
