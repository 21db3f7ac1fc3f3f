"""Good replies of a transcript as examples for fine-tuning."""

from __future__ import annotations

import json
from collections.abc import Iterable

from noughts.evaluation.grading import grades, solution_of
from noughts.evaluation.plan import Plan
from noughts.evaluation.transcript import Played
from noughts.game import Game


def chat_examples(plan: Plan, game: Game, games: Iterable[Played]) -> list[str]:
    """One JSON line for each good reply of the evaluated player: {"messages": [..., the reply as "assistant"]}.

    Good is a valid move, and where the game is solved one that gave nothing away. Players without texts have none.
    """
    solution = solution_of(game)
    lines = []
    for played in games:
        seat = plan.seat(played.number)
        turns = [turn for turn in played.turns if turn["player"] == seat and turn["valid"]]
        good = [True] * len(turns)
        if not isinstance(solution, str):
            good = [grade.lost == 0 for grade in grades(game, solution, played, seat)]
        for turn, is_good in zip(turns, good, strict=True):
            if is_good and "messages" in turn:
                messages = [*turn["messages"], {"role": "assistant", "content": turn["reply"]}]
                lines.append(json.dumps({"messages": messages}))
    return lines
