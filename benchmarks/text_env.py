"""Measures games by text: steps a second and import time, against TextArena's environments of the same games.

    python benchmarks/text_env.py

*Environments*, of Wild: random legal agents play both sides. "With agents": they pick a move from the observation.
"Environment alone": the same games are played again from a list.

*Episodes*, of Wild and classic: one policy, which picks a move from the text, against a random opponent. Each game
has a seed that repeats it: ours seeds the opponent, TextArena's `reset` the global generator, from which its opponent
draws. TextArena has no opponents: there it is an agent like the policy, asked
in the loop of its documentation. Ours grades every move of the policy and computes the reward; TextArena's grades
nothing. The policy reads the same on both sides: the full history, or only what is new (TextArena's environment without
wrappers, its messages joined). "With words": a reply is a sentence with the move at its end.

TextArena's environment is made for each game, because its history survives reset; ours is reset. Ours remembers the
texts of positions, so games are played before the first turn; the rate of the first is printed, too. Figures are
medians over turns, in CPU seconds of one process; each turn plays other games. Steps are moves of both sides.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from measure import REPEATS, report

import noughts
from noughts.envs import text

GAMES = 1000
WARM_UP = 10
"""Turns of GAMES games before the medians are taken."""
NAME = "WildTicTacToe-v0"
LIST = "Available Moves: "
OPENINGS = [f"[{mark} {cell}]" for cell in range(9) for mark in "XO"]
PEERS = {"wild": "WildTicTacToe-v0", "classic": "TicTacToe-v0"}
NAMES = {-1: "[GAME]", 0: "[Player 0]", 1: "[Player 1]"}
TALK = "I look for lines, and for those of the other side. My move is "
COST = """
import re, time
from pathlib import Path

def memory():
    status = Path("/proc/self/status")  # only on Linux
    return int(re.search(r"VmRSS:\\s+(\\d+)", status.read_text())[1]) / 1024 if status.exists() else 0

before = time.process_time(), memory()
{code}
print(time.process_time() - before[0], memory() - before[1])
"""
FIRST = "env = {module}.make('WildTicTacToe-v0'); env.reset(num_players=2); env.get_observation()"


def pick(observation: str, uniform: Callable[[], float]) -> str:
    """Returns one of the moves that the observation lists. Our opening lists none: there every move is legal."""
    start = observation.rfind(LIST)
    listed = OPENINGS if start < 0 else observation[start + len(LIST) :].split(", ")
    return listed[int(uniform() * len(listed))]


def with_agents(fresh: Callable[[], object], seed: int) -> int:
    choose, steps = random.Random(seed).random, 0
    for _ in range(GAMES):
        env, done = fresh(), False
        env.reset(num_players=2)
        while not done:
            done, _ = env.step(pick(env.get_observation()[1], choose))
            steps += 1
        env.close()
    return steps


def alone(fresh: Callable[[], object], games: list[list[str]]) -> int:
    for moves in games:
        env = fresh()
        env.reset(num_players=2)
        for move in moves:
            env.get_observation()
            env.step(move)
        env.close()
    return sum(map(len, games))


def recorded(seed: int) -> list[list[str]]:
    """Returns random games as texts."""
    choose, games = random.Random(seed).random, []
    game = noughts.load_game("wild")
    for _ in range(GAMES):
        state = game.new_initial_state()
        moves = []
        while legal := state.legal_actions():
            action = legal[int(choose() * len(legal))]
            text_of_move = state.action_to_string(action)
            moves.append(f"[{text_of_move[0]} {text_of_move[1:]}]")
            state.apply_action(action)
        games.append(moves)
    return games


def our_episodes(episode: text.Episode, seed: int, words: str = "") -> int:
    """Plays games of our `Episode`; returns their number of steps."""
    choose, steps = random.Random(seed).random, 0
    for game in range(GAMES):
        observation, done = episode.reset(seed=seed * GAMES + game), False
        while not done:
            observation, done, _ = episode.step(words + pick(observation, choose))
        episode.reward()
        steps += len(episode.env.moves)
    return steps


def their_episodes(make: Callable[[], object], seed: int, words: str = "", joined: bool = False) -> int:
    """Plays the same in TextArena. joined: join the messages of its environment."""
    agents, steps = (random.Random(seed).random, random.random), 0
    for game in range(GAMES):
        env, done = make(), False
        env.reset(num_players=2, seed=seed * GAMES + game)
        while not done:
            player, observation = env.get_observation()
            if joined:
                observation = "\n".join([f"{NAMES[who]} {said}" for who, said, _ in observation])
            reply = pick(observation, agents[player])
            done, _ = env.step(reply if player else words + reply)
            steps += 1
        env.close()
    return steps


def compare_episodes(make: Callable[[str], object]) -> None:
    for game, peer in PEERS.items():
        for shown, name in (("history", peer), ("news", f"{peer}-raw")):
            for words in ("", TALK):
                compare_one(game, shown, words, partial(make, name))
    episode = text.Episode("wild", opponent="perfect")
    rates = [rate(lambda seed: our_episodes(episode, seed), seed) for seed in range(REPEATS)]
    report("episode against perfect, wild, news", statistics.median(rates), unit=" steps/s")


def compare_one(game: str, shown: str, words: str, make: Callable[[], object]) -> None:
    episode = text.Episode(game, observation=shown)
    for seed in range(WARM_UP):
        our_episodes(episode, 1000 + seed)
    rates: dict[str, list[float]] = {"ours": [], "theirs": []}
    for seed in range(REPEATS):
        rates["ours"].append(rate(lambda seed: our_episodes(episode, seed, words), seed))
        rates["theirs"].append(rate(lambda seed: their_episodes(make, seed, words, shown == "news"), seed))
    ours, theirs = (statistics.median(each) for each in rates.values())
    what = f"episode, {game}, {shown}{', with words' if words else ''}"
    report(what, ours, theirs, "TextArena", " steps/s")


def rate(play: Callable[[int], int], seed: int) -> float:
    started = time.process_time()
    steps = play(seed)
    return steps / (time.process_time() - started)


def compare(what: str, play: Callable[[Callable[[], object], int], int], theirs: Callable[[], object]) -> None:
    env = text.make(NAME)
    makers = {"ours": lambda: env, "theirs": theirs}
    rates: dict[str, list[float]] = {"ours": [], "theirs": []}
    for seed in range(REPEATS):
        for who, fresh in makers.items():
            started = time.process_time()
            steps = play(fresh, seed)
            rates[who].append(steps / (time.process_time() - started))
    report(what, statistics.median(rates["ours"]), statistics.median(rates["theirs"]), "TextArena", " steps/s")


def cost(code: str) -> tuple[float, float]:
    """Returns the CPU seconds and resident megabytes that `code` adds to a new interpreter (medians)."""
    runs = []
    for _ in range(REPEATS):
        command = [sys.executable, "-c", COST.format(code=code)]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        runs.append([float(word) for word in shown.split()[-2:]])
    return statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)


def main() -> None:
    try:
        import textarena
    except ImportError:
        sys.exit("the comparison needs TextArena: pip install 'noughts[textarena]'")
    env = text.make(NAME)
    rates = [rate(lambda seed: with_agents(lambda: env, seed), 10_000 + turn) for turn in range(WARM_UP)]
    print(f"the first {GAMES} games of a process, when every position is new: {rates[0]:,.0f} steps/s")

    def theirs() -> object:
        return textarena.make(NAME)

    games = [recorded(seed) for seed in range(100, 100 + REPEATS)]
    compare("environment alone", lambda fresh, seed: alone(fresh, games[seed]), theirs)
    compare("environment and agents", with_agents, theirs)
    compare_episodes(textarena.make)

    for what, ours, rival in (
        ("import", "import noughts.envs.text", "import textarena"),
        (
            "import to first text",
            "from noughts.envs import text; " + FIRST.format(module="text"),
            "import textarena; " + FIRST.format(module="textarena"),
        ),
    ):
        (our_cpu, our_mb), (their_cpu, their_mb) = cost(ours), cost(rival)
        print(
            f"{what:<21} {our_cpu:.4f} s CPU, {our_mb:5.1f} MB   TextArena {their_cpu:.4f} s, {their_mb:5.1f} MB   "
            f"ratio {their_cpu / our_cpu:.1f}"
        )


if __name__ == "__main__":
    main()
