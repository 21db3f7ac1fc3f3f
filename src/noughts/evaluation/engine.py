"""Playing the games of a plan that its transcript does not hold yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from noughts.evaluation.plan import Plan
from noughts.evaluation.transcript import Line, Transcript
from noughts.game import Game
from noughts.players import Clock, Player, make_player
from noughts.players.llm import ServiceError
from noughts.players.llm.client import wait_for
from noughts.players.protocol import TextPlayer
from noughts.text.env import TextEnv

GIVE_UP_AFTER = 5
"""So many games in a row without an answer from a server, and the rest is not tried."""


class Evaluation:
    """Plays a plan into a transcript.

    unanswered: games left unfinished because a server gave no reply, for the reason in `trouble`. on_game: is called
    with the number of each game that is finished.
    """

    def __init__(self, plan: Plan, game: Game, transcript: Transcript) -> None:
        self.plan = plan
        self.game = game
        self.transcript = transcript
        self.unanswered = 0
        self.trouble = ""
        self.on_game: Callable[[int], None] = lambda _number: None
        self._failed_in_row = 0
        self._models: dict[str, TextPlayer] = {}

    def run(self, concurrency: int = 4) -> None:
        """Play what is missing, so many games at once. Games with models overlap; the others take turns."""
        if concurrency < 1:
            raise ValueError(f"concurrency must be 1 or more, not {concurrency}")
        done = {played.number for played in self.transcript.finished(self.plan.games)}
        waiting = [number for number in range(self.plan.games - 1, -1, -1) if number not in done]
        wait_for(self._play_all(waiting, min(concurrency, len(waiting))))

    async def _play_all(self, waiting: list[int], workers: int) -> None:
        async def work() -> None:
            while waiting and self._failed_in_row < GIVE_UP_AFTER:
                await self._play(waiting.pop())

        tasks = [asyncio.create_task(work()) for _ in range(workers)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for model in self._models.values():
                await model.aclose()

    async def _play(self, number: int) -> None:
        try:
            await _OneGame(self, number).play()
        except ServiceError as error:
            if error.fatal:
                raise
            self.unanswered += 1
            self._failed_in_row += 1
            self.trouble = str(error)
        else:
            self._failed_in_row = 0
            self.on_game(number)

    def player(self, number: int, seat: int) -> Player | TextPlayer:
        """Who sits there in that game. A model is one for all games, others are made anew with their own seed."""
        name = self.plan.names(number)[seat]
        if name in self._models:
            return self._models[name]
        player = make_player(name, seed=self.plan.player_seed(number, seat))
        if isinstance(player, TextPlayer):
            self._models[name] = player
        return player


class _OneGame:
    """One game, its lines going to the transcript as they come about; without a model, all at the end."""

    def __init__(self, evaluation: Evaluation, number: int) -> None:
        self._number = number
        self._plan = evaluation.plan
        self._transcript = evaluation.transcript
        self._env = evaluation.plan.environment(evaluation.game)
        self._players = [evaluation.player(number, seat) for seat in (0, 1)]
        self._costly = any(isinstance(player, TextPlayer) for player in self._players)
        self._lines: list[Line] = []

    async def play(self) -> None:
        env, plan = self._env, self._plan
        settings = {"game": plan.game, "error_allowance": plan.error_allowance}
        settings |= {"observation": plan.observation, "take": plan.take}
        self._write({"kind": "start", "game": self._number, "players": plan.names(self._number), "env": settings})
        env.reset(num_players=2)
        late: int | None = None
        while not env.ending and late is None:
            player = self._players[env.player]
            if isinstance(player, TextPlayer):
                late = await self._read(player)
            else:
                await self._think(player)
        self._write({"kind": "end", "game": self._number, **_ending(env, late)})
        self._transcript.add(self._lines)

    async def _read(self, player: TextPlayer) -> int | None:
        """A turn of a player who reads and writes. The seat if it did not answer in its time."""
        seat, observation = self._env.get_observation()
        told: Line | None = self._transcript.recall(self._number, seat, observation)
        if told is None:
            reply = await player.reply(observation)
            told = {
                "messages": player.messages(observation),
                "reply": reply.text,
                "seconds": round(reply.seconds, 3),
                "attempts": reply.attempts,
                "prompt_tokens": reply.prompt_tokens,
                "completion_tokens": reply.completion_tokens,
                "finish": reply.finish,
                "failure": reply.failure,
            }
        if told["failure"]:
            verdict: Line = {"valid": False, "reason": told["failure"], "action": None, "move": None}
        else:
            _, info = self._env.step(told["reply"])
            verdict = {key: info[key] for key in ("valid", "reason", "action", "move")}
        self._turn(seat, player.name, {**told, **verdict})
        return seat if told["failure"] else None

    async def _think(self, player: Player) -> None:
        """A turn of a player who is given the position."""
        state, seat = self._env.state, self._env.player
        clock = Clock(state.game.rules.move_seconds)
        if self._costly:
            # In a thread, so that models' answers are not kept waiting.
            action = await asyncio.to_thread(player.choose, state, clock)
        else:
            await asyncio.sleep(0)  # Ctrl-C is heard here
            action = player.choose(state, clock)
        move = self._env.texts.reader.names[action]
        _, info = self._env.step(move)
        verdict = {key: info[key] for key in ("valid", "reason", "action", "move")}
        self._turn(seat, player.name, {"reply": move, **verdict})

    def _turn(self, seat: int, name: str, rest: Line) -> None:
        head = {"kind": "turn", "game": self._number, "player": seat, "by": name}
        self._write(head | {key: value for key, value in rest.items() if key not in head})

    def _write(self, line: Line) -> None:
        if self._costly:
            self._transcript.add([line])
        else:
            self._lines.append(line)


def _ending(env: TextEnv, late: int | None) -> dict[str, Any]:
    """The facts of the last line of a game. late: the seat of a player who ran out of time."""
    if late is not None:
        rewards = [0, 0]
        rewards[late] = -1
        return {"ended_by": "time", "winner": None, "offender": late, "fault": "time", "rewards": rewards}
    rewards_by_player, infos = env.close()
    offender = next((player for player, info in infos.items() if info["invalid_move"]), None)
    outcome = env.state.outcome()
    return {
        "ended_by": infos[0]["ended_by"],
        "winner": outcome.winner if outcome else None,
        "offender": offender,
        "fault": infos[offender]["fault"] if offender is not None else None,
        "rewards": [rewards_by_player[player] for player in (0, 1)] if rewards_by_player else [0, 0],
    }
