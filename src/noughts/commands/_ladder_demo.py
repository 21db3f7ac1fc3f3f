"""`noughts ladder demo`: a ladder whose example bots are uploaded one by one, and its page on this machine."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from noughts import web
from noughts.commands._ladder_status import board_table
from noughts.commands._options import require_range
from noughts.commands.serve import MOST_PORT, serve_page
from noughts.library import load_game
from noughts.matches.store_file import StoreError
from noughts.tournaments.ladder import LADDER, create_ladder, ladder_in, set_token
from noughts.tournaments.ladder_runner import LadderRunner, game_processes
from noughts.tournaments.ladder_view import leaderboard, queue
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

DEMO_UPLOAD_SECONDS = 4.0
DEMO_BOT = '''"""An example for the ladder: it looks one move ahead in {share:.0%} of its moves."""

import random


def choose(state, clock):
    moves = state.legal_actions()
    if random.random() >= {share}:
        return random.choice(moves)
    player = state.current_player()
    return max(moves, key=lambda action: (value(state.child(action), player), random.random()))


def value(state, player):
    return 100 * state.returns()[player] + state.owners.count(player) - state.owners.count(1 - player)
'''
DEMO_CRASH = "def choose(state, clock):\n    return state.legal_actions()[len(state.history())]\n"
DEMO_UPLOADS: tuple[tuple[str, float | str], ...] = (
    *((f"team{number}", share) for number, share in enumerate((0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0), 1)),
    ("team1", 0.5),
    ("team2", "def choose(state, clock)\n    return 0\n"),
    ("team3", DEMO_CRASH),
    ("team2", 0.8),
    ("team4", 1.0),
    ("team1", 0.95),
)
"""Uploads in order: the team, and either how often its bot looks ahead or the text of a faulty file."""
DEMO_GAME = "ultimate"


def demo(args: argparse.Namespace) -> int:
    require_range("--port", args.port, 0, MOST_PORT)
    if not 1 <= args.seconds <= 86400:
        raise ValueError(f"--seconds must be 1 to 86,400, not {args.seconds:g}")
    teams = list(dict.fromkeys(team for team, _ in DEMO_UPLOADS))
    with TemporaryDirectory(prefix="noughts-") as folder:
        path, staff = Path(folder, "demo.noughts"), web.new_token(web.MEMBER_GROUPS)
        with TournamentFile(path, write=True) as file:
            ladder = create_ladder(file, load_game(DEMO_GAME), Settings(format=LADDER, seconds=2.0), teams)
            set_token(ladder, None, web.token_hash(staff))
        settings = web.Settings(
            port=web.PORT if args.port is None else args.port, games=Path(folder, "page.sqlite"), tournaments=(path,)
        )
        service = web.LadderService(path)
        stopping = Event()
        uploading = Thread(target=_upload_demo, args=(service.runner, stopping, args.seconds), daemon=True)
        print(
            f"A ladder of {DEMO_GAME}, for {args.seconds:g} s: eight teams upload bots. "
            f"Games at a time: {game_processes()}.\n",
            flush=True,
        )
        uploading.start()
        try:
            serve_page(settings, "/ladder", ladder=service, token=staff, seconds=args.seconds)
        finally:
            stopping.set()
            uploading.join()
            with TournamentFile(path) as file:
                print(f"\n{board_table(leaderboard(ladder_in(file)))}")
                facts = queue(ladder_in(file))
            service.close()
        gate = facts["gate_seconds"]
        if gate:
            print(f"\n{facts['games']} games; check: median {gate['median']:.0f} s, 95% within {gate['p95']:.0f} s")
    return 0


def _upload_demo(runner: LadderRunner, stopping: Event, seconds: float) -> None:
    pause = min(DEMO_UPLOAD_SECONDS, seconds / (len(DEMO_UPLOADS) + 1))
    for team, bot in DEMO_UPLOADS:
        text = bot if isinstance(bot, str) else DEMO_BOT.format(share=bot)
        try:
            taken = runner.submit(team, text.encode())
        except StoreError:
            return
        print(f"{time.strftime('%H:%M:%S')}  {team} uploads version {taken.version}", flush=True)
        if stopping.wait(pause):
            return
