"""Makes the page's puzzles from the tactical suites and the solved games: positions with few right moves.

    python benchmarks/make_puzzles.py             writes src/noughts/games/*/puzzles.json
    python benchmarks/make_puzzles.py --check     searches for other winning moves with ten times the budget

Nested games: the positions of benchmarks/tactics that are won soonest, with a solution searched move by move. Flat
games: positions of random games in which, by the exact solution, only one move wins or only one does not lose. The
check adds further moves that are proven to win, and drops puzzles that more than MOST_SOLUTIONS moves solve.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import noughts
from noughts.game import Game, State
from noughts.search import Engine, Limits
from noughts.web._puzzles import puzzles

HERE = Path(__file__).parent
WINS, SAVES = 12, 6
"""Puzzles of each nested game."""
FLAT = {"classic": 6, "misere": 4, "wild": 6, "wild-misere": 4, "numerical": 8}
LONGEST_WIN = 15
SAVED_MOVES = 6
"""Plies of play that show a saving move."""
NODES = 1_500_000
MOST_SOLUTIONS = 3
CHECK_NODES = 100_000_000
"""Nodes per position: ten times the budget of the tactical suites."""
CHECK_MEGABYTES = 512


def nested(name: str) -> list[dict]:
    game = noughts.load_game(name)
    suite = [json.loads(line) for line in (HERE / "tactics" / f"{name}.jsonl").read_text().splitlines()]
    wins = [one for one in suite if one["kind"] == "win" and shortest(one) <= LONGEST_WIN]
    saves = [one for one in suite if one["kind"] == "save"]
    chosen = sorted(wins, key=shortest)[: 2 * WINS] + sorted(saves, key=lambda one: one["others_lose_within"])[:SAVES]
    found: list[dict] = []
    for one in chosen:
        if one["kind"] == "win" and sum(made["kind"] == "win" for made in found) == WINS:
            continue
        puzzle = played_out(game, one)
        if puzzle is not None:
            found.append(puzzle)
            print(f"{name} {len(found)}: {puzzle['kind']}, {len(puzzle['line'])} moves", flush=True)
    return found


def shortest(one: dict) -> int:
    return min(solution["wins_within"] for solution in one["solutions"])


def played_out(game: Game, one: dict) -> dict | None:
    """Returns a position with play from its solution: up to the win, or a few moves of a rescue. None if the win is not
    reached."""
    state, engine = game.from_string(one["position"]), Engine(game, memory=64)
    start, solver = state.clone(), state.current_player()
    solutions = sorted(one["solutions"], key=lambda solution: solution.get("wins_within", 0))
    line = [solutions[0]["move"]]
    state.apply_action(state.string_to_action(line[0]))
    most = LONGEST_WIN + 4 if one["kind"] == "win" else SAVED_MOVES
    while not state.is_terminal() and len(line) < most:
        action = engine.search(state, Limits(nodes=NODES)).best.action
        line.append(state.action_to_string(action))
        state.apply_action(action)
    if one["kind"] == "win" and not (state.is_terminal() and state.returns()[solver] == 1):
        return None
    right = [solution["move"] for solution in solutions]
    return {"game": game.name, "position": start.to_string(), "kind": one["kind"], "solutions": right, "line": line}


def flat(name: str, count: int) -> list[dict]:
    game, chance, found, seen = noughts.load_game(name), random.Random(1), [], set()
    solution = noughts.solve(game)
    while len(found) < count:
        state = game.new_initial_state()
        while not state.is_terminal():
            puzzle = exact(solution, state) if len(state.history()) >= 2 else None
            key = state.canonical().to_string()
            if puzzle is not None and key not in seen and len(found) < count:
                seen.add(key)
                found.append(puzzle)
                break
            state.apply_action(chance.choice(state.legal_actions()))
    return found


def exact(solution: noughts.Solution, state: State) -> dict | None:
    """Returns a puzzle if one of at least four moves wins, but not at once, or is the only one that does not lose."""
    values = solution.action_values(state)
    best = max(values.values())
    right = [action for action, value in values.items() if value == best]
    if len(right) != 1 or len(values) < 4 or best < 0:
        return None
    if best == 1 and solution.distance(state) < 3:
        return None
    line, after = [state.action_to_string(right[0])], state.child(right[0])
    while not after.is_terminal():
        action = solution.preferred_actions(after)[0]
        line.append(after.action_to_string(action))
        after.apply_action(action)
    kind = "win" if best == 1 else "save"
    return {"game": state.game.name, "position": state.to_string(), "kind": kind, "solutions": line[:1], "line": line}


def checked(puzzle: dict) -> dict | None:
    """Returns a puzzle with all moves that are proven to win; None if these are too many.

    The search is asked for one more line than there are solutions, until that one is not proven to win. In a
    rescue, all other moves were proven to lose when the suites were made, so there is nothing to search.
    """
    game = noughts.load_game(puzzle["game"])
    if puzzle["kind"] != "win" or not game.rules.nested:
        return puzzle
    state, engine = game.from_string(puzzle["position"]), Engine(game, megabytes=CHECK_MEGABYTES)
    right = list(puzzle["solutions"])
    while len(right) <= MOST_SOLUTIONS:
        found = engine.search(state, Limits(nodes=CHECK_NODES), multi_pv=len(right) + 1)
        wins = [state.action_to_string(each.action) for each in found.variations if each.proven == 1]
        more = [move for move in wins if move not in right]
        if not more:
            return puzzle | {"solutions": right}
        right += more
    return None


def check() -> None:
    """Checks the files, puzzle by puzzle, and writes them anew."""
    before = [vars(puzzle) for puzzle in puzzles()]
    after = []
    for number, puzzle in enumerate(before, 1):
        found = checked(puzzle)
        if found != puzzle:
            said = "dropped" if found is None else f"now {', '.join(found['solutions'])}"
            print(f"puzzle {number} ({puzzle['game']}): {', '.join(puzzle['solutions'])}: {said}", flush=True)
        after += [found] if found is not None else []
        print(f"{number} of {len(before)}", flush=True)
    write(after)


def write(made: list[dict]) -> None:
    """Writes the puzzles of each game into its folder, without the game's name."""
    by_game: dict[str, list[str]] = {}
    for puzzle in made:
        facts = {name: value for name, value in puzzle.items() if name != "game"}
        by_game.setdefault(puzzle["game"], []).append(json.dumps(facts))
    for name, lines in by_game.items():
        (noughts.load_game(name).data.folder / "puzzles.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
        print(f"{name}: {len(lines)} puzzles")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="look for other moves that win, in the files as they are")
    if parser.parse_args().check:
        return check()
    made = [puzzle for name, count in FLAT.items() for puzzle in flat(name, count)]
    made += [puzzle for path in sorted((HERE / "tactics").glob("*.jsonl")) for puzzle in nested(path.stem)]
    return write(made)


if __name__ == "__main__":
    main()
