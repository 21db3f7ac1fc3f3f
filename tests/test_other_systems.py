"""What is promised on Windows and macOS runs in an interpreter that has nothing of POSIX alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
tournament run bots --game classic --file class.noughts --format gauntlet --staff random --admit all --jobs 1 --unsafe
tournament standings class.noughts
tournament marks class.noughts
tournament export class.noughts results
report class.noughts
similarity pair
check bots/team7.py --game classic --quick --unsafe
convert old.py
evaluate random --game classic --games 1 --out graded
dataset classic --sample 2 --out rows.jsonl.gz
train classic --episodes 10 --out run
bench classic
completion bash
doctor
serve --port 0
""".strip().splitlines()


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What each command said, and which modules could not be imported, in one process."""
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
    assert "page 200" in commands["serve --port 0"]["said"]


def test_every_module_but_those_of_the_sandbox_is_imported_without_posix(ran):
    assert set(ran[1]) == OF_LINUX
