"""Compares many runs: games of evaluations and answers to a suite, in tables and one picture with intervals."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noughts.document import escape
from noughts.evaluation.page import sheet, table
from noughts.evaluation.plan import PastPlan
from noughts.evaluation.report import amount, as_data, share, span
from noughts.evaluation.results import Results, grade
from noughts.game import Game
from noughts.matches.exports import TRANSCRIPT
from noughts.matches.record import GameRecord
from noughts.matches.statistics import Interval
from noughts.matches.store import Store, is_run, read_run, run_file
from noughts.matches.tally import Tally
from noughts.printable import one_line
from noughts.progress import Tick
from noughts.rules.spec import short_repr
from noughts.suites.asking import SuitePlan
from noughts.suites.scores import SuiteResults, compared, results_data, score_answers
from noughts.suites.suite import make_suite
from noughts.untrusted import MALFORMED, FileKind, read_json

LONGEST_LABEL = 23
"""Maximum characters of a player's name, so that every table fits 80 columns."""


FORMAT, VERSION = "noughts-results", 1
RESULTS = FileKind("a file of results", 32 << 20, nodes=1 << 20)
"""Files that `--compare --json` and `--reference` write, and `--compare` reads."""
REFERENCE = "reference"
"""Stands for the results that come with the package, in place of a run."""
SHIPPED = Path(__file__).with_name("reference.json")


@dataclass(frozen=True)
class Comparison:
    """Results side by side, as data: of games (see `report.as_data`) and of suites (see `scores.results_data`).

    answered: the runs of suites whose answers are known, for comparisons question by question.
    """

    games: list[dict[str, Any]]
    suites: list[dict[str, Any]]
    answered: list[SuiteResults]

    def to_data(self) -> dict[str, Any]:
        """Returns all results as plain data, which `--compare` can read again."""
        return {"format": FORMAT, "version": VERSION, "games": self.games, "suites": self.suites}

    def to_text(self) -> str:
        """Returns a file of all results, with a line for each."""
        head = json.dumps({"format": FORMAT, "version": VERSION})
        games, suites = (",\n".join(map(json.dumps, each)) for each in (self.games, self.suites))
        return f'{head[:-1]},\n"games": [\n{games}\n],\n"suites": [\n{suites}\n]}}\n'


def game_data(results: Results, games: Sequence[GameRecord]) -> dict[str, Any]:
    """Returns the results of games as data, with the player's first moves, the most frequent ones first."""
    first = [record for record in games if results.plan.seat(record) == 0 and not record.opening and record.moves]
    found = Counter(record.moves[0] for record in first)
    start = results.plan.game.new_initial_state()
    moves = [[start.action_to_string(action), n / len(first)] for action, n in found.most_common()]
    return as_data(results) | {"first_moves": moves}


def run_path(text: str) -> Path:
    """Returns the file of a run, given itself or as its folder."""
    path = run_file(Path(text))
    if not path.is_file():
        raise ValueError(f"there is no run in {text!r}; name a folder with a {TRANSCRIPT}, or the file itself")
    return path


def read_runs(paths: Sequence[Path], nodes: int, tick: Tick) -> Comparison:
    """Returns the runs and results in these files. Their contents are untrusted."""
    found = Comparison([], [], [])
    for number, path in enumerate(paths):
        if not is_run(path):
            _add_results(found, path)
        else:
            run = read_run(path)
            if "suite" in run.plan:
                answered = _suite_run(path, run)
                found.answered.append(answered)
                found.suites.append(results_data(answered))
            else:
                past = _past_plan(path, run.plan)
                kept = [record for record in run.records() if record.number < past.games and record.game == past.game]
                found.games.append(game_data(grade(past, kept, nodes=nodes), kept))
        tick((number + 1) / len(paths))
    return found


def with_reference(found: Comparison) -> Comparison:
    """Returns the runs together with reference players in the same games and suites; without runs, all reference
    players.
    """
    shipped = Comparison([], [], [])
    _add_results(shipped, SHIPPED)
    if not found.games and not found.suites:
        return shipped
    boards = {run["game"] for run in found.games}
    asked = {run["hash"] for run in found.suites}
    games = [run for run in shipped.games if run["game"] in boards]
    suites = [run for run in shipped.suites if run["hash"] in asked]
    return Comparison([*games, *found.games], [*suites, *found.suites], found.answered)


def _add_results(found: Comparison, path: Path) -> None:
    """Adds the contents of a results file. Raises ValueError if it is invalid, or lacks what the tables show."""
    try:
        data = read_json(path, RESULTS)
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ValueError(f"it is not {FORMAT} version {VERSION}")
        _require_finite(data)
        games, suites = list(data["games"]), list(data["suites"])
        kept = Comparison(games, suites, [])
        game_tables(kept)
        suite_tables(kept)
        picture(kept)
    except MALFORMED as error:
        why = f": {error}" if isinstance(error, ValueError) else ""
        raise ValueError(
            f"{path} contains neither a run nor results{why}; name a folder with a {TRANSCRIPT}, or a file that "
            "--reference or --compare --json wrote"
        ) from None
    found.games.extend(games)
    found.suites.extend(suites)


def _require_finite(data: object) -> None:
    """Raises ValueError if a number in a JSON value is infinite or NaN, which Python's reader accepts."""
    if isinstance(data, float) and not math.isfinite(data):
        raise ValueError(f"a number in it is {data}; every number of a result must be finite")
    for each in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        _require_finite(each)


def _past_plan(path: Path, plan: Mapping[str, Any]) -> PastPlan:
    try:
        game, players = Game.from_data(plan), (str(plan["player"]), str(plan["against"]))
        openings, prompt = plan.get("openings"), plan.get("prompt")
        return PastPlan(
            game,
            *players,
            int(plan["games"]),
            int(plan["seed"]),
            opening=None if openings is None else int(openings),
            prompt=None if prompt is None else one_line(prompt),
        )
    except MALFORMED as error:
        raise ValueError(f"cannot compare the evaluation {path}: {error}") from None


def _suite_run(path: Path, run: Store) -> SuiteResults:
    facts = run.plan
    try:
        suite = make_suite(str(facts["size"]), int(facts["seed"]))  # type: ignore[call-overload]
        player, listed, take = str(facts["player"]), facts["list_moves"] is True, str(facts["take"])
        samples = int(facts.get("samples", 1))  # type: ignore[call-overload]
        plan = SuitePlan(suite, player, listed, take, samples)
    except MALFORMED as error:
        raise ValueError(f"cannot compare the suite {path}: {error}") from None
    if suite.hash != facts.get("hash"):
        raise ValueError(
            f"{path} answers a suite with the hash {short_repr(facts.get('hash'))}, but in this version the suite of "
            f"that seed has {suite.hash}; compare it with the version that wrote it"
        )
    return score_answers(plan, {number: noted[0] for number, noted in run.exchanges().items()})


def _label(player: object) -> str:
    """Returns a player's name without its options; a long name loses its middle."""
    name = one_line(str(player).partition("?")[0])
    half = (LONGEST_LABEL - 3) // 2
    return name if len(name) <= LONGEST_LABEL else f"{name[:half]}...{name[-half:]}"


Rows = tuple[list[str], list[list[str]]]


def game_tables(found: Comparison) -> list[tuple[str, Rows]]:
    """Returns tables with a title each, for each game and opponent: endings, quality of moves, first moves."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in found.games:
        groups.setdefault((_label(run["game"]), _label(run["against"])), []).append(run)
    tables = []
    for (game, against), runs in groups.items():
        heads = ["player", "differ", "won", "drawn", "lost", "forf.", "given", "score 1st/2nd"]
        tables.append((f"{game} against {against}: endings", (heads, [_ended(run) for run in runs])))
        graded = any(run.get("grades") for run in runs)
        if graded:
            heads = ["player", "legal", "given away per move", "right choices"]
            tables.append((f"{game} against {against}: quality of moves", (heads, [_quality(run) for run in runs])))
        openers = [[_label(run["player"]), _first_moves(run)] for run in runs if run["first_moves"]]
        if openers:
            title = f"{game} against {against}: first moves when moving first"
            tables.append((title, (["player", "first moves"], openers)))
        costs = [_cost(run["player"], run["replies"], run["replies"]["count"]) for run in runs]
        tables += _cost_table(f"{game} against {against}: cost of replies", costs)
    return tables


def _ended(run: Mapping[str, Any]) -> list[str]:
    seats = run["by_seat"]
    rates = {kind: Interval.from_data(each) for kind, each in seats["both"]["rates"].items()}
    return [
        _label(run["player"]),
        f"{run['different_games']:d}/{run['games']:d}",
        *(share(rates[kind]) for kind in ("won", "drawn", "lost", "forfeited", "opponent_forfeited")),
        f"{_score(seats['first'])} / {_score(seats['second'])}",
    ]


def _quality(run: Mapping[str, Any]) -> list[str]:
    invalid, grades = Interval.from_data(run["replies"]["invalid_rate"]), run.get("grades")
    right = Interval.from_data(grades["perfect_choices"]) if grades else None
    return [
        _label(run["player"]),
        "-" if invalid.value is None else f"{100 * (1 - invalid.value):.0f}%",
        amount(Interval.from_data(grades["given_away"])) if grades else "-",
        f"{share(right)} ({span(right)})" if right else "-",
    ]


def _first_moves(run: Mapping[str, Any]) -> str:
    return ", ".join(f"{one_line(move)} {100 * part:.0f}%" for move, part in run["first_moves"][:4])


def _cost(player: object, replies: Mapping[str, Any], count: int) -> list[str]:
    """Returns seconds and tokens per reply; empty where none were counted."""
    tokens = replies["prompt_tokens"] + replies["completion_tokens"]
    if not tokens:
        return []
    return [_label(player), f"{replies['seconds'] / max(1, count):.2f}", f"{tokens / max(1, count):,.0f}"]


def _cost_table(title: str, costs: Sequence[list[str]]) -> list[tuple[str, Rows]]:
    rows = [cost for cost in costs if cost]
    return [(title, (["player", "seconds per reply", "tokens per reply"], rows))] if rows else []


def _score(tally: Mapping[str, Any]) -> str:
    counts = Tally(won=tally["won"], drawn=tally["drawn"], lost=tally["games"] - tally["won"] - tally["drawn"])
    return f"{100 * counts.score:.0f}%" if counts.games else "-"


def suite_tables(found: Comparison) -> list[tuple[str, Rows]]:
    """Returns a table of answers for each suite, and a table that compares each player with the first on the same
    questions.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for run in found.suites:
        groups.setdefault(f"{one_line(run['size'])} suite, seed {one_line(run['seed'])}", []).append(run)
    tables = []
    for suite, runs in groups.items():
        heads = ["player", "variants", "regret", "changed", "classic", "disguise", "legal"]
        tables.append((f"{suite}: right answers to single positions", (heads, [_answers(run) for run in runs])))
        tables += _cost_table(f"{suite}: cost of answers", [_cost(run["player"], run, run["answered"]) for run in runs])
    base = found.answered[0] if found.answered else None
    others = [run for run in found.answered[1:] if base and run.plan.suite.hash == base.plan.suite.hash]
    if base and others:
        pairs = [[_label(run.plan.player), compared(run, base).text("+.1f", 100)] for run in others]
        title = f"Against {_label(base.plan.player)}, on the same variants"
        tables.append((title, (["player", "points of accuracy"], pairs)))
    return tables


def _answers(run: Mapping[str, Any]) -> list[str]:
    parts = {name: {key: Interval.from_data(each[key]) for key in KEYS} for name, each in run["parts"].items()}
    variant = parts.get("variant")
    return [
        _label(run["player"]),
        f"{share(variant['accuracy'])} ({span(variant['accuracy'])})" if variant else "-",
        f"{variant['regret'].value:.2f}" if variant else "-",
        *(share(parts[part]["accuracy"]) if part in parts else "-" for part in ("clash", "classic", "disguised")),
        share(variant["legal"]) if variant else "-",
    ]


KEYS = ("accuracy", "regret", "legal")


# The picture: a row for each player, a dot for each share, a bar for its interval.

ROW, LEFT, WIDE, TOP = 30, 220, 420, 46
KINDS = {
    "variant": ("tone-0", "variants"),
    "unchanged": ("tone-none", "before the change"),
    "clash": ("tone-1", "changed rules"),
    "classic": ("tone-3", "classic"),
    "disguised": ("tone-2", "classic in disguise"),
    "right": ("tone-none", "right where it mattered"),
}
"""What the dots stand for: their colours and names. "right" is for games, the others for parts of a suite."""


def picture(found: Comparison) -> str:
    """Returns the share of right moves of every run as SVG, with 95 % intervals."""
    rows: list[tuple[str, dict[str, Interval]]] = []
    for run in found.games:
        if run.get("grades"):
            name = f"{_label(run['player'])}, {one_line(run['game'])}"
            rows.append((name, {"right": Interval.from_data(run["grades"]["perfect_choices"])}))
    for run in found.suites:
        shares = {part: Interval.from_data(one["accuracy"]) for part, one in run["parts"].items() if part in KINDS}
        rows.append((f"{_label(run['player'])}, suite", shares))
    kinds = [each for kind, each in KINDS.items() if any(kind in shares for _, shares in rows)]
    height = TOP + ROW * len(rows) + 40
    parts = [
        f'<svg class="shares" viewBox="0 0 {LEFT + WIDE + 30} {height}" role="img">',
        "<title>The share of right moves, with 95 % intervals</title>",
    ]
    at = 14
    for tone, words in kinds:
        parts.append(f'<circle class="{tone}" cx="{at}" cy="14" r="5"/>')
        parts.append(f'<text x="{at + 9}" y="18">{words}</text>')
        at += 28 + 7 * len(words)
    for tenth in range(0, 11, 2):
        x = LEFT + WIDE * tenth / 10
        line = f'<line class="axis" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 12}" y2="{height - 28}"/>'
        parts.append(line + f'<text x="{x:.0f}" y="{height - 12}" text-anchor="middle">{10 * tenth}%</text>')
    for number, (name, shares) in enumerate(rows):
        y = TOP + ROW * number
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        for place, (kind, estimate) in enumerate(shares.items()):
            parts.append(_dot(estimate, y + 6 * (place - (len(shares) - 1) / 2), KINDS[kind][0]))
    return "\n".join([*filter(None, parts), "</svg>"]) + "\n"


def _dot(estimate: Interval, y: float, tone: str) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    low, at, high = (LEFT + WIDE * number for number in (estimate.low, estimate.value, estimate.high))
    return (
        f'<line class="{tone}" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<circle class="{tone}" cx="{at:.1f}" cy="{y:.1f}" r="4"/>'
    )


def compare_page(found: Comparison) -> str:
    """Returns the tables and the picture as one self-contained web page."""
    hashes = sorted({one_line(f"{run['size']}, seed {run['seed']}: {run['hash']}") for run in found.suites})
    body = ["<h1>Comparison of players</h1>", *(f'<p class="soft">suite {escape(each)}</p>' for each in hashes)]
    body.append(f"<figure>{picture(found)}</figure>")
    for title, (heads, rows) in [*game_tables(found), *suite_tables(found)]:
        body.append(f"<h2>{escape(title)}</h2>{table(heads, rows)}")
    return sheet("Comparison of players", body)
