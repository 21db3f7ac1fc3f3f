"""Many runs side by side: games of evaluations, answers to a suite, in tables and one picture with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noughts.document import escape
from noughts.evaluation.page import sheet, table
from noughts.evaluation.plan import PastPlan
from noughts.evaluation.report import amount, as_data, share, span
from noughts.evaluation.results import Results, grade
from noughts.game import Game
from noughts.matches.record import GameRecord
from noughts.matches.statistics import Interval
from noughts.matches.store import RUN_FILE, read_exchanges, read_run
from noughts.matches.tally import Tally
from noughts.printable import one_line
from noughts.rules.spec import shown
from noughts.suites.asking import SuitePlan
from noughts.suites.scores import SuiteResults, compared, results_data, score_answers
from noughts.suites.suite import make_suite

LONGEST_LABEL = 40
Tick = Callable[[float], None]


@dataclass(frozen=True)
class GameRun:
    """The games of a run, graded."""

    results: Results
    games: list[GameRecord]

    @property
    def label(self) -> str:
        return _label(self.results.plan.player)

    def openings(self) -> list[tuple[str, float]]:
        """The player's first moves when it moved first, most frequent first, with their shares."""
        first = [record for record in self.games if self.results.plan.seat(record) == 0 and not record.opening]
        first = [record for record in first if record.moves]
        found = Counter(record.moves[0] for record in first)
        start = self.results.plan.game.new_initial_state()
        return [(start.action_to_string(action), n / len(first)) for action, n in found.most_common()]


def run_path(text: str) -> Path:
    """The file of a run, named itself or by its folder."""
    path = Path(text)
    path = path / RUN_FILE if path.is_dir() else path
    if not path.is_file():
        raise ValueError(f"there is no run in {text!r}: name a folder with a {RUN_FILE}, or such a file")
    return path


def read_runs(paths: Sequence[Path], nodes: int, tick: Tick) -> tuple[list[GameRun], list[SuiteResults]]:
    """The runs of these files, graded: those of games, and those of suites. What stands in them is untrusted."""
    games: list[GameRun] = []
    suites: list[SuiteResults] = []
    for number, path in enumerate(paths):
        plan, records = read_run(path)
        if "suite" in plan:
            suites.append(_suite_run(path))
        else:
            past = _past_plan(path, plan)
            kept = [record for record in records if record.number < past.games and record.game == past.game]
            games.append(GameRun(grade(past, kept, nodes=nodes), kept))
        tick((number + 1) / len(paths))
    return games, suites


def _past_plan(path: Path, plan: Mapping[str, Any]) -> PastPlan:
    try:
        game, players = Game.from_data(plan), (str(plan["player"]), str(plan["against"]))
        openings, prompt = plan.get("openings"), plan.get("prompt")
        return PastPlan(
            game,
            *players,
            int(plan["games"]),
            int(plan["seed"]),
            openings=None if openings is None else int(openings),
            prompt=None if prompt is None else one_line(prompt),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{path} is no evaluation that can be compared: {error}") from None


def _suite_run(path: Path) -> SuiteResults:
    facts, exchanges = read_exchanges(path)
    try:
        suite = make_suite(str(facts["suite"]), str(facts["size"]), int(facts["seed"]))  # type: ignore[call-overload]
        player, listed, take = str(facts["player"]), facts["list_moves"] is True, str(facts["take"])
        repeats = int(facts.get("repeats", 1))  # type: ignore[call-overload]
        plan = SuitePlan(suite, player, listed, take, repeats)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{path} is no suite that can be compared: {error}") from None
    if suite.hash != facts.get("hash"):
        raise ValueError(
            f"{path} holds answers to a suite with the hash {shown(facts.get('hash'))}, and this version makes another "
            f"from the same seed, {suite.hash}; compare it with the version that asked it"
        )
    return score_answers(plan, {number: noted[0] for number, noted in exchanges.items()})


def _label(player: str) -> str:
    name = player.partition("?")[0]
    return name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 3]}..."


Rows = tuple[list[str], list[list[str]]]


def game_tables(runs: Sequence[GameRun]) -> list[tuple[str, Rows]]:
    """Tables with a title each: how games ended, how moves were, openings."""
    ended, quality, opening = [], [], []
    for run in runs:
        results, plan = run.results, run.results.plan
        tally, replies, grades = results.overall, results.replies, results.grades
        rates = results.rates()
        scores = [_score(results.by_seat[seat]) for seat in (0, 1)]
        ended.append(
            [
                run.label,
                f"{plan.game.name}, {_label(plan.against)}",
                f"{results.different}/{tally.games}",
                *(share(rates[name]) for name in ("won", "drawn", "lost", "forfeited", "opponent_forfeited")),
                f"{scores[0]} / {scores[1]}",
            ]
        )
        legal = replies.invalid_rate()
        valid = "-" if legal.value is None else f"{100 * (1 - legal.value):.0f}%"
        per_reply = replies.seconds / replies.count if replies.count else 0.0
        tokens = (replies.prompt_tokens + replies.completion_tokens) / replies.count if replies.count else 0.0
        quality.append(
            [
                run.label,
                valid,
                amount(grades.given_away) if grades else "-",
                f"{share(grades.perfect_choices)} ({span(grades.perfect_choices)})" if grades else "-",
                f"{per_reply:.2f}" if replies.seconds else "-",
                f"{tokens:.0f}" if tokens else "-",
            ]
        )
        most = ", ".join(f"{move} {100 * part:.0f}%" for move, part in run.openings()[:4])
        opening.append([run.label, most or "-"])
    return [
        (
            "How games ended (different games of all)",
            (
                [
                    "player",
                    "game, against",
                    "games",
                    "won",
                    "drawn",
                    "lost",
                    "forf.",
                    "given",
                    "score 1st/2nd",
                ],
                ended,
            ),
        ),
        (
            "How moves were",
            (
                ["player", "legal", "given away a move", "right choices", "s/reply", "tokens"],
                quality,
            ),
        ),
        ("First moves when moving first", (["player", "openings"], opening)),
    ]


def _score(tally: Tally) -> str:
    return "-" if not tally.games else f"{100 * (tally.won_on_board + tally.drawn / 2) / tally.games:.0f}%"


def suite_tables(runs: Sequence[SuiteResults]) -> list[tuple[str, Rows]]:
    """Tables of answers to suites, and of each player against the first one on the same questions."""
    heads = ["player", "variants", "regret", "changed", "classic", "disguise", "legal", "s", "tok."]
    rows = []
    for run in runs:
        accuracy = {part: one.accuracy for part, one in run.parts.items()}
        variant = run.parts.get("variant")
        n = max(1, len(run.answers))
        tokens = (run.prompt_tokens + run.completion_tokens) / n
        rows.append(
            [
                _label(run.plan.player),
                f"{share(accuracy['variant'])} ({span(accuracy['variant'])})" if variant else "-",
                f"{variant.regret.value:.2f}" if variant else "-",
                *(share(accuracy[part]) if part in accuracy else "-" for part in ("clash", "classic", "disguised")),
                share(variant.legal) if variant else "-",
                f"{run.seconds / n:.2f}",
                f"{tokens:.0f}" if tokens else "-",
            ]
        )
    tables = [("Right answers to single positions", (heads, rows))]
    base = runs[0]
    others = [run for run in runs[1:] if run.plan.suite.hash == base.plan.suite.hash]
    if others:
        pairs = [[_label(run.plan.player), _points(compared(run, base))] for run in others]
        title = f"Against {_label(base.plan.player)}, on the same variants"
        tables.append((title, (["player", "points of accuracy"], pairs)))
    return tables


def _points(estimate: Interval) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "-"
    return f"{100 * estimate.value:+.1f} ({100 * estimate.low:+.1f} to {100 * estimate.high:+.1f})"


def compare_data(games: Sequence[GameRun], suites: Sequence[SuiteResults]) -> dict[str, Any]:
    """All of it for programs."""
    return {
        "games": [as_data(run.results) | {"openings": run.openings()} for run in games],
        "suites": [results_data(run) for run in suites],
    }


# The picture: a row for each player, a dot for each share, a bar for its interval.

ROW, LEFT, WIDE, TOP = 30, 220, 420, 46
TONES = {
    "variant": "tone-0",
    "unchanged": "tone-none",
    "clash": "tone-1",
    "classic": "tone-3",
    "disguised": "tone-2",
    "right": "tone-none",
}
NAMES = {
    "variant": "variants",
    "unchanged": "before the change",
    "clash": "changed rules",
    "classic": "classic",
    "disguised": "classic in disguise",
    "right": "right where it mattered",
}


def picture(games: Sequence[GameRun], suites: Sequence[SuiteResults]) -> str:
    """The share of right moves of every run as SVG, with 95 % intervals."""
    rows: list[tuple[str, dict[str, Interval]]] = []
    for run in games:
        if run.results.grades:
            name = f"{run.label}, {run.results.plan.game.name}"
            rows.append((name, {"right": run.results.grades.perfect_choices}))
    for answered in suites:
        name = f"{_label(answered.plan.player)}, suite"
        rows.append((name, {part: one.accuracy for part, one in answered.parts.items()}))
    kinds = [kind for kind in NAMES if any(kind in found for _, found in rows)]
    height = TOP + ROW * len(rows) + 40
    parts = [
        f'<svg class="shares" viewBox="0 0 {LEFT + WIDE + 30} {height}" role="img">',
        "<title>The share of right moves, with 95 % intervals</title>",
    ]
    at = 14
    for kind in kinds:
        parts.append(f'<circle class="{TONES[kind]}" cx="{at}" cy="14" r="5"/>')
        parts.append(f'<text x="{at + 9}" y="18">{NAMES[kind]}</text>')
        at += 28 + 7 * len(NAMES[kind])
    for tenth in range(0, 11, 2):
        x = LEFT + WIDE * tenth / 10
        line = f'<line class="axis" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 12}" y2="{height - 28}"/>'
        parts.append(line + f'<text x="{x:.0f}" y="{height - 12}" text-anchor="middle">{10 * tenth}%</text>')
    for number, (name, found) in enumerate(rows):
        y = TOP + ROW * number
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        for place, (kind, estimate) in enumerate(found.items()):
            parts.append(_dot(estimate, y + 6 * (place - (len(found) - 1) / 2), TONES[kind]))
    return "\n".join([*filter(None, parts), "</svg>"]) + "\n"


def _dot(estimate: Interval, y: float, tone: str) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    low, at, high = (LEFT + WIDE * number for number in (estimate.low, estimate.value, estimate.high))
    return (
        f'<line class="{tone}" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<circle class="{tone}" cx="{at:.1f}" cy="{y:.1f}" r="4"/>'
    )


def compare_page(games: Sequence[GameRun], suites: Sequence[SuiteResults]) -> str:
    """The tables and the picture as one web page that needs nothing else."""
    tables = (game_tables(games) if games else []) + (suite_tables(suites) if suites else [])
    hashes = sorted({f"{run.plan.suite.size}, seed {run.plan.suite.seed}: {run.plan.suite.hash}" for run in suites})
    body = ["<h1>Players compared</h1>", *(f'<p class="soft">suite {escape(each)}</p>' for each in hashes)]
    body.append(f"<figure>{picture(games, suites)}</figure>")
    for title, (heads, rows) in tables:
        body.append(f"<h2>{escape(title)}</h2>{table(heads, [[escape(cell) for cell in row] for row in rows])}")
    return sheet("Players compared", body)
