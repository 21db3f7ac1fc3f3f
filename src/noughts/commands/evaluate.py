"""Evaluate a player: many games against another, in both seats, every move
graded: exactly where the game is solved, elsewhere by the engine.

Every reply goes to DIR/transcript.noughts as it comes, and to transcript.jsonl
for other programs. The same command goes on where it stopped, and when all
games are played it only reports. Wins count only if they were won by the rules:
invalid and late replies, and games that the opponent forfeits by them, are
counted apart. `noughts replay DIR/transcript.jsonl#3` shows the third game.

PLAYER is any player: random, perfect, ... or llm:MODEL, a language model on a
server that speaks OpenAI's chat API. Its address and key come from
OPENAI_BASE_URL and OPENAI_API_KEY, or from options after the model's name:
base_url=URL, key_env=NAME (the variable with the key), tokens=N (of a reply),
seconds=N (for a move), timeout=N (for an attempt), retries=N, temperature=T,
top_p=P, effort=LEVEL (of reasoning), seed=N, votes=N (ask N times, and take the
move that most replies name).

--suite variants asks single positions of games that nobody has played: rules
drawn by a seed, each game solved, every answer graded. --compare puts runs of
games, or of suites, into one table and one picture. --reference FILE plays
known players, from random to perfect, to compare a model's numbers with;
--compare reference RUN reads those that come with the package.

A player of `noughts train` (q:RUN) is evaluated exactly, over all the games it
can play, where the opponent allows it; --games N plays a sample instead.

examples:
  noughts evaluate q:runs/numerical-1 --against random
  noughts evaluate random --against perfect --games 200
  noughts evaluate llm:gpt-4o-mini --game wild --games 40 --concurrency 8
  noughts evaluate "llm:qwen?base_url=http://localhost:8000/v1&seconds=60" \\
      --game extreme --against random
  noughts evaluate llm:gpt-4o-mini --error-allowance 1 \\
      --max-tokens-total 200000 --html report.html
  noughts evaluate llm:gpt-4o-mini --suite variants --size small
  noughts evaluate llm:gpt-4o-mini --suite variants --export eee \\
      --export-facts organization=me deployment=externally_managed
  noughts evaluate --compare reference evaluations/* --html comparison.html
  noughts evaluate --replays episode-*.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from noughts import learn, solving
from noughts.analysis.exact import is_exact
from noughts.commands._evaluation_view import note_tokens, play
from noughts.commands._exact import evaluate_exactly
from noughts.commands._options import GAME_HELP, MOST_NODES, add_json, require_range, whole_number
from noughts.commands._past_runs import compare_runs, grade_replays, write_reference
from noughts.commands._suite import FOLDER, ask_suite
from noughts.commands.output import Report, board, note, table, write_file
from noughts.evaluation.eee import export_games, facts_of
from noughts.evaluation.page import page
from noughts.evaluation.plan import EvaluationRun, Plan, open_run, require_playable
from noughts.evaluation.report import as_data, report
from noughts.evaluation.results import Results, chat_examples, grade
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.matches.record import GameRecord
from noughts.printable import one_line
from noughts.progress import progress

GAMES = 40
PERFECT, STRONG = "perfect", "alphabeta:level=4"
"""The opponent if none is named: the second where the game cannot be solved."""
NODES = 10_000
"""Budget for each position that is graded by search: a second for a long game."""
FILE_ENDINGS = (".json", ".jsonl", ".noughts", ".html", ".csv", ".txt", ".gz")
"""Names that people give to files; --out takes a folder."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", nargs="?", help="who is evaluated")
    parser.add_argument(
        "--suite", choices=("variants",), help="ask single positions of generated games instead of playing"
    )
    parser.add_argument("--size", choices=("small", "full"), default="small", help="of the suite (small)")
    parser.add_argument(
        "--compare", nargs="+", metavar="RUN", help="no games: runs of before, side by side (folders or files)"
    )
    parser.add_argument(
        "--replays",
        nargs="+",
        metavar="FILE",
        help="no games: grade replays of Kaggle's Game Arena (ultimate, classic)",
    )
    parser.add_argument(
        "--reference", metavar="FILE", help="no games: results of known players as JSON, which --compare reads"
    )
    parser.add_argument("--game", help=f"{GAME_HELP} (wild, or what was learnt)")
    parser.add_argument(
        "--against", metavar="PLAYER", help=f"the opponent (perfect; {STRONG} where the game is too large)"
    )
    parser.add_argument(
        "--games", type=whole_number, metavar="N", help=f"how many, half of them in each seat ({GAMES})"
    )
    parser.add_argument("--exact", action="store_true", help="exact numbers, also for random and perfect")
    parser.add_argument("--concurrency", type=int, default=4, metavar="N", help="games with models at once (4)")
    parser.add_argument("--seed", type=int, help="seed for randomised players (default: random; printed)")
    parser.add_argument(
        "--openings",
        type=int,
        metavar="MOVES",
        help="random moves that begin each pair of games (default: some for models and for players who repeat, else 0)",
    )
    parser.add_argument(
        "--error-allowance", type=int, default=0, metavar="N", help="invalid replies forgiven in a row (0)"
    )
    parser.add_argument(
        "--observation",
        choices=("history", "board", "kaggle"),
        default="history",
        help="what a model is shown (history); kaggle: the questions of its Game Arena, for ultimate",
    )
    parser.add_argument("--take", choices=("first", "last"), default="last", help="which move in a reply counts (last)")
    parser.add_argument("--hide-moves", action="store_true", help="do not list the available moves")
    parser.add_argument(
        "--full-rules", action="store_true", help="open wild with all its rules, not with its four fixed lines"
    )
    parser.add_argument(
        "--repeats", type=whole_number, default=1, metavar="N", help="ask each question of a suite N times (1)"
    )
    parser.add_argument("--out", metavar="DIR", help=f"where transcripts go ({FOLDER}/, by game and players)")
    parser.add_argument("--fresh", action="store_true", help="set aside what is in DIR, and start over")
    parser.add_argument(
        "--max-tokens-total",
        type=whole_number,
        metavar="N",
        help="ask models nothing more once they used N tokens in all",
    )
    parser.add_argument(
        "--nodes",
        type=whole_number,
        default=NODES,
        metavar="N",
        help=f"search this many nodes for each position of a large game to grade moves ({NODES}; 0: do not grade)",
    )
    parser.add_argument("--html", metavar="FILE", help="write the report as a web page too")
    parser.add_argument("--chat", metavar="FILE", help="write the good replies as fine-tuning examples (JSONL)")
    parser.add_argument(
        "--export", choices=("eee",), help="write the results in DIR/eee too, in the format of Every Eval Ever"
    )
    parser.add_argument(
        "--export-facts",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="what the export says of you and the model: organization, relationship, deployment, availability",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> Report | int:
    if args.compare:
        return compare_runs(args)
    if args.replays:
        return grade_replays(args)
    if args.reference:
        return write_reference(args)
    if args.player is None:
        raise ValueError("name the player who is evaluated, or runs of before with --compare RUN RUN ...")
    folder = _folder(args.out)
    if args.suite:
        return ask_suite(args, folder)
    if args.against is None:
        args.against = PERFECT if args.exact else _opponent(args)
    learnt = args.player.startswith("q:") and is_exact(args.against)
    if args.exact or (learnt and args.games is None):
        return evaluate_exactly(args)
    args.games = GAMES if args.games is None else args.games
    return _play_games(args, folder)


def _folder(text: str | None) -> Path | None:
    """Returns the folder that --out names; ValueError if somebody meant a file."""
    if text is None:
        return None
    path = Path(text)
    if path.suffix in FILE_ENDINGS and not path.exists():
        raise ValueError(f"{one_line(path)} looks like a file, and --out names the folder of a run; name a folder")
    return path


def _opponent(args: argparse.Namespace) -> str:
    game = _game(args)
    if game.rules.nested:
        return STRONG
    try:
        with progress(f"solving {game.name}") as tick:
            solving.solve(game, tick=tick)
    except solving.TooLarge:
        return STRONG
    return PERFECT


def _game(args: argparse.Namespace) -> Game:
    """The game that is named, or the one that a player of `noughts train` learnt, or wild."""
    if args.game is None and args.player.startswith("q:"):
        return learn.load_model(args.player.removeprefix("q:"))[0].game
    return game_from_command_line(args.game or "wild")


def _play_games(args: argparse.Namespace, folder: Path | None) -> Report | int:
    require_range("--nodes", args.nodes, 0, MOST_NODES)
    plan = Plan(
        _game(args),
        args.player,
        args.against,
        args.games,
        args.seed,
        args.error_allowance,
        args.observation,
        args.take,
        args.openings,
        not args.hide_moves,
        args.full_rules,
    )
    require_playable(plan, args.concurrency)  # before a folder is made
    facts = facts_of(args.export_facts)
    folder = folder or Path(FOLDER, plan.slug())
    with open_run(folder, plan, fresh=args.fresh) as store:
        evaluation = EvaluationRun(plan, store, args.max_tokens_total)
        plan = evaluation.plan
        note_tokens(evaluation)
        try:
            play(evaluation, args.concurrency)
        except KeyboardInterrupt:
            done = f"{len(evaluation.finished())} of {plan.games} games are done"
            note(f"stopped; {done}, and the same command goes on from here", interrupted=True)
            return 130
        games = evaluation.finished()
    with progress("grading") as tick:
        results = grade(plan, games, tick, args.nodes)
    _write_files(args, results, games)
    notes = [f"transcript in {one_line(store.path)}"]
    if args.export:
        notes.append(f"exported to {one_line(export_games(folder / args.export, results, games, facts))}")
    if evaluation.unanswered:
        notes.append(
            f"{plan.games - len(games)} of {plan.games} games are not finished: {one_line(evaluation.failure, 1000)}; "
            "the same command goes on from here"
        )
    text = report(results, table, lambda state, labels: board(state, labels=labels))
    return Report(as_data(results), text, int(bool(evaluation.unanswered)), notes)


def _write_files(args: argparse.Namespace, results: Results, games: list[GameRecord]) -> None:
    if args.html:
        write_file(args.html, page(results, games))
    if args.chat:
        write_file(args.chat, "".join(line + "\n" for line in chat_examples(results, games)))
