"""Write a tournament as a web page in one file: standings with intervals, results
of each pair, endings, times, faults, a section for each team, and every game
on a board. For a match, name the folder of `noughts match --log`.

The engine first reviews all games that have no review, on all cores: it
evaluates each position and finds the mistakes, the better moves, and the move
that decided the game. Each team's newest losses come first. Reviews are kept
in the tournament file, so Ctrl-C loses nothing. --nodes sets the budget for
each position; --no-analysis writes the page with the reviews so far. A report
larger than 5 MB is written as a folder.

The page is for staff: it contains the prints and tracebacks of all bots. --for
TEAM writes a page for that team, with its own output only; --public writes a
page that you can publish, with results and moves only. --teams DIR writes a
page for each team. Each page says for whom it is.

--puzzles writes the positions in which each team made mistakes, for `noughts
check bot.py --positions FILE`.

examples:
  noughts report class.noughts
  noughts report class.noughts --for team7 -o team7.html
  noughts report class.noughts --teams pages/
  noughts report class.noughts --public -o public.html
  noughts report class.noughts --puzzles puzzles/
  noughts report games/ -o match.html
  noughts report games/ --for team7 --puzzles puzzles/
"""

from __future__ import annotations

import argparse
from pathlib import Path

from noughts.analysis.evaluator import NODES
from noughts.commands._bot_options import add_audience, visibility_from
from noughts.commands._options import MOST_NODES, require_range, whole_number
from noughts.commands.output import Report, note
from noughts.course.marks import marks_of
from noughts.document import Json
from noughts.files import make_folder, slug, slugs, usable_cores
from noughts.matches.store import GAMES_FILE
from noughts.printable import counted, one_line, shell_quote
from noughts.progress import progress
from noughts.report import gather, write_report
from noughts.tournaments import BusyError
from noughts.tournaments.puzzles import write_puzzles
from noughts.tournaments.reviews import old_reviews, review_all, unreviewed_games
from noughts.tournaments.store import TournamentFile, TournamentStore
from noughts.tournaments.view import TournamentView
from noughts.tournaments.visibility import team


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.add_argument("file", metavar="FILE", help="tournament file, or a folder of `noughts match --log`")
    parser.add_argument("--name", help="tournament in a file with several (default: the latest)")
    add("-o", "--output", metavar="FILE", help="page to write (default: FILE-report.html)")
    audience = add_audience(parser, "staff")
    audience.add_argument("--teams", metavar="DIR", help="write a page for each team, as --for does, to this folder")
    add("--puzzles", metavar="DIR", help="write the positions of each team's mistakes instead of a page")
    add("--no-analysis", action="store_true", help="use only reviews that are in the file")
    add("--nodes", type=whole_number, metavar="N", help="nodes of the search for each position (default: 10000)")
    add("--jobs", type=int, metavar="N", help="games to review at a time (default: one for each core)")


def run(args: argparse.Namespace) -> Report | int:
    require_range("--nodes", args.nodes, 1, MOST_NODES)
    if args.nodes is not None and args.no_analysis:
        raise ValueError("--nodes is for reviews, and --no-analysis skips them; leave one out")
    if args.teams is not None and (args.output or args.puzzles):
        raise ValueError("--teams writes a page for each team to its folder; leave out --output and --puzzles")
    stopped, path = False, _file_of(args.file)
    if not args.no_analysis:
        try:
            with TournamentFile(path, write=True, create=False) as file:
                stopped = not _review_games(file.tournament_or_match(args.name), args)
        except BusyError:
            what = "match" if path != Path(args.file) else "tournament"
            note(f"the {what} is running; its games are reported with the reviews made so far")
    if stopped:
        note(
            "stopped; all reviews so far are kept. Run the same command to continue, or add --no-analysis to write the "
            "page with these reviews",
            interrupted=True,
        )
        return 130
    with TournamentFile(path) as file:
        view = TournamentView(file.tournament_or_match(args.name))
        aliases = visibility_from(args, view).aliases  # refuses an unknown team
        if aliases or (args.teams is not None and view.aliases):
            raise ValueError(
                "teams of this ladder see each other by pseudonyms, and the report has their names; pass --staff, or "
                f"first run `noughts ladder change {shell_quote(args.file)} --names real`"
            )
        if args.teams is not None:
            return _team_pages(view, Path(args.teams))
        return _puzzles(view, args) if args.puzzles is not None else _pages(view, args)


def _file_of(text: str) -> Path:
    """Returns the file with the games. Raises ValueError for a folder without one."""
    path = Path(text)
    if not path.is_dir():
        return path
    if not (path / GAMES_FILE).is_file():
        raise ValueError(f"{text!r} has no {GAMES_FILE}; `noughts match A B --log DIR` writes one to its folder")
    return path / GAMES_FILE


def _review_games(tournament: TournamentStore, args: argparse.Namespace) -> bool:
    """Reviews the games that have no review. Returns whether all games have one now."""
    cores = usable_cores()
    require_range("--jobs", args.jobs, 1, cores)
    nodes = args.nodes or NODES
    waiting = unreviewed_games(tournament, nodes, args.team)
    if not waiting:
        return True
    if old := old_reviews(tournament, waiting):
        note(
            f"{counted(old, 'review')} of an older version in the file, with another scale; these games "
            "are reviewed again"
        )
    note(f"reviewing {counted(len(waiting), 'game')} (Ctrl-C stops without losing reviews)")
    done = 0
    with progress("reviewing games") as tick:
        try:
            for done in review_all(tournament, waiting, nodes, args.jobs or cores):
                tick(done / len(waiting))
        except KeyboardInterrupt:
            return False
    return done == len(waiting)


def _pages(view: TournamentView, args: argparse.Namespace) -> Report:
    visibility = visibility_from(args, view)
    with progress("writing") as tick:
        found = gather(view, visibility, _marks(view), tick)
        written = write_report(found, _path(args))
    size = sum(path.stat().st_size for path in written)
    pages = f", {len(written)} pages" if len(written) > 1 else ""
    lines = [f"{written[0]} ({size / 1e6:.1f} MB{pages})"]
    if len(written) > 1:
        lines.append("too large for one page: it is a folder; copy all of it")
    reviewed, games = found.head["reviewed"], len(found.head["games"])
    if reviewed < games and not args.public:
        lines.append(f"{reviewed} of {games} games are reviewed")
        if old := old_reviews(view.tournament):
            lines.append(
                f"{counted(old, 'review')} of an older version left out; run the report without --no-analysis to "
                "renew them"
            )
    data = {"pages": [*map(str, written)], "games": games, "reviewed": reviewed}
    return Report(data, "\n".join(lines), notes=[one_line(f"{written[0]} is {found.head['whose']}")])


def _team_pages(view: TournamentView, folder: Path) -> Report:
    """Writes a page for each team: also for those whose bot does not play, with the reason."""
    names = [entry.name for entry in view.entries if not entry.staff and not entry.removed]
    written, marks = list[Path](), _marks(view)
    make_folder(folder)
    with progress("writing the teams' pages") as tick:
        for number, (name, stem) in enumerate(zip(names, slugs(names), strict=True), 1):
            pages = write_report(gather(view, team(name), marks), folder / f"{stem}.html")
            written.append(pages[0])
            tick(number / len(names))
    text = f"{counted(len(written), 'page')} in {one_line(folder)}"
    audience = "each page is for the team in its name only: it contains that team's prints, fault messages and marks"
    return Report({"pages": [*map(str, written)]}, text, notes=[audience])


def _marks(view: TournamentView) -> list[Json]:
    """Returns the marks of all teams; a match has none."""
    return [] if view.tournament.is_match else [mark.to_data() for mark in marks_of(view)]


def _path(args: argparse.Namespace) -> Path:
    if args.output is not None:
        if not args.output or Path(args.output).is_dir():
            raise ValueError(f"{args.output!r} is not a file name; name a file such as report.html")
        return Path(args.output)
    audience = "public" if args.public else "report" if args.team is None else f"{slug(args.team)}-report"
    return Path(f"{Path(args.file).resolve().stem}-{audience}.html")


def _puzzles(view: TournamentView, args: argparse.Namespace) -> Report:
    written = write_puzzles(view, Path(args.puzzles), args.team)
    lines = [f"{counted(len(written), 'file')} of positions in {one_line(args.puzzles)}"]
    if written:
        lines.append(f"  noughts check BOT.py --positions {shell_quote(written[0])}")
        lines.append(f"  noughts replay {shell_quote(written[0])}#1")
    else:
        reviewed = not args.no_analysis
        lines.append("the engine found no mistakes" if reviewed else "no game is reviewed")
    notes = ["each file is for the team in its name only: it contains that team's mistakes"] if written else []
    return Report({"files": [*map(str, written)]}, "\n".join(lines), notes=notes)
