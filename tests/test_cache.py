"""The folder of compiled code and solved games: nobody else can put anything there, and we remove nothing but ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_arrays import needs_numba

import noughts
from noughts import cache
from noughts.rules.kernels import compiler
from noughts.solving import _store as store
from noughts.solving.graph import build_graph

SOURCES = str(Path(noughts.__file__).parents[1])
OLD = "0123456789abcdef"
NOBODY = 65534

needs_users = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users")
needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A cache folder that does not exist yet, as the user chose it."""
    chosen = tmp_path / "cache"
    monkeypatch.setenv("NOUGHTS_CACHE_DIR", str(chosen))
    cache._temporary_root.cache_clear()
    yield chosen
    cache._temporary_root.cache_clear()


def made(kind="code", version="f" * 16):
    folder = cache.cache_folder(kind, version)
    cache.use(folder)
    return folder


def age(folder):
    os.utime(folder, (0, 0))


@pytest.mark.parametrize("kind", ["code", "solved"])
def test_what_old_sources_left_is_swept(root, kind):
    old, young = made(kind, OLD), made(kind, "1" * 16)
    (old / "file").write_text("old")
    age(old)
    assert made(kind) == root / kind / ("f" * 16)
    assert not old.exists()
    assert young.is_dir()


def test_nothing_is_removed_that_has_no_name_of_ours(root):
    made()
    diary = root / "code" / "diary"
    diary.mkdir()
    age(diary)
    link = root / "code" / OLD
    link.symlink_to(diary)
    made()
    assert diary.is_dir()
    assert link.is_symlink()


@pytest.mark.parametrize("tag", [None, b"", b"Signature: 8a477f597d28d172789f06886806bc55\n# of another program\n"])
def test_nothing_is_removed_from_a_folder_that_we_did_not_make(root, tag):
    """Also if it is called as ours is, and what is in it is called as ours is."""
    theirs = root / "code" / OLD
    theirs.mkdir(parents=True)
    (theirs / "thesis.txt").write_text("five years of work")
    if tag is not None:
        (root / "code" / cache.TAG).write_bytes(tag)
    age(theirs)
    for _ in range(2):
        assert made().is_dir()
    assert (theirs / "thesis.txt").read_text() == "five years of work"


@needs_users
def test_folders_that_we_make_are_for_us_alone(root):
    folder = made()
    assert [path.stat().st_mode & 0o777 for path in (root, folder.parent, folder)] == [0o700] * 3


def refused(root, capsys):
    """Whether a private folder took the place of the chosen one, with a word about it."""
    folder = made()
    said = capsys.readouterr().err
    if folder.is_relative_to(root):
        assert said == ""
        return ""
    temporary = folder.parents[1]
    assert temporary.stat().st_mode & 0o777 == 0o700
    assert "NOUGHTS_CACHE_DIR" in said
    assert str(root) in said
    # The message comes once, and the processes that this one starts use the same folder.
    assert made() == folder
    assert os.environ["NOUGHTS_CACHE_DIR"] == str(temporary)
    assert capsys.readouterr().err == ""
    return said


@needs_users
@pytest.mark.parametrize("part", [".", "code", "code/" + "f" * 16, ".."])
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_can_write_is_not_used(root, capsys, part, mode):
    made()
    (root / part).chmod(mode)
    # Above the chosen folder a group, which is often one user, may write; and all may where none can move another's.
    allowed = part == ".." and mode != 0o707
    assert ("other users can write to" in refused(root, capsys)) != allowed


@needs_root
@pytest.mark.parametrize("part", [".", "code", "code/" + "f" * 16, "..", f"code/{'f' * 16}/planted.nbi"])
def test_a_folder_that_holds_what_another_owns_is_not_used(root, capsys, part):
    (made() / "planted.nbi").write_bytes(b"anything")
    os.chown(root / part, NOBODY, NOBODY)
    assert "belongs to another user" in refused(root, capsys)


@needs_users
def test_a_link_out_of_the_folder_is_not_followed(root, capsys, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root.mkdir(mode=0o700)
    (root / "code").symlink_to(elsewhere)
    assert "leads out of it" in refused(root, capsys)
    assert list(elsewhere.iterdir()) == []


@needs_users
def test_solved_games_are_not_read_from_a_folder_that_others_can_write(root, capsys):
    game = noughts.load_game("classic")
    store.keep_graph(game.rules, build_graph(game.rules))
    assert store.load_graph(game.rules) is not None
    root.chmod(0o777)
    assert store.load_graph(game.rules) is None
    assert "instead of" in capsys.readouterr().err


def run(code, folder, **variables):
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": SOURCES, **variables},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done


@needs_users
def test_a_temporary_folder_is_gone_when_the_program_is(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    code = "from noughts.cache import *; f = cache_folder('code', 'f' * 16); use(f); print(f, f.is_dir())"
    folder, existed = run(code, "/", NOUGHTS_CACHE_DIR=str(shared)).stdout.split()
    assert existed == "True"
    assert not Path(folder).exists()
    assert list(shared.iterdir()) == []


@needs_numba
def test_a_settings_file_of_numba_in_the_current_folder_changes_nothing(tmp_path):
    """Anybody may have left it there, and it can switch compilation off, or make it do other things."""
    (tmp_path / compiler.NUMBA_FILE).write_text("disable_jit: 1\ndebug: 1\nopt: 0\n")
    code = "import noughts, numba; noughts.load_game('classic').new_initial_state(); numba.config.reload_config()\n"
    code += "print(numba.config.DISABLE_JIT, numba.config.DEBUG, numba.config.OPT)"
    elsewhere = run(code, "/").stdout
    assert run(code, tmp_path).stdout == elsewhere
    later = f"import noughts, os; noughts.load_game('classic').new_initial_state(); os.chdir({str(tmp_path)!r}); {code}"
    assert run(later, "/").stdout == elsewhere
