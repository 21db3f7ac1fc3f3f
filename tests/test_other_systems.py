"""What is promised on Windows and macOS runs in an interpreter that has nothing of POSIX alone."""

import io
import json
import runpy
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath, PureWindowsPath
from queue import SimpleQueue

import pytest

import noughts
from noughts import Engine, Limits, _threads, clock, load_game, workers
from noughts.cli import main
from noughts.commands.serve import _title
from noughts.database import database_uri
from noughts.files import describe_os_error
from noughts.printable import shell_quote
from noughts.search.kernels import timeman
from noughts.web._settings import Settings
from noughts.web.server import listening_socket

HERE = Path(__file__).parent
OF_LINUX = {
    f"noughts.sandbox.{name}"
    for name in "_confine _notices _policy _process _seccomp _syscalls worker.host worker.server".split()
}
"""Modules of the sandbox, which only a bot that is held in one loads."""
COMMANDS = """
games
players
rules classic
show classic
perft classic 2
solve classic
analyze classic
match random greedy --game classic --games 2 --jobs 2
match alphabeta:level=1 mcts:games=10 --game ultimate --games 1
match bots/team7.py random --game classic --games 1 --unsafe --log games
log games/game-0001-team7-random.json
replay games/game-0001-team7-random.json --json
tournament run bots --game classic --file class.noughts --format gauntlet --staff random \
--rounds 1 --admit all --jobs 1 --unsafe
tournament standings class.noughts
tournament marks class.noughts
tournament export class.noughts results
report class.noughts --jobs 1 --nodes 500
similarity pair
check bots/team7.py --game classic --quick --unsafe
convert old.py
evaluate random --game classic --games 1 --out graded
dataset classic --sample 2 --out rows.jsonl.gz
train classic --episodes 10 --out run
bench classic
completion bash
doctor
serve --port 0 --games games.sqlite
""".strip().splitlines()


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What each command said, and which modules could not be imported, in one process."""
    pytest.importorskip("fcntl", reason="nothing to hide: this system has nothing of POSIX alone")
    folder = tmp_path_factory.mktemp("class")
    for name in ("bots/team7.py", "pair/team7.py", "pair/team8.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("def choose(state, clock):\n    return state.legal_actions()[0]\n")
    (folder / "old.py").write_text("print 'hello'\n")
    script = [sys.executable, str(HERE / "without_posix.py")]
    done = subprocess.run(
        script, input="\n".join(COMMANDS), cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=600
    )
    assert done.returncode == 0, done.stderr
    *commands, last = map(json.loads, done.stdout.splitlines())
    return {each["command"]: each for each in commands}, last["failing"]


def test_every_command_that_is_promised_everywhere_runs_without_posix(ran):
    commands, _ = ran
    assert list(commands) == COMMANDS
    failed = {line: each for line, each in commands.items() if each["code"] not in (0, 130)}
    assert failed == {}
    assert "page 200" in commands["serve --port 0 --games games.sqlite"]["said"]


def test_every_module_but_those_of_the_sandbox_is_imported_without_posix(ran):
    assert set(ran[1]) == OF_LINUX


# What Windows does differently, one thing at a time


@pytest.mark.parametrize("encoding", ["cp1252", "cp1251", "cp932", "ascii"])
def test_output_in_an_old_code_page_loses_characters_not_commands(encoding, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["show", "classic", "--moves", "[4]"]) == 0
    print("± – → ✓ 日本", file=out)
    out.flush()


def test_hints_are_quoted_for_the_shells_of_the_system(monkeypatch):
    assert shell_quote("my games/a'b.json") == """'my games/a'"'"'b.json'"""
    monkeypatch.setattr("noughts.printable.os.name", "nt")
    try:
        assert shell_quote(r"C:\Users\ann\team7.json") == r"C:\Users\ann\team7.json"
        assert shell_quote(r"C:\my games\a'b & c.json") == r'''"C:\my games\a'b & c.json"'''
        assert shell_quote('$(calc) %PATH% `x` "') == '"?(calc) ?PATH? ?x? ?"'
    finally:
        monkeypatch.undo()  # before anything else asks for the name


def test_a_file_on_a_share_is_an_address_that_sqlite_takes():
    assert database_uri(PureWindowsPath(r"\\server\class\a b.noughts")) == "file:////server/class/a%20b.noughts"
    assert database_uri(PureWindowsPath(r"C:\class.noughts")) == "file:///C:/class.noughts"
    assert database_uri(PurePosixPath("/srv/class.noughts")) == "file:///srv/class.noughts"


def test_a_file_that_excel_has_open_is_no_matter_of_permissions():
    error = PermissionError(13, "Permission denied", "marks.csv")
    assert "permissions" in describe_os_error(error)
    error.winerror = 32
    assert describe_os_error(error).startswith("cannot write marks.csv: another program, such as Excel")


def test_folders_of_the_operator_do_not_reach_clients_by_backslashes():
    assert _title(r"alphabeta:network=C:\Users\ann\secret\net.bin") == "alphabeta:network=net.bin"


def test_a_second_server_cannot_take_the_port_of_the_first(monkeypatch):
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_KEEPALIVE, raising=False)  # an option that is seen
    with listening_socket(Settings(port=0)) as bound:
        assert bound.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert not bound.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)


def test_a_search_without_a_compiled_clock_stops_before_the_next_tick(monkeypatch):
    waits = []

    class Timer:
        def __init__(self, seconds, stop):
            waits.append(seconds)

        def start(self): ...
        def cancel(self): ...

    monkeypatch.setattr(timeman, "COMPILED_CLOCK", False)
    monkeypatch.setattr(timeman.threading, "Timer", Timer)
    Engine(load_game("classic")).search(load_game("classic").new_initial_state(), Limits(seconds=0.1, depth=1))
    assert waits[0] <= 0.1 - 0.025


def test_speed_is_measured_by_a_clock_that_advances(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    fresh = runpy.run_path(clock.__file__)
    assert fresh["thread_clock_ns"] is time.perf_counter_ns


def test_waits_go_on_until_there_is_a_result(monkeypatch):
    monkeypatch.setattr(_threads, "BEAT", 0.001)
    queue = SimpleQueue()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: (time.sleep(0.01), queue.put("said")))
        assert _threads.next_of(queue) == "said"


class SlowProcess:
    """Ends after three waits."""

    pid, stdin, stdout = 1, io.BytesIO(), io.BytesIO()

    def __init__(self):
        self.waits = []

    def poll(self):
        return 0 if len(self.waits) >= 3 else None

    def wait(self, seconds=None):
        self.waits.append(seconds)
        raise subprocess.TimeoutExpired("", seconds)


def test_the_wait_for_a_worker_consists_of_short_ones(monkeypatch):
    process = SlowProcess()
    monkeypatch.setattr(workers, "start_interpreter", lambda *_, **__: process)
    workers.Worker(bool).wait()
    assert process.waits == [_threads.BEAT] * 3


@pytest.mark.parametrize("module", ["matches/runner", "matches/pool", "suites/asking", "workers", "players/llm/player"])
def test_nothing_waits_in_a_way_that_ctrl_c_does_not_end_on_windows(module):
    text = (Path(noughts.__file__).parent / f"{module}.py").read_text()
    assert "return_when" not in text
    assert "_heard.get()" not in text


def test_python_without_its_global_lock_is_refused_in_words(monkeypatch, capsys):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert main(["games"]) == 2
    assert "PYTHON_GIL=1" in capsys.readouterr().err
