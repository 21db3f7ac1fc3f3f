"""The small tournament of `noughts tournament` without an action."""

from __future__ import annotations

from pathlib import Path

import noughts.tournaments
from noughts.commands._bot_options import local_executor
from noughts.commands.tournament._play import play
from noughts.library import load_game
from noughts.sandbox import ForkServer, SandboxError, probe
from noughts.tournaments.organiser import enter_players
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

DEMO_FILE = "tournament.noughts"
DEMO_BOTS = ("random_bot", "greedy_bot")
DEMO_PLAYERS = ("greedy", "alphabeta:level=1", "alphabeta:level=3")
DEMO_GAME, DEMO_NAME, DEMO_SECONDS = "ultimate", "demo", 2.0


def demo() -> int:
    """Plays a small tournament in the current folder."""
    with TournamentFile(DEMO_FILE, write=True) as file:
        if file.names() and file.names() != [DEMO_NAME]:
            raise ValueError(
                f"{DEMO_FILE} contains another tournament; `noughts tournament run --file {DEMO_FILE}` continues it"
            )
        settings = Settings(seconds=DEMO_SECONDS)
        tournament = file.tournament() if file.names() else file.create(DEMO_NAME, load_game(DEMO_GAME), settings)
        if not tournament.entries.all():
            enter_players(tournament, [*_demo_bots(), *DEMO_PLAYERS], staff=False)
        has_bots = any(contestant.is_bot for contestant in tournament.entries.contestants().values())
        what = "example bots and built-in players" if has_bots else "built-in players"
        print(f"A league of {DEMO_GAME} between {what}.\nIts file is ./{DEMO_FILE}.\n", flush=True)
        return play(tournament, local_executor(None))


def _demo_bots() -> list[str]:
    """Returns the files of the example bots, if this machine has a sandbox for them."""
    folder = _demo_folder()
    return [str(folder / f"{name}.py") for name in DEMO_BOTS] if folder is not None and _has_sandbox() else []


def _demo_folder() -> Path | None:
    """Returns the folder of the example bots, in the installed package or in the repository."""
    package = Path(noughts.tournaments.__file__).parent
    places = package / "demo", package.parents[2] / "examples" / "bots"
    return next((place for place in places if all((place / f"{name}.py").is_file() for name in DEMO_BOTS)), None)


def _has_sandbox() -> bool:
    try:
        with ForkServer() as server:
            probe(server)
    except SandboxError:
        return False
    return True
