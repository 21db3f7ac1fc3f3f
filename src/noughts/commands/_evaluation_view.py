"""An evaluation in the terminal: the expected cost, a live table of the games so far, and the report."""

from __future__ import annotations

import textwrap
import time
from threading import Lock

from rich.table import Table

from noughts.commands._live import redrawn, stacked
from noughts.commands.output import WIDTH, board, note, table
from noughts.evaluation.plan import EvaluationRun
from noughts.evaluation.report import (
    amount,
    best_moves,
    blunder_marks,
    blunder_words,
    graded_by,
    in_words,
    seat_table,
    share,
    span,
)
from noughts.evaluation.results import GradedMove, Results, add, count
from noughts.evaluation.tokens import estimate
from noughts.game import Game
from noughts.matches.usage import Usage
from noughts.printable import counted, one_line, paragraph

REFRESHES = 5
"""Table refreshes per second."""
GAMES_SHOWN = 4


def play_with_view(evaluation: EvaluationRun, concurrency: int) -> None:
    """Plays the missing games, with a live table on a terminal."""
    results = count(evaluation.plan, evaluation.finished())
    started, lock = time.monotonic(), Lock()

    def now() -> Table:
        with lock:
            return _progress_table(results, evaluation.usage, time.monotonic() - started)

    # Redraw on a timer, so that the table follows each reply and not only each game.
    with redrawn(now, REFRESHES):
        for record in evaluation.play(concurrency):
            with lock:
                add(results, record)
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


def _progress_table(results: Results, usage: Usage, seconds: float) -> Table:
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


# The report.


def evaluation_text(results: Results) -> str:
    """Returns the whole report."""
    plan, game = results.plan, results.plan.game
    heads, rows = seat_table(results)
    games = counted(results.overall.games, "game")
    prompt = f", prompt {plan.prompt}" if plan.prompt else ""
    parts = [
        f"{one_line(plan.title())}, {game.rules.title}, {games}\nseed {plan.seed}{prompt}",
        table(heads, rows, range(1, len(heads))),
        "Below each count: the 95% interval of its share of the games, clustered by opening."
        if plan.opening
        else "Below each count: the 95% interval of its share of the games.",
        _evidence(results),
        _replies(results),
    ]
    if results.not_graded:
        parts.append(paragraph(results.not_graded, WIDTH))
    if results.grades:
        parts.append(_grades(results))
        if results.grades.blunders:
            parts.append("The costliest moves ('?' played, '!' better):")
        parts += [_blunder(game, move) for move in results.grades.blunders]
    return "\n\n".join(part for part in parts if part)


def _evidence(results: Results) -> str:
    """Describes how many games differ, and why."""
    different, games, openings = results.different, results.overall.games, results.plan.opening
    parts = [f"{different} of {counted(games, 'game')} differ{'s' * (different == 1)}."]
    if different < games:
        parts.append("The others repeat them move by move and add no evidence.")
    if openings:
        parts.append(f"Each pair of games begins with the same {openings} random moves, to about even positions.")
    elif different < games:
        parts.append("Pass --openings N to begin each pair with N random moves.")
    return textwrap.fill(" ".join(parts), WIDTH)


def _replies(results: Results) -> str:
    replies = results.replies
    rate = replies.invalid_rate()
    lines = [f"Invalid replies: {replies.invalid.total()} of {replies.count} ({share(rate)}, {span(rate)})"]
    for reason, n in replies.invalid.most_common():
        line = f"  {n:>5}  {one_line(reason)}: {one_line(in_words(replies, reason), 2000)}"
        lines.append(textwrap.fill(line, WIDTH, subsequent_indent=" " * 9))
    if replies.seconds:
        each = replies.seconds / replies.count
        tokens = f"{replies.prompt_tokens:,} tokens read, {replies.completion_tokens:,} written"
        lines.append(f"Time per reply: {each:.2f} s; {tokens}")
    return "\n".join(lines)


def _grades(results: Results) -> str:
    grades = results.grades
    if grades is None or grades.given_away.value is None:
        return "No move was made, so there is nothing to grade."
    loss = grades.given_away
    return "\n".join(
        [
            f"Against {graded_by(grades)}, over {loss.n} moves (won 1, drawn 0, lost -1):",
            f"  value given away per move   {amount(loss)}",
            f"  {best_moves(grades):<28}{share(grades.perfect)} ({span(grades.perfect)})",
            f"  where the choice mattered   {share(grades.perfect_choices)} ({span(grades.perfect_choices)}) "
            f"of {grades.perfect_choices.n}",
        ]
    )


def _blunder(game: Game, move: GradedMove) -> str:
    state, words = blunder_words(move)
    return f"{textwrap.fill(words, WIDTH)}\n\n{board(state, labels=blunder_marks(game, move[1]))}"
