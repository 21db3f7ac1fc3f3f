"""Evaluate a player: play many games against another one, from both seats, and
grade every move, exactly in solved games and by the engine elsewhere.

Every reply is stored at once in DIR/transcript.noughts, and in
transcript.jsonl for other programs. Run the same command again to continue;
once all games are played, it only reports. Only wins by the rules count:
invalid and late replies, and games that the opponent forfeits, are counted
separately. `noughts replay DIR/transcript.jsonl#3` shows the third game.

PLAYER is any player: random, perfect, ... or llm:MODEL, a language model on a
server that speaks OpenAI's chat API. Set its address and key in
OPENAI_BASE_URL and OPENAI_API_KEY, or in options after the model's name:
base_url=URL, key_env=NAME (the variable with the key), tokens=N (of a reply),
seconds=N (for a move), timeout=N (for an attempt), retries=N, temperature=T,
top_p=P, effort=LEVEL (of reasoning), seed=N, votes=N (ask N times and play the
most frequent move).

--suite variants asks about single positions of newly generated games: rules
are drawn from a seed, each game is solved, and every answer is graded.
--compare puts several runs into one table and one picture; `--compare
reference RUN` adds the reference players of the package. --reference FILE
plays those players, from random to perfect, anew.

A player from `noughts train` (q:RUN) is evaluated exactly, over all possible
games, if the opponent allows it; --games N plays a sample instead.

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
from noughts.commands._evaluation_view import evaluation_text, note_tokens, play_with_view
from noughts.commands._exact import evaluate_exactly
from noughts.commands._options import GAME_HELP, MOST_NODES, require_range, whole_number
from noughts.commands._past_runs import compare_runs, grade_replays, write_reference
from noughts.commands._suite import FOLDER, ask_suite
from noughts.commands.output import Report, note, write_file
from noughts.evaluation.eee import export_games, facts_of
from noughts.evaluation.page import page
from noughts.evaluation.plan import GAMES, PERFECT, STRONG, EvaluationRun, Plan, open_run, require_playable
from noughts.evaluation.report import as_data
from noughts.evaluation.results import Results, chat_examples, grade
from noughts.game import Game
from noughts.library import game_from_command_line
from noughts.matches.record import GameRecord
from noughts.matches.runner import TextOptions
from noughts.printable import one_line
from noughts.progress import progress

NODES = 10_000
"""Search nodes for each graded position: about a second for a long game."""
FILE_ENDINGS = (".json", ".jsonl", ".noughts", ".html", ".csv", ".txt", ".gz")
"""Suffixes that belong to files; --out takes a folder."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("player", metavar="PLAYER", nargs="?", help="player to evaluate")
    add("--json", action="store_true", help="machine-readable output")
    add = parser.add_argument_group("games").add_argument
    add("--game", help=f"{GAME_HELP} (default: wild, or the learned game)")
    add(
        "--against", metavar="PLAYER", help="opponent (default: perfect; alphabeta:level=4 in games too large to solve)"
    )
    add("--games", type=whole_number, metavar="N", help="number of games, half in each seat (default: 40)")
    add("--exact", action="store_true", help="exact results over all games, also for random and perfect")
    add("--seed", type=int, help="seed for randomised players (default: random; printed)")
    add(
        "--openings",
        type=int,
        metavar="MOVES",
        help="random moves at the start of each pair (default: 0; more for models and deterministic players)",
    )
    add(
        "--nodes",
        type=whole_number,
        default=NODES,
        metavar="N",
        help=f"nodes per position to grade moves in large games; 0 for no grades (default: {NODES})",
    )
    add = parser.add_argument_group("suites of questions").add_argument
    add("--suite", choices=("variants",), help="ask about single positions of generated games instead of playing")
    add("--size", choices=("small", "full"), default="small", help="size of the suite (default: small)")
    add("--samples", type=whole_number, default=1, metavar="N", help="answers asked for each question (default: 1)")
    add = parser.add_argument_group("language models").add_argument
    add("--concurrency", type=int, default=4, metavar="N", help="games at a time (default: 4)")
    add(
        "--max-tokens-total",
        type=whole_number,
        metavar="N",
        help="stop asking models after this many tokens (default: no limit)",
    )
    add("--error-allowance", type=int, default=0, metavar="N", help="consecutive invalid replies forgiven (default: 0)")
    add(
        "--observation",
        choices=("history", "board", "kaggle"),
        default="history",
        help="what the model sees; kaggle: the prompts of its Game Arena, for ultimate (default: history)",
    )
    add("--take", choices=("first", "last"), default="last", help="which move in a reply counts (default: last)")
    add("--hide-moves", action="store_true", help="leave the legal moves out of the prompt")
    add("--full-rules", action="store_true", help="give all rules of wild instead of its four fixed lines")
    add = parser.add_argument_group("output").add_argument
    add("--out", metavar="DIR", help=f"folder of the transcript (default: {FOLDER}/, named by game and players)")
    add("--fresh", action="store_true", help="set the contents of DIR aside and start over")
    add("--html", metavar="FILE", help="web page to write")
    add("--chat", metavar="FILE", help="file for the good replies as fine-tuning examples (JSONL)")
    add("--export", choices=("eee",), help="also write the results to DIR/eee, in the format of Every Eval Ever")
    add(
        "--export-facts",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="facts for --export: organization, relationship, deployment, availability",
    )
    add = parser.add_argument_group("without new games").add_argument
    add("--compare", nargs="+", metavar="RUN", help="compare earlier runs (folders or files)")
    add("--replays", nargs="+", metavar="FILE", help="grade replays of Kaggle's Game Arena (ultimate, classic)")
    add("--reference", metavar="FILE", help="write results of known players as JSON, for --compare")


def run(args: argparse.Namespace) -> Report | int:
    if args.compare:
        return compare_runs(args)
    if args.replays:
        return grade_replays(args)
    if args.reference:
        return write_reference(args)
    if args.player is None:
        raise ValueError("name a player to evaluate, or earlier runs with --compare RUN RUN ...")
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
    """Returns the folder that --out names. Raises ValueError if the name looks like a file's."""
    if text is None:
        return None
    path = Path(text)
    if path.suffix in FILE_ENDINGS and not path.exists():
        raise ValueError(f"{one_line(path)} looks like a file, and --out takes the folder of a run; name a folder")
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
    """Returns the named game, else the game that the player learned, else wild."""
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
        args.openings,
        TextOptions(
            args.error_allowance,
            args.observation,
            args.take,
            list_moves=not args.hide_moves,
            full_rules=args.full_rules,
        ),
    )
    require_playable(plan, args.concurrency)  # before a folder is created
    facts = facts_of(args.export_facts)
    folder = folder or Path(FOLDER, plan.slug())
    with open_run(folder, plan, fresh=args.fresh) as store:
        evaluation = EvaluationRun(plan, store, args.max_tokens_total)
        plan = evaluation.plan
        note_tokens(evaluation)
        try:
            play_with_view(evaluation, args.concurrency)
        except KeyboardInterrupt:
            done = f"{len(evaluation.finished())} of {plan.games} games are finished"
            note(f"stopped; {done}; run the same command to continue", interrupted=True)
            return 130
        games = evaluation.finished()
    with progress("grading") as tick:
        results = grade(plan, games, tick, args.nodes)
    _write_files(args, results, games)
    notes = [f"transcript in {one_line(store.path)}"]
    if args.export:
        notes.append(f"wrote {one_line(export_games(folder / args.export, results, games, facts))}")
    if evaluation.run.unanswered:
        why = one_line(evaluation.run.failure, 1000)
        notes.append(
            f"{plan.games - len(games)} of {plan.games} games are not finished: {why}; run the same command to continue"
        )
    return Report(as_data(results), evaluation_text(results), int(bool(evaluation.run.unanswered)), notes)


def _write_files(args: argparse.Namespace, results: Results, games: list[GameRecord]) -> None:
    if args.html:
        write_file(args.html, page(results, games))
    if args.chat:
        write_file(args.chat, "".join(line + "\n" for line in chat_examples(results, games)))
