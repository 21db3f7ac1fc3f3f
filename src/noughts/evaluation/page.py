"""The results as one web page that needs nothing else: no scripts, no fonts, nothing to fetch."""

from __future__ import annotations

import html

from noughts.draw import svg
from noughts.evaluation.report import (
    ROWS,
    amount,
    best_moves,
    blunder_marks,
    blunder_words,
    graded_by,
    in_words,
    share,
    span,
)
from noughts.evaluation.results import Results, fault_reason
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.tally import Tally
from noughts.printable import printable

STYLE = """
:root { color-scheme: light dark; --line: #d0d0d0; --soft: #6a6a6a; --won: #2a7fb8; --drawn: #b9b9b9; --lost: #d9822b;
  --fault: #7b4fa3; --paper: #ffffff; --ink: #1c1c1c; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --soft: #a0a0a0; --drawn: #777; --paper: #16181b;
  --ink: #e8e8e8; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  background: var(--paper); color: var(--ink); }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.soft { color: var(--soft); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .35rem .8rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
td small { display: block; color: var(--soft); white-space: nowrap; }
td.words { text-align: left; }
.bar { display: flex; height: 1.1rem; border-radius: .2rem; overflow: hidden; margin: .3rem 0 .9rem; }
.bar span { height: 100%; } .won { background: var(--won); } .drawn { background: var(--drawn); }
.lost { background: var(--lost); } .forfeited { background: var(--fault); }
.opponent_forfeited { background: repeating-linear-gradient(45deg, var(--won) 0 4px, transparent 4px 8px); }
.key span { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem; vertical-align: -.05rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; } .figures b { display: block; font-size: 1.6rem; }
.figures small { font-size: 1rem; font-weight: normal; color: var(--soft); }
.blunders { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1.5rem; }
figure { margin: 0; } figure svg { width: 100%; max-width: 15rem; height: auto; } figcaption { font-size: .9rem; }
"""

LONGEST_TEXT = 10_000
SEATS = {"first": "moving first", "second": "moving second", "both": "both seats"}
KINDS = {
    "won": "won",
    "drawn": "drawn",
    "lost": "lost",
    "forfeited": "forfeited",
    "opponent_forfeited": "opponent forfeited",
}


def escape(text: str) -> str:
    """Text that may not be ours, for the page."""
    return html.escape(printable(text, LONGEST_TEXT))


def page(results: Results, games: list[GameRecord]) -> str:
    """The page as HTML."""
    plan, game = results.plan, results.plan.game
    title = f"{plan.title()}: {game.rules.title}"
    games_played = "1 game" if results.overall.games == 1 else f"{results.overall.games} games"
    parts = [
        f"<h1>{escape(plan.title())}</h1>",
        f'<p class="soft">{escape(game.rules.title)}, {games_played}, seed {plan.seed}, '
        f"invalid replies forgiven in a row: {plan.error_allowance}</p>",
        _bars(results),
        _seats(results),
        _figures(results),
        _faults(results),
        _blunders(results, game),
        _games(results, games),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )


def _tallies(results: Results) -> list[tuple[str, Tally]]:
    return list(zip(ROWS, (*results.by_seat, results.overall), strict=True))


def _bars(results: Results) -> str:
    lines = []
    for name, tally in _tallies(results):
        rates = tally.rates()
        spans = "".join(
            f'<span class="{kind}" style="width:{100 * (rates[kind].value or 0):.2f}%" '
            f'title="{words}: {share(rates[kind])}"></span>'
            for kind, words in KINDS.items()
            if rates[kind].value
        )
        lines.append(f'<div class="soft">{SEATS[name]}</div><div class="bar">{spans}</div>')
    key = "".join(f'<span class="{kind}"></span>{words}' for kind, words in KINDS.items())
    return "\n".join([*lines, f'<p class="key soft">{key}</p>'])


def _seats(results: Results) -> str:
    head = "".join(f"<th>{words}</th>" for words in ("moving", "games", *KINDS.values()))
    rows = []
    for name, tally in _tallies(results):
        counts = tally.endings().values()
        cells = "".join(
            f"<td>{n}<small>{share(rate)} ({span(rate)})</small></td>"
            for n, rate in zip(counts, tally.rates().values(), strict=True)
        )
        rows.append(f"<tr><td>{name}</td><td>{tally.games}</td>{cells}</tr>")
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        '<p class="soft">In brackets the 95 % intervals of the shares. '
        "Forfeited: ended by an invalid or a late reply.</p>"
    )


def _figures(results: Results) -> str:
    if results.grades is None:
        return f'<h2>Moves</h2><p class="soft">{escape(results.not_graded or "")}</p>'
    grades = results.grades
    figures = [
        ("value given away per move", amount(grades.given_away).replace("(", "<small>(").replace(")", ")</small>")),
        (best_moves(grades), f"{share(grades.perfect)} <small>({span(grades.perfect)})</small>"),
        (
            f"the same where the choice mattered ({grades.perfect_choices.n} moves)",
            f"{share(grades.perfect_choices)} <small>({span(grades.perfect_choices)})</small>",
        ),
    ]
    cells = "".join(f"<div><b>{value}</b>{words}</div>" for words, value in figures)
    return f'<h2>Moves against {graded_by(grades)}</h2><div class="figures">{cells}</div>'


def _faults(results: Results) -> str:
    replies = results.replies
    rate = replies.invalid_rate()
    head = f"<h2>Invalid replies: {replies.invalid.total()} of {replies.count} ({share(rate)}, {span(rate)})</h2>"
    rows = "".join(
        f'<tr><td>{escape(reason)}</td><td>{n}</td><td class="words">{escape(in_words(replies, reason))}</td></tr>'
        for reason, n in replies.invalid.most_common()
    )
    cost = ""
    if replies.seconds:
        cost = (
            f'<p class="soft">{replies.seconds / replies.count:.2f} s per reply; {replies.prompt_tokens:,} tokens '
            f"read, {replies.completion_tokens:,} written; {replies.cut_short} replies cut short</p>"
        )
    return head + (f"<table><tbody>{rows}</tbody></table>" if rows else "") + cost


def _blunders(results: Results, game: Game) -> str:
    if results.grades is None or not results.grades.blunders:
        return ""
    figures = []
    for grade in results.grades.blunders:
        state, words = blunder_words(game, grade)
        picture = svg(state.view(), labels=blunder_marks(game, grade))
        figures.append(f"<figure>{picture}<figcaption>{escape(words)}</figcaption></figure>")
    return (
        '<h2>The costliest moves</h2><p class="soft">? is what was played, ! what was better.</p>'
        f'<div class="blunders">{"".join(figures)}</div>'
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
            result = {1.0: "won", 0.5: "drawn", 0.0: "lost"}[record.score(seat)]
        rows.append(
            f"<tr><td>{record.number + 1}</td><td>{ROWS[seat]}</td>"
            f'<td class="words">{escape(result)}</td><td class="words">{escape(moves)}</td></tr>'
        )
    head = '<tr><th>game</th><th>moving</th><th class="words">result</th><th>moves</th></tr>'
    return (
        f"<h2>Games</h2><details><summary>all {len(games)} games</summary>"
        f'<div class="scroll"><table><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div></details>'
    )
