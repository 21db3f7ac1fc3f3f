"""From a folder of bots to standings, ratings and marks, in one file that no
game is ever lost from.

Without an action, a small tournament between example bots is played. The
actions:

  run BOTS/      play a tournament; given again, it goes on where it stopped
  status         how far it is, and what should be looked at
  standings      the tables, ratings, and how sure the places are
  games          every game
  marks          the course's marks, or thresholds against staff bots
  add, remove    contestants
  rerun          play games again
  redraw         draw the pools of a stage again
  export         CSV, Gradescope's results.json, and a zip for each team
  freeze         end all changes, and publish the seeds; unfreeze goes on

A file can hold a season: run with another --name plays another tournament into
it. Stop with Ctrl-C, or any other way: only the games being played are lost,
and they are played when you give the same command again. A bot file that has
changed is a new version, and only its games are played again.

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
"""Each action, and the module of this package that does it."""


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
