"""What tests of evaluation share."""

import pytest

import noughts
from noughts.evaluation.engine import Evaluation
from noughts.evaluation.plan import claim_folder
from noughts.evaluation.transcript import Transcript


def evaluate(folder, plan, concurrency=4):
    """Play a plan; the evaluation, and its finished games."""
    game = noughts.load_game(plan.game)
    claim_folder(folder, plan)
    with Transcript(folder) as transcript:
        evaluation = Evaluation(plan, game, transcript)
        evaluation.run(concurrency)
        return evaluation, transcript.finished(plan.games)


def model(server, **options):
    pytest.importorskip("httpx", reason="httpx is not installed: pip install 'noughts[llm]'")
    options = {"base_url": server.url, "retries": 1, "timeout": 10} | options
    return "llm:m?" + "&".join(f"{name}={value}" for name, value in options.items())
