"""The results as one self-contained web page without scripts or fonts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from noughts import board
from noughts.document import Markup, document, escape, html_table
from noughts.draw import svg
from noughts.evaluation.report import (
    ROWS,
    amount,
    best_moves,
    blunder_marks,
    blunder_words,
    graded_by,
    in_words,
    seats,
    share,
    span,
)
from noughts.evaluation.results import Results, fault_reason
from noughts.game import Game
from noughts.matches.record import GameRecord, result_of
from noughts.printable import counted

STYLE = """
main { max-width: 60rem; margin: 0 auto; padding: 24px 16px 48px; }
h1, main > p { overflow-wrap: anywhere; } h2 { margin: 32px 0 8px; } main > p { margin: 6px 0 16px; }
.card { width: fit-content; max-width: 100%; margin: 8px 0; } td small { display: block; color: var(--soft); }
td.words, th.words { text-align: left; white-space: normal; }
.share { display: block; width: 100%; height: 18px; margin: 4px 0 12px; border-radius: 4px; }
.won { fill: var(--tone-0); } .drawn { fill: var(--thin); } .lost { fill: var(--tone-1); }
.forfeited { fill: var(--tone-3); } .opponent_forfeited { fill: var(--tone-2); }
.key svg { width: 12px; height: 12px; margin: 0 6px 0 16px; vertical-align: -1px; }
.key svg:first-child { margin-left: 0; }
.figures { display: flex; flex-wrap: wrap; gap: 16px 40px; } .figures b { display: block; font-size: 25px; }
.figures small { font-size: 16px; font-weight: normal; color: var(--soft); }
.blunders { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 24px; }
figure { margin: 0; } figure svg { width: 100%; max-width: 15rem; height: auto; } figcaption { font-size: 14px; }
figure svg.shares { max-width: 46rem; } .shares text { fill: var(--ink); font-size: 12px; }
.shares line { stroke: var(--tone); stroke-width: 3; opacity: 0.45; } .shares circle { fill: var(--tone); }
.shares line.axis { stroke: var(--thin); stroke-width: 1; }
summary { cursor: pointer; }
"""
"""Styles of these pages besides the board's own."""

SEATS = {"first": "moving first", "second": "moving second", "both": "both seats"}
KINDS = {
    "won": "won",
    "drawn": "drawn",
    "lost": "lost",
    "forfeited": "forfeited",
    "opponent_forfeited": "opponent forfeited",
}


def page(results: Results, games: list[GameRecord]) -> str:
    """Returns the page as HTML."""
    plan, game = results.plan, results.plan.game
    title = f"{plan.title()}: {game.rules.title}"
    games_played = counted(results.overall.games, "game")
    parts = [
        f"<h1>{escape(plan.title())}</h1>",
        f'<p class="soft">{escape(game.rules.title)}, {games_played}, seed {plan.seed}, consecutive invalid replies '
        f"allowed: {plan.text.error_allowance}</p>",
        _bars(results),
        _seats(results),
        _figures(results),
        _faults(results),
        _blunders(results, game),
        _games(results, games),
    ]
    return sheet(title, parts)


def sheet(title: str, parts: Iterable[str]) -> str:
    """Returns a page of these parts, which are markup; empty ones are left out."""
    body = "\n".join(filter(None, parts))
    return document(title, f"<main>\n{body}\n</main>", style=board.style() + STYLE)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], words: Collection[int] = (0,)) -> str:
    """Returns a table in a card. words: the left-aligned columns."""
    return f'<div class="card scroll">{html_table(heads, rows, dict.fromkeys(words, "words"))}</div>'


def _bars(results: Results) -> str:
    lines = []
    for name, seat, _ in seats(results):
        rates, parts, at = results.rates(seat), [], 0.0
        for kind, words in KINDS.items():
            width = 100 * (rates[kind].value or 0)
            if width:
                tooltip = f"<title>{words}: {share(rates[kind])}</title>"
                parts.append(f'<rect class="{kind}" x="{at:.2f}" width="{width:.2f}" height="1">{tooltip}</rect>')
            at += width
        label = ", ".join(f"{words} {share(rates[kind])}" for kind, words in KINDS.items() if rates[kind].value)
        lines.append(
            f'<div class="soft">{SEATS[name]}</div><svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" '
            f'role="img" aria-label="{SEATS[name]}: {label}">{"".join(parts)}</svg>'
        )
    square = '<svg viewBox="0 0 1 1" aria-hidden="true"><rect class="{}" width="1" height="1"/></svg>'
    key = "".join(f"{square.format(kind)}{words}" for kind, words in KINDS.items())
    return "\n".join([*lines, f'<p class="key soft">{key}</p>'])


def _seats(results: Results) -> str:
    rows = []
    for name, seat, tally in seats(results):
        counts = tally.endings().values()
        shares = zip(counts, results.rates(seat).values(), strict=True)
        rows.append(
            [name, str(tally.games), *(Markup(f"{n}<small>{share(rate)} ({span(rate)})</small>") for n, rate in shares)]
        )
    return table(["moving", "games", *KINDS.values()], rows) + (
        f'<p class="soft">{results.different} of {results.overall.games} games differ. Brackets: 95 % intervals of '
        "the shares, clustered by opening. Forfeited: ended by an invalid or late reply.</p>"
    )


def _figures(results: Results) -> str:
    if results.grades is None:
        return f'<h2>Moves</h2><p class="soft">{escape(results.not_graded or "")}</p>'
    grades = results.grades
    figures = [
        ("value given away per move", amount(grades.given_away).replace("(", "<small>(").replace(")", ")</small>")),
        (best_moves(grades), f"{share(grades.perfect)} <small>({span(grades.perfect)})</small>"),
        (
            f"the same, where the choice mattered ({grades.perfect_choices.n} moves)",
            f"{share(grades.perfect_choices)} <small>({span(grades.perfect_choices)})</small>",
        ),
    ]
    cells = "".join(f"<div><b>{value}</b>{words}</div>" for words, value in figures)
    return f'<h2>Moves against {graded_by(grades)}</h2><div class="figures">{cells}</div>'


def _faults(results: Results) -> str:
    replies = results.replies
    rate = replies.invalid_rate()
    head = f"<h2>Invalid replies: {replies.invalid.total()} of {replies.count} ({share(rate)}, {span(rate)})</h2>"
    rows = [[reason, n, in_words(replies, reason)] for reason, n in replies.invalid.most_common()]
    cost = ""
    if replies.seconds:
        cost = (
            f'<p class="soft">{replies.seconds / replies.count:.2f} s per reply; {replies.prompt_tokens:,} tokens '
            f"read, {replies.completion_tokens:,} written</p>"
        )
    return head + (table([], rows, words=(0, 2)) if rows else "") + cost


def _blunders(results: Results, game: Game) -> str:
    if results.grades is None or not results.grades.blunders:
        return ""
    figures = []
    for move in results.grades.blunders:
        state, words = blunder_words(move)
        picture = svg(state.view(), labels=blunder_marks(game, move[1]))
        figures.append(f"<figure>{picture}<figcaption>{escape(words)}</figcaption></figure>")
    return (
        '<h2>The costliest moves</h2><p class="soft">? marks the played move, ! a better one.</p><div '
        f'class="blunders">{"".join(figures)}</div>'
    )


def _games(results: Results, games: list[GameRecord]) -> str:
    rows = []
    for record in games:
        seat = results.plan.seat(record)
        state = record.game.new_initial_state()
        moves = " ".join(state.action_to_string(action) for action in record.moves)
        if record.faulty is not None:
            result = f"{'player' if record.faulty == seat else 'opponent'} forfeited: {fault_reason(record)}"
        else:
            result = result_of(record.points[seat], record.points[1 - seat])
        rows.append([record.number + 1, ROWS[seat], result, moves])
    return (
        f"<h2>Games</h2><details><summary>all {len(games)} games</summary>"
        f"{table(['game', 'moving', 'result', 'moves'], rows, words=(0, 2, 3))}</details>"
    )
