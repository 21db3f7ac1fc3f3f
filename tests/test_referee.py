"""The referee: its clock, its words, what it keeps, and games that come out the same."""

import json
import os
import select
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from conftest import NESTED, needs_two_cores
from playing import played

import noughts
from noughts import sandbox
from noughts.matches.game import play_seats
from noughts.matches.log import game_log
from noughts.matches.record import GAME_PRINTS, NOT_KEPT
from noughts.matches.schedule import Match
from noughts.matches.tally import tallies
from noughts.players import make_player
from noughts.players.bot import BotPlayer, action_from
from noughts.rules.geometry import coordinates
from noughts.sandbox import BotLimits, ForkServer, SandboxedProcess, SandboxError, _process, layers_in_words, probe
from noughts.sandbox.faults import NOWHERE, BotFault, Place, place_in
from noughts.sandbox.source import BotSource, read_bot

EXTREME = noughts.load_game("extreme")
LIMITS = BotLimits(5.0)
FIRST_CELL = """
class Bot:
    def move(self, board, old_move, flag):
        print("I am", flag)
        return board.find_valid_move_cells(old_move)[0]
"""
ANY_ACTION = """
import random
def choose(state, clock):
    return random.choice(state.legal_actions())
"""


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


def seat(server, text, **options):
    return BotPlayer(BotSource("bot.py", None, text), server, options.pop("limits", LIMITS), **options)


def game_of(server, text, game="extreme", **options):
    """The record of a game that the bot starts, against a random player."""
    seats = [seat(server, text, **options), make_player("random", seed=3)]
    return play_seats(noughts.load_game(game), seats, seed=1)


def fault_of(server, text, game="extreme", **options):
    record = game_of(server, text, game, **options)
    assert record.faulty == 0
    assert record.winner == 1
    assert record.reason == record.fault.kind
    return record.fault


def course(body, top=""):
    """A bot of the course with this as the body of its move()."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"{top}\nclass Bot:\n    def move(self, board, old_move, flag):\n{lines}"


def test_a_fault_gives_the_opponent_the_points_of_a_win(server):
    record = game_of(server, course("return None"))
    assert record.points == (0, 68)
    assert game_of(server, "def choose(state, clock): return -1", "classic").points == (-1, 1)


def test_a_crash_names_the_exception_and_the_line(server):
    fault = fault_of(server, course("x = 1\nreturn x / 0"))
    assert fault.text == "crashed: ZeroDivisionError: division by zero (line 5)"
    assert fault.line == 5
    assert "in move" in fault.detail
    assert "noughts" not in fault.detail


def test_a_crash_in_a_library_names_the_line_of_the_bot(server):
    assert fault_of(server, course("return json.loads('x')", "import json")).line == 4


def test_an_invalid_move_says_what_was_returned_and_what_was_allowed(server):
    fault = fault_of(server, course("return [0, 0]"))
    assert fault.kind == "invalid"
    assert fault.text == "invalid move: it returned a list; return a tuple: (0, 0)"
    fault = fault_of(server, course("return (99, 0)"))
    assert "it returned (99, 0); allowed: a tuple of ints: (0, 0), (0, 1)" in fault.text
    assert "and 244 more" in fault.text
    fault = fault_of(server, "def choose(state, clock): return 99", "classic")
    assert "it returned 99; allowed: an action, an int: 0, 1, 2, 3, 4, 5, 6, 7, 8" in fault.text


def test_a_late_answer_is_reported_with_its_delay(server, monkeypatch):
    monkeypatch.setattr(_process, "OVERTIME", 10.0)  # an answer that comes much later, on a busy machine too
    fault = fault_of(server, course("time.sleep(1)\nreturn (0, 0)", "import time"), limits=BotLimits(0.2))
    assert fault.kind == "time"
    assert "after its limit of 0.2 s" in fault.text


def test_faults_are_judged_in_order_time_crash_board_move(server):
    assert fault_of(server, course("board.board_status[0][0] = 'x'\nreturn None")).kind == "tamper"
    assert fault_of(server, course("board.board_status[0][0] = 'x'\nreturn 1 / 0")).kind == "crash"


def test_numpy_integers_are_accepted_with_a_warning_unless_strict(server):
    text = course("return tuple(numpy.array(board.find_valid_move_cells(old_move)[0]))", "import numpy")
    record = game_of(server, text, "ultimate")
    assert record.fault is None
    assert "NumPy integers" in record.warnings[0]
    assert fault_of(server, text, "ultimate", strict=True).kind == "invalid"


def test_a_place_that_arrives_in_parts_is_either_not_there_yet_or_right():
    last_words = (
        "Current thread 0x00007f (most recent call first):\n"
        '  File "/usr/lib/python3.11/threading.py", line 957 in start\n'
        '  File "<bot>", line 4 in move\n'
        '  File "/srv/worker/main.py", line 88 in answer\n'
    )
    found = [place_in(last_words[:end], "<bot>") for end in range(len(last_words) + 1)]
    assert set(found) == {NOWHERE, Place(4, "threading.start")}
    assert found == sorted(found, key=lambda place: place != NOWHERE)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os.fork()", "tried to start another process (fork) (line 4)"),
        ("subprocess.run(['ls'])", "to another process or thread (pipe2), through subprocess.run (line 4)"),
        ("threading.Thread(target=print).start()", "tried to start a thread, through threading.start (line 4)"),
        ("x = 1\nnumpy.load('weights.npy')", "tried to read the file 'weights.npy', through numpy.load (line 5)"),
        ("asyncio.run(None or asyncio.sleep(0))", "(epoll_create1), through asyncio.run (line 4)"),
        (
            "socket.create_connection(('1.1.1.1', 80))",
            "the network (socket), through socket.create_connection (line 4)",
        ),
    ],
)
def test_a_forbidden_call_is_reported_with_its_line_and_the_function_that_made_it(server, body, words):
    fault = fault_of(server, course(body, "import asyncio, numpy, os, socket, subprocess, threading"))
    assert fault.kind == "forbidden"
    assert words in fault.text
    assert fault.line in (4, 5)


def test_python_2_is_recognised(server):
    fault = fault_of(server, course("print 'hello'"))
    assert fault.line == 4
    assert "noughts convert" in fault.text


@pytest.mark.parametrize(
    ("text", "game", "words"),
    [
        ("x = 1", "extreme", "contains no bot"),
        (FIRST_CELL, "classic", "is for nested games"),
        (FIRST_CELL + FIRST_CELL.replace("Bot", "Other"), "extreme", "2 bots: Bot, Other"),
    ],
)
def test_a_file_without_one_bot_is_refused_with_what_a_bot_is(server, text, game, words):
    fault = fault_of(server, text, game)
    assert fault.text.startswith("cannot play")
    assert words in fault.text


def test_what_a_bot_prints_is_kept_for_each_move_and_cut(server):
    record = game_of(server, FIRST_CELL, "ultimate")
    assert record.prints[0] == "I am x\n"
    assert set(record.prints) == set(range(0, len(record.moves), 2))
    loud = game_of(server, FIRST_CELL.replace('"I am"', '"x" * 10000'), "ultimate")
    assert "more characters]" in loud.prints[0]
    assert len(loud.prints[0]) < 5000


NAMES_A_FOLDER = """
import gc, sys
from types import CodeType
def choose(state, clock):
    # Spelled backwards here, so that this text is none of those that are found.
    folders = [each[::-1] for each in {folders}]
    todo, seen, found = [sys.modules], set(), []
    while todo:
        thing = todo.pop()
        if id(thing) in seen or thing is folders:
            continue
        seen.add(id(thing))
        if isinstance(thing, str):
            found += [thing[:80]] * (thing not in folders and any(folder in thing for folder in folders))
        elif isinstance(thing, CodeType):
            todo += [thing.co_filename, *thing.co_consts]
        else:
            todo += gc.get_referents(thing)
            if type(thing).__name__.endswith(("Loader", "Spec", "Namespace")):
                todo.append(vars(thing))
    assert not found, (len(found), found[:5])
    assert len(seen) > 30000
    return 0
"""


def test_nothing_that_python_can_reach_names_a_folder_of_the_operator(server):
    folders = {sys.prefix, sys.base_prefix, str(Path(noughts.__file__).parents[1])} - {"/usr", "/usr/local"}
    text = NAMES_A_FOLDER.format(folders=[folder[::-1] for folder in folders])
    assert game_of(server, text, "classic", limits=BotLimits(60.0)).reason != "crash"


def test_a_game_keeps_no_more_than_so_much_of_what_a_bot_prints(server):
    faces = course("print('\\N{GRINNING FACE}' * 4000)\nreturn board.find_valid_move_cells(old_move)[0]")
    record = game_of(server, faces, "ultimate")
    assert record.fault is None
    assert 60_000 < len(json.dumps(record.prints)) < GAME_PRINTS + 1000
    assert record.prints[max(record.prints)].endswith(NOT_KEPT)


def test_what_a_bot_printed_before_its_fault_is_kept(server):
    for end in ("return None", "return 1 / 0", "board.board_status[0][0] = 'x'\nreturn (0, 0)"):
        record = game_of(server, course(f"print('my last words')\n{end}"))
        assert record.prints == {0: "my last words\n"}
        assert "| my last words" in game_log(record, prints_of=0)
        assert "last words" not in game_log(record, prints_of=1)


def test_what_a_bot_printed_while_loading_is_shown_to_nobody_else(server):
    seats = [seat(server, ANY_ACTION), seat(server, "print('secret')\n1 / 0")]
    record = play_seats(noughts.load_game("classic"), seats)
    assert record.faulty == 1
    assert "secret" in game_log(record, prints_of=1)
    assert "secret" not in game_log(record, prints_of=0)


def test_the_same_seed_gives_the_same_game_and_each_bot_its_own_luck(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(ANY_ACTION.replace("return", "print(random.random()); return"))
    games = [noughts.play_game(EXTREME, (str(path), str(path)), seed=seed) for seed in (1, 1, 2)]
    assert games[0].moves == games[1].moves != games[2].moves
    assert games[0].prints[0] == games[1].prints[0] != games[0].prints[1]


def test_a_bot_that_fell_in_one_game_plays_the_next(server):
    """Its process is gone, so it gets another, even where no move of the first game was made."""
    bot, state = seat(server, "def choose(s, c): return 1 / 0"), noughts.load_game("classic").new_initial_state()
    for _ in range(2):
        with pytest.raises(BotFault, match="ZeroDivisionError"):
            bot.choose(state, noughts.Clock())


def test_a_match_alternates_the_first_move_and_adds_up(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(ANY_ACTION)
    match = Match(noughts.load_game("wild"), (str(path), "random"), games=4, seed=5)
    records = played(match)
    assert [record.players for record in records] == [("bot", "random"), ("random", "bot")] * 2
    both = tallies(match.player_names, records)
    assert both[0].won + both[0].drawn + both[0].lost == 4
    assert both[0].won == both[1].lost
    assert len(both[0].seconds) + len(both[1].seconds) == sum(len(record.moves) for record in records)
    again = played(match)
    assert [record.moves for record in records] == [record.moves for record in again]


@needs_two_cores
def test_a_match_on_two_cores_gives_the_same_games(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(ANY_ACTION)
    games = []
    for jobs in (1, 2):
        match = Match(noughts.load_game("wild"), (str(path), "random"), games=5, seed=3, jobs=jobs)
        games.append([(record.players, record.moves) for record in played(match)])
    assert games[0] == games[1]


def test_a_match_refuses_what_cannot_be_played(tmp_path):
    game = noughts.load_game("classic")
    with pytest.raises(ValueError, match=r"there is no bot file 'nobody\.py'"):
        Match(game, ("nobody.py", "random"))
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        Match(game, ("nobody", "random"))
    with pytest.raises(ValueError, match="must have 1 to"):
        Match(game, ("random", "random"), games=0)
    with pytest.raises(ValueError, match="would slow each other down"):
        Match(game, ("random", "random"), jobs=10_000)
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"\0\1")
    with pytest.raises(ValueError, match="not a text file"):
        read_bot(str(binary))
    assert Match(game, ("random", "random")).player_names == ("random#1", "random#2")


def test_a_bot_file_may_name_its_bot(tmp_path, server):
    path = tmp_path / "bots.py"
    path.write_text(FIRST_CELL + FIRST_CELL.replace("Bot", "Other"))
    source = read_bot(f"{path}:Other")
    assert source.name == "Other"
    seats = [BotPlayer(source, server, LIMITS), make_player("random", seed=1)]
    assert play_seats(noughts.load_game("ultimate"), seats).fault is None


def test_old_files_in_latin_1_are_read(tmp_path):
    path = tmp_path / "old.py"
    path.write_bytes("# caf\xe9\n".encode("latin-1"))
    assert read_bot(str(path)).text == "# caf\xe9\n"


def test_the_course_counts_cells_as_we_do():
    for name in NESTED:
        rules = noughts.load_game(name).rules
        for action in range(rules.num_actions):
            assert action_from(rules, list(coordinates(rules, action)), course=True) == action
    for wrong in (None, "00", [0], [0, 0, 0], [0, 16], [-1, 0], [0, True], [0.0, 0]):
        assert action_from(EXTREME.rules, wrong, course=True) is None


FORKS = "import os\nos.fork()\n"


def test_a_fork_server_that_is_gone_is_said_to_be(server):
    other = ForkServer()
    os.kill(other._process.pid, signal.SIGKILL)
    other._process.wait()
    with pytest.raises(SandboxError, match="fork server ended"):
        SandboxedProcess(other, LIMITS)
    other.close()


def test_a_twin_of_a_fork_server_confines_bots_as_well_and_ends_with_it():
    with ForkServer() as first, SandboxedProcess(first, LIMITS), ForkServer(first.twin().detach()) as twin:
        assert probe(twin) == probe(first)
        with pytest.raises(BotFault, match="forbidden"), SandboxedProcess(twin, LIMITS) as bot:
            bot.ask("load", 5, source=FORKS, file="<b>", wanted=None, rules=asdict(EXTREME.rules), seed=1)
        os.kill(first._process.pid, signal.SIGKILL)
        first._process.wait()
        with pytest.raises(SandboxError, match="fork server ended"):
            SandboxedProcess(twin, LIMITS)


def test_the_layers_of_the_sandbox_are_described(server):
    layers = probe(server)
    assert layers.dropped_root == (os.getuid() == 0)
    assert "system calls filtered" in layers_in_words(layers)


def test_the_public_names_of_the_sandbox_are_all_there():
    found = {name: getattr(sandbox, name) for name in sandbox.__all__}
    strangers = {name: thing.__module__ for name, thing in found.items() if callable(thing)}
    assert {name for name, home in strangers.items() if not home.startswith("noughts.sandbox.")} == set()
    with pytest.raises(AttributeError, match="nothing_such"):
        sandbox.nothing_such  # noqa: B018


def test_many_games_leak_nothing():
    classic = noughts.load_game("classic")
    with ForkServer() as server:
        pid = server._process.pid
        ours, theirs = descriptors("self"), descriptors(pid)
        for number in range(60):
            if number == 10:
                before = kilobytes(pid)
            bots = [seat(server, ANY_ACTION), seat(server, "def choose(s, c): return 1 / 0")]
            play_seats(classic, bots, seed=number)
        assert descriptors("self") <= ours
        deadline = time.monotonic() + 240
        while descriptors(pid) > theirs and time.monotonic() < deadline:
            time.sleep(0.01)  # it closes those of the last bot after it has reported its end
        assert descriptors(pid) <= theirs
        assert kilobytes(pid) - before < 256, "the fork server grows"


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def kilobytes(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def test_a_bot_that_is_at_fault_is_gone(server):
    bot = SandboxedProcess(server, LIMITS)
    with pytest.raises(BotFault):
        bot.ask("load", 5, source="1 / 0", file="<b>", wanted=None, rules=asdict(EXTREME.rules), seed=1)
    assert bot._child.is_closed
    bot.close()


def test_bots_end_with_their_fork_server():
    with ForkServer() as other:
        bot = SandboxedProcess(other, LIMITS)
        process = os.dup(bot._process)
        os.kill(other._process.pid, signal.SIGKILL)
        poll = select.poll()
        poll.register(process, select.POLLIN)
        assert poll.poll(240_000), "the stopped bot outlived its server"
        os.close(process)
        bot.close()
