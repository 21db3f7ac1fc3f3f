"""A player asked every question of a suite, into a store that it can go on from.

The store (`matches.store`) holds the plan, and an exchange for each answer as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from noughts._threads import wait_for_any
from noughts.clock import Clock
from noughts.files import make_folder, slug
from noughts.matches.exports import TRANSCRIPT, PlanDiffers
from noughts.matches.runner import GIVE_UP_AFTER
from noughts.matches.seeds import PLAYER_BITS, derive_seed
from noughts.matches.store import Store, open_store, set_aside
from noughts.players import BasePlayer, TextPlayer, make_player
from noughts.players.llm import ServiceError
from noughts.players.llm.settings import require_concurrency, without_transport
from noughts.players.text_seat import CUT_OFF, Exchange, TextSeat
from noughts.printable import one_line
from noughts.rules.spec import shown
from noughts.suites.questions import Question, Suite
from noughts.text.replies import reader_of

MOST_REPEATS = 1000


@dataclass(frozen=True)
class SuitePlan:
    """A player and a suite. list_moves: whether the legal moves are listed. take: which move of a reply counts.
    repeats: how often each question is asked; question n is asked again under the numbers n + len(questions), ...
    """

    suite: Suite
    player: str
    list_moves: bool = True
    take: str = "last"
    repeats: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.repeats <= MOST_REPEATS:
            raise ValueError(f"repeats must be 1 or more, and at most {MOST_REPEATS}, not {shown(self.repeats)}")

    @property
    def total(self) -> int:
        """How many answers there will be."""
        return len(self.suite.questions) * self.repeats

    def question(self, number: int) -> Question:
        """The question that is asked under a number."""
        return self.suite.questions[number % len(self.suite.questions)]

    def facts(self) -> dict[str, Any]:
        """What the answers depend on, for the file that keeps them."""
        return {
            "suite": self.suite.name,
            "size": self.suite.size,
            "seed": self.suite.seed,
            "hash": self.suite.hash,
            "player": without_transport(self.player),
            "list_moves": self.list_moves,
            "take": self.take,
            "prompt": self.suite.prompt_version,
            **({"repeats": self.repeats} if self.repeats > 1 else {}),
        }

    def slug(self) -> str:
        """A name for the folder of the answers."""
        name = f"{self.suite.name}-{self.suite.size}-{self.suite.seed}-{without_transport(self.player)}".lower()
        return slug(name)


def open_answers(folder: Path, plan: SuitePlan, *, fresh: bool = False) -> Store:
    """Returns the store of these answers in `folder`, made if need be; ValueError if it is of another plan."""
    if fresh:
        set_aside(folder)
    make_folder(folder)
    try:
        return open_store(folder / TRANSCRIPT, plan.facts())
    except PlanDiffers as error:
        raise ValueError(
            f"{folder} holds answers with {one_line(error.name)} {shown(error.kept)}, not {shown(error.wanted)}; "
            "name another folder with --out, or set that one aside with --fresh"
        ) from None


def answered(question: Question, exchange: Exchange, take: str = "last") -> tuple[int | None, str | None]:
    """Returns the legal action that an answer names, or None and why not (a word of `text.REASONS`, or "time")."""
    if exchange.failure:
        return None, exchange.failure
    _, info = question.env(take=take).step(exchange.reply, cut_off=exchange.finish == CUT_OFF)
    return info["action"], info["reason"]


class SuiteRun:
    """A plan being asked. unanswered: questions that a server gave no reply to, for the reason in `trouble`."""

    def __init__(self, plan: SuitePlan, store: Store) -> None:
        self.plan: SuitePlan = plan
        self.store: Store = store
        self.unanswered: int = 0
        self.trouble: str = ""

    def answers(self) -> dict[int, Exchange]:
        """The answers so far, by the number of the question."""
        return {number: noted[0] for number, noted in self.store.exchanges().items()}

    def answer(self, number: int) -> Exchange:
        """The answer to a question that has one."""
        return self.store.exchanges_of(number)[0]

    def ask(self, concurrency: int = 4) -> Generator[int, None, None]:
        """Ask what has no answer yet, models so many questions at once; the number of each as it is answered."""
        require_concurrency(concurrency)
        known = self.answers()
        missing = [number for number in range(self.plan.total) if number not in known]
        player = make_player(self.plan.player, seed=0)
        try:
            if isinstance(player, TextPlayer):
                yield from self._ask_model(player, player.close, missing, concurrency)
            else:
                for number in missing:
                    self.store.note(number, self._chosen(number))
                    yield number
        finally:
            player.close()

    def _ask_model(
        self, player: TextPlayer, close: Callable[[], None], missing: list[int], concurrency: int
    ) -> Iterator[int]:
        failed_in_row, left = 0, iter(missing)
        with ThreadPoolExecutor(concurrency) as pool:
            running = {pool.submit(self._replied, player, n): n for n in islice(left, concurrency)}
            try:
                while running:
                    for future in wait_for_any(running):
                        number = running.pop(future)
                        try:
                            exchange = future.result()
                        except ServiceError as error:
                            self.unanswered += 1
                            self.trouble, failed_in_row = str(error), failed_in_row + 1
                            if error.fatal or failed_in_row >= GIVE_UP_AFTER:
                                return
                        else:
                            failed_in_row = 0
                            self.store.note(number, exchange)
                            yield number
                        if (following := next(left, None)) is not None:
                            running[pool.submit(self._replied, player, following)] = following
            finally:
                for future in running:
                    future.cancel()
                close()  # gives up what is being waited for
                for future in running:
                    try:
                        future.result()
                    except (ServiceError, CancelledError):
                        continue

    def _replied(self, player: TextPlayer, number: int) -> Exchange:
        env = self.plan.question(number).env(list_moves=self.plan.list_moves, take=self.plan.take)
        sample = number // len(self.plan.suite.questions)
        return TextSeat(player, env, None, sample=sample).ask_once()[0]

    def _chosen(self, number: int) -> Exchange:
        """The answer of a player who is given positions, as a move in brackets."""
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
