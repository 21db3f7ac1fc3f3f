"""Asks a player every question of a suite, and stores the answers so that an interrupted run can continue.

The store (`matches.store`) contains the plan, and an exchange for each answer as soon as it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from noughts._threads import call_in_threads
from noughts.clock import Clock
from noughts.files import slug
from noughts.matches.runner import GIVE_UP_AFTER
from noughts.matches.seeds import PLAYER_BITS, derive_seed
from noughts.matches.store import Store, open_folder
from noughts.matches.usage import QuestionRefused, Usage
from noughts.players import BasePlayer, TextPlayer, make_player
from noughts.players.llm import ServiceError
from noughts.players.llm.settings import require_concurrency, without_transport
from noughts.players.text_seat import CUT_OFF, Exchange, TextSeat
from noughts.rules.spec import short_repr
from noughts.suites.questions import Question, Suite
from noughts.text.replies import reader_of

MOST_SAMPLES = 1000


@dataclass(frozen=True)
class SuitePlan:
    """A player and a suite. list_moves: whether to list the legal moves. take: which move of a reply counts. samples:
    number of times each question is asked; question n is asked again under the numbers n + len(questions), ...
    """

    suite: Suite
    player: str
    list_moves: bool = True
    take: str = "last"
    samples: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise ValueError(f"samples must be 1 or more, and at most {MOST_SAMPLES}, not {short_repr(self.samples)}")

    @property
    def total(self) -> int:
        """The number of answers of a complete run."""
        return len(self.suite.questions) * self.samples

    def question(self, number: int) -> Question:
        """Returns the question with a number."""
        return self.suite.questions[number % len(self.suite.questions)]

    def facts(self) -> dict[str, Any]:
        """Returns everything that the answers depend on, for their file."""
        return {
            "suite": self.suite.name,
            "size": self.suite.size,
            "seed": self.suite.seed,
            "hash": self.suite.hash,
            "player": without_transport(self.player),
            "list_moves": self.list_moves,
            "take": self.take,
            "prompt": self.suite.prompt_version,
            **({"samples": self.samples} if self.samples > 1 else {}),
        }

    def slug(self) -> str:
        """Returns a name for the folder of the answers."""
        name = f"{self.suite.name}-{self.suite.size}-{self.suite.seed}-{without_transport(self.player)}".lower()
        return slug(name)


def open_answers(folder: Path, plan: SuitePlan, *, fresh: bool = False) -> Store:
    """Returns the store of these answers in `folder`, creating it if needed. Raises ValueError if it belongs to another
    plan."""
    return open_folder(folder, plan.facts(), "answers", fresh=fresh)


def move_answered(question: Question, exchange: Exchange, take: str = "last") -> tuple[int | None, str | None]:
    """Returns the legal action in an answer, or None and the reason (a word of `text.REASONS`, or "time")."""
    if exchange.failure:
        return None, exchange.failure
    _, info = question.env(take=take).step(exchange.reply, cut_off=exchange.finish == CUT_OFF)
    return info["action"], info["reason"]


class SuiteRun:
    """A run of a plan. most_tokens: the limit, after which models are not asked any more. usage: tokens so far.
    failure: why the latest question without a reply has none, or that the tokens are used up."""

    def __init__(self, plan: SuitePlan, store: Store, most_tokens: int | None = None) -> None:
        self.plan: SuitePlan = plan
        self.store: Store = store
        self.usage: Usage = Usage.from_exchanges(store.exchanges(), most_tokens)
        self.failure: str = ""

    def answers(self) -> dict[int, Exchange]:
        """Returns the answers so far, by the number of the question."""
        return {number: noted[0] for number, noted in self.store.exchanges().items()}

    def ask(self, concurrency: int = 4) -> Generator[int, None, None]:
        """Asks the open questions, models up to `concurrency` at once; yields the number of each as it is answered."""
        require_concurrency(concurrency)
        known = self.answers()
        missing = [number for number in range(self.plan.total) if number not in known]
        player = make_player(self.plan.player, seed=0)
        try:
            if isinstance(player, TextPlayer):
                yield from self._ask_model(player, player.close, missing, concurrency)
            else:
                for number in missing:
                    self.store.note(number, self._choice_exchange(number))
                    yield number
        finally:
            player.close()

    def _ask_model(
        self, player: TextPlayer, close: Callable[[], None], missing: list[int], concurrency: int
    ) -> Iterator[int]:
        failed_in_row = 0
        reply = partial(self._reply, player)
        for number, replied in call_in_threads(reply, self._affordable(missing), concurrency, stop=close):
            if isinstance(replied, ServiceError):
                self.failure, failed_in_row = str(replied), failed_in_row + 1
                if replied.fatal or failed_in_row >= GIVE_UP_AFTER:
                    return
                continue
            failed_in_row = 0
            self.store.note(number, replied)
            self.usage.add(number, replied)
            yield number

    def _affordable(self, missing: list[int]) -> Iterator[int]:
        """Yields the questions until the tokens are used up."""
        for number in missing:
            try:
                self.usage.check()
            except QuestionRefused as error:
                self.failure = str(error)
                return
            yield number

    def _reply(self, player: TextPlayer, number: int) -> Exchange | ServiceError:
        env = self.plan.question(number).env(list_moves=self.plan.list_moves, take=self.plan.take)
        sample = number // len(self.plan.suite.questions)
        try:
            return TextSeat(player, env, None, sample=sample).ask_once()[0]
        except ServiceError as error:
            return error

    def _choice_exchange(self, number: int) -> Exchange:
        """Returns the answer of a player that gets positions, as a move in brackets."""
        question = self.plan.question(number)
        player: BasePlayer = make_player(
            self.plan.player, seed=derive_seed(self.plan.suite.seed, "suite", number, bits=PLAYER_BITS)
        )
        state, clock = question.state.clone(), Clock(None)
        player.prepare(state.game)
        action = int(player.choose(state, clock))
        player.close()
        return Exchange(
            ply=0,
            player=question.state.current_player(),
            messages=[{"role": "user", "content": question.position}],
            reply=reader_of(question.rules).names[action],
            seconds=round(clock.elapsed(), 3),
            valid=True,
        )
