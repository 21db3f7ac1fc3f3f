"""Where a layer cannot be had, the arena says so: it never runs a bot without telling what holds."""

import re
import shutil
import subprocess
import sys

import pytest

from noughts.sandbox import _policy as policy
from noughts.sandbox._syscalls import AARCH64, NUMBERS, X86_64

pytestmark = pytest.mark.skipif("seccomp" not in NUMBERS, reason="no table of system calls for this machine")

# Runs in a process of its own, since a filter is for good.
SCRIPT = """
import errno, sys
from dataclasses import asdict
from noughts.sandbox import BotFault, BotLimits, ForkServer, SandboxError, layers_in_words, probe, start_process
from noughts.sandbox import _seccomp as filter
from noughts.sandbox import _confine as kernel
from noughts.games.classic import RULES as CLASSIC

kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
if "listened" in sys.argv:
    filter.install(filter.assemble([], filter.ALLOW), listener=True)
if "without" in sys.argv:
    refusing = filter.steps([filter.Rule("seccomp", filter.refuse(errno.ENOSYS))])
    filter.install(filter.assemble([refusing], filter.ALLOW), listener=False)
unsafe = "unsafe" in sys.argv
with ForkServer() as server:
    for source in BOTS:
        try:
            print(layers_in_words(probe(server, unsafe=unsafe)))
            with start_process(server, BotLimits(30.0), unsafe=unsafe) as bot:
                LOOK
                bot.ask("load", 30, source=source, file="<b>", wanted=None, rules=asdict(CLASSIC), seed=1)
                print("answer", bot.ask("move", 30, played=[], seconds=30.0)["answer"])
        except BotFault as error:
            print(error.fault.kind, error.fault.text)
        except SandboxError as error:
            print("refused", error)
"""
GOOD = "def choose(state, clock): return 4"
BAD = "import os\ndef choose(state, clock): os.fork(); return 4"


def run(bots, *flags, before=(), setup="", look="pass"):
    """What the script says of the bots. before: a command to run it by. setup, look: run at first, and beside a bot."""
    script = setup + SCRIPT.replace("LOOK", look).replace("BOTS", repr(bots))
    done = subprocess.run([*before, sys.executable, "-c", script, *flags], text=True, capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_walls_hold_here():
    out = run([GOOD])
    assert "system calls filtered, forbidden ones reported by name" in out
    assert out.endswith("answer 4\n")


def test_where_somebody_else_listens_forbidden_calls_kill_unnamed():
    reads, writes = (f"def choose(state, clock): open({file})" for file in ("'/etc/passwd'", "'/tmp/x', 'w'"))
    lines = run([GOOD, BAD, reads, writes], "listened").splitlines()
    assert all("forbidden ones end the bot without a name" in line for line in lines[::2])
    answered, forked, read, wrote = lines[1::2]
    assert answered == "answer 4"
    assert forked.startswith("forbidden forbidden: it made a system call")
    assert "crashed: FileNotFoundError" in read
    assert wrote.startswith("forbidden")


def test_without_a_filter_nothing_runs_unless_asked_for_and_then_it_is_said():
    out = run([GOOD], "without")
    assert out.startswith("refused this system cannot confine a bot: ")
    assert "--unsafe" in out
    out = run([GOOD], "without", "unsafe")
    assert "There is no sandbox" in out
    assert out.endswith("answer 4\n")


def test_unsafe_changes_nothing_where_there_is_a_sandbox():
    assert "forbidden" in run([BAD], "unsafe")


def test_a_namespace_of_one_user_holds_bots_too():
    namespace = ["unshare", "-Ur"]
    if not shutil.which("unshare") or subprocess.run([*namespace, "true"], capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    layers, answered, _, forked = run([GOOD, BAD], before=namespace).splitlines()
    assert "no root rights" in layers
    assert answered == "answer 4"
    assert forked.startswith("forbidden")


def test_unsafe_is_not_recommended_where_it_does_not_help():
    broken = "import noughts.sandbox._process as p; p.OVERTIME = -1.0 - p.PATIENCE"
    out = run([GOOD], setup=broken)
    assert out.startswith("refused this system cannot confine a bot: out of time")
    assert "--unsafe" not in out


def test_a_bot_goes_first_when_memory_is_short():
    show = "print(open(f'/proc/{bot.pid}/oom_score_adj').read(), open(f'/proc/{bot.pid}/limits').read())"
    out = run([GOOD], look=show)
    assert out.splitlines()[1].startswith("1000")
    assert re.search(r"^Max pending signals +0 +0", out, re.MULTILINE)


def test_the_tables_know_what_the_policy_names():
    for table in (X86_64, AARCH64):
        assert len(set(table.values())) == len(table)
        assert {"read", "write", "mmap", "openat", "clone", "seccomp", "exit_group", "clone3"} <= set(table)
    assert (X86_64["seccomp"], X86_64["clone3"], AARCH64["seccomp"], AARCH64["clone3"]) == (317, 435, 277, 435)


def test_games_without_bot_files_load_nothing_that_other_systems_lack():
    code = """
import sys, noughts.bots.gate, noughts.matches.runner, noughts.players.bot, noughts.tournaments.organiser
from noughts.cli import main
main(["match", "random", "greedy", "--game", "classic", "--games", "2"])
print(sorted(name for name in sys.modules if name.startswith("noughts.sandbox._")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "['noughts.sandbox._limits', 'noughts.sandbox._wire']", done.stderr


@pytest.mark.parametrize("referee", [True, False])
def test_the_filter_that_is_made_once_and_filled_in_is_the_filter_of_each_process(referee):
    for pid in (1, 255, 4711, 2**22 - 1):
        assert policy.program(pid, referee=referee) == policy.build_program(pid, referee)


def test_sleeping_is_allowed_by_the_calls_of_every_machine():
    for name in ("select", "pselect6", "poll", "ppoll"):
        assert any(name in table for table in (X86_64, AARCH64))
        assert name in policy.SLEEPS


def test_a_python_that_was_moved_does_not_tell_where_it_was_built():
    script = """
import sysconfig
values = sysconfig.get_config_vars()
values |= {"prefix": "/home/ann/python", "exec_prefix": "/home/ann/python", "LIBDIR": "/home/ann/python/lib"}
from noughts.sandbox.worker import host
host.hide_folders()
print(sysconfig.get_config_var("prefix"), sysconfig.get_config_var("LIBDIR"))
"""
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, timeout=240)
    assert done.stdout == "/usr/lib/python3 /usr/lib/python3/lib\n", done.stderr
