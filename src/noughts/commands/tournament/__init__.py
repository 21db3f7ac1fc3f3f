"""Run a tournament: from a folder of bots to standings, ratings and marks, all in
one file.

Without an action, it plays a small tournament between example bots. Actions:

  run BOTS/      play a tournament, or continue one
  status         progress, and problems to look at
  standings      tables, ratings, and the certainty of the places
  games          list all games
  marks          marks of the course, or by thresholds
  add, remove    contestants
  rerun          mark games to be played again
  redraw         draw the pools of a stage again
  export         CSV, Gradescope's results.json, and a zip for each team
  freeze         end all changes and publish the seeds; unfreeze undoes it

A file can contain several tournaments of a season: give each its own --name.
You can stop a run at any time, with Ctrl-C for example: run the same command
again to continue; only the games that were in progress start again. A changed
bot file is a new version, and only its games are played again.

examples:
  noughts tournament
  noughts tournament run BOTS/ --game extreme --format course --time 16
  noughts tournament run BOTS/ --game xtreme --file class.noughts --jobs 8
  noughts tournament run --file class.noughts
  noughts tournament standings class.noughts
  noughts tournament marks class.noughts --csv marks.csv
  noughts tournament export class.noughts results/
"""

from __future__ import annotations

import argparse
from importlib import import_module

from noughts.commands._options import add_actions
from noughts.commands.output import Report
from noughts.commands.tournament._demo import demo

ACTIONS = {
    "run": "play",
    "status": "status",
    "standings": "standings",
    "games": "games",
    "marks": "marks",
    "add": "edit",
    "remove": "edit",
    "rerun": "edit",
    "redraw": "edit",
    "export": "edit",
    "freeze": "edit",
    "unfreeze": "edit",
}
"""Actions, and the module of this package that runs each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    homes = {action: import_module(f"{__name__}._{home}") for action, home in ACTIONS.items()}
    texts = {action: home.HELP[action] for action, home in homes.items()}
    for action, added in add_actions(parser, texts, required=False).items():
        homes[action].add_arguments(action, added)


def run(args: argparse.Namespace) -> Report | int:
    if args.action is None:
        return demo()
    found: Report | int = import_module(f"{__name__}._{ACTIONS[args.action]}").run(args)
    return found
