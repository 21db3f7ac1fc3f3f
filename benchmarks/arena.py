"""Measures what the sandbox costs: the start of a bot, a move, a deadline, and whole games with and without it.

python benchmarks/arena.py
"""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict

from measure import rates, report

import noughts
from noughts.matches.game import play_seats
from noughts.players import BasePlayer, Clock
from noughts.players.bot import BotPlayer, action_from
from noughts.sandbox import BotLimits, SandboxedProcess
from noughts.sandbox._process import OVERTIME
from noughts.sandbox.faults import BotFault
from noughts.sandbox.forkserver import ForkServer
from noughts.sandbox.source import BotSource
from noughts.sandbox.worker.main import Session

STARTS = 200
MOVES = 5000
DEADLINES = 10
GAMES = 10
LIMIT = 0.2

COURSE = """
class Bot:
    def move(self, board, old_move, flag):
        return board.find_valid_move_cells(old_move)[0]
"""
OWN = "def choose(state, clock):\n    return state.legal_actions()[0]\n"
SILENT_COURSE = "class Bot:\n    def move(self, board, old_move, flag):\n        return (0, 0)\n"
SILENT_OWN = "def choose(state, clock):\n    return 0\n"
ENDLESS = "def choose(state, clock):\n    while True:\n        pass\n"


class InProcessPlayer(BasePlayer):
    """The rival: the same bot and board without a sandbox."""

    def __init__(self, source: str) -> None:
        self.name = "in-process"
        self._source = source

    def prepare(self, game: noughts.Game) -> None:
        self._session, self._seen = Session(), 0
        question = {"source": self._source, "file": "<bot>", "wanted": None, "rules": asdict(game.rules), "seed": 1}
        self._course = self._session.load(question)["interface"] == "course"

    def choose(self, state: noughts.State, clock: Clock) -> int:
        history = state.history()
        reply = self._session.move({"played": history[self._seen :], "seconds": 10.0})
        self._seen = len(history)
        action = action_from(state.game.rules, reply["answer"], course=self._course)
        assert action is not None
        return action


def load(bot: SandboxedProcess, source: str) -> None:
    rules = asdict(noughts.load_game("extreme").rules)
    bot.ask("load", 10, source=source, file="<bot>", wanted=None, rules=rules, seed=1)


def spread(what: str, seconds: list[float], scale: float, unit: str) -> None:
    """Returns the median and the 95th percentile."""
    ordered = sorted(seconds)
    middle, high = statistics.median(ordered), ordered[int(0.95 * len(ordered))]
    print(f"{what:<44} {middle * scale:8.2f} {unit} median {high * scale:8.2f} {unit} at 95 %", flush=True)


def starts(server: ForkServer) -> None:
    taken, closing = [], []
    for _ in range(STARTS):
        began = time.perf_counter()
        bot = SandboxedProcess(server, BotLimits(1.0))
        load(bot, SILENT_COURSE)
        taken.append(time.perf_counter() - began)
        began = time.perf_counter()
        bot.close()
        closing.append(time.perf_counter() - began)
    spread("start a bot: fork, confine, load", taken, 1e3, "ms")
    spread("end it", closing, 1e3, "ms")


def moves(server: ForkServer) -> None:
    for name, source in (("a move of the course's interface", SILENT_COURSE), ("a move of our own", SILENT_OWN)):
        with SandboxedProcess(server, BotLimits(1.0)) as bot:
            load(bot, source)
            taken = []
            for _ in range(MOVES):
                began = time.perf_counter()
                bot.ask("move", 1.0, played=[], seconds=1.0)
                taken.append(time.perf_counter() - began)
        spread(f"{name}, a bot that does not think", taken, 1e6, "us")


def deadlines(server: ForkServer) -> None:
    over = []
    for _ in range(DEADLINES):
        bot = SandboxedProcess(server, BotLimits(LIMIT))
        load(bot, ENDLESS)
        began = time.perf_counter()
        try:
            bot.ask("move", LIMIT, played=[], seconds=LIMIT)
        except BotFault:
            over.append(time.perf_counter() - began - LIMIT - OVERTIME - bot._meter.waited())
    spread(f"killed, after the limit, waiting and {OVERTIME} s", over, 1e3, "ms")


def games(server: ForkServer, name: str, source: str) -> None:
    game = noughts.load_game(name)

    def sandboxed() -> int:
        for seed in range(GAMES):
            bots = [BotPlayer(BotSource("bot.py", None, source), server, BotLimits(10.0)) for _ in range(2)]
            assert play_seats(game, bots, seed).fault is None
        return GAMES

    def in_process() -> int:
        for seed in range(GAMES):
            assert play_seats(game, [InProcessPlayer(source), InProcessPlayer(source)], seed).fault is None
        return GAMES

    found = rates(ours=sandboxed, theirs=in_process)
    report(f"games of {name}", found["ours"], found["theirs"], "the same bots in-process")


def main() -> None:
    began = time.perf_counter()
    with ForkServer() as server:
        print(f"the fork server starts in {time.perf_counter() - began:.2f} s")
        starts(server)
        moves(server)
        deadlines(server)
        for name in ("extreme", "xtreme"):
            games(server, name, COURSE)
        games(server, "ultimate", OWN)


if __name__ == "__main__":
    main()
