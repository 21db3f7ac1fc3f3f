"""The games as tasks of inspect-ai.

    inspect eval noughts/noughts_game -T game=wild -T opponent=perfect --model openai/gpt-4o-mini
    inspect eval noughts/noughts_suite -T size=small --model openai/gpt-4o-mini

In the first the model plays whole games in a chat that keeps its history; the second asks the positions of the suite of
variants, one by one. Scores are exact. The model has no tools: a reply counts by its text, and a tool call is a reply
without a move.
"""

from __future__ import annotations

import asyncio
from typing import Any

from noughts.envs.episode import Episode
from noughts.library import load_game
from noughts.players.text_seat import Exchange
from noughts.suites.questions import Question
from noughts.suites.scores import answer_of
from noughts.suites.suite import make_suite
from noughts.text.prompts import prompt_kind, prompt_version, system_prompt

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import Score, Target, grouped, mean, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as _error:
    raise ImportError("noughts.envs.inspect_ai needs inspect-ai: pip install inspect-ai") from _error

KEYS = ("outcome", "won", "drawn", "lost", "forfeited", "given_away", "perfect", "perfect_choices", "invalid")
"""Scores, each with its mean and standard error. See `Episode.summary`."""


@solver
def play() -> Solver:
    """Asks the model for moves until the game is over, or a limit of inspect-ai is reached.

    Every reply is a move or uses up error allowance, so the number of replies is bounded.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = Episode(**state.metadata)
        state.tools, state.tool_choice = [], "none"
        text = await asyncio.to_thread(episode.reset)
        state.messages = [*_system(state), ChatMessageUser(content=text)]
        while not episode.done:
            state = await generate(state, tool_calls="none")
            if state.completed:
                break
            last = state.messages[-1]
            if isinstance(last, ChatMessageAssistant) and last.tool_calls:
                # Servers refuse a chat in which a tool call has no answer.
                state.messages[-1] = last.model_copy(update={"tool_calls": None})
            cut_off = state.output.stop_reason == "max_tokens"
            text, done, _ = await asyncio.to_thread(episode.step, state.output.completion, cut_off=cut_off)
            if not done:
                state.messages.append(ChatMessageUser(content=text))
        state.store.set("summary", episode.summary())
        state.store.set("finished", episode.done)
        state.store.set("steps", [step.as_data() for step in episode.steps])
        return state

    return solve


def _system(state: TaskState) -> list[Any]:
    return [message for message in state.messages if isinstance(message, ChatMessageSystem)]


@scorer(metrics={key: [mean(), stderr()] for key in KEYS})
def exact() -> Any:
    """Scores a game by its numbers; missing ones (no move, no choice) are NaN."""

    async def score(state: TaskState, target: Target) -> Score:
        summary, steps = state.store.get("summary", {}), state.store.get("steps", [])
        value = {key: float(summary.get(key, float("nan"))) for key in KEYS}
        costly = [
            f"move {n}, {each['move']}: gave away {each['lost']:g}" for n, each in enumerate(steps, 1) if each["lost"]
        ]
        wrong = [f"reply {n}: {each['message']}" for n, each in enumerate(steps, 1) if not each["valid"]]
        finished = [] if state.store.get("finished", False) else ["the game was not finished"]
        return Score(
            value=value,
            answer=" ".join(str(each["move"]) for each in steps if each["valid"]),
            explanation="; ".join([*finished, *wrong, *costly]) or "no value given away",
        )

    return score


@task
def noughts_game(
    game: str = "wild",
    opponent: str = "perfect",
    games: int = 40,
    opening: int = 1,
    error_allowance: int = 1,
    list_moves: bool = True,
    full_rules: bool = False,
    seed: int = 0,
) -> Task:
    """Returns a task of `games` games with alternating seats, each pair from the same random opening. The options are
    those of `Episode`."""
    samples = []
    for number in range(games):
        settings: dict[str, Any] = {
            "game": game,
            "opponent": opponent,
            "seat": number % 2,
            "seed": seed + number // 2,
            "opening": opening,
            "error_allowance": error_allowance,
            "list_moves": list_moves,
            "full_rules": full_rules,
        }
        messages = [
            ChatMessageSystem(content=system_prompt("last", error_allowance)),
            ChatMessageUser(content=Episode(**settings).reset()),
        ]
        samples.append(Sample(id=f"{game}-{number}", input=messages, metadata=settings))
    rules = load_game(game).rules
    return Task(
        dataset=MemoryDataset(samples),
        solver=play(),
        scorer=exact(),
        version=2,
        metadata={"prompt": prompt_version(prompt_kind(rules, full=full_rules), "system")},
    )


# The suite of variants.

SCORED: dict[str, list[Any]] = {
    "right": [grouped(mean(), "part"), stderr()],
    "given_away": [grouped(mean(), "part"), stderr()],
    "legal": [mean()],
}
"""Scores of an answer; the first two also by the part of the suite."""


@solver
def ask() -> Solver:
    """Asks once, without tools."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools, state.tool_choice = [], "none"
        return await generate(state, tool_calls="none")

    return solve


@scorer(metrics=SCORED)
def best_move(size: str, seed: int) -> Any:
    """Scores whether the answer is a best move, the value that it gives away, and whether it is legal.

    An illegal answer counts like a random move.
    """
    questions = make_suite(size, seed).questions

    async def score(state: TaskState, target: Target) -> Score:
        question: Question = questions[state.metadata["number"]]
        cut_off = state.output.stop_reason == "max_tokens"
        exchange = Exchange(0, 0, [], state.output.completion, 0.0, finish="length" if cut_off else "stop")
        answer = answer_of(question, exchange)
        return Score(
            value={"right": float(answer.right), "given_away": answer.lost, "legal": float(answer.legal)},
            answer=state.output.completion[-200:],
            explanation=answer.reason or f"gave away {answer.lost:g}",
        )

    return score


@task
def noughts_suite(size: str = "small", seed: int = 1, list_moves: bool = True) -> Task:
    """Returns a task of the suite of variants: each question is a sample with its part and a random player's result."""
    suite = make_suite(size, seed)
    samples = []
    for number, question in enumerate(suite.questions):
        env = question.env(list_moves=list_moves)
        kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
        asked = [kinds[message["role"]](content=message["content"]) for message in env.messages()]
        names = env.reader.names
        best = [names[action] for action, value in question.values.items() if value == question.best]
        facts = {"number": number, "part": question.part, "group": question.group, "family": question.family}
        facts |= {"depth": question.depth, "chance": question.chance, "random_given_away": question.random_regret}
        samples.append(Sample(id=f"{question.part}-{number}", input=asked, target=best, metadata=facts))
    return Task(
        dataset=MemoryDataset(samples, name=f"noughts-variants-{size}-{seed}"),
        solver=ask(),
        scorer=best_move(size, seed),
        version=1,
        metadata={"prompt": suite.prompt_version, "hash": suite.hash},
    )
