"""What tests of evaluation share."""

import pytest

from noughts.evaluation.plan import EvaluationRun, open_run


def evaluate(folder, plan, concurrency=4, most_tokens=None):
    """Play a plan; the evaluation, and its finished games."""
    with open_run(folder, plan) as run_file:
        evaluation = EvaluationRun(plan, run_file, most_tokens)
        for _ in evaluation.play(concurrency):
            pass
        return evaluation, evaluation.finished()


def model(server, **options):
    pytest.importorskip("httpx", reason="httpx is not installed: pip install 'noughts[llm]'")
    options = {"base_url": server.url, "retries": 1, "timeout": 120} | options
    return "llm:m?" + "&".join(f"{name}={value}" for name, value in options.items())
