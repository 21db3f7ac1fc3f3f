"""Makes what the tests and the docs have of each built-in game, where it is missing; removes what is left of others.

    python tests/make_fixtures.py             after you added or removed a game's folder
    python tests/make_fixtures.py wild        makes the files of a game anew, after an intended change

For each game: counts of move sequences (`perft`), a recorded game (`playthroughs`), a drawing (`drawings`), what its
text environment shows (`texts`), and the signature of the search (`signatures.json`). For all games: the prompts, and
what commands print that name all games (`snapshots`); the rules in `docs/rules.md`, the environments in `docs/text.md`,
and the results of the reference players.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import test_prompts
from conftest import random_state
from text_play import TEXTS, random_game

import noughts
from noughts import draw
from noughts.commands.bench import measure
from noughts.commands.rules import rules_page
from noughts.envs import text
from noughts.evaluation.compare import SHIPPED, Comparison
from noughts.evaluation.reference import play_games, players_of_game
from noughts.games import LISTED
from noughts.testing import playthrough
from noughts.text.replies import bracketed

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
SIGNATURES = HERE / "signatures.json"
REFERENCE_GAMES = {False: 40, True: 20}
"""Games of each reference player in a flat and in a nested game."""
MOST_SEQUENCES = 1_000_000
"""Move sequences are counted up to the first depth that has more."""


def perft_counts(game):
    counts = [1]
    while 0 < counts[-1] <= MOST_SEQUENCES:
        counts.append(noughts.perft(game, len(counts)))
    return json.dumps(counts) + "\n"


def drawing(game, path):
    """The moves of the file, or of a part of a random game, and the board after them in ASCII and in Unicode."""
    if path.exists():
        moves = path.read_text(encoding="utf-8").partition("\n")[0].split()
    else:
        moves = [game.new_initial_state().action_to_string(action) for action in random_state(game, seed=2).history()]
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(state.string_to_action(move))
    view = state.view()
    return f"{' '.join(moves)}\n\n{draw.text(view, unicode=False)}\n\n{draw.text(view)}\n"


def shown(env_id, observation):
    """What a player sees after four moves."""
    env = text.make(env_id, observation=observation)
    list(random_game(env, seed=5, moves=4))
    return env.get_observation()[1] + "\n"


def files_of(data):
    """Yields the path of each file of a game, and a function that makes its text."""
    name, game = data.rules.name, noughts.load_game(data.rules.name)
    yield HERE / "perft" / f"{name}.json", lambda: perft_counts(game)
    yield HERE / "playthroughs" / f"{name}.txt", lambda: playthrough(game, seed=1)
    drawn = HERE / "drawings" / f"{name}.txt"
    yield drawn, lambda: drawing(game, drawn)
    for observation in ("history", "board"):
        path = TEXTS / f"{data.environment_id}-{observation}.txt"
        yield path, lambda observation=observation: shown(data.environment_id, observation)


def write_signatures(names):
    """Writes the signatures of these games, and of all that have none."""
    known = json.loads(SIGNATURES.read_text(encoding="utf-8"))
    for name in noughts.game_names():
        if name in names or name not in known:
            found = measure(noughts.load_game(name))
            known[name] = [found.nodes, found.signature]
    lines = [f"  {json.dumps(name)}: {json.dumps(known[name])}" for name in noughts.game_names()]
    SIGNATURES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def write_rules_page():
    path = DOCS / "rules.md"
    head = path.read_text(encoding="utf-8").partition("\n## ")[0]
    games = [
        f"\n## {data.rules.title}\n\n```text\n{rules_page(noughts.load_game(data.rules.name))}\n```\n"
        for data in LISTED
    ]
    path.write_text(head + "".join(games), encoding="utf-8")


def write_environments():
    """Brings the table of environments in docs/text.md up to date."""
    path = DOCS / "text.md"
    page = path.read_text(encoding="utf-8")
    head, row, tail = page.partition("| `XtremeTicTacToe-v0`")
    ids = {data.environment_id for data in LISTED}
    head = re.sub(r"\| `(\w+-v0)` \|.*\n", lambda line: line[0] if line[1] in ids else "", head)
    for data in LISTED:
        if f"`{data.environment_id}`" not in page:
            move = bracketed(data.rules, data.rules.num_actions // 2)
            head += f"| `{data.environment_id}` | `{data.rules.name}` | `{move}` |\n"
    path.write_text(head + row + tail, encoding="utf-8")


def write_reference():
    """Adds the results of the reference players in each game that has none, and drops those in other games."""
    known = json.loads(SHIPPED.read_text(encoding="utf-8"))
    results = {(run["game"], run["player"]): run for run in known["games"]}
    for data in LISTED:
        game = noughts.load_game(data.rules.name)
        for name, player in players_of_game(game).items():
            if (game.name, name) not in results:
                print(f"{name} in {game.name}", flush=True)
                results[game.name, name] = play_games(game, name, player, REFERENCE_GAMES[game.rules.nested])
    place = {data.rules.name: number for number, data in enumerate(LISTED)}
    listed = [run for run in results.values() if run["game"] in place]
    games = sorted(listed, key=lambda run: place[run["game"]])
    SHIPPED.write_text(Comparison(games, known["suites"], []).to_text(), encoding="utf-8")


def write_snapshots():
    environment = {**os.environ, "NOUGHTS_WRITE_SNAPSHOTS": "1"}
    test = f"{HERE / 'test_snapshots.py'}::test_commands_print_what_they_printed"
    scenes = [f"{test}[{scene}]" for scene in ("games", "mistakes")]
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "0", *scenes], env=environment, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help="make the files of this game anew")
    names = parser.parse_args().games
    if unknown := set(names) - set(noughts.game_names()):
        parser.error(f"there is no game {', '.join(sorted(unknown))}; the games are {', '.join(noughts.game_names())}")
    files = {path for data in LISTED for path, _ in files_of(data)}
    for path in {file for kept in files for file in kept.parent.glob(f"*{kept.suffix}")} - files:
        path.unlink()
        print(f"removed {path.relative_to(HERE.parent)}")
    for data in LISTED:
        for path, make in files_of(data):
            if data.rules.name in names or not path.exists():
                path.write_text(make(), encoding="utf-8")
                print(path.relative_to(HERE.parent))
    write_signatures(names)
    write_rules_page()
    write_environments()
    write_snapshots()
    write_reference()
    try:
        test_prompts.write()
    except ValueError as error:
        sys.exit(f"make_fixtures.py: {error}")


if __name__ == "__main__":
    main()
