"""Exports results in the format of Every Eval Ever, version 0.3.0: one file of results, and one line for each sample.

    data/noughts-variants/openai/gpt-4o-mini/UUID.json
    data/noughts-variants/openai/gpt-4o-mini/UUID_samples.jsonl

A sample is a question of a suite (one turn) or a game (a chat). The UUID is derived from the contents, so equal results
have equal names.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import noughts
from noughts.document import Json
from noughts.evaluation.results import Results
from noughts.files import make_folder, slug, write_whole
from noughts.matches.record import DRAW_SCORE, GameRecord
from noughts.matches.statistics import Interval, clustered_mean
from noughts.players.llm.settings import without_transport
from noughts.players.text_seat import Exchange
from noughts.rules.spec import short_repr
from noughts.suites.scores import ScoredAnswer, SuiteResults
from noughts.text.replies import reader_of

SCHEMA = "0.3.0"
FACTS: dict[str, tuple[str, ...]] = {
    "organization": (),
    "relationship": ("first_party", "third_party", "collaborative", "other"),
    "deployment": ("self_deployed", "externally_managed", "unknown"),
    "availability": ("open_weights", "closed_weights", "unknown"),
}
"""Facts that only the evaluator knows, with their allowed values, the default last; any value for an organization."""
LONGEST_FACT = 200
SCORES = {"won": 1.0, "drawn": DRAW_SCORE}
WORST_MOVE = 2.0
"""Maximum value that a move can give away: from a win to a loss."""


@dataclass(frozen=True)
class Metric:
    """A metric of a result. id: its name; in a suite, the part and a dot come first. most: its maximum; the minimum is
    0. unit: of its values.
    """

    id: str
    what: str
    unit: str
    most: float
    lower_is_better: bool
    found: Interval


def facts_of(texts: Iterable[str]) -> dict[str, str]:
    """Parses facts such as deployment=self_deployed. Raises ValueError for facts that are not in FACTS."""
    facts = {name: (allowed or ("unknown",))[-1] for name, allowed in FACTS.items()}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in FACTS or not value:
            raise ValueError(
                f"a fact must be one of {', '.join(f'{each}=...' for each in FACTS)}, not {short_repr(text)}"
            )
        if FACTS[name] and value not in FACTS[name]:
            raise ValueError(f"{name} must be one of {', '.join(FACTS[name])}, not {short_repr(value)}")
        facts[name] = value[:LONGEST_FACT]
    return facts


def export_suite(folder: Path, results: SuiteResults, exchanges: Mapping[int, Exchange], facts: Json) -> Path:
    """Writes the answers to a suite below a folder; returns the path of the results."""
    plan = results.plan
    suite = plan.suite
    metrics: list[Metric] = []
    for part, score in results.parts.items():
        asked = [answer.question for answer in results.answers.values() if answer.question.part == part]
        at_random = sum(question.random_regret for question in asked)
        worst = sum(question.best - min(question.values.values()) for question in asked) / at_random
        accuracy = f"share of best moves; chance has {score.chance:.3f}"
        regret = "value given away, divided by what a random player gives away on the same positions"
        metrics += [
            Metric(f"{part}.accuracy", accuracy, "proportion", 1.0, False, score.accuracy),
            Metric(f"{part}.regret", regret, "ratio", worst, True, score.regret),
            Metric(f"{part}.legal", "share of answers that name a legal move", "proportion", 1.0, False, score.legal),
        ]
    rows = [
        _question_row(number, answer, exchanges[number], plan.list_moves) for number, answer in results.answers.items()
    ]
    source = {"suite": suite.name, "size": suite.size, "seed": str(suite.seed), "hash": suite.hash}
    settings = {"prompt": suite.prompt_version, "list_moves": str(plan.list_moves), "take": plan.take}
    return _write(
        folder, f"noughts-{suite.name}", plan.player, list(exchanges.values()), metrics, rows, source, settings, facts
    )


def _question_row(number: int, answer: ScoredAnswer, exchange: Exchange, list_moves: bool) -> Json:
    question = answer.question
    names = reader_of(question.rules).names
    best = [names[action] for action, value in question.values.items() if value == question.best]
    return {
        "evaluation_result_id": f"{question.part}.accuracy",
        "sample_id": str(number),
        "interaction_type": "single_turn",
        "input": {
            "raw": question.text(list_moves=list_moves),
            "reference": best,
            "choices": [names[action] for action in sorted(question.values)],
        },
        "output": {
            "raw": exchange.votes or [exchange.reply],
            "reasoning_trace": [exchange.reasoning] if exchange.reasoning else None,
        },
        "messages": None,
        "answer_attribution": [_attribution(0, "output.raw", exchange.reply)],
        "evaluation": {"score": float(answer.right), "is_correct": answer.right},
        **_usage([exchange]),
        "error": answer.reason,
        "metadata": {
            "position": question.position,
            "game": question.group,
            "family": question.family,
            "depth": str(question.depth),
            "value_given_away": f"{answer.lost:g}",
        },
    }


def export_games(folder: Path, results: Results, games: Sequence[GameRecord], facts: Json) -> Path:
    """Writes the games of an evaluation below a folder; returns the path of the results."""
    plan = results.plan
    game, against, n = plan.game, plan.against.partition("?")[0], results.overall.games
    scores = [SCORES.get(ended, 0.0) for _, _, ended in results.endings]
    score = clustered_mean((cluster, one) for (_, cluster, _), one in zip(results.endings, scores, strict=True))
    metrics = [Metric("score", "1 for a game won on the board, 1/2 for a draw", "points", 1.0, False, score)]
    for name, rate in results.rates().items():
        what = f"share of games {name.replace('_', ' ')}"
        metrics.append(Metric(name, what, "proportion", 1.0, name in ("lost", "forfeited"), rate))
    if results.grades:
        loss, right = results.grades.given_away, results.grades.perfect_choices
        by = "exact values" if results.grades.nodes is None else f"searches of {results.grades.nodes} nodes"
        metrics.append(Metric("given_away", f"value given away per move, by {by}", "points", WORST_MOVE, True, loss))
        metrics.append(
            Metric("right", f"share of best moves where it mattered, by {by}", "proportion", 1.0, False, right)
        )
    metrics.append(
        Metric("invalid", "share of invalid replies", "proportion", 1.0, True, results.replies.invalid_rate())
    )
    rows = [_game_row(record, plan.seat(record), score) for record, score in zip(games, scores, strict=True)]
    exchanges = [each for record in games for each in record.exchanges if each.player == plan.seat(record)]
    source = {"game": game.name, "against": against, "games": str(n), "seed": str(plan.seed)}
    settings = {"prompt": plan.prompt or "none", "openings": str(plan.opening or 0)}
    settings |= {"error_allowance": str(plan.text.error_allowance), "different_games": str(results.different)}
    return _write(folder, f"noughts-{game.name}", plan.player, exchanges, metrics, rows, source, settings, facts)


def _game_row(record: GameRecord, seat: int, score: float) -> Json:
    exchanges = [each for each in record.exchanges if each.player == seat]
    messages: list[Json] = []
    for each in exchanges:
        messages += [{"role": "user", "content": each.messages[-1]["content"]}] if each.messages else []
        messages.append({"role": "assistant", "content": each.reply, "reasoning_trace": each.reasoning})
    played = [(state, action) for state, action in record.states() if action is not None]
    moves = [state.action_to_string(action) for state, action in played]
    if not messages:  # a player that gets positions
        messages = [
            {"role": "assistant" if state.current_player() == seat else "user", "content": move}
            for (state, _), move in zip(played, moves, strict=True)
        ]
    turns = [{"turn_idx": number, **message} for number, message in enumerate(messages)]
    own = [turn for turn in turns if turn["role"] == "assistant"]
    return {
        "evaluation_result_id": "score",
        "sample_id": str(record.number),
        "interaction_type": "multi_turn",
        "input": {"raw": turns[0]["content"] if turns else "", "reference": []},
        "output": None,
        "messages": turns,
        "answer_attribution": [
            _attribution(turn["turn_idx"], "messages[turn_idx].content", turn["content"], turn is own[-1])
            for turn in own
        ],
        "evaluation": {"score": score, "is_correct": score == 1.0, "num_turns": max(1, len(own))},
        **_usage(exchanges),
        "error": record.reason if record.faulty == seat else None,
        "metadata": {"seat": str(seat), "moves": " ".join(moves), "ended_by": record.reason},
    }


def _attribution(turn: int, source: str, value: str, terminal: bool = True) -> Json:
    return {
        "turn_idx": turn,
        "source": source,
        "extracted_value": value,
        "extraction_method": "the move in square brackets that counts",
        "is_terminal": terminal,
    }


def _usage(exchanges: Sequence[Exchange]) -> Json:
    read, written = (
        sum(getattr(each, name) or 0 for each in exchanges) for name in ("prompt_tokens", "completion_tokens")
    )
    thought = sum(each.reasoning_tokens or 0 for each in exchanges)
    counted = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return {
        "token_usage": counted | {"reasoning_tokens": thought} if read + written else None,
        "performance": {"latency_ms": 1000 * sum(each.seconds for each in exchanges)},
    }


def _write(
    folder: Path,
    benchmark: str,
    player: str,
    exchanges: Sequence[Exchange],
    metrics: Sequence[Metric],
    rows: Sequence[Json],
    source: dict[str, str],
    settings: dict[str, str],
    facts: Mapping[str, str],
) -> Path:
    """Writes both files, each atomically: the samples first."""
    if not rows:
        raise ValueError("nothing to export: no game or question is finished yet")
    now = str(int(time.time()))
    developer, model = _model(player, exchanges)
    model_id = f"{developer}/{model}"
    evaluation_id = f"{benchmark}/{model_id}/{now}"
    how = {
        "generation_args": _generation_args(player, exchanges),
        "additional_details": settings,
    }
    results = [_result(benchmark, one, source, how) for one in metrics if one.found.value is not None]
    head = {"schema_version": SCHEMA, "evaluation_id": evaluation_id, "model_id": model_id}
    lines = [{**head, "evaluation_name": f"{benchmark}.{row['evaluation_result_id']}", **row} for row in rows]
    samples = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()
    digest = hashlib.sha256(json.dumps([source, settings, player, [*map(_stable, rows)]]).encode()).digest()
    name = uuid.UUID(bytes=digest[:16], version=4)
    place = Path("data", slug(benchmark), slug(developer), slug(model))
    times = sorted(each.time for each in exchanges if each.time)
    aggregate = {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation_id,
        **({"evaluation_timestamp": times[-1]} if times else {}),
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "noughts",
            "source_type": "evaluation_run",
            "source_organization_name": facts["organization"],
            "evaluator_relationship": facts["relationship"],
        },
        "eval_library": {"name": "noughts", "version": noughts.__version__},
        "model_info": {
            "name": model,
            "id": model_id,
            "developer": developer,
            "additional_details": {
                "deployment_type": facts["deployment"],
                "model_availability": facts["availability"],
                "player": without_transport(player),
            },
        },
        "evaluation_results": results,
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": (place / f"{name}_samples.jsonl").as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(samples).hexdigest(),
            "total_rows": len(lines),
        },
    }
    make_folder(folder / place)
    write_whole(folder / place / f"{name}_samples.jsonl", samples)
    path = folder / place / f"{name}.json"
    write_whole(path, json.dumps(aggregate, indent=2, allow_nan=False).encode() + b"\n")
    return path


def _stable(row: Json) -> Json:
    """Returns the contents of a sample without its duration."""
    return {key: value for key, value in row.items() if key != "performance"}


def _model(player: str, exchanges: Sequence[Exchange]) -> tuple[str, str]:
    """Returns the developer and name of a model; noughts is the developer of built-in players."""
    if not player.startswith("llm:"):
        return "noughts", slug(player)
    name = next((each.model for each in exchanges if each.model), None) or player[4:].partition("?")[0]
    developer, _, model = name.rpartition("/")
    return developer or "unknown", model


def _result(benchmark: str, metric: Metric, source: Mapping[str, str], how: Json) -> Json:
    value, low, high = (
        min(metric.most, max(0.0, float(number)))
        for number in (metric.found.value, metric.found.low, metric.found.high)
        if number is not None
    )
    return {
        "evaluation_result_id": metric.id,
        "evaluation_name": f"{benchmark}.{metric.id}",
        "source_data": {"dataset_name": benchmark, "source_type": "other", "additional_details": dict(source)},
        "metric_config": {
            "evaluation_description": metric.what,
            "metric_id": f"noughts.{metric.id.rpartition('.')[2]}",
            "metric_name": metric.id.rpartition(".")[2],
            "metric_unit": metric.unit,
            "lower_is_better": metric.lower_is_better,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": metric.most,
        },
        "score_details": {
            "score": value,
            "uncertainty": {
                "confidence_interval": {
                    "lower": low,
                    "upper": high,
                    "confidence_level": 0.95,
                    "method": "clustered by game or opening",
                },
                "num_samples": metric.found.n,
            },
        },
        "generation_config": how,
    }


def _generation_args(player: str, exchanges: Sequence[Exchange]) -> Json:
    options = dict(option.partition("=")[::2] for option in player.partition("?")[2].split("&") if option)
    args: Json = {name: float(options[name]) for name in ("temperature", "top_p") if name in options}
    limits = {each.max_tokens for each in exchanges if each.max_tokens}
    return args | ({"max_tokens": max(limits)} if limits else {})
