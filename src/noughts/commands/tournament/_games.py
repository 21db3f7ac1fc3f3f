"""`noughts tournament games`: all games, as far as the audience may see them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from noughts.commands._bot_options import add_audience, add_tournament, visibility_from
from noughts.commands._options import add_json
from noughts.commands.output import table
from noughts.commands.tournament._status import notice_lines
from noughts.tournaments.store import TournamentFile, record_of
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import PUBLIC, Visibility

HELP = {
    "games": """List all games: players, points, endings.

--json adds the moves and the seconds of every move.

You can publish the output: it has only the kinds of faults, and no seeds until
the tournament is frozen. --for TEAM adds the team's own fault texts; --staff
adds everything. With either, --all adds games that do not count: those of
earlier versions, of checks, and those that were played again.

examples:
  noughts tournament games class.noughts --bot team7
  noughts tournament games class.noughts --json > games.json
  noughts tournament games class.noughts --staff --all
""",
}


def add_arguments(action: str, parser: argparse.ArgumentParser) -> None:
    add_tournament(parser)
    parser.add_argument("--bot", metavar="NAME", help="contestant whose games to list (default: all)")
    parser.add_argument("--all", action="store_true", help="include games that do not count")
    add_audience(parser, "public")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the games one by one: with their moves, they may not fit in memory."""
    with TournamentFile(args.file) as file:
        tournament = file.tournament(args.name)
        view = TournamentView(tournament)
        if args.bot is not None:
            view.entry(args.bot)
        visibility = visibility_from(args, view)
        if args.all and visibility == PUBLIC:
            raise ValueError("--all lists games that the public does not see; pass --staff or --for TEAM too")
        found = tournament.game_rows(name=args.bot, everything=args.all, replays=args.json)
        games = filter(visibility.sees_game, found)
        if args.json:
            comma = "["
            for game in games:
                facts = game_facts(game, visibility) | {"rehearsal": view.settings.rehearsal is not None}
                print(f"{comma}\n{json.dumps(facts)}", end="")
                comma = ","
            print("\n]" if comma == "," else "[]")
        else:
            print(*notice_lines(view), _games_table([visibility.row(game) for game in games]), sep="\n")
    return 0


def _games_table(games: list[Mapping[str, Any]]) -> str:
    rows = [
        [
            str(game["number"]),
            f"{game['stage']} {game['pool']}/{game['round']}",
            f"{game['first']} - {game['second']}",
            f"{game['first_points']} : {game['second_points']}",
            game["fault"] or game["reason"] if game["counts"] else f"(does not count) {game['reason']}",
        ]
        for game in games
    ]
    return table(["game", "pool/round", "players", "points", "end"], rows, right=(0,))


def game_facts(game: Mapping[str, Any], visibility: Visibility) -> dict[str, Any]:
    """Returns one game as plain data: its columns, and moves, seconds and fault from the replay."""
    record, game, fault = record_of(game), visibility.row(game), None
    if record.fault is not None and record.faulty is not None:
        visible = visibility.fault(record.fault, record.players[record.faulty])
        fault = {"player": record.faulty, "kind": visible.kind, "text": visible.text, "line": visible.line}
    return {
        "number": game["number"],
        "stage": game["stage"],
        "pool": game["pool"],
        "round": game["round"],
        "players": [game["first"], game["second"]],
        "versions": [game["first_version"], game["second_version"]],
        "counts": bool(game["counts"]),
        "void": game["void"],
        "seed": game["seed"],
        "moves": record.moves,
        "seconds": record.seconds,
        "winner": game["winner"],
        "reason": game["reason"],
        "points": [game["first_points"], game["second_points"]],
        "fault": fault,
        "finished": game["finished"],
        "machine": game["machine"],
        "speed": game["speed"],
    }
