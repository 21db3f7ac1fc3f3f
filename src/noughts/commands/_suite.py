"""`noughts evaluate PLAYER --suite variants`: a player asked single positions, and how the answers are told."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from noughts.commands.output import print_result, progress, table, write_file
from noughts.evaluation.compare import Comparison, compare_page
from noughts.evaluation.eee import export_suite, facts_of
from noughts.evaluation.report import share, span
from noughts.matches.statistics import Interval
from noughts.printable import one_line, paragraph
from noughts.suites.asking import SuitePlan, SuiteRun, open_answers
from noughts.suites.scores import Score, SuiteResults, results_data, score_answers
from noughts.suites.suite import make_suite
from noughts.text.replies import REASONS

SEED = 1
"""Default seed of the suite: everybody is asked the same questions."""


def run_suite(args: argparse.Namespace, folder: str) -> int:
    seed = SEED if args.seed is None else args.seed
    with progress("making the suite, once on this machine") as tick:
        suite = make_suite(args.suite, args.size, seed, tick)
    plan = SuitePlan(suite, args.player, not args.hide_moves, args.take, args.repeats)
    place = Path(args.out) if args.out else Path(folder, plan.slug())
    facts = facts_of(args.export_facts)
    with open_answers(place, plan, fresh=args.fresh) as store:
        asking = SuiteRun(plan, store)
        try:
            limited = _ask(asking, args.concurrency, args.max_tokens_total)
        except KeyboardInterrupt:
            print(
                f"\nnoughts: stopped; {len(asking.answers())} of {plan.total} questions are answered, "
                "and the same command goes on from here",
                file=sys.stderr,
            )
            return 130
        answers = asking.answers()
        results = score_answers(plan, answers)
    if args.html:
        write_file(args.html, compare_page(Comparison([], [results_data(results)], [results])))
    print_result(args.json, lambda: results_data(results), lambda: report(results))
    print(f"noughts: transcript in {one_line(store.path)}", file=sys.stderr)
    if args.export and results.answers:
        path = export_suite(place / args.export, results, answers, facts)
        print(f"noughts: exported to {one_line(path)}", file=sys.stderr)
    missing = plan.total - len(results.answers)
    if missing:
        why = limited or one_line(asking.trouble, 1000)
        print(
            f"noughts: {missing} of {plan.total} questions have no answer: {why}; the same command goes on from here",
            file=sys.stderr,
        )
    return int(bool(missing))


def _ask(asking: SuiteRun, concurrency: int, most: int | None) -> str:
    """Ask what is missing; why it stopped early, if the limit of tokens is the reason."""
    total, known = asking.plan.total, asking.answers()
    used = sum((each.prompt_tokens or 0) + (each.completion_tokens or 0) for each in known.values())
    limit = f"the limit of {most:,} tokens is reached" if most is not None else ""
    if most is not None and used >= most:
        return limit
    questions = asking.ask(concurrency)
    try:
        with progress(f"asking {one_line(asking.plan.player.partition('?')[0])}") as tick:
            for done, number in enumerate(questions, len(known) + 1):
                answer = asking.answer(number)
                used += (answer.prompt_tokens or 0) + (answer.completion_tokens or 0)
                tick(done / total, f"{done} of {total} answered, {used:,} tokens")
                if most is not None and used >= most and done < total:
                    return limit
    finally:
        questions.close()
    return ""


def report(results: SuiteResults) -> str:
    """The results as text."""
    suite, player = results.plan.suite, one_line(results.plan.player.partition("?")[0])
    heads = ["", "asked", "right", "by chance", "regret", "legal"]
    parts = [
        f"{player} on the suite of {suite.name}, {suite.size}, seed {suite.seed}",
        f"hash {suite.hash}; {len(results.answers)} of {results.plan.total} questions answered",
        paragraph(f"prompts {suite.prompt_version}", 80),
        "",
        table(heads, [row for name, score in results.parts.items() for row in _rows(name, score)], range(1, 6)),
        "",
        "right: best moves, of positions where the choice matters. regret: value given",
        "away, of what a random player gives away. Below: 95% intervals, over games.",
    ]
    if results.depths:
        rows = [[name, *_rows(name, each)[0][1:]] for name, each in results.depths.items()]
        parts += ["", "Variants, by the plies of lookahead that are needed:", table(heads, rows, range(1, 6))]
    if results.families:
        rows = [[name, *_rows(name, each)[0][1:]] for name, each in results.families.items()]
        parts += ["", "Variants, by how they are marked:", table(heads, rows, range(1, 6))]
    parts.append("")
    for what, cost in (("disguise", results.disguise_cost), ("changed rules", results.change_cost)):
        if cost.value is not None:
            parts.append(f"Cost of {what + ':':<15} {_rise(cost)}")
    if results.invalid:
        parts.append(f"Invalid replies: {results.invalid.total()} of {len(results.answers)}")
    for reason, n in results.invalid.most_common():
        parts.append(f"  {n:>5}  {one_line(reason)}: {one_line(REASONS.get(reason, 'no reply within the time'))}")
    if results.completion_tokens or results.prompt_tokens:
        each = results.seconds / max(1, len(results.answers))
        parts.append(
            f"Time per answer: {each:.2f} s; {results.prompt_tokens:,} tokens read, "
            f"{results.completion_tokens:,} written"
        )
    return "\n".join(parts).rstrip()


def _rows(name: str, score: Score) -> list[list[str]]:
    return [
        [
            name,
            str(score.n),
            share(score.accuracy),
            f"{100 * score.chance:.0f}%",
            f"{score.regret.value:.2f}",
            share(score.legal),
        ],
        ["", "", span(score.accuracy), "", f"{score.regret.low:.2f}-{score.regret.high:.2f}", span(score.legal)],
    ]


def _rise(estimate: Interval) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "-"
    return f"regret {estimate.value:+z.2f} ({estimate.low:+z.2f} to {estimate.high:+z.2f})"
