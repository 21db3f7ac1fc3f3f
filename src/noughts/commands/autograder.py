"""Make an autograder for Gradescope: a zip that checks every submission like
`noughts check`, plays it against staff bots, and reports marks and a place on
the leaderboard.

Upload the zip as the autograder of a programming assignment, and enable the
leaderboard in its settings. The zip contains noughts itself; setup.sh installs
Python and the dependencies when Gradescope builds its image. A submission is
one Python file, which may be in a folder or a zip.

Without --thresholds, the --out-of marks are split evenly among the opponents
and given in proportion to games won. Gradescope stops a run after the time in
the assignment's settings. If bots use all their time, pass --rehearsal: their
clocks then run fast.

To try the zip, unpack it as DIR/source, put a bot into DIR/submission, and run
`noughts autograder --grade DIR`: it writes DIR/results/results.json.

examples:
  noughts autograder --game extreme --staff random greedy --rehearsal 0.25
  noughts autograder --game classic --staff staff/hard.py -o autograder.zip
  noughts autograder --game xtreme --staff greedy --thresholds marks.toml
  noughts autograder --grade /autograder
"""

from __future__ import annotations

import argparse
from pathlib import Path

from noughts.bots.gate import PASSING
from noughts.commands._bot_options import add_limits, add_name_rule, bot_settings
from noughts.commands._options import GAME_HELP, add_json
from noughts.commands.output import Report, write_file
from noughts.course.autograder import AutograderPlan, autograder_zip, grade
from noughts.course.rules import submission_rules
from noughts.course.thresholds import read_thresholds
from noughts.library import game_from_command_line
from noughts.tournaments.settings import Settings

OUT_OF = 50.0
MOST_OUT_OF = 1000.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", help=GAME_HELP)
    add_json(parser)
    add = parser.add_argument_group("making the zip").add_argument
    add("-o", "--out", default="autograder.zip", metavar="FILE", help="zip to write (default: autograder.zip)")
    add("--staff", nargs="+", default=[], metavar="PLAYER", help="opponents: bot files or built-in players")
    add("--rounds", type=int, default=2, help="games against each opponent from each seat (default: 2)")
    add(
        "--admit",
        default=PASSING,
        help="which bots may play: passing, playing or all, as in `tournament run` (default: passing)",
    )
    add_name_rule(parser)
    add = parser.add_argument_group("marks").add_argument
    add("--out-of", type=float, default=OUT_OF, metavar="MARKS", help="marks for all games (default: 50)")
    add("--thresholds", metavar="FILE.toml", help="file with thresholds for the marks, instead of proportions")
    add_limits(parser)
    add = parser.add_argument_group("other").add_argument
    add("--rehearsal", type=float, metavar="SECONDS", help="real time for a move, with fast clocks (default: off)")
    add("--grade", metavar="DIR", help="grade DIR/submission with the zip unpacked in DIR/source")


def run(args: argparse.Namespace) -> Report:
    if args.grade is not None:
        results = grade(Path(args.grade))
        return Report(results, str(results["output"]))
    if args.game is None or not args.staff:
        raise ValueError("pass --game for the game and --staff for the opponents")
    if not 0 < args.out_of <= MOST_OUT_OF:
        raise ValueError(f"--out-of must be above 0 and up to {MOST_OUT_OF:g}, not {args.out_of:g}")
    game = game_from_command_line(args.game)
    submission_rules(args.name_rule)  # refuses an invalid name rule
    settings = Settings(format="gauntlet", rounds=args.rounds, admit=args.admit, **bot_settings(args, game))
    settings.require_playable(1, len(args.staff))
    thresholds = None if args.thresholds is None else read_thresholds(args.thresholds)
    plan = AutograderPlan(game, settings, tuple(args.staff), thresholds, args.out_of, args.unsafe)
    data = autograder_zip(plan)
    write_file(args.out, data)
    return Report(
        {"written": args.out, "bytes": len(data), "staff": args.staff},
        f"{args.out}: {len(data) / 1e6:.1f} MB; upload it as the autograder of a programming assignment",
        notes=["The zip contains the secret behind the games' seeds: share it with staff only."],
    )
