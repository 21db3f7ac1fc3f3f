"""One gate: what `noughts check` says of a bot is what a tournament says of it."""

import json
import subprocess
import sys
from contextlib import suppress

import pytest
from test_cli import run_command
from tournament_play import tournament_in

import noughts
from noughts.bots.gate import GAMES, Gate
from noughts.course.marks import marks_of
from noughts.course.rules import gate_of, submission_rules
from noughts.players.bot import default_limits
from noughts.sandbox import BotLimits, BotSource, ForkServer
from noughts.tournaments import StoreError
from noughts.tournaments.organiser import run_of
from noughts.tournaments.settings import Settings
from noughts.tournaments.view import TournamentView

CHOOSE = "def choose(state, clock):\n    "
MOVE = "class Bot:\n    def move(self, board, old_move, flag):\n        "
FIRST = "return board.find_valid_move_cells(old_move)[0]"
LEGAL = "return state.legal_actions()[0]"

WELL = {
    "first": CHOOSE + LEGAL,
    "prints": CHOOSE + "print('thinking'); " + LEGAL,
    "chance": "import random\n" + CHOOSE + "return random.choice(state.legal_actions())",
    "class_": "class Bot:\n    def choose(self, state, clock):\n        " + LEGAL,
    "numpy_": "import numpy\n" + CHOOSE + LEGAL,
    "bool_": CHOOSE + "return int(True) if 1 in state.legal_actions() else state.legal_actions()[0]",
    "recursion": "def f(n):\n    return n and f(n - 1)\n" + CHOOSE + "f(500); " + LEGAL,
}
ILL = {
    "crash": CHOOSE + "return 1 / 0",
    "second": CHOOSE + "return state.legal_actions()[0] if state.current_player() == 0 else None",
    "late_crash": CHOOSE + "assert len(state.history()) < 5; " + LEGAL,
    "none": CHOOSE + "pass",
    "text": CHOOSE + "return 'centre'",
    "float_": CHOOSE + "return 4.0",
    "minus": CHOOSE + "return -1",
    "taken": CHOOSE + "return 4",
    "endless": CHOOSE + "while True: pass",
    "loads_long": "while True: pass\n" + CHOOSE + LEGAL,
    "memory": CHOOSE + "x = bytearray(1 << 29); " + LEGAL,
    "opens": CHOOSE + "open('/etc/passwd')",
    "forks": "import os\n" + CHOOSE + "os.fork()",
    "exits": CHOOSE + "raise SystemExit",
    "dies": "import os\n" + CHOOSE + "os._exit(3)",
    "helper": "import helper\n" + CHOOSE + LEGAL,
    "no_bot": "x = 1\n",
    "two_bots": "class A:\n    def choose(self, state, clock): pass\nclass B(A): pass\n",
    "syntax": "def choose(state, clock)\n    return 0\n",
    "python2": "print 'hello'\n" + CHOOSE + LEGAL,
    "tabs": "def choose(state, clock):\n\tif True:\n        return 0\n",
    "course": MOVE + FIRST,
    "breaks": "X = 1\nY = 2\n" + MOVE + FIRST,
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """What the gate of a tournament says of each, and what a check by its settings does."""
    settings = {"seconds": 0.1, "load_seconds": 0.25, "memory": 128 << 20}
    tournament = tournament_in(tmp_path_factory.mktemp("gate") / "t.noughts", **settings)
    sources = {name: BotSource(f"{name}.py", None, text) for name, text in (WELL | ILL).items()}
    for name, source in sources.items():
        tournament.entries.enter(name, source)
    run = run_of(tournament, gate_of(tournament), trusted=("random:seed=5",)).play()
    for _ in run:
        if not any(entry.candidate_id for entry in tournament.entries.all()):
            break
    run.close()
    with ForkServer() as server:
        gate = gate_of(tournament)
        checked = {name: gate.check(source, server).reason for name, source in sources.items()}
    return {entry.name: entry.reason for entry in tournament.entries.all() if entry.name in sources}, checked


@pytest.mark.parametrize("name", WELL | ILL)
def test_a_check_says_what_the_tournament_says(verdicts, name):
    gated, checked = verdicts
    assert gated[name] == checked[name]
    assert bool(checked[name]) == (name in ILL)


def test_reasons_name_the_game_and_the_line(verdicts):
    _, checked = verdicts
    assert checked["crash"] == "against itself: crashed: ZeroDivisionError: division by zero (line 2)"
    assert checked["breaks"].startswith("against the submission rules: line 1: X = 1 is outside the class (and 1")
    assert checked["helper"].startswith("loading: crashed: ModuleNotFoundError")
    assert checked["second"].startswith("against itself: invalid move")


def test_it_plays_itself_and_both_opponents_from_both_seats():
    assert GAMES == (("itself", (0, 1)), ("random", (0,)), ("random", (1,)), ("greedy", (0,)), ("greedy", (1,)))


@pytest.mark.parametrize("name", ["classic", "extreme"])
def test_a_check_and_a_new_tournament_have_the_same_limits(name, capsys, tmp_path):
    game = noughts.load_game(name)
    assert default_limits(game) == BotLimits(float(game.rules.move_seconds or 10), 10.0, 512 << 20)
    assert Settings(seconds=default_limits(game).move_seconds).limits == default_limits(game)


def test_a_check_for_a_tournament_takes_its_game_and_limits(tmp_path, capsys):
    file, bot = tmp_path / "class.noughts", tmp_path / "bot.py"
    tournament_in(file, game="ultimate", seconds=7.0, memory=64 << 20, strict=True).file.close()
    bot.write_text(
        "import numpy\nclass Bot:\n    def __init__(self):\n        pass\n    def move(self, board, old_move, flag):\n"
        "        r, c = board.find_valid_move_cells(old_move)[0]\n        return numpy.int64(r), numpy.int64(c)\n"
    )
    code, out, _ = run_command(capsys, "check", str(bot), "--for", str(file), "--json")
    facts = json.loads(out)
    assert (code, facts["move_seconds"]) == (1, 7.0)
    assert facts["reason"].startswith("against itself: invalid move: ")
    assert "NumPy" in facts["reason"], "strict, as the tournament is"
    code, out, _ = run_command(capsys, "check", str(bot), "--for", str(file))
    assert re_found(out) == ["MB of 64 MB"]
    for words, why in {
        ("--for", str(file), "--time", "3"): "leave out --time",
        ("--for", str(file), "--name", "other"): "there is no tournament 'other'",
        ("--name", "main", "--game", "wild"): "--name chooses a tournament of --for FILE",
        ("--for", str(bot)): "is not a tournament file",
    }.items():
        code, _, err = run_command(capsys, "check", str(bot), *words)
        assert code == 2
        assert why in err


def re_found(out):
    return [line[line.index("MB of") :].strip() for line in out.splitlines() if line.startswith("memory")]


def test_more_rounds_are_other_games():
    gate, source = Gate(noughts.load_game("wild"), BotLimits(5.0)), BotSource("b.py", None, WELL["chance"])
    with ForkServer() as server:
        once, twice = (gate.check(source, server, rounds=rounds) for rounds in (1, 2))
    assert [record.moves for record in twice.records[:5]] == [record.moves for record in once.records]
    assert [record.moves for record in twice.records[5:]] != [record.moves for record in once.records]


@pytest.mark.parametrize("name", ["chance", "late_crash"])
def test_a_check_stopped_after_any_game_goes_on_to_the_same_report(name):
    source = BotSource("b.py", None, (WELL | ILL)[name])
    gate = Gate(noughts.load_game("classic"), BotLimits(5.0), rules=submission_rules())
    with ForkServer() as server:
        report, reading = gate.check(source, server), gate.read(source, server)
    for cut in range(len(GAMES) + 1):
        stopped = gate.report(source, reading, report.games[:cut])
        due = [(opponent, seats) for _, opponent, seats in gate.due(stopped.games)]
        assert due == [*GAMES[cut:]], "each game is played once"
    assert gate.report(source, reading, report.games) == report
    assert list(gate.due(report.games[1:])) == [(0, *GAMES[0])], "in any order, with its own seed"


def test_a_bot_that_did_not_load_in_one_game_plays_no_other():
    source, gate = BotSource("b.py", None, ILL["helper"]), Gate(noughts.load_game("classic"), BotLimits(5.0))
    with ForkServer() as server:
        report = gate.check(source, server)
    assert (len(report.games), list(gate.due(report.games))) == (1, [])


def test_a_server_and_its_gate_load_no_translator_of_python_2_for_an_ordinary_bot():
    code = f"""
import sys
import noughts.web.server, noughts.web._ladder
from noughts.bots.gate import Gate
from noughts.course.rules import submission_rules
from noughts.sandbox import BotLimits, BotSource, ForkServer
gate = Gate(noughts.load_game("ultimate"), BotLimits(5.0), rules=submission_rules())
with ForkServer() as server:
    print(gate.read(BotSource("b.py", None, {ILL["breaks"]!r}), server).reason)
print([name for name in sys.modules if name.startswith("py2bots")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    reason, loaded = done.stdout.splitlines()
    assert reason.startswith("against the submission rules: line 1")
    assert loaded == "[]"


def test_admit_playing_takes_broken_rules_as_warnings_and_excludes_what_crashes(tmp_path):
    bots = {"breaks": ILL["breaks"], "crashes": "X = 1\n" + MOVE + "return 1 / 0", "well": MOVE + FIRST}
    tournament = tournament_in(tmp_path / "t.noughts", game="ultimate", players=())
    for name, text in bots.items():
        tournament.entries.enter(name, BotSource(f"{name}.py", None, text))
    with suppress(StoreError):  # one alone is left
        list(run_of(tournament, gate_of(tournament)).play())
    assert [entry.name for entry in tournament.entries.all() if entry.plays] == ["well"]
    tournament.change_settings(admit="playing")
    for name, text in bots.items():  # as the next run does with the folder
        tournament.entries.enter(name, BotSource(f"{name}.py", None, text))
    list(run_of(tournament, gate_of(tournament)).play())
    entries = {entry.name: entry for entry in tournament.entries.all()}
    assert {name for name, entry in entries.items() if entry.plays} == {"breaks", "well"}
    assert entries["breaks"].reason.startswith("against the submission rules: line 1")
    assert "ZeroDivisionError" in entries["crashes"].reason, "the rules that it breaks too do not hide that"
    why = {mark.name: mark.parts[0].why for mark in marks_of(TournamentView(tournament))}
    assert "plays, with a warning: against the submission rules" in why["breaks"]
    assert why["crashes"].startswith("excluded because it failed the check")
    assert "warning" not in why["well"]
    tournament.file.close()


def test_admit_all_plays_no_game_of_the_gate_until_the_gate_is_back(tmp_path):
    bots = {"breaks": ILL["breaks"], "crashes": "X = 1\n" + MOVE + "return 1 / 0", "well": MOVE + FIRST}
    tournament = tournament_in(tmp_path / "t.noughts", game="ultimate", players=(), admit="all")
    for name, text in bots.items():
        tournament.entries.enter(name, BotSource(f"{name}.py", None, text))
    assert tournament.checks() == (0, 0)
    list(run_of(tournament, gate_of(tournament)).play())
    assert {game["stage"] for game in tournament.game_rows(everything=True)} == {"league"}
    assert all(entry.plays for entry in tournament.entries.all())
    assert "against the submission rules" in tournament.entries.find("breaks").reason, "said, and no more"
    tournament.change_settings(admit="playing")
    list(run_of(tournament, gate_of(tournament)).play())
    assert {entry.name for entry in tournament.entries.all() if entry.plays} == {"breaks", "well"}
    assert "ZeroDivisionError" in tournament.entries.find("crashes").reason
    tournament.file.close()


def test_check_for_a_tournament_that_admits_playing_takes_breaches_as_warnings(tmp_path, capsys):
    for admit in ("passing", "playing"):
        path = tmp_path / f"{admit}.noughts"
        tournament_in(path, game="ultimate", players=(), admit=admit).file.close()
        for name, code in (("breaks", int(admit == "passing")), ("crash", 1)):
            bot = tmp_path / f"{name}.py"
            bot.write_text(ILL[name])
            assert run_command(capsys, "check", str(bot), "--for", str(path), "--quick")[0] == code
            facts = json.loads(run_command(capsys, "check", str(bot), "--for", str(path), "--quick", "--json")[1])
            assert (facts["passed"], facts["admitted"]) == (False, not code)


def test_a_check_of_a_class_announces_the_bots_that_there_are(tmp_path, capsys):
    for name in ("ants", "bees"):
        (tmp_path / f"{name}.py").write_text(WELL["first"])
    (tmp_path / "empty").mkdir()
    code, out, err = run_command(capsys, "check", str(tmp_path), "--game", "classic", "--quick")
    assert (code, "2 of 2 bots pass; 1 submission without a bot" in out) == (1, True)
    assert "2 bots, each 8 moves" in err


def test_a_class_is_shown_with_the_worst_first_and_whole_names(tmp_path, capsys):
    long = "a-team-with-a-name-that-is-far-too-long-for-24-columns"
    texts = {
        "ants": WELL["first"],
        long: WELL["first"],
        "bees": "def choose(state, clock): return 1 / 0\n",
        "dogs": "1 / 0",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "cats").mkdir()
    _, out, _ = run_command(capsys, "check", str(tmp_path), "--game", "classic", "--quick")
    assert [line.split()[0] for line in out.splitlines()[1:-2] if line[0] != " "] == [
        "cats",
        "dogs",
        "bees",
        long,
        "ants",
    ]


def test_a_name_rule_makes_other_names_a_breach(tmp_path, capsys):
    team = (
        "class Team{}:\n    def __init__(self):\n        pass\n    def move(self, board, old_move, flag):\n        "
        + FIRST
    )
    for file, number, passes in (("team7.py", 7, True), ("team8.py", 7, False), ("bot.py", 7, False)):
        (tmp_path / file).write_text(team.format(number))
        words = ("check", str(tmp_path / file), "--game", "ultimate", "--quick", "--json")
        assert json.loads(run_command(capsys, *words)[1])["passed"], "a remark at most"
        code, out, _ = run_command(capsys, *words, "--name-rule", "team{number}.py:Team{number}")
        assert code == (0 if passes else 1)
        reason = json.loads(out)["reason"]
        assert ("Team8" in reason) == (file == "team8.py")
        assert ("team{number}.py" in reason) == (file == "bot.py")
    assert run_command(capsys, *words, "--name-rule", "team")[0] == 2
