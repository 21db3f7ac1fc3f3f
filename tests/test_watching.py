"""A tournament and a match while they are played, as the page shows them."""

from __future__ import annotations

import json
import re
import signal
import time
from pathlib import Path

import processes
import pytest
from browsing import CHROMIUM, launched, opened
from tournament_play import play_some, tournament_in

import noughts
from noughts.matches.record import GameRecord
from noughts.matches.runner import Moved
from noughts.matches.store_file import StoreError
from noughts.tournaments.live import LiveGames, playing_now
from noughts.tournaments.store import TournamentFile
from noughts.tournaments.visibility import PUBLIC, STAFF

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from serving import Server

BOT = Path(__file__).parents[1] / "examples" / "bots" / "random_bot.py"


def test_games_in_progress_are_noted_for_others_and_the_note_goes_away(tmp_path):
    file = tmp_path / "class.noughts"
    with LiveGames(tournament_in(file)) as live:
        live.moved(Moved(3, ("a", "b\x1b[31m"), (4, 0), 0.1))
        with TournamentFile(file) as watcher:
            (now,) = playing_now(watcher.tournament())
            assert (now.number, now.players, now.state.history()) == (3, ("a", "b\x1b[31m"), [4, 0])
        live.ended(3)
    with TournamentFile(file) as watcher:
        assert playing_now(watcher.tournament()) == []


NO_GAMES = [
    "",
    "[",
    "[[1]]",
    "[4,4]",
    "[1e9]",
    "[1e999]",
    '["4"]',
    "7",
    '{"a":1}',
]


@pytest.mark.parametrize("text", [*NO_GAMES, "[" * 100_000], ids=[*NO_GAMES, "nested"])
def test_a_note_that_is_no_game_is_not_shown(tmp_path, text):
    tournament = tournament_in(tmp_path / "class.noughts")
    with tournament.file.change():
        tournament.file.do("INSERT INTO playing VALUES (1, 1, 'a', 'b', ?, ?)", text, time.time())
    assert playing_now(tournament) == []


def test_a_match_is_shown_as_it_is_played():
    from noughts.web._watching import MatchSource

    game = noughts.load_game("classic")
    source = MatchSource(game, ("a", "b"), 2)
    source.moved(Moved(0, ("a", "b"), (4,), 0.1))
    seen = source.snapshot(STAFF)
    assert seen["status"] == {"games": 0, "of": 2}
    assert seen["playing"][0]["view"]["cells"] == "....X...."
    record = GameRecord(game, ("a", "b"), moves=[0, 3, 1, 4, 2], seconds=[0.0] * 5)
    record.end_by_rules(record.states()[-1][0])
    source.ended(record)
    seen = source.snapshot(STAFF)
    assert seen["playing"] == []
    assert [(row["name"], row["won"]) for row in seen["table"]] == [("a", 1), ("b", 0)]
    assert json.dumps(seen)


def is_playing(path):
    """Whether a process has noted games in a tournament file by now."""
    try:
        with TournamentFile(path) as file:
            return bool(playing_now(file.tournament()))
    except StoreError:  # it is not there yet
        return False


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium")
def test_a_tournament_is_watched_live_by_somebody_who_comes_late_and_comes_back(tmp_path):
    """Played by another process, and stopped when enough was seen."""
    file, bots = tmp_path / "class.noughts", tmp_path / "bots"
    bots.mkdir()
    slow = (
        BOT.read_text()
        .replace("        return", "        time.sleep(0.03)\n        return")
        .replace("import", "import time\nimport", 1)
    )
    (bots / "one.py").write_text(slow)
    (bots / "two.py").write_text(BOT.read_text())
    run = ["tournament", "run", str(bots), "--game", "ultimate", "--file", str(file)]
    run += ["--staff", "random", "--rounds", "100", "--jobs", "1", "--page", "--time", "5", "--admit", "all"]
    playing = processes.Command(*run)
    try:
        deadline = time.monotonic() + 600
        while not is_playing(file) and time.monotonic() < deadline:
            assert playing.poll() is None, playing.stderr.read()
            time.sleep(0.05)
        server = Server(tmp_path, "--file", str(file))
        try:
            with launched() as chromium, opened(chromium) as page:
                page.goto(f"{server.base}/watch")
                page.locator(".tile .mark").nth(5).wait_for(state="attached")
                page.locator(".watching .soft", has_text="in progress").wait_for()
                page.reload()
                page.locator(".tile .mark").nth(2).wait_for(state="attached")
                page.locator("tbody .name", has_text="one").first.wait_for()
                page.locator(".feed a").first.wait_for()
                playing.send_signal(signal.SIGINT)
                playing.wait(timeout=240)
                page.locator(".tile").first.wait_for(state="detached")
                games = page.locator(".feed a").all_text_contents()
                assert all(re.fullmatch(r"game\s\d+", text) for text in games)
                page.locator(".feed a").first.click()
                page.locator(".curve .line").wait_for()
        finally:
            _, err = server.stop()
        assert "Traceback" not in err
    finally:
        playing.kill()
        playing.communicate()


def test_pools_of_a_course_are_tables_of_their_own_that_say_who_goes_on(tmp_path):
    from noughts.web._watching import TournamentSource

    pools = {"group_pools": 2, "group_top": 2, "semi_pools": 1, "semi_top": 2}
    players = ("random", "greedy", "perfect", "alphabeta:level=1", "alphabeta:level=2", "mcts:games=2")
    tournament = tournament_in(tmp_path / "t.noughts", players=players, format="course", **pools)
    play_some(tournament, trusted=players)
    tournament.file.close()
    seen = TournamentSource(tmp_path / "t.noughts", "main").snapshot(PUBLIC)
    tables = [(each["title"], len(each["names"]), each["go_on"]) for each in seen["cross"]]
    assert tables == [
        ("final, pool 1", 2, None),
        ("semi-final, pool 1", 4, 2),
        ("group, pool 2", 3, 2),
        ("group, pool 1", 3, 2),
    ]
