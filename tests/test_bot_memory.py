"""Memory of bots: the limit, the message beyond it, and the control group behind the first limit."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import noughts
from noughts.bots.gate import Gate
from noughts.matches.game import play_seats
from noughts.players import make_player
from noughts.players.bot import BotPlayer
from noughts.sandbox import (
    BotFault,
    BotLimits,
    BotSource,
    ForkServer,
    SandboxedProcess,
    SandboxError,
    layers_in_words,
    probe,
)
from noughts.sandbox import (
    _cgroup as cgroup,
)
from noughts.sandbox import (
    _child as child,
)
from noughts.sandbox._cgroup import Group, Groups
from noughts.tournaments.settings import Settings

CLASSIC = noughts.load_game("classic")
GB = 1 << 30


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


def play(server, text, bot_limits):
    seats = [
        BotPlayer(BotSource("b.py", None, text), server, bot_limits),
        make_player("random", seed=1),
    ]
    return play_seats(CLASSIC, seats)


def test_a_bot_may_use_as_much_on_every_machine():
    assert BotLimits(5.0).memory == Settings().limits.memory == GB // 2


def test_the_fault_names_the_limit_and_the_option(server):
    fault = play(server, "def choose(state, clock): return bytearray(1 << 40)", BotLimits(5.0, memory=64 << 20)).fault
    assert fault.text == "out of memory: it needed more than its limit of 64 MB (--memory)"


def test_a_table_of_700_megabytes_plays_with_a_gigabyte(server):
    table = "table = bytearray(700 << 20)\ndef choose(state, clock): return state.legal_actions()[0]"
    assert play(server, table, BotLimits(5.0, 60.0, GB)).fault is None
    assert play(server, table, BotLimits(5.0, 60.0, GB // 2)).fault.kind == "memory"


def test_check_shows_the_peak(server):
    text = "def choose(state, clock):\n    x = b'1' * (100 << 20)\n    return state.legal_actions()[0]"
    report = Gate(CLASSIC, BotLimits(5.0)).check(BotSource("b.py", None, text), server)
    assert 100 << 10 <= report.kilobytes < 130 << 10


def test_a_bot_that_the_machine_ended_for_its_own_lack_of_memory_is_not_blamed(server, monkeypatch):
    killings = iter([0, 1])
    monkeypatch.setattr(child, "killings_for_memory", lambda: next(killings))
    with SandboxedProcess(server, BotLimits(5.0)) as process:
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(SandboxError, match="this machine ran out of memory"):
            process.ask("outline", 5.0, source="", file="<b>")
    monkeypatch.undo()
    with SandboxedProcess(server, BotLimits(5.0)) as process:
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(BotFault, match="killed from outside"):
            process.ask("outline", 5.0, source="", file="<b>")


# The control group. Its files are the kernel's; where there are none that can be written, a folder stands in for them.


def kernel_like(monkeypatch, tmp_path, own, controlled):
    """Let mkdir() behave as the kernel does below tmp_path: groups in `controlled` folders have a limit of memory."""
    make = Path.mkdir

    def mkdir(self, *args, **options):
        make(self, *args, **options)
        (self / "cgroup.procs").touch()
        if self.parent in controlled:
            for name in ("memory.max", "memory.swap.max", "memory.events"):
                (self / name).touch()

    def rmdir(self):
        for file in self.iterdir():
            file.unlink()
        os.rmdir(self)

    (tmp_path / own).mkdir(parents=True)
    for folder in (tmp_path / own, *(tmp_path / own).parents):
        if folder.is_relative_to(tmp_path):
            (folder / "cgroup.procs").touch()
    (tmp_path / "cgroup.controllers").write_text("memory")
    listed = tmp_path.parent / f"{tmp_path.name}-own"
    listed.write_text(f"0::/{own}\n")
    monkeypatch.setattr(cgroup, "ROOT", tmp_path)
    monkeypatch.setattr(cgroup, "OWN", listed)
    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(Path, "rmdir", rmdir)


def test_a_group_is_made_in_the_nearest_place_that_limits_memory(monkeypatch, tmp_path):
    place = tmp_path / "user.slice"
    kernel_like(monkeypatch, tmp_path, "user.slice/terminal.scope", [place, tmp_path])
    gone = place / "noughts-999999999-3"
    gone.mkdir()
    group = Groups().make(64 << 20, pid=123)
    [folder] = place.glob("noughts-*")
    assert folder != gone, "what a killed server left is swept"
    assert (folder / "memory.max").read_text() == str((64 << 20) + cgroup.COPIED)
    assert (folder / "memory.swap.max").read_text() == "0"
    assert (folder / "cgroup.procs").read_text() == "123"
    assert not group.killed_for_memory()
    (folder / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert group.killed_for_memory()
    group.remove()
    assert not list(place.glob("noughts-*"))


def test_without_such_a_place_there_is_no_group_and_nothing_is_left(monkeypatch, tmp_path):
    kernel_like(monkeypatch, tmp_path, "a/b", [])
    assert Groups().make(64 << 20, pid=123) is None
    assert not list(tmp_path.rglob("noughts-*"))
    monkeypatch.setattr(cgroup, "OWN", tmp_path / "absent")
    assert Groups().make(64 << 20, pid=123) is None


HOG = "import sys; sys.stdin.read(1); x = b'1' * (400 << 20); print(len(x))"


def test_a_real_group_ends_what_outgrows_it(server):
    groups = Groups()
    if groups._parent is None:
        assert "by address space" in layers_in_words(probe(server))
        pytest.skip("there is no cgroup v2 here that could be written")
    assert "and by a cgroup" in layers_in_words(probe(server))
    hog = subprocess.Popen([sys.executable, "-c", HOG], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    group = groups.make(64 << 20, hog.pid)
    assert isinstance(group, Group)
    out, _ = hog.communicate(b"x")
    assert (out, hog.returncode) == (b"", -9)
    assert group.killed_for_memory()
    group.remove()
