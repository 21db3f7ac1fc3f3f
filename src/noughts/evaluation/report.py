"""The results as text, and as plain data."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from noughts.analysis.mistakes import Choice
from noughts.evaluation.results import Grades, Move, Replies, Results
from noughts.game import Game, State
from noughts.matches.statistics import Interval
from noughts.matches.tally import Tally
from noughts.printable import one_line, paragraph
from noughts.text.replies import REASONS

FAULTS = {**REASONS, "time": "no reply within the time limit"}
VALUES: dict[float, str] = {1: "won", 0: "drawn", -1: "lost"}
WIDTH = 80
TEXTS_SHOWN = 3
"""Maximum different faults of one kind."""
ROWS = ("first", "second", "both")

Table = Callable[[Sequence[str], Sequence[Sequence[str]], Sequence[int]], str]
Board = Callable[[State, Mapping[int, str]], str]


def seats(results: Results) -> list[tuple[str, int | None, Tally]]:
    """Returns the tallies of both seats and of all games, each with its name and the seat."""
    return list(zip(ROWS, (0, 1, None), (*results.by_seat, results.overall), strict=True))


def seat_table(results: Results, *, intervals: bool = True) -> tuple[list[str], list[list[str]]]:
    """Returns the head and rows of the table by seat, with the 95 % interval below each share."""
    heads = ["moving", "games", "won", "drawn", "lost", "forfeited", "opp. forfeited"]
    rows = []
    for name, seat, tally in seats(results):
        counts = tally.endings().values()
        rates = list(results.rates(seat).values())
        shares = [f"{n}  {share(rate):>4}" for n, rate in zip(counts, rates, strict=True)]
        rows.append([name, str(tally.games), *shares])
        if intervals and tally.games:
            rows.append(["", "", *map(span, rates)])
    return heads, rows


def share(estimate: Interval) -> str:
    return "-" if estimate.value is None else f"{100 * estimate.value:.0f}%"


def span(estimate: Interval) -> str:
    """Returns an interval in whole percents."""
    if estimate.low is None or estimate.high is None:
        return "-"
    return f"{100 * estimate.low:.0f}-{100 * estimate.high:.0f}%"


def amount(estimate: Interval) -> str:
    """Returns a mean that cannot be negative, with its interval."""
    return estimate.text(".3f", least=0.0)


def report(results: Results, table: Table, board: Board) -> str:
    """Returns the whole report. table, board: draw tables and boards for the output."""
    plan, game = results.plan, results.plan.game
    heads, rows = seat_table(results)
    games = f"{results.overall.games} game{'s' * (results.overall.games != 1)}"
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
        parts += [_blunder(game, move, board) for move in results.grades.blunders]
    return "\n\n".join(part for part in parts if part)


def _evidence(results: Results) -> str:
    """Describes how many games differ, and why."""
    different, games, openings = results.different, results.overall.games, results.plan.opening
    parts = [f"{different} of {games} game{'s' * (games != 1)} differ{'s' * (different == 1)}."]
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


def in_words(replies: Replies, reason: str) -> str:
    """Describes the replies refused for a reason; for a bot, its fault with the line of its file."""
    texts_counted = replies.fault_texts.get(reason)
    if not texts_counted or reason == "time":  # late moves all take different times
        return FAULTS.get(reason, reason)
    texts = [text for text, _ in texts_counted.most_common(TEXTS_SHOWN)]
    more = len(texts_counted) - len(texts)
    return "; ".join(texts) + (f"; and {more} other{'s' * (more != 1)}" if more else "")


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


def graded_by(grades: Grades) -> str:
    """Returns what moves were compared with."""
    return "perfect play" if grades.nodes is None else f"the engine at {grades.nodes:,} nodes"


def best_moves(grades: Grades) -> str:
    """Returns the name of moves that gave nothing away."""
    return "perfect moves" if grades.nodes is None else "as good as the engine's"


def blunder_marks(game: Game, choice: Choice) -> dict[int, str]:
    """Returns labels for the cells of a blunder: ``!`` for better moves, ``?`` for the one played."""
    rules = game.rules
    marks: dict[int, str] = {}
    for action in choice.better:
        index, mark = divmod(action, rules.choices)
        marks[index] = marks.get(index, "") + ("" if rules.own_marks else rules.marks[mark])
    labels = {index: f"{text if len(text) <= 2 else ''}!" for index, text in marks.items()}
    index, mark = divmod(choice.action, rules.choices)
    return labels | {index: "?" if rules.own_marks else f"{rules.marks[mark]}?"}


def blunder_words(move: Move) -> tuple[State, str]:
    """Returns the position before a costly move, and a description."""
    record, choice = move
    state, best, value = record.states()[choice.ply][0], choice.best.value, choice.played.value
    names = [state.action_to_string(action) for action in choice.better]
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    if choice.exact:
        cost = f"turned a {VALUES[best]} game into a {VALUES[value]} one"
    else:
        cost = f"took the expected result from {best:+z.2f} to {value:+z.2f}"
    played = state.action_to_string(choice.action)
    return state, (
        f"Game {record.number + 1}, move {choice.ply + 1}, {('first', 'second')[choice.player]} player: "
        f"{played} {cost}. Better: {listed}."
    )


def _blunder(game: Game, move: Move, board: Board) -> str:
    state, words = blunder_words(move)
    return f"{textwrap.fill(words, WIDTH)}\n\n{board(state, blunder_marks(game, move[1]))}"


def as_data(results: Results) -> dict[str, Any]:
    """Returns the results as plain data: counts, and shares with their 95 % intervals."""
    data: dict[str, Any] = {
        "game": results.plan.game.name,
        "player": results.plan.player,
        "against": results.plan.against,
        "seed": results.plan.seed,
        "games": results.overall.games,
        "different_games": results.different,
        "openings": results.plan.opening,
        "prompt": results.plan.prompt,
    }
    data["by_seat"] = {name: _tally(tally, results.rates(seat)) for name, seat, tally in seats(results)}
    replies = results.replies
    data["replies"] = {
        "count": replies.count,
        "invalid": _counts(replies.invalid),
        "faults": {reason: _counts(fault_texts) for reason, fault_texts in sorted(replies.fault_texts.items())},
        "invalid_rate": replies.invalid_rate().to_data(),
        "seconds": round(replies.seconds, 3),
        "prompt_tokens": replies.prompt_tokens,
        "completion_tokens": replies.completion_tokens,
    }
    data["not_graded"] = results.not_graded
    if results.grades:
        data["grades"] = {
            "exact": results.grades.nodes is None,
            "nodes": results.grades.nodes,
            "given_away": results.grades.given_away.to_data(),
            "perfect": results.grades.perfect.to_data(),
            "perfect_choices": results.grades.perfect_choices.to_data(),
            "blunders": [_blunder_data(move) for move in results.grades.blunders],
        }
    return data


def _blunder_data(move: Move) -> dict[str, Any]:
    record, choice = move
    state = record.states()[choice.ply][0]
    return {
        "game": record.number,
        "ply": choice.ply,
        "player": choice.player,
        "position": state.to_string(),
        "move": state.action_to_string(choice.action),
        "value": choice.played.value,
        "best_value": choice.best.value,
        "best_moves": [state.action_to_string(action) for action in choice.better],
    }


def _tally(tally: Tally, rates: Mapping[str, Interval]) -> dict[str, Any]:
    return {
        "games": tally.games,
        "won": tally.won_on_board,
        "drawn": tally.drawn,
        "lost": tally.lost_on_board,
        "forfeited": _counts(tally.forfeits),
        "opponent_forfeited": _counts(tally.opponent_forfeits),
        "rates": {name: estimate.to_data() for name, estimate in rates.items()},
    }


def _counts(counter: Counter[str]) -> dict[str, int]:
    return dict(sorted(counter.items()))
