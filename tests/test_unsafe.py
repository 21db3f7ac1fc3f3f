"""Where there is no sandbox, --unsafe runs a bot in a plain process, with the same messages, and marks the records."""

import json
from dataclasses import asdict

import pytest

from noughts.cli import main
from noughts.course.rules import gate_of
from noughts.course.submissions import sync_folder
from noughts.library import load_game
from noughts.matches.record import GameRecord
from noughts.players.bot import BotPlayer
from noughts.sandbox import BotFault, BotLimits, BotSource, ForkServer, SandboxError, forkserver, start_process
from noughts.tournaments.organiser import enter_players, run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.store import TournamentFile

CLASSIC = load_game("classic")
FIRST = "def choose(state, clock):\n    return state.legal_actions()[0]\n"


@pytest.fixture(autouse=True)
def no_sandbox(monkeypatch):
    monkeypatch.setattr(forkserver, "_has_linux", lambda: False)
    monkeypatch.setattr("noughts.players.bot._fork_server", ForkServer)  # no other test takes one that forks nothing


@pytest.fixture
def bot(tmp_path):
    path = tmp_path / "team7.py"
    path.write_text(FIRST)
    return path


def ask(source, limit=20.0):
    with ForkServer() as server, start_process(server, BotLimits(limit), unsafe=True) as process:
        process.ask("load", 20, source=source, file="team7.py", wanted=None, rules=asdict(CLASSIC.rules), seed=1)
        return process.ask("move", limit, played=[], seconds=limit, speed=1.0)


@pytest.mark.parametrize("command", ["match BOT random --game classic", "check BOT --game classic"])
def test_without_unsafe_one_message_names_the_three_ways(command, bot, capsys):
    assert main(command.replace("BOT", str(bot)).split()) == 2
    said = capsys.readouterr().err
    for way in ("--unsafe", "WSL2", "Docker"):
        assert way in said


def test_a_match_is_played_and_every_record_says_unsafe(bot, tmp_path, capsys):
    games = tmp_path / "games"
    match = ["match", str(bot), "random", "--game", "classic", "--games", "1", "--seed", "1", "--unsafe"]
    assert main([*match, "--log", str(games)]) == 0
    said = capsys.readouterr()
    assert "There is no sandbox" in " ".join(said.err.split())
    assert "unsafe, without a sandbox" in " ".join(said.out.split())
    (replay,), (log,) = games.glob("*.json"), games.glob("*.log")
    assert json.loads(replay.read_text())["unsafe"] is True
    assert GameRecord.load(replay).unsafe
    assert "unsafe, without a sandbox" in " ".join(log.read_text().split())


def test_a_check_says_what_it_could_not_check(bot, capsys):
    assert main(["check", str(bot), "--game", "classic", "--quick", "--unsafe", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["passed"]
    assert facts["unsafe"]
    assert facts["kilobytes"] is None


def test_a_person_plays_against_a_bot_file(bot, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NOUGHTS_GAMES_DIR", str(tmp_path / "kept"))
    typed = iter(["3", "6", "resign", "n"])
    monkeypatch.setattr("builtins.input", lambda _="": next(typed))
    assert main(["play", "classic", "--opponent", str(bot), "--second", "--typed", "--unsafe"]) == 0
    (kept,) = (tmp_path / "kept").glob("*.json")
    assert GameRecord.load(kept).unsafe


def test_a_tournament_keeps_the_mark(bot, tmp_path):
    with TournamentFile(tmp_path / "class.noughts", write=True) as file:
        tournament = file.create("main", CLASSIC, Settings(format="gauntlet"))
        sync_folder(tournament, bot.parent)
        enter_players(tournament, ["random"], staff=True)
        next(run_of(tournament, gate_of(tournament, unsafe=True)).play())
        (candidate,) = (entry.candidate_id for entry in tournament.entries.all() if entry.candidate_id)
        (game,) = tournament.gate_games(candidate, records=True)
        assert game.record.unsafe


FAULTS = {
    "out of time: no answer within its limit of 0.2 s (line 2)": "def choose(state, clock):\n    while True: pass\n",
    "ended its own process (exit status 3)": "import os\ndef choose(state, clock):\n    os._exit(3)\n",
    "crashed: ZeroDivisionError: division by zero (line 2)": "def choose(state, clock):\n    return 1 / 0\n",
    "a bot is one file; copy the code of helper.py into it": "import helper\n",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults_have_the_words_of_the_sandbox(text):
    with pytest.raises(BotFault) as caught:
        ask(FAULTS[text], 0.2 if "out of time" in text else 20.0)
    assert text in caught.value.fault.text


def test_what_a_bot_prints_and_reads_is_no_message():
    reply = ask("import os\ndef choose(state, clock):\n    os.write(1, b'x')\n    print(os.read(0, 9))\n    return 4\n")
    assert (reply["answer"], reply["prints"][0]) == (4, "b''\n")


def test_servers_run_no_bot_without_a_sandbox():
    player = BotPlayer(BotSource("team7.py", None, FIRST))
    with pytest.raises(SandboxError, match="cannot confine a bot"):
        player.prepare(CLASSIC)
