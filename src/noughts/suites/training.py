"""Variants as training data, by reasoning-gym's convention: endless questions, with a score for any answer.

>>> from noughts.suites import create_dataset
>>> data = create_dataset(size=8, seed=3, difficulty=0)
>>> entry = data[5]
>>> sorted(entry), len(data)
(['answer', 'metadata', 'question'], 8)
>>> data.score_answer(f"I play {entry['answer']}", entry), data.score_answer("I resign", entry)
(1.0, 0.0)

A game belongs to one split, under any name: `split_of` derives it from the canonical form of the rules. The games
of the suites that come with the package are always held out, so that training never sees the benchmark.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from noughts.game import Game, State
from noughts.printable import listed
from noughts.rules.spec import Rules, checked_number, short_repr
from noughts.suites.dataset import grade_reply
from noughts.suites.generator import MARKINGS, Variant, canonical, draw_variants
from noughts.suites.interest import Insight
from noughts.suites.questions import Question
from noughts.suites.suite import SIZES, asked_values, insight_of, make_suite, random_positions
from noughts.text.replies import reader_of

SPLITS = ("train", "held-out")
HELD_OUT = 5
"""One game in this many is held out, besides those of the suites."""
POSITIONS = 4
"""Consecutive questions about one game."""
LARGEST_SIZE = 10_000_000
LARGEST_SEED = 1 << 53


@dataclass(frozen=True)
class DifficultyLevel:
    """A step of the curriculum. families: ways of marking. side: of the board. depths: minimum and maximum plies of
    lookahead that the answer needs.
    """

    families: tuple[str, ...]
    side: int
    depths: tuple[int, int]


LEVELS = (
    DifficultyLevel(("own",), 3, (1, 1)),
    DifficultyLevel(("own", "wild"), 3, (1, 2)),
    DifficultyLevel(
        ("own", "wild", "half-wild-first", "half-wild-second", "three-marks", "sum-12", "sum-123"), 3, (2, 4)
    ),
    DifficultyLevel(("sum-13-24", "once-odd-even", "once-low-high", "once-mixed"), 3, (2, 7)),
    DifficultyLevel(("own", "wild"), 4, (3, 7)),
)
"""By difficulty. The first three take a few hundredths of a second per question, the others about one."""
LOST = {1: 0.2, 2: 0.1}
"""Scores of legal moves by the value they give away; a best move scores 1, anything else 0."""


def split_of(rules: Rules) -> str:
    """Returns "train" or "held-out": the same for a game under all its names."""
    form = canonical(rules)
    if form in _suite_forms():
        return SPLITS[1]
    return SPLITS[int.from_bytes(hashlib.sha256(repr(form).encode()).digest()[:8], "big") % HELD_OUT == 0]


@cache
def _suite_forms() -> frozenset[tuple[object, ...]]:
    """Returns the canonical forms of all games in the suites of the package."""
    asked = {question.rules for size in SIZES for question in make_suite(size=size).questions}
    return frozenset(canonical(rules) for rules in asked)


def training_game(number: int, *, difficulty: int = 0, split: str = "train", seed: int = 0) -> Game:
    """Returns a generated game by its number. Equal arguments give equal games."""
    checked_number("number", number, 0, LARGEST_SIZE)
    return _draw_game(number, *_checked(difficulty, split, seed)).solution.game


def _checked(difficulty: int, split: str, seed: int) -> tuple[int, str, int]:
    checked_number("difficulty", difficulty, 0, len(LEVELS) - 1)
    checked_number("seed", seed, 0, LARGEST_SEED)
    if split not in SPLITS:
        raise ValueError(f"split must be {listed(SPLITS)}, not {short_repr(split)}")
    return difficulty, split, seed


@lru_cache(64)
def _draw_game(number: int, difficulty: int, split: str, seed: int) -> Insight:
    """Returns the first game of a seed and number that is worth asking about."""
    insights = filter(None, map(insight_of, _variants(number, difficulty, split, seed)))
    return next(each for each in insights if len(_positions(each, difficulty, number, seed)) == POSITIONS)


def _variants(number: int, difficulty: int, split: str, seed: int) -> Iterator[Variant]:
    level = LEVELS[difficulty]
    markings = tuple(marking for marking in MARKINGS if marking.family in level.families)
    for variant in draw_variants(f"training {seed} {difficulty} {split} {number}", markings, level.side):
        if split_of(variant.rules) == split:
            yield variant


def _positions(insight: Insight, difficulty: int, number: int, seed: int) -> list[State]:
    """Returns positions of a game whose answer is as deep as the level requires; fewer than POSITIONS if it has
    fewer."""
    least, most = LEVELS[difficulty].depths
    found: list[State] = []
    for state in random_positions(insight, random.Random(f"positions {seed} {difficulty} {number}")):
        if least <= insight.depth_needed(state) <= most:
            found.append(state)
        if len(found) == POSITIONS:
            break
    return found


class VariantDataset:
    """Questions about positions of generated games. Entry n does not depend on which others are generated.

    An entry is a dict: `question`, the rules and the position; `answer`, a best move; `metadata`, with the value of
    every move. See `create_dataset`.
    """

    def __init__(self, size: int, seed: int, difficulty: int, split: str, list_moves: bool) -> None:
        checked_number("size", size, 1, LARGEST_SIZE)
        _checked(difficulty, split, seed)
        self.size: int = size
        self.seed: int = seed
        self.difficulty: int = difficulty
        self.split: str = split
        self.list_moves: bool = list_moves

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self.__getitem__, range(self.size))

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < self.size:
            raise IndexError(f"there is no entry {index}; there are {self.size} entries, from 0")
        number, place = divmod(index, POSITIONS)
        insight = _draw_game(number, self.difficulty, self.split, self.seed)
        state = _positions(insight, self.difficulty, number, self.seed)[place]
        rules, values = state.game.rules, asked_values(insight, state)
        depth = insight.depth_needed(state)
        question = Question("variant", f"training-{number}", rules.name, rules, state.to_string(), values, depth)
        names = reader_of(rules).names
        moves = [
            {"move": names[action], "value": value}
            for action, value in sorted(values.items(), key=lambda each: -each[1])
        ]
        return {
            "question": question.text(list_moves=self.list_moves),
            "answer": moves[0]["move"],
            "metadata": {
                "source_dataset": "noughts",
                "source_index": index,
                "game": hashlib.sha256(repr(canonical(rules)).encode()).hexdigest()[:16],
                "position": question.position,
                "family": rules.name,
                "depth": depth,
                "difficulty": {"level": self.difficulty, "side": rules.side, "depth": depth},
                "split": self.split,
                "value": question.best,
                "moves": moves,
            },
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """Returns 1 for a best move, less for another legal one (see LOST), and 0 for anything else."""
        return score_answer(answer, entry)


def score_answer(answer: str | None, entry: dict[str, Any]) -> float:
    """Returns the score of an answer to an entry, from 0 to 1. Needs only the entry."""
    if not isinstance(answer, str):
        return 0.0
    grade = grade_reply(entry["metadata"], answer)
    return 1.0 if grade["right"] else LOST.get(grade["lost"], 0.0) if grade["legal"] else 0.0


def create_dataset(
    *, size: int = 500, seed: int = 0, difficulty: int = 0, split: str = "train", list_moves: bool = True
) -> VariantDataset:
    """Returns questions about generated games, with `score_answer(answer, entry)`.

    size: number of questions, each generated on demand. seed: other seeds give other questions. difficulty: 0 to 4, a
    step of LEVELS. split: "train" or "held-out", which have no game in common. list_moves: whether to list the legal
    moves.
    """
    return VariantDataset(size, seed, difficulty, split, list_moves)
