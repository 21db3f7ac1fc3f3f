"""`noughts evaluate PLAYER --suite variants`: questions about single positions, with scores."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from noughts.commands.output import WIDTH, Report, note, table, write_file
from noughts.evaluation.compare import Comparison, compare_page
from noughts.evaluation.eee import export_suite, facts_of
from noughts.evaluation.report import share, span
from noughts.printable import one_line, paragraph
from noughts.progress import progress
from noughts.suites.asking import SuitePlan, SuiteRun, open_answers
from noughts.suites.scores import Score, SuiteResults, results_data, score_answers
from noughts.suites.suite import make_suite
from noughts.text.replies import REASONS

FOLDER = "evaluations"
SEED = 1
"""Default seed of the suite: every player gets the same questions."""


def ask_suite(args: argparse.Namespace, folder: Path | None) -> Report | int:
    """Asks the questions that have no answer yet. folder: of the transcript; None for one named after the questions."""
    seed = SEED if args.seed is None else args.seed
    with progress("generating the suite, once on this machine") as tick:
        suite = make_suite(args.size, seed, tick)
    plan = SuitePlan(suite, args.player, not args.hide_moves, args.take, args.samples)
    folder = folder or Path(FOLDER, plan.slug())
    facts = facts_of(args.export_facts)
    with open_answers(folder, plan, fresh=args.fresh) as store:
        asking = SuiteRun(plan, store, args.max_tokens_total)
        try:
            _ask(asking, args.concurrency)
        except KeyboardInterrupt:
            done = f"{len(asking.answers())} of {plan.total} questions answered"
            note(f"stopped: {done}; run the same command to continue", interrupted=True)
            return 130
        answers = asking.answers()
        results = score_answers(plan, answers)
    if args.html:
        write_file(args.html, compare_page(Comparison([], [results_data(results)], [results])))
    notes = [f"transcript in {one_line(store.path)}"]
    if args.export and results.answers:
        notes.append(f"wrote {one_line(export_suite(folder / args.export, results, answers, facts))}")
    missing = plan.total - len(results.answers)
    if missing:
        why = one_line(asking.failure, 1000)
        notes.append(f"{missing} of {plan.total} questions have no answer: {why}; run the same command to continue")
    return Report(results_data(results), report(results), int(bool(missing)), notes)


def _ask(asking: SuiteRun, concurrency: int) -> None:
    """Asks the missing questions."""
    total, known = asking.plan.total, len(asking.answers())
    with (
        closing(asking.ask(concurrency)) as questions,
        progress(f"asking {one_line(asking.plan.player.partition('?')[0])}") as tick,
    ):
        for done, _ in enumerate(questions, known + 1):
            tick(done / total, f"{done} of {total} answered, {asking.usage.tokens:,} tokens")


def report(results: SuiteResults) -> str:
    """Returns the results as text."""
    suite, player = results.plan.suite, one_line(results.plan.player.partition("?")[0])
    heads = ["", "asked", "right", "by chance", "regret", "legal"]
    parts = [
        f"{player} on the suite of {suite.name}, {suite.size}, seed {suite.seed}",
        f"hash {suite.hash}; {len(results.answers)} of {results.plan.total} questions answered",
        paragraph(f"prompts {suite.prompt_version}", WIDTH),
        "",
        table(heads, [row for name, score in results.parts.items() for row in _rows(name, score)], range(1, 6)),
        "",
        "right: best moves, in positions where the choice matters. regret: value given",
        "away, as a share of a random player's. Below: 95% intervals, over games.",
    ]
    if results.depths:
        rows = [[name, *_rows(name, each)[0][1:]] for name, each in results.depths.items()]
        parts += ["", "Variants, by required plies of lookahead:", table(heads, rows, range(1, 6))]
    if results.families:
        rows = [[name, *_rows(name, each)[0][1:]] for name, each in results.families.items()]
        parts += ["", "Variants, by marks:", table(heads, rows, range(1, 6))]
    parts.append("")
    for what, cost in (("disguise", results.disguise_cost), ("changed rules", results.change_cost)):
        if cost.value is not None:
            parts.append(f"Cost of {what + ':':<15} regret {cost.text('+z.2f')}")
    if results.invalid:
        parts.append(f"Invalid replies: {results.invalid.total()} of {len(results.answers)}")
    for reason, n in results.invalid.most_common():
        parts.append(f"  {n:>5}  {one_line(reason)}: {one_line(REASONS.get(reason, 'no reply within the time'))}")
    if results.completion_tokens or results.prompt_tokens:
        each = results.seconds / max(1, len(results.answers))
        parts.append(
            f"Time per answer: {each:.2f} s; {results.prompt_tokens:,} input tokens, "
            f"{results.completion_tokens:,} output tokens"
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
