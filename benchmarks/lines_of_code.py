"""Counts the lines of code that common tasks take in noughts, OpenSpiel and python-chess. Every program is run.

    python benchmarks/lines_of_code.py            needs open_spiel and chess (pip install open_spiel chess)
    python benchmarks/lines_of_code.py --before CHECKOUT      also runs the programs of the column "before"

Lines are those of a function's body in the same format, without empty lines and comments. Imports count. A dash means
that the library has no such part, so a program would have to bring its own.

The column "before" is noughts at commit e7dfa18. Its programs are strings, because today's library cannot run them. To
make the checkout they need:

    mkdir before && git archive e7dfa18 | tar x -C before
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

# Researcher: the value of the game and a line of best play.


def value_noughts() -> Any:
    import noughts

    solution = noughts.solve("classic")
    start = solution.game.new_initial_state()
    return solution.value(start), len(solution.line(start))


VALUE_BEFORE = """
    import noughts

    solution = noughts.solve(noughts.load_game("classic"))
    state = solution.game.new_initial_state()
    value = solution.value(state)
    while not state.is_terminal():
        state.apply_action(solution.best_actions(state)[0])
    return value, len(state.history())
"""


def value_openspiel() -> Any:
    import pyspiel
    from open_spiel.python.algorithms import minimax

    game = pyspiel.load_game("tic_tac_toe")
    value, _ = minimax.alpha_beta_search(game)
    state = game.new_initial_state()
    while not state.is_terminal():
        _, action = minimax.alpha_beta_search(game, state, maximizing_player_id=state.current_player())
        state.apply_action(action)
    return value, len(state.history())


# Researcher: how far a policy of one's own is from perfect play.


def exploit_noughts() -> Any:
    import noughts

    return round(noughts.exploitability("classic", lambda state: max(state.legal_actions())), 4)


EXPLOIT_BEFORE = """
    import noughts

    def best_response(state: noughts.State, seat: int) -> float:
        if state.is_terminal():
            return state.returns()[seat]
        if state.current_player() != seat:
            return best_response(state.child(max(state.legal_actions())), seat)
        return max(best_response(state.child(action), seat) for action in state.legal_actions())

    start = noughts.load_game("classic").new_initial_state()
    return round((best_response(start, 0) + best_response(start, 1)) / 2, 4)
"""


def exploit_openspiel() -> Any:
    import pyspiel
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    class Last(policy.Policy):
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            legal = state.legal_actions()
            return {action: float(action == max(legal)) for action in legal}

    game = pyspiel.load_game("tic_tac_toe")
    return round(exploitability.exploitability(game, Last(game, [0, 1])), 4)


# Learner: Q-learning by self-play, and what its greedy policy comes to against a random player, exactly.


def learn_noughts() -> Any:
    import noughts
    from noughts.learn import Training, preset

    training = Training(preset("self", noughts.load_game("classic").rules, {"episodes": 50_000})).finish()
    return training.table.values_against_random()[0].expected_return > 0.9


LEARN_BEFORE = """
    import noughts
    from noughts.learn import Training, preset

    training = Training(preset("self", noughts.load_game("classic").rules, {"episodes": 50_000})).finish()
    return training.table.values_against_random()[0].expected_return > 0.9
"""


def learn_openspiel() -> Any:
    import pyspiel
    from open_spiel.python import policy, rl_environment
    from open_spiel.python.algorithms import expected_game_score, tabular_qlearner

    environment = rl_environment.Environment("tic_tac_toe")
    agents = [tabular_qlearner.QLearner(player, environment.action_spec()["num_actions"]) for player in range(2)]
    for _ in range(20_000):
        step = environment.reset()
        while not step.last():
            step = environment.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)

    class Greedy(policy.Policy):
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            step = rl_environment.TimeStep(
                {
                    "info_state": [state.observation_tensor(0), state.observation_tensor(1)],
                    "legal_actions": [state.legal_actions(0), state.legal_actions(1)],
                    "current_player": state.current_player(),
                },
                None,
                None,
                rl_environment.StepType.MID,
            )
            chosen = agents[0].step(step, is_evaluation=True).action
            return {action: float(action == chosen) for action in state.legal_actions()}

    game = pyspiel.load_game("tic_tac_toe")
    players = [Greedy(game, [0, 1]), policy.UniformRandomPolicy(game)]
    return expected_game_score.policy_value(game.new_initial_state(), players)[0] > 0.5


# Bot author: twenty games of a bot of one's own against a random player, from both seats, counted, with an Elo.


def match_noughts() -> Any:
    import noughts

    class Last:
        def choose(self, state: noughts.State, clock: noughts.Clock) -> int:
            return state.legal_actions()[-1]

    result = noughts.play_match("classic", (Last(), "random"), games=20, seed=1)
    tally = result.tallies[0]
    return (tally.won + tally.drawn + tally.lost) == 20 and result.elo is not None


MATCH_BEFORE = """
    import noughts
    from noughts.matches import Match, paired, play_match, standings
    from noughts.players import Clock, register_player

    class Last:
        def choose(self, state: noughts.State, clock: Clock) -> int:
            return state.legal_actions()[-1]

    register_player("last", lambda seed: Last())
    match = Match(noughts.load_game("classic"), ("last", "random"), games=20, seed=1)
    records = list(play_match(match))
    tally, _ = standings(match.player_names, records)
    return (tally.won + tally.drawn + tally.lost) == 20 and paired(records, "last").elo() is not None
"""


def match_openspiel() -> Any:
    import math
    import random

    import pyspiel
    from open_spiel.python.algorithms import evaluate_bots
    from open_spiel.python.bots import uniform_random

    class Last(pyspiel.Bot):  # type: ignore[misc]
        def __init__(self) -> None:
            pyspiel.Bot.__init__(self)

        def restart_at(self, state: Any) -> None: ...

        def step(self, state: Any) -> int:
            return int(state.legal_actions()[-1])

    chance, game, points = random.Random(1), pyspiel.load_game("tic_tac_toe"), []
    for number in range(20):
        seat = number % 2
        bots = [Last(), Last()]
        bots[1 - seat] = uniform_random.UniformRandomBot(1 - seat, chance)
        points.append(evaluate_bots.evaluate_bots(game.new_initial_state(), bots, chance)[seat])
    won, drawn, lost = (points.count(result) for result in (1.0, 0.0, -1.0))
    share = min(max((won + drawn / 2) / 20, 0.025), 0.975)
    elo = 400 * math.log10(share / (1 - share))
    return won + drawn + lost == 20 and elo is not None


def match_chess() -> Any:
    import math
    import random

    import chess

    def last(board: chess.Board) -> chess.Move:
        return list(board.legal_moves)[-1]

    def chosen(board: chess.Board) -> chess.Move:
        return chance.choice(list(board.legal_moves))

    chance, points = random.Random(1), []
    for number in range(20):
        seat = number % 2
        players = (last, chosen) if seat == 0 else (chosen, last)
        board = chess.Board()
        while (end := board.outcome(claim_draw=True)) is None:
            board.push(players[int(board.turn == chess.BLACK)](board))
        winner = None if end.winner is None else int(end.winner == chess.BLACK)
        points.append(0 if winner is None else 1 if winner == seat else -1)
    won, drawn, lost = (points.count(result) for result in (1, 0, -1))
    share = min(max((won + drawn / 2) / 20, 0.025), 0.975)
    elo = 400 * math.log10(share / (1 - share))
    return won + drawn + lost == 20 and elo is not None


# Bot author: the moves of one game that gave something away.


def review_noughts() -> Any:
    import noughts

    record = noughts.play_game("classic", ("random", "random"), seed=2)
    return len(noughts.review(record).mistakes) > 0


REVIEW_BEFORE = """
    import noughts
    from noughts.analysis import review_game
    from noughts.matches import Match, play_match

    (record,) = play_match(Match(noughts.load_game("classic"), ("random", "random"), games=1, seed=2))
    return len(review_game(record).mistakes) > 0
"""


def review_openspiel() -> Any:
    import random

    import pyspiel

    def value(state: Any) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        if str(state) not in values:
            worth = [value(state.child(action)) for action in state.legal_actions()]
            values[str(state)] = max(worth) if state.current_player() == 0 else min(worth)
        return values[str(state)]

    values: dict[str, float] = {}
    chance, mistakes = random.Random(2), []
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    while not state.is_terminal():
        player, before = state.current_player(), value(state)
        action = chance.choice(state.legal_actions())
        state.apply_action(action)
        lost = (before - value(state)) * (1 if player == 0 else -1)
        if lost > 0:
            mistakes.append((player, action, lost))
    return len(mistakes) > 0


# Teacher: everybody against everybody, a table by points, and a file that keeps the games.


def league_noughts() -> Any:
    import tempfile

    import noughts

    with tempfile.TemporaryDirectory() as folder:
        players = ["greedy", "random", lambda state, clock: state.legal_actions()[0]]
        with noughts.Tournament("classic", players, file=f"{folder}/class.noughts", seed=1) as tournament:
            tournament.play()
            return next(iter(tournament.standings())).name == "greedy"


LEAGUE_BEFORE = """
    import tempfile
    from pathlib import Path

    import noughts
    from noughts.matches import Match, play_match
    from noughts.matches.replays import to_json
    from noughts.players import Clock, register_player
    from noughts.tournaments import League, Result, standings

    class First:
        def choose(self, state: noughts.State, clock: Clock) -> int:
            return state.legal_actions()[0]

    register_player("first", lambda seed: First())
    game, results = noughts.load_game("classic"), []
    with tempfile.TemporaryDirectory() as folder, Path(folder, "class.jsonl").open("w") as file:
        for fixture in League(["greedy", "random", "first"]).due(results):
            (record,) = play_match(Match(game, fixture[:2], games=1, seed=1))
            file.write(to_json(record) + "\\n")
            results.append(Result(fixture, record.points, record.winner, record.faulty))
        return standings(results)[0].name == "greedy"
"""


def league_openspiel() -> Any:
    import itertools
    import json
    import random
    import tempfile
    from pathlib import Path

    import pyspiel

    def greedy(state: Any) -> int:
        for action in state.legal_actions():
            child = state.child(action)
            if child.is_terminal() and child.returns()[state.current_player()] > 0:
                return int(action)
        return int(chance.choice(state.legal_actions()))

    chance, game = random.Random(1), pyspiel.load_game("tic_tac_toe")
    players = {
        "greedy": greedy,
        "random": lambda state: chance.choice(state.legal_actions()),
        "first": lambda state: state.legal_actions()[0],
    }
    points, kept = dict.fromkeys(players, 0.0), []
    for first, second in itertools.permutations(players, 2):
        for _ in range(10):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(players[(first, second)[state.current_player()]](state))
            points[first] += state.returns()[0]
            points[second] += state.returns()[1]
            kept.append({"players": [first, second], "moves": state.history(), "returns": state.returns()})
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "class.json").write_text(json.dumps(kept))
    return sorted(points, key=points.__getitem__, reverse=True)[0] == "greedy"


Program = Callable[[], Any] | str
"""A function, or the text of one's body."""

TASKS: dict[str, dict[str, tuple[Program | None, ...]]] = {
    "researcher": {
        "value of a game and a line of best play": (VALUE_BEFORE, value_noughts, value_openspiel, None),
        "exploitability of a policy": (EXPLOIT_BEFORE, exploit_noughts, exploit_openspiel, None),
    },
    "learner": {"Q-learning, and its policy evaluated exactly": (LEARN_BEFORE, learn_noughts, learn_openspiel, None)},
    "bot author": {
        "20 games against a player, with Elo": (MATCH_BEFORE, match_noughts, match_openspiel, match_chess),
        "the mistakes of a game": (REVIEW_BEFORE, review_noughts, review_openspiel, None),
    },
    "teacher": {
        "a league, its table, and a file of the games": (LEAGUE_BEFORE, league_noughts, league_openspiel, None)
    },
}


def lines(program: Program) -> int:
    """Counts the lines of a function's body."""
    body = program.splitlines() if isinstance(program, str) else inspect.getsource(program).splitlines()[1:]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in body)


def run_before(text: str, checkout: Path) -> Any:
    """Runs a program against the library in a checkout, and returns its answer."""
    source = checkout.resolve() / "src"
    check = f"import noughts\nassert noughts.__file__.startswith({str(source)!r}), noughts.__file__\n"
    program = f"{check}def program():\n{indent(dedent(text), '    ')}\nprint(repr(program()))\n"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return ast.literal_eval(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="run the column before against this checkout")
    checkout: Path | None = parser.parse_args().before
    if checkout is not None and not (checkout / "src" / "noughts").is_dir():
        parser.error(f"{checkout} is no checkout of noughts: it has no folder src/noughts")
    print("| who | task | before | noughts | OpenSpiel | python-chess |\n|---|---|---|---|---|---|")
    for who, tasks in TASKS.items():
        for task, programs in tasks.items():
            found = []
            for program in programs:
                if isinstance(program, str):
                    found.append(None if checkout is None else run_before(program, checkout))
                else:
                    found.append(program and program())
            before, now, openspiel, _ = found
            assert all(other is None or other == now for other in (before, openspiel)), (task, found)
            counts = " | ".join("-" if program is None else str(lines(program)) for program in programs)
            print(f"| {who} | {task} | {counts} |", flush=True)


if __name__ == "__main__":
    main()
