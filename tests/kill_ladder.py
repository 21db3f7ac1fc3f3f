"""Kill the server of a ladder at random moments under uploads and games, and look at what is in the file afterwards.

python tests/kill_ladder.py [KILLS] [SEED]
"""

import collections
import contextlib
import random as randomness
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

import noughts
from noughts.tournaments._ladder import LADDER
from noughts.tournaments.ladder import create_ladder, ladder_in, set_token
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile, record_of
from noughts.web import token_hash

TEAMS = ("ants", "bees", "cats")
BOT = "import random\ndef choose(state, clock):\n    return random.choice(state.legal_actions())\n# {number}\n"


def made(folder):
    """A new ladder of classic; the token of a team is its name, thrice."""
    path = Path(folder) / "class.noughts"
    with TournamentFile(path, write=True) as file:
        settings = Settings(format=LADDER, seconds=2.0, uploads=1000)
        ladder = create_ladder(file, noughts.load_game("classic"), settings, TEAMS, ["random", "greedy"])
        for team in TEAMS:
            set_token(ladder, team, token_hash(team * 3))
    return path


def started(path):
    """The server, and its address."""
    command = [sys.executable, "-m", "noughts.cli", "serve", "--file", str(path), "--port", "0", "--workers", "1"]
    command += ["--games", str(path.with_name("games.sqlite"))]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = re.search(r"http://\S+?:\d+", server.stdout.readline())
    return server, found[0]


def disturb(path, kills, random, longest=6.0):
    """Uploads while games are played, and kills the server; what was accepted, {(team, version): text}.

    longest: seconds that a server runs at most.
    """
    accepted, number = {}, 0
    for _ in range(kills):
        server, base = started(path)
        ends = time.monotonic() + random.uniform(0.5, longest)
        try:
            while time.monotonic() < ends:
                team, number = random.choice(TEAMS), number + 1
                text = BOT.format(number=number)
                with contextlib.suppress(httpx.HTTPError):
                    headers = {"authorization": f"Bearer {team * 3}"}
                    answer = httpx.post(f"{base}/api/ladder/versions", content=text, headers=headers, timeout=10)
                    if answer.status_code == 201:
                        accepted[team, answer.json()["version"]] = text
                time.sleep(random.uniform(0.0, 1.0))
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
    return accepted


def require_whole(path, accepted):
    """AssertionError unless every accepted upload is there, every game is whole, and none is there twice."""
    with TournamentFile(path, write=True) as file:
        ladder = ladder_in(file)
        assert file.rows("PRAGMA integrity_check") == [("ok",)]
        for (team, version), text in accepted.items():
            assert ladder.entries.source(team, version) == text, (team, version)
        games = file.rows("SELECT fixture, first_version, second_version FROM game WHERE void IS NULL")
        counts = collections.Counter(games)
        assert not counts or max(counts.values()) == 1
        numbers = [number for number, *_ in games]
        assert len(numbers) == len(set(numbers))
        for row in ladder.game_rows(everything=True):
            record = record_of(row)
            assert record.states()[-1][0].is_terminal() or record.fault is not None
        for entry in ladder.entries.all():
            if entry.version_id is not None and not entry.staff:
                assert ladder.entries.gate_result(entry.version_id) == ""
        return len(games)


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        path = made(folder)
        accepted = disturb(path, kills, randomness.Random(seed))
        games = require_whole(path, accepted)
    print(f"{kills} kills: {len(accepted)} uploads accepted, {games} games; all are there, none twice")


if __name__ == "__main__":
    main()
