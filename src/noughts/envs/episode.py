"""One game of a text policy against one of our players, with what every move of the policy was worth.

What all adapters to other people's harnesses stand on; no framework is imported here.

>>> from noughts.envs.text import Episode
>>> episode = Episode("wild", opponent="perfect", seed=1)
>>> text = episode.reset()
>>> text, done, grade = episode.step("The centre is strong: [X 4]")
>>> grade.lost, grade.mattered, grade.exact
(0, True, True)
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

from noughts.clock import Clock
from noughts.envs._grades import MoveGrade, exact_grades
from noughts.game import Game, State
from noughts.library import load_game
from noughts.players import Player, as_player, listed_player
from noughts.players.simple import ChancePlayer, PerfectPlayer, RandomPlayer
from noughts.rules.spec import Rules, shown
from noughts.solving import Solution, TooLarge, solve
from noughts.text.env import TextEnv
from noughts.text.texts import Position

if TYPE_CHECKING:
    from noughts.analysis.grading import SearchGrader

REWARDS: Final = ("outcome", "graded", "per-move")
"""What an episode can pay.

outcome     at the end 1, 0, -1 or the margin of points between; -1 for a forfeit
graded      at the end the outcome, less the mean value given away per move, less INVALID for each invalid reply
per-move    at each step less the value given away, or INVALID for an invalid reply; at the end the outcome on top
"""
INVALID: Final = 0.1
"""What an invalid reply costs where replies are paid for."""
GRADE_NODES: Final = 20_000
"""Positions that a search looks at for each grade in games that are not solved, unless told otherwise."""
OPPONENTS: Final = ("random", "greedy", "perfect", "easy", "medium", "hard")
LEVELS: Final = tuple("123456789")
"""Of alphabeta; what a server offers besides OPPONENTS."""
LONGEST_NAME: Final = 60
MOST_OPENING: Final = 200
MOST_NODES: Final = 100_000_000
MASK: Final = (1 << 64) - 1
LEAST_WORD: Final = 1 << 32
"""Random bits are drawn from until less than this is left: choices are then uneven by less than one in a million."""
WORD_STEP: Final = 1 << 54
"""Between the seeds of the words of one episode: more than any seed."""


class Episode:
    """A game of a text policy in one seat against a player of ours in the other. `reset`, then `step` until done.

    game: the name of a built-in one, or any `Game`. opponent: a name that `noughts.players.listed_player` takes, or a
    player object. Both may be untrusted text. seed: of the opponent and the opening: the same replies
    give the same episode. opening: random plies before the policy is asked, which never end the game.
    error_allowance, observation, take, list_moves: as for `TextEnv`. reward: one of REWARDS. grade_nodes: for games
    that are too large to solve, 0 for no grades there. seconds: for a move of an opponent with a clock.
    """

    def __init__(
        self,
        game: str | Rules | Game = "wild",
        *,
        seat: int = 0,
        opponent: str | Player = "random",
        seed: int = 0,
        opening: int = 0,
        error_allowance: int = 1,
        observation: str = "news",
        take: str = "last",
        list_moves: bool = True,
        reward: str = "graded",
        grade_nodes: int = GRADE_NODES,
        seconds: float = 1.0,
    ) -> None:
        self.game = load_game(game)
        self.seat = _whole("seat", seat, 0, 1)
        self.opponent = opponent
        self.seed = _whole("seed", seed, 0, (1 << 53))
        self.opening = _whole("opening", opening, 0, MOST_OPENING)
        self.grade_nodes = _whole("grade_nodes", grade_nodes, 0, MOST_NODES)
        if reward not in REWARDS:
            raise ValueError(f"reward is one of {', '.join(REWARDS)}, not {shown(reward)}")
        self.reward_kind = reward
        self.env = TextEnv(
            self.game, error_allowance=error_allowance, observation=observation, take=take, list_moves=list_moves
        )
        self.grades: list[MoveGrade] = []
        self._clock = seconds
        self._fresh_for: int | None = None  # the seed of an opponent who has not played yet
        self._seat_opponent()
        self._solution = _solution(self.game)
        self._search: SearchGrader | None = None

    def reset(self, seed: int | None = None) -> str:
        """Begin, and return what the policy is asked first. seed: another one from now on."""
        if seed is not None:
            self.seed = _whole("seed", seed, 0, (1 << 53))
        self.grades = []
        for plies in range(self.opening, 0, -1):
            start = self._opened(plies)
            # An opponent who would win at once leaves the policy nothing to do: then the opening is shorter.
            if start is not None and not self._begun(start).ending:
                break
        else:
            self._begun(None)
        return self.env.observation_for(self.seat)

    def _begun(self, start: State | None) -> Position:
        """A new game, and the opponent's moves if it is its turn; the position then."""
        if self._draws:
            self._word, self._words = _mixed(self.seed), 1
        elif self._reseed is not None:
            self._reseed(self.seed)
        elif self._fresh_for != self.seed:
            self._seat_opponent()
        self._fresh_for = None
        self.env.reset(start=start)
        position = self.env.path[0]
        while position.player != self.seat and position.legal:
            position = self._answer(position)
        return position

    def step(self, reply: str) -> tuple[str, bool, MoveGrade]:
        """What the policy is shown after its reply and the opponent's answer, whether the game is over, the grade."""
        env, seat = self.env, self.seat
        path = env.path
        if not path:
            raise ValueError("there is no episode yet; call reset() first")
        before = path[-1]
        position = env.accept(reply)
        if position is None:
            done, info = env.step(reply)
            grade = MoveGrade(False, info["reason"], info["message"])
            self.grades.append(grade)
            return env.observation_for(seat), done, grade
        known, action = before.grades, env.moves[-1]
        grade = self._grade(before, action) if known is None else known[action]
        self.grades.append(grade)
        while position.player != seat and position.legal:
            position = self._answer(position)
        return env.observation_for(seat), position.ending != "", grade

    @property
    def done(self) -> bool:
        return bool(self.env.path) and self.env.ending != ""

    def legal_moves(self) -> list[str]:
        """The moves that the policy may write now."""
        names = self.env.texts.reader.names
        return [] if self.done else [names[action] for action in self.env.position.legal]

    def outcome(self) -> float:
        """What the game paid the policy: 1, 0, -1 or between; -1 for a forfeit; 0 while it is not over."""
        rewards = self.env.rewards
        return float(rewards[self.seat]) if rewards else 0.0

    def reward(self, kind: str | None = None) -> float:
        """What the episode pays for the last step; see REWARDS. kind: another one than that of the episode."""
        kind = self.reward_kind if kind is None else kind
        done = self.done
        end = self.outcome() if done else 0.0
        if kind == "outcome" or not self.grades:
            return end
        if kind == "per-move":
            last = self.grades[-1]
            return end - (last.lost or 0.0) - (0.0 if last.valid else INVALID)
        if kind != "graded":
            raise ValueError(f"reward is one of {', '.join(REWARDS)}, not {shown(kind)}")
        if not done:
            return 0.0
        given_away, graded, invalid = 0.0, 0, 0
        for grade in self.grades:
            lost = grade.lost
            if lost is not None:
                given_away += lost
                graded += 1
            elif not grade.valid:
                invalid += 1
        return end - given_away / (graded or 1) - INVALID * invalid

    def summary(self) -> dict[str, float]:
        """The episode in numbers. Where nothing was graded the last four are missing.

        outcome; won, drawn, lost, forfeited: 1 for how it ended; moves, invalid: counts; given_away: value per move;
        perfect: share of moves that gave none away; choices: moves where some legal move was worse than another;
        perfect_choices: share of these that gave none away, missing if there were none.
        """
        outcome, forfeited = self.outcome(), self.env.close()[1][self.seat]["invalid_move"]
        fair = self.done and not forfeited
        data = {
            "outcome": outcome,
            "won": float(fair and outcome > 0),
            "drawn": float(fair and outcome == 0),
            "lost": float(fair and outcome < 0),
            "forfeited": float(forfeited),
            "moves": float(sum(grade.valid for grade in self.grades)),
            "invalid": float(sum(not grade.valid for grade in self.grades)),
        }
        graded = [grade for grade in self.grades if grade.lost is not None]
        given_away = self._given_away()
        if given_away is not None:
            data["given_away"] = given_away
            data["perfect"] = sum(grade.lost == 0 for grade in graded) / len(graded)
            choices = [grade for grade in graded if grade.mattered]
            data["choices"] = float(len(choices))
            if choices:
                data["perfect_choices"] = sum(grade.lost == 0 for grade in choices) / len(choices)
        return data

    def _given_away(self) -> float | None:
        lost = [grade.lost for grade in self.grades if grade.lost is not None]
        return sum(lost) / len(lost) if lost else None

    def _seat_opponent(self) -> None:
        opponent = self.opponent
        player = listed_player(opponent, seed=self.seed) if isinstance(opponent, str) else as_player(opponent)
        player.prepare(self.game)
        self._player = player
        self._fresh_for = self.seed
        by_seed = isinstance(opponent, str) and "seed" not in opponent
        self._reseed = player.reseed if by_seed and isinstance(player, ChancePlayer) else None
        # Of these two it is known what they choose from. It is kept with the position: they need no state, and no
        # generator, whose seeding would take longer than all their moves.
        self._takes_any = type(player) is RandomPlayer
        self._draws = by_seed and (self._takes_any or type(player) is PerfectPlayer)
        self._word, self._words = 0, 0  # what is left of the random bits, and how often there were new ones

    def _opened(self, plies: int) -> State | None:
        """The position after so many random plies, none of which ends the game; None if there is none."""
        draw, state = random.Random(f"opening {self.seed}"), self.game.new_initial_state()
        for _ in range(plies):
            safe = [action for action in state.legal_actions() if not state.child(action).is_terminal()]
            if not safe:
                return None
            state.apply_action(draw.choice(safe))
        return state

    def _answer(self, position: Position) -> Position:
        """Let the opponent play a move; the position after it."""
        env = self.env
        if not self._draws:
            return env.advance(self._player.choose(env.state, Clock(self._clock)))
        choices = position.legal if self._takes_any else position.preferred or self._preferred(position)
        self._word, index = divmod(self._word, len(choices))
        if self._word < LEAST_WORD:
            self._word = _mixed(self.seed + self._words * WORD_STEP)
            self._words += 1
        action = choices[index]
        after = position.children[action]
        if after is None:
            return env.advance(action)
        env.path.append(after)
        env.moves.append(action)
        return after

    def _preferred(self, position: Position) -> list[int]:
        assert self._solution is not None  # as the perfect player could sit down
        position.preferred = self._solution.preferred_actions(position.state)
        return position.preferred

    def _grade(self, position: Position, action: int) -> MoveGrade:
        if self._solution is None:
            return self._estimate(position, action)
        texts = self.env.texts
        names = texts.reader.names
        kept = texts.kept if texts.remembers else None
        found = exact_grades(self._solution, position.state, names, kept)
        position.grades = tuple([found.get(each) for each in range(len(names))])
        return found[action]

    def _estimate(self, position: Position, action: int) -> MoveGrade:
        names = self.env.texts.reader.names
        if not self.grade_nodes:
            return MoveGrade(True, move=names[action])
        if self._search is None:
            from noughts.analysis.grading import SearchGrader

            self._search = SearchGrader(self.game, self.grade_nodes)
        worth = self._search.worth(position.state, action)
        return MoveGrade(
            True,
            move=names[action],
            best=worth.best,
            value=worth.value,
            lost=worth.best - worth.value,
            mattered=worth.mattered,
            better=tuple(names[each] for each in worth.better),
            exact=worth.exact,
        )


def offered(game: str, *, opponent: str = "random", **settings: Any) -> Episode:
    """An episode for somebody at the other end of a wire: only built-in games, and opponents that answer at once."""
    name = str(opponent)[:LONGEST_NAME].strip().lower().replace("?", ":")
    level = name.removeprefix("alphabeta:level=")
    if name not in OPPONENTS and not (level != name and level in LEVELS):
        raise ValueError(
            f"there is no opponent {shown(name)}; there are {', '.join(OPPONENTS)}, alphabeta:level=1 to 9"
        )
    return Episode(str(game)[:LONGEST_NAME], opponent=name, **settings)


def _solution(game: Game) -> Solution | None:
    try:
        return solve(game)
    except TooLarge:
        return None


def _mixed(seed: int) -> int:
    """64 random bits from a seed: splitmix64."""
    word = (seed + 1) * 0x9E3779B97F4A7C15 & MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def _whole(name: str, value: object, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} is a whole number from {least} to {most}, not {shown(value)}")
    return value
