"""How an evaluation looks while it is played: what it will cost, and a table of how it stands."""

from __future__ import annotations

import sys
import textwrap
import time
from threading import Lock

from rich.table import Table

from noughts.commands.live import live_screen, live_table, stacked
from noughts.evaluation.plan import EvaluationRun
from noughts.evaluation.report import seat_table
from noughts.evaluation.results import Results, add, count
from noughts.evaluation.tokens import Usage, estimate

REFRESHES = 5
"""Refreshes of the table in a second, while games are played."""
GAMES_SHOWN = 4


def play(evaluation: EvaluationRun, concurrency: int) -> None:
    """Play what is missing, with a table of how it stands on a terminal."""
    if not sys.stderr.isatty():
        for _ in evaluation.play(concurrency):
            pass
        return

    standing = count(evaluation.plan, evaluation.finished())
    started, lock = time.monotonic(), Lock()

    def now() -> Table:
        with lock:
            return _standing(standing, evaluation.usage, time.monotonic() - started)

    # Drawn anew several times a second, so that it moves with each reply and not only with each game.
    with live_screen(now, REFRESHES):
        for record in evaluation.play(concurrency):
            with lock:
                add(standing, record)
                evaluation.usage.at.pop(record.number, None)


def tell_tokens(evaluation: EvaluationRun) -> None:
    """What is left to play will cost about so much, if models play."""
    plan, usage = evaluation.plan, evaluation.usage
    left = plan.games - len(evaluation.finished())
    cost = estimate(plan, left) if left else None
    if cost is None:
        return
    games = f"{left} game{'s' * (left != 1)}"
    text = (
        f"noughts: {games} to play, about {cost.replies:,} replies if they are as long as random ones: about "
        f"{cost.read:,} tokens to read and at most {cost.write:,} to write"
    )
    if usage.most is not None:
        text += f"; it stops at {usage.most:,} in all, of which {usage.tokens:,} are used"
    print(textwrap.fill(text, 80), file=sys.stderr)


def _standing(results: Results, usage: Usage, seconds: float) -> Table:
    """The table of games so far."""
    heads, rows = seat_table(results, intervals=False)
    replies = results.replies
    caption = f"{replies.invalid.total()} of {replies.count} replies invalid"
    if usage.replies:
        caption = f"{usage.invalid} of {usage.replies} replies of models invalid; {usage.tokens:,} tokens"
        playing = sorted(usage.at.items())[:GAMES_SHOWN]
        if playing:
            caption += "\nplaying: " + ", ".join(f"game {number + 1} at move {ply}" for number, ply in playing)
    head = f"{results.overall.games} of {results.plan.games} games, {seconds:.0f} s"
    return stacked(head, live_table(heads, rows, right=range(1, len(heads))), caption)
