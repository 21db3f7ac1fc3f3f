"""The live view of an evaluation: the expected cost, and a table of the games so far."""

from __future__ import annotations

import textwrap
import time
from threading import Lock

from rich.table import Table

from noughts.commands.live import redrawn, stacked
from noughts.commands.output import note, table
from noughts.evaluation.plan import EvaluationRun
from noughts.evaluation.report import seat_table
from noughts.evaluation.results import Results, add, count
from noughts.evaluation.tokens import estimate
from noughts.matches.usage import Usage
from noughts.printable import counted

REFRESHES = 5
"""Table refreshes per second."""
GAMES_SHOWN = 4


def play(evaluation: EvaluationRun, concurrency: int) -> None:
    """Plays the missing games, with a live table on a terminal."""
    standing = count(evaluation.plan, evaluation.finished())
    started, lock = time.monotonic(), Lock()

    def now() -> Table:
        with lock:
            return _standing(standing, evaluation.usage, time.monotonic() - started)

    # Redraw on a timer, so that the table follows each reply and not only each game.
    with redrawn(now, REFRESHES):
        for record in evaluation.play(concurrency):
            with lock:
                add(standing, record)
                evaluation.usage.at.pop(record.number, None)


def note_tokens(evaluation: EvaluationRun) -> None:
    """Prints the expected token cost of the remaining games, if models play."""
    plan, usage = evaluation.plan, evaluation.usage
    left = plan.games - len(evaluation.finished())
    cost = estimate(plan, left) if left else None
    if cost is None:
        return
    text = (
        f"{counted(left, 'game')} to play: about {cost.replies:,} replies, if games are as long as random ones; "
        f"about {cost.read:,} input tokens and at most {cost.write:,} output tokens"
    )
    if usage.most is not None:
        text += f"; limit {usage.most:,} tokens, {usage.tokens:,} used"
    note(textwrap.fill(text, 71, subsequent_indent="  "))


def _standing(results: Results, usage: Usage, seconds: float) -> Table:
    """Returns the table of the games so far."""
    heads, rows = seat_table(results, intervals=False)
    replies = results.replies
    caption = f"{replies.invalid.total()} of {replies.count} replies invalid"
    if usage.replies:
        caption = f"{usage.invalid} of {usage.replies} model replies invalid; {usage.tokens:,} tokens"
        playing = sorted(usage.at.items())[:GAMES_SHOWN]
        if playing:
            caption += "\nplaying: " + ", ".join(f"game {number + 1} at move {ply}" for number, ply in playing)
    head = f"{results.overall.games} of {results.plan.games} games, {seconds:.0f} s"
    return stacked(head, table(heads, rows, right=range(1, len(heads))), caption)
