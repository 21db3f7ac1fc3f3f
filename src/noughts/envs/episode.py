"""Runs one game of a text policy against one of our players, and evaluates every move of the policy.

All adapters to other harnesses build on it; no framework is imported here.

>>> from noughts.envs.text import Episode
>>> episode = Episode("wild", opponent="perfect", seed=1)
>>> text = episode.reset()
>>> text, done, step = episode.step("The centre is strong: [X 4]")
>>> step.lost, step.mattered, step.exact
(0.0, True, True)
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from noughts.analysis.evaluator import NODES, Evaluation, Evaluator, evaluator_for
from noughts.analysis.mistakes import is_costly
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.library import load_game
from noughts.players import as_player, listed_player
from noughts.players.protocol import PlayerLike
from noughts.players.simple import ChancePlayer, PerfectPlayer, RandomPlayer
from noughts.rules.spec import Rules, short_repr
from noughts.suites.training import training_game
from noughts.text.env import TextEnv
from noughts.text.texts import Position, texts_of

REWARDS: Final = ("outcome", "graded", "per-move")
"""Reward schemes of an episode. An episode is abandoned if the policy forfeits it, or never finishes it.

outcome     at the end 1, 0 or -1, or a margin of points in between; -1 - ABANDONED if abandoned
graded      at the end from 0 to 1, half for the result and half for the moves, see `Episode.total_reward`;
            -ABANDONED if abandoned
per-move    the same sum in parts: each step pays what it changes
"""
INVALID: Final = 0.05
"""Cost of an invalid reply where moves are rewarded."""
ABANDONED: Final = 0.1
"""An abandoned episode pays this much less than the worst finished one."""
GRADE_NODES: Final = NODES
"""Nodes for each position in games that are not solved."""
OPPONENTS: Final = ("random", "greedy", "perfect", "easy", "medium", "hard")
LEVELS: Final = tuple("123456789")
"""Levels of alphabeta that a server offers besides OPPONENTS."""
OFFERED_DIFFICULTY: Final = 2
"""Maximum difficulty: harder generated games take seconds to solve."""
ENOUGH_BITS: Final = 1 << 32
"""Smallest value from which random choices are drawn: their bias is then less than one in a million."""
LONGEST_NAME: Final = 60
MOST_OPENING: Final = 200
MOST_NODES: Final = 100_000_000

Worth = tuple[Evaluation, Evaluation]
"""A position's value to the player to move, and to the other player the value of the move that led to it."""


@dataclass(slots=True)
class StepInfo:
    """The result of a reply, and the value of its move to the policy.

    valid, reason, message: as for `TextEnv.step`. move: as it was read. best, played: values of the position and of
    this move to the policy, None if the reply was invalid or nothing was evaluated. lost: the value given away: 0 for a
    perfect move, 1 from a win to a draw or from a draw to a loss, 2 for both. evaluator, position: evaluate the other
    moves on demand.
    """

    valid: bool
    reason: str | None = None
    message: str | None = None
    move: str | None = None
    best: Evaluation | None = None
    played: Evaluation | None = None
    lost: float | None = None
    evaluator: Evaluator | None = field(default=None, repr=False, compare=False)
    position: Position | None = field(default=None, repr=False, compare=False)

    @property
    def value(self) -> float | None:
        return None if self.played is None else self.played.value

    @property
    def exact(self) -> bool | None:
        return None if self.best is None or self.played is None else self.best.exact and self.played.exact

    @property
    def distance(self) -> int | None:
        """Number of moves to the end with best play, this one included; None if unknown."""
        return None if self.played is None else self.played.distance

    @property
    def mattered(self) -> bool | None:
        """Whether some legal move was worse than another. Evaluates the other moves on demand."""
        return None if self.evaluator is None else self._other_moves()[0]

    @property
    def better(self) -> tuple[str, ...]:
        """The moves of the best value, as far as known. Evaluates the other moves on demand."""
        return () if self.evaluator is None else self._other_moves()[1]

    def _other_moves(self) -> tuple[bool, tuple[str, ...]]:
        """Returns `mattered` and `better`."""
        assert self.evaluator is not None
        assert self.position is not None
        assert self.best is not None
        state, best = self.position.state, self.best
        names = texts_of(state.game).reader.names
        if self.evaluator.solution is None:
            return len(state.legal_actions()) > 1, (names[best.line[0]],)
        moves = self.evaluator.evaluate_moves(state, lines=False)
        better = sorted(names[action] for action, found in moves.items() if found.value == best.value)
        return any(found.value < best.value for found in moves.values()), tuple(better)

    def as_data(self) -> dict[str, Any]:
        """Returns the step for JSON."""
        return {
            "valid": self.valid,
            "reason": self.reason,
            "message": self.message,
            "move": self.move,
            "best": None if self.best is None else self.best.value,
            "value": self.value,
            "lost": self.lost,
            "mattered": self.mattered,
            "distance": self.distance,
            "better": list(self.better),
            "exact": self.exact,
        }


class Episode:
    """A game of a text policy in one seat against a player of ours in the other. `reset`, then `step` until done.

    game: the name of a built-in one, or any `Game`. opponent: a name for `noughts.players.listed_player`, or a player
    object. Both may be untrusted text. seed: for the opponent and the opening; equal replies give equal episodes.
    opening: random plies before the policy's first move, which never end the game. error_allowance, observation, take,
    list_moves, full_rules: as for `TextEnv`. reward: one of REWARDS. grade_nodes: budget for each position in games
    that are too large to solve, 0 to evaluate nothing there. seconds: for a move of an opponent with a clock.
    """

    def __init__(
        self,
        game: str | Rules | Game = "wild",
        *,
        seat: int = 0,
        opponent: PlayerLike = "random",
        seed: int = 0,
        opening: int = 0,
        error_allowance: int = 1,
        observation: str = "news",
        take: str = "last",
        list_moves: bool = True,
        full_rules: bool = False,
        reward: str = "graded",
        grade_nodes: int = GRADE_NODES,
        seconds: float = 1.0,
    ) -> None:
        self.game: Game = load_game(game)
        self.seat: int = _checked_integer("seat", seat, 0, 1)
        self.opponent = opponent
        self.seed: int = _checked_integer("seed", seed, 0, (1 << 53))
        self.opening: int = _checked_integer("opening", opening, 0, MOST_OPENING)
        self.grade_nodes: int = _checked_integer("grade_nodes", grade_nodes, 0, MOST_NODES)
        if reward not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {short_repr(reward)}")
        self.reward_kind = reward
        self.env: TextEnv = TextEnv(
            self.game,
            error_allowance=error_allowance,
            observation=observation,
            take=take,
            list_moves=list_moves,
            full_rules=full_rules,
        )
        self.steps: list[StepInfo] = []
        self._names = self.env.texts.reader.names
        self._clock = seconds
        self._seat_opponent()
        self._evaluator = evaluator_for(self.game, self.grade_nodes or GRADE_NODES)

    def reset(self, seed: int | None = None) -> str:
        """Starts a game; returns the policy's first observation. seed: replaces the current one."""
        if seed is not None:
            self.seed = _checked_integer("seed", seed, 0, (1 << 53))
        self.steps = []
        for plies in range(self.opening, 0, -1):
            start = self._random_opening(plies)
            # If the opponent could win at once, the policy could do nothing, so the opening is shorter.
            if start is not None and not self._begin(start).end:
                break
        else:
            self._begin(None)
        return self.env.observation_for(self.seat)

    def _begin(self, start: State | None) -> Position:
        """Starts a new game, with the opponent's moves if it is to move; returns the position."""
        self._reseed_opponent()
        self.env.reset(start=start)
        return self._answered(self.env.position)

    def _answered(self, position: Position) -> Position:
        """Returns the position after the opponent's moves, if it is to move."""
        while position.player != self.seat and position.legal:
            position = self._opponents_move(position)
        return position

    def step(self, reply: str, *, cut_off: bool = False) -> tuple[str, bool, StepInfo]:
        """Plays the move in a reply. Returns the policy's next observation, whether the game is over, and the step.

        cut_off: whether the reply reached a limit of tokens before its end; such a reply is refused, whatever it says.
        """
        env = self.env
        if not env.path:
            raise ValueError("there is no episode yet; call reset() first")
        before = env.path[-1]
        if before.evaluation is None and self._evaluator.solution is not None:
            self._solved(before)
        after = None if cut_off else env.accept(reply)
        if after is None:
            done, info = env.step(reply, cut_off=cut_off)
            step = StepInfo(False, info["reason"], info["message"])
        else:
            action = env.moves[-1]
            step = self._graded(before, action, after)
            done = self._answered(after).end is not None
        self.steps.append(step)
        return env.observation_for(self.seat), done, step

    @property
    def done(self) -> bool:
        return bool(self.env.path) and self.env.done

    def legal_moves(self) -> list[str]:
        """Returns the moves that the policy may write now."""
        return [] if self.done else [self._names[action] for action in self.env.position.legal]

    def outcome(self) -> float:
        """Returns the policy's result: 1, 0, -1 or between; -1 for a forfeit; 0 while the game is in play."""
        rewards = self.env.rewards
        return float(rewards[self.seat]) if rewards else 0.0

    def reward(self, kind: str | None = None) -> float:
        """Returns the reward of the last step; see REWARDS. kind: a scheme to use instead of the episode's."""
        kind = self._kind(kind)
        done, steps = self.done, len(self.steps)
        if kind != "per-move":
            return self.total_reward(kind) if done else 0.0
        return (self.total_reward(kind) if done else self._paid(steps)) - self._paid(steps - 1)

    def total_reward(self, kind: str | None = None) -> float:
        """Returns the total reward if the episode ends here: the sum of the rewards of a finished one.

        With `graded` and `per-move` a finished game pays (result + 1) / 4 + (1 - given_away / 2) / 2, where the result
        is 1, 0 or -1 and given_away the mean value that a move gave away, minus INVALID for each invalid reply, and at
        least 0.
        """
        kind, end = self._kind(kind), self.env.path[-1].end if self.env.path else None
        if end is None:
            return -1.0 - ABANDONED if kind == "outcome" else -ABANDONED
        outcome = end.rewards[self.seat]
        if kind == "outcome":
            return float(outcome)
        result = (outcome > 0) - (outcome < 0)
        return max(0.0, (result + 3) / 4 - self._charged(len(self.steps)))

    def _kind(self, kind: str | None) -> str:
        kind = self.reward_kind if kind is None else kind
        if kind not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {short_repr(kind)}")
        return kind

    def _paid(self, steps: int) -> float:
        """Returns the sum of `per-move` after `steps` steps of an unfinished game: less than any finished game."""
        return -ABANDONED - self._charged(steps) if steps > 0 else 0.0

    def _charged(self, steps: int) -> float:
        """Returns the cost of moves and invalid replies in the first steps."""
        given_away, evaluated, invalid = 0.0, 0, 0
        for step in self.steps[:steps]:
            if step.lost is not None:
                given_away += step.lost
                evaluated += 1
            elif not step.valid:
                invalid += 1
        return given_away / (evaluated or 1) / 4 + INVALID * invalid

    def summary(self) -> dict[str, float]:
        """Returns the episode in numbers. If nothing was evaluated, the last four are missing.

        outcome; won, drawn, lost, forfeited: 1 for how it ended; moves, invalid: counts; given_away: value per move;
        perfect: share of moves that gave none away; choices: moves where some legal move was worse than another;
        perfect_choices: share of these that gave none away, missing if there were none.
        """
        outcome, forfeited = self.outcome(), self.env.forfeited == self.seat
        fair = self.done and not forfeited
        data = {
            "outcome": outcome,
            "won": float(fair and outcome > 0),
            "drawn": float(fair and outcome == 0),
            "lost": float(fair and outcome < 0),
            "forfeited": float(forfeited),
            "moves": float(sum(step.valid for step in self.steps)),
            "invalid": float(sum(not step.valid for step in self.steps)),
        }
        graded = [(step, step.lost) for step in self.steps if step.lost is not None]
        if graded:
            data["given_away"] = sum(lost for _, lost in graded) / len(graded)
            perfect = [not is_costly(lost, step.exact is True) for step, lost in graded]
            data["perfect"] = sum(perfect) / len(perfect)
            choices = [good for (step, _), good in zip(graded, perfect, strict=True) if step.mattered]
            data["choices"] = float(len(choices))
            if choices:
                data["perfect_choices"] = sum(choices) / len(choices)
        return data

    def _seat_opponent(self) -> None:
        opponent = self.opponent
        self._player = listed_player(opponent, seed=self.seed) if isinstance(opponent, str) else as_player(opponent)
        self._player.prepare(self.game)
        # these two choose by the position alone: they need neither a state nor a generator
        kind, named = type(self._player), isinstance(opponent, str) and "seed" not in opponent
        self._draws = kind if named and kind in (RandomPlayer, PerfectPlayer) else None

    def _reseed_opponent(self) -> None:
        """Gives a named opponent the episode's seed, unless its name has its own."""
        self._bits = 0
        if not isinstance(self.opponent, str) or "seed" in self.opponent or self._draws:
            return
        if isinstance(self._player, ChancePlayer):
            self._player.reseed(self.seed)
        else:
            self._seat_opponent()

    def _opponents_move(self, position: Position) -> Position:
        """Plays the opponent's move; returns the position after it."""
        env = self.env
        if self._draws is None:
            env.play(self._player.choose(env.state, Clock(self._clock)))
            return env.path[-1]
        if self._draws is RandomPlayer:
            choices = position.legal
        else:
            choices = position.preferred = position.preferred or self._player.choices(env.current_state())  # type: ignore[attr-defined]
        # Chosen by the seed and the moves so far: hashing is faster than seeding a generator.
        if self._bits < ENOUGH_BITS:
            digest = hashlib.sha512(b"%d %d" % (self.seed, len(env.moves)))
            self._bits = int.from_bytes(digest.digest(), "big")
        self._bits, index = divmod(self._bits, len(choices))
        after = env.advance(choices[index])
        assert after is not None
        return after

    def _random_opening(self, plies: int) -> State | None:
        """Returns the position after `plies` random plies, none of which ends the game; None if there is none."""
        draw, state = random.Random(f"opening {self.seed}"), self.game.new_initial_state()
        for _ in range(plies):
            safe = [action for action in state.legal_actions() if not state.child(action).is_terminal()]
            if not safe:
                return None
            state.apply_action(draw.choice(safe))
        return state

    def _graded(self, before: Position, action: int, after: Position) -> StepInfo:
        """Returns the step of a move: only this move is evaluated."""
        name = self._names[action]
        if before.evaluation is not None:
            best, played = before.evaluation[0], (after.evaluation or self._solved(after))[1]
        elif self.grade_nodes:
            best, played = self._evaluator.compare(before.state, action)
        else:
            return StepInfo(True, move=name)
        lost = best.value - played.value
        return StepInfo(True, None, None, name, best, played, lost, self._evaluator, before)

    def _solved(self, position: Position) -> Worth:
        """Returns the `Worth` of the position on the board, cached with it. In solved games the players alternate."""
        assert self._evaluator.solution is not None
        value, distance = self._evaluator.solution.result(self.env.current_state())
        found = _evaluations(value, distance, 1 - position.player if position.legal else position.player)
        position.evaluation = found
        return found


@cache
def _evaluations(value: int, distance: int, mover: int) -> Worth:
    """Returns the `Worth` of a solved position. Few differ, and sharing them halves the garbage collector's work."""
    now = Evaluation(float(value), True, distance, (), 1 - mover)
    return now, Evaluation(0.0 - now.value, True, distance + 1, (), mover)


def offered(
    game: str,
    *,
    opponent: str = "random",
    variant: int | None = None,
    difficulty: int = 0,
    split: str = "train",
    **settings: Any,
) -> Episode:
    """Returns an episode for a remote client: only built-in games, generated ones that are solved quickly, and fast
    opponents. variant, difficulty, split: see `generated`.
    """
    name = str(opponent)[:LONGEST_NAME].strip().lower().replace("?", ":")
    level = name.removeprefix("alphabeta:level=")
    if name not in OPPONENTS and not (level != name and level in LEVELS):
        raise ValueError(
            f"there is no opponent {short_repr(name)}; choose from {', '.join(OPPONENTS)}, alphabeta:level=1 to 9"
        )
    if variant is not None:
        _checked_integer("difficulty", difficulty, 0, OFFERED_DIFFICULTY)
    chosen = str(game)[:LONGEST_NAME] if variant is None else generated(variant, difficulty, split)
    return Episode(chosen, opponent=name, **settings)


def generated(variant: int, difficulty: int = 0, split: str = "train") -> Game:
    """Returns the generated game with a number: see `suites.training_game`."""
    return training_game(variant, difficulty=difficulty, split=split)


def _checked_integer(name: str, value: object, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, not {short_repr(value)}")
    return value
