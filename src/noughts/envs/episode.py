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
from typing import Any, Final

from noughts.analysis.evaluator import NODES, Evaluation, Evaluator, evaluator_for
from noughts.analysis.mistakes import is_costly
from noughts.clock import Clock
from noughts.game import Game, State
from noughts.library import load_game
from noughts.players import as_player, listed_player
from noughts.players.protocol import PlayerLike
from noughts.players.registry import BUILT_IN, STRENGTHS
from noughts.players.simple import ChancePlayer, PerfectPlayer, RandomPlayer
from noughts.rules.spec import Rules, checked_number, short_repr
from noughts.suites.training import training_game
from noughts.text.env import TextEnv
from noughts.text.replies import reader_of

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
OPPONENTS: Final = (*(name for name, kind in BUILT_IN.items() if kind.answers_at_once), *STRENGTHS)
LEVELS: Final = tuple("123456789")
"""Levels of alphabeta that a server offers besides OPPONENTS."""
OFFERED_DIFFICULTY: Final = 2
"""Maximum difficulty: harder generated games take seconds to solve."""
ENOUGH_BITS: Final = 1 << 32
"""Smallest value from which random choices are drawn: their bias is then less than one in a million."""
LONGEST_NAME: Final = 60
MOST_OPENING: Final = 200
MOST_NODES: Final = 100_000_000


@dataclass(slots=True)
class StepInfo:
    """The result of a reply, and the value of its move to the policy.

    valid, reason, message: as for `TextEnv.step`. move: as it was read. best, played: values of the position and of
    this move to the policy, None if the reply was invalid or nothing was evaluated. lost: the value given away: 0 for a
    perfect move, 1 from a win to a draw or from a draw to a loss, 2 for both. evaluator, before: evaluate the other
    moves of the position before the move on demand.
    """

    valid: bool
    reason: str | None = None
    message: str | None = None
    move: str | None = None
    best: Evaluation | None = None
    played: Evaluation | None = None
    lost: float | None = None
    evaluator: Evaluator | None = field(default=None, repr=False, compare=False)
    before: State | None = field(default=None, repr=False, compare=False)

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
        assert self.before is not None
        assert self.best is not None
        state, best = self.before, self.best
        names = reader_of(state.game.rules).names
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
        self.seat: int = checked_number("seat", seat, 0, 1)
        self.opponent = opponent
        self.seed: int = checked_number("seed", seed, 0, (1 << 53))
        self.opening: int = checked_number("opening", opening, 0, MOST_OPENING)
        self.grade_nodes: int = checked_number("grade_nodes", grade_nodes, 0, MOST_NODES)
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
        self._clock = seconds
        self._seat_opponent()
        self._evaluator = evaluator_for(self.game, self.grade_nodes or GRADE_NODES)

    def reset(self, seed: int | None = None) -> str:
        """Starts a game; returns the policy's first observation. seed: replaces the current one."""
        if seed is not None:
            self.seed = checked_number("seed", seed, 0, (1 << 53))
        self.steps = []
        for plies in range(self.opening, 0, -1):
            start = self._random_opening(plies)
            # If the opponent could win at once, the policy could do nothing, so the opening is shorter.
            if start is not None:
                self._begin(start)
                if not self.env.done:
                    break
        else:
            self._begin(None)
        return self.env.observation_for(self.seat)

    def _begin(self, start: State | None) -> None:
        """Starts a new game, with the opponent's moves if it is to move."""
        self._reseed_opponent()
        self.env.reset(start=start)
        self._answer()

    def _answer(self) -> None:
        """Plays the opponent's moves, if it is to move."""
        while not self.env.done and self.env.player != self.seat:
            self.env.play(self._opponents_move())

    def step(self, reply: str, *, cut_off: bool = False) -> tuple[str, bool, StepInfo]:
        """Plays the move in a reply. Returns the policy's next observation, whether the game is over, and the step.

        cut_off: whether the reply reached a limit of tokens before its end; such a reply is refused, whatever it says.
        """
        env = self.env
        if not env.started:
            raise ValueError("there is no episode yet; call reset() first")
        before = env.state
        _, info = env.step(reply, cut_off=cut_off)
        if info["valid"]:
            step = self._graded(before, info["action"], info["move"])
            self._answer()
        else:
            step = StepInfo(False, info["reason"], info["message"])
        self.steps.append(step)
        return env.observation_for(self.seat), env.done, step

    @property
    def done(self) -> bool:
        return self.env.started and self.env.done

    def legal_moves(self) -> list[str]:
        """Returns the moves that the policy may write now."""
        names = self.env.reader.names
        return [] if self.done else [names[action] for action in self.env.current_state().legal_actions()]

    def outcome(self) -> float:
        """Returns the policy's result: 1, 0, -1 or between; -1 for a forfeit; 0 while the game is in play."""
        rewards = self.env.rewards if self.env.started else None
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
        kind, rewards = self._kind(kind), self.env.rewards if self.done else None
        if rewards is None or self.env.forfeited is not None:
            return -1.0 - ABANDONED if kind == "outcome" else -ABANDONED
        outcome = rewards[self.seat]
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
        # These two choose by the position alone, so the episode draws among their choices itself.
        named = isinstance(opponent, str) and "seed" not in opponent
        self._draws = self._player if named and isinstance(self._player, RandomPlayer | PerfectPlayer) else None

    def _reseed_opponent(self) -> None:
        """Gives a named opponent the episode's seed, unless its name has its own."""
        self._bits = 0
        if not isinstance(self.opponent, str) or "seed" in self.opponent or self._draws:
            return
        if isinstance(self._player, ChancePlayer):
            self._player.reseed(self.seed)
        else:
            self._seat_opponent()

    def _opponents_move(self) -> int:
        """Returns the opponent's move."""
        state = self.env.current_state()
        if not self._draws:
            return self._player.choose(state.clone(), Clock(self._clock))
        choices = self._draws.choices(state)
        # Chosen by the seed and the moves so far: hashing is faster than seeding a generator.
        if self._bits < ENOUGH_BITS:
            digest = hashlib.sha512(b"%d %d" % (self.seed, len(self.env.moves)))
            self._bits = int.from_bytes(digest.digest(), "big")
        self._bits, index = divmod(self._bits, len(choices))
        return choices[index]

    def _random_opening(self, plies: int) -> State | None:
        """Returns the position after `plies` random plies, none of which ends the game; None if there is none."""
        draw, state = random.Random(f"opening {self.seed}"), self.game.new_initial_state()
        for _ in range(plies):
            safe = [action for action in state.legal_actions() if not state.child(action).is_terminal()]
            if not safe:
                return None
            state.apply_action(draw.choice(safe))
        return state

    def _graded(self, before: State, action: int, name: str) -> StepInfo:
        """Returns the step of a move: only this move is evaluated."""
        if self._evaluator.solution is None and not self.grade_nodes:
            return StepInfo(True, move=name)
        best, played = self._evaluator.compare(before, action, lines=False)
        return StepInfo(True, None, None, name, best, played, best.value - played.value, self._evaluator, before)


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
        checked_number("difficulty", difficulty, 0, OFFERED_DIFFICULTY)
    chosen = str(game)[:LONGEST_NAME] if variant is None else generated(variant, difficulty, split)
    return Episode(chosen, opponent=name, **settings)


def generated(variant: int, difficulty: int = 0, split: str = "train") -> Game:
    """Returns the generated game with a number: see `suites.training_game`."""
    return training_game(variant, difficulty=difficulty, split=split)
