"""The results in words, which the terminal and the page share, and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from noughts.analysis.mistakes import Choice
from noughts.evaluation.results import GradedMove, Grades, Replies, Results
from noughts.game import Game, State
from noughts.matches.statistics import Interval
from noughts.matches.tally import Tally
from noughts.text.replies import REASONS

FAULTS = {**REASONS, "time": "no reply within the time limit"}
VALUES: dict[float, str] = {1: "won", 0: "drawn", -1: "lost"}
TEXTS_SHOWN = 3
"""Maximum different faults of one kind."""
ROWS = ("first", "second", "both")


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


def in_words(replies: Replies, reason: str) -> str:
    """Describes the replies refused for a reason; for a bot, its fault with the line of its file."""
    texts_counted = replies.fault_texts.get(reason)
    if not texts_counted or reason == "time":  # late moves all take different times
        return FAULTS.get(reason, reason)
    texts = [text for text, _ in texts_counted.most_common(TEXTS_SHOWN)]
    more = len(texts_counted) - len(texts)
    return "; ".join(texts) + (f"; and {more} other{'s' * (more != 1)}" if more else "")


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


def blunder_words(move: GradedMove) -> tuple[State, str]:
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


def _blunder_data(move: GradedMove) -> dict[str, Any]:
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
